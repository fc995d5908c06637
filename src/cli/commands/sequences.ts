/** `dprof sequences`: kernels that follow each other again and again, as candidates for one fused kernel. */
import { COLUMNS, chooseColumns } from '../../prof/columns/columns.js';
import { parseWhere } from '../../prof/query/kernel-query.js';
import { Annotator } from '../../prof/report/report.js';
import { LONGEST, SHORTEST, SMALL } from '../../prof/sequences/repeated-sequences.js';
import { MOST_KERNELS, MOST_SEQUENCES, SEQUENCE_COLUMNS, Sequences } from '../../prof/sequences/sequences.js';
import { grouped } from '../../record/plural.js';
import { integer } from '../arguments.js';
import { CHOICE_OPTIONS } from '../choice-options.js';
import { recordsCommand, withTableFormats } from '../records-command.js';
import { printAnswer, runAnalysis } from '../run-analysis.js';
import { sequencesScreen } from '../screens/sequences.js';
import { columnNotes, tableChoice, tableOptions, unfit, WHERE_OPTION } from '../shared-options.js';

const MOST_IN_TEXT = 10;

export const sequences = recordsCommand(
  {
    name: 'dprof sequences',
    usage: 'dprof sequences [OPTION...] [FILE...]',
    about: ['Sequences of kernels that recur on a stream, which one fused kernel could replace.'],
    operands: ['FILE: dparse records (also .gz), or a profile. Default: stdin.'],
    options: [
      {
        name: 'kernels',
        short: 'k',
        takes: 'N',
        help: `only sequences of N kernels, from ${SHORTEST} to ${LONGEST} (all of these, except repetitions of a shorter one)`,
      },
      {
        name: 'by',
        takes: 'KEYS',
        help: 'columns that must be equal for kernels to count as the same: op, category, kernel,inner … (kernel)',
        values: COLUMNS.map(({ key }) => key),
        list: true,
      },
      WHERE_OPTION,
      ...CHOICE_OPTIONS,
      ...tableOptions(SEQUENCE_COLUMNS.map(({ key }) => key)),
    ],
    unfit: unfit(['peaks'], 'sequences have no rates; use dprof --by op --peaks DEV'),
    notes: [
      columnNotes('Columns:', SEQUENCE_COLUMNS),
      [
        'Sequences are sorted by the most time that one kernel in their place could save: the gaps between their kernels, and the',
        `time of kernels that take less than ${SMALL / 1000} us. No kernel counts for two sequences. A sequence ends at`,
        'copies, asynchronous transfers, memsets, communication, waits (also of more than 1 ms without work), control flow, and kernels that --where leaves out.',
        `Output: text has at most ${MOST_IN_TEXT} sequences (--top N), other formats one row or object per sequence, at most ${MOST_SEQUENCES} (--top N).`,
        `Memory: 150 bytes per kernel; only the first ${grouped(MOST_KERNELS)} kernels and copies count.`,
      ],
    ],
    examples: [
      'dprof sequences net.pt.trace.json.gz',
      'dprof sequences -k 3 --by op net.sqlite',
      "dprof sequences --where 'category==elementwise' -f csv net.jsonl > fuse.csv",
    ],
  },
  withTableFormats('text', 'json'),
  async (given, request) => {
    const { format, width } = request;
    const chosen = tableChoice(given, SEQUENCE_COLUMNS, { ...request, hasTextTop: true, first: ['sequence'] });
    const top = given.read('top', (text) => integer('--top', text, 1));
    const options = {
      keys: given.read('by', chooseColumns) ?? chooseColumns('kernel'),
      length: given.read('kernels', (text) => integer('--kernels', text, SHORTEST, LONGEST)) ?? null,
      most: top ?? (format === 'text' && chosen === null ? MOST_IN_TEXT : MOST_SEQUENCES),
      where: given.read('where', parseWhere),
    };
    await runAnalysis(request, {
      analysis: new Sequences(options),
      annotator: new Annotator(null, false),
      print: ({ table, facts }, write) =>
        printAnswer(table, { format, width, chosen }, write, { text: () => sequencesScreen(facts, width) }),
    });
  },
);
