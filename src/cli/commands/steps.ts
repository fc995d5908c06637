/** `dprof steps`: where the time of each step of training or serving went. */
import { SERVING_STEP_COLUMNS, STEP_TIME_COLUMNS } from '../../prof/steps/step-columns.js';
import { MOST_STEPS } from '../../prof/steps/host-steps.js';
import { Steps } from '../../prof/steps/steps.js';
import { aligned } from '../../write/cell-text.js';
import { DEVICE_MEMORY, recordsCommand, withTableFormats } from '../records-command.js';
import { terminalWidth } from '../output.js';
import { printTable, runAnalysis } from '../run-analysis.js';
import { stepsScreen } from '../screens/steps.js';

export const steps = recordsCommand(
  {
    name: 'dprof steps',
    usage: 'dprof steps [OPTION...] [FILE...]',
    about: [
      'Where the time of each step of training or serving went, on each device: computing, communication, neither.',
    ],
    operands: ['FILE: records of dparse (also .gz), a profile, or dprof partial. Default: stdin.'],
    options: [],
    notes: [
      ['Columns, time during which:', ...aligned(STEP_TIME_COLUMNS.map(({ key, doc }) => [`  ${key}`, doc]))],
      [
        'Where the names of steps are those of a server of language models (vLLM, SGLang, ATOM), also:',
        ...aligned(SERVING_STEP_COLUMNS.map(({ key, doc }) => [`  ${key}`, doc])),
      ],
      [
        'Rows: a step by its number, - for work outside of steps, all for everything. text has us, all other formats ns.',
        'Communication: collective operations, and kernels of NCCL, RCCL or a process group. Unknown is na (json: null):',
        'preparing and the copies of a step where the profile does not say when steps ran on the host.',
        `Memory: at most 300 MB, for ${MOST_STEPS} steps, counted on each device, and ${DEVICE_MEMORY}.`,
      ],
    ],
    examples: [
      'dprof steps ascend_pytorch_profiler_0.db',
      'dparse trace.json.gz | dprof steps',
      'dparse ranks/*.json.gz | dprof steps -f csv > steps.csv',
      'dprof steps -f json trace.json.gz | jq \'select(.step != "all") | [.step, .free]\'',
    ],
  },
  withTableFormats('text'),
  (_given, request) =>
    runAnalysis(request, {
      analysis: new Steps(),
      print: ({ table, facts }, write) =>
        request.format === 'text'
          ? write(facts.map((steps) => stepsScreen(steps, terminalWidth(request.output))).join('\n'))
          : printTable(table, request.format, write),
    }),
);
