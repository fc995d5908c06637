/**
 * `dprof html`: one page with everything about a profile, for a browser; or, with --index, a page that lists pages and
 * jobs.
 */
import { basename, dirname, join } from 'node:path';
import { EVENTS } from '../../prof/html/bounds.js';
import { PageBuilder } from '../../prof/html/page-builder.js';
import type { PageProfile } from '../../prof/html/page-data.js';
import { pageElements, profileName, OUTLINE_ID } from '../../prof/html/page-elements.js';
import type { RangeTimes, TimeWindow } from '../../prof/input/named-range.js';
import type { TimelineChoice } from '../../prof/html/timeline/timeline-data.js';
import { Annotator } from '../../prof/report/report.js';
import { UsageError, UserError } from '../../record/errors.js';
import { jobCardOf } from '../../prof/html/job/job-card.js';
import { inputWord } from '../../write/shell-words.js';
import { page, type PageProgram } from '../../write/html/page.js';
import { CARD_ID, findReports, MOST_JOBS, pageCard } from './html/find-reports.js';
import { integer, type Arguments } from '../arguments.js';
import { PLACE_OPTIONS, RANGE_OPTION, rangeNamed, windowOf } from '../choice-options.js';
import { TABLE_NAMES, unfit } from '../shared-options.js';
import { PEAKS_OPTION, readPeaks } from '../peaks-option.js';
import { refuseTerminal, withOutput } from '../output.js';
import { DEVICE_MEMORY, recordsCommand, type RecordsRequest } from '../records-command.js';
import { PATH_OPTION, readPaths, runAnalysis, timesOfRange } from '../run-analysis.js';
import { version, packageFolder } from '../package-folder.js';
import { existsSync, statSync, readFileSync } from 'node:fs';
import type { JobIndex } from '../../prof/html/job/job-data.js';
import { counted } from '../../record/plural.js';
import { say } from '../message.js';

/** @throws UserError when the page program has not been built */
export function pageProgram(from = packageFolder()): PageProgram {
  const folder = join(from, 'dist', 'page');
  try {
    const read = (name: string): string => readFileSync(join(folder, name), 'utf8');
    return { script: read('report.js'), charts: read('charts.js'), style: read('style.css') };
  } catch {
    throw new UserError('the page scripts are missing', { where: folder, hint: 'run npm run build' });
  }
}

/** Options for a page of profiles, which a list of pages does not take. */
const OF_PROFILES = ['step', 'from', 'to', 'range', 'events', 'peaks', 'rank', 'device', 'stream'] as const;

/** @throws UsageError for options that a list does not take; UserError when there is nothing to list */
export async function writeIndex(given: Arguments, { files, output, quiet }: RecordsRequest): Promise<void> {
  const odd =
    OF_PROFILES.find((name) => given.text(name) !== undefined) ??
    (given.on(PATH_OPTION.name) ? PATH_OPTION.name : undefined);
  if (odd !== undefined) throw new UsageError(`--index cannot be combined with --${odd}`);
  const list = output === undefined || output === '-' ? null : output;
  const folder = list === null ? '.' : dirname(list);
  if (list !== null && existsSync(list) && statSync(list).isFile() && pageCard(list) !== null)
    throw new UserError('is a profile page: not overwriting it with a list', {
      where: list,
      hint: 'choose another name for -o',
    });
  const found = await findReports(files.length === 0 ? [folder] : files, folder, list);
  const { jobs, pages, others, damaged, leftOut } = found;
  const lost = damaged.map(
    (path) => `${path}: its report/summary.json cannot be read; run dprof job --merge to make it again`,
  );
  for (const line of lost) say('dprof', line);
  if (jobs.length === 0)
    throw new UserError('no dprof html pages and no dprof job folders found', {
      hint: 'make a page: dprof html -o FOLDER/NAME.html PROFILE',
    });
  if (!quiet && others > 0)
    say('dprof', `${counted(others, 'HTML file')} left out: not from dprof html, a list itself, or too old`);
  if (leftOut > 0) say('dprof', `${counted(leftOut, 'job')} left out: more than ${MOST_JOBS}`);
  const title = given.text('title') ?? 'Jobs';
  const value: JobIndex = { tool: { name: 'dprof', version: version() }, title, jobs };
  // A list has no charts.
  const program = { ...pageProgram(), charts: '' };
  await withOutput(output, pages, async (write) => {
    for (const piece of page(`${title} · dprof`, program, [{ id: OUTLINE_ID, value }])) await write(piece);
  });
}

const MOST_EVENTS = 3_000_000;

function bounded(option: string, value: number): number {
  if (value > MOST_EVENTS)
    throw new UsageError(`${option} must be at most ${MOST_EVENTS}: browsers cannot open a larger page`);
  return value;
}

async function choiceOf(given: Arguments, request: RecordsRequest): Promise<TimelineChoice> {
  const step = given.read('step', (text) => integer('--step', text));
  const range = given.read('range', rangeNamed);
  if (step !== undefined && range !== undefined) throw new UsageError('--step cannot be combined with --range');
  const window = range === undefined ? windowOf(given) : around(await timesOfRange(range, request));
  if (step !== undefined && window !== undefined) throw new UsageError('--step cannot be combined with --from or --to');
  if (step !== undefined) return { of: 'step', step };
  return window === undefined ? { of: 'usual' } : { of: 'time', ...window };
}

