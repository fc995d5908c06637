/** The report of `dprof diff`: a comparison, its heading and its notes. */
import { OTHERS, type Comparison, type DiffResult } from './comparison.js';
import { leftOpenBy, type Taken, type Trouble } from './compared-input.js';
import { diffLines, type DiffLine } from './diff-columns.js';
import { lossesOf, type Doubt } from '../input/losses.js';
import { NAMES, differ, type InputFacts, type Pair, type Which } from './input-facts.js';
import type { Judged } from './fail-if.js';
import { basename } from 'node:path';
import { leastP } from './mann-whitney.js';
import { collectivesNote } from '../report/report-tally.js';
import { OTHER_KERNELS } from '../partial/kernels/kernel-part.js';
import { deviceWords } from '../../record/glossary.js';
import { counted } from '../../record/plural.js';
import { groupsOf } from '../../containers/map-entry.js';
import { amountText } from '../../record/units.js';
import { leavesOf, shownNodes, type ChangeNode } from './tree/change-tree.js';
import type { Cause } from './tree/effects.js';

const SIDES: readonly Which[] = ['base', 'new'];

const list = (texts: ReadonlySet<string>): string => [...texts].join(', ');

/** `BASE net.json (kineto): NVIDIA H100, 10 steps, 1540 kernels`. */
function inputLines(comparison: Comparison, taken: Pair<Taken>): string[] {
  return SIDES.filter((which) => taken[which].failure === null).map((which) => {
    const { facts, samples } = comparison.sides[which];
    const format = facts.formats.size > 0 ? ` (${list(facts.formats)})` : '';
    const parts = [
      ...(facts.devices.size > 0 ? [list(facts.devices)] : []),
      ...(facts.profiles > 1 ? [counted(facts.profiles, 'profile')] : []),
      samples.steps > 0 ? counted(samples.steps, 'step') : 'no known steps',
      counted(comparison.total[which].count, workWord(facts)),
    ];
    return `${NAMES[which]} ${basename(taken[which].name)}${format}: ${parts.join(', ')}`;
  });
}

const workWord = ({ vendors }: InputFacts): string =>
  deviceWords({ devices: [...vendors].map((vendor) => ({ vendor })) }).work;

/** How the comparison was tested, in one line. */
function methodLine({ basis, tested }: DiffResult, { rate, minEffect }: Comparison['settings']): string {
  const compared = basis === 'call' ? 'call of BASE' : basis;
  return (
    `mean times per ${compared}; ${counted(tested, 'row')} tested: Mann-Whitney U over ${SAMPLE[basis]}s for changes of more than ` +
    `${round(100 * minEffect)} %, false-discovery rate ${rate} (Benjamini-Hochberg)`
  );
}

/** Name of a test sample. */
const SAMPLE = { step: 'step', run: 'run', call: 'run' } as const;

/**
 * A line saying that runs without steps differ in their kernels and may not be the same work; empty when they do not
 * differ.
 */
function unequalRunsLine({ basis, total }: DiffResult, facts: InputFacts): string[] {
  if (basis !== 'call') return [];
  const [base, next] = [round(total.base.calls), round(total.new.calls)];
  return [
    `${base} ${workWord(facts)}s a run in BASE, ${next} in NEW (${signed(total.callsPercent ?? 0)} %), and no steps: the captures ` +
      'may differ in length, so verdicts and --fail-if use the time of a call; change_% compares whole captures',
  ];
}

const signed = (percent: number): string => `${percent > 0 ? '+' : ''}${percent.toFixed(2)}`;

/** A line about the shift that all rows have in common; empty when it was not removed. */
function commonLine({ basis, common, tested }: DiffResult, { asIs, minEffect }: Comparison['settings']): string[] {
  if (asIs || tested === 0 || common === null) return [];
  const { change, spread, rows, verdict } = common;
  const percent = 100 * (change - 1);
  const shown =
    verdict === 'same'
      ? `not shown to exceed ${round(100 * minEffect)} %: removed from the tests`
      : `${verdict}: kept in the tests`;
  return [
    `shift shared by ${rows} rows: ${(100 * spread).toFixed(2)} % from ${SAMPLE[basis]} to ${SAMPLE[basis]}, removed from ` +
      `the tests; ${signed(percent)} % from BASE to NEW, ${shown}`,
  ];
}

const round = (value: number): number => Number(value.toPrecision(6));

