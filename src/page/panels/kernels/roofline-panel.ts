/** Kernels under the roofline of their device: FLOP/byte against FLOP/s, both logarithmic. */
import { lacking } from '../../capture-hints.js';
import type { Roofline } from '../../../prof/html/page-data.js';
import type { ScatterSeriesOption } from 'echarts/charts';
import { chart, replaceContents, type ChartOption } from '../../charts/chart.js';
import { below, left, tips } from '../../charts/chart-style.js';
import { elementAt } from '../../../containers/element.js';
import { element, note } from '../../document/dom-elements.js';
import { kernelLink, searched, timelineLink } from '../../document/timeline-link.js';
import { devicePicker } from '../../figures/device-picker.js';
import type { PanelContent, Panel, PanelView } from '../../panel.js';
import { placedPoints, roofLines, type PlacedPoint, type RoofLine } from '../../charts/roofline-points.js';
import { legend, swatch } from '../../figures/strip.js';
import { table, type TableColumn } from '../../figures/sorted-table.js';
import { tick, quantityText } from '../../document/units.js';

/** Uses of the matrix unit: they differ in shape as well as in colour. */
const USES = [
  { tc: '1', name: 'on the matrix unit', short: 'used', symbol: 'circle', colour: 'var(--memory)' },
  { tc: '0', name: 'product not on it', short: 'unused', symbol: 'diamond', colour: 'var(--idle-host)' },
  { tc: '-', name: 'no product', short: 'no product', symbol: 'triangle', colour: 'var(--host)' },
  { tc: null, name: 'unknown', short: 'unknown', symbol: 'rect', colour: 'var(--idle)' },
] as const;

const useOf = ({ point }: PlacedPoint): (typeof USES)[number] => USES.find(({ tc }) => tc === point.tc) ?? USES[3];

/** The least and the greatest of the powers of ten that enclose some values. */
function decades(values: readonly number[]): readonly [number, number] {
  const known = values.filter((value) => value > 0 && Number.isFinite(value));
  const least = known.reduce((a, b) => Math.min(a, b), Infinity);
  const most = known.reduce((a, b) => Math.max(a, b), 0);
  return most === 0 ? [1, 10] : [10 ** Math.floor(Math.log10(least)), 10 ** Math.ceil(Math.log10(most * 1.05))];
}

/** Width of a point in pixels: its area grows with its time. */
const sizeOf = (time: number, most: number, count: number): number =>
  5 + (count > 200 ? 11 : 23) * Math.sqrt(most > 0 ? time / most : 0);

const CHART_HEIGHT = 460;

/** Labels of the roofs, at the right end of each; labels that would overlap move to the left. */
function labelsOf(lines: readonly RoofLine[], low: number, high: number): ScatterSeriesOption[] {
  const pixels = (CHART_HEIGHT - 74) / Math.log10(high / low);
  let above = Infinity;
  let aside = 0;
  return lines.map(({ name, line }) => {
    const [[x, y], [toX, toY]] = line;
    const isMemory = name === 'memory';
    const start = Math.max(x, (low * x) / y);
    const place = isMemory ? [Math.sqrt(start * toX), (Math.sqrt(start * toX) * y) / x] : [toX, toY];
    if (!isMemory) {
      aside = (Math.log10(above) - Math.log10(y)) * pixels < 13 ? aside + 1 : 0;
      above = y;
    }
    const text = isMemory ? `memory ${tick(y / x, 'bytes/s')}` : `${name} ${tick(y, 'flop/s')}`;
    return {
      type: 'scatter',
      silent: true,
      symbolSize: 0.01,
      z: 4,
      data: [place],
      label: {
        show: true,
        formatter: () => text,
        position: isMemory ? [-8, -10] : [-2 - 190 * aside, -13],
        align: 'right',
        color: 'var(--ink)',
        fontSize: 10,
        // Readable over points.
        textBorderColor: 'var(--panel)',
        textBorderWidth: 3,
      },
      tooltip: { show: false },
    };
  });
}

const shareText = (share: number | null): string => quantityText(share, 'share');

