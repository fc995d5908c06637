/**
 * Memory of the devices over time, a chart for each device and metric, all with the same time axis; and copies and
 * memsets by kind, with their bandwidth.
 */
import { lacking } from '../capture-hints.js';
import type { MemoryCurve, MemoryOwner } from '../../prof/html/page-data.js';
import { chart } from '../charts/chart.js';
import { changes, timeSpan, valueAt, type ChartOption } from '../charts/chart-values.js';
import { below, GRID, leftFromZero, tips } from '../charts/chart-style.js';
import { elementAt } from '../../containers/element.js';
import { metricTitle } from '../../record/sample-metrics.js';
import { element, note, section, toolNote } from '../document/dom-elements.js';
import { momentLink } from '../document/timeline-link.js';
import { fieldsOf, ratio, sumOf, type Field } from '../figures/field.js';
import { figure } from '../figures/figure.js';
import { listed, numbersOf, figureColumn, type Listed } from '../figures/listed-rows.js';
import { followsWork, type Panel, type PanelContent, type PanelView } from '../panel.js';
import { inPalette, legend, swatch } from '../figures/strip.js';
import { table, type TableColumn } from '../figures/sorted-table.js';
import { quantityText } from '../document/units.js';
import type { MemoryOperations } from '../../prof/summary/summary-data.js';

const number = numbersOf<MemoryOperations>('overview.memory');

function makeOperations(view: PanelView): PanelContent {
  const { memory, notices } = view.profile.overview;
  if (memory.length === 0) return 'The profile has no copies or memsets.';
  const shareOf = (row: Listed<MemoryOperations>): Field =>
    ratio(fieldsOf(`overview.memory.${row.at}`, memory[row.at])('time'), sumOf('overview.memory.*', memory, 'time'));
  const columns: TableColumn<Listed<MemoryOperations>>[] = [
    { title: 'Kind', cell: ({ kind }) => kind },
    number('Count', 'count', 'count'),
    number('Time', 'ns', 'time'),
    figureColumn('Share', 'share', shareOf, { bar: (row) => shareOf(row).value }),
    number('Size', 'bytes', 'bytes', { worded: ({ unsized = 0 }, text) => `${unsized > 0 ? '≥ ' : ''}${text}` }),
    number('Rate', 'bytes/s', 'bytesPerS'),
  ];
  return [
    table({ caption: 'Memory operations', columns, rows: listed(memory), sortedBy: 2 }),
    ...notices.map(toolNote),
  ];
}

export const MEMORY_OPERATIONS: Panel = {
  id: 'memory-operations',
  title: 'Memory operations',
  width: 3,
  make: makeOperations,
  // The events of packets are named after tensors, not after kinds.
  follows: (whole) => followsWork(whole) && whole.neuron === null,
};

type MemoryCurveRow = Listed<MemoryCurve>;

/** Lines differ in stroke as well as in colour. */
const STROKES = ['solid', 'dashed', 'dotted'] as const;

const strokeOf = (i: number): (typeof STROKES)[number] => elementAt(STROKES, i % STROKES.length);

/** Maximum number of marked steps; more would hide the curves. */
const MOST_MARKS = 100;

/** The distinct times when steps began on the host, or with their first work. */
function stepStarts({ profile }: PanelView): number[] {
  const starts = new Map<number, number>();
  for (const { step, start, host } of profile.stepBars.shown) {
    starts.set(step, Math.min(starts.get(step) ?? Infinity, start - (host.preparing ?? 0)));
  }
  return starts.size > MOST_MARKS ? [] : [...starts.values()];
}

/** Lines from the bottom of the chart to its top. */
const marks = (times: readonly number[], top: number): NonNullable<ChartOption['series']> => [
  {
    type: 'line',
    name: 'step',
    symbol: 'none',
    silent: true,
    tooltip: { show: false },
    data: times.flatMap((time) => [
      [time, 0],
      [time, top],
      [time, null as never],
    ]),
    lineStyle: { color: 'var(--quiet)', width: 1, type: 'dotted' },
    emphasis: { disabled: true },
  },
];

/** The curves of one chart. */
function option(
  rows: readonly MemoryCurveRow[],
  span: readonly [number, number],
  starts: readonly number[],
): ChartOption {
  const top = rows.reduce((most, { peak }) => Math.max(most, peak), 0);
  const [from, to] = span;
  return {
    grid: GRID,
    xAxis: below("time from the profile's start", 'ns', { min: from, max: to }),
    yAxis: leftFromZero('memory', top),
    tooltip: tips('axis', (_i, _series, time) => [
      quantityText(time, 'ns'),
      ...rows.map((row) => [nameOf(row), quantityText(valueAt(row.points, time), 'memory')] as const),
    ]),
    series: [
      ...rows.map(
        ({ name, points }, i) =>
          ({
            type: 'line',
            name,
            step: 'end',
            symbol: 'none',
            // The last value is valid until the end.
            data: [...points, [to, elementAt(points, points.length - 1)[1]] as const].map(([time, bytes]) => [
              time,
              bytes,
            ]),
            lineStyle: { color: inPalette(i), width: 1.5, type: strokeOf(i) },
            ...(rows.length === 1 ? { areaStyle: { color: inPalette(i), opacity: 0.25 } } : {}),
            emphasis: { disabled: true },
          }) as const,
      ),
      ...[marks(starts, top)].flat(),
    ],
  };
}

