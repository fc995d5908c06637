/** What the charts of a page have in common: quiet axes, tips of elements. */
import type { ChartOption } from './chart.js';
import { element } from '../document/element.js';
import { tick, type Unit } from '../document/units.js';

type XAxis = Exclude<ChartOption['xAxis'], readonly unknown[] | undefined>;
type YAxis = Exclude<ChartOption['yAxis'], readonly unknown[] | undefined>;

/** What an axis may have of its own. */
export interface AxisOptions {
  readonly type?: 'log' | 'category';
  /** Of categories. */
  readonly data?: readonly string[];
  readonly min?: number;
  readonly max?: number;
  readonly interval?: number;
  readonly splitNumber?: number;
  readonly minInterval?: number;
}

const TEXT = { color: 'var(--quiet)', fontSize: 11 };
const LINE = { lineStyle: { color: 'var(--line)' } };

/** An axis of quantities, or of categories by their names. */
const axis = (unit: Unit, own: AxisOptions, label: object = {}): object => ({
  type: 'value',
  axisLabel: {
    ...TEXT,
    hideOverlap: true,
    ...label,
    formatter: (value: number | string) => (typeof value === 'number' ? tick(value, unit) : value),
  },
  axisLine: { show: true, ...LINE },
  axisTick: { show: false },
  splitLine: LINE,
  ...own,
});

/** Ends that are no round numbers crowd the others. */
const NO_ENDS = { showMinLabel: false, showMaxLabel: false };

/** An axis beneath the chart, with its name in the middle. */
export const below = (name: string, unit: Unit, own: AxisOptions = {}): XAxis =>
  ({ ...axis(unit, own, own.type === undefined ? NO_ENDS : {}), name, nameLocation: 'middle', nameGap: 26, nameTextStyle: TEXT, splitLine: { show: false } }); // prettier-ignore

/** An axis at the left; what it counts stands in the chart's heading. */
export const left = (unit: Unit, own: AxisOptions = {}): YAxis => ({ splitNumber: 4, ...axis(unit, own) });

export const GRID = { left: 70, right: 16, top: 12, bottom: 44 };

/** Lines of a tip: a text, or a name and a value. */
export type TipLine = string | readonly [name: string, value: string];

/** A tip as an element: names of a profile stay text. */
export function tip(lines: readonly TipLine[]): HTMLElement {
  return element(
    'div',
    { class: 'tip' },
    ...lines.map((line) =>
      typeof line === 'string'
        ? element('strong', {}, line)
        : element('div', {}, element('span', {}, line[0]), element('b', {}, line[1])),
    ),
  );
}

/** Options of tips, of the place of what is pointed at: `series` and `data` count from 0. */
export function tips(
  trigger: 'item' | 'axis',
  lines: (data: number, series: string) => readonly TipLine[],
): NonNullable<ChartOption['tooltip']> {
  return {
    trigger,
    confine: true,
    transitionDuration: 0,
    backgroundColor: 'var(--panel)',
    borderColor: 'var(--line)',
    textStyle: { color: 'var(--ink)', fontSize: 12 },
    axisPointer: { type: 'line', lineStyle: { color: 'var(--quiet)' } },
    formatter: (pointed: unknown) => {
      const one = (Array.isArray(pointed) ? pointed[0] : pointed) as
        { readonly dataIndex: number; readonly seriesName?: string } | undefined;
      return one === undefined ? '' : tip(lines(one.dataIndex, one.seriesName ?? ''));
    },
  };
}
