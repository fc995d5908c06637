/** Charts of values in equal spans of time: filled or as lines, with their means in a legend. */
import { elementAt } from '../../containers/element.js';
import type { BinnedValues } from '../../prof/html/utilisation/utilisation-data.js';
import { element } from '../document/dom-elements.js';
import { quantityText, type DisplayUnit } from '../document/units.js';
import { legend, swatch } from '../figures/strip.js';
import { chart } from './chart.js';
import type { ChartOption } from './chart-option.js';
import { below, GRID, left, leftFromZero, tips } from './chart-style.js';

export interface SpanLine {
  readonly name: string;
  readonly colour: string;
  /** By span; null where it is not known. */
  readonly values: BinnedValues['values'];
  /** Drawn as an area. */
  readonly isFilled?: boolean;
  readonly isDashed?: boolean;
}

export interface SpanChart extends Pick<BinnedValues, 'start' | 'width'> {
  readonly title: string;
  /** All with the same number of spans. */
  readonly lines: readonly SpanLine[];
  readonly unit: DisplayUnit;
  /** What times count from. */
  readonly axis?: string;
  readonly height: number;
}

const mean = (values: BinnedValues['values']): number | null => {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((all, one) => all + one, 0) / known.length;
};

const spansOf = (lines: readonly SpanLine[]): number => elementAt(lines, 0).values.length;

/** A heading, a legend with means, and the chart. */
export function spanChart(of: SpanChart): HTMLElement[] {
  const { title, lines, unit, height } = of;
  const means = lines.map(({ name, values }) => `${name}, mean ${quantityText(mean(values), unit)}`);
  return [
    element('h3', {}, title),
    legend(lines.map(({ colour }, at) => [swatch(colour), element('span', { class: 'text' }, elementAt(means, at))])),
    chart(`${title} over time, in ${spansOf(lines)} spans: ${means.join('; ')}`, height, () => option(of)),
  ];
}

function option({ lines, unit, start, width, axis = "time from the profile's start" }: SpanChart): ChartOption {
  const at = (i: number): number => start + i * width;
  const highest = lines.reduce((most, { values }) => values.reduce<number>((a, b) => Math.max(a, b ?? 0), most), 0);
  return {
    grid: GRID,
    xAxis: below(axis, 'ns', { min: start, max: at(spansOf(lines)) }),
    yAxis: unit === 'share' ? left(unit, { min: 0, max: 1, splitNumber: 2 }) : leftFromZero(unit, highest),
    tooltip: tips('axis', (i) => [
      `${quantityText(at(i), 'ns')} – ${quantityText(at(i + 1), 'ns')}`,
      // A point is drawn at the end of the last span too.
      ...lines.map(({ name, values }) => [name, quantityText(values[i] ?? null, unit)] as const),
    ]),
    series: lines.map(({ name, colour, values, isFilled = false, isDashed = false }) => ({
      type: 'line',
      name,
      step: 'end',
      symbol: 'none',
      silent: true,
      // The end of the last span repeats its value.
      data: [...values, ...values.slice(-1)].map((value, i) => [at(i), value]),
      lineStyle: { color: colour, width: isFilled ? 1 : 1.5, ...(isDashed ? { type: 'dashed' as const } : {}) },
      ...(isFilled ? { areaStyle: { color: colour, opacity: 0.3 } } : {}),
      emphasis: { disabled: true },
    })),
  };
}
