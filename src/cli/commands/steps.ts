/** `dprof steps`: how the time of each step of training or serving was spent. */
import { requireName, UsageError } from '../../record/errors.js';
import { withoutChosenSteps } from '../../prof/input/record-choice.js';
import {
  columnsOf,
  STEP_COLUMNS,
  SERVING_STEP_COLUMNS,
  STEP_TIME_COLUMNS,
  type StepRow,
} from '../../prof/steps/step-columns.js';
import { REGION_COLUMNS, REGION_FIGURES, spansOf, type RegionRow } from '../../prof/steps/region-columns.js';
import { REGION_KEYS, Regions, type ProfileRegions } from '../../prof/steps/regions.js';
import { Annotator } from '../../prof/report/report.js';
import { MOST_STEPS } from '../../prof/steps/host-steps.js';
import { Steps, type ProfileSteps } from '../../prof/steps/steps.js';
import { aligned, alignedTable } from '../../write/cell-text.js';
import { DEVICE_MEMORY, recordsCommand, withTableFormats, type RecordsRequest } from '../records-command.js';
import { printAnswer, runAnalysis } from '../run-analysis.js';
import { numberList, type Arguments, type Option } from '../arguments.js';
import { PEAKS_OPTION, readPeaks } from '../peaks-option.js';
import { PLACE_OPTIONS, TIME_OPTIONS } from '../choice-options.js';
import { columnNotes, tableChoice, tableOptions, unfit } from '../shared-options.js';
import { binsOf } from '../../record/statistics.js';
import { many } from '../../record/plural.js';
import type { Column } from '../../table/column.js';
import { readable } from '../../table/readable.js';
import { fittedLines } from '../../write/fitted-table.js';
import { profileHeading, screenText } from '../screens/layout.js';

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
  const known = profiles.flatMap(({ rows }) => rows.flatMap(({ step }) => (typeof step === 'number' ? step : [])));
  if (numbers !== undefined && !known.some((step) => numbers.has(step))) throw withoutChosenSteps(known);
}

// `dprof steps` on one screen.

const screenColumns = (rows: ProfileSteps['rows']): Column<StepRow>[] =>
  columnsOf(rows)
    .filter(({ machineOnly }) => machineOnly !== true)
    .map((column) => readable(column, column.key));

/** Columns on a terminal: first the duration of a step, then its parts. */
const FIRST = ['device', 'step', 'iteration', 'span', 'busy', 'computing', 'exposed', 'copies', 'idle', 'kernels'];

/** With their keys as headers, and without the device if there is only one. */
function onTerminal<Row extends Pick<StepRow, 'device'>>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
): Column<Row>[] {
  const hasSeveral = new Set(rows.map(({ device }) => device)).size > 1;
  return columns
    .filter(({ key }) => hasSeveral || key !== 'device')
    .map((column) => ({ ...column, header: column.key }));
}

function terminalColumns(rows: ProfileSteps['rows']): Column<StepRow>[] {
  const columns = columnsOf(rows).filter(({ machineOnly }) => machineOnly !== true);
  const placeOf = ({ key }: Column<StepRow>): number => FIRST.indexOf(key) + 1 || FIRST.length + 1;
  return onTerminal(columns, rows).sort((a, b) => placeOf(a) - placeOf(b));
}

/**
 * One profile: its name, then its steps. Times are in us unless the output is a terminal.
 * @param width width of the terminal; null for any other output
 */
function stepsScreen({ profile, header, rows }: ProfileSteps, width: number | null): string {
  const heading = profileHeading(profile, header);
  if (width !== null)
    return screenText([heading, ...fittedLines(terminalColumns(rows), [...rows], width)], undefined, width);
  return screenText([`${heading}, times in us`, ...alignedTable(screenColumns(rows), rows)]);
}

/** Columns of regions in text, in order; -c chooses others. */
const SHOWN = [
  ...['device', 'region', 'passes', 'lost', 'span_p50', 'span', 'busy', 'idle', 'exposed', 'mfu', 'idle_host'],
  ...['idle_queue', 'kernels', 'collectives', 'bytes', 'span_p90', 'span_p99', 'iteration_p50'],
];

/** Further columns where the passes are steps of a server. */
const SHOWN_OF_SERVERS = [
  ...['context_tokens', 'generation_tokens', 'tokens_per_s', 'flops', 'known', 'peak', 'bw', 'roof', 'bound'],
];

/** Maximum number of characters of a bar. */
const BAR = 40;

/** The number of passes whose span is known. */
const spansText = (known: number, all: number): string =>
  known === all ? many(all, 'pass') : `${known} of ${many(all, 'pass')}`;

/** The spans of a region's passes: a line for each bin, in us. */
function histogramLines(row: RegionRow): string[] {
  const spans = spansOf(row);
  const bins = binsOf(spans);
  const most = bins.reduce((high, { count }) => Math.max(high, count), 0);
  const us = (ns: number): string => String(Number((ns / 1e3).toPrecision(6)));
  const lines = bins.map(({ from, to, count }) => [
    ...[us(from), us(to), String(count)],
    '#'.repeat(Math.ceil((BAR * count) / most)),
  ]);
  return ['', `## ${row.region.trim()}, device ${row.device}: spans of ${spansText(spans.length, row.passes.length)}`, ...aligned([['from us', 'to us', 'passes', ''], ...lines], new Set([0, 1, 2]))]; // prettier-ignore
}

