/** What our own programs write: a folder of Parquet, partial answers. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RecordFiles } from '../../src/cli/dparse/record-files.js';
import { requireColumn } from '../../src/prof/columns/columns.js';
import { memberText, partialLine, PartialBuilder } from '../../src/prof/partial/member-builder.js';
import type { ProfileLine } from '../../src/record/record.js';
import type { Base, Files } from './input.js';

type Opened = Pick<Base, 'files' | 'input'>;

/**
 * The records of profiles, as `dparse -f parquet` writes them.
 * @param read the files of a folder
 */
export function parquetOf(profiles: readonly Iterable<ProfileLine>[], read: (folder: string) => Files): Opened {
  const folder = mkdtempSync(join(tmpdir(), 'dprof-fuzz-parquet-'));
  try {
    for (const records of profiles) {
      const files = new RecordFiles(folder);
      for (const record of records) files.add(record);
      files.finish();
      files.close();
    }
    return { files: read(folder), input: '' };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Files of Parquet in which the text of another writer stands in place of the checksum. */
export const withoutChecksums = ({ files, input }: Opened): Opened => ({
  files: Object.fromEntries(
    Object.entries(files).map(([name, bytes]) => [
      name,
      Buffer.from(bytes.toString('latin1').replace(/dparse crc32 .{8}/s, 'a writer of others'.padEnd(21)), 'latin1'),
    ]),
  ),
  input,
});

/** What a profile adds up to, as `dprof partial` writes it. */
export function partialOf(records: Iterable<ProfileLine>): Opened {
  const members: string[] = [];
  const by = ['op', 'layer', 'kernel'].map(requireColumn);
  const builder = new PartialBuilder({ by, device: null }, (lines) => void members.push(memberText(lines, 0)));
  for (const record of records) builder.take(record);
  builder.end();
  return { files: { 'net.part': Buffer.from(partialLine(members.length) + members.join('')) }, input: 'net.part' };
}