function option(points: readonly PlacedPoint[], roof: Roofline['roofs'][number] | undefined): ChartOption {
  const [from, to] = decades([...points.map(({ intensity }) => intensity), 1, 1000]);
  const lines = roof === undefined ? [] : roofLines(roof, from, to, new Set(points.map(({ point }) => point.dtype)));
  const [low] = decades(points.map(({ flopsPerS }) => flopsPerS));
  const peaks = lines.flatMap(({ line }) => line.map(([, y]) => y));
  const [, high] = decades([...points.map(({ flopsPerS }) => flopsPerS), ...peaks]);
  const most = points.reduce((max, { point }) => Math.max(max, point.time), 0);
  const groups = USES.map((use) => ({ use, own: points.filter((one) => useOf(one) === use) }));
  return {
    grid: { left: 84, right: 20, top: 28, bottom: 46 },
    xAxis: below('FLOP/byte', 'count', { type: 'log', min: from, max: to, interval: 1 }),
    yAxis: left('flop/s', { type: 'log', min: low, max: high, interval: high / low > 1e8 ? 2 : 1 }),
    tooltip: tips('item', (i, series) => {
      const one = groups.find(({ use }) => use.name === series)?.own[i];
      if (one === undefined) return [series];
      const { point, intensity, flopsPerS, bytesPerS, ofCompute, ofMemory } = one;
      return [
        point.op ?? 'no op known',
        ['kernel', point.kernel],
        ['type', point.dtype ?? 'na'],
        ['matrix unit', useOf(one).name],
        ['intensity', quantityText(intensity, 'flop/byte')],
        ['reached', `${quantityText(flopsPerS, 'flop/s')} (${shareText(ofCompute)} of peak)`],
        ['memory', `${quantityText(bytesPerS, 'bytes/s')} (${shareText(ofMemory)} of peak)`],
        ['time', `${quantityText(point.time, 'ns')} in ${quantityText(point.count, 'count')} launches`],
      ];
    }),
    series: [
      ...lines.map(({ name, line }) => ({
        type: 'line' as const,
        name,
        silent: true,
        symbol: 'none',
        showSymbol: true,
        lineStyle: {
          color: 'var(--quiet)',
          width: name === 'memory' ? 1.8 : 1,
          type: name === 'memory' ? ('solid' as const) : ('dashed' as const),
        },
        data: line.map(([x, y]) => [x, y]),
        tooltip: { show: false },
      })),
      ...labelsOf(lines, low, high),
      ...groups.map(({ use, own }) => ({
        type: 'scatter' as const,
        name: use.name,
        symbol: use.symbol,
        data: own.map(({ intensity, flopsPerS }) => [intensity, flopsPerS]),
        symbolSize: (_: unknown, { dataIndex }: { dataIndex: number }) =>
          sizeOf(elementAt(own, dataIndex).point.time, most, points.length),
        itemStyle: { color: use.colour, opacity: 0.65, borderColor: 'var(--panel)', borderWidth: 0.6 },
        emphasis: { itemStyle: { opacity: 1, borderColor: 'var(--ink)', borderWidth: 1.5 } },
      })),
    ],
  };
}

const TABLE = 'Kernels under the roofline';
const columnsOf = (view: PanelView): readonly TableColumn<PlacedPoint>[] => [
  { title: 'Kernel', cell: ({ point }) => point.kernel, link: ({ point }) => kernelLink(view, point.kernel) },
  {
    title: 'Op',
    cell: ({ point }) => point.op,
    link: ({ point }, text) => timelineLink(view, text, `op==${searched(point.op ?? '')}`),
  },
  { title: 'Type', cell: ({ point }) => point.dtype },
  { title: 'Matrix unit', cell: (one) => useOf(one).short },
  { title: 'Time', unit: 'ns', cell: ({ point }) => point.time, field: ({ at }) => `roofline.points.${at}.time` },
  {
    title: 'Launches',
    unit: 'count',
    cell: ({ point }) => point.count,
    field: ({ at }) => `roofline.points.${at}.count`,
  },
  {
    title: 'FLOP/byte',
    unit: 'flop/byte',
    cell: ({ intensity }) => intensity,
    field: ({ at }) => `roofline.points.${at}.flops / roofline.points.${at}.bytes`,
  },
  { title: 'Reached', unit: 'flop/s', cell: ({ flopsPerS }) => flopsPerS },
  { title: 'Of peak', unit: 'share', cell: ({ ofCompute }) => ofCompute, bar: ({ ofCompute }) => ofCompute },
  { title: 'Memory', unit: 'bytes/s', cell: ({ bytesPerS }) => bytesPerS },
  { title: 'Of peak bandwidth', unit: 'share', cell: ({ ofMemory }) => ofMemory, bar: ({ ofMemory }) => ofMemory },
];

function shownOf(view: PanelView, device: number): Node[] {
  const { roofline } = view.profile;
  const points = placedPoints(roofline, device);
  const roof = roofline.roofs.find((one) => one.device === device);
  const own = roofline.points.filter((point) => point.device === device).length;
  if (points.length === 0) {
    return [element('p', { class: 'missing' }, 'FLOPs and bytes of this device’s kernels are not known.')];
  }
  const uses = USES.map((use) => ({ use, count: points.filter((one) => useOf(one) === use).length }));
  const shapes = uses
    .filter(({ count }) => count > 0)
    .map(({ use, count }) => [swatch(use.colour, use.symbol), `${use.name} (${count})`]);
  const leastIntensity = points.reduce((least, { intensity }) => Math.min(least, intensity), Infinity);
  const label = [
    `Roofline of ${roof?.name ?? `device ${device}`}: ${points.length} kernels by op,`,
    `from ${tick(leastIntensity, 'flop/byte')} up. The table below holds the figures.`,
  ].join(' ');
  const leftOut = roofline.pointCount - roofline.points.length;
  const about = [
    roof === undefined
      ? 'The peaks of this device are not known: no roofs.'
      : `Roofs of ${roof.name}${roof.bytesPerS === null ? ', whose memory bandwidth is not known' : ''}.`,
    'The area of a point is its time.',
    ...(own > points.length ? [`${own - points.length} entries without FLOPs or bytes are not shown.`] : []),
    ...(leftOut > 0 ? [`${leftOut} entries with the least time are left out.`] : []),
  ];
  return [
    legend(shapes),
    chart(label, CHART_HEIGHT, () => option(points, roof)),
    note(about.join(' ')),
    table({ caption: TABLE, columns: columnsOf(view), rows: points, sortedBy: 4, most: 8 }),
  ];
}

function make(view: PanelView): PanelContent {
  const { points } = view.profile.roofline;
  if (points.length === 0) return lacking(view, 'shapes');
  const devices = [...new Set(points.map(({ device }) => device))].sort((a, b) => a - b);
  const place = element('div');
  const show = (device: number): void => replaceContents(place, ...shownOf(view, device));
  show(elementAt(devices, 0));
  return [...devicePicker(devices, show), place];
}

export const ROOFLINE: Panel = { id: 'roofline', title: 'Roofline', width: 6, make };
