/** The tables of `dprof ranks`, including those of steps and of parallelism. */
import {
  requireColumnOf,
  column,
  knownColumn,
  int,
  str,
  real,
  type Column,
  type ColumnShape,
  type AnyTable,
} from '../../../table/column.js';
import type { JobReport, GroupReport } from '../job-report.js';
import { CLASS_COLUMNS, CLASS_SCREEN, GROUP_COLUMNS, GROUP_SCREEN, groupName } from './group-table.js';
import {
  DELAY_COLUMNS,
  DELAY_SCREEN,
  delayRows,
  REASON_COLUMNS,
  REASON_SCREEN,
  reasonRows,
} from './straggler-table.js';
import { RANK_COLUMNS, RANK_SCREEN, rankRows } from './rank-table.js';
import { elementAt } from '../../../containers/element.js';
import { jobTime, type RankClock } from '../clocks/job-clocks.js';
import type { RankPart, StepColumns } from '../part/rank-part.js';
import { stepLength } from '../stragglers/own-work.js';
import { rangesText } from '../membership.js';
import type { ExpertLoad } from '../parallelism/expert-loads.js';
import type { ExpertReport, StageReport } from '../parallelism/stages.js';

interface StageRow extends StageReport {
  readonly ranks: string;
}

const ranksOf = (parts: readonly RankPart[], indices: readonly number[]): string =>
  rangesText(indices.flatMap((part) => elementAt(parts, part).rank ?? []));

/** Time that a job loses because its model is split: one row per pipeline stage, and one per group of experts. */
const stageRows = ({ parts, stages }: JobReport): StageRow[] =>
  stages.map((stage) => ({ ...stage, ranks: ranksOf(parts, stage.parts) }));

const PERCENT = 100;
const MACHINE_ONLY = { machineOnly: true } as const;

const time = (key: string, doc: string, value: (row: StageRow) => number | null): Column<StageRow> =>
  column(key, `${key}_ns`, int(12, 'ns'), doc, (row) => {
    const ns = value(row);
    return ns === null ? null : Math.round(ns);
  });

const STAGE_COLUMNS: readonly Column<StageRow>[] = [
  knownColumn('stage', 'stage', int(5), 'position in the pipeline, from 0', ({ stage }) => stage),
  knownColumn('stages', 'stages', int(6), 'stages of the pipeline', ({ stages }) => stages, MACHINE_ONLY),
  knownColumn(
    'inferred',
    'inferred',
    str(8),
    'whether the stage was inferred from messages between ranks rather than stated by the program',
    ({ inferred }) => (inferred ? 'yes' : 'no'),
    MACHINE_ONLY,
  ),
  knownColumn('ranks', 'ranks', str(12), 'its ranks that have a profile', ({ ranks }) => ranks),
  column('steps', 'steps', int(5), 'number of steps; unknown if the profiles have none', ({ steps }) => steps),
  time(
    'step_time',
    'time from the end of a step to the end of the next; all times are means over steps and ranks',
    ({ stepTime }) => stepTime,
  ),
  time('compute', 'time of a step during which a kernel computes', ({ compute }) => compute),
  time(
    'messages',
    'time of a step during which sends and receives run, but no compute and no other communication',
    ({ messages }) => messages,
  ),
  time(
    'across',
    'exposed time of a step in which the stage waits for the last rank of operations that several stages share',
    ({ across }) => across,
  ),
  time('idle', 'time of a step during which nothing runs', ({ idle }) => idle),
  time('bubble', 'messages + across + idle', ({ bubble }) => bubble),
  column('bubble_share', 'bubble_%', real(8, 1, '%'), 'bubble as a share of the step', ({ bubble, stepTime }) =>
    bubble === null || stepTime === null || stepTime <= 0 ? null : (PERCENT * bubble) / stepTime,
  ),
];

const STAGE_SCREEN: readonly string[] = [
  ...['stage', 'ranks', 'steps', 'step_time', 'compute', 'messages', 'across', 'idle', 'bubble', 'bubble_share'],
];

interface ExpertRow extends ExpertReport {
  readonly of: GroupReport;
  readonly part: RankPart;
}

const expertRows = ({ parts, groups, experts }: JobReport): ExpertRow[] =>
  experts.map((expert) => ({
    ...expert,
    of: elementAt(groups, expert.group),
    part: elementAt(parts, expert.most),
  }));

const EXPERT_COLUMNS: readonly Column<ExpertRow>[] = [
  column('group', 'group', str(12), 'name of the group', ({ of: group }) => groupName(group)),
  column('ranks', 'ranks', str(12), 'ranks in it', ({ of: group }) =>
    group.ranks === null ? null : rangesText(group.ranks),
  ),
  knownColumn(
    'operations',
    'operations',
    int(10),
    'number of all-to-alls whose sizes are all known',
    ({ operations }) => operations,
  ),
  knownColumn('bytes', 'bytes', int(14, 'bytes'), 'mean size that a rank sends in one all-to-all', ({ bytes }) =>
    Math.round(bytes),
  ),
  knownColumn(
    'imbalance',
    'imbalance',
    real(9, 3),
    'largest size that a rank sends, divided by the mean of the ranks, averaged over operations; 1 is even',
    ({ imbalance }) => imbalance,
  ),
  knownColumn('highest', 'highest', real(9, 3), 'highest imbalance of any operation', ({ highest }) => highest),
  column('most_rank', 'most_rank', int(9), 'rank that sends the most bytes', ({ part }) => part.rank),
  knownColumn(
    'most_ratio',
    'most_ratio',
    real(10, 3),
    'bytes that it sends, divided by the mean of the ranks',
    ({ mostRatio }) => mostRatio,
  ),
];

