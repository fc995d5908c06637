/** Kernels under the roofline of their device: FLOP/byte against FLOP/s, both logarithmic. */
import { lacking } from '../../capture-hints.js';
import type { Roofline } from '../../../prof/html/page-data.js';
import type { ScatterSeriesOption } from 'echarts/charts';
import {
  roofText,
  placedPoints,
  rooflineRange,
  roofLines,
  type PlacedPoint,
  type RoofLine,
  type RooflineRange,
} from '../../charts/roofline-points.js';
import { chart, replaceContents } from '../../charts/chart.js';
import type { ChartOption } from '../../charts/chart-values.js';
import { below, left, tips } from '../../charts/chart-style.js';
import { elementAt } from '../../../containers/element.js';
import { element, note } from '../../document/dom-elements.js';
import { kernelsNamed, ofOp } from '../../document/timeline-target.js';
import { eventsLink } from '../../document/timeline-link.js';
import { deviceName, devicePicker } from '../../document/kept-choice.js';
import { followsWork, type Panel, type PanelContent, type PanelView } from '../../panel.js';
import { legend, swatch } from '../../figures/strip.js';
import { table, type TableColumn } from '../../figures/sorted-table.js';
import { tick, quantityText } from '../../document/units.js';

/** Uses of the matrix unit, which differ in shape as well as in colour. */
const USES = [
  { tc: '1', name: 'on the matrix unit', short: 'used', symbol: 'circle', colour: 'var(--memory)' },
  { tc: '0', name: 'product not on the matrix unit', short: 'unused', symbol: 'diamond', colour: 'var(--idle-host)' },
  { tc: '-', name: 'not a product', short: 'not a product', symbol: 'triangle', colour: 'var(--host)' },
  { tc: null, name: 'unknown', short: 'unknown', symbol: 'rect', colour: 'var(--idle)' },
] as const;

const useOf = ({ point }: PlacedPoint): (typeof USES)[number] => USES.find(({ tc }) => tc === point.tc) ?? USES[3];

/** Width of a point in pixels; its area is proportional to its time. */
const sizeOf = (time: number, most: number, count: number): number =>
  5 + (count > 200 ? 11 : 23) * Math.sqrt(most > 0 ? time / most : 0);

const CHART_HEIGHT = 460;

type Roof = Roofline['roofs'][number];

/** The flat roofs are shown in full; the memory slope ends at the axes. */
function rangeOf(points: readonly PlacedPoint[], roof: Roof | undefined): RooflineRange {
  const { intensity } = rooflineRange(points, []);
  const lines = roof === undefined ? [] : roofLines(roof, ...intensity);
  const flat = lines.filter(({ name }) => name !== 'memory').map(({ line: [, [, y]] }) => y);
  return rooflineRange(points, flat);
}

/** Labels of the roofs, at the right end of each. Labels that would overlap are placed in three columns. */
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
      aside = (Math.log10(above) - Math.log10(y)) * pixels < 13 ? (aside + 1) % 3 : 0;
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
        position: isMemory ? [-8, -10] : [-2 - 240 * aside, -13],
        align: 'right',
        color: 'var(--ink)',
        fontSize: 10,
        // Keeps labels readable on top of points.
        textBorderColor: 'var(--panel)',
        textBorderWidth: 3,
      },
      tooltip: { show: false },
    };
  });
}

