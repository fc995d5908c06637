/** `dprof ranks`: how the ranks of a job affect each other. */
import { ranksDocument, RanksAnalysis, withFirstRows, withOnlyTable } from '../../prof/ranks/ranks-document.js';
import { RANK_TABLES, type RankTableName } from '../../prof/ranks/tables/tables.js';
import { Annotator } from '../../prof/report/report.js';
import { jsonOf } from '../../record/control-characters.js';
import { UsageError, requireName } from '../../record/errors.js';
import { requireColumnOf, splitKeys, type Column } from '../../table/column.js';
import { aligned, alignedTable } from '../../write/cell-text.js';
import { integer } from '../arguments.js';
import { printList } from '../output.js';
import { RANK_OPTION, STEP_OPTION, TIME_NAMES } from '../choice-options.js';
import { sortOption, tableChoice, unfit } from '../shared-options.js';
import { DEVICE_MEMORY, recordsCommand, withTableFormats } from '../records-command.js';
import { printAnswer, runAnalysis } from '../run-analysis.js';
import { moreOf } from '../../record/plural.js';
import type { JobReport } from '../../prof/ranks/job-report.js';
import { groupsText, capturedText } from '../../prof/ranks/tables/group-table.js';
import { distinguishing } from '../../prof/ranks/tables/rank-table.js';
import { inAmounts } from '../../table/readable.js';
import { fittedLines } from '../../write/fitted-table.js';
import { headLines } from '../screens/job.js';
import { screenText } from '../screens/layout.js';

const TOP = 16;
const TABLES = Object.keys(RANK_TABLES) as readonly RankTableName[];
const KEYS = [...new Set(Object.values(RANK_TABLES).flatMap(({ columns }) => columns.map(({ key }) => key)))];

/** @throws UsageError that suggests the nearest column name */
function keysOf(table: RankTableName, text: string): string[] {
  const keys = splitKeys('-c', text);
  for (const key of keys) requireColumnOf(RANK_TABLES[table].columns, key);
  return keys;
}

const columnsText = (table: RankTableName): string =>
  `${aligned(RANK_TABLES[table].columns.map(({ key, doc }) => [key, doc])).join('\n')}\n`;

// `dprof ranks` on one screen: the job in lines, then its tables.

/** Limits of a table: maximum number of rows, and the width of the terminal; null for any other output. */
interface Shown {
  readonly top: number;
  readonly width: number | null;
}

function ranksScreen(report: JobReport, limits: Shown): string {
  const lines = [
    ...headLines(report),
    '',
    ...SECTIONS.flatMap(([title, name]) => {
      const lines = tableLines(name, report, limits);
      return lines.length > 1 ? [title, ...lines, ''] : [];
    }),
  ];
  return `${screenText(lines, undefined, limits.width).trimEnd()}\n`;
}

/** Tables of the screen. */
const SECTIONS: readonly (readonly [title: string, name: RankTableName])[] = [
  ['Ranks', 'ranks'],
  ['Operations', 'collectives'],
  ['Stages', 'stages'],
  ['Experts', 'experts'],
  ['Groups', 'groups'],
];

/**
 * One table alone.
 * @param keys its columns; by default those on the screen
 */
const tableScreen = (name: RankTableName, report: JobReport, limits: Shown, keys?: readonly string[]): string =>
  screenText(tableLines(name, report, limits, keys), undefined, limits.width);

/** Strings that replace the values of some columns on screens, by table and key. */
const TEXTS: Readonly<Record<string, (row: never) => string>> = {
  'collectives/groups': groupsText,
  'groups/captured': capturedText,
};

/**
 * Columns of a table. When ranks do not identify rows, file or device are shown next to them; when profiles state no rank,
 * for all rows about ranks.
 */
function screenKeys(name: RankTableName, { parts, withoutWork, membership }: JobReport): readonly string[] {
  const { screen, columns } = RANK_TABLES[name];
  const [first, ...others] = screen;
  if (first === undefined) return screen;
  const idle = withoutWork.map(({ part }) => part);
  const keys = [first, ...(name === 'ranks' ? distinguishing([...parts, ...idle]) : []), ...others];
  const isUnranked = membership.unranked.length > 0 || (name === 'ranks' && idle.some(({ rank }) => rank === null));
  const isNeeded = isUnranked && screen.includes('rank') && !keys.includes('file');
  return isNeeded && columns.some(({ key }) => key === 'file') ? [...keys, 'file'] : keys;
}

/** A header, and a line for each row. */
function tableLines(name: RankTableName, report: JobReport, { top, width }: Shown, keys?: readonly string[]): string[] {
  const { of: tableOf } = RANK_TABLES[name];
  const { columns, rows } = tableOf(report, keys ?? screenKeys(name, report));
  const shown = columns.map((column) => {
    const value = TEXTS[`${name}/${column.key}`] as ((row: unknown) => string) | undefined;
    return value === undefined ? inAmounts(column) : { ...column, type: 'str' as const, toTheRight: true, value };
  });
  const all = [...rows];
  const rest = all.length - top;
  const first = all.slice(0, top);
  const lines = width === null ? alignedTable(shown, first) : fittedLines(shown, first, width);
  return [...lines, ...(rest > 0 ? [`${moreOf(rest, 'row')}: --top N`] : [])];
}

