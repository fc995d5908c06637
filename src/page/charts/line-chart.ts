/** Charts of values over time: step functions, in which a value is valid until the next point. */
import type { CurveGroup } from '../../prof/html/neuron/neuron-data.js';
import { elementAt } from '../../containers/element.js';
import { element, note } from '../document/dom-elements.js';
import { quantityText, type DisplayUnit } from '../document/units.js';
import { inPalette, legend, swatch } from '../figures/strip.js';
import { chart } from './chart.js';
import { timeSpan, valueAt, type ChartOption } from './chart-values.js';
import { below, GRID, leftFromZero, tips } from './chart-style.js';

/** Units of commands, with the page's unit and the number of page units in one of them. */
const UNITS: Readonly<Record<string, readonly [unit: DisplayUnit, size: number]>> = {
  '%': ['share', 0.01],
  fraction: ['share', 1],
  s: ['ns', 1e9],
  ns: ['ns', 1],
  bytes: ['memory', 1],
  'bytes/s': ['bytes/s', 1],
  FLOP: ['flop', 1],
  'FLOP/s': ['flop/s', 1],
};

/** Converts a value from a command's unit to a unit for people. */
export function inPageUnit(value: number, unit: string): readonly [value: number, unit: DisplayUnit] {
  const [pageUnit, size] = UNITS[unit] ?? (['count', 1] as const);
  return [value * size, pageUnit];
}

/** The zero point of times, and the span of all compared curves in ns. */
interface ChartAxis {
  readonly axis: string;
  readonly span: readonly [from: number, to: number];
  /**
   * Whether the last value of each curve is valid to the end. Otherwise a curve that ended earlier has no value there.
   */
  readonly isHeld?: boolean;
}

/** Lines differ in stroke as well as in colour. */
const STROKES = ['solid', 'dashed', 'dotted'] as const;
const strokeOf = (i: number): (typeof STROKES)[number] => elementAt(STROKES, Math.floor(i / 8) % STROKES.length);

function option({ curves, unit }: CurveGroup, { axis, span: [from, to], isHeld = false }: ChartAxis): ChartOption {
  const scaled = curves.map(({ points }) => points.map(([at, value]) => [at, inPageUnit(value, unit)[0]] as const));
  const pageUnit = inPageUnit(0, unit)[1];
  const highest = scaled.flat().reduce((most, [, value]) => Math.max(most, value), 0);
  return {
    grid: GRID,
    xAxis: below(axis, 'ns', { min: from, max: to }),
    yAxis: leftFromZero(pageUnit, highest),
    tooltip: tips('axis', (_i, _series, at) => [
      quantityText(at, 'ns'),
      ...curves.map(({ name }, k) => [name, quantityText(valueAt(elementAt(scaled, k), at), pageUnit)] as const),
    ]),
    series: curves.map(({ name }, i) => {
      const points = elementAt(scaled, i);
      const last = points.at(-1);
      return {
        type: 'line',
        name,
        step: 'end',
        symbol: points.length > 1 ? 'none' : 'circle',
        data: [...points, ...(last === undefined || last[0] >= to || !isHeld ? [] : [[to, last[1]] as const])].map(
          ([at, value]) => [at, value],
        ),
        lineStyle: { color: inPalette(i), width: 1.5, type: strokeOf(i) },
        itemStyle: { color: inPalette(i) },
        emphasis: { disabled: true },
      };
    }),
  };
}

/**
 * A legend with the last value of each curve, above its chart.
 * @param givenAxis axis of times; by default the span of these curves
 */
export function lineChart(group: CurveGroup, givenAxis?: ChartAxis): HTMLElement[] {
  const { title, curves, unit, leftOut } = group;
  const lasts = curves.map(({ name, points }) => {
    const [value, pageUnit] = inPageUnit(points.at(-1)?.[1] ?? NaN, unit);
    const highest = inPageUnit(
      points.reduce((most, [, amount]) => Math.max(most, amount), -Infinity),
      unit,
    )[0];
    return { name, text: `last ${quantityText(value, pageUnit)}, highest ${quantityText(highest, pageUnit)}` };
  });
  const entries = lasts.map(({ name, text }, i) => [
    swatch(inPalette(i)),
    element('span', { class: 'text' }, name === '' ? text : `${name}: ${text}`),
  ]);
  const points = curves.map((curve) => curve.points);
  const axis = givenAxis ?? { axis: "time from the profile's start", span: timeSpan(points, []), isHeld: true };
  const label = `${title} over time: ${lasts.map(({ name, text }) => `${name} ${text}`).join('; ')}`;
  return [
    legend(entries),
    chart(label, 180, () => option(group, axis)),
    ...(leftOut > 0 ? [note(`${leftOut} curves are left out.`)] : []),
  ];
}
