/**
 * Named counters of irregularities in an input. A reader never stops at a bad row: it keeps the row, marks the value
 * unknown and counts the irregularity here. There is one instance for each profile, passed as an argument, never global.
 */

/**
 * Severity of a counter for answers, from the worst. `loss`: data is missing, so figures are incomplete, and every answer
 * says so. `doubt`: data was read but may be wrong. `limit`: some questions have no answer. `note`: nothing is wrong.
 */
export type Severity = 'loss' | 'doubt' | 'limit' | 'note';

/** Figures that a fault affects. */
export const AFFECTS = {
  all: 'counts, sums and shares of every answer',
  devices: 'everything except CPU times',
  calls: 'the work that these calls would have done or launched',
  times: 'durations, busy and idle time around this work',
  durations: 'durations and rates of this work, and their sums',
  copies: 'copies, busy time and idle time of these devices',
  lost: 'counts and sums of work, idle time and its causes',
  launches: 'launch delays, causes of idle time, and the ops of these kernels',
  ops: 'ops, layers and FLOPs of the affected kernels',
  host: 'times of CPU ranges, and the kernels launched in them',
  names: 'kernel names, and everything derived from them',
  counters: 'figures measured by counters',
  program: 'names, shapes and source lines of instructions',
  dependencies: 'what instructions waited for',
  messages: 'whatever the messages describe',
} as const;

/** Remedies that several faults share. */
const COPY = 'copy the file again from where it was recorded; export or convert it again if it was exported';
const WRITE_AGAIN = 'run dparse on the profile again, and do not filter or join its output';
const NEWER = 'record with a newer profiler and driver';
export const SYNCHRONIZE = 'synchronize the device before the profiler stops, so that work in flight ends first';
export const SHORTER = "profile fewer steps: the profiler's buffers may have been full";
const GROUP = 'run the collector where the profiler may read the device (see its documentation on permissions)';
const CAPTURES = 'give dparse --capture the captures of this rank alone (docs/guide/graphs.md)';
const NEFF = 'give the program of this trace with --neff FILE.neff';

type Note = readonly [severity: 'note', text: string];
/** A fault also has what it affects, and how to record or read the profile better; null where nothing helps. */
type Fault = readonly [
  severity: Exclude<Severity, 'note'>,
  text: string,
  affects: keyof typeof AFFECTS,
  remedy: string | null,
];

