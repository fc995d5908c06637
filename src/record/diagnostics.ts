/**
 * Named counters of what was odd in an input. A reader never stops at one bad row: it keeps the row, marks the
 * cell unknown and counts here. One instance per profile, passed in, never global.
 */

export type Severity = 'info' | 'warning' | 'error';

/** Every counter there is: its severity, and what the number counts. */
export const DIAGNOSTICS = {
  'kernel-without-launch': ['info', 'kernels whose host call is not in the profile'],
  'activity-without-launch': ['info', 'copies, sets and graph launches whose host call is not in the profile'],
  'duplicate-launch-row': ['info', 'host calls recorded more than once for one correlation id (outermost taken)'],
  'ambiguous-launch': ['warning', 'host calls of several processes with one correlation id (none taken)'],
  'launch-after-kernel': ['warning', 'kernels that start before their launch (clock skew)'],
  'graph-kernel-by-launch': ['info', 'graph kernels with the context of the graph launch, not of their capture'],
  'negative-duration': ['warning', 'rows that end before they start (duration unknown)'],
  'row-without-time': ['warning', 'rows whose times were not collected (placed at their launch, duration unknown)'],
  'unknown-name': ['warning', 'kernels whose name is not in the string table'],
  'name-not-demangled': ['info', 'kernel names that could not be demangled (mangled name kept)'],
  'open-range': ['info', 'ranges still open at the end of the profile (closed there)'],
  'range-without-start': ['warning', 'range ends without a start'],
  'range-across-threads': ['info', 'ranges that end on another thread (not used for attribution)'],
  'range-not-nested': ['warning', 'ranges too deep, or too many at one instant, to nest (nothing is placed inside)'],
  'range-without-text': ['info', 'ranges without a text'],
  'marker-not-literal': ['info', 'ranges that look like a call marker but are not a literal (kept as plain ranges)'],
  'graph-launch-opaque': ['info', 'graph launches traced as a whole, without their kernels'],
  'truncated-input': ['warning', 'inputs that end before they are complete (what stands before was read)'],
  'malformed-event': ['warning', 'events that are no JSON objects (passed over)'],
  'control-character': ['info', 'texts with control characters, which JSON does not allow (read all the same)'],
  'not-json': ['info', 'values and commas that JSON does not allow (read all the same)'],
  'event-without-time': ['warning', 'host events without a start or a duration (passed over)'],
  'repeated-key': ['warning', 'keys that stand twice in one event (the last one was taken)'],
  'large-id': ['info', 'ids beyond 2^53 (told apart, but not written)'],
  'no-device-activity': ['warning', 'profiles without any work on a device'],
  'bad-row': ['warning', 'rows with a value of the wrong type (cell unknown)'],
} as const satisfies Record<string, readonly [Severity, string]>;

export type DiagnosticName = keyof typeof DIAGNOSTICS;

export class Diagnostics {
  readonly #counts = new Map<DiagnosticName, number>();

  count(name: DiagnosticName, n = 1): void {
    if (n > 0) this.#counts.set(name, (this.#counts.get(name) ?? 0) + n);
  }

  get(name: DiagnosticName): number {
    return this.#counts.get(name) ?? 0;
  }

  /** Counters above zero, in order of name. */
  toJSON(): Record<string, number> {
    return Object.fromEntries([...this.#counts].sort(([a], [b]) => (a < b ? -1 : 1)));
  }
}
