/** The keys of events' `args` that are read. */
import type { TraceEvent } from '../../json/event-fields.js';
import { elementAt } from '../../../containers/element.js';
import { numberAt } from '../../json/number-bytes.js';

/**
 * Keys of an event's `args` by the name used here; matched in upper or lower case.
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

/** The keys; the index of each is its code. */
export const KINETO_ARGS: readonly string[] = Object.values(ARG_KEYS);

/** The code of each key of `args`. */
export const ARG = Object.fromEntries(Object.keys(ARG_KEYS).map((name, code) => [name, code])) as Readonly<
  Record<keyof typeof ARG_KEYS, number>
>;

/** A number of an event's `args`; NaN when there is none. The args must have been read. */
export function argNumber({ args: { from, to } }: TraceEvent, key: number, bytes: Buffer): number {
  const at = elementAt(from, key);
  return at === -1 ? NaN : numberAt(bytes, at, elementAt(to, key));
}
