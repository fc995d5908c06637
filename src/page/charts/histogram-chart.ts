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
  const bins = binsOf(values);
  const [only] = bins;
  if (only === undefined || only.from === only.to) {
    const text = values.length === 1 ? 'One value' : `${values.length} values, all the same`;
    return element('p', { class: 'missing' }, `${text}: ${quantityText(only?.from ?? null, 'ns')}. No histogram.`);
  }
  const ordered = [...values].sort((a, b) => a - b);
  const at = (share: number): string => quantityText(quantile(ordered, share), 'ns');
  const label = `Histogram of ${values.length} values, ${what}: lowest ${at(0)}, median ${at(0.5)}, highest ${at(1)}`;
  return chart(label, height, () => option(bins, what));
}
