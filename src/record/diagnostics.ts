/**
 * Named counters of irregularities in an input. A reader never stops at a bad row: it keeps the row, marks the value
 * unknown and counts the irregularity here. There is one instance for each profile, passed as an argument, never global.
 */

/**
 * What a counter means for answers. `loss`: data of the input could not be read, so figures are incomplete, which every
 * answer says. `doubt`: data was read but may be wrong. `note`: nothing is wrong.
 */
export type Severity = 'note' | 'doubt' | 'loss';

/** All counters: severity, and a description of what the number counts. */
export const DIAGNOSTICS = {
  'kernel-without-launch': ['note', 'kernels whose host call is not in the profile'],
  'activity-without-launch': ['note', 'copies, sets and graph launches whose host call is not in the profile'],
  'duplicate-launch-row': ['note', 'host calls recorded more than once for one correlation id (outermost taken)'],
  'ambiguous-launch': ['doubt', 'host calls of several processes with one correlation id (none taken)'],
  'shared-launch': ['doubt', 'kernels with the id of one call that launches a single kernel (launch unknown)'],
  'launch-after-kernel': ['doubt', 'kernels that start before their launch (clock skew)'],
  'clocks-differ': [
    'doubt',
    "devices whose clock is not the host's (aligned by their launches: see the profile's facts)",
  ],
  'wait-without-device': ['note', 'waits in a context of no known device (placed on the device that the row states)'],
  'graph-kernel-by-launch': ['note', 'graph kernels with the context of the graph launch, not of their capture'],
  'graph-work-with-origin': ['note', 'kernels, copies and sets of graphs with the context of their capture'],
  'graph-origin-by-order': [
    'note',
    'of these, by number and order alone: the profile has no names of captured kernels',
  ],
  'graph-capture-by-order': [
    'note',
    'launches of graphs of which several captures have the same kernels (taken in order: the layer may be another)',
  ],
  'capture-not-used': ['doubt', 'files of --capture that no launch of a graph is looked for in (none needs it)'],
  'capture-of-another-rank': ['note', 'files of captures or annotations of another rank (skipped)'],
  'capture-truncated': ['loss', 'truncated traces of captures (the part before the cut was read)'],
  'graph-without-capture': ['doubt', 'launches of graphs whose kernels are those of no known capture'],
  'scheduling-not-paired': ['note', 'threads put onto or off a core without the other event (time not counted)'],
  'negative-duration': ['loss', 'rows that end before they start (duration unknown)'],
  'end-not-believed': [
    'doubt',
    'kernels, copies and memsets that end after the next work of their stream, or a wait for them (taken to last until that begins, or returns)',
  ],
  'row-repeated': ['doubt', 'rows of device work that the profile has twice (one taken)'],
  'range-repeated': ['doubt', 'ranges of the host that the profile has twice (one taken)'],
  'row-without-time': ['loss', 'rows whose times were not collected (placed at their launch, duration unknown)'],
  'time-far-away': [
    'loss',
    'events timed far from everything else (time not believed: of work unknown, others skipped)',
  ],
  'time-of-another-epoch': [
    'loss',
    'rows whose time is 0, or far from that of all others (skipped; work of devices is kept, its time unknown)',
  ],
  'unknown-name': ['doubt', 'kernels whose name is not in the string table'],
  'name-not-demangled': ['note', 'kernel names that could not be demangled (mangled name kept)'],
  'open-range': ['note', 'ranges still open at the end of the profile (closed there)'],
  'range-without-start': ['doubt', 'range ends without a start'],
  'range-across-threads': ['note', 'ranges that end on another thread (not used for attribution)'],
  'range-not-nested': ['doubt', 'ranges too deep, or too many at one instant, to nest (nothing is placed inside)'],
  'frame-cut': ['note', 'Python frames that end after the frame that called them (cut there)'],
  'payload-not-read': ['loss', 'payloads of ranges that are damaged, or of an unknown schema (skipped)'],
  'range-without-text': ['note', 'ranges without a text'],
  'marker-not-literal': ['note', 'ranges that look like a call marker but are not a literal (kept as plain ranges)'],
  'graph-launch-opaque': [
    'note',
    'graph launches traced as a whole, without their kernels (nsys profile --cuda-graph-trace=node traces these)',
  ],
  'graph-launch-without-work': [
    'doubt',
    'graph launches whose work is not in the profile, or mostly not (idle time is unknown where it may have run)',
  ],
  'launch-without-work': [
    'doubt',
    'kernel launches whose kernel is not in the profile (idle time is unknown where later work shows that it ran)',
  ],
  'launch-cut': [
    'note',
    'launches of a truncated input without work before the cut (idle time is unknown where it may have run)',
  ],
  'call-failed': [
    'doubt',
    'calls of the runtime or driver that returned an error (failed_calls of the profile line names them)',
  ],
  'truncated-input': ['loss', 'truncated inputs (the part before the cut was read)'],
  'record-missing': ['loss', 'records that the end line counts and that are not there (filtered, or lost)'],
  'record-surplus': ['loss', 'records beyond those that the end line counts (repeated, or of another profile)'],
  'second-document': ['loss', 'files with a second JSON document (only the first was read)'],
  'malformed-event': ['loss', 'events that are not JSON objects (skipped)'],
  'text-cut': ['doubt', 'texts of more than a million characters (cut, so that the line can be read)'],
  'control-character': ['note', 'texts with control characters, which JSON does not allow (accepted)'],
  'not-json': ['note', 'values and commas that JSON does not allow (accepted)'],
  'event-without-time': ['loss', 'host events without a start or a duration (skipped)'],
  'repeated-key': ['doubt', 'duplicate keys in one event (the last one was taken)'],
  'large-id': ['note', 'ids beyond 2^53 (kept distinct, but not written)'],
  'not-a-report': ['note', 'lines that are not a report (skipped)'],
  'report-without-period': ['note', 'reports without a period and a time (start unknown)'],
  'monitor-error': [
    'doubt',
    'errors that the monitor itself reports (kept as notices; the numbers of the group or process are unknown)',
  ],
  'withheld-value': ['note', 'environments and command lines (never written)'],
  'unknown-field': ['note', 'values of fields that the documentation does not name (written with dparse --all)'],
  'too-deep': ['loss', 'values nested too deeply (skipped)'],
  'neff-of-another-model': ['doubt', 'programs next to a trace that are not the one it ran (ignored)'],
  'program-not-found': ['doubt', 'traces without their program (*.neff): names, shapes and versions are unknown'],
  'program-not-verified': ['note', 'programs taken without a uuid to compare'],
  'program-forced': ['doubt', 'programs of another model, taken by --force'],
  'program-not-used': [
    'doubt',
    'programs of --neff that were not used (only Neuron device traces, *.ntff, and their JSON are read with it)',
  ],
  'program-damaged': ['loss', 'programs whose archive is damaged (the part before the damage was read)'],
  'program-too-large': ['loss', 'programs, or parts of them, above the size limit (not read)'],
  'program-part-broken': ['loss', 'parts of a program that are damaged (skipped)'],
  'program-part-missing': ['note', 'parts missing from a program'],
  'record-without-end': ['note', 'instructions and DMA packets that start and do not end (skipped)'],
  'record-without-start': ['note', 'instructions and DMA packets that end and do not start (skipped)'],
  'outside-execution': ['note', 'device records from before or after the execution (left out)'],
  'saturated-wait': ['note', "waits longer than the device's counter holds (its maximum is shown)"],
  'unknown-opcode': ['note', 'instructions whose opcode has no known name'],
  'operands-not-known': ['note', 'instructions whose operands have a code that is not known'],
  'more-dependencies': ['loss', 'instructions that wait for more than 4096 others (the rest is left out)'],
  'unknown-record': ['note', 'device records of unknown meaning (skipped)'],
  'unread-section': ['loss', 'sections of a device trace with an unknown layout (skipped)'],
  'no-instruction-read': ['loss', 'device traces with records of which no instruction could be read'],
  'free-without-allocation': ['note', 'releases of memory whose allocation is not in the profile (before it began)'],
  'allocation-without-free': ['note', 'allocations at an address that is in use (the earlier one ends there)'],
  'memory-total-missing': ['note', 'memory events without a total (running sum used)'],
  'no-device-activity': ['doubt', 'profiles without any work on a device'],
  'row-passed-over': ['loss', 'rows without a start or an operation, or beyond the limit of a small table (skipped)'],
  'task-passed-over': ['note', 'device tasks around the tasks of a kernel or collective (skipped)'],
  'kernel-of-unknown-type': [
    'doubt',
    'device tasks of unknown type, taken as kernels on an unknown engine (task_types_unknown of the profile line counts them by type)',
  ],
  'csv-row-short': [
    'loss',
    'CSV rows with fewer cells than the header (kept; counters and what is missing are unknown)',
  ],
  'csv-row-passed-over': ['loss', 'CSV rows that are truncated or do not match the header (skipped)'],
  'device-without-clock': ['loss', 'devices whose clock is not stated (their work is not read)'],
  'companion-file-not-read': ['loss', 'sidecar files whose content does not match their name (ignored)'],
  'device-range-by-order': [
    'doubt',
    'user ranges of one thread, start and text (joined with their device ranges in order: durations may be exchanged)',
  ],
  'table-slice-missing': ['loss', 'slices of a split table that are missing (what they hold is not known)'],
  'profiler-info-not-found': ['note', 'profiles without profiler_info_*.json (versions and settings are unknown)'],
  'details-without-task': [
    'doubt',
    'rows of kernel_details.csv or op_summary_*.csv whose kernel is not in the trace (skipped)',
  ],
  'profiler-saw-no-device': ['doubt', 'messages of the profiler that it collected no events of a device'],
  'profiler-not-initialised': ['doubt', 'messages of the profiler that it could not initialise CUPTI'],
  'profiler-driver-not-supported': ['doubt', 'messages of the profiler that it does not support the driver'],
  'profiler-without-permission': ['doubt', 'messages of the profiler that it may not read the device'],
  'profiler-message': ['note', 'other warnings and errors of the profiler (they are in the profile)'],
  'unknown-table': ['note', 'tables of unknown name (skipped)'],
  'event-not-read': ['note', 'events of kinds that are not read (not_read of the profile line counts them by kind)'],
  'counter-without-name': [
    'note',
    "values of metrics and events under CUPTI's number: the database has no names (nvprof -i FILE --print-gpu-trace --csv prints them)",
  ],
  'counter-without-kernel': ['note', 'values of metrics and events whose kernel is not in the profile (skipped)'],
  'kernel-without-counters': ['note', 'kernels without a launch in the report of counters (--ncu)'],
  'counters-without-kernel': [
    'doubt',
    'launches in the report of counters whose kernel is not in the profile (skipped)',
  ],
  'counters-not-placed': [
    'loss',
    'launches in the report of counters after a lost row (which kernels are theirs is unknown; skipped)',
  ],
  'time-unit-assumed': ['doubt', 'profiles that do not state the unit of their times (nanoseconds assumed)'],
  'bad-row': ['loss', 'rows with a value of the wrong type (cell unknown)'],
} as const satisfies Record<string, readonly [Severity, string]>;

/** Name of a diagnostic in the `end` record. */
export type DiagnosticName = keyof typeof DIAGNOSTICS;

/** The counters of one profile. */
export class Diagnostics {
  readonly #counts = new Map<DiagnosticName, number>();

  /** Adds to a counter; does nothing for n ≤ 0. */
  count(name: DiagnosticName, n = 1): void {
    if (n > 0) this.#counts.set(name, (this.#counts.get(name) ?? 0) + n);
  }

  get(name: DiagnosticName): number {
    return this.#counts.get(name) ?? 0;
  }

  /** Counters above zero, ordered by name. */
  toJSON(): Record<string, number> {
    return inOrder([...this.#counts]);
  }

  /** The counts of an `end` record plus these counters. */
  addedTo(counts: Readonly<Record<string, number>>): Record<string, number> {
    const sums = [...this.#counts].map(([name, count]) => [name, (counts[name] ?? 0) + count] as const);
    return inOrder(Object.entries({ ...counts, ...Object.fromEntries(sums) }));
  }
}

const inOrder = (counts: readonly (readonly [name: string, count: number])[]): Record<string, number> =>
  Object.fromEntries([...counts].sort(([a], [b]) => (a < b ? -1 : 1)));