/** What the reader should know before trusting the numbers. @param isTested whether there are verdicts of tests */
function notesOf(comparison: Comparison, result: DiffResult, isTested: boolean): string[] {
  const collectives = collectivesNote(comparison.collectives);
  return [
    ...differences(comparison),
    ...(isTested ? sampleNotes(comparison, result) : withoutSteps(comparison)),
    ...SIDES.flatMap((which) => inputNotes(comparison, result, which)),
    ...(comparison.others > 0
      ? [`too many rows: ${counted(comparison.others, 'kernel')} under ${OTHERS} (use fewer columns in --by)`]
      : []),
    ...(collectives === null ? [] : [collectives.line]),
  ];
}

function differences({ sides: { base, new: next } }: Comparison): string[] {
  const against = (what: string, a: ReadonlySet<string>, b: ReadonlySet<string>): string[] =>
    differ(a, b) ? [`different ${what}: ${list(a)} against ${list(b)}`] : [];
  return [
    ...against('vendors', base.facts.vendors, next.facts.vendors),
    ...against('devices', base.facts.devices, next.facts.devices),
    ...against('profilers', base.facts.formats, next.facts.formats),
  ];
}

function withoutSteps({ sides }: Pick<Comparison, 'sides'>): string[] {
  const without = SIDES.filter((which) => sides[which].samples.steps === 0).map((which) => NAMES[which]);
  return without.length === 0
    ? []
    : [`${without.join(' and ')} ${without.length === 1 ? 'has' : 'have'} no steps: whole runs are compared`];
}

/** Notes on whether there are enough samples to find anything. */
function sampleNotes({ sides, settings }: Comparison, { basis, total, tested }: DiffResult): string[] {
  const unit = SAMPLE[basis];
  const notes = withoutSteps({ sides });
  const [n, m] = [total.base.samples, total.new.samples];
  if (Math.min(n, m) < settings.minSamples) {
    const have = `${counted(n, unit)} of BASE and ${n === 1 && m === 1 ? '1' : m} of NEW`;
    return [...notes, `too few samples for a test: ${have}, at least ${settings.minSamples} each are needed`];
  }
  const least = leastP(n, m);
  if (tested === 0 || least * tested <= settings.rate) return notes;
  let enough = Math.max(n, m);
  while (leastP(enough, enough) * tested > settings.rate) enough++;
  return [
    ...notes,
    `${n} and ${m} ${unit}s are too few to show a change in one of ${tested} rows; ${enough} each are enough`,
  ];
}

function inputNotes({ sides, total }: Comparison, { basis }: DiffResult, which: Which): string[] {
  const { ungrouped, samples } = sides[which];
  const { untimed, time, timeInSteps } = total[which];
  const outside = time > 0 ? (100 * (time - timeInSteps)) / time : 0;
  return [
    ...(untimed > 0 ? [`${NAMES[which]}: ${counted(untimed, 'kernel')} left out: no duration`] : []),
    ...(ungrouped > 0
      ? [
          `${NAMES[which]}: ${counted(ungrouped, 'kernel')} under ${OTHER_KERNELS}: the partial answer has too many groups`,
        ]
      : []),
    ...(basis === 'step' && outside > 0
      ? [
          `${NAMES[which]}: ${outside.toPrecision(3)} % of the time belongs to no step: counted in the times, not in the test`,
        ]
      : []),
    ...(samples.isCut
      ? [
          `${NAMES[which]}: too many sums by row and step: the test uses only the first ${total[which].count > 0 ? counted(samples.tested(basis).length, SAMPLE[basis]) : 'none'}`,
        ]
      : []),
  ];
}

// What `dprof diff --by tree` shows of a tree: its rows, and lines on its alignment and its causes.

/** Smallest part of all changes, up and down, that a screen shows as a row. */
const LEAST_SHOWN = 0.01;

interface TreeReport {
  readonly rows: readonly ChangeNode[];
  /** How much was aligned in which way, and which causes the change has. */
  readonly heading: readonly string[];
}

/**
 * @param top maximum number of parts of a node
 * @param isBrief whether to leave out nodes with small changes
 */
function treeReport(comparison: Comparison, top: number, isBrief: boolean): TreeReport | null {
  const { tree } = comparison;
  if (tree === null) return null;
  const leaves = leavesOf(tree.top);
  const moved = leaves.reduce((sum, { change }) => sum + Math.abs(change), 0);
  // What has not changed at all is not shown either.
  const least = isBrief ? Math.max(LEAST_SHOWN * moved, Number.MIN_VALUE) : 0;
  return {
    rows: [...shownNodes(tree.top, { top, least }, tree.settings)],
    heading: [alignmentLine(tree.top, leaves), causesLine(tree.top)],
  };
}

const percent = (part: number, whole: number): string => (whole > 0 ? `${((100 * part) / whole).toFixed(1)} %` : 'na');