const EXPERT_SCREEN: readonly string[] = EXPERT_COLUMNS.map(({ key }) => key);

interface LoadRow extends ExpertLoad {
  readonly of: GroupReport;
  readonly rank: number | null;
}

const loadRows = ({ parts, groups, loads }: JobReport): LoadRow[] =>
  loads.map((load) => ({ ...load, of: elementAt(groups, load.group), rank: elementAt(parts, load.part).rank }));

const load = (key: string, doc: string, value: (row: LoadRow) => number | null): Column<LoadRow> =>
  column(key, key, int(14, 'bytes'), doc, (row) => {
    const bytes = value(row);
    return bytes === null ? null : Math.round(bytes);
  });

const LOAD_COLUMNS: readonly Column<LoadRow>[] = [
  column('group', 'group', str(12), 'name of the group', ({ of: group }) => groupName(group)),
  column('kind', 'kind', str(9), 'purpose of the group', ({ of: group }) => group.kind),
  column(
    'place',
    'place',
    int(5),
    'position among the all-to-alls of the group in a step, from 0: a layer sends its tokens, then the results back',
    ({ place }) => place,
  ),
  column('rank', 'rank', int(5), 'rank of the process', ({ rank }) => rank),
  knownColumn(
    'operations',
    'operations',
    int(10),
    'number of all-to-alls at this position',
    ({ operations }) => operations,
  ),
  load('sent', 'mean size that the rank sends', ({ sent }) => sent),
  load(
    'received',
    'mean size that the rank receives; in all-to-alls that send tokens, the load of its experts',
    ({ received }) => received,
  ),
  column(
    'sent_ratio',
    'sent_ratio',
    real(10, 3),
    'sent, divided by the mean of all ranks of the group',
    ({ sentRatio }) => sentRatio,
  ),
  column(
    'received_ratio',
    'received_ratio',
    real(14, 3),
    'received, divided by the mean of all ranks of the group',
    ({ receivedRatio }) => receivedRatio,
  ),
  column(
    'spread',
    'spread',
    real(9, 3),
    'the most that the rank sends to one rank, divided by its mean per rank: 1 is even; known if the profile has the splits',
    ({ spread }) => spread,
  ),
];

const LOAD_SCREEN: readonly string[] = LOAD_COLUMNS.map(({ key }) => key);

const loadsMissing = ({ loads }: JobReport): string | null =>
  loads.length > 0
    ? null
    : 'no loads: no group has all-to-alls (kernels such as those of DeepEP are not recognised as all-to-alls)';

/** Why the table has no rows. */
const stagesMissing = ({ stages }: JobReport): string | null =>
  stages.length > 0 ? null : 'no stages: the profiles mark no group as a pipeline, and no message names its other rank';

const expertsMissing = ({ groups, experts }: JobReport): string | null => {
  if (experts.length > 0) return null;
  return groups.some(({ kind }) => kind === 'expert')
    ? 'no experts: no matched all-to-all of experts has the sizes of all ranks'
    : 'no experts: the profiles mark no group as experts, and no group has all-to-alls';
};

interface StepOfRank {
  readonly part: RankPart;
  readonly clock: RankClock;
  readonly node: string | null;
  readonly index: number;
}

/** One row per step of a rank: the heat map of the job. */
const stepRows = ({ parts, ranks }: JobReport): StepOfRank[] =>
  ranks.flatMap(({ part: at, clock, node }) => {
    const part = elementAt(parts, at);
    return part.steps.step.map((_, index) => ({ part, clock, node, index }));
  });

const ofSteps = (
  key: string,
  doc: string,
  value: (steps: StepColumns) => readonly (number | null)[],
): Column<StepOfRank> =>
  column(
    key,
    `${key}_ns`,
    int(Math.max(12, key.length + 3), 'ns'),
    doc,
    ({ part, index }) => value(part.steps)[index] ?? null,
  );

