/** Finds a file next to a Perfetto trace with the same capture in a format that has more data. */
import { existsSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { PACKET } from '../../../record/perfetto-fields.js';
import { WireError } from '../../input/protobuf.js';
import { BlockFile } from '../../input/byte-window.js';
import type { Probe } from '../../reader.js';
import { PacketReader } from './packets.js';
import { readEvent } from './track-events.js';

/** What a tracer names its other outputs, by the name of the trace: `4242_results.pftrace`, `perfetto-trace-4242.proto`. */
const NAMES: readonly (readonly [trace: RegExp, others: readonly string[]])[] = [
  [/^(.*)_results\.pftrace$/, ['$1_results.db', '$1_results.json', '$1_kernel_trace.csv']],
  [/^perfetto-trace-(.*)\.proto$/, ['rocpd-$1.db']],
];
const PACKED = ['', '.gz', '.zst', '.xz', '.bz2'];
/** `dprof perfetto` writes the mark of a profile after its clock and two tracks. */
const FIRST_PACKETS = 8;

/** Name of such a file; false when there is none. */
export function isCovered({ file, folder, path }: Probe): string | false {
  if (folder === null) return false;
  const name = basename(file);
  const outputs = NAMES.flatMap(([trace, others]) => others.flatMap((other) => (trace.test(name) ? name.replace(trace, other) : []))); // prettier-ignore
  const source = sourceOf(path);
  const all = source === null || source === '' ? outputs : [...outputs, ...PACKED.map((ending) => source + ending)];
  const names = all.map((other) => basename(other));
  return names.find((other) => other !== name && existsSync(join(folder, other))) ?? false;
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
