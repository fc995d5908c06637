/** The members of one input of partial answers → a store. */
import { readSync, openSync, closeSync, statSync } from 'node:fs';
import { lineBatches, openFile, openStream, type Input } from '../../../prof/input/lines.js';
import { MemberScanner, type Member } from '../../../prof/input/member-scanner.js';
import type { EndRecord, ProfileRecord } from '../../../record/record.js';
import { StreamStatus, TruncatedInput } from '../../../prof/input/stream-status.js';
import { UsageError, UserError } from '../../../record/errors.js';
import type { MemberStore } from './member-store.js';

/**
 * @param file '-' for standard input
 * @param usage for a terminal as standard input
 * @returns how the input ended: members before a cut are in the store
 * @throws UserError for what is no partial answer, and for one that is damaged or newer
 */
export async function readMembers(file: string, store: MemberStore, usage: string): Promise<StreamStatus> {
  if (file === '-' && process.stdin.isTTY) throw new UsageError('no FILE, and stdin is a terminal', usage);
  const input = file === '-' ? await openStream(process.stdin, 'stdin') : await openFile(file);
  const status = new StreamStatus(input.name);
  try {
    await readAll(input, file !== '-' && isReadable(file) ? file : null, store, status);
  } catch (error) {
    if (!(error instanceof TruncatedInput)) throw error;
    status.cut = error;
  } finally {
    input.close();
  }
  return status;
}

/** @param path where members can be read again; null where they cannot */
async function readAll(input: Input, path: string | null, store: MemberStore, status: StreamStatus): Promise<void> {
  // A profile may be one line of any length.
  if (input.head.length > 0 && !input.head.toString('latin1').startsWith('{"type":"')) throw noPartial(input.name);
  let [begin, end, lines] = [0, 0, 0];
  const take = ({ id, head, lines: rest }: Member): void => {
    // What was lost of its profile: a profile that is cut off fails the answers from the member, not what moves it.
    const [{ file }, { diagnostics }] = [JSON.parse(head) as ProfileRecord, JSON.parse(rest.at(-1) ?? '') as EndRecord];
    status.losses.take(file, diagnostics);
    if (path === null) store.add(id, [head, ...rest]);
    else store.addPlace(id, head, { path, offset: begin, length: end - begin });
  };
  const scanner = new MemberScanner(input.name, () => path === null, take);
  for await (const batch of lineBatches(input)) {
    for (const [i, line] of batch.lines.entries()) {
      if (line.startsWith('{"type":"profile"')) begin = end;
      end += Buffer.byteLength(line) + 1;
      if (scanner.take(line, batch.first + i)) lines++;
      else if (line.trim() !== '') throw lines === 0 ? noPartial(input.name) : stray(input.name, batch.first + i);
    }
  }
  scanner.end();
  if (lines === 0) throw new UserError('is empty', { where: input.name, hint: 'expected what dprof partial writes' });
}

const noPartial = (where: string): UserError =>
  new UserError('is no partial answer', { where, hint: 'dprof partial makes one of a profile' });

const stray = (file: string, line: number): UserError =>
  new UserError('a line of a partial answer that is in no member: it was edited', {
    where: `${file}:${line}`,
    hint: 'make it again with dprof partial',
  });

const BYTE_ORDER_MARK = 0xef;
const GZIP = 0x1f;

/** Whether bytes of the file are those of its lines, and can be read at any place. */
function isReadable(path: string): boolean {
  if (!statSync(path).isFile()) return false;
  const file = openSync(path, 'r');
  try {
    const first = Buffer.alloc(1);
    readSync(file, first, 0, 1, 0);
    return first[0] !== BYTE_ORDER_MARK && first[0] !== GZIP;
  } finally {
    closeSync(file);
  }
}
