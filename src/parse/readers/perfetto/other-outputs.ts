/** Finds a file next to a Perfetto trace with the same capture in a format that has more data. */
import { existsSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { PACKET } from '../../../record/perfetto-fields.js';
import { WireError } from '../../input/protobuf.js';
import { BlockFile } from '../../input/byte-window.js';
import { fullerOutput } from '../../amd/outputs.js';
import type { Probe } from '../../reader.js';
import { PacketReader } from './packets.js';
import { readEvent } from './track-events.js';

const PACKED = ['', '.gz', '.zst', '.xz', '.bz2'];
/** `dprof perfetto` writes the mark of a profile after its clock and two tracks. */
const FIRST_PACKETS = 8;

/** Name of such a file; false when there is none. */
export function isCovered({ file, folder, path }: Probe): string | false {
  if (folder === null) return false;
  const name = basename(file);
  const fuller = fullerOutput(/^(.*)_results\.pftrace$/.exec(name)?.[1], '_results.pftrace', folder);
  if (fuller !== null) return fuller;
  const source = sourceOf(path) ?? '';
  const others = source === '' ? [] : PACKED.map((ending) => basename(source) + ending);
  // rocprof-sys writes `perfetto-trace-4242.proto` and `rocpd-4242.db` of one process.
  const [, process] = /^perfetto-trace-(.*)\.proto$/.exec(name) ?? [];
  if (process !== undefined) others.push(`rocpd-${process}.db`);
  return others.find((other) => other !== name && existsSync(join(folder, other))) ?? false;
}

/** Name of the profile from which `dprof perfetto` made the trace; null for a trace of another program. */
function sourceOf(path: string): string | null {
  const file = new BlockFile(path);
  try {
    let left = FIRST_PACKETS;
    for (const { tag, data, sequence } of new PacketReader(file, statSync(path).size).packets()) {
      if (left-- === 0) return null;
      if (tag !== PACKET.trackEvent || data === null) continue;
      const { category, name } = readEvent(data, sequence);
      return category === 'profile' ? name : null;
    }
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
  } finally {
    file.close();
  }
  return null;
}
