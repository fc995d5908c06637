/** Charts of histograms. */
import { elementAt } from '../../containers/element.js';
import { chart } from './chart.js';
import { binsOf, type HistogramBin, quantile } from '../../record/statistics.js';
import { highest, type ChartOption } from './chart-values.js';
import { below, GRID, left, tips } from './chart-style.js';
import { element } from '../document/dom-elements.js';
import { quantityText, rangeText } from '../document/units.js';

function option(bins: readonly HistogramBin[], what: string): ChartOption {
  const first = elementAt(bins, 0);
  const last = elementAt(bins, bins.length - 1);
  return {
    grid: { ...GRID, left: 48, right: 28, top: 20 },
    xAxis: below(what, 'ns', { min: first.from, max: last.to }, true),
    yAxis: left('count', { minInterval: 1, splitNumber: 3 }),
    tooltip: tips('item', (i) => {
      const bin = elementAt(bins, i);
      return [rangeText(bin.from, bin.to, 'ns'), ['count', quantityText(bin.count, 'count')]];
    }),
    series: [
      {
        type: 'bar',
        data: bins.map((bin) => [(bin.from + bin.to) / 2, bin.count]),
        // A small gap between the bars.
        barWidth: '96%',
        label: highest(bins.map(({ count }) => count)),
        itemStyle: { color: 'var(--compute)' },
        emphasis: { itemStyle: { color: 'var(--host)' } },
      },
    ],
  };
}

/** @param values values in ns */
export function histogram(what: string, values: readonly number[], height = 220): HTMLElement {
  const ordered = [...values].sort((a, b) => a - b);
  const at = (share: number): string => quantityText(quantile(ordered, share), 'ns');
  return drawn(what, binsOf(values), height, () => `lowest ${at(0)}, median ${at(0.5)}, highest ${at(1)}`);
}

/** @param bins of values in ns */
export function histogramOfBins(what: string, bins: readonly HistogramBin[], height: number): HTMLElement {
  const edge = (ns: number | undefined): string => quantityText(ns ?? null, 'ns');
  return drawn(what, bins, height, () => `from ${edge(bins[0]?.from)} to ${edge(bins.at(-1)?.to)}`);
}

/** @param reach the values in words */
function drawn(what: string, bins: readonly HistogramBin[], height: number, reach: () => string): HTMLElement {
  const [only] = bins;
  const count = bins.reduce((sum, bin) => sum + bin.count, 0);
  if (only === undefined || only.from === only.to) {
    const text = count === 1 ? 'One value' : `${count} values, all the same`;
    return element('p', { class: 'missing' }, `${text}: ${quantityText(only?.from ?? null, 'ns')}. No histogram.`);
  }
  return chart(`Histogram of ${count} values, ${what}: ${reach()}`, height, () => option(bins, what));
}
