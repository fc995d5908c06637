/** Options and help of `dprof diff`. */
import { isDecimal } from '../../../record/units.js';
import { COLUMNS, requireColumn, requireColumnAmong } from '../../../prof/columns/columns.js';
import { DIFF_COLUMNS, diffLineColumns } from '../../../prof/diff/diff-columns.js';
import { LEAST_ROWS } from '../../../prof/diff/common.js';
import { DEFAULT_BY, MOST_ROWS } from '../../../prof/diff/comparison.js';
import { parseCondition } from '../../../prof/diff/fail-if.js';
import { MOST_SUMS } from '../../../prof/diff/input-sums.js';
import { ALIGNMENTS } from '../../../prof/diff/tree/alignment.js';
import { CAUSES } from '../../../prof/diff/tree/effects.js';
import { TREE_COLUMNS } from '../../../prof/diff/tree/tree-columns.js';
import { DEFAULTS, VERDICTS } from '../../../prof/diff/verdict.js';
import { splitKeys } from '../../../table/column.js';
import { counted } from '../../../record/plural.js';
import { UsageError } from '../../../record/errors.js';
import { aligned } from '../../../write/cell-text.js';
import { BASELINE_OPTIONS, comparedInputs } from './baselines.js';
import { HELP_OPTION, MAX_CHARS_OPTION, integer, OUTPUT_OPTION, type Arguments, type Tool } from '../../arguments.js';
import { PEAKS_OPTION, readPeaks } from '../../peaks-option.js';
import type { RecordChoice } from '../../../prof/input/record-choice.js';
import { CHOICE_OPTIONS, readChoice } from '../../choice-options.js';
import {
  READING_OPTIONS,
  tableChoice,
  columnNotes,
  columnsOption,
  sortOption,
  WHERE_OPTION,
  WIDTH_OPTION,
  widthOf,
} from '../../shared-options.js';
import { parseWhere } from '../../../prof/query/kernel-query.js';
import { formatOf, formatOption, QUIET_OPTION, readReading, withTableFormats } from '../../records-command.js';

const FORMATS = withTableFormats('text', 'junit');

const COLUMN_KEYS = COLUMNS.map(({ key }) => key);
/** Maximum rows in Markdown, which is mostly used in comments of limited length. */
const MARKDOWN_ROWS = 30;

const percent = (part: number): string => `${100 * part}%`;

/** Value of `--by` for the tree of layers and ops. */
const TREE = 'tree';

const TABLE_KEYS = [
  ...new Set([...COLUMN_KEYS, 'row', 'verdict', ...[...DIFF_COLUMNS, ...TREE_COLUMNS].map(({ key }) => key)]),
];

export const DIFF: Tool = {
  name: 'dprof diff',
  usage: 'dprof diff [OPTION...] BASE NEW',
  about: ['What got slower or faster from one profile to another, by op and layer, tested over the training steps.'],
  operands: [
    'BASE, NEW: dparse records (also .gz), a PyProf net.dict, a profile, or output of dprof partial; - for stdin, one of them.',
  ],
  options: [
    formatOption(FORMATS),
    WIDTH_OPTION,
    MAX_CHARS_OPTION,
    {
      name: 'by',
      takes: 'COLS',
      help: `columns of dprof to group rows by, comma-separated (${DEFAULT_BY.join(',')}); or tree: layers, then ops`,
      values: [...COLUMN_KEYS, TREE],
      list: true,
    },
    WHERE_OPTION,
    ...CHOICE_OPTIONS,
    PEAKS_OPTION,
    {
      name: 'fail-if',
      takes: 'COND',
      help: 'exit code 1 when COND holds, 3 when it cannot be judged; may be given several times',
      repeats: true,
    },
    ...BASELINE_OPTIONS,
    { name: 'min-effect', takes: 'PCT', help: `smallest change of interest (${percent(DEFAULTS.minEffect)})` },
    { name: 'fdr', takes: 'Q', help: `false-discovery rate (${DEFAULTS.rate}); --q means the same` },
    { name: 'min-samples', takes: 'N', help: `steps that each input needs for a test (${DEFAULTS.minSamples})` },
    { name: 'as-is', help: 'keep the shift that all rows of a step share' },
    columnsOption(TABLE_KEYS),
    sortOption(TABLE_KEYS),
    {
      name: 'top',
      takes: 'N',
      help: `only the first N rows (markdown: ${MARKDOWN_ROWS}, otherwise all); in a tree, N parts of each node`,
    },
    ...READING_OPTIONS,
    OUTPUT_OPTION,
    QUIET_OPTION,
    HELP_OPTION,
  ],
  notes: [
    ['Verdicts:', ...aligned(Object.entries(VERDICTS).map(([name, doc]) => [`  ${name}`, doc]))],
    columnNotes('Columns:', DIFF_COLUMNS),
    [
      '--by tree compares every layer, op and call of two profiles of one model, on different devices or with different kernels',
      "or fusions. The changes of a node's parts add up to its change, and so do the causes of a change.",
      'Text and markdown leave out parts with less than 1 % of all changes, unless --top is given. Parts are aligned by:',
      ...aligned(Object.entries(ALIGNMENTS).map(([name, doc]) => [`  ${name}`, doc])),
    ],
    ['Causes in a tree:', ...aligned(Object.entries(CAUSES).map(([name, doc]) => [`  ${name}`, doc]))],
    columnNotes('Columns of a tree:', TREE_COLUMNS),
    [
      'COND: total>+5%, op:conv2d>+3% (COLUMN:NAME), kernel~gemm>+2ms (COLUMN~PART), with > or < and %, ns, us, ms or s;',
      'or a verdict: total=slower, op:conv2d=slower, any=slower (the total or any row; the default of junit).',
      'COND compares the mean step time of all matching kernels together, whatever --by is, without a test.',
      'COND cannot be judged if an input is unreadable or truncated, no kernel matches, or kernels lack durations: exit code 3,',
      'and the report of -o says why.',
      'Steps: mean time is total kernel time over the number of steps; without steps, whole runs are compared.',
      'Profiles of different ranks are one run; several profiles of one rank are several runs.',
      'Test: Mann-Whitney U, two-sided, on the time of each step, with BASE shifted by the minimum effect; Benjamini-Hochberg.',
      `A shift common to all rows of a step (e.g. clock) is removed before rows are tested (not with --as-is), if ${LEAST_ROWS} rows or more`,
      'have a time in every step. The change from BASE to NEW that all rows share is removed too, unless a separate test',
      'confirms it. Then all rows count as slower or faster. The times shown are not changed.',
      'Units: times are in us in text, markdown and junit (base_us, change_%), and ns in all other formats (base_ns,',
      'change_percent). Changes and shares are percentages, not fractions, in every format.',
      `Memory: at most 400 MB: ${MOST_ROWS} rows, ${MOST_SUMS} sums by row and step per input; a note says if this is exceeded.`,
    ],
  ],
  examples: [
    'dprof diff before.json.gz after.json.gz',
    'dprof diff --by kernel --top 20 before.sqlite after.sqlite',
    "dprof diff -q -f junit -o diff.xml --fail-if 'total>+5%' --fail-if 'op:conv2d>+3%' base.jsonl new.jsonl",
    'dprof diff --save-baseline baselines/main main.json.gz && dprof diff --baseline baselines/main --fail-if any=slower new.json.gz',
    'dprof diff -f markdown base.jsonl new.jsonl | gh pr comment --body-file -',
  ],
};

