/** `dprof ranks`: how the ranks of a job affect each other. */
import { ranksDocument, RanksAnalysis } from '../../prof/ranks/ranks-document.js';
import { RANK_TABLES, type RankTableName } from '../../prof/ranks/tables/tables.js';
import { Annotator } from '../../prof/report/report.js';
import { jsonOf } from '../../record/control-characters.js';
import { UsageError, requireName } from '../../record/errors.js';
import { requireColumnOf, splitKeys, type Column } from '../../table/column.js';
import { aligned } from '../../write/cell-text.js';
import { integer } from '../arguments.js';
import { printList } from '../output.js';
import { RANK_OPTION, STEP_OPTION, TIME_NAMES } from '../choice-options.js';
import { sortOption, tableChoice, unfit } from '../shared-options.js';
import { DEVICE_MEMORY, recordsCommand, withTableFormats } from '../records-command.js';
import { printAnswer, runAnalysis } from '../run-analysis.js';
import { ranksScreen, tableScreen } from '../screens/ranks.js';

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

export const ranks = recordsCommand(
  {
    name: 'dprof ranks',
    usage: 'dprof ranks [OPTION...] FILE...',
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
        help: `one table, in text too: ${TABLES.join(', ')} (ranks)`,
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
      { name: 'top', takes: 'N', help: `at most N rows per table in text (${TOP}; with -t all)` },
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
        'A match is rejected if an operation ends before all ranks have joined.',
        'Clocks: a collective ends on all ranks at nearly one time; offsets and drifts are medians against one rank.',
        'Wait: until the last rank joins. Transfer: from then to the end. Late: the work of a rank in each step (all but exposed',
        'communication) is longer than that of ranks with the same work more often than chance (q at most 0.02).',
        'Delays: steps in which a rank is far slower than usual, beyond chance, with the ranks that waited for it.',
        `Memory: some 150 bytes per operation between ranks, a few MB per rank, and ${DEVICE_MEMORY}.`,
      ],
    ],
    examples: [
      'dprof ranks traces/rank*.pt.trace.json.gz',
      'dparse traces/ | dprof ranks',
      'dprof ranks -c rank,clock,offset,drift,residual,bound traces/*.gz',
      'dprof ranks -t steps -f csv traces/*.gz > heatmap.csv',
      "dprof ranks -f json traces/*.gz | jq '.stragglers[] | [.level, .rank, .late, .q]'",
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
        'json always has every column of every table',
      );
    const all = RANK_TABLES[table].columns as readonly Column<unknown>[];
    const chosen = isSorted ? tableChoice(given, all, request) : null;
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
          json: () => `${jsonOf(ranksDocument(facts, doubts))}\n`,
        }),
    });
  },
);