/** `57 parts aligned by tree (99.1 % of BASE's time, 98.2 % of NEW's), 3 only in one input (…)`. */
function alignmentLine(top: ChangeNode, leaves: readonly ChangeNode[]): string {
  const ways = [...groupsOf(leaves, ({ aligned }) => aligned)].map(([way, parts]) => {
    const time = (which: 'base' | 'new'): number => parts.reduce((sum, part) => sum + part[which].time, 0);
    const shares = `${percent(time('base'), top.base.time)} of BASE's time, ${percent(time('new'), top.new.time)} of NEW's`;
    return `${counted(parts.length, 'part')} ${way === null ? 'only in one input' : `by ${way}`} (${shares})`;
  });
  return `aligned: ${ways.join('; ')}`;
}

/** `change +81.15 us: rate +70.20 us, new +10.95 us`. */
function causesLine({ change, effects }: ChangeNode): string {
  const parts = (Object.entries(effects) as [Cause, number][])
    .filter(([, ns]) => ns !== 0)
    .sort((a, b) => Math.abs(b[1]) - Math.abs(a[1]))
    .map(([cause, ns]) => `${cause} ${signedTime(ns)}`);
  return `change ${signedTime(change)}${parts.length === 0 ? '' : `: ${parts.join(', ')}`}`;
}

const signedTime = (ns: number): string => (ns > 0 ? '+' : '') + amountText(ns, 'time');

/** A comparison with its heading and notes. */
export interface DiffReport {
  readonly result: DiffResult;
  /** Keys of the columns that identify a row. */
  readonly by: readonly string[];
  /** The totals and rows to write; none when an input cannot be read. The comparison may have more rows. */
  readonly lines: readonly DiffLine[];
  /** The tree of layers and ops, if it was requested and both inputs can be read. */
  readonly tree: TreeReport | null;
  readonly conditions: readonly Judged[];
  /** Whether conditions were given; otherwise the rows are reported as tests. */
  readonly isOnConditions: boolean;
  /** Why an input cannot be judged, by input. */
  readonly troubles: readonly { readonly input: string; readonly text: string }[];
  /** The inputs, the parts of them that readers could not read, then the method. */
  readonly heading: readonly string[];
  readonly notes: readonly string[];
  /** What readers lost of the inputs. */
  readonly doubts: Pair<readonly Doubt[]>;
}

interface ReportChoice {
  /** Maximum number of rows; in a tree, of the parts of a node. */
  readonly top: number;
  /** Whether conditions were given, other than the default one of a report of tests. */
  readonly isOnConditions: boolean;
  /** Whether a tree leaves out small changes. */
  readonly isBrief?: boolean;
  /** Whether both inputs are one file, or files with the same bytes. */
  readonly areIdentical?: boolean;
}

export function diffReport(
  comparison: Comparison,
  taken: Pair<Taken>,
  troubles: readonly Trouble[],
  { top, isOnConditions, isBrief = false, areIdentical = false }: ReportChoice,
): DiffReport {
  const { result, settings } = comparison;
  const by = comparison.by.map(({ key }) => key);
  const isRead = taken.base.failure === null && taken.new.failure === null;
  const tree = isRead ? treeReport(comparison, top, isBrief) : null;
  const method = [
    ...unequalRunsLine(result, comparison.sides.base.facts),
    ...(tree === null || isOnConditions ? [methodLine(result, settings), ...commonLine(result, settings)] : []),
    ...(tree?.heading ?? []),
  ];
  const same = areIdentical ? ['BASE and NEW are identical files'] : [];
  return {
    result,
    by,
    lines: isRead ? diffLines(result.total, result.rows.slice(0, top), by) : [],
    heading: [...inputLines(comparison, taken), ...same, ...lossLines(taken), ...(isRead ? method : [])],
    doubts: { base: lossesOf(taken.base.endings).doubts, new: lossesOf(taken.new.endings).doubts },
    tree,
    notes: isRead ? notesOf(comparison, result, tree === null || isOnConditions) : [],
    conditions: leftOpenBy(troubles, result.conditions),
    isOnConditions,
    troubles: troubles.map(({ which, error }) => ({ input: NAMES[which], text: error.line })),
  };
}

const lossLines = (taken: Pair<Taken>): string[] =>
  (['base', 'new'] as const).flatMap((which) => {
    const { lines } = lossesOf(taken[which].endings);
    return lines.map((line) => `${NAMES[which]}: ${line}`);
  });

/** The conditions that were given. */
export const givenOf = ({ conditions, isOnConditions }: DiffReport): readonly Judged[] =>
  isOnConditions ? conditions : [];

export const troubleText = ({ input, text }: DiffReport['troubles'][number]): string =>
  `${input} cannot be judged: ${text}`;
