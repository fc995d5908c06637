/**
 * Named counters of irregularities in an input. A reader never stops at one bad row: it keeps the row, marks the
 * cell unknown and counts here. One instance per profile, passed in, never global.
 */

export type Severity = 'info' | 'warning' | 'error';

/** All counters: severity, and what the number counts. */
export const DIAGNOSTICS = {
  'kernel-without-launch': ['info', 'kernels whose host call is not in the profile'],
  'activity-without-launch': ['info', 'copies, sets and graph launches whose host call is not in the profile'],
  'duplicate-launch-row': ['info', 'host calls recorded more than once for one correlation id (outermost taken)'],
  'ambiguous-launch': ['warning', 'host calls of several processes with one correlation id (none taken)'],
  'shared-launch': ['warning', 'kernels with the id of one call that launches a single kernel (launch unknown)'],
  'launch-after-kernel': ['warning', 'kernels that start before their launch (clock skew)'],
  'clocks-differ': [
    'warning',
    "devices whose clock is not the host's (aligned by their launches: see the profile's facts)",
  ],
  'wait-without-device': ['info', 'waits in a context of no known device (placed on the device that the row states)'],
  'graph-kernel-by-launch': ['info', 'graph kernels with the context of the graph launch, not of their capture'],
  'graph-work-with-origin': ['info', 'kernels, copies and sets of graphs with the context of their capture'],
  'graph-origin-by-order': [
    'info',
    'of these, by number and order alone: the profile has no names of captured kernels',
  ],
  'graph-capture-by-order': [
    'info',
    'launches of graphs of which several captures have the same kernels (taken in order: the layer may be another)',
  ],
  'capture-not-used': ['warning', 'files of --capture that no launch of a graph is looked for in (none needs it)'],
  'capture-of-another-rank': ['info', 'files of captures or annotations of another rank (skipped)'],
  'capture-truncated': ['warning', 'truncated traces of captures (the part before the cut was read)'],
  'graph-without-capture': ['warning', 'launches of graphs whose kernels are those of no known capture'],
  'scheduling-not-paired': ['info', 'threads put onto or off a core without the other event (time not counted)'],
  'negative-duration': ['warning', 'rows that end before they start (duration unknown)'],
  'end-not-believed': [
    'warning',
    'kernels, copies and memsets that end after the next work of their stream, or a wait for them (taken to last until that begins, or returns)',
  ],
  'row-repeated': ['warning', 'rows of device work that the profile has twice (one taken)'],
  'range-repeated': ['warning', 'ranges of the host that the profile has twice (one taken)'],
  'row-without-time': ['warning', 'rows whose times were not collected (placed at their launch, duration unknown)'],
  'time-far-away': ['warning', 'work of a device timed far from everything else (time not believed: unknown)'],
  'time-of-another-epoch': [
    'warning',
    'rows whose time is 0, or far from that of all others (skipped; work of devices is kept, its time unknown)',
  ],
  'unknown-name': ['warning', 'kernels whose name is not in the string table'],
  'name-not-demangled': ['info', 'kernel names that could not be demangled (mangled name kept)'],
  'open-range': ['info', 'ranges still open at the end of the profile (closed there)'],
  'range-without-start': ['warning', 'range ends without a start'],
  'range-across-threads': ['info', 'ranges that end on another thread (not used for attribution)'],
  'range-not-nested': ['warning', 'ranges too deep, or too many at one instant, to nest (nothing is placed inside)'],
  'frame-cut': ['info', 'Python frames that end after the frame that called them (cut there)'],
  'payload-not-read': ['warning', 'payloads of ranges that are damaged, or of an unknown schema (skipped)'],
  'range-without-text': ['info', 'ranges without a text'],
  'marker-not-literal': ['info', 'ranges that look like a call marker but are not a literal (kept as plain ranges)'],
  'graph-launch-opaque': [
    'info',
    'graph launches traced as a whole, without their kernels (nsys profile --cuda-graph-trace=node traces these)',
  ],
  'graph-launch-without-work': [
    'warning',
    'graph launches whose work is not in the profile, or mostly not (idle time is unknown where it may have run)',
  ],
  'launch-without-work': [
    'warning',
    'kernel launches whose kernel is not in the profile (idle time is unknown where later work shows that it ran)',
  ],
  'launch-cut': [
    'info',
    'launches of a truncated input without work before the cut (idle time is unknown where it may have run)',
  ],
  'call-failed': [
    'warning',
    'calls of the runtime or driver that returned an error (failed_calls of the profile line names them)',
  ],
  'truncated-input': ['warning', 'truncated inputs (the part before the cut was read)'],
  'second-document': ['warning', 'files with a second JSON document (only the first was read)'],
  'malformed-event': ['warning', 'events that are no JSON objects (skipped)'],
  'text-cut': ['warning', 'texts of more than a million characters (cut, so that the line can be read)'],
  'control-character': ['info', 'texts with control characters, which JSON does not allow (accepted)'],
  'not-json': ['info', 'values and commas that JSON does not allow (accepted)'],
  'event-without-time': ['warning', 'host events without a start or a duration (skipped)'],
  'repeated-key': ['warning', 'duplicate keys in one event (the last one was taken)'],
  'large-id': ['info', 'ids beyond 2^53 (kept distinct, but not written)'],
  'not-a-report': ['info', 'lines that are JSON, but no report (skipped)'],
  'report-without-period': ['info', 'reports without a period and a time (start unknown)'],
  'monitor-error': [
    'warning',
    'errors that the monitor itself reports (kept as notices; the numbers of the group or process are unknown)',
  ],
  'withheld-value': ['info', 'environments and command lines (never written)'],
  'unknown-field': ['info', 'values of fields that the documentation does not name (written with dparse --all)'],
  'too-deep': ['warning', 'values nested too deeply (skipped)'],
  'neff-of-another-model': ['warning', 'programs next to a trace that are not the one it ran (ignored)'],
  'program-not-found': ['warning', 'traces without their program (*.neff): names, shapes and versions are unknown'],
  'program-not-verified': ['info', 'programs taken without a uuid to compare'],
  'program-forced': ['warning', 'programs of another model, taken by --force'],
  'program-not-used': [
    'warning',
    'programs of --neff that were not used (only a device trace, *.ntff, is read with its program)',
  ],
  'program-damaged': ['warning', 'programs whose archive is damaged (the part before the damage was read)'],
  'program-too-large': ['warning', 'programs, or parts of them, above the size limit (not read)'],
  'program-part-broken': ['warning', 'parts of a program that are no JSON objects (skipped)'],
  'program-part-missing': ['info', 'parts missing from a program'],
  'record-without-end': ['info', 'instructions and DMA packets that start and do not end (skipped)'],
  'record-without-start': ['info', 'instructions and DMA packets that end and do not start (skipped)'],
  'outside-execution': ['info', 'device records from before or after the execution (left out)'],
  'saturated-wait': ['info', "waits longer than the device's counter holds (its maximum is shown)"],
  'unknown-opcode': ['info', 'instructions whose opcode has no known name'],
  'unknown-record': ['info', 'device records of unknown meaning (skipped)'],
  'unread-section': ['warning', 'sections of a device trace with an unknown layout (skipped)'],
  'free-without-allocation': ['info', 'releases of memory whose allocation is not in the profile (before it began)'],
  'allocation-without-free': ['info', 'allocations at an address that is in use (the earlier one ends there)'],
  'memory-total-not-told': ['info', 'memory events without a total (running sum used)'],
  'no-device-activity': ['warning', 'profiles without any work on a device'],
  'row-passed-over': ['warning', 'rows without a start, or beyond the limit of a small table (skipped)'],
  'task-passed-over': ['info', 'device tasks around the tasks of a kernel or collective (skipped)'],
  'kernel-of-unknown-type': [
    'warning',
    'device tasks of unknown type, taken as kernels on an unknown engine (task_types_unknown of the profile line counts them by type)',
  ],
  'csv-row-short': [
    'warning',
    'CSV rows with fewer cells than the header (kept; counters and what is missing are unknown)',
  ],
  'csv-row-passed-over': ['warning', 'CSV rows that are truncated or do not match the header (skipped)'],
  'file-beside-not-read': ['warning', 'sidecar files whose content does not match their name (ignored)'],
  'profiler-info-not-found': ['info', 'profiles without profiler_info_*.json (versions and settings are unknown)'],
  'details-without-task': ['warning', 'rows of kernel_details.csv whose kernel is not in the trace (skipped)'],
  'profiler-saw-no-device': ['warning', 'messages of the profiler that it collected no events of a device'],
  'profiler-not-initialised': ['warning', 'messages of the profiler that it could not initialise CUPTI'],
  'profiler-driver-not-supported': ['warning', 'messages of the profiler that it does not support the driver'],
  'profiler-without-permission': ['warning', 'messages of the profiler that it may not read the device'],
  'profiler-message': ['info', 'other warnings and errors of the profiler (they are in the profile)'],
  'unknown-table': ['info', 'tables of unknown name (skipped)'],
  'event-not-read': ['info', 'events of kinds that are not read (not_read of the profile line counts them by kind)'],
  'counter-without-kernel': ['info', 'values of metrics and events whose kernel is not in the profile (skipped)'],
  'kernel-without-counters': ['info', 'kernels without a launch in the report of counters (--ncu)'],
  'counters-without-kernel': [
    'warning',
    'launches in the report of counters whose kernel is not in the profile (skipped)',
  ],
  'counters-not-placed': [
    'warning',
    'launches in the report of counters after a lost row (which kernels are theirs is unknown; skipped)',
  ],
  'time-unit-assumed': ['warning', 'profiles that do not state the unit of their times (nanoseconds assumed)'],
  'bad-row': ['warning', 'rows with a value of the wrong type (cell unknown)'],
} as const satisfies Record<string, readonly [Severity, string]>;

/** Name of a diagnostic in the `end` record. */
export type DiagnosticName = keyof typeof DIAGNOSTICS;

/** The counters of one profile. */
export class Diagnostics {
  readonly #counts = new Map<DiagnosticName, number>();

  /** Adds to a counter; nothing for n ≤ 0. */
  count(name: DiagnosticName, n = 1): void {
    if (n > 0) this.#counts.set(name, (this.#counts.get(name) ?? 0) + n);
  }

  get(name: DiagnosticName): number {
    return this.#counts.get(name) ?? 0;
  }

  /** Counters above zero, in order of name. */
  toJSON(): Record<string, number> {
    return inOrder([...this.#counts]);
  }

  /** Counts of an `end` record with these. */
  addedTo(counts: Readonly<Record<string, number>>): Record<string, number> {
    const own = [...this.#counts].map(([name, count]) => [name, (counts[name] ?? 0) + count] as const);
    return inOrder(Object.entries({ ...counts, ...Object.fromEntries(own) }));
  }
}

const inOrder = (counts: readonly (readonly [name: string, count: number])[]): Record<string, number> =>
  Object.fromEntries([...counts].sort(([a], [b]) => (a < b ? -1 : 1)));
