/**
 * Reads pages of `dprof html` and folders of `dprof job` into the rows of a list of jobs. It reads the first kilobytes of a
 * page, and `report/summary.json` of a job, line by line. Memory: a few hundred bytes for each job.
 */
import { closeSync, createReadStream, existsSync, openSync, readdirSync, readSync, statSync } from 'node:fs';
import { basename, join, relative, resolve, sep } from 'node:path';
import { createInterface } from 'node:readline';
import { JobCardSums } from '../../../prof/html/job/job-card.js';
import type { JobCard, ListedJob } from '../../../prof/html/job/job-data.js';
import type { ProfileSummary } from '../../../prof/summary/summary-data.js';
import { isSystemError, systemReason, UserError } from '../../../record/errors.js';
import { PLACES } from '../job/job-folder.js';

/** Id of the element near the start of a page that holds its row of the list. */
export const CARD_ID = 'card';

const CARD = new RegExp(`<script type="application/json" id="${CARD_ID}">(.*?)</script>`, 's');
/** The first bytes of a page, which contain its row. */
const START = 1 << 16;
/** Depth of subfolders that are searched. */
const DEPTH = 3;
export const MOST_JOBS = 10_000;

export interface FoundReports {
  /** Jobs, newest first. */
  readonly jobs: readonly ListedJob[];
  /** Paths of the HTML pages among them. */
  readonly pages: readonly string[];
  /** Number of HTML files without a row: those of other programs or older versions, and lists of jobs. */
  readonly others: number;
  /** Jobs whose summary cannot be read. */
  readonly damaged: readonly string[];
  readonly leftOut: number;
}

/**
 * @param places pages, folders of jobs, and folders that contain them
 * @param folder the folder where the list will be written; links are relative to it
 * @param list path of the list, which may already exist
 * @throws UserError for a place that cannot be read
 */
export async function findReports(
  places: readonly string[],
  folder: string,
  list: string | null,
): Promise<FoundReports> {
  const jobs: ListedJob[] = [];
  const pages: string[] = [];
  const damaged: string[] = [];
  let [others, leftOut] = [0, 0];
  for (const path of new Set(places.flatMap((place) => [...reportsIn(place, DEPTH)]))) {
    if (list !== null && resolve(path) === resolve(list)) continue;
    const isPage = isPageFile(path);
    const card = isPage ? pageCard(path) : await jobCard(path);
    if (card === null) {
      if (isPage) others++;
      else damaged.push(path);
    } else if (jobs.length === MOST_JOBS) leftOut++;
    else {
      if (isPage) pages.push(path);
      jobs.push({ ...card, href: addressOf(relative(folder, isPage ? path : reportOf(path))), path: relative(folder, path) }); // prettier-ignore
    }
  }
  jobs.sort((a, b) => (b.when ?? 0) - (a.when ?? 0) || (a.path < b.path ? -1 : 1));
  return { jobs, pages, others, damaged, leftOut };
}

const isPageFile = (path: string): boolean => /\.html?$/i.test(path);
const summaryOf = (job: string): string => join(job, PLACES.report, 'summary.json');
const isJob = (folder: string): boolean => existsSync(join(folder, PLACES.plan)) && existsSync(summaryOf(folder));

/** The readable report of a job: the report of ranks, if there is one. */
function reportOf(job: string): string {
  const ranks = join(job, PLACES.report, 'ranks.txt');
  return existsSync(ranks) ? ranks : join(job, PLACES.report, 'summary.txt');
}

/** Turns a relative path into a URL, as names may contain any character. */
const addressOf = (path: string): string => path.split(sep).map(encodeURIComponent).join('/');

function* reportsIn(place: string, depth: number): Generator<string> {
  if (!read(place, () => statSync(place)).isDirectory()) {
    yield place;
    return;
  }
  if (isJob(place)) yield place;
  const entries = read(place, () => readdirSync(place, { withFileTypes: true }));
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(place, entry.name);
    if (entry.isFile() && isPageFile(entry.name)) yield path;
    else if (entry.isDirectory() && depth > 0 && !entry.name.startsWith('.')) yield* reportsIn(path, depth - 1);
  }
}

/** @throws UserError instead of the system's error */
function read<Result>(where: string, act: () => Result): Result {
  try {
    return act();
  } catch (error) {
    if (!isSystemError(error)) throw error;
    throw new UserError(`cannot be read: ${systemReason(error)}`, { where, code: error.code });
  }
}

/** Reads the row in a page; null when it has none. */
export function pageCard(path: string): JobCard | null {
  const start = read(path, () => {
    const file = openSync(path, 'r');
    try {
      const bytes = Buffer.alloc(START);
      return bytes.toString('utf8', 0, readSync(file, bytes, 0, START, 0));
    } finally {
      closeSync(file);
    }
  });
  const found: unknown = jsonOf(CARD.exec(start)?.[1] ?? '');
  return isCard(found) ? found : null;
}

const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
};

const isNumberOrNull = (value: unknown): boolean => value === null || typeof value === 'number';

/** The largest date that JavaScript can represent, in ms. */
const LAST_DATE = 8.64e15;

/** Checks all fields, because a file may contain anything. */
function isCard(value: unknown): value is JobCard {
  if (typeof value !== 'object' || value === null) return false;
  const { title, when, profiles, ranks, devices, deviceNames, step, busy } = value as Partial<
    Record<keyof JobCard, unknown>
  >;
  const names: readonly unknown[] = Array.isArray(deviceNames) ? deviceNames : [null];
  return (
    [title, ...names].every((text) => typeof text === 'string') &&
    [profiles, devices].every((count) => typeof count === 'number') &&
    [when, ranks, step, busy].every(isNumberOrNull) &&
    Math.abs(Number(when)) <= LAST_DATE
  );
}

/** The lines of a JSON document with an element of its answer, and all lines of older files, which have no envelope. */
async function* answerLines(lines: AsyncIterable<string>): AsyncGenerator<string> {
  let place: 'start' | 'lines' | 'head' | 'answer' | 'tail' = 'start';
  for await (const line of lines) {
    if (place === 'start') place = line.startsWith('{"schema":') ? 'head' : 'lines';
    if (place === 'answer' && line.startsWith(']')) place = 'tail';
    if (place === 'lines') yield line;
    else if (place === 'answer') yield line.replace(/,$/, '');
    if (place === 'head' && line === '"answer":[') place = 'answer';
  }
}

/** Makes the row of a job from its summary; null when the summary is invalid. */
async function jobCard(job: string): Promise<JobCard | null> {
  const sums = new JobCardSums();
  let isOdd = false;
  try {
    for await (const line of answerLines(createInterface({ input: createReadStream(summaryOf(job)) }))) {
      const document = jsonOf(line) as (Partial<ProfileSummary> & { readonly doubts?: unknown }) | null;
      // The last line of a job of version 0.1.0 may be about all profiles instead of a single one.
      if (document?.doubts !== undefined && document.devices === undefined) continue;
      const { header = null, devices, steps = null } = document ?? {};
      if (Array.isArray(devices)) sums.add({ header, devices, steps });
      else isOdd = true;
    }
  } catch (error) {
    // A field has an unexpected type, or a file was deleted.
    if (!isSystemError(error) && !(error instanceof TypeError)) throw error;
    return null;
  }
  const card = sums.card(basename(resolve(job)));
  return isOdd || card.profiles === 0 || !isCard(card) ? null : card;
}