/** Names of templates may have thousands of characters. */
const LONGEST_NAME = 160;
const cut = (name: string): string => (name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME - 1)}…` : name);

const shareText = (share: number | null): string => quantityText(share, 'share');

function option(range: RooflineRange, roof: Roof | undefined): ChartOption {
  const { inside: points, intensity, flopsPerS: rates } = range;
  const [[from, to], [low, high]] = [intensity, rates];
  const lines = roof === undefined ? [] : roofLines(roof, ...intensity);
  const most = points.reduce((max, { point }) => Math.max(max, point.time), 0);
  const groups = USES.map((use) => ({ use, own: points.filter((placed) => useOf(placed) === use) }));
  return {
    grid: { left: 84, right: 20, top: 28, bottom: 46 },
    xAxis: below('FLOP/byte', 'count', { type: 'log', min: from, max: to, interval: 1 }),
    yAxis: left('flop/s', { type: 'log', min: low, max: high, interval: high / low > 1e8 ? 2 : 1 }),
    tooltip: tips('item', (i, series) => {
      const placed = groups.find(({ use }) => use.name === series)?.own[i];
      if (placed === undefined) return [series];
      const { point, intensity, flopsPerS, bytesPerS, ofCompute, ofMemory } = placed;
      return [
        cut(point.op ?? 'no op known'),
        ['kernel', cut(point.kernel)],
        ['type', point.dtype ?? 'na'],
        ['matrix unit', useOf(placed).name],
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
      ...groups.map(({ use, own: placed }) => ({
        type: 'scatter' as const,
        name: use.name,
        symbol: use.symbol,
        data: placed.map(({ intensity, flopsPerS }) => [intensity, flopsPerS]),
        symbolSize: (_: unknown, { dataIndex }: { dataIndex: number }) =>
          sizeOf(elementAt(placed, dataIndex).point.time, most, points.length),
        itemStyle: { color: use.colour, opacity: 0.65, borderColor: 'var(--panel)', borderWidth: 0.6 },
        // Set the colour explicitly, because ECharts cannot derive one from a CSS variable.
        emphasis: { itemStyle: { color: use.colour, opacity: 1, borderColor: 'var(--ink)', borderWidth: 1.5 } },
      })),
    ],
  };
}

const TABLE = 'Kernels under the roofline';
const columnsOf = (view: PanelView): readonly TableColumn<PlacedPoint>[] => [
  {
    title: 'Kernel',
    cell: ({ point }) => point.kernel,
    link: ({ point }, text) => eventsLink(view, text, kernelsNamed(point.kernel)),
  },
  {
    title: 'Op',
    cell: ({ point }) => point.op,
    link: ({ point }, text) => eventsLink(view, text, ofOp(point.op ?? '')),
  },
  { title: 'Type', cell: ({ point }) => point.dtype },
  { title: 'Matrix unit', cell: (placed) => useOf(placed).short },
  { title: 'Time', unit: 'ns', cell: ({ point }) => point.time, field: ({ at }) => `roofline.points.${at}.time` },
  {
    ...{ title: 'Launches', isExtra: true },
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

/** The share of the device's kernel time that the points cover. */
const coverageOf = (share: number | null): HTMLElement[] => {
  if (share === null) return [];
  const rest = share < 1 ? ' The rest has unknown or zero FLOPs or bytes.' : '';
  const text = `${quantityText(share, 'share')} of the kernels’ time is drawn: FLOPs and bytes are known and above 0.`;
  return [element('p', {}, text, rest)];
};

/** Maximum number of points that are listed because they would stretch the axes. */
const MOST_LISTED = 20;

function outsideOf({ outside }: RooflineRange): HTMLElement[] {
  if (outside.length === 0) return [];
  const count = outside.length === 1 ? 'One point lies' : `${quantityText(outside.length, 'count')} points lie`;
  const items = outside.slice(0, MOST_LISTED).map(({ point, intensity, flopsPerS }) => {
    const place = `${quantityText(intensity, 'flop/byte')}, ${quantityText(flopsPerS, 'flop/s')}`;
    return `${point.op ?? 'no op known'}, ${cut(point.kernel)}: ${place}, ${quantityText(point.time, 'ns')}`;
  });
  const rest = outside.length - items.length;
  const all = rest > 0 ? [...items, `${rest} more in the table`] : items;
  const list = element('ul', {}, ...all.map((text) => element('li', {}, text)));
  return [element('details', { class: 'outside' }, element('summary', {}, `${count} outside the chart`), list)];
}

function shownOf(view: PanelView, device: number): Node[] {
  const { roofline } = view.profile;
  const points = placedPoints(roofline, device);
  const roof = roofline.roofs.find((candidate) => candidate.device === device);
  const entries = roofline.points.filter((point) => point.device === device).length;
  if (points.length === 0) {
    return [element('p', { class: 'missing' }, 'FLOPs and bytes of this device’s kernels are unknown.')];
  }
  const uses = USES.map((use) => ({ use, count: points.filter((placed) => useOf(placed) === use).length }));
  const shapes = uses
    .filter(({ count }) => count > 0)
    .map(({ use, count }) => [swatch(use.colour, use.symbol), `${use.name} (${count})`]);
  const leastIntensity = points.reduce((least, { intensity }) => Math.min(least, intensity), Infinity);
  const label = [
    `Roofline of ${roof?.name ?? `device ${device}`}: ${points.length} kernels by op,`,
    `from ${tick(leastIntensity, 'flop/byte')} up. The table below lists the values.`,
  ].join(' ');
  const range = rangeOf(points, roof);
  const leftOut = roofline.pointCount - roofline.points.length;
  const drawn = points.reduce((sum, { point }) => sum + point.time, 0);
  const coverage = roof === undefined || roof.time <= 0 ? null : Math.min(1, drawn / roof.time);
  const about = [
    roofText(roof, deviceName(view.profile, device)),
    'The area of a point is its time.',
    ...(entries > points.length ? [`${entries - points.length} entries without FLOPs or bytes are not shown.`] : []),
    ...(leftOut > 0 ? [`${leftOut} entries with the least time are left out.`] : []),
  ];
  return [
    ...coverageOf(coverage),
    legend(shapes),
    chart(label, CHART_HEIGHT, () => option(range, roof)),
    note(about.join(' ')),
    ...outsideOf(range),
    table({ caption: TABLE, columns: columnsOf(view), rows: points, sortedBy: 4, most: 8 }),
  ];
}

/** Why there are no points: no kernels, no FLOPs and bytes, or none above 0. */
function lackingPoints(view: PanelView): string {
  const { kernels } = view.profile.overview;
  if (kernels === null) return lacking(view, 'kernels');
  return kernels.work.known === 0 ? lacking(view, 'shapes') : 'No kernel has FLOPs and bytes above 0.';
}

function make(view: PanelView): PanelContent {
  const { points } = view.profile.roofline;
  if (points.length === 0) return lackingPoints(view);
  const devices = [...new Set(points.map(({ device }) => device))].sort((a, b) => a - b);
  const place = element('div');
  const show = (device: number): void => replaceContents(place, ...shownOf(view, device));
  return [...devicePicker(view.profile, 'roofline.device', devices, show), place];
}

export const ROOFLINE: Panel = { id: 'roofline', title: 'Roofline', width: 6, make, follows: followsWork };
