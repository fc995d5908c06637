/** What `dprof diff --by tree` shows of a tree: its rows, and lines on its alignment and its causes. */
import { groupsOf } from '../../../containers/map-entry.js';
import { counted } from '../../../record/plural.js';
import { amountText } from '../../../record/units.js';
import type { Comparison } from '../comparison.js';
import { leavesOf, shownNodes, type ChangeNode } from './change-tree.js';
import type { Cause } from './effects.js';

/** Smallest part of all changes, up and down, that a screen shows as a row. */
const LEAST_SHOWN = 0.01;

export interface TreeReport {
  readonly rows: readonly ChangeNode[];
  /** How much was aligned in which way, and which causes the change has. */
  readonly heading: readonly string[];
}

/**
 * @param top maximum number of parts of a node
 * @param isBrief whether to leave out nodes with small changes
 */
export function treeReport(comparison: Comparison, top: number, isBrief: boolean): TreeReport | null {
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
