/** How the time of each step was spent: a bar for each step, and a table of the same data. */
import { elementAt } from '../../../containers/element.js';
import type { StepBar, StepBarPart } from '../../../prof/html/idle/idle-data.js';
import { chart, replaceContents } from '../../charts/chart.js';
import type { ChartOption } from '../../charts/chart-values.js';
import { below, GRID, left, tips } from '../../charts/chart-style.js';
import { element, note } from '../../document/dom-elements.js';
import { showTime, timeLink } from '../../document/timeline-link.js';
import { isInTimeline } from '../../document/timeline-target.js';
import { spanButton } from '../../span/chosen-span.js';
import type { SelectedSpan } from '../../timeline/model/view.js';
import { quantityText, type DisplayUnit } from '../../document/units.js';
import { devicePicker } from '../../document/kept-choice.js';
import { listed, type Listed } from '../../figures/listed-rows.js';
import { table, type TableColumn } from '../../figures/sorted-table.js';
import { legend, swatch } from '../../figures/strip.js';
import { causeName, IDLE_NAMES, STEP_NAMES, STEP_PARTS, WORK_NAMES } from '../../figures/shown-names.js';
import type { PanelView } from '../../panel.js';

const LABELLED_STEPS = 20;

type Row = Listed<StepBar>;

const spanOf = ({ start, span }: StepBar): SelectedSpan => ({ from: start, to: start + span });
const timeOf = ({ parts }: StepBar, part: StepBarPart): number => parts[part] ?? 0;

const IDLE = Object.keys(IDLE_NAMES) as (keyof typeof IDLE_NAMES)[];
const idleOf = (bar: StepBar): number => IDLE.reduce((sum, cause) => sum + timeOf(bar, cause), 0);

/** Parts that occur in some step. */
const partsIn = (bars: readonly StepBar[]): typeof STEP_PARTS =>
  STEP_PARTS.filter(([part]) => bars.some((bar) => timeOf(bar, part) > 0));

function series(bars: readonly StepBar[]): ChartOption {
  const parts = partsIn(bars);
  return {
    grid: GRID,
    xAxis: below('step', 'count', { type: 'category', data: bars.map(({ step }) => String(step)) }),
    yAxis: left('ns', { min: 0 }),
    tooltip: tips('axis', (i) => {
      const bar = elementAt(bars, i);
      const { iteration, loading } = bar.host;
      return [
        `step ${bar.step}`,
        [STEP_NAMES.device, quantityText(bar.span, 'ns')],
        ...parts
          .filter(([part]) => timeOf(bar, part) > 0)
          .map(([part, name]) => [name, quantityText(timeOf(bar, part), 'ns')] as const),
        ...(iteration === null ? [] : [[STEP_NAMES.host, quantityText(iteration, 'ns')] as const]),
        ...(loading === null ? [] : [['loading data on the CPU', quantityText(loading, 'ns')] as const]),
      ];
    }),
    series: parts.map(([part, name, color]) => ({
      type: 'bar',
      name,
      stack: 'parts',
      barMaxWidth: 60,
      data: bars.map((bar) => timeOf(bar, part)),
      itemStyle: { color },
      emphasis: { disabled: true },
    })),
  };
}

function labelOf(bars: readonly StepBar[], device: number): string {
  const times = bars.slice(0, LABELLED_STEPS).map(({ step, span }) => `step ${step} ${quantityText(span, 'ns')}`);
  const more = bars.length > LABELLED_STEPS ? ' …' : '';
  return `Time of ${bars.length} steps on device ${device}, in order: ${times.join(', ')}${more}`;
}

const FIGURES: readonly (readonly [title: string, path: string, value: (bar: StepBar) => number | null])[] = [
  [STEP_NAMES.device, 'span', ({ span }) => span],
  ...(
    [
      [WORK_NAMES.compute[0], 'compute'],
      [WORK_NAMES.communication[0], 'communication'],
      [WORK_NAMES.copy[0], 'copies'],
    ] as const
  ).map(([title, part]) => [title, `parts.${part}`, (bar: StepBar) => timeOf(bar, part)] as const),
  [STEP_NAMES.host, 'host.iteration', ({ host }) => host.iteration],
  ['Time to first work', 'host.preparing', ({ host }) => host.preparing],
  ['CPU ops', 'host.ops', ({ host }) => host.ops],
  ['Loading data', 'host.loading', ({ host }) => host.loading],
];

/** The cause of most of a step's idle time. */
function mostIdle(bar: StepBar, { profile }: PanelView): string | null {
  const [first] = IDLE.filter((cause) => timeOf(bar, cause) > 0).sort((a, b) => timeOf(bar, b) - timeOf(bar, a));
  return first === undefined ? null : causeName(first, profile.overview.header);
}

function tableOf(view: PanelView, rows: readonly Row[], withDevice: boolean): HTMLElement {
  const number = ([title, path, value]: (typeof FIGURES)[number]): TableColumn<Row> => ({
    title,
    unit: 'ns' satisfies DisplayUnit,
    cell: value,
    // An absent part is 0, which a field cannot express.
    ...(path.startsWith('parts.') ? {} : { field: ({ at }: Row) => `stepBars.shown.${at}.${path}` }),
  });
  const [span, ...others] = FIGURES.filter(([, , value]) => rows.some((row) => value(row) !== null)).map(number);
  const columns: TableColumn<Row>[] = [
    {
      title: 'Step',
      cell: ({ step }) => String(step),
      link: (row, text) => timeLink(view, text, spanOf(row)),
    },
    ...(withDevice ? [{ title: 'Device', cell: ({ device }: Row) => String(device) }] : []),
    ...(span === undefined ? [] : [span]),
    { title: 'Idle', unit: 'ns', cell: idleOf },
    { title: 'Main idle cause', cell: (row) => mostIdle(row, view) },
    ...others,
    {
      title: 'All tabs',
      cell: () => 'Only this step',
      link: (row, text) => spanButton(`${text}: ${row.step}`, spanOf(row), text),
    },
  ];
  return table({ caption: 'Steps', columns, rows, sortedBy: 0, most: 8 });
}

/** Contents below the section's heading; empty when no work belongs to a step. */
export function stepBars(view: PanelView): Node[] {
  const { shown, count } = view.profile.stepBars;
  const devices = [...new Set(shown.map(({ device }) => device))];
  if (devices.length === 0) return [];
  const place = element('div');
  const show = (device: number): void => {
    const deviceBars = shown.filter((bar) => bar.device === device);
    const click = (i: number): void => {
      const bar = elementAt(deviceBars, i);
      if (isInTimeline(view, spanOf(bar))) showTime(view, spanOf(bar));
    };
    replaceContents(
      place,
      chart(labelOf(deviceBars, device), 240, () => series(deviceBars), click),
    );
  };
  const colours = legend(partsIn(shown).map(([, name, colour]) => [swatch(colour), name]));
  const rest = count > shown.length ? [note(`The first ${shown.length} of ${count} steps.`)] : [];
  const isOutside = shown.some((bar) => !isInTimeline(view, spanOf(bar)));
  const other = isOutside
    ? [note(`Steps without a link are not in this page's timeline: \`dprof html --step N\`.`)]
    : [];
  return [
    ...devicePicker(view.profile, 'steps.device', devices, show),
    colours,
    place,
    ...rest,
    tableOf(view, listed(shown), devices.length > 1),
    ...other,
  ];
}