/** All counters: severity, a description of what the number counts, and for faults their effect and remedy. */
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
    'launches',
    'record one file per process',
  ],
  'shared-launch': [
    'doubt',
    'kernels that share the correlation id of a call that launches a single kernel (launch unknown)',
    'launches',
    NEWER,
  ],
  'launch-after-kernel': [
    'doubt',
    'kernels that start before their launch call (clock skew; launch delays are unreliable)',
    'launches',
    NEWER,
  ],
  'clocks-differ': [
    'doubt',
    "devices whose clock differs from the CPU's (aligned by their launches; a shift of na in the profile's facts: could not be aligned)",
    'launches',
    NEWER,
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
  'capture-not-used': ['doubt', 'files of --capture that were not used (no graph launch needs them)', 'ops', CAPTURES],
  'capture-of-another-rank': ['note', 'files of captures or annotations of another rank (skipped)'],
  'capture-truncated': [
    'loss',
    'truncated traces of captures (the part before the cut was read)',
    'ops',
    'record the capture again, and let the program end by itself',
  ],
  'graph-without-capture': [
    'doubt',
    'graph launches that match no known capture',
    'ops',
    'start the profiler before the graph is captured, or give the capture with --capture',
  ],
  'scheduling-not-paired': ['note', 'scheduling events without their start or end (CPU time not counted)'],
  'negative-duration': [
    'loss',
    'rows that end before they start (device work kept, its duration unknown; CPU calls and ranges skipped)',
    'times',
    NEWER,
  ],
  'end-not-believed': [
    'doubt',
    'kernels, copies and memsets with an impossible end (cut where the next work of their stream starts, or where a wait for them returned)',
    'times',
    NEWER,
  ],
  'row-repeated': [
    'doubt',
    'duplicate rows of device work (one kept)',
    'all',
    'export the profile once, into a new file',
  ],
  'range-repeated': ['doubt', 'duplicate CPU ranges (one kept)', 'host', 'export the profile once, into a new file'],
  'row-without-time': [
    'loss',
    'device work without a start or an end (duration unknown; without a start, placed at its launch)',
    'times',
    SYNCHRONIZE,
  ],
  'stream-overlap': [
    'doubt',
    'pieces of work that began before the previous work on the same stream had ended',
    'durations',
    NEWER,
  ],
  'zero-duration': ['doubt', 'kernels with a duration of 0', 'durations', NEWER],
  'zero-duration-rounded': [
    'limit',
    'kernels with a duration of 0, because the profile rounds times to whole microseconds',
    'durations',
    NEWER,
  ],
  'copies-not-recorded': [
    'loss',
    'copies that devices started, without any copy of these devices in the profile',
    'copies',
    null,
  ],
  'time-far-away': [
    'loss',
    'events far in time from all others (device work kept, its time unknown; others skipped)',
    'times',
    NEWER,
  ],
  'time-of-another-epoch': [
    'loss',
    'rows with time 0, or far in time from all others (device work kept, its time unknown; others skipped)',
    'times',
    NEWER,
  ],
  'unknown-name': ['doubt', 'kernels whose name is not in the string table', 'names', COPY],
  'name-not-demangled': ['note', 'kernel names that could not be demangled (mangled name kept)'],
  'open-range': ['note', 'ranges still open at the end of the profile (closed there)'],
  'range-without-start': ['doubt', 'range ends without a start', 'host', 'start the profiler before the range begins'],
  'range-across-threads': ['note', 'ranges that end on another thread (skipped)'],
  'range-not-nested': [
    'doubt',
    'ranges nested too deeply, or too many that start at one instant (nothing is attributed to them)',
    'host',
    null,
  ],
  'frame-cut': ['note', "Python frames that end after their caller, or after the caller's next call began (cut there)"],
  'payload-not-read': [
    'loss',
    'payloads of ranges that are damaged, or of an unknown schema (skipped)',
    'ops',
    'export the profile with the latest version of its tool',
  ],
  'range-without-text': ['note', 'ranges without a text'],
  'marker-not-literal': ['note', 'ranges that look like a call marker but are not a literal (kept as plain ranges)'],
  'graph-launch-opaque': [
    'limit',
    'graph launches traced as a whole, without their kernels',
    'lost',
    'nsys profile --cuda-graph-trace=node',
  ],
  'graph-launch-without-work': [
    'loss',
    'graph launches with most or all of their work missing from the profile (idle time is unknown where it may have run)',
    'lost',
    SHORTER,
  ],
  'work-not-recorded': [
    'loss',
    'processes with calls but no device work (rocprofv3: add --kernel-trace, or --sys-trace)',
    'devices',
    null,
  ],
  'kernels-one-at-a-time': [
    'note',
    'profiles with counters, for which the profiler ran one kernel at a time (idle time between them means nothing)',
  ],
  'launch-without-work': [
    'loss',
    'launches without their kernel in the profile (idle time is unknown where later work shows that it ran)',
    'lost',
    SHORTER,
  ],
  'call-without-copy': [
    'doubt',
    'calls that copy memory without their copy in the profile (a copy of 0 bytes has none)',
    'lost',
    SHORTER,
  ],
  'launch-cut': [
    'note',
    'launches in a truncated input whose work would have come after its end (idle time is unknown where that work may have run)',
  ],
  'call-failed': [
    'doubt',
    'runtime or driver calls that returned an error (listed in failed_calls in the profile line)',
    'calls',
    'fix the failing call, or leave it out of the profile',
  ],
  'trace-for-viewers': [
    'note',
    'traces for TensorBoard, without grids, shapes, FLOPs, memory and device properties (the .xplane.pb of the same run has them)',
  ],
  'truncated-input': [
    'loss',
    'truncated files (the part before the cut was read)',
    'all',
    `let the profiler finish writing before the program ends; ${COPY}`,
  ],
  'record-missing': [
    'loss',
    'records that the end line counts but the input lacks (filtered or lost)',
    'all',
    WRITE_AGAIN,
  ],
  'record-surplus': [
    'loss',
    'records beyond the counts of the end line (duplicates, or from another profile)',
    'all',
    WRITE_AGAIN,
  ],
  'second-document': [
    'loss',
    'files with a second JSON document (only the first was read)',
    'all',
    'split the file into one document per file',
  ],
  'malformed-event': [
    'loss',
    'damaged events, rows and reports (skipped; neighbouring damaged events of a trace count once)',
    'all',
    COPY,
  ],
  'text-cut': [
    'doubt',
    'strings longer than a million characters, or in a record of more than eight million (cut)',
    'names',
    null,
  ],
  'control-character': ['note', 'strings with control characters, which JSON does not allow (accepted)'],
  'not-json': ['note', 'values and commas that JSON does not allow (accepted)'],
  'event-without-time': ['loss', 'events without a start or an end (skipped)', 'all', NEWER],
  'repeated-key': ['doubt', 'duplicate keys in an event (the last value is used)', 'all', NEWER],
  'large-id': ['note', 'ids beyond 2^53 (kept distinct, but not written)'],
  'not-a-report': ['note', 'lines that are not a report (skipped)'],
  'report-without-period': ['note', 'reports with neither a period nor a time (start unknown)'],
  'monitor-error': [
    'doubt',
    'errors reported by the monitor (kept as notices; metrics of that group or process are unknown)',
    'counters',
    GROUP,
  ],
  'withheld-value': ['note', 'environment variables and command lines (never written)'],
  'unknown-field': ['note', 'values of undocumented fields (written with dparse --all)'],
  'too-deep': ['loss', 'values nested too deeply (skipped)', 'ops', null],
  'neff-of-another-model': ['doubt', 'programs next to a trace that ran another program (ignored)', 'program', NEFF],
  'program-not-found': [
    'doubt',
    'device traces without their program, *.neff (names, shapes and versions are unknown; give it with --neff)',
    'program',
    NEFF,
  ],
  'program-not-verified': ['note', 'programs used without a uuid check'],
  'program-forced': ['doubt', 'programs of another model (used because of --force)', 'program', NEFF],
  'program-not-used': [
    'doubt',
    'programs of --neff that were not used (only Neuron device traces, *.ntff, and their JSON use a program)',
    'program',
    null,
  ],
  'program-damaged': [
    'loss',
    'programs whose archive is damaged (the part before the damage was read)',
    'program',
    COPY,
  ],
  'program-too-large': [
    'loss',
    'programs, or parts of them, above the size limit (what exceeds it is not read)',
    'program',
    null,
  ],
  'program-part-broken': ['loss', 'parts of a program that are damaged (skipped)', 'program', COPY],
  'program-part-missing': ['note', 'parts missing from a program'],
  'record-without-end': ['note', 'instructions and DMA packets without an end (skipped)'],
  'record-without-start': ['note', 'instructions and DMA packets without a start (skipped)'],
  'outside-execution': ['note', 'device records from before or after the execution (left out)'],
  'saturated-wait': ['note', "waits longer than the device's counter can hold (its maximum is shown)"],
  'unknown-opcode': ['note', 'instructions whose opcode has no known name'],
  'operands-not-known': ['note', 'instructions with unknown operand codes (operands incomplete)'],
  'more-dependencies': [
    'loss',
    'instructions that wait for more than 4096 others (only 4096 are listed)',
    'dependencies',
    null,
  ],
  'unknown-record': ['note', 'device records of unknown meaning (skipped)'],
  'unread-section': ['loss', 'sections of a device trace with an unknown layout or core (skipped)', 'all', null],
  'no-instruction-read': ['loss', 'device traces with records but no readable instruction', 'all', COPY],
  'free-without-allocation': [
    'note',
    'memory releases without their allocation in the profile (allocated before it began)',
  ],
  'allocation-without-free': ['note', 'allocations at an address still in use (the earlier allocation ends there)'],
  'memory-total-missing': ['note', 'memory events without a total (running sum used)'],
  'no-device-activity': ['note', 'profiles without any device work'],
  'row-passed-over': [
    'loss',
    'rows without a start, or without the task, call or operation that they describe; damaged rows; rows above a size limit (skipped)',
    'all',
    COPY,
  ],
  'task-passed-over': ['note', 'device tasks that only enclose the tasks of a kernel or collective (skipped)'],
  'kernel-of-unknown-type': [
    'doubt',
    'device tasks of unknown type (kept as kernels on an unknown engine; task_types_unknown in the profile line counts each type)',
    'names',
    null,
  ],
  'csv-row-short': [
    'loss',
    'CSV rows with fewer cells than the header (kept; counters and missing cells are unknown)',
    'counters',
    COPY,
  ],
  'csv-row-passed-over': [
    'loss',
    'CSV rows that are damaged, or whose cells do not match the header (skipped)',
    'all',
    COPY,
  ],
  'device-without-clock': ['loss', 'devices without a stated clock (their work is not read)', 'all', NEWER],
  'companion-file-not-read': [
    'loss',
    'files next to the profile that cannot be read or do not match their name (ignored)',
    'ops',
    COPY,
  ],
  'device-range-by-order': [
    'doubt',
    'user ranges with the same thread, start and text (matched to device ranges in order; durations may be swapped)',
    'host',
    null,
  ],
  'table-slice-missing': [
    'loss',
    'missing slices of a split table (their rows are unknown)',
    'all',
    'put all slices of the table into one folder',
  ],
  'profiler-info-not-found': ['note', 'profiles without profiler_info_*.json (versions and settings are unknown)'],
  'details-without-task': [
    'doubt',
    'rows of kernel_details.csv or op_summary_*.csv whose kernel is not in the trace (skipped)',
    'ops',
    'give all files of one recording, and no others',
  ],
  'profiler-saw-no-device': ['doubt', 'profiler messages: no device events collected', 'all', GROUP],
  'profiler-not-initialised': [
    'doubt',
    'profiler messages: CUPTI failed or could not be initialised',
    'all',
    'stop other profilers on the device; only one can use CUPTI',
  ],
  'profiler-driver-not-supported': ['doubt', 'profiler messages: driver not supported', 'all', NEWER],
  'profiler-without-permission': ['doubt', 'profiler messages: no permission to read the device', 'all', GROUP],
  'profiler-message': [
    'limit',
    'other warnings and errors of the profiler (to read them: table DIAGNOSTIC_EVENT of the export)',
    'messages',
    "sqlite3 FILE 'SELECT text FROM DIAGNOSTIC_EVENT WHERE severity > 1' prints them",
  ],
  'unknown-table': ['note', 'tables with an unknown name (skipped)'],
  'event-not-read': ['note', 'events of unsupported kinds (not_read in the profile line counts each kind)'],
  'counter-without-name': [
    'note',
    'metric and event values known only by CUPTI number: the database has no names (nvprof -i FILE --print-gpu-trace --csv prints them)',
  ],
  'counter-without-kernel': ['note', 'metric and event values whose kernel is not in the profile (skipped)'],
  'kernel-without-counters': ['note', 'kernels without a launch in the counter report (--ncu)'],
  'counters-without-kernel': [
    'doubt',
    'launches in the counter report without their kernel in the profile (skipped)',
    'counters',
    'profile all kernels of the same run with both tools',
  ],
  'counters-not-placed': [
    'loss',
    'launches in the counter report after a lost row (cannot be matched to kernels; skipped)',
    'counters',
    COPY,
  ],
  'time-unit-assumed': ['doubt', 'profiles without a time unit (nanoseconds assumed)', 'times', null],
  'bad-row': ['loss', 'rows with a missing or invalid value (value unknown, or row skipped)', 'all', COPY],
} as const satisfies Record<string, Note | Fault>;