/** One profile: its name, then its regions, those with the most busy time first. Times are in us unless the output is a terminal. */
function regionsScreen(
  { profile, header, rows }: ProfileRegions,
  { width, hasHistogram }: { readonly width: number | null; readonly hasHistogram: boolean },
): string {
  const isServed = rows.some(({ isSteps, passes }) => isSteps && passes.some(({ served }) => served !== null));
  const hasLost = rows.some(({ passes }) => passes.some(({ isLost }) => isLost === true));
  const keys = (isServed ? [...SHOWN, ...SHOWN_OF_SERVERS] : SHOWN).filter((key) => key !== 'lost' || hasLost);
  const columns = keys.flatMap((key) => REGION_COLUMNS.find((column) => column.key === key) ?? []);
  const heading = profileHeading(profile, header);
  const histograms = hasHistogram ? rows.flatMap(histogramLines) : [];
  if (width !== null) {
    return screenText([heading, ...fittedLines(onTerminal(columns, rows), [...rows], width), ...histograms], undefined, width); // prettier-ignore
  }
  const shown = columns.map((column) => readable(column, column.key));
  return screenText([`${heading}, times in us, bytes in MiB, mfu in %`, ...alignedTable(shown, rows), ...histograms]);
}

/** A row for each region. @throws UsageError for a histogram in a format without one */
async function runRegions(by: string, given: Arguments, request: RecordsRequest): Promise<void> {
  const chosen = tableChoice(given, REGION_COLUMNS, { ...request, first: SHOWN.filter((key) => key !== 'lost') });
  const hasHistogram = given.on('histogram');
  if (hasHistogram && (chosen !== null || request.format !== 'text'))
    throw new UsageError('--histogram needs -f text and cannot be combined with -c, --sort or --top');
  const numbers = given.read('step', (text) => numberList('--step', text));
  await runAnalysis(request, {
    analysis: new Regions(by, numbers, MOST_STEPS, (profile) => request.choice?.windowOf(profile)),
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
    schemaOf: (given) => (given.text('by') === undefined ? 'steps' : 'regions'),
    about: [
      'Where the time of each step of training or serving went, on each device: compute, communication or neither.',
    ],
    operands: ['FILE: dparse records (also .gz), a profile, or output of dprof partial. Default: stdin.'],
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
      columnNotes('Columns:', STEP_TIME_COLUMNS),
      columnNotes('For the steps of an LLM server (vLLM, SGLang, ATOM), also:', SERVING_STEP_COLUMNS),
      [
        'With --by, figures are sums over the passes of a region. A pass is the work launched in one range, or in one step; a',
        'range inside another of the same name belongs to the pass of the outer one.',
        ...columnNotes('Further columns:', REGION_ONLY),
      ],
      ['Regions:', ...aligned(Object.entries(REGION_KEYS).map(([name, { doc }]) => [`  ${name}`, doc]))],
      [
        'Rows: one per step; - is work outside steps; all is the total. Times are in us in text, in ns in all other formats.',
        'Communication: collective operations, and kernels of NCCL, RCCL or a process group. Values are na (json:',
        'null) if unknown, as preparing and copies are if the profile does not record steps on the CPU.',
        `Memory: at most 300 MB, for ${MOST_STEPS} steps, counted on each device, and ${DEVICE_MEMORY}; with --by, also 250 bytes for`,
        'each range, and 2.5 kB for each name of ranges.',
      ],
    ],
    examples: [
      'dprof steps ascend_pytorch_profiler_0.db',
      'dparse trace.json.gz | dprof steps',
      'dprof steps --by range --histogram trace.json.gz',
      'dparse ranks/*.json.gz | dprof steps -f csv > steps.csv',
      'dprof steps -f json trace.json.gz | jq \'.answer[] | select(.step != "all") | [.step, .free]\'',
    ],
  },
  withTableFormats('text'),
  (given, request) => {
    const by = given.read('by', (text) => requireName('kind of region', text, REGION_NAMES));
    if (by !== undefined) return runRegions(by, given, request);
    const stray = given.on('histogram') ? 'histogram' : given.text('peaks') === undefined ? null : 'peaks';
    if (stray !== null) throw new UsageError(`--${stray} needs --by`, `--by takes ${REGION_NAMES.join(', ')}`);
    const chosen = tableChoice(given, ALL_COLUMNS, { ...request, first: FIRST });
    const numbers = given.read('step', (text) => numberList('--step', text));
    return runAnalysis(request, {
      analysis: new Steps(),
      print: ({ facts }, write) => {
        const profiles = facts.map((profile) => chosenOf(profile, numbers));
        refuseNone(facts, numbers);
        const rows = profiles.flatMap((profile) => profile.rows);
        return printAnswer({ columns: columnsOf(rows), rows }, { ...request, chosen }, write, {
          text: () => profiles.map((steps) => stepsScreen(steps, request.width)).join('\n'),
        });
      },
    });
  },
);
