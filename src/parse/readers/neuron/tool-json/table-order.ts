/** Order of lines of one start, by content alone: the order of the file's rows differs between files of one tool. */
import type { CopyLine, KernelLine, LayerRecord, SampleRecord } from '../../../../record/record.js';

export type TimedLine = Omit<KernelLine, 'id'> | CopyLine | SampleRecord | LayerRecord;

const TYPES: readonly string[] = ['layer', 'kernel', 'copy', 'sample'];

type SortKey = number | string;

/**
 * Kernels and copies by device, stream, queue, duration, program counter or bytes; samples by device and metric; layers
 * with the outer ones first. Unknown values come first.
 */
function keysOf(line: TimedLine): readonly SortKey[] {
  const type = TYPES.indexOf(line.type);
  const device = line.device ?? -1;
  const dur = line.dur ?? -1;
  switch (line.type) {
    case 'layer':
      return [type, device, -dur, line.name];
    case 'kernel':
      return [type, device, line.stream ?? -1, -1, dur, line.counters?.['pc'] ?? -1];
    case 'copy':
      return [type, device, line.stream ?? -1, line.queue ?? -1, dur, line.bytes ?? -1];
    case 'sample':
      return [type, device, line.metric, Number(line.labels?.['semaphore'] ?? -1), line.value ?? -1, dur];
  }
}

export function sortedLines(lines: readonly TimedLine[]): readonly TimedLine[] {
  if (lines.length < 2) return lines;
  const keyed = lines.map((line) => ({ line, keys: keysOf(line) }));
  keyed.sort((a, b) => compareKeys(a.keys, b.keys) || compare(JSON.stringify(a.line), JSON.stringify(b.line)));
  return keyed.map(({ line }) => line);
}

function compareKeys(a: readonly SortKey[], b: readonly SortKey[]): number {
  for (const [i, key] of a.entries()) {
    const other = b[i];
    // Lines of different types have keys of different lengths, but then the first ones differ.
    const order = other === undefined ? 1 : compare(key, other);
    if (order !== 0) return order;
  }
  return 0;
}

const compare = (a: SortKey, b: SortKey): number => (a === b ? 0 : a < b ? -1 : 1);
