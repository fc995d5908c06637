/** A row a step of a rank: the heat map of the job. */
import { elementAt } from '../../../containers/element.js';
import { column, int, str, type Column } from '../../../table/column.js';
import { jobTime, type RankClock } from '../clocks/job-clocks.js';
import type { JobReport } from '../job-report.js';
import type { RankPart, StepColumns } from '../part/rank-part.js';
import { stepLength } from '../stragglers/own-work.js';

interface StepOfRank {
  readonly part: RankPart;
  readonly clock: RankClock;
  readonly node: string | null;
  readonly index: number;
}

export const stepRows = ({ parts, ranks }: JobReport): StepOfRank[] =>
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

export const STEP_OF_RANK_COLUMNS: readonly Column<StepOfRank>[] = [
  column('rank', 'rank', int(5), 'rank of the process', ({ part }) => part.rank),
  column('file', 'file', str(20), 'its profile', ({ part }) => part.file, { machineOnly: true }),
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
    'end of the step before to the end of this one',
    ({ part, index, clock }) => (clock.source === 'refuted' ? null : Math.round(stepLength(part, index))),
  ),
  ofSteps('compute', 'some kernel computes', ({ compute }) => compute),
  ofSteps('communication', 'some operation communicates', ({ communication }) => communication),
  ofSteps('exposed', 'communication while nothing else runs', ({ exposed }) => exposed),
  ofSteps('messages', 'sends and receives run, and nothing else', ({ messages }) => messages ?? []),
  ofSteps('copies', 'some copy or memset runs', ({ copies }) => copies),
  ofSteps('idle', 'nothing runs', ({ idle }) => idle),
  ofSteps('preparing', 'start of the step on the host to its first work', ({ preparing }) => preparing),
  column(
    'flops',
    'flops',
    int(16, 'FLOP'),
    'of the kernels whose FLOPs are known',
    ({ part, index }) => part.steps.flops[index] ?? null,
  ),
  column('tokens', 'tokens', int(9), "of a server's step", ({ part, index }) => part.steps.tokens[index] ?? null),
  column(
    'memory',
    'memory',
    int(13, 'bytes'),
    'most memory in use',
    ({ part, index }) => part.steps.memory[index] ?? null,
  ),
];

/** Columns of screens. */
export const STEP_OF_RANK_SCREEN: readonly string[] = [
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
