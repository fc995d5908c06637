/** Columns of the table of `dprof critical-path`. Times are ns. */
import type { ProfileRecord } from '../../record/record.js';
import { column, knownColumn, int, real, str, type Column } from '../../table/column.js';
import { replayError, type PathPart, type StepPath } from './step-paths.js';

export interface PathRow {
  readonly profile: number;
  readonly header: ProfileRecord | null;
  readonly step: StepPath;
  readonly part: PathPart;
}

export const PATH_COLUMNS: readonly Column<PathRow>[] = [
  knownColumn('profile', 'profile', int(7), 'number of the input, from 0', ({ profile }) => profile),
  column('file', 'file', str(20), "the profile's file", ({ header }) => header?.file ?? null),
  column('rank', 'rank', int(4), 'rank of the process', ({ header }) => header?.rank ?? null),
  knownColumn(
    'step',
    'step',
    str(6),
    'number of the step; all if the profile has no steps',
    ({ step }) => step.step ?? 'all',
    {
      ...{ toTheRight: true, vocabulary: true },
    },
  ),
  knownColumn('step_time', 'step_time_ns', int(13, 'ns'), 'duration of the step', ({ step }) => step.measured),
  knownColumn(
    'replayed',
    'replayed_ns',
    int(13, 'ns'),
    'duration of the step in the replay',
    ({ step }) => step.replayed,
  ),
  knownColumn(
    'error',
    'error%',
    real(7, 2, '%'),
    'replayed minus step_time, in % of step_time',
    ({ step }) => 100 * replayError(step),
  ),
  column(
    'predicted',
    'predicted_ns',
    int(13, 'ns'),
    'duration predicted for --what-if; na if error is too large',
    ({ step }) => step.predicted,
  ),
  knownColumn('bound', 'bound', str(13), 'kind of time', ({ part }) => part.bound, { vocabulary: true }),
  knownColumn('name', 'name', str(40), 'op, kernel, call or range', ({ part }) => part.name),
  column('line', 'line', str(30), 'innermost source line of the launch', ({ part }) => part.line),
  knownColumn('runs', 'runs', int(7), 'number of separate stretches on the path', ({ part }) => part.runs),
  knownColumn('time', 'time_ns', int(13, 'ns'), 'time on the path', ({ part }) => part.time),
  knownColumn(
    'share',
    'share%',
    real(7, 2, '%'),
    'share of the step',
    ({ part, step }) => (100 * part.time) / step.measured,
  ),
];
