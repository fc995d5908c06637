/** `dprof critical-path` on a screen: the steps, what bounds them, and the path. */
import { BOUND_NAMES, MISSING, type Bound } from '../../prof/critical-path/bounds.js';
import type { ProfilePaths } from '../../prof/critical-path/critical-path.js';
import { MOST_ERROR, replayError, type PathPart, type StepPath } from '../../prof/critical-path/step-paths.js';
import { elementAt } from '../../containers/element.js';
import { rangesText } from '../../prof/ranks/membership.js';
import { addTo, entryOf } from '../../containers/map-entry.js';
import { moreOf, plural } from '../../record/plural.js';
import { column, knownColumn, int, real, str, type Column } from '../../table/column.js';
import { readable } from '../../table/readable.js';
import { alignedTable } from '../../write/cell-text.js';
import { fittedLines } from '../../write/fitted-table.js';
import { profileHeading, screenText } from './layout.js';

/** A kind of time, and how much of the steps it bounds. */
interface BoundRow {
  readonly bound: Bound;
  readonly time: number;
  readonly share: number;
}

interface PartRow extends PathPart {
  /** Rank of its profile, in a job; `na` when it has no rank. */
  readonly rank: string;
  readonly share: number;
}

const largest = ({ bounds }: StepPath): Bound =>
  BOUND_NAMES.reduce((most, bound) => (bounds[bound] > bounds[most] ? bound : most));

const STEPS: readonly Column<StepPath>[] = [
  knownColumn('step', 'step', str(6), '', ({ step }) => step ?? 'all', { toTheRight: true, vocabulary: true }),
  knownColumn('time', 'time', int(12, 'ns'), '', ({ measured }) => measured),
  knownColumn('replayed', 'replayed', int(12, 'ns'), '', ({ replayed }) => replayed),
  knownColumn('error', 'error%', real(7, 1, '%'), '', (step) => Number((100 * replayError(step)).toFixed(1)) + 0, {
    signed: true,
  }),
  column('predicted', 'predicted', int(12, 'ns'), '', ({ predicted }) => predicted),
  column('gain', 'saved%', real(7, 1, '%'), '', ({ predicted, measured }) =>
    predicted === null ? null : 100 * (1 - predicted / measured),
  ),
  knownColumn('bound', 'mostly', str(13), '', largest, { vocabulary: true }),
  knownColumn('share', 'share%', real(7, 1, '%'), '', (step) => (100 * step.bounds[largest(step)]) / step.measured),
];

/** Columns that are shown only if something is predicted. */
const PREDICTED: ReadonlySet<string> = new Set(['predicted', 'gain']);

const BOUND_COLUMNS: readonly Column<BoundRow>[] = [
  knownColumn('bound', 'bound by', str(13), '', ({ bound }) => bound, { vocabulary: true }),
  knownColumn('time', 'time', int(12, 'ns'), '', ({ time }) => time),
  knownColumn('share', 'share%', real(7, 1, '%'), '', ({ share }) => share),
];

const PARTS: readonly Column<PartRow>[] = [
  knownColumn('path', 'path', str(36), '', ({ name, bound }) =>
    bound === 'unknown' ? MISSING[name as keyof typeof MISSING] : name,
  ),
  knownColumn('kind', 'kind', str(13), '', ({ bound }) => bound, { vocabulary: true }),
  knownColumn('rank', 'rank', str(4), '', ({ rank }) => rank, { toTheRight: true }),
  knownColumn('time', 'time', int(12, 'ns'), '', ({ time }) => time),
  knownColumn('share', 'share%', real(7, 1, '%'), '', ({ share }) => share),
  knownColumn('runs', 'runs', int(7), '', ({ runs }) => runs),
  column('line', 'line', str(30), '', ({ line }) => line),
];

const sumOf = (steps: readonly StepPath[]): number => steps.reduce((sum, { measured }) => sum + measured, 0);

function boundRows(steps: readonly StepPath[]): BoundRow[] {
  const all = sumOf(steps);
  return BOUND_NAMES.map((bound) => {
    const time = steps.reduce((sum, { bounds }) => sum + bounds[bound], 0);
    return { bound, time, share: (100 * time) / all };
  }).filter(({ time }) => time > 0);
}

