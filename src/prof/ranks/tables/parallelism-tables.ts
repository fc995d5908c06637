/** What a job loses by how its model is split: a row a pipeline stage, and a row a group of experts. */
import { elementAt } from '../../../containers/element.js';
import { column, int, real, str, type Column } from '../../../table/column.js';
import type { GroupReport, JobReport } from '../job-report.js';
import { rangesText } from '../membership.js';
import type { ExpertReport } from '../parallelism/experts.js';
import type { StageReport } from '../parallelism/stages.js';
import type { RankPart } from '../part/rank-part.js';
import { groupName } from './group-table.js';

interface StageRow extends StageReport {
  readonly ranks: string;
}

const ranksOf = (parts: readonly RankPart[], indices: readonly number[]): string =>
  rangesText(indices.flatMap((part) => elementAt(parts, part).rank ?? []));

export const stageRows = ({ parts, stages }: JobReport): StageRow[] =>
  stages.map((stage) => ({ ...stage, ranks: ranksOf(parts, stage.parts) }));

const PERCENT = 100;
const MACHINE_ONLY = { machineOnly: true } as const;

const time = (key: string, doc: string, value: (row: StageRow) => number | null): Column<StageRow> =>
  column(key, `${key}_ns`, int(12, 'ns'), doc, (row) => {
    const ns = value(row);
    return ns === null ? null : Math.round(ns);
  });

export const STAGE_COLUMNS: readonly Column<StageRow>[] = [
  column('stage', 'stage', int(5), 'place in the pipeline, from 0', ({ stage }) => stage),
  column('stages', 'stages', int(6), 'stages of the pipeline', ({ stages }) => stages, MACHINE_ONLY),
  column(
    'inferred',
    'inferred',
    str(8),
    'whether messages between ranks say so, and not the program',
    ({ inferred }) => (inferred ? 'yes' : 'no'),
    MACHINE_ONLY,
  ),
  column('ranks', 'ranks', str(12), 'its ranks whose profiles are there', ({ ranks }) => ranks),
  column('steps', 'steps', int(5), 'steps; unknown where profiles have none', ({ steps }) => steps),
  time('step_time', 'end of a step to end of the next, the mean as of all times', ({ stepTime }) => stepTime),
  time('compute', 'of a step, some kernel computes', ({ compute }) => compute),
  time('messages', 'sends and receives run, and nothing else', ({ messages }) => messages),
  time('across', 'it waits for the last rank in operations that several stages join', ({ across }) => across),
  time('idle', 'nothing runs', ({ idle }) => idle),
  time('bubble', 'messages, across and idle together', ({ bubble }) => bubble),
  column('bubble_share', 'bubble_%', real(8, 1, '%'), 'of the step', ({ bubble, stepTime }) =>
    bubble === null || stepTime === null || stepTime <= 0 ? null : (PERCENT * bubble) / stepTime,
  ),
];

export const STAGE_SCREEN: readonly string[] = [
  ...['stage', 'ranks', 'steps', 'step_time', 'compute', 'messages', 'across', 'idle', 'bubble', 'bubble_share'],
];

interface ExpertRow extends ExpertReport {
  readonly of: GroupReport;
  readonly part: RankPart;
}

export const expertRows = ({ parts, groups, experts }: JobReport): ExpertRow[] =>
  experts.map((expert) => ({
    ...expert,
    of: elementAt(groups, expert.group),
    part: elementAt(parts, expert.most),
  }));

export const EXPERT_COLUMNS: readonly Column<ExpertRow>[] = [
  column('group', 'group', str(12), 'its name', ({ of }) => groupName(of)),
  column('ranks', 'ranks', str(12), 'ranks in it', ({ of }) => (of.ranks === null ? null : rangesText(of.ranks))),
  column(
    'operations',
    'operations',
    int(10),
    'all-to-alls of which all sizes are known',
    ({ operations }) => operations,
  ),
  column('bytes', 'bytes', int(14, 'bytes'), 'mean of what a rank sends in one of them', ({ bytes }) =>
    Math.round(bytes),
  ),
  column(
    'imbalance',
    'imbalance',
    real(9, 3),
    'largest over mean of the ranks, the mean over operations; 1 is even',
    ({ imbalance }) => imbalance,
  ),
  column('highest', 'highest', real(9, 3), 'the highest of an operation', ({ highest }) => highest),
  column('most_rank', 'most_rank', int(9), 'rank that sends most in all', ({ part }) => part.rank),
  column(
    'most_ratio',
    'most_ratio',
    real(10, 3),
    'what it sends over the mean of the ranks',
    ({ mostRatio }) => mostRatio,
  ),
];

export const EXPERT_SCREEN: readonly string[] = EXPERT_COLUMNS.map(({ key }) => key);

/** What is missing for the table, where it has no rows. */
export const stagesMissing = ({ stages }: JobReport): string | null =>
  stages.length > 0
    ? null
    : 'no stages: no group is stated to be one of a pipeline, and no messages name the rank that they are exchanged with';

export const expertsMissing = ({ groups, experts }: JobReport): string | null => {
  if (experts.length > 0) return null;
  return groups.some(({ kind }) => kind === 'expert')
    ? 'no experts: no all-to-all of a group of experts is matched with the sizes of all of its ranks'
    : 'no experts: no group is stated to be one of experts, or has all-to-alls';
};
