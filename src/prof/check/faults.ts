/** Losses, doubts and limits among the counters of an end record: the only place that judges what readers counted. */
import { AFFECTS, DIAGNOSTICS, type DiagnosticName } from '../../record/diagnostics.js';
import type { EndRecord } from '../../record/record.js';
import type { Level, Reason } from './reason.js';

/** A counter that is a reason to doubt the figures of its profile. */
interface Fault extends Pick<Reason, 'level' | 'affects' | 'remedy'> {
  readonly name: DiagnosticName;
  /** What the number counts, in words. */
  readonly text: string;
  readonly count: number;
}

type Counted = Pick<EndRecord, 'diagnostics'> & Partial<Pick<EndRecord, 'counts'>>;

const WORK = ['kernel', 'copy', 'set', 'graph', 'collective'] as const;

/** Counters that mean nothing in some profiles. */
const MEANINGLESS: Readonly<Partial<Record<DiagnosticName, (end: Counted) => boolean>>> = {
  // A process that uses no device says so, although others may use one.
  'profiler-saw-no-device': ({ counts = {} }) => WORK.some((type) => (counts[type] ?? 0) > 0),
  // If no work was recorded at all, single launches have not lost theirs.
  'launch-without-work': ({ diagnostics }) => (diagnostics['work-not-recorded'] ?? 0) > 0,
};

const isKnown = (name: string): name is DiagnosticName => Object.hasOwn(DIAGNOSTICS, name);

/** The faults that an end record counts, in the order of their names. */
export const faultsIn = (end: Counted): Fault[] =>
  Object.entries(end.diagnostics).flatMap(([name, count]): Fault[] => {
    if (!isKnown(name) || count <= 0 || MEANINGLESS[name]?.(end) === true) return [];
    const [severity, text, affects, remedy = null] = DIAGNOSTICS[name];
    if (severity === 'note') return [];
    return [{ name, level: severity satisfies Level, text, count, affects: AFFECTS[affects], remedy }];
  });

/** What the records say about a counter. */
export interface Detail {
  /** Figures that explain its count further. */
  readonly text?: string;
  /** Replaces the usual remedy. */
  readonly remedy?: string;
}

/** The reasons that an end record gives. @param details by counter */
export const reasonsOf = (end: Counted, details: ReadonlyMap<string, Detail>): Reason[] =>
  faultsIn(end).map(({ name, level, text, count, affects, remedy }) => {
    const detail = details.get(name);
    const what = [`${text}: ${count}`, ...(detail?.text === undefined ? [] : [detail.text])].join(', ');
    return { check: name, level, count, what, affects, remedy: detail?.remedy ?? remedy };
  });