/** Keys of `--by`; null for a tree. */
export function readBy(given: Arguments): readonly string[] | null {
  const keys = splitKeys('--by', given.text('by') ?? DEFAULT_BY.join(','));
  if (keys.length === 1 && keys[0] === TREE) return null;
  if (keys.includes(TREE)) throw new UsageError(`--by ${TREE} cannot be combined with columns`);
  return keys.map((key) => requireColumnAmong(key, [TREE]).key);
}

/** @throws UsageError for invalid options */
export function readDiffArguments(given: Arguments) {
  const format = formatOf(given, FORMATS);
  const width = widthOf(given);
  const keysGiven = readBy(given);
  const isTree = keysGiven === null;
  if (isTree) requireTree(given, format);
  const keys = keysGiven ?? DEFAULT_BY;
  const by = keys.map(requireColumn);
  const documents = ['json', 'junit', 'markdown'];
  const isChosen = given.text('cols') !== undefined || given.text('sort') !== undefined;
  const request = { format, width, documents };
  const chosen = !isChosen
    ? null
    : isTree
      ? tableChoice(given, TREE_COLUMNS, request)
      : tableChoice(given, diffLineColumns(keys), request);
  const inputs = comparedInputs(given);
  const [base = '', next = ''] = inputs;
  if (inputs.length !== 2) {
    throw new UsageError(
      `diff takes two inputs, BASE and NEW, not ${counted(inputs.length, 'input')}`,
      `usage: ${DIFF.usage}`,
    );
  }
  return {
    base,
    new: next,
    output: given.text('output'),
    quiet: given.on('quiet'),
    width,
    /** Columns, order and rows of the table; null for all. */
    chosen,
    format,
    by,
    isTree,
    /** Whether a tree leaves out small changes. */
    isBrief: chosen === null && ['text', 'markdown'].includes(format) && given.text('top') === undefined,
    conditions: given.texts('fail-if').map(parseCondition),
    reading: readReading(given),
    where: given.read('where', parseWhere),
    whereText: given.text('where'),
    /** The part of each profile that is compared; each input has a separate selection. */
    choiceOf: (): RecordChoice | undefined => readChoice(given, DIFF),
    /** Peak rates for all devices of both inputs; null to use their own. */
    device: readPeaks(given),
    settings: {
      rate: given.read('fdr', rateOf) ?? DEFAULTS.rate,
      minEffect: given.read('min-effect', effectOf) ?? DEFAULTS.minEffect,
      minSamples: given.read('min-samples', (text) => integer('--min-samples', text, 1)) ?? DEFAULTS.minSamples,
      asIs: given.on('as-is'),
    },
    /** Maximum number of rows to write; all when rows are sorted afterwards. */
    top:
      chosen !== null && !isTree
        ? Infinity
        : (given.read('top', (text) => integer('--top', text, 0)) ??
          (format === 'markdown' && !isTree ? MARKDOWN_ROWS : Infinity)),
  };
}

/** @throws UsageError for options that have no meaning with a tree */
function requireTree(given: Arguments, format: string): void {
  if (given.text('sort') !== undefined)
    throw new UsageError('--sort cannot be combined with --by tree', 'parts of a node are sorted by their change');
  if (format === 'junit' && given.texts('fail-if').length === 0)
    throw new UsageError('-f junit with --by tree needs --fail-if', 'without it, test cases are rows of --by COLS');
}

export type DiffRequest = Readonly<ReturnType<typeof readDiffArguments>>;

function rateOf(text: string): number {
  const rate = isDecimal(text) ? Number(text) : NaN;
  if (!(rate > 0 && rate < 1)) throw new UsageError(`--fdr takes a rate between 0 and 1, not '${text}'`);
  return rate;
}

function effectOf(text: string): number {
  const number = text.replace(/%$/, '').trimEnd();
  const effect = isDecimal(number) ? Number(number) : NaN;
  if (!(effect >= 0 && effect <= 1000))
    throw new UsageError(`--min-effect takes a percentage such as 1%, not '${text}'`);
  return effect / 100;
}
