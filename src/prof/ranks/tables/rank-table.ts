/** One row per rank: its identity, its clock, its steps, its waits. */
import { elementAt } from '../../../containers/element.js';
import { median } from '../../../record/statistics.js';
import { column, knownColumn, int, real, str, type Column } from '../../../table/column.js';
import { clockAhead, type RankClock } from '../clocks/job-clocks.js';
import { byRank, type JobReport, type RankReport } from '../job-report.js';
import { hostOf } from '../membership.js';
import type { RankPart, StepColumns } from '../part/rank-part.js';
import { stepLength } from '../stragglers/own-work.js';
import type { Straggler } from '../stragglers/stragglers.js';
import type { UnitLevel } from '../stragglers/tested-units.js';
import { UNSURE } from './group-table.js';

export interface RankRow {
  readonly part: RankPart;
  readonly rank: RankReport;
  /** Lateness of the rank alone, of its machine, and of one of its groups (the latest); null when it is not late. */
  readonly late: Readonly<Record<UnitLevel, Straggler | null>>;
  readonly untested: string | null;
  /** How much its clock is ahead, in ns. */
  readonly ahead: number | null;
}

/** Sorted by rank, including profiles without work. */
export function rankRows({ parts, withoutWork, ranks, lateness: { stragglers, untested } }: JobReport): RankRow[] {
  const why = new Map(untested.map((entry) => [entry.part, entry.why] as const));
  const latest = new Map<string, Straggler>();
  for (const straggler of stragglers.toReversed())
    for (const part of straggler.members) latest.set(`${straggler.level}/${part}`, straggler);
  const lateAs = (level: UnitLevel, part: number): Straggler | null => latest.get(`${level}/${part}`) ?? null;
  const rows = ranks.map((rank) => ({
    part: elementAt(parts, rank.part),
    rank,
    late: { rank: lateAs('rank', rank.part), machine: lateAs('machine', rank.part), group: lateAs('group', rank.part) },
    untested: why.get(rank.part) ?? null,
    ahead: clockAhead(rank.clock, elementAt(parts, rank.part), parts),
  }));
  return [...rows, ...withoutWork.map(({ part }) => rowWithoutWork(part))].sort((a, b) => byRank(a.part, b.part));
}

const NO_CLOCK: RankClock = {
  ...{ source: 'unknown', against: null, shift: 0, offset: null, drift: null, at: 0 },
  ...{ residual: null, bound: null, operations: 0 },
};

const rowWithoutWork = (part: RankPart): RankRow => ({
  part,
  rank: {
    ...{ part: -1, node: hostOf(part), clock: NO_CLOCK, begin: null },
    ...{ waited: 0, unsure: 0, joined: 0, last: 0, delayed: 0 },
  },
  late: { rank: null, machine: null, group: null },
  untested: 'its profile has no device work',
  ahead: null,
});

/** Whether the profile records steps. */
export const hasSteps = ({ steps }: RankPart): boolean => steps.step.some((step) => step !== null);

const PPM = 1e6;
const PERCENT = 100;

const duration = (key: string, doc: string, value: (row: RankRow) => number | null): Column<RankRow> =>
  column(key, `${key}_ns`, int(Math.max(12, key.length + 3), 'ns'), doc, (row) => {
    const time = value(row);
    return time === null ? null : Math.round(time);
  });

const lateAs = (key: string, level: UnitLevel, doc: string): Column<RankRow> =>
  duration(key, doc, ({ late }) => late[level]?.late ?? null);

/** Median over steps. */
const perStep = (
  key: string,
  doc: string,
  value: (steps: StepColumns, index: number) => number | null,
): Column<RankRow> =>
  duration(key, doc, ({ part }) => median(part.steps.step.flatMap((_, index) => value(part.steps, index) ?? [])));

const sumOf = (values: readonly (number | null)[]): number | null =>
  values.reduce((sum: number | null, value) => (value === null ? sum : (sum ?? 0) + value), null);

const MACHINE_ONLY = { machineOnly: true } as const;

