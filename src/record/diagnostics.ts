/**
 * Named counters of irregularities in an input. A reader never stops at a bad row: it keeps the row, marks the value
 * unknown and counts the irregularity here. There is one instance for each profile, passed as an argument, never global.
 */

/**
 * Severity of a counter for answers. `loss`: data of the input could not be read, so figures are incomplete, which
 * every answer says. `doubt`: data was read but may be wrong. `note`: nothing is wrong.
 */
export type Severity = 'note' | 'doubt' | 'loss';

/** All counters: severity, and a description of what the number counts. */
export const DIAGNOSTICS = {
  'kernel-without-launch': ['note', 'kernels whose launch call is not in the profile'],
  'activity-without-launch': [
    'note',
    'copies, memsets, collectives and whole graph runs whose CPU call is not in the profile',
  ],
  'duplicate-launch-row': [
    'note',
    'CPU calls with the correlation id of another call of their process (the runtime call, then the outermost, is used)',
  ],
  'ambiguous-launch': [
    'doubt',
    'CPU calls of several processes with one correlation id (none is used; the launch is unknown)',
  ],
  'shared-launch': [
    'doubt',
    'kernels that share the correlation id of a call that launches a single kernel (launch unknown)',
  ],
  'launch-after-kernel': [
    'doubt',
    'kernels that start before their launch call (clock skew; launch delays are unreliable)',
  ],
  'clocks-differ': [
    'doubt',
    "devices whose clock differs from the CPU's (aligned by their launches; a shift of na in the profile's facts: could not be aligned)",
  ],
  'wait-without-device': [
    'note',
    'waits in a context without a known device (placed on the device of their row, or on device 0)',
  ],
  'graph-kernel-by-launch': [
    'note',
    'graph kernels without a known capture (layer and op are those of the graph launch; see --capture)',
  ],
  'graph-work-with-origin': ['note', 'kernels, copies and memsets of graphs with the layer and op of their capture'],
  'graph-origin-by-order': [
    'note',
    'graph work matched to its capture by count and order alone (captured kernels have no names)',
  ],
  'graph-capture-by-order': [
    'note',
    'graph launches that match several captures (taken in order; layers may be wrong)',
  ],
  'capture-not-used': ['doubt', 'files of --capture that were not used (no graph launch needs them)'],
  'capture-of-another-rank': ['note', 'files of captures or annotations of another rank (skipped)'],
  'capture-truncated': ['loss', 'truncated traces of captures (the part before the cut was read)'],
  'graph-without-capture': ['doubt', 'graph launches that match no known capture'],
  'scheduling-not-paired': ['note', 'scheduling events without their start or end (CPU time not counted)'],
  'negative-duration': [
    'loss',
    'rows that end before they start (device work kept, its duration unknown; CPU calls and ranges skipped)',
  ],
  'end-not-believed': [
    'doubt',
    'kernels, copies and memsets with an impossible end (cut where the next work of their stream starts, or where a wait for them returned)',
  ],
  'row-repeated': ['doubt', 'duplicate rows of device work (one kept)'],
  'range-repeated': ['doubt', 'duplicate CPU ranges (one kept)'],
  'row-without-time': [
    'loss',
    'device work without a start or an end (duration unknown; without a start, placed at its launch)',
  ],
  'time-far-away': ['loss', 'events far in time from all others (device work kept, its time unknown; others skipped)'],
  'time-of-another-epoch': [
    'loss',
    'rows with time 0, or far in time from all others (device work kept, its time unknown; others skipped)',
  ],
  'unknown-name': ['doubt', 'kernels whose name is not in the string table'],
  'name-not-demangled': ['note', 'kernel names that could not be demangled (mangled name kept)'],
  'open-range': ['note', 'ranges still open at the end of the profile (closed there)'],
  'range-without-start': ['doubt', 'range ends without a start'],
  'range-across-threads': ['note', 'ranges that end on another thread (skipped)'],
  'range-not-nested': [
    'doubt',
    'ranges nested too deeply, or too many that start at one instant (nothing is attributed to them)',
  ],
  'frame-cut': ['note', "Python frames that end after their caller, or after the caller's next call began (cut there)"],
  'payload-not-read': ['loss', 'payloads of ranges that are damaged, or of an unknown schema (skipped)'],
  'range-without-text': ['note', 'ranges without a text'],
  'marker-not-literal': ['note', 'ranges that look like a call marker but are not a literal (kept as plain ranges)'],
  'graph-launch-opaque': [
    'note',
    'graph launches traced as a whole, without their kernels (record with nsys profile --cuda-graph-trace=node)',
  ],
  'graph-launch-without-work': [
    'doubt',
    'graph launches with most or all of their work missing from the profile (idle time is unknown where it may have run)',
  ],
  'work-not-recorded': [
    'loss',
    'processes with calls but no device work (rocprofv3: add --kernel-trace, or --sys-trace)',
  ],
  'kernels-one-at-a-time': [
    'note',
    'profiles with counters, for which the profiler ran one kernel at a time (idle time between them means nothing)',
  ],
  'launch-without-work': [
    'doubt',
    'launches without their kernel in the profile (idle time is unknown where later work shows that it ran)',
  ],
  'launch-cut': [
    'note',
    'launches in a truncated input whose work would have come after its end (idle time is unknown where that work may have run)',
  ],
  'call-failed': [
    'doubt',
    'runtime or driver calls that returned an error (listed in failed_calls of the profile line)',
  ],
  'trace-for-viewers': [
    'note',
    'traces for TensorBoard, without grids, shapes, FLOPs, memory and facts of devices (the .xplane.pb of the same run has them)',
  ],
  'truncated-input': ['loss', 'truncated files (the part before the cut was read)'],
  'record-missing': ['loss', 'records that the end line counts but the input lacks (filtered or lost)'],
  'record-surplus': ['loss', 'records beyond the counts of the end line (duplicates, or from another profile)'],
  'second-document': ['loss', 'files with a second JSON document (only the first was read)'],
  'malformed-event': [
    'loss',
    'damaged events, rows and reports (skipped; neighbouring damaged events of a trace count once)',
  ],
  'text-cut': ['doubt', 'texts longer than a million characters, or in a record of more than eight million (cut)'],
  'control-character': ['note', 'texts with control characters, which JSON does not allow (accepted)'],
  'not-json': ['note', 'values and commas that JSON does not allow (accepted)'],
  'event-without-time': ['loss', 'events without a start or an end (skipped)'],
  'repeated-key': ['doubt', 'duplicate keys in an event (the last value is used)'],
  'large-id': ['note', 'ids beyond 2^53 (kept distinct, but not written)'],
  'not-a-report': ['note', 'lines that are not a report (skipped)'],
  'report-without-period': ['note', 'reports with neither a period nor a time (start unknown)'],
  'monitor-error': [
    'doubt',
    'errors reported by the monitor (kept as notices; metrics of that group or process are unknown)',
  ],
  'withheld-value': ['note', 'environment variables and command lines (never written)'],
  'unknown-field': ['note', 'values of undocumented fields (written with dparse --all)'],
  'too-deep': ['loss', 'values nested too deeply (skipped)'],
  'neff-of-another-model': ['doubt', 'programs next to a trace that ran another program (ignored)'],
  'program-not-found': [
    'doubt',
    'device traces without their program, *.neff (names, shapes and versions are unknown; give it with --neff)',
  ],
  'program-not-verified': ['note', 'programs used without a uuid check'],
  'program-forced': ['doubt', 'programs of another model (used because of --force)'],
  'program-not-used': [
    'doubt',
    'programs of --neff that were not used (only Neuron device traces, *.ntff, and their JSON use a program)',
  ],
  'program-damaged': ['loss', 'programs whose archive is damaged (the part before the damage was read)'],
  'program-too-large': ['loss', 'programs, or parts of them, above the size limit (what exceeds it is not read)'],
  'program-part-broken': ['loss', 'parts of a program that are damaged (skipped)'],
  'program-part-missing': ['note', 'parts missing from a program'],
  'record-without-end': ['note', 'instructions and DMA packets without an end (skipped)'],
  'record-without-start': ['note', 'instructions and DMA packets without a start (skipped)'],
  'outside-execution': ['note', 'device records from before or after the execution (left out)'],
  'saturated-wait': ['note', "waits longer than the device's counter can hold (its maximum is shown)"],
  'unknown-opcode': ['note', 'instructions whose opcode has no known name'],
  'operands-not-known': ['note', 'instructions with unknown operand codes (operands incomplete)'],
  'more-dependencies': ['loss', 'instructions that wait for more than 4096 others (only 4096 are listed)'],
  'unknown-record': ['note', 'device records of unknown meaning (skipped)'],
  'unread-section': ['loss', 'sections of a device trace with an unknown layout or core (skipped)'],
  'no-instruction-read': ['loss', 'device traces with records but no readable instruction'],
  'free-without-allocation': [
    'note',
    'memory releases without their allocation in the profile (allocated before it began)',
  ],
  'allocation-without-free': ['note', 'allocations at an address still in use (the earlier allocation ends there)'],
  'memory-total-missing': ['note', 'memory events without a total (running sum used)'],
  'no-device-activity': ['doubt', 'profiles without any device work'],
  'row-passed-over': [
    'loss',
    'rows without a start, or without the task, call or operation that they describe; damaged rows; rows above a size limit (skipped)',
  ],
  'task-passed-over': ['note', 'device tasks that only enclose the tasks of a kernel or collective (skipped)'],
  'kernel-of-unknown-type': [
    'doubt',
    'device tasks of unknown type (kept as kernels on an unknown engine; task_types_unknown of the profile line counts each type)',
  ],
  'csv-row-short': ['loss', 'CSV rows with fewer cells than the header (kept; counters and missing cells are unknown)'],
  'csv-row-passed-over': ['loss', 'CSV rows that are damaged, or whose cells do not match the header (skipped)'],
  'device-without-clock': ['loss', 'devices without a stated clock (their work is not read)'],
  'companion-file-not-read': [
    'loss',
    'files next to the profile that cannot be read or do not match their name (ignored)',
  ],
  'device-range-by-order': [
    'doubt',
    'user ranges with the same thread, start and text (matched to device ranges in order; durations may be swapped)',
  ],
  'table-slice-missing': ['loss', 'missing slices of a split table (their rows are unknown)'],
  'profiler-info-not-found': ['note', 'profiles without profiler_info_*.json (versions and settings are unknown)'],
  'details-without-task': [
    'doubt',
    'rows of kernel_details.csv or op_summary_*.csv whose kernel is not in the trace (skipped)',
  ],
  'profiler-saw-no-device': ['doubt', 'profiler messages: no device events collected'],
  'profiler-not-initialised': ['doubt', 'profiler messages: CUPTI failed or could not be initialised'],
  'profiler-driver-not-supported': ['doubt', 'profiler messages: driver not supported'],
  'profiler-without-permission': ['doubt', 'profiler messages: no permission to read the device'],
  'profiler-message': [
    'note',
    'other warnings and errors of the profiler (to read them: table DIAGNOSTIC_EVENT of the export)',
  ],
  'unknown-table': ['note', 'tables with an unknown name (skipped)'],
  'event-not-read': ['note', 'events of unsupported kinds (not_read of the profile line counts each kind)'],
  'counter-without-name': [
    'note',
    "values of metrics and events under CUPTI's number: the database has no names (nvprof -i FILE --print-gpu-trace --csv prints them)",
  ],
  'counter-without-kernel': ['note', 'values of metrics and events without their kernel in the profile (skipped)'],
  'kernel-without-counters': ['note', 'kernels without a launch in the report of counters (--ncu)'],
  'counters-without-kernel': [
    'doubt',
    'launches in the report of counters without their kernel in the profile (skipped)',
  ],
  'counters-not-placed': [
    'loss',
    'launches in the report of counters after a lost row (cannot be matched to kernels; skipped)',
  ],
  'time-unit-assumed': ['doubt', 'profiles without a time unit (nanoseconds assumed)'],
  'bad-row': ['loss', 'rows with a missing or invalid value (value unknown, or row skipped)'],
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