/** The time in which the range runs in any profile. */
const around = ({ windows }: RangeTimes): TimeWindow =>
  [...windows.values()].reduce((all, { from, to }) => ({ from: Math.min(all.from, from), to: Math.max(all.to, to) }));

/** Title for a pipe: the file of its first profile, or the tool that wrote it; null when it states neither. */
function profilesName([first, ...others]: readonly Pick<PageProfile, 'overview'>[]): string | null {
  const name = first === undefined ? null : profileName(first.overview.header);
  return name === null || others.length === 0 ? name : `${name} and ${others.length} more`;
}

/** Title for a file or folder: the name of the run, if the profiler uses the same file and folder names in every run. */
async function inputName(path: string): Promise<string | null> {
  const { fileLabel, folderLabel } = await import('../../parse/registry.js');
  const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  return (isFolder ? folderLabel(path) : fileLabel(path)) || null;
}

export const html = recordsCommand(
  {
    name: 'dprof html',
    usage: 'dprof html -o OUT [OPTION...] [FILE...]',
    about: [
      'One page about a profile: summary, charts, tables, advice and a timeline. It is one file that works',
      'offline: it loads nothing and sends no request.',
    ],
    operands: [
      'FILE: dparse records (also .gz), or a profile. Default: stdin. Several FILEs, a folder of profiles, or records of',
      'several ranks make one page.',
    ],
    options: [
      { name: 'step', takes: 'N', help: 'the timeline opens at step N (the whole profile)' },
      { name: 'from', takes: 'MS', help: "the timeline begins at MS after the profile's start" },
      { name: 'to', takes: 'MS', help: 'the timeline ends at MS; later events are dropped' },
      { ...RANGE_OPTION, help: 'the timeline shows the Kth (first) CPU range TEXT' },
      { name: 'events', takes: 'N', help: `maximum number of timeline events, all pieces together (${EVENTS})` },
      PEAKS_OPTION,
      PATH_OPTION,
      ...PLACE_OPTIONS,
      { name: 'title', takes: 'T', help: "the page's title (the name of FILE)" },
      {
        name: 'index',
        help: 'write a list of the pages and jobs in FILEs (folders, pages), with date, ranks, step time, busy share',
      },
    ],
    unfit: {
      ...unfit(['where'], 'the page shows all kernels and has a search'),
      ...unfit(TABLE_NAMES, 'sort the tables on the page, or use dprof -c COLS --sort COLS --top N'),
    },
    notes: [
      [
        'The timeline shows the whole profile or one step; its list has all steps and the time between them. If a profile has too',
        'many events for the page, short neighbouring events are merged into one bar, and the page says so.',
        'CPU ranges are in the timeline if the records have them (dparse --ranges).',
        'With --critical-path, a separate row of the timeline shows what determined how long each step took. The search finds its',
        'bars by kind of time and by name.',
        "All times count from the profile's start, as in records, dprof memory and dprof perfetto.",
        'With more than 64 profiles, the page holds the ranks that are late, that were delayed or that delay others most, the',
        'slowest ranks, some around the median, and a sample; the others appear only in the rank tables.',
        '--index searches folders three levels deep for pages and for folders of dprof job; it reads 64 kB per page.',
        'Lists are bounded; the page sums up the rows it leaves out. Most pages are under 30 MB: about 25 bytes per event',
        'of the timeline, and up to 17 MB of text per profile if all strings differ. Memory: 400 MB for most profiles, up to 1.3 GB if all',
        'strings differ; 250 MB for each additional profile on the page (64 at most);',
        `a few MB per rank, ${DEVICE_MEMORY}.`,
      ],
    ],
    examples: [
      'dprof html -o report.html profile.sqlite',
      'dprof html -o ranks.html rank*.json.gz',
      'dparse --ranges ranks/*.json.gz | dprof html -o ranks.html --step 12',
      'dprof html --critical-path -o report.html net.pt.trace.json.gz',
      'dprof html -o start.html --to 50 trace.json.gz',
      'dprof html --index -o reports/index.html reports/ jobs/*/',
    ],
  },
  ['html'],
  async (given, request) => {
    refuseTerminal(request.output, 'HTML');
    if (given.on('index')) return writeIndex(given, request);
    const timeline = await choiceOf(given, request);
    const events = given.read('events', (text) => bounded('--events', integer('--events', text, 1))) ?? EVENTS;
    const device = readPeaks(given);
    const paths = await readPaths(given, request);
    const program = pageProgram();
    const tool = { name: 'dprof', version: version() };
    await runAnalysis(request, {
      analysis: new PageBuilder({ timeline, events, paths }),
      annotator: new Annotator(device),
      isDocument: true,
      hasDoubts: true,
      print: async ({ facts }, write, { input, doubts }) => {
        const only = request.files.length === 1 ? request.files[0] : undefined;
        const word = inputWord(only === undefined || only === '-' ? only : basename(only));
        const isPiped = request.files.length === 0 || only === '-';
        const made = facts({ tool, title: basename(input), input: word, doubts });
        const named = isPiped ? profilesName(made.data.profiles) : only === undefined ? null : await inputName(only);
        const title = given.text('title') ?? named ?? made.data.title;
        const contents = { ...made, data: { ...made.data, title } };
        const { before, behind } = pageElements(contents);
        const head = [{ id: CARD_ID, value: jobCardOf(contents.data) }];
        for (const piece of page(`${title} · dprof`, program, before, behind, head)) await write(piece);
      },
    });
  },
);