export const RANK_COLUMNS: readonly Column<RankRow>[] = [
  column('rank', 'rank', int(5), 'rank of the process; the device, if a profile has several', ({ part }) => part.rank),
  column('node', 'node', str(8), 'its machine', ({ rank }) => rank.node),
  knownColumn('file', 'file', str(20), "the profile's file", ({ part }) => part.file, MACHINE_ONLY),
  column(
    'device',
    'device',
    int(6),
    'device',
    ({ part: { device } }) => (Number.isNaN(device) ? null : device),
    MACHINE_ONLY,
  ),
  column(
    'steps',
    'steps',
    int(5),
    'steps on the device; if unknown, times of a step cover the whole profile',
    ({ part }) => (hasSteps(part) ? part.steps.step.length : null),
  ),
  duration('step_time', 'median time from the end of a step to the end of the next, on the device', ({ part, rank }) =>
    hasSteps(part) && rank.clock.source !== 'refuted'
      ? median(part.steps.step.map((_, index) => stepLength(part, index)))
      : null,
  ),
  perStep('compute', 'time of a step during which any kernel computes', ({ compute }, index) =>
    elementAt(compute, index),
  ),
  perStep('exposed', 'communication of a step while no compute runs', ({ exposed }, index) =>
    elementAt(exposed, index),
  ),
  perStep('idle', 'time of a step during which nothing runs', ({ idle }, index) => elementAt(idle, index)),
  duration('waited', 'time that it waited for others in matched operations', ({ rank }) =>
    rank.joined === 0 ? null : rank.waited,
  ),
  column('unsure', 'unsure_%', real(8, 1, '%'), UNSURE, ({ rank: { waited, unsure } }) =>
    waited > 0 ? (PERCENT * unsure) / waited : null,
  ),
  knownColumn('joined', 'joined', int(7), 'matched operations', ({ rank }) => rank.joined, MACHINE_ONLY),
  column('last', 'last_%', real(6, 1, '%'), 'matched operations that it joined last', ({ rank }) =>
    rank.joined === 0 ? null : (PERCENT * rank.last) / rank.joined,
  ),
  duration('delayed', 'sum of its delays behind the rank that joined before it', ({ rank }) =>
    rank.joined === 0 ? null : rank.delayed,
  ),
  lateAs(
    'late',
    'rank',
    'time per step that its own work takes longer than the median of its peers, if it is a straggler',
  ),
  lateAs('late_machine', 'machine', 'lateness of its machine, without the latest rank, if the machine is late'),
  lateAs('late_group', 'group', 'lateness of its group, if the group is late'),
  column('untested', 'untested', str(20), 'why it could not be tested', ({ untested }) => untested, MACHINE_ONLY),
  knownColumn(
    'clock',
    'clock',
    str(10),
    'how its clock was aligned: reference, same profile, by operations, by the start of the profile, or refuted (its times do not fit)',
    ({ rank }) => rank.clock.source,
  ),
  duration(
    'offset',
    "time by which its clock is ahead of the job's; unknown if the profile does not record its start",
    ({ ahead }) => ahead,
  ),
  column(
    'drift',
    'drift_ppm',
    real(9, 3),
    'drift of its clock: how much faster it runs, in parts per million',
    ({ rank }) => (rank.clock.drift === null ? null : rank.clock.drift * PPM),
  ),
  duration(
    'residual',
    'median difference between the ends of operations on this rank and on the others',
    ({ rank }) => rank.clock.residual,
  ),
  duration('begin', "start of its profile after the earliest start, on the job's clock", ({ rank }) => rank.begin),
  duration('bound', 'largest possible error of its clock, if the others are right', ({ rank }) => rank.clock.bound),
  column(
    'flops',
    'flops',
    int(16, 'FLOP'),
    'known FLOPs of all steps',
    ({ part }) => sumOf(part.steps.flops),
    MACHINE_ONLY,
  ),
  column(
    'tokens',
    'tokens',
    int(9),
    'known tokens of all steps of a server',
    ({ part }) => sumOf(part.steps.tokens),
    MACHINE_ONLY,
  ),
  column(
    'memory',
    'memory',
    int(13, 'bytes'),
    'highest memory use during a step',
    ({ part }) => mostOf(part.steps.memory),
    MACHINE_ONLY,
  ),
];

const mostOf = (values: readonly (number | null)[]): number | null =>
  values.reduce((most, value) => (value === null ? most : Math.max(value, most ?? value)), null);

/** Columns that distinguish rows with the same rank on the screen. */
export function distinguishing(parts: readonly RankPart[]): string[] {
  const hasRepeated = new Set(parts.map(({ rank }) => rank)).size < parts.length;
  const files = new Set(parts.map(({ file }) => file)).size;
  if (!hasRepeated) return [];
  return [...(files > 1 ? ['file'] : []), ...(files < parts.length ? ['device'] : [])];
}

/** Columns on the screen. */
export const RANK_SCREEN: readonly string[] = [
  'rank',
  'node',
  'steps',
  'step_time',
  'compute',
  'exposed',
  'idle',
  'waited',
  'last',
  'late',
];
