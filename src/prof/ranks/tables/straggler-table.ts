/** One row for each part of a step, layer, op or kernel in which a straggler spends more time than its peers. */
import { elementAt } from '../../../containers/element.js';
import { column, knownColumn, int, real, str, type Column } from '../../../table/column.js';
import type { JobReport } from '../job-report.js';
import type { RankPart } from '../part/rank-part.js';
import type { Excess } from '../stragglers/reasons.js';
import type { Straggler } from '../stragglers/stragglers.js';
import type { StepWaits } from '../waits.js';
import type { Delay, DelayedStep } from '../stragglers/delays.js';

interface ReasonRow extends Excess {
  readonly part: RankPart;
  readonly node: string | null;
  readonly straggler: Straggler;
  /** `step` for parts of a step, else the property that is compared. */
  readonly of: string;
}

export const reasonRows = ({ parts, ranks, lateness }: JobReport): ReasonRow[] =>
  lateness.stragglers.flatMap((straggler) => {
    const place = { straggler, part: elementAt(parts, straggler.part), node: elementAt(ranks, straggler.part).node };
    const { parts: ofStep, work } = straggler.reasons;
    return [
      ...ofStep.map((row) => ({ ...row, ...place, of: 'step' })),
      ...Object.entries(work).flatMap(([kind, rows]) => rows.map((row) => ({ ...row, ...place, of: kind }))),
    ];
  });

const MACHINE_ONLY = { machineOnly: true } as const;
const PERCENT = 100;
const NS = int(12, 'ns');

export const REASON_COLUMNS: readonly Column<ReasonRow>[] = [
  knownColumn('late_is', 'late_is', str(7), 'what is late: rank, machine or group', ({ straggler }) => straggler.level),
  column('rank', 'rank', int(5), 'rank that is late; for a machine or group its latest rank', ({ part }) => part.rank),
  knownColumn('file', 'file', str(20), 'its profile', ({ part }) => part.file, MACHINE_ONLY),
  column('node', 'node', str(8), 'its machine', ({ node }) => node),
  column(
    'group',
    'group',
    str(12),
    'late group: its purpose and its ranks',
    ({ straggler: { level, name } }) => (level === 'group' ? name : null),
    MACHINE_ONLY,
  ),
  knownColumn(
    'late',
    'late_ns',
    NS,
    'how much longer its own work takes per step than the median of its peers, averaged over the compared steps',
    ({ straggler }) => Math.round(straggler.late),
  ),
  knownColumn('steps', 'steps', int(5), 'steps compared', ({ straggler }) => straggler.steps, MACHINE_ONLY),
  knownColumn(
    'late_in',
    'late_in',
    int(7),
    'compared steps in which it was late by more than half of that average',
    ({ straggler }) => straggler.lateIn,
    MACHINE_ONLY,
  ),
  column(
    'since',
    'since',
    int(5),
    'first step in which it is late; unknown if it is late in all steps',
    ({ straggler }) => straggler.since,
    MACHINE_ONLY,
  ),
  column(
    'until',
    'until',
    int(5),
    'last step in which it is late; unknown if it is late in all steps',
    ({ straggler }) => straggler.until,
    MACHINE_ONLY,
  ),
  knownColumn(
    'q',
    'q',
    { ...real(8), significant: 2 },
    'expected share of false findings among the named ranks',
    ({ straggler }) => straggler.q,
  ),
  knownColumn('of', 'of', str(6), 'step, layer, op or kernel', ({ of: kind }) => kind),
  knownColumn('name', 'name', str(0), 'what takes longer', ({ name }) => name),
  column('time', 'time_ns', NS, 'its time per step', ({ time }) => finite(time)),
  column('peers', 'peers_ns', NS, 'median of the peers', ({ peers }) => finite(peers)),
  column('excess', 'excess_ns', NS, 'its time minus that of the peers', ({ excess }) => finite(excess)),
  column('more', 'more_%', real(7, 1, '%'), "excess as a share of the peers' time", ({ excess, peers }) =>
    peers > 0 ? (PERCENT * excess) / peers : null,
  ),
];

const finite = (value: number): number | null => (Number.isFinite(value) ? Math.round(value) : null);

/** Columns on the screen. */
export const REASON_SCREEN: readonly string[] = [
  'late_is',
  'rank',
  'node',
  'late',
  'q',
  'of',
  'time',
  'peers',
  'excess',
  'more',
  'name',
];

/** One row per delayed step of a rank: how late it was, why, and which ranks waited for it. */
interface DelayRow extends DelayedStep {
  readonly part: RankPart;
  readonly node: string | null;
  readonly delay: Delay;
  readonly waits: StepWaits | null;
}

export const delayRows = ({ parts, ranks, lateness, delayWaits }: JobReport): DelayRow[] =>
  lateness.delays.flatMap((delay, index) =>
    delay.delayed.map((delayed, at) => ({
      ...{ ...delayed, delay, part: elementAt(parts, delay.part), node: elementAt(ranks, delay.part).node },
      waits: delayWaits[index]?.steps[at] ?? null,
    })),
  );

export const DELAY_COLUMNS: readonly Column<DelayRow>[] = [
  column('rank', 'rank', int(5), 'rank that is delayed', ({ part }) => part.rank),
  knownColumn('file', 'file', str(20), 'its profile', ({ part }) => part.file, { machineOnly: true }),
  column('node', 'node', str(8), 'its machine', ({ node }) => node),
  column('step', 'step', int(6), 'number of the step', ({ step }) => step),
  knownColumn('late', 'late_ns', NS, 'its own work minus that of its peers, less the usual difference', ({ late }) =>
    Math.round(late),
  ),
  column(
    'by',
    'by',
    str(12),
    'the main cause of the delay, over all delayed steps',
    ({ delay }) => delay.reasons.parts[0]?.name ?? null,
  ),
  column(
    'waiters',
    'waiters',
    int(7),
    'ranks that waited for the late rank during at least half of its delay',
    ({ waits }) => waits?.waiters ?? null,
  ),
  column('waited', 'waited_ns', NS, 'sum of their waits', ({ waits }) =>
    waits === null ? null : Math.round(waits.waited),
  ),
  knownColumn(
    'q',
    'q',
    { ...real(8), significant: 2 },
    'expected share of false findings among the named delays',
    ({ q }) => q,
  ),
];

/** Columns on the screen. */
export const DELAY_SCREEN: readonly string[] = ['rank', 'node', 'step', 'late', 'by', 'waiters', 'waited', 'q'];
