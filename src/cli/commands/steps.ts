/** `dprof steps`: where the time of each training step went. */
import { STEP_COLUMNS, STEP_TIME_COLUMNS } from '../../prof/steps/step-columns.js';
import { MOST_STEPS } from '../../prof/steps/host-steps.js';
import { Steps, type ProfileSteps } from '../../prof/steps/steps.js';
import { readable } from '../../table/readable.js';
import { aligned, alignedTable } from '../../write/aligned.js';
import { clean } from '../../write/cell-text.js';
import { optionLines, type Tool } from '../arguments.js';
import type { Command } from '../command.js';
import { withOutput } from '../output.js';
import {
  commonOptions,
  printTable,
  profileHeading,
  readCommon,
  runAnalysis,
  withTableFormats,
} from '../run-analysis.js';

const FORMATS = withTableFormats('text');

const STEPS: Tool = {
  name: 'dprof steps',
  usage: 'dprof steps [OPTION...] [FILE...]',
  options: commonOptions(FORMATS),
};

const stepsHelp = (): string =>
  [
    `Usage: ${STEPS.usage}`,
    'Where the time of each training step went, on each device: computing, communication, neither.',
    '',
    'FILE: records of dparse (also .gz), or a profile. Default: stdin.',
    '',
    'Options:',
    ...optionLines(STEPS.options),
    '',
    'Columns, time during which:',
    ...aligned(STEP_TIME_COLUMNS.map(({ key, doc }) => [`  ${key}`, doc])),
    '',
    'Rows: a step by its number, - for work outside of steps, all for everything. text has us, all other formats ns.',
    'Communication: collective operations, and kernels of NCCL, RCCL or a process group. Unknown is na (json: null):',
    'preparing and the copies of a step, unless records say when steps ran on the host: those of dparse --ranges do.',
    `Memory: at most 250 MB, for ${MOST_STEPS} steps.`,
    '',
    'Examples:',
    '  dprof steps ascend_pytorch_profiler_0.db',
    '  dparse --ranges trace.json.gz | dprof steps',
    '  dparse ranks/*.json.gz | dprof steps -f csv > steps.csv',
    '  dprof steps -f json trace.json.gz | jq \'select(.step != "all") | [.step, .free]\'',
    '',
  ].join('\n');

async function run(args: readonly string[]): Promise<void> {
  const { common } = readCommon(STEPS, args, FORMATS);
  if (common.help) return withOutput(undefined, [], async (write) => write(stepsHelp()));
  await runAnalysis(common, {
    analysis: new Steps(),
    print: ({ table, facts }, write) =>
      common.format === 'text' ? write(facts.map(screenOf).join('\n')) : printTable(table, common.format, write),
  });
}

const SCREEN_COLUMNS = STEP_COLUMNS.filter(({ machineOnly }) => machineOnly !== true).map((column) =>
  readable(column, column.key),
);

/** One profile: its name, then its steps with times in us. */
function screenOf({ profile, header, rows }: ProfileSteps): string {
  const lines = [`${profileHeading(profile, header)}, times in us`, ...alignedTable(SCREEN_COLUMNS, rows)];
  return `${lines.map(clean).join('\n')}\n`;
}

export const steps: Command = { tool: STEPS, helpText: stepsHelp, run };