/** The parts of all steps, equal ones added up. */
function partRows({ members, steps }: ProfilePaths): PartRow[] {
  const all = sumOf(steps);
  const sums = new Map<string, { part: PathPart; time: number; runs: number }>();
  for (const part of steps.flatMap(({ parts }) => parts)) {
    const sum = entryOf(sums, JSON.stringify([part.member, part.bound, part.name, part.line]), () => ({
      part,
      time: 0,
      runs: 0,
    }));
    sum.time += part.time;
    sum.runs += part.runs;
  }
  return [...sums.values()]
    .map(({ part, time, runs }) => {
      const { rank = null } = elementAt(members, part.member).header ?? {};
      return { ...part, time, runs, rank: rank === null ? 'na' : String(rank), share: (100 * time) / all };
    })
    .sort((a, b) => b.time - a.time);
}

/** Says which causes are missing when a replay is too far from its step. */
function doubtLines(steps: readonly StepPath[]): string[] {
  const doubtful = steps.filter((step) => Math.abs(replayError(step)) > MOST_ERROR);
  if (doubtful.length === 0) return [];
  const missing = new Map<string, number>();
  for (const step of doubtful) for (const [what, time] of step.missing) addTo(missing, MISSING[what], time);
  const all = sumOf(doubtful);
  const texts = [...missing].map(([what, time]) => `${what} (${((100 * time) / all).toFixed(1)}%)`);
  const numbers = doubtful.flatMap(({ step }) => step ?? []);
  const names = numbers.length === 0 ? 'the profile' : `${plural(numbers.length, 'step')} ${numbers.join(', ')}`;
  const cause =
    texts.length === 0 ? 'The recorded causes contradict the measured times' : `Missing: ${texts.join('; ')}`;
  return [
    `The replay of ${names} differs from the measured time by more than ${100 * MOST_ERROR}%, so nothing is predicted. ${cause}`,
  ];
}

/** Says for which steps nothing is predicted although their own replay is close. */
function unpredictedLines(steps: readonly StepPath[]): string[] {
  const numbers = steps.flatMap((path) =>
    path.predicted === null && Math.abs(replayError(path)) <= MOST_ERROR ? (path.step ?? 'all') : [],
  );
  if (numbers.length === 0) return [];
  return [
    `No prediction for ${plural(numbers.length, 'step')} ${numbers.join(', ')}: the replay of all steps together differs by more than ${100 * MOST_ERROR}%`,
  ];
}

function headingOf(members: ProfilePaths['members']): string {
  const { profile, header } = elementAt(members, 0);
  if (members.length === 1) return profileHeading(profile, header);
  const ranks = members.flatMap((member) => member.header?.rank ?? []);
  return `# ${members.length} profiles of one job${ranks.length === 0 ? '' : `: ${plural(ranks.length, 'rank')} ${rangesText(ranks)}`}`;
}

/**
 * @param width width of the terminal; null for any other output, whose times are in us
 * @param top maximum number of rows of the path
 * @param isChanged whether predictions were asked for
 */
export function criticalPathScreen(paths: ProfilePaths, width: number | null, top: number, isChanged: boolean): string {
  const { members, steps } = paths;
  const heading = headingOf(members);
  const table = <Row>(columns: readonly Column<Row>[], rows: Row[]): string[] =>
    width === null
      ? alignedTable(
          columns.map((column) => readable(column, column.header)),
          rows,
        )
      : fittedLines(columns, rows, width);
  const parts = partRows(paths);
  const more = parts.length - top;
  const lines = [
    width === null ? `${heading}, times in us` : heading,
    ...table(
      STEPS.filter(({ key }) => !PREDICTED.has(key) || steps.some(({ predicted }) => predicted !== null)),
      [...steps],
    ),
    '',
    ...table(BOUND_COLUMNS, boundRows(steps)),
    '',
    ...table(
      PARTS.filter(
        ({ key }) =>
          (key !== 'line' || parts.some(({ line }) => line !== null)) && (key !== 'rank' || members.length > 1),
      ),
      parts.slice(0, top),
    ),
    ...(more > 0 ? [`# ${moreOf(more, 'row')}: --top N`] : []),
    ...[...doubtLines(steps), ...(isChanged ? unpredictedLines(steps) : [])].map((line) => `# ${line}`),
  ];
  return screenText(lines, undefined, width);
}
