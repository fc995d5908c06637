/**
 * Panels for Neuron: the metrics of a capture and its engines over time, the compiled program, and a run as reported by
 * neuron-monitor.
 */
import { elementAt } from '../../../containers/element.js';
import type { NeuronMetric, NeuronMetrics, PageNeuron, PageMonitor } from '../../../prof/html/neuron/neuron-data.js';
import { inPageUnit, lineChart } from '../../charts/line-chart.js';
import { capitalised, quantityText } from '../../document/units.js';
import {
  boxedDefinitions,
  element,
  note,
  scrolling,
  section,
  toolNote,
  definitions,
  select,
} from '../../document/dom-elements.js';
import { figure } from '../../figures/figure.js';
import { table, type TableColumn } from '../../figures/sorted-table.js';
import type { Panel, PanelContent, PanelView } from '../../panel.js';
import { readByKeys } from '../../document/read-values.js';
import type { TensorWork } from '../../../prof/neuron/flops.js';
import type { ProfileSummary } from '../../../prof/summary/summary-data.js';
import { timeLink } from '../../document/timeline-link.js';
import { listed, numbersOf, type Listed } from '../../figures/listed-rows.js';
import { counted } from '../../../record/plural.js';
import { replaceContents } from '../../charts/chart.js';
import { fieldsOf } from '../../figures/field.js';
import { hostComparison, hostsOf, type NamedHost } from './monitor-hosts.js';

const errorsOf = ({ errors }: PageMonitor): HTMLElement[] =>
  errors.length === 0
    ? []
    : [
        section(
          'What the monitor could not measure',
          element(
            'ul',
            {},
            ...errors.map(({ where, text, count }) =>
              element('li', {}, `${where}: ${text} (${counted(count, 'report')})`),
            ),
          ),
        ),
      ];

/** The charts of one host, and its facts. */
function hostContents({ host: { charts, facts } }: NamedHost): HTMLElement[] {
  const known = Object.entries(facts).filter(([, value]) => value !== '');
  const terms = definitions(known.map(([name, value]) => [name, String(value)]));
  return [
    element('div', { class: 'charts' }, ...charts.map((group) => section(group.title, ...lineChart(group)))),
    ...(known.length === 0 ? [] : [section('Instance', element('dl', { class: 'evidence' }, ...terms))]),
  ];
}

/** Charts with a line for each host on one time axis, then the charts of a chosen host. */
function comparedHosts(hosts: readonly NamedHost[], currentHost: NamedHost): HTMLElement[] {
  const { charts, axis, span } = hostComparison(hosts);
  const place = element('div');
  const show = (name: string): void => {
    const chosen = hosts.find((host) => host.name === name) ?? currentHost;
    replaceContents(place, ...hostContents(chosen));
  };
  show(currentHost.name);
  const choices = hosts.map(({ name }) => [name, name] as const);
  return [
    section(
      `${hosts.length} hosts compared`,
      element(
        'div',
        { class: 'charts' },
        ...charts.map((group) => section(group.title, ...lineChart(group, { axis, span }))),
      ),
    ),
    section('One host', select('Host', choices, currentHost.name, show), place),
  ];
}

function makeMonitor(view: PanelView): PanelContent {
  const { monitor } = view.profile;
  if (monitor === null) return 'The profile is not from neuron-monitor.';
  const hosts = hostsOf(view.data);
  const currentHost = hosts.find(({ profile }) => profile === view.at);
  const { otherReports } = monitor;
  return [
    element('p', {}, 'Reports: ', figure(fieldsOf('monitor', monitor)('reports'), 'count'), '.'),
    ...(otherReports > 0 ? [note(`${otherReports} of these come from other hosts, which are not on this page.`)] : []),
    ...errorsOf(monitor),
    ...(currentHost === undefined
      ? []
      : hosts.length > 1
        ? comparedHosts(hosts, currentHost)
        : hostContents(currentHost)),
  ];
}

export const MONITOR: Panel = {
  ...{ id: 'monitor', title: 'neuron-monitor reports', width: 6, make: makeMonitor },
  isFor: ({ profile }) => profile.monitor !== null,
};

type Program = NonNullable<ProfileSummary['program']>;
type LayerRun = Program['listedLayers'][number];
type TensorOfRole = Program['tensors'][number]['listed'][number];
type Tensor = Listed<TensorOfRole> & { readonly role: string | null; readonly field: string };