/** The name of a curve within its chart. */
const nameOf = ({ metric, name }: MemoryCurve): string => (name === metric ? metricTitle(metric) : name);

/** The title of a curve with its own chart. */
const titleOf = ({ metric, name }: Pick<MemoryCurve, 'metric' | 'name'>): string =>
  [metricTitle(metric), ...(name === metric || name === '' ? [] : [name])].join(' ');

const deviceText = ({ device, name }: MemoryCurve): string =>
  device !== null ? `Device ${device}` : name === 'CPU' ? 'Host' : 'Unknown device';

function curves(rows: readonly MemoryCurveRow[], span: readonly [number, number], starts: readonly number[]): Node[] {
  const [first] = rows;
  if (first === undefined) return [];
  const title = `${deviceText(first)}: ${metricTitle(first.metric)}`;
  const peaks = rows.map((row) => `${nameOf(row)} peak ${quantityText(row.peak, 'memory')}`).join(', ');
  const entries = rows.map((row, i) => {
    const stroke = rows.length > 1 ? ` (${strokeOf(i)})` : '';
    const text = element('span', { class: 'text' }, `${nameOf(row)}${stroke}, peak `);
    return [swatch(inPalette(i)), text, figure({ name: `memory.${row.at}.peak`, value: row.peak }, 'memory')];
  });
  return [
    element('h3', {}, title),
    legend(entries),
    chart(`${title} over time: ${peaks}`, 200, () => option(rows, span, starts)),
  ];
}

const COLUMNS: readonly TableColumn<MemoryCurveRow>[] = [
  {
    title: 'Memory',
    cell: ({ metric, name }) => (metric === 'memory' ? name : titleOf({ metric, name })),
  },
  { title: 'Device', cell: ({ device }) => (device === null ? null : String(device)) },
  numbersOf<MemoryCurve>('memory')('Size', 'memory', 'peak'),
  { title: 'Samples', cell: ({ points }) => sampleText(points.length) },
];

const sampleText = (samples: number): string =>
  samples === 0 ? 'of the whole profile' : samples === 1 ? 'one' : `${quantityText(samples, 'count')}, all the same`;

function owners(view: PanelView, at: number, kind: 'ops' | 'categories', title: string): HTMLElement[] {
  const peak = view.profile.memoryPeaks[at];
  const list = peak?.[kind] ?? null;
  if (peak === undefined || list === null || list.count === 0) return [];
  const number = numbersOf<MemoryOwner>(`memoryPeaks.${at}.${kind}.shown`);
  const withCounts = list.shown.some(({ allocations }) => allocations !== null);
  const made = table({
    caption: title,
    columns: [
      { title, cell: ({ name }) => name },
      number('Size', 'memory', 'bytes', { bar: ({ bytes }) => (peak.bytes > 0 ? bytes / peak.bytes : 0) }),
      ...(withCounts ? [number('Allocations', 'count', 'allocations')] : []),
    ],
    rows: listed(list.shown),
    sortedBy: 1,
    most: 8,
  });
  const others = list.count - list.shown.length;
  return [made, ...(others > 0 ? [note(`${others} others: ${quantityText(list.restBytes, 'memory')}.`)] : [])];
}

/** Time of a device's peak memory, and the ops that held it. */
function peaks(view: PanelView): HTMLElement[] {
  return view.profile.memoryPeaks.map(({ device, metric, of: component, start, step, op }, at) => {
    const when = start === null ? null : quantityText(start, 'ns');
    const link = start === null || when === null ? null : momentLink(view, when, start);
    const about = element(
      'p',
      {},
      figure(fieldsOf(`memoryPeaks.${at}`, view.profile.memoryPeaks[at])('bytes'), 'memory'),
      ` (${titleOf({ metric, name: component })})`,
      ...(when === null ? [' of the whole profile'] : [' at ', link ?? when]),
      step === null ? '' : `, in step ${step}`,
      op === null ? '' : `; the latest allocation was made by ${op}`,
      '.',
    );
    const ops = owners(view, at, 'ops', 'Held at the peak by op');
    const categories = owners(view, at, 'categories', 'Held at the peak by kind');
    const tables = [ops, categories].filter((list) => list.length > 0).map((list) => element('div', {}, ...list));
    const unknown = tables.length === 0 ? [note('The profile does not record which ops held the memory.')] : [];
    return section(
      `${device === null ? 'Host' : `Device ${device}`}: the peak`,
      about,
      ...(tables.length > 1 ? [element('div', { class: 'pair' }, ...tables)] : tables),
      ...unknown,
    );
  });
}

function make(view: PanelView): PanelContent {
  const { memory, utilisation } = view.profile;
  if (memory.length === 0) return lacking(view, 'memory');
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
  const span = view.span === null ? timeSpan(curvePoints, busyTime) : ([view.span.from, view.span.to] as const);
  const rest = rows.filter((row) => !changing.includes(row));
  const starts = stepStarts(view).filter((start) => start >= span[0] && start <= span[1]);
  const charts = [...groups.values()].flatMap((group) => curves(group, span, starts));
  const all = [...charts, ...(starts.length > 0 ? [note('Dotted: steps begin.')] : []), ...peaks(view)];
  if (rest.length === 0) return all;
  const caption = 'Memory that does not change';
  return [...all, element('h3', {}, caption), table({ caption, columns: COLUMNS, rows: rest, sortedBy: 2 })];
}

export const MEMORY: Panel = { id: 'memory', title: 'Memory', width: 6, make, follows: () => true };
