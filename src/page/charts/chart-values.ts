/** Data of charts: their options and the values in these, and memory curves. */
import type { BarSeriesOption, LineSeriesOption, ScatterSeriesOption } from 'echarts/charts';
import type { GridComponentOption, TooltipComponentOption } from 'echarts/components';
import type { ComposeOption } from 'echarts/core';
import { quantityText } from '../document/units.js';
import type { MemoryCurve } from '../../prof/html/page-data.js';

type CurvePoints = MemoryCurve['points'];

/** Whether the value changes over time. */
export const changes = (points: CurvePoints): boolean => points.some(([, bytes]) => bytes !== points[0]?.[1]);

/** Value in bytes at a time; null before the first point. */
export const valueAt = (points: CurvePoints, time: number): number | null =>
  points.findLast(([at]) => at <= time)?.[1] ?? null;

/** The earliest and the latest of all times; [0, 1] when there are none. */
export function timeSpan(curves: readonly CurvePoints[], others: readonly number[]): readonly [number, number] {
  let [from, to] = [Infinity, -Infinity];
  for (const times of [others, ...curves.map((points) => points.map(([time]) => time))]) {
    for (const time of times) {
      from = Math.min(from, time);
      to = Math.max(to, time);
    }
  }
  return from > to ? [0, 1] : [from, Math.max(to, from + 1)];
}

/** Labels of a series of bars. The highest bars have their value above them. */
export function highest(values: readonly number[]): NonNullable<BarSeriesOption['label']> {
  const most = values.reduce((high, value) => Math.max(high, value), 0);
  return {
    ...{ show: true, color: 'var(--quiet)', fontSize: 11, position: 'top', distance: 2 },
    formatter: ({ dataIndex }) => (most > 0 && values[dataIndex] === most ? quantityText(most, 'count') : ''),
  };
}

interface ChartValue {
  /** Index of its series, and its index in the series. */
  readonly series: number;
  readonly data: number;
  readonly x: number;
}

/** An option's value or values, as a list. */
export const listOf = <Item>(given: Item | readonly Item[] | undefined): readonly Item[] =>
  given === undefined ? [] : Array.isArray(given) ? (given as readonly Item[]) : [given as Item];

const isShown = ({ tooltip }: { readonly tooltip?: { readonly show?: boolean } }): boolean => tooltip?.show !== false;

/**
 * Values of a chart: one for each position on the axis when the tooltip is for all series, otherwise one for each point.
 */
export function chartValues({ series, tooltip }: ChartOption): ChartValue[] {
  const isByAxis = listOf(tooltip)[0]?.trigger === 'axis';
  const all = listOf(series).flatMap((item, at) =>
    isShown(item as object)
      ? ((item.data ?? []) as readonly unknown[]).flatMap((value, data): ChartValue[] => {
          const x: unknown = Array.isArray(value) ? value[0] : data;
          return typeof x === 'number' && Number.isFinite(x) ? [{ series: at, data, x }] : [];
        })
      : [],
  );
  const ordered = all.sort((a, b) => a.x - b.x);
  return isByAxis ? ordered.filter(({ x }, i) => i === 0 || ordered[i - 1]?.x !== x) : ordered;
}

export type ChartOption = ComposeOption<
  BarSeriesOption | LineSeriesOption | ScatterSeriesOption | GridComponentOption | TooltipComponentOption
>;
