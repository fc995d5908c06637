/** The plan of a job: its profiles and options, the file of lines that holds them, and shares of its tasks. */
import { UserError } from '../../../../record/errors.js';
import { counted } from '../../../../record/plural.js';

/** A profile to be reduced to a partial answer. */
export interface JobTask {
  /** Number from 0, in order of the inputs. */
  readonly number: number;
  /** Name of its files, the same wherever the plan is made: see `taskName`. */
  readonly name: string;
  /** Absolute path. */
  readonly path: string;
  /** Size in bytes, and time in ms since 1970, when the plan was made; null for a file that did not exist. */
  readonly size: number | null;
  readonly mtime: number | null;
}

/** Everything that affects the content of partial answers, apart from the profiles. */
export interface JobSettings {
  /** Version of dprof. */
  readonly version: string;
  /** Group keys, as `dprof partial --by` takes them; null for its default. */
  readonly by: string | null;
  /** Device whose peak rates are used, as `--peaks` takes it; null for the profile's device. */
  readonly device: string | null;
}

export interface JobPlan extends JobSettings {
  /** Inputs as given by the user, as absolute paths. */
  readonly operands: readonly string[];
  /** Maximum number of inputs of a merge. */
  readonly fanIn: number;
  readonly tasks: readonly JobTask[];
}

/** One line for the job, then one for each task, as JSON because paths may contain any character. */
export const planText = ({ tasks, ...head }: JobPlan): string =>
  [{ type: 'job', v: 1, ...head, tasks: tasks.length }, ...tasks].map((line) => `${JSON.stringify(line)}\n`).join('');

/**
 * @param where name of the file, for messages
 * @throws UserError for a string that is not a plan
 */
export function readPlan(text: string, where: string): JobPlan {
  const lines = text.split('\n').filter((line) => line !== '');
  try {
    const [head, ...tasks] = lines.map((line) => JSON.parse(line) as unknown);
    const { type, v, tasks: count, ...plan } = head as JobPlan & { type: string; v: number };
    if (type === 'job' && v === 1 && Number(count) === tasks.length) return { ...plan, tasks: tasks as JobTask[] };
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof TypeError)) throw error;
  }
  throw new UserError('is not a job plan', { where, hint: 'choose another folder for -o' });
}

const SETTINGS: readonly (readonly [key: keyof JobSettings, what: string])[] = [
  ['version', 'version of dprof'],
  ['by', '--by'],
  ['device', '--peaks'],
];

/** Describes how settings differ; null when they are equal. */
export function settingsDifference(plan: JobSettings, other: JobSettings): string | null {
  const differing = SETTINGS.find(([key]) => plan[key] !== other[key]);
  if (differing === undefined) return null;
  const [key, setting] = differing;
  return `${setting} is ${plan[key] ?? 'not given'} there, ${other[key] ?? 'not given'} here`;
}

/** Describes how profiles differ; null when they are equal. */
export function tasksDifference(plan: JobPlan, other: JobPlan): string | null {
  const known = new Set(plan.tasks.map(({ path }) => path));
  const paths = new Set(other.tasks.map(({ path }) => path));
  const added = other.tasks.find(({ path }) => !known.has(path));
  const gone = plan.tasks.find(({ path }) => !paths.has(path));
  if (added === undefined && gone === undefined) return null;
  const which = added === undefined ? `${gone?.path ?? ''} is not given here` : `${added.path} is not in it`;
  return `its plan has ${counted(plan.tasks.length, 'profile')}, this command has ${other.tasks.length}: ${which}`;
}

// Splits tasks into shares, one for each process.

/** Share `index` (from 0) of `count` shares. */
export interface Share {
  readonly index: number;
  readonly count: number;
}

/**
 * Every `count`-th item, so that shares differ by at most one item, and neighbours of similar size are in different shares.
 */
export const itemsOf = <T>(items: readonly T[], { index, count }: Share): T[] =>
  items.filter((_, i) => i % count === index);

/** Bytes of profiles that are worth a separate process: starting one takes as long as parsing some MB. */
const SHARE_BYTES = 32 * 1024 * 1024;

/**
 * Groups small profiles, and gives each large one its own share, in order.
 * @param most maximum tasks in a share
 */
export function sharesBySize(tasks: readonly JobTask[], most: number): (readonly JobTask[])[] {
  const shares: JobTask[][] = [];
  let [share, bytes]: [JobTask[], number] = [[], 0];
  for (const task of tasks) {
    const size = task.size ?? 0;
    if (share.length > 0 && (share.length >= most || bytes + size > SHARE_BYTES)) {
      shares.push(share);
      [share, bytes] = [[], 0];
    }
    share.push(task);
    bytes += size;
  }
  return share.length > 0 ? [...shares, share] : shares;
}

/** Formats ascending numbers as `0-3,8`. */
export function rangesText(numbers: readonly number[]): string {
  const ranges: [first: number, last: number][] = [];
  for (const number of numbers) {
    const range = ranges.at(-1);
    if (range !== undefined && number === range[1] + 1) range[1] = number;
    else ranges.push([number, number]);
  }
  return ranges.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`)).join(',');
}
