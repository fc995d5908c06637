/** The values of a drawn chart, for the keyboard. */
import type { EChartsType } from 'echarts/core';
import type { DrawnValues } from '../document/read-values.js';
import type { ChartOption } from './chart-option.js';
import { chartValues, listOf } from './chart-points.js';
import { pointedText } from './chart-style.js';

/** @param click what a click on a value does, by its index in its series */
export function valuesOf(made: EChartsType, option: ChartOption, click: ((data: number) => void) | null): DrawnValues {
  const values = chartValues(option);
  const series = listOf(option.series);
  let marked: object | null = null;
  const hide = (): void => {
    if (marked !== null) made.dispatchAction({ type: 'downplay', ...marked });
    made.dispatchAction({ type: 'hideTip' });
    marked = null;
  };
  const show = (at: number): string => {
    const value = values[at];
    if (value === undefined) return '';
    hide();
    marked = { seriesIndex: value.series, dataIndex: value.data };
    made.dispatchAction({ type: 'highlight', ...marked });
    made.dispatchAction({ type: 'showTip', ...marked });
    const name = series[value.series]?.name;
    return pointedText(option.tooltip, { dataIndex: value.data, seriesName: String(name ?? ''), axisValue: value.x });
  };
  const open = click === null ? {} : { open: (at: number) => click(values[at]?.data ?? 0) };
  return { count: values.length, show, hide, ...open };
}
