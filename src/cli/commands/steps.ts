/** `dprof steps`: how the time of each step of training or serving was spent. */
import { requireName, UsageError } from '../../record/errors.js';
import { withoutChosenSteps } from '../../prof/analysis.js';
import { columnsOf, STEP_COLUMNS, SERVING_STEP_COLUMNS, STEP_TIME_COLUMNS } from '../../prof/steps/step-columns.js';
import { REGION_COLUMNS, REGION_FIGURES } from '../../prof/steps/region-columns.js';
import { REGION_KEYS, Regions } from '../../prof/steps/regions.js';
import { Annotator } from '../../prof/report/report.js';
import { MOST_STEPS } from '../../prof/steps/host-steps.js';
import { Steps, type ProfileSteps } from '../../prof/steps/steps.js';
import { aligned } from '../../write/cell-text.js';
import { DEVICE_MEMORY, recordsCommand, withTableFormats, type RecordsRequest } from '../records-command.js';
import { printAnswer, runAnalysis } from '../run-analysis.js';
import { numberList, type Arguments, type Option } from '../arguments.js';
import { PEAKS_OPTION, readPeaks } from '../peaks-option.js';
import { PLACE_OPTIONS, TIME_OPTIONS } from '../choice-options.js';
import { tableChoice, tableOptions, unfit } from '../shared-options.js';
import { regionsScreen, stepsScreen } from '../screens/steps.js';

const STEPS_OPTION: Option = { name: 'step', takes: 'LIST', help: 'only the rows of these steps, e.g. 3 or 10-19' };

const ALL_COLUMNS = [...STEP_COLUMNS, ...SERVING_STEP_COLUMNS];
const KEYS = [...new Set([...ALL_COLUMNS, ...REGION_COLUMNS].map(({ key }) => key))];
const REGION_NAMES = Object.keys(REGION_KEYS);
const REGION_ONLY = REGION_FIGURES.filter(({ key }) => ALL_COLUMNS.every((column) => column.key !== key));

/** The selected steps of a profile; all when undefined. */
const chosenOf = (profile: ProfileSteps, numbers: ReadonlySet<number> | undefined): ProfileSteps =>
  numbers === undefined
    ? profile
    : { ...profile, rows: profile.rows.filter(({ step }) => typeof step === 'number' && numbers.has(step)) };

/** @throws UserError when none of the steps exists */
function refuseNone(profiles: readonly ProfileSteps[], numbers: ReadonlySet<number> | undefined): void {
  if (numbers !== undefined && profiles.every(({ rows }) => rows.length === 0)) throw withoutChosenSteps();
}

/** A row for each region. @throws UsageError for a histogram in a format without one */
async function runRegions(by: string, given: Arguments, request: RecordsRequest): Promise<void> {
  const chosen = tableChoice(given, REGION_COLUMNS, request);
  const hasHistogram = given.on('histogram');
  if (hasHistogram && (chosen !== null || request.format !== 'text'))
    throw new UsageError('--histogram needs text, without -c, --sort and --top');
  const numbers = given.read('step', (text) => numberList('--step', text));
  await runAnalysis(request, {
    analysis: new Regions(by, numbers),
    annotator: new Annotator(readPeaks(given)),
    print: ({ table, facts }, write) =>
      printAnswer(table, { ...request, chosen }, write, {
        text: () => facts.map((regions) => regionsScreen(regions, { width: request.width, hasHistogram })).join('\n'),
      }),
  });
}

export const steps = recordsCommand(
  {
    name: 'dprof steps',
    usage: 'dprof steps [OPTION...] [FILE...]',
    about: [
      'Where the time of each step of training or serving went, on each device: compute, communication or neither.',
    ],
    operands: ['FILE: records of dparse (also .gz), a profile, or output of dprof partial. Default: stdin.'],
    options: [
      {
        name: 'by',
        takes: 'KEY',
        values: REGION_NAMES,
        help: `one row per region, summed over its passes: ${REGION_NAMES.join(', ')}`,
      },
      { name: 'histogram', help: 'with --by, in text: the distribution of the spans of passes' },
      PEAKS_OPTION,
      ...PLACE_OPTIONS,
      STEPS_OPTION,
      ...TIME_OPTIONS,
      ...tableOptions(KEYS),
    ],
    unfit: {
      ...unfit(['where'], 'step times cover all work; to filter, use dprof --by step,op --where EXPR'),
    },
    notes: [
      ['Columns:', ...aligned(STEP_TIME_COLUMNS.map(({ key, doc }) => [`  ${key}`, doc]))],
      [
        'For the steps of an LLM server (vLLM, SGLang, ATOM), also:',
        ...aligned(SERVING_STEP_COLUMNS.map(({ key, doc }) => [`  ${key}`, doc])),
      ],
      [
        'With --by, figures are sums over the passes of a region. A pass is the work launched in one range, or in one step; a',
        'range inside another of the same name belongs to the pass of the outer one. Further columns:',
        ...aligned(REGION_ONLY.map(({ key, doc }) => [`  ${key}`, doc])),
      ],
      ['Regions:', ...aligned(Object.entries(REGION_KEYS).map(([name, { doc }]) => [`  ${name}`, doc]))],
      [
        'Rows: one per step; - is work outside steps; all is the total. Times are us in text, ns in all other formats.',
        'Communication: collective operations, and kernels of NCCL, RCCL or a process group. Values are na (json:',
        'null) if unknown, as preparing and copies are if the profile does not record steps on the CPU.',
        `Memory: at most 300 MB, for ${MOST_STEPS} steps, counted on each device, and ${DEVICE_MEMORY}.`,
      ],
    ],
    examples: [
      'dprof steps ascend_pytorch_profiler_0.db',
      'dparse trace.json.gz | dprof steps',
      'dprof steps --by range --histogram trace.json.gz',
      'dparse ranks/*.json.gz | dprof steps -f csv > steps.csv',
      'dprof steps -f json trace.json.gz | jq \'select(.step != "all") | [.step, .free]\'',
    ],
  },
  withTableFormats('text'),
  (given, request) => {
    const by = given.read('by', (text) => requireName('kind of region', text, REGION_NAMES));
    if (by !== undefined) return runRegions(by, given, request);
    const stray = given.on('histogram') ? 'histogram' : given.text('peaks') === undefined ? null : 'peaks';
    if (stray !== null) throw new UsageError(`--${stray} needs --by`, `--by takes ${REGION_NAMES.join(', ')}`);
    const chosen = tableChoice(given, ALL_COLUMNS, request);
    const numbers = given.read('step', (text) => numberList('--step', text));
    return runAnalysis(request, {
      analysis: new Steps(),
      print: ({ facts }, write) => {
        const profiles = facts.map((profile) => chosenOf(profile, numbers));
        refuseNone(profiles, numbers);
        const rows = profiles.flatMap((profile) => profile.rows);
        return printAnswer({ columns: columnsOf(rows), rows }, { ...request, chosen }, write, {
          text: () => profiles.map((steps) => stepsScreen(steps, request.width)).join('\n'),
        });
      },
    });
  },
);
