/** Axes and tooltips of all charts. */
import type { ChartOption } from './chart.js';
import { element } from '../document/dom-elements.js';
import { tick, type DisplayUnit } from '../document/units.js';

type XAxis = Exclude<ChartOption['xAxis'], readonly unknown[] | undefined>;
type YAxis = Exclude<ChartOption['yAxis'], readonly unknown[] | undefined>;

interface AxisOptions {
  readonly type?: 'log' | 'category';
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
const axis = (unit: DisplayUnit, own: AxisOptions, label: object = {}): object => ({
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

/** Labels at ends that are no round numbers overlap their neighbours. */
const NO_ENDS = { showMinLabel: false, showMaxLabel: false };

/** An axis below the chart, with its name in the middle. */
export const below = (name: string, unit: DisplayUnit, own: AxisOptions = {}): XAxis => ({
  ...axis(unit, own, own.type === undefined ? NO_ENDS : {}),
  name,
  nameLocation: 'middle',
  nameGap: 26,
  nameTextStyle: TEXT,
  splitLine: { show: false },
});

/** An axis at the left, without a name: the chart's heading has it. */
export const left = (unit: DisplayUnit, own: AxisOptions = {}): YAxis => ({ splitNumber: 4, ...axis(unit, own) });

export const GRID = { left: 70, right: 16, top: 12, bottom: 44 };

/** A line of a tooltip: a text, or a name and a value. */
type TipLine = string | readonly [name: string, value: string];

/** The contents of a tooltip as an element, so that names of a profile stay text. */
function tip(lines: readonly TipLine[]): HTMLElement {
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

/** @param lines of a data point: its index in its series, and the name of the series */
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
