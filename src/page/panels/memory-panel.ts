/** Memory of the devices over time: a chart for each device and metric, all with the same time axis. */
import type { MemoryCurve } from '../../prof/html/page-data.js';
import { chart, type ChartOption } from '../charts/chart.js';
import { below, GRID, left, tips } from '../charts/chart-style.js';
import { elementAt } from '../../containers/element.js';
import { element } from '../document/dom-elements.js';
import { namedFigure } from '../figures/figure.js';
import { listed, numbersOf, type Listed } from '../figures/listed-rows.js';
import { changes, timeSpan, valueAt } from '../charts/memory-curve.js';
import type { PanelContent, Panel, PanelView } from '../panel.js';
import { inPalette, legend, swatch } from '../figures/strip.js';
import { table, type TableColumn } from '../figures/sorted-table.js';
import { quantityText } from '../document/units.js';

type MemoryCurveRow = Listed<MemoryCurve>;

/** Lines differ in their strokes as well as in their colours. */
const STROKES = ['solid', 'dashed', 'dotted'] as const;

const strokeOf = (i: number): (typeof STROKES)[number] => elementAt(STROKES, i % STROKES.length);

/** The curves of one chart. */
function option(rows: readonly MemoryCurveRow[], span: readonly [number, number]): ChartOption {
  const [from, to] = span;
  return {
    grid: GRID,
    xAxis: below("time from the profile's start", 'ns', { min: from, max: to }),
    yAxis: left('memory', { min: 0 }),
    tooltip: tips('axis', (i, series) => {
      const time = rows.find(({ name }) => name === series)?.points[i]?.[0] ?? to;
      return [
        quantityText(time, 'ns'),
        ...rows.map(({ name, points }) => [name, quantityText(valueAt(points, time), 'memory')] as const),
      ];
    }),
    series: rows.map(({ name, points }, i) => ({
      type: 'line',
      name,
      step: 'end',
      symbol: 'none',
      // The last value holds until the end.
      data: [...points, [to, elementAt(points, points.length - 1)[1]] as const].map(([time, bytes]) => [time, bytes]),
      lineStyle: { color: inPalette(i), width: 1.5, type: strokeOf(i) },
      ...(rows.length === 1 ? { areaStyle: { color: inPalette(i), opacity: 0.25 } } : {}),
      emphasis: { disabled: true },
    })),
  };
}

const deviceText = ({ device, name }: MemoryCurve): string =>
  device !== null ? `Device ${device}` : name === 'CPU' ? 'Host' : 'Unknown device';

function curves(rows: readonly MemoryCurveRow[], span: readonly [number, number]): Node[] {
  const [first] = rows;
  if (first === undefined) return [];
  const title = `${deviceText(first)}: ${first.metric}`;
  const peaks = rows.map(({ name, peak }) => `${name} peak ${quantityText(peak, 'memory')}`).join(', ');
  const entries = rows.map(({ name, at, peak }, i) => {
    const stroke = rows.length > 1 ? ` (${strokeOf(i)})` : '';
    const text = element('span', { class: 'text' }, `${name}${stroke}, peak `);
    return [swatch(inPalette(i)), text, namedFigure(`memory.${at}.peak`, peak, 'memory')];
  });
  return [
    element('h3', {}, title),
    legend(entries),
    chart(`${title} over time: ${peaks}`, 200, () => option(rows, span)),
  ];
}

const COLUMNS: readonly TableColumn<MemoryCurveRow>[] = [
  {
    title: 'Memory',
    cell: ({ metric, name }) => (metric === name || metric === 'memory' ? name : `${metric} ${name}`),
  },
  { title: 'Device', cell: ({ device }) => (device === null ? null : String(device)) },
  numbersOf<MemoryCurve>('memory')('Size', 'memory', 'peak'),
  { title: 'Samples', cell: ({ points }) => sampleText(points.length) },
];

const sampleText = (samples: number): string =>
  samples === 0 ? 'of the whole profile' : samples === 1 ? 'one' : `${quantityText(samples, 'count')}, all the same`;

function make(view: PanelView): PanelContent {
  const { memory, utilisation } = view.profile;
  if (memory.length === 0)
    return 'The profile holds no samples of memory. Profiles of PyTorch (profile_memory=True) and of Nsight Systems (--cuda-memory-usage=true) have them, and captures of AWS Neuron.';
  const rows = listed(memory);
  const changing = rows.filter(({ points }) => changes(points));
  const groups = new Map<string, MemoryCurveRow[]>();
  for (const row of changing) {
    const key = `${row.device ?? ''}/${row.metric}`;
    groups.set(key, [...(groups.get(key) ?? []), row]);
  }
  const { start, width, devices } = utilisation;
  const busyTime = devices.slice(0, 1).flatMap(({ busy }) => [start, start + width * busy.length]);
  const curvePoints = rows.map(({ points }) => points);
  const span = timeSpan(curvePoints, busyTime);
  const rest = rows.filter((row) => !changing.includes(row));
  const charts = [...groups.values()].flatMap((group) => curves(group, span));
  if (rest.length === 0) return charts;
  const caption = 'Memory that does not change';
  return [...charts, element('h3', {}, caption), table({ caption, columns: COLUMNS, rows: rest, sortedBy: 2 })];
}

export const MEMORY: Panel = { id: 'memory', title: 'Memory', width: 6, make };