function tensors({ profile }: PanelView): HTMLElement[] {
  const roles = profile.overview.program?.tensors ?? [];
  if (roles.length === 0) return [];
  const rows = roles.flatMap(({ role, listed: list }, place) =>
    listed(list).map((tensor): Tensor => {
      return { ...tensor, role, field: `overview.program.tensors.${place}.listed.${tensor.at}.bytes` };
    }),
  );
  const columns: TableColumn<Tensor>[] = [
    { title: 'Tensor', cell: ({ name }) => name },
    { title: 'Role', cell: ({ role }) => role },
    { title: 'Shape', cell: ({ shape }) => (shape === null ? null : shape.join(' × ')) },
    { title: 'Type', cell: ({ dtype }) => dtype },
    { title: 'Size', unit: 'bytes', cell: ({ bytes }) => bytes, field: ({ field }) => field },
  ];
  const rest = roles.reduce((sum, { count }) => sum + count, 0) - rows.length;
  return [
    section('Tensors', table({ caption: 'Tensors of the program', columns, rows, sortedBy: null }), ...restOf(rest)),
  ];
}

function layers(view: PanelView): HTMLElement[] {
  const program = view.profile.overview.program;
  if (program === null || program.layers === 0) return [];
  const rows = listed(program.listedLayers);
  const number = numbersOf<LayerRun>('overview.program.listedLayers');
  const columns: TableColumn<Listed<LayerRun>>[] = [
    {
      title: 'Layer',
      cell: ({ name }) => name,
      link: ({ start, end }, text) => (end === null ? null : timeLink(view, text, { from: start, to: end })),
    },
    { title: 'Core', cell: ({ device }) => (device === null ? null : String(device)) },
    number('Start', 'ns', 'start'),
    number('End', 'ns', 'end'),
    { title: 'Length', unit: 'ns', cell: ({ start, end }) => (end === null ? null : end - start) },
  ];
  const made = table({ caption: 'Layers of the program', columns, rows, sortedBy: null });
  return [section('Layers', made, ...restOf(program.layers - rows.length))];
}

const restOf = (rest: number): HTMLElement[] =>
  rest > 0 ? [note(`${quantityText(rest, 'count')} more are not on this page.`)] : [];

const makeProgram = (view: PanelView): PanelContent => [...tensors(view), ...layers(view)];

export const PROGRAM: Panel = {
  ...{ id: 'program', title: 'Compiled program', width: 6, make: makeProgram },
  isFor: ({ profile }) => profile.overview.program !== null,
};

/** @param label name of the row, with its main figures */
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

/** The first figures, by the vendor's names. */
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

function metrics(report: NeuronMetrics, at: number): HTMLElement[] {
  const { node, rows, warnings } = report;
  const field = (name: string): string =>
    `neuron.metrics.${at}.rows.${rows.findIndex((row) => row.name === name)}.value`;
  const first = FIRST.flatMap(([title, name]) => {
    const row = rows.find((candidate) => candidate.name === name);
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

/** A row for each engine and a column for each span of time; the colour shows the share in which the engine ran. */
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
    note(
      `${quantityText(start, 'ns')} to ${quantityText(end, 'ns')}. The number before each row is the mean of the engine.`,
    ),
  );
}

/** Why the vendor's FLOPs differ from those of the tables of instructions and categories. */
function flopsNote({ hardwareFlops, transposeFlops, repeatedFlops }: TensorWork): HTMLElement[] {
  if (hardwareFlops === null || (transposeFlops ?? 0) + (repeatedFlops ?? 0) === 0) return [];
  const repeated =
    (repeatedFlops ?? 0) === 0
      ? ''
      : ` and ${quantityText(repeatedFlops, 'flop')} of FP32 products a second time, because each takes two instructions`;
  const [all, transposes] = [quantityText(hardwareFlops, 'flop'), quantityText(transposeFlops, 'flop')];
  const text = `The vendor counts ${all} (hardware_flops), including ${transposes} of transposes${repeated}. The tables of instructions and categories leave these out and add the FLOPs of other engines.`;
  return [note(text)];
}

function make(view: PanelView): PanelContent {
  const { neuron, overview } = view.profile;
  if (neuron === null) return 'The profile is not from AWS Neuron.';
  const tensor = overview.kernels?.work.tensor;
  const cores = tensor?.cores ?? [];
  const ofCores = cores.map(({ core, hfu }, at) => {
    const field = { name: `overview.kernels.work.tensor.cores.${at}.hfu`, value: hfu };
    return [`HFU of core ${core}`, figure(field, 'share')] as const;
  });
  return [
    ...(ofCores.length === 0 ? [] : [boxedDefinitions(ofCores)]),
    ...(tensor === undefined ? [] : flopsNote(tensor)),
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
