/** `dprof critical-path`: what determined how long each step took. */
import { withoutChosenSteps } from '../../prof/input/record-choice.js';
import { BOUNDS } from '../../prof/critical-path/bounds.js';
import { CriticalPaths, pathDocuments } from '../../prof/critical-path/critical-path.js';
import { PATH_COLUMNS } from '../../prof/critical-path/path-columns.js';
import { MOST_ERROR } from '../../prof/critical-path/step-paths.js';
import { WhatIf } from '../../prof/critical-path/what-if.js';
import { Annotator } from '../../prof/report/report.js';
import { jsonLines } from '../../record/control-characters.js';
import { aligned } from '../../write/cell-text.js';
import { integer, numberList, type Option } from '../arguments.js';
import { RANK_OPTION, TIME_NAMES, TIME_OPTIONS } from '../choice-options.js';
import { recordsCommand, withTableFormats } from '../records-command.js';
import { printAnswer, runAnalysis } from '../run-analysis.js';
import { criticalPathScreen } from '../screens/critical-path.js';
import { columnNotes, tableChoice, tableOptions, unfit } from '../shared-options.js';

const OPTIONS: readonly Option[] = [
  RANK_OPTION,
  { ...{ name: 'step', takes: 'LIST', conflicts: TIME_NAMES }, help: 'only these steps, e.g. 3 or 10-19' },
  ...TIME_OPTIONS,
  {
    ...{ name: 'what-if', takes: 'CHANGE', repeats: true },
    help: "predict step times after a change, e.g. 'op==mm: 0.5' or 'op==mm: roof'; may be given several times",
  },
];

/** Rows of the path in the text. */
const USUAL_TOP = 20;

export const criticalPath = recordsCommand(
  {
    name: 'dprof critical-path',
    usage: 'dprof critical-path [OPTION...] [FILE...]',
    about: ['What determined how long each step took: the longest chain of launches, work, waits and CPU code.'],
    operands: ['FILE: records from dparse --ranges (also .gz), or a profile. Default: stdin.'],
    options: [...OPTIONS, ...tableOptions(PATH_COLUMNS.map(({ key }) => key))],
    unfit: {
      ...unfit(['device', 'stream'], 'a path leads through all devices and streams of a profile'),
      ...unfit(['where'], 'a path leads through all work; use -f csv and filter the rows'),
      ...unfit(['peaks'], 'a path has no rates; use dprof --by op --peaks DEV'),
    },
    notes: [
      columnNotes('Columns:', PATH_COLUMNS),
      [
        'Kinds of time that bound a step:',
        ...aligned(Object.entries(BOUNDS).map(([bound, doc]) => [`  ${bound}`, doc])),
      ],
      [
        'A step lasts from its start on the CPU, or from the end of the previous step if that is later, to the end of its work',
        'on the CPU and the device. A profile without steps counts as one step, from its first launch until the CPU knew that the',
        'last work on a device had ended. The time chosen with --from, --to or --range also counts as one step.',
        'replayed: how long the step would take if each event began as soon as its causes allow. It lacks time whose cause is',
        `not in the profile; if it differs from the measured time by more than ${100 * MOST_ERROR}% (error), nothing is predicted.`,
        'CHANGE: EXPR: FACTOR. EXPR selects kernels, as in dprof --where, or is a kind of time such as communication or',
        'launch. FACTOR multiplies that time; if several changes concern the same time, their factors multiply. With roof as',
        'FACTOR, each kernel takes the minimum time that its FLOPs and bytes allow on its device (column floor of dprof).',
        'The prediction is a replay with the changed times. It can be as wrong as the replay without changes, whose error is in',
        'column error.',
        'Other CHANGEs: ranks: equal lets kernels, copies and CPU code take as long on each rank as on the median rank.',
        'device: DEV (a name of dprof --devices) runs each kernel as close to the roofline of DEV as it ran to that of its',
        'own device. With device, kernels keep their time if their work is unknown, or if they are bound by neither arithmetic',
        'nor memory; with roof, if their minimum time is unknown. A note counts them.',
        'fuse: A+B merges two consecutive ops or kernels into one kernel: B begins when A ends, and has no launch.',
        'Several profiles of one job form one graph: an operation between ranks ends when the last of them has joined and its',
        'transfer is over, so that a path leads from rank to rank. With the profile of one rank only, its waits for other ranks',
        'are replayed as recorded.',
        'Output: json has one object per step. Text adds up the parts of all paths, other formats have one row per step and',
        'part. --top N keeps the N longest parts: in text of all paths, in json of each path, else the first N rows.',
        'Times are in us in text, in ns in all other formats.',
        'Memory: at most 300 MB, and 1.5 kB for each piece of work in the largest profile; in a job, also 1 kB for each',
        'piece of work of all ranks.',
      ],
    ],
    examples: [
      'dprof critical-path net.pt.trace.json.gz',
      "dprof critical-path --what-if 'op==mm: 0.5' --what-if 'communication: 0' net.sqlite",
      "dprof critical-path --what-if 'op==mm: roof' net.pt.trace.json.gz",
      "dprof critical-path --what-if 'ranks: equal' traces/rank*.json.gz",
      "dprof critical-path --what-if 'device: H100 SXM' net.pt.trace.json.gz",
      'dprof critical-path --step 12 -c bound,name,line,time,share net.sqlite',
      "dparse --ranges net.sqlite | dprof critical-path -f json | jq '.answer[].bounds'",
    ],
  },
  withTableFormats('text', 'json'),
  (given, request) => {
    const chosen = tableChoice(given, PATH_COLUMNS, {
      ...request,
      documents: ['json'],
      hasTextTop: true,
      first: ['step', 'bound', 'name', 'time', 'share', 'runs'],
    });
    const top = given.read('top', (text) => integer('--top', text, 1));
    const steps = given.read('step', (text) => numberList('--step', text));
    const { choice } = request;
    const changes = given.texts('what-if');
    const whatIf = changes.length === 0 ? undefined : new WhatIf(changes);
    const analysis = new CriticalPaths({ steps, windowOf: choice && ((profile) => choice.windowOf(profile)), whatIf });
    return runAnalysis(request, {
      analysis,
      annotator: new Annotator(null, whatIf?.needsWork === true),
      print: ({ table, facts }, write) => {
        if (steps !== undefined && facts.every((profile) => profile.steps.length === 0))
          throw withoutChosenSteps(analysis.steps);
        const { format, width } = request;
        return printAnswer(table, { format, width, chosen }, write, {
          text: () =>
            facts
              .map((profile) => criticalPathScreen(profile, width, top ?? USUAL_TOP, whatIf !== undefined))
              .join('\n'),
          json: () => jsonLines(facts.flatMap((paths) => pathDocuments(paths, top))),
        });
      },
    });
  },
);
