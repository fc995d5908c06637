/** What each loss and doubt of a reader affects, and what to do about it. */
import { DIAGNOSTICS } from '../../record/diagnostics.js';
import type { Level, Reason } from './reason.js';

type Name = keyof typeof DIAGNOSTICS;
/** Names of the diagnostics that are losses or doubts; notes affect no answer, and a check of its own finds missing work. */
type Faulty = Exclude<
  { [K in Name]: (typeof DIAGNOSTICS)[K][0] extends 'note' ? never : K }[Name],
  'no-device-activity'
>;

/** Faults, and a note whose messages may name one. */
type Stated = Faulty | 'profiler-message';

/** Figures that a fault affects. */
export const AFFECTS = {
  all: 'counts, sums and shares of every answer',
  devices: 'everything except CPU times',
  calls: 'what these calls would have done or launched',
  times: 'durations, busy and idle time around this work',
  lost: 'counts and sums of work, idle time and its causes',
  launches: 'launch delays, causes of idle time, and the ops of these kernels',
  ops: 'ops, layers and FLOPs of the affected kernels',
  host: 'times of CPU ranges, and the kernels launched in them',
  names: 'kernel names, and everything derived from them',
  counters: 'figures measured by counters',
  program: 'names, shapes and source lines of instructions',
  dependencies: 'what instructions waited for',
  messages: 'what the messages name',
} as const;

/** Remedies that several faults share. */
const COPY = 'copy the file again from where it was recorded; export or convert it again if it was exported';
const WRITE_AGAIN = 'run dparse on the profile again, and do not filter or join its output';
const NEWER = 'record with a newer profiler and driver';
export const SYNCHRONIZE = 'synchronize the device before the profiler stops, so that work in flight ends first';
const SHORTER = "profile fewer steps: the profiler's buffers may have been full";
const GROUP = 'run the collector where the profiler may read the device (see its documentation on permissions)';
const CAPTURES = 'give dparse --capture the captures of this rank alone (docs/guide/graphs.md)';
const NEFF = 'give the program of this trace with --neff FILE.neff';

/** @param level where it is not the severity: data that the profiler lost although a reader read all that is there */
type Effect = readonly [affects: keyof typeof AFFECTS, remedy: string | null, level?: Level];

const EFFECTS: Readonly<Record<Stated, Effect>> = {
  'ambiguous-launch': ['launches', 'record one file per process'],
  'shared-launch': ['launches', NEWER],
  'launch-after-kernel': ['launches', NEWER],
  'clocks-differ': ['launches', NEWER],
  'capture-not-used': ['ops', CAPTURES],
  'capture-truncated': ['ops', 'record the capture again, and let the program end by itself'],
  'graph-without-capture': [
    'ops',
    'start the profiler before the graph is captured, or give the capture with --capture',
  ],
  'negative-duration': ['times', NEWER],
  'end-not-believed': ['times', NEWER],
  'row-repeated': ['all', 'export the profile once, into a new file'],
  'range-repeated': ['host', 'export the profile once, into a new file'],
  'row-without-time': ['times', SYNCHRONIZE],
  'time-far-away': ['times', NEWER],
  'time-of-another-epoch': ['times', NEWER],
  'unknown-name': ['names', COPY],
  'range-without-start': ['host', 'start the profiler before the range begins'],
  'range-not-nested': ['host', null],
  'payload-not-read': ['ops', 'export the profile with the latest version of its tool'],
  'graph-launch-without-work': ['lost', SHORTER, 'loss'],
  'work-not-recorded': ['devices', null],
  'launch-without-work': ['lost', SHORTER, 'loss'],
  'call-failed': ['calls', 'fix the failing call, or leave it out of the profile'],
  'truncated-input': ['all', `let the profiler finish writing before the program ends; ${COPY}`],
  'record-missing': ['all', WRITE_AGAIN],
  'record-surplus': ['all', WRITE_AGAIN],
  'second-document': ['all', 'split the file into one document per file'],
  'malformed-event': ['all', COPY],
  'text-cut': ['names', null],
  'event-without-time': ['all', NEWER],
  'repeated-key': ['all', NEWER],
  'monitor-error': ['counters', GROUP],
  'too-deep': ['ops', null],
  'neff-of-another-model': ['program', NEFF],
  'program-not-found': ['program', NEFF],
  'program-forced': ['program', NEFF],
  'program-not-used': ['program', null],
  'program-damaged': ['program', COPY],
  'program-too-large': ['program', null],
  'program-part-broken': ['program', COPY],
  'more-dependencies': ['dependencies', null],
  'unread-section': ['all', null],
  'no-instruction-read': ['all', COPY],
  'row-passed-over': ['all', COPY],
  'kernel-of-unknown-type': ['names', null],
  'csv-row-short': ['counters', COPY],
  'csv-row-passed-over': ['all', COPY],
  'device-without-clock': ['all', NEWER],
  'companion-file-not-read': ['ops', COPY],
  'device-range-by-order': ['host', null],
  'table-slice-missing': ['all', 'put all slices of the table into one folder'],
  'details-without-task': ['ops', 'give all files of one recording, and no others'],
  'profiler-saw-no-device': ['all', GROUP],
  'profiler-not-initialised': ['all', 'stop other profilers on the device; only one can use CUPTI'],
  'profiler-driver-not-supported': ['all', NEWER],
  'profiler-without-permission': ['all', GROUP],
  'profiler-message': ['messages', "sqlite3 FILE 'SELECT text FROM DIAGNOSTIC_EVENT WHERE severity > 1' prints them"],
  'counters-without-kernel': ['counters', 'profile all kernels of the same run with both tools'],
  'counters-not-placed': ['counters', COPY],
  'time-unit-assumed': ['times', null],
  'bad-row': ['all', COPY],
};

const isStated = (name: string): name is Stated => Object.hasOwn(EFFECTS, name);

/** What the records say about a diagnostic. */
export interface Detail {
  /** Figures that explain its count further. */
  readonly text?: string;
  /** Replaces the usual remedy. */
  readonly remedy?: string;
}

/**
 * The losses and doubts among the counts of an end record, and messages of the profiler, in the order of their names.
 * @param details by diagnostic; null for one that means nothing in this profile
 */
export function reasonsOfDiagnostics(
  diagnostics: Readonly<Record<string, number>>,
  details: ReadonlyMap<string, Detail | null>,
): Reason[] {
  return Object.entries(diagnostics).flatMap(([check, count]): Reason[] => {
    if (!isStated(check) || count === 0) return [];
    const [severity, text] = DIAGNOSTICS[check];
    const [affects, remedy, level = severity === 'note' ? 'limit' : severity] = EFFECTS[check];
    const detail = details.get(check);
    if (detail === null) return [];
    const what = [`${text}: ${count}`, ...(detail?.text === undefined ? [] : [detail.text])].join(', ');
    return [{ check, level, count, what, affects: AFFECTS[affects], remedy: detail?.remedy ?? remedy }];
  });
}