const STEP_OF_RANK_COLUMNS: readonly Column<StepOfRank>[] = [
  column('rank', 'rank', int(5), 'rank of the process', ({ part }) => part.rank),
  knownColumn('file', 'file', str(20), 'its profile', ({ part }) => part.file, { machineOnly: true }),
  column('node', 'node', str(8), 'its machine', ({ node }) => node),
  column(
    'step',
    'step',
    int(6),
    'number of the step; unknown where the profile has none',
    ({ part, index }) => part.steps.step[index] ?? null,
  ),
  column(
    'start',
    'start_ns',
    int(14, 'ns'),
    "first work on the device, on the job's clock",
    ({ part, index, clock }) =>
      clock.offset === null ? null : Math.round(jobTime(clock, elementAt(part.steps.start, index))),
  ),
  column(
    'step_time',
    'step_time_ns',
    int(12, 'ns'),
    'time from the end of the previous step to the end of this one',
    ({ part, index, clock }) => (clock.source === 'refuted' ? null : Math.round(stepLength(part, index))),
  ),
  ofSteps('compute', 'time during which a kernel computes', ({ compute }) => compute),
  ofSteps('communication', 'time during which an operation communicates', ({ communication }) => communication),
  ofSteps('exposed', 'communication while no compute runs', ({ exposed }) => exposed),
  ofSteps(
    'messages',
    'time during which sends and receives run, but no compute and no other communication',
    ({ messages }) => messages ?? [],
  ),
  ofSteps('copies', 'time during which a copy or memset runs', ({ copies }) => copies),
  ofSteps('idle', 'time during which nothing runs', ({ idle }) => idle),
  ofSteps('preparing', 'time from the start of the step on the CPU to its first work', ({ preparing }) => preparing),
  column(
    'flops',
    'flops',
    int(16, 'FLOP'),
    'FLOPs of the kernels for which they are known',
    ({ part, index }) => part.steps.flops[index] ?? null,
  ),
  column(
    'tokens',
    'tokens',
    int(9),
    "tokens of a server's step",
    ({ part, index }) => part.steps.tokens[index] ?? null,
  ),
  column(
    'memory',
    'memory',
    int(13, 'bytes'),
    'maximum memory in use',
    ({ part, index }) => part.steps.memory[index] ?? null,
  ),
];

/** Columns on the screen. */
const STEP_OF_RANK_SCREEN: readonly string[] = [
  'rank',
  'node',
  'step',
  'step_time',
  'compute',
  'communication',
  'exposed',
  'copies',
  'idle',
  'preparing',
];

export type RankTableName =
  'ranks' | 'steps' | 'collectives' | 'groups' | 'late' | 'delays' | 'stages' | 'experts' | 'loads';

interface RankTable {
  readonly doc: string;
  readonly columns: readonly ColumnShape[];
  /** Keys of the columns that fit a screen of 100 characters. */
  readonly screen: readonly string[];
  /**
   * @param keys the keys of the columns; all columns when absent
   * @throws UsageError for an unknown key
   */
  readonly of: (report: JobReport, keys?: readonly string[]) => AnyTable;
  /** Why the table is empty; null when it is not, and for tables that every job has. */
  readonly missing: (report: JobReport) => string | null;
}

const tableOf = <Row>(
  doc: string,
  columns: readonly Column<Row>[],
  screen: readonly string[],
  rowsOf: (report: JobReport) => readonly Row[],
  missing: RankTable['missing'] = () => null,
): RankTable => ({
  ...{ doc, columns, screen, missing },
  of: (report, keys) => ({
    columns: keys?.map((key) => requireColumnOf(columns, key)) ?? columns,
    rows: rowsOf(report),
  }),
});

export const RANK_TABLES: Readonly<Record<RankTableName, RankTable>> = {
  ranks: tableOf('one row per rank: its clock, its steps, its waits', RANK_COLUMNS, RANK_SCREEN, rankRows),
  steps: tableOf(
    'one row per rank and step: time, computing, exposed communication, idle, FLOPs, tokens, memory',
    STEP_OF_RANK_COLUMNS,
    STEP_OF_RANK_SCREEN,
    stepRows,
  ),
  collectives: tableOf(
    'one row per kind of operation, kind of group and size: waiting, transfer, bandwidth',
    CLASS_COLUMNS,
    CLASS_SCREEN,
    ({ classes }) => classes,
  ),
  groups: tableOf(
    'one row per group: its ranks, matched and unmatched operations, bandwidth',
    GROUP_COLUMNS,
    GROUP_SCREEN,
    ({ groups }) => groups,
  ),
  late: tableOf(
    'one row per reason: work on which a straggler spends more time than its peers',
    REASON_COLUMNS,
    REASON_SCREEN,
    reasonRows,
  ),
  delays: tableOf(
    'one row per step in which a rank was far later than usual: by how much, and who waited',
    DELAY_COLUMNS,
    DELAY_SCREEN,
    delayRows,
  ),
  stages: tableOf(
    'one row per pipeline stage: computing, waiting for messages and other stages, idle, bubble',
    STAGE_COLUMNS,
    STAGE_SCREEN,
    stageRows,
    stagesMissing,
  ),
  experts: tableOf(
    'one row per group of experts: how uneven the sizes of its all-to-alls are',
    EXPERT_COLUMNS,
    EXPERT_SCREEN,
    expertRows,
    expertsMissing,
  ),
  loads: tableOf(
    'one row per step, group, all-to-all and rank: what the rank sends and receives (expert load)',
    LOAD_COLUMNS,
    LOAD_SCREEN,
    loadRows,
    loadsMissing,
  ),
};
