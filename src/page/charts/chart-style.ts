/** Axes and tooltips of all charts. */
import type { ChartOption } from './chart-values.js';
import { element } from '../document/dom-elements.js';
import { memoryScale, tick, type DisplayUnit } from '../document/units.js';

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

/** An axis of quantities, or of categories by name. */
const axis = (unit: DisplayUnit, options: AxisOptions, label: object = {}): object => ({
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
  ...options,
});

/** Labels at ends that are not round numbers would overlap their neighbours. */
const NO_ENDS = { showMinLabel: false, showMaxLabel: false };

/** An axis below the chart, with its name in the middle. @param hasEnds whether its ends are round numbers */
export const below = (name: string, unit: DisplayUnit, options: AxisOptions = {}, hasEnds = false): XAxis => ({
  ...axis(unit, options, options.type === undefined && !hasEnds ? NO_ENDS : {}),
  name,
  nameLocation: 'middle',
  nameGap: 26,
  nameTextStyle: TEXT,
  splitLine: { show: false },
});

/** An axis on the left, without a name, because the chart's heading states it. */
export const left = (unit: DisplayUnit, options: AxisOptions = {}): YAxis => ({
  splitNumber: 4,
  ...axis(unit, options),
});

/** An axis on the left, starting at 0. @param highest value that it must reach */
export const leftFromZero = (unit: DisplayUnit, highest: number): YAxis =>
  left(unit, { min: 0, ...(unit === 'memory' ? memoryScale(highest) : null) });

export const GRID = { left: 70, right: 16, top: 12, bottom: 44 };

/** A line of a tooltip: a string, or a name and a value. */
type TipLine = string | readonly [name: string, value: string];

/** The contents of a tooltip as an element, so that names from a profile are treated as text. */
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

/** The data point of a tooltip, and the pointer's position on the axis. */
interface Pointed {
  readonly dataIndex: number;
  readonly seriesName?: string;
  readonly axisValue?: unknown;
}

type TooltipOption = NonNullable<ChartOption['tooltip']>;

/**
 * @param lines returns the lines for a data point, from its index in its series, the name of the series, and the pointer's
 * position on a value axis, which differs from the point's when series have points at different positions
 */
export function tips(
  trigger: 'item' | 'axis',
  lines: (data: number, series: string, at: number) => readonly TipLine[],
): TooltipOption {
  return {
    trigger,
    confine: true,
    transitionDuration: 0,
    backgroundColor: 'var(--panel)',
    borderColor: 'var(--line)',
    textStyle: { color: 'var(--ink)', fontSize: 12 },
    axisPointer: { type: 'line', lineStyle: { color: 'var(--quiet)' } },
    formatter: (pointed: unknown) => {
      const first = (Array.isArray(pointed) ? pointed[0] : pointed) as Pointed | undefined;
      return first === undefined ? '' : tip(lines(first.dataIndex, first.seriesName ?? '', Number(first.axisValue)));
    },
  };
}

/** The tooltip of a data point as a string. */
export function pointedText(tooltip: ChartOption['tooltip'], pointed: Pointed): string {
  const { formatter } = (Array.isArray(tooltip) ? tooltip[0] : tooltip) ?? {};
  if (typeof formatter !== 'function') return '';
  const made: unknown = (formatter as (pointed: Pointed) => unknown)(pointed);
  if (!(made instanceof HTMLElement)) return '';
  return [...made.children].map((line) => [...line.childNodes].map((part) => part.textContent).join(' ')).join(', ');
}
