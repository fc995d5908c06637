/** Strings of trace events, as PyTorch writes them, for traces with something wrong between them. */

/** What a trace with something wrong in it should make of a reader. */
export interface HostileTrace {
  readonly title: string;
  readonly text: string | Buffer;
  /**
   * `error`: refused as a whole, with one line that says why. `diagnostic`: read, and a counted diagnostic says what was
   * odd. `fine`: read like any other. Kernels without a launch, which most of these traces have, do not count.
   */
  readonly expect: 'error' | 'diagnostic' | 'fine';
  /** Names of the kernels that come out, in order of start time. */
  readonly kernels: readonly string[];
  /** Their durations in nanoseconds, where the case is about them. */
  readonly durations?: readonly (number | null)[];
  /** What a reader that makes sense does. */
  readonly notes: string;
}

/** A kernel that starts at 100 × n µs and takes 5 µs; its launch is `launch(n)`. */
export const kernel = (name: string, n: number): string =>
  `{"ph": "X", "cat": "kernel", "name": "${name}", "pid": 0, "tid": 7, "ts": ${100 * n}.000, "dur": 5.000, ` +
  `"args": {"External id": ${n}, "device": 0, "context": 1, "stream": 7, "correlation": ${n}, ` +
  `"grid": [1, 1, 1], "block": [128, 1, 1]}}`;

/** The call that launches `kernel(…, n)`, 50 µs before it. */
export const launch = (n: number): string =>
  `{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 4242, "tid": 4242, "ts": ${100 * n - 50}.000, ` +
  `"dur": 4.000, "args": {"External id": ${n}, "cbid": 211, "correlation": ${n}}}`;

/** An op on the host around `launch(n)`. */
export const op = (name: string, n: number): string =>
  `{"ph": "X", "cat": "cpu_op", "name": "${name}", "pid": 4242, "tid": 4242, "ts": ${100 * n - 60}.000, ` +
  `"dur": 20.000, "args": {"External id": ${n}, "Ev Idx": ${n}}}`;

export const FIRST = kernel('first', 1);
export const LAST = kernel('last', 9);

/** What stands in front of the events. */
export const HEAD =
  '{"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "NVIDIA H100 80GB HBM3", "totalGlobalMem": 85018279936, ' +
  '"computeMajor": 9, "computeMinor": 0, "numSms": 132}], "baseTimeNanoseconds": 1751410836000000000,\n"traceEvents": [\n';
export const TAIL = '\n], "traceName": "run.pt.trace.json"}';

/** A whole trace of these events. */
export const trace = (...events: readonly string[]): string => `${HEAD}${events.join(',\n')}${TAIL}`;

/** Something odd, between a kernel `first` and a kernel `last` that must not suffer from it. */
export const between = (...odd: readonly string[]): string => trace(launch(1), FIRST, ...odd, launch(9), LAST);

/** A kernel `odd` in the middle, with parts of its text replaced. */
export const oddKernel = (...replacements: readonly (readonly [string, string])[]): string => {
  let text = kernel('odd', 5);
  for (const [from, to] of replacements) {
    if (!text.includes(from)) throw new Error(`no ${from} in ${text}`);
    text = text.replace(from, () => to);
  }
  return text;
};

export const ALL = ['first', 'odd', 'last'] as const;
export const AROUND = ['first', 'last'] as const;

/** A trace that is read. */
export const read = (
  title: string,
  text: string | Buffer,
  expect: 'diagnostic' | 'fine',
  kernels: readonly string[],
  notes: string,
  durations?: readonly (number | null)[],
): HostileTrace => ({ title, text, expect, kernels, notes, ...(durations === undefined ? {} : { durations }) });