export const ranks = recordsCommand(
  {
    name: 'dprof ranks',
    usage: 'dprof ranks [OPTION...] FILE...',
    schemaOf: (given) => (given.on('columns') ? null : 'ranks'),
    about: [
      'Compares the ranks of one job: matches collectives, aligns clocks, and shows who waits, who is late, and why.',
    ],
    operands: ['FILE: the profile of a rank, or records (dparse, dprof partial; also .gz) of several. Default: stdin.'],
    options: [
      {
        name: 'table',
        short: 't',
        takes: 'T',
        values: TABLES,
        help: `only one table, in all formats: ${TABLES.join(', ')} (ranks)`,
      },
      {
        name: 'cols',
        short: 'c',
        takes: 'COLS',
        help: 'columns of that table, comma-separated',
        values: KEYS,
        list: true,
      },
      sortOption(KEYS),
      RANK_OPTION,
      STEP_OPTION,
      { name: 'columns', help: 'list the columns of that table and their meaning' },
      { name: 'top', takes: 'N', help: `at most N rows per table (default: ${TOP} in text without -t, otherwise all)` },
    ],
    unfit: {
      ...unfit(TIME_NAMES, 'the clocks of ranks differ; use --step LIST, or dprof summary --rank N --from MS --to MS'),
      ...unfit(
        ['where', 'device', 'stream'],
        'ranks are compared with all their work; -t steps and -t waits list parts',
      ),
      ...unfit(['peaks'], 'memory has no rates; use dprof summary --peaks DEV'),
    },
    notes: [
      ['Tables:', ...aligned(Object.entries(RANK_TABLES).map(([name, { doc }]) => [`  ${name}`, doc]))],
      [
        'Matched: by the ordinals that the profiler records, else by order within each step of the group, else by order.',
        'A match is rejected if an operation that needs data of all ranks ends before all have joined.',
        'Clocks: a collective ends on all ranks at almost the same time; offsets and drifts are medians relative to one rank.',
        'Wait: the time until the last rank joins, or the last before its part ends. Transfer: the time after that.',
        'Late: a rank whose work in a step (all but exposed communication) takes longer than that of its peers, in more steps',
        'than chance explains (q at most 0.02).',
        "What the job would gain is predicted by dprof critical-path --what-if 'ranks: equal'.",
        'Delays: steps in which a rank is far slower than usual, beyond chance, with the ranks that waited for it.',
        `Memory: about 150 bytes per operation between ranks, a few MB per rank, and ${DEVICE_MEMORY}.`,
      ],
    ],
    examples: [
      'dprof ranks traces/rank*.pt.trace.json.gz',
      'dparse traces/ | dprof ranks',
      'dprof ranks -c rank,clock,offset,drift,residual,bound traces/*.gz',
      'dprof ranks -t steps -f csv traces/*.gz > heatmap.csv',
      "dprof ranks -f json traces/*.gz | jq '.answer[].stragglers[] | [.level, .rank, .late, .q]'",
    ],
  },
  withTableFormats('text', 'json'),
  async (given, request) => {
    const table = requireName<RankTableName>('table', given.text('table') ?? 'ranks', TABLES);
    const top = given.read('top', (text) => integer('--top', text, 1));
    const keys = given.read('cols', (text) => keysOf(table, text));
    const { format, width } = request;
    const isSorted = given.text('sort') !== undefined;
    if (given.on('columns')) return printList(columnsText(table));
    if ((keys !== undefined || isSorted) && format === 'json')
      throw new UsageError(
        `${keys === undefined ? '--sort' : '-c'} cannot be combined with -f json`,
        'json always has every column; -t T leaves out the other tables',
      );
    const all = RANK_TABLES[table].columns as readonly Column<unknown>[];
    const isTable = format !== 'text' && format !== 'json';
    const chosen = isSorted || (isTable && top !== undefined) ? tableChoice(given, all, request) : null;
    const isAlone = given.text('table') !== undefined || keys !== undefined;
    await runAnalysis(request, {
      analysis: new RanksAnalysis(table, keys),
      annotator: new Annotator(),
      isDocument: format === 'json',
      print: ({ table: rows, facts }, write, { doubts }) =>
        printAnswer(rows, { format, width, chosen }, write, {
          text: () =>
            isAlone
              ? tableScreen(table, facts, { top: top ?? Infinity, width }, keys)
              : ranksScreen(facts, { top: top ?? TOP, width }),
          json: () => {
            const document = withFirstRows(ranksDocument(facts, doubts), top);
            return `${jsonOf(given.text('table') === undefined ? document : withOnlyTable(document, table))}\n`;
          },
        }),
    });
  },
);
