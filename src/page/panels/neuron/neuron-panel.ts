/** A Neuron capture: warnings, utilisation, engines over time, DMA, buffers, throttling, and all metrics of the vendor. */
import { elementAt } from '../../../containers/element.js';
import type { NeuronMetric, NeuronMetrics, PageNeuron } from '../../../prof/html/neuron/neuron-data.js';
import { inPageUnit, lineChart } from '../../charts/line-chart.js';
import { capitalised, quantityText } from '../../document/units.js';
import { boxedDefinitions, element, note, scrolling, section, toolNote } from '../../document/dom-elements.js';
import { figure } from '../../figures/figure.js';
import { table } from '../../figures/sorted-table.js';
import type { Panel, PanelContent, PanelView } from '../../panel.js';
import { readByKeys } from '../../document/read-values.js';

/** @param label the row and its main figures */
function density(
  shares: readonly number[],
  label: string,
  textOf: (share: number, at: number) => string,
): HTMLElement[] {
  const cells = shares.map((share, i) => {
    const cell = element('span', { title: textOf(share, i) });
    cell.style.setProperty('--share', String(share));
    return cell;
  });
  const place = element('div', { class: 'density' }, ...cells);
  const hide = (): void => place.querySelector('.read')?.classList.remove('read');
  const show = (at: number): string => {
    hide();
    cells[at]?.classList.add('read');
    return textOf(shares[at] ?? 0, at);
  };
  return [place, readByKeys(place, label, () => ({ count: cells.length, show, hide }))];
}

/** Figures that come first, by the vendor's names. */
const FIRST: readonly (readonly [title: string, name: string])[] = [
  ['MFU', 'mfu_estimated_percent'],
  ['HFU', 'hfu_estimated_percent'],
  ['MBU', 'mbu_estimated_percent'],
  ['Active', 'total_active_time_percent'],
  ['Tensor engine', 'tensor_engine_active_time_percent'],
  ['Vector engine', 'vector_engine_active_time_percent'],
  ['Scalar engine', 'scalar_engine_active_time_percent'],
  ['GpSimd engine', 'gpsimd_engine_active_time_percent'],
  ['DMA', 'dma_active_time_percent'],
];

function metricText({ value, unit, why }: NeuronMetric): string {
  if (typeof value === 'string') return value;
  if (value === null) return `na${why === null ? '' : `: ${why}`}`;
  if (!['%', 'ns', 'bytes', 'FLOP', 'count'].includes(unit)) return `${quantityText(value, 'flop/byte').replace(/ .*/, '')} ${unit}`; // prettier-ignore
  return quantityText(...inPageUnit(value, unit));
}

function metrics(of: NeuronMetrics, at: number): HTMLElement[] {
  const { node, rows, warnings } = of;
  const field = (name: string): string =>
    `neuron.metrics.${at}.rows.${rows.findIndex((row) => row.name === name)}.value`;
  const first = FIRST.flatMap(([title, name]) => {
    const row = rows.find((one) => one.name === name);
    const value = typeof row?.value === 'number' ? row.value : null;
    return row === undefined ? [] : [[title, figure({ name: field(name), value }, 'share', metricText({ ...row, why: null }))] as const]; // prettier-ignore
  });
  const all = table({
    caption: `Metrics of the profiler${node === null ? '' : ` of ${node}`}`,
    columns: [
      { title: 'Metric', cell: ({ name, of: what }: NeuronMetric) => (what === null ? name : `${name} (${what})`) },
      { title: 'Value', cell: metricText },
      { title: 'Group', cell: ({ group }) => group.replaceAll('_', ' ') },
    ],
    rows,
    sortedBy: null,
  });
  return [
    boxedDefinitions(first),
    ...(warnings.length === 0
      ? [note('No warnings.')]
      : [
          section(
            'Warnings',
            element('ul', {}, ...warnings.map(({ rule, text }) => element('li', {}, `${rule}: ${text}`))),
          ),
        ]),
    section('All metrics', all),
  ];
}

/** A row an engine, a column a span of time; the colour is the share of it in which the engine ran. */
function engines({ start, width, rows }: NonNullable<PageNeuron['engines']>): HTMLElement {
  const mean = (shares: readonly number[]): number =>
    shares.length === 0 ? 0 : shares.reduce((sum, share) => sum + share, 0) / shares.length;
  const withCore = new Set(rows.map(({ device }) => device)).size > 1;
  const list = rows.map(({ device, engine, shares }) => {
    const textOf = (share: number, i: number): string =>
      `${quantityText(start + i * width, 'ns')}: ${quantityText(share, 'share')}`;
    const name = `${withCore ? `core ${device} ` : ''}${engine}`;
    const text = `${name}: busy ${quantityText(mean(shares), 'share')} of the time, in ${shares.length} spans`;
    return element(
      'tr',
      {},
      element('th', { scope: 'row' }, name),
      element('td', { class: 'number' }, quantityText(mean(shares), 'share')),
      element('td', { class: 'lane' }, ...density(shares, text, textOf)),
    );
  });
  const end = start + width * elementAt(rows, 0).shares.length;
  return section(
    'Engines over time',
    scrolling(
      'Engines over time',
      element('table', { class: 'engines', 'aria-label': 'Engines over time' }, element('tbody', {}, ...list)),
    ),
    note(`From ${quantityText(start, 'ns')} to ${quantityText(end, 'ns')}, the mean of each engine before its row.`),
  );
}

function make(view: PanelView): PanelContent {
  const { neuron, overview } = view.profile;
  if (neuron === null) return 'The profile is none of AWS Neuron.';
  return [
    ...neuron.metrics.flatMap(metrics),
    ...(neuron.engines === null ? [] : [engines(neuron.engines)]),
    ...overview.notices.map(toolNote),
    element(
      'div',
      { class: 'charts' },
      ...neuron.curves.map((group) => section(capitalised(group.title), ...lineChart(group))),
    ),
  ];
}

export const NEURON: Panel = {
  ...{ id: 'neuron', title: 'NeuronCore', width: 6, make },
  isFor: ({ profile }) => profile.neuron !== null,
};