/** Name of a diagnostic in the `end` record. */
export type DiagnosticName = keyof typeof DIAGNOSTICS;

/** What one thread counted in a profile that several threads read. */
export interface CountedPart {
  readonly counts: Readonly<Record<string, number>>;
  /** One entry per counted string: the counter's name, a space, and the string. */
  readonly texts: readonly string[];
}

/** The counters of one profile. */
export class Diagnostics {
  readonly #counts = new Map<DiagnosticName, number>();
  /** Counters and strings that were read. */
  readonly #read = new Set<string>();
  #texts: string[] = [];
  /** Whether counting is paused, because another thread counts the same rows. */
  isPaused = false;

  /** Adds to a counter; does nothing for n ≤ 0. */
  count(name: DiagnosticName, n = 1): void {
    if (n > 0 && !this.isPaused) this.#counts.set(name, (this.#counts.get(name) ?? 0) + n);
  }

  /** Counts a string once, however often it is read. */
  countText(name: DiagnosticName, text: string): void {
    const key = `${name} ${text}`;
    if (this.#read.has(key)) return;
    this.#read.add(key);
    if (this.isPaused) return;
    this.#texts.push(key);
    this.count(name);
  }

  /** Sets all counters to zero; strings that were read before are not counted again. */
  clear(): void {
    this.#counts.clear();
    this.#texts = [];
  }

  get part(): CountedPart {
    return { counts: this.toJSON(), texts: this.#texts };
  }

  /** The counters of a profile, from those of the threads that read it. */
  static joined(parts: readonly CountedPart[]): Record<string, number> {
    const sums = new Map<string, number>();
    const read = new Set<string>();
    const add = (name: string, n: number): void => void sums.set(name, (sums.get(name) ?? 0) + n);
    for (const { counts, texts } of parts) {
      for (const [name, n] of Object.entries(counts)) add(name, n);
      for (const key of texts) {
        if (read.has(key)) add(key.slice(0, key.indexOf(' ')), -1);
        read.add(key);
      }
    }
    return inOrder([...sums]);
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
