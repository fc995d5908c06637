/** The options of charts that the page draws. */
import type { BarSeriesOption, LineSeriesOption, ScatterSeriesOption } from 'echarts/charts';
import type { GridComponentOption, TooltipComponentOption } from 'echarts/components';
import type { ComposeOption } from 'echarts/core';

interface ChartValue {
  /** Indices of its series, and of it there. */
  readonly series: number;
  readonly data: number;
  readonly x: number;
}

/** What an option has once or several times. */
export const listOf = <Item>(one: Item | readonly Item[] | undefined): readonly Item[] =>
  one === undefined ? [] : Array.isArray(one) ? (one as readonly Item[]) : [one as Item];

const isShown = ({ tooltip }: { readonly tooltip?: { readonly show?: boolean } }): boolean => tooltip?.show !== false;

/** A chart whose tooltip is of all its series has a value for each place on its axis; another for each point. */
export function chartValues({ series, tooltip }: ChartOption): ChartValue[] {
  const isByAxis = listOf(tooltip)[0]?.trigger === 'axis';
  const all = listOf(series).flatMap((one, at) =>
    isShown(one as object)
      ? ((one.data ?? []) as readonly unknown[]).flatMap((value, data): ChartValue[] => {
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
