/**
 * Keys of an event's `args` that are read, by a name of ours.
 * Source: libkineto/src/output_json.cpp, torch/csrc/profiler/util.cpp.
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
} as const;

/** The keys in order of their codes. */
export const KINETO_ARGS: readonly string[] = Object.values(ARG_KEYS);

/** The code of each key of `args`. */
export const ARG = Object.fromEntries(Object.keys(ARG_KEYS).map((name, code) => [name, code])) as Readonly<
  Record<keyof typeof ARG_KEYS, number>
>;
