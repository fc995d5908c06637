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
  'not-a-report': ['info', 'lines that are JSON, but no report (passed over)'],
  'report-without-period': ['info', 'reports without a period and a time (their place in time is unknown)'],
  'monitor-error': ['warning', 'errors that the monitor itself reports (kept as notices)'],
  'withheld-value': ['info', 'environments and command lines (never written)'],
  'too-deep': ['warning', 'values nested too deeply (passed over)'],
  'neff-of-another-model': ['warning', 'programs beside a trace that are not the one it ran (passed over)'],
  'program-not-found': ['warning', 'traces without their program (*.neff): names, shapes and versions are unknown'],
  'program-not-verified': ['info', 'programs taken without a uuid to compare'],
  'program-forced': ['warning', 'programs of another model, taken by --force'],
  'program-damaged': ['warning', 'programs whose archive is damaged (what stands before was read)'],
  'program-too-large': ['warning', 'programs, or parts of them, that are larger than is read'],
  'program-part-broken': ['warning', 'parts of a program that are no JSON objects (passed over)'],
  'program-part-missing': ['info', 'parts that a program should have and has not'],
  'record-without-end': ['info', 'instructions and DMA packets that start and do not end (passed over)'],
  'record-without-start': ['info', 'instructions and DMA packets that end and do not start (passed over)'],
  'outside-execution': ['info', 'device records from before or after the execution (left out)'],
  'saturated-wait': ['info', 'waits longer than the device counts (the longest that it counts is shown)'],
  'unknown-opcode': ['info', 'instructions whose opcode has no known name'],
  'unknown-record': ['info', 'device records whose meaning is not known (passed over)'],
  'unread-section': ['warning', 'sections of a device trace whose layout is not known (passed over)'],
  'free-without-allocation': ['info', 'releases of memory whose allocation is not in the profile (before it began)'],
  'allocation-without-free': ['info', 'allocations at an address that is in use (the earlier one ends there)'],
  'memory-total-not-told': [
    'info',
    'events of memory that do not tell what is allocated in all (the sum since the first is told)',
  ],
  'no-device-activity': ['warning', 'profiles without any work on a device'],
  'row-passed-over': ['warning', 'rows without a start, or beyond what a small table may hold (passed over)'],
  'task-passed-over': ['info', 'device tasks around a kernel or collective, and marks of the profiler (passed over)'],
  'csv-row-passed-over': [
    'warning',
    'rows of csv files that are cut, or have other columns than the header (passed over)',
  ],
  'file-beside-not-read': ['warning', 'files beside a profile that are not what their name says (passed over)'],
  'profiler-info-not-found': ['info', 'profiles without profiler_info_*.json (versions and settings are unknown)'],
  'details-without-task': ['warning', 'rows of kernel_details.csv whose kernel is not in the trace (passed over)'],
  'unknown-table': ['info', 'tables whose names are not known (passed over)'],
  'time-unit-assumed': ['warning', 'profiles that do not tell the unit of their times (nanoseconds assumed)'],
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
