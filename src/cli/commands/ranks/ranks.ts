/** `dprof ranks`: what the ranks of a job do to each other. */
import { RanksAnalysis } from '../../../prof/ranks/ranks-analysis.js';
import { RANK_TABLES, type RankTableName } from '../../../prof/ranks/tables/tables.js';
import { Annotator } from '../../../prof/report/report.js';
import { jsonOf } from '../../../record/control-characters.js';
import { requireName } from '../../../record/names.js';
import { aligned } from '../../../write/aligned.js';
import { integer } from '../../arguments.js';
import { recordsCommand, withTableFormats } from '../../records-command.js';
import { printTable, runAnalysis } from '../../run-analysis.js';
import { ranksDocument } from './ranks-document.js';
import { ranksScreen } from './ranks-screen.js';

const TOP = 16;
const TABLES = Object.keys(RANK_TABLES) as readonly RankTableName[];

export const ranks = recordsCommand(
  {
    name: 'dprof ranks',
    usage: 'dprof ranks [OPTION...] FILE...',
    about: [
      'The ranks of one job against each other: collectives matched, clocks aligned, who waits, who is late and why.',
    ],
    operands: [
      'FILE: a profile of a rank, or records of dparse or dprof partial of several (also .gz). Default: stdin.',
    ],
    options: [
      {
        name: 'table',
        short: 't',
        takes: 'T',
        values: TABLES,
        help: `the table of csv, markdown, …: ${TABLES.join(', ')} (ranks)`,
      },
      { name: 'top', takes: 'N', help: `at most N rows of each table in text (${TOP})` },
    ],
    notes: [
      ['Tables:', ...aligned(Object.entries(RANK_TABLES).map(([name, { doc }]) => [`  ${name}`, doc]))],
      [
        'Matched: by the ordinals that the profiler records, else by order within each step of the group, else by order.',
        'Clocks: a collective ends on all ranks at nearly one time; offsets and drifts are medians against one rank.',
        'Wait: until the last rank joins. Transfer: from then to the end. Late: own work of each step, which is all but',
        'exposed communication, is longer than that of ranks with the same work more often than chance (q at most 0.02).',
        'Memory: some 150 bytes an operation between ranks, and a few MB a rank.',
      ],
    ],
    examples: [
      'dprof ranks traces/rank*.pt.trace.json.gz',
      'dparse -j 8 traces/ | dprof ranks',
      'dprof ranks -t steps -f csv traces/*.gz > heatmap.csv',
      "dprof ranks -f json traces/*.gz | jq '.stragglers[] | [.rank, .late_ns, .q]'",
    ],
  },
  withTableFormats('text', 'json'),
  async (given, request) => {
    const table = requireName<RankTableName>('table', given.text('table') ?? 'ranks', TABLES);
    const top = given.read('top', (text) => integer('--top', text, 1)) ?? TOP;
    const { format } = request;
    await runAnalysis(request, {
      analysis: new RanksAnalysis(table),
      annotator: new Annotator(),
      print: ({ table: rows, facts }, write) => {
        if (format === 'text') return write(ranksScreen(facts, top));
        return format === 'json' ? write(`${jsonOf(ranksDocument(facts))}\n`) : printTable(rows, format, write);
      },
    });
  },
);
