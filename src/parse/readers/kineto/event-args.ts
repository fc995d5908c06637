/** What events say in their `args`. */
import type { TraceEvent } from '../../json/event-fields.js';
import { numberAt } from '../../json/number-bytes.js';

/**
 * Keys of an event's `args` that are read, by a name of ours; capitals do not matter.
 * Source: libkineto/src/output_json.cpp, torch/csrc/profiler/util.cpp, torch/csrc/autograd/profiler_kineto.cpp.
 */
const ARG_KEYS = {
  externalId: 'External id',
  correlation: 'correlation',
  device: 'device',
  stream: 'stream',
  sequence: 'Sequence number',
  forwardThread: 'Fwd thread id',
  dims: 'Input Dims',
  types: 'Input type',
  concrete: 'Concrete Inputs',
  callStack: 'Call stack',
  grid: 'grid',
  block: 'block',
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
} as const;

/** The keys in order of their codes. */
export const KINETO_ARGS: readonly string[] = Object.values(ARG_KEYS);

/** The code of each key of `args`. */
export const ARG = Object.fromEntries(Object.keys(ARG_KEYS).map((name, code) => [name, code])) as Readonly<
  Record<keyof typeof ARG_KEYS, number>
>;

/** A number of the event's `args`, which have been read; NaN where there is none. */
export function argNumber({ args: { from, to } }: TraceEvent, key: number, bytes: Buffer): number {
  const at = from[key] ?? -1;
  return at === -1 ? NaN : numberAt(bytes, at, to[key] ?? 0);
}
