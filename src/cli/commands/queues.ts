/** `dprof queues`: how much launched work waits on each stream, and how long launch calls were blocked. */
import { BLOCKED, FULL, POINT_COLUMNS, QUEUE_COLUMNS, Queues } from '../../prof/queues/queues.js';
import { integer } from '../arguments.js';
import { CHOICE_OPTIONS } from '../choice-options.js';
import { recordsCommand, withTableFormats } from '../records-command.js';
import { printAnswer, runAnalysis } from '../run-analysis.js';
import { queuesScreen } from '../screens/queues.js';
import { columnNotes, tableChoice, tableOptions, unfit } from '../shared-options.js';

/** Number of points of the text. */
const POINTS_IN_TEXT = 10;

export const queues = recordsCommand(
  {
    name: 'dprof queues',
    usage: 'dprof queues [OPTION...] [FILE...]',
    schemaOf: (given) => (given.text('points') === undefined ? 'queues' : 'queue-points'),
    about: [
      'How much launched work waits on each stream and over time, and how long a full queue blocked launch calls.',
    ],
    operands: ['FILE: dparse records (also .gz), or a profile. Default: stdin.'],
    options: [
      {
        name: 'points',
        takes: 'N',
        help: 'mean length over time, at most N points per device; only text has the streams too',
      },
      ...CHOICE_OPTIONS,
      ...tableOptions([...QUEUE_COLUMNS, ...POINT_COLUMNS].map(({ key }) => key)),
    ],
    unfit: {
      ...unfit(['where'], 'every kernel of a stream has a position in its queue; use dprof --where EXPR -c idx,queue'),
      ...unfit(['peaks'], 'queues have no rates; use dprof summary --peaks DEV'),
    },
    notes: [
      columnNotes('Columns:', QUEUE_COLUMNS),
      columnNotes('Columns of --points:', POINT_COLUMNS),
      [
        'The length of a queue is counted when a launch call begins: the number of kernels, copies and memsets that earlier calls',
        'launched on the stream and that have not started yet. If queues are short, the device waits for the host; if they are',
        `long, the host runs ahead. A CUDA queue holds about 1,024 launches. A call that begins with at least ${FULL} in the queue`,
        `and takes more than ${BLOCKED / 1000} us waited for a free slot; that costs no time on the device.`,
        'Kernels of graphs do not count, because one call launches all of them.',
        `Output: text has the streams, and the mean length over time at ${POINTS_IN_TEXT} points (--points N). Other formats have one`,
        'row or object per stream, or per point with --points.',
        'Memory: at most 100 MB.',
      ],
    ],
    examples: [
      'dprof queues net.pt.trace.json.gz',
      'dprof queues -f csv --points 500 net.sqlite > queue.csv',
      "dprof queues -f json net.jsonl | jq -r '.answer[] | select(.blocked > 0) | [.stream, .blockedtime] | @tsv'",
    ],
  },
  withTableFormats('text', 'json'),
  async (given, request) => {
    const { format, width } = request;
    const points = given.read('points', (text) => integer('--points', text, 1));
    const chosen =
      points === undefined ? tableChoice(given, QUEUE_COLUMNS, request) : tableChoice(given, POINT_COLUMNS, request);
    await runAnalysis(request, {
      analysis: new Queues(points ?? POINTS_IN_TEXT, points !== undefined),
      // The text has both tables.
      print: ({ table, facts }, write) =>
        printAnswer(table, { format, width, chosen }, write, { text: () => queuesScreen(facts, width) }),
    });
  },
);
