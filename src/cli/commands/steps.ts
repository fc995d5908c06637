/** `dprof steps`: records → where the time of each training step went. */
import { stringify } from 'csv-stringify/sync';
import { STEP_COLUMNS, type StepColumn } from '../../prof/steps/step-columns.js';
import { MOST_STEPS } from '../../prof/steps/host-steps.js';
import { STEP_TYPES, Steps, type ProfileSteps, type StepRow } from '../../prof/steps/steps.js';
import { counted } from '../../record/plural.js';
import { UserError } from '../../record/errors.js';
import { clean } from '../../write/cell-text.js';
import { aligned } from '../aligned.js';
import { optionLines, type Tool } from '../arguments.js';
import type { Command } from '../commands.js';
import { commonOptions, runAnalysis, profileHeading, readCommon } from '../run-analysis.js';
import { withOutput } from '../output.js';

const FORMATS = ['text', 'json', 'csv'] as const;
type Format = (typeof FORMATS)[number];
const UNKNOWN = 'na';

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
    ...aligned(STEP_COLUMNS.map(({ name, doc }) => [`  ${name}`, doc])),
    '',
    'Rows: a step by its number, - for what belongs to none, all for everything. text has us, csv and json ns.',
    'Communication: collective operations, and kernels of NCCL, RCCL or a process group. Unknown is na (json: null):',
    'preparing and the copies of a step, unless records tell when steps ran on the host: those of dparse --ranges do.',
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
  const steps = new Steps();
  await runAnalysis(common, {
    types: STEP_TYPES,
    take: (record) => {
      steps.take(record);
    },
    end: (write) => {
      if (steps.activities === 0) throw nothing(steps);
      return write(WRITERS[common.format](steps.profiles.filter(({ rows }) => rows.length > 0)));
    },
    notes: () => notesOf(steps),
  });
}

function nothing({ untimed }: Steps): UserError {
  if (untimed === 0) return new UserError('no kernels and no collectives');
  return new UserError('no record tells when it started or how long it took', {
    hint: 'a net.dict of PyProf has no times: run dparse on the profile itself',
  });
}

function notesOf({ untimed, late, graphs }: Steps): string[] {
  const notes: string[] = [];
  if (untimed > 0) notes.push(`${counted(untimed, 'record')} without a time left out`);
  if (late > 0) notes.push(`${counted(late, 'record')} not in order of start: times are too small`);
  if (graphs > 0) notes.push(`${counted(graphs, 'graph launch')} traced as a whole: taken for computing`);
  return notes;
}

const WRITERS: Readonly<Record<Format, (profiles: readonly ProfileSteps[]) => string>> = {
  text: (profiles) => profiles.map(textOf).join('\n'),
  csv: csvOf,
  json: jsonOf,
};

/** Times in us with all digits: records have whole ns. */
function cellOf(row: StepRow, { value, unit }: StepColumn): string {
  const amount = value(row);
  if (amount === null) return UNKNOWN;
  return unit === 'ns' ? (amount / 1000).toFixed(3) : String(amount);
}

function textOf({ profile, header, rows }: ProfileSteps): string {
  const columns = STEP_COLUMNS.filter(({ long }) => long !== true);
  const head = ['device', 'step', ...columns.map(({ name }) => name)];
  const cells = rows.map((row) => [
    String(row.device),
    String(row.step),
    ...columns.map((column) => cellOf(row, column)),
  ]);
  // The last cell of a row ends it: an empty one lets all numbers stand to the right.
  const lines = aligned(
    [head, ...cells].map((line) => [...line, '']),
    new Set(head.keys()),
  );
  return `${[`${profileHeading(profile, header)}, times in us`, ...lines].map(clean).join('\n')}\n`;
}

function csvOf(profiles: readonly ProfileSteps[]): string {
  const head = ['profile', 'file', 'rank', 'device', 'step', ...STEP_COLUMNS.map(nameWithUnit)];
  const lines = profiles.flatMap(({ profile, header, rows }) =>
    rows.map((row) => [
      ...[profile, header?.file ?? UNKNOWN, header?.rank ?? UNKNOWN, row.device, row.step].map((cell) =>
        clean(String(cell)),
      ),
      ...STEP_COLUMNS.map(({ value }) => String(value(row) ?? UNKNOWN)),
    ]),
  );
  return stringify([head, ...lines], { record_delimiter: '\n' });
}

const nameWithUnit = ({ name, unit }: StepColumn): string => (unit === 'ns' ? `${name}_ns` : name);

/** One object a line and row. */
function jsonOf(profiles: readonly ProfileSteps[]): string {
  return profiles
    .flatMap(({ profile, header, rows }) =>
      rows.map((row) => {
        const place = { profile, file: header?.file ?? null, rank: header?.rank ?? null };
        const values = STEP_COLUMNS.map(({ name, value }) => [name, value(row)] as const);
        return `${JSON.stringify({ ...place, device: row.device, step: row.step, ...Object.fromEntries(values) })}\n`;
      }),
    )
    .join('');
}

export const steps: Command = {
  tool: STEPS,
  helpText: stepsHelp,
  run,
};
