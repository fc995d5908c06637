/** Reading events' `args`: the keys that are read, and the forms of their values. */
import type { Activities } from '../../trace/trace-columns.js';
import type { Fields } from '../../json/event-fields.js';
import { elementAt } from '../../../containers/element.js';

/**
 * Keys of an event's `args` by the name used here; matched in upper or lower case.
 * Source: libkineto/src/output_json.cpp, torch/csrc/profiler/util.cpp, torch/csrc/autograd/profiler_kineto.cpp.
 */
const ARG_KEYS = {
  externalId: 'External id',
  correlation: 'correlation',
  device: 'device',
  stream: 'stream',
  context: 'context',
  sequence: 'Sequence number',
  forwardThread: 'Fwd thread id',
  dims: 'Input Dims',
  types: 'Input type',
  concrete: 'Concrete Inputs',
  strides: 'Input Strides',
  callStack: 'Call stack',
  frame: 'Python id',
  caller: 'Python parent id',
  kernel: 'kernel',
  kernelFile: 'kernel_file',
  kernelHash: 'kernel_hash',
  grid: 'grid',
  block: 'block',
  registers: 'registers per thread',
  sharedBytes: 'shared memory',
  bytes: 'bytes',
  graphId: 'graph id',
  graphNode: 'graph node id',
  collective: 'Collective name',
  allocated: 'Total Allocated',
  reserved: 'Total Reserved',
  address: 'Addr',
  deviceId: 'Device Id',
  deviceType: 'Device Type',
  index: 'Ev Idx',
  rank: 'rank',
} as const;

/** The keys; the index of each is its code. */
export const KINETO_ARGS: readonly string[] = Object.values(ARG_KEYS);

/** The code of each key of `args`. */
export const ARG = Object.fromEntries(Object.keys(ARG_KEYS).map((name, code) => [name, code])) as Readonly<
  Record<keyof typeof ARG_KEYS, number>
>;

/** Adds the three numbers of `[56, 2, 1]` to a column of extents; NaN for missing ones. The args must have been read. */
export function pushExtent({ from, to, bytes }: Fields, key: number, extents: Activities['kernels']['extents']): void {
  const start = elementAt(from, key);
  const end = elementAt(to, key);
  let at = start + 1;
  for (let i = 0; i < 3; i++) {
    let value = start === -1 ? NaN : 0;
    let digits = 0;
    for (; at < end; at++) {
      const digit = elementAt(bytes, at) - 0x30;
      if (digit < 0 || digit > 9) {
        if (digits > 0) break;
      } else {
        value = value * 10 + digit;
        digits++;
      }
    }
    extents.push(digits === 0 ? NaN : value);
  }
}

/** The number at the end of a field, `7` or `stream 7`; NaN when there is none. */
export function trailingNumber(fields: Fields, key: number): number {
  const digits = /-?(?<!\d)\d+$/.exec(fields.latin1(key) ?? '')?.[0];
  return digits === undefined ? NaN : Number(digits);
}
