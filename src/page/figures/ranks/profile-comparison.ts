/** The profiles of a page side by side: one row each, with outliers marked. */
import { elementAt } from '../../../containers/element.js';
import type { ProfileOutline } from '../../../prof/html/page-elements.js';
import type { DeviceTime } from '../../../prof/summary/summary-data.js';
import { median } from '../../../record/statistics.js';
import { button, element, note, scrolling, section, labelledTable } from '../../document/dom-elements.js';
import { inScale, quantityText, scaleOfAll, type DisplayScale, type DisplayUnit } from '../../document/units.js';
import { csvButton } from '../sorted-table.js';
import {
  difference,
  fieldsOf,
  leastOf,
  mostOf,
  ratio,
  sumOf,
  wholeSumOf,
  type Field,
  type NumberKey,
} from '../field.js';
import { figure } from '../figure.js';
import { TableHeads, type TableColumn } from '../table-cells.js';
import { IDLE_NAMES, STEP_NAMES } from '../shown-names.js';
import { deviations, known, type Deviation } from './rank-comparison.js';

interface RankMetric {
  readonly title: string;
  readonly unit: DisplayUnit;
  readonly of: (profile: ProfileOutline, path: string) => Field;
}

const times =
  (key: NumberKey<DeviceTime>) =>
  ({ overview: { devices } }: ProfileOutline, path: string): Field =>
    wholeSumOf(`${path}.overview.devices.*`, devices, key);

const step =
  (clock: keyof typeof STEP_NAMES) =>
  ({ overview: { steps } }: ProfileOutline, path: string): Field =>
    fieldsOf(`${path}.overview.steps.${clock}`, steps?.[clock])('median');

/** From the first work of any device to the last, in ns. @param path path of the profile in the data */
export function span({ overview: { devices } }: ProfileOutline, path: string): Field {
  const list = `${path}.overview.devices.*`;
  return difference(mostOf(list, devices, 'end'), leastOf(list, devices, 'start'));
}

/** The share of time on the matrix unit; unknown when no kernel states it. */
function matrixUnit({ overview: { kernels } }: ProfileOutline, path: string): Field {
  const time = fieldsOf(`${path}.overview.kernels`, kernels)('time');
  const unit = fieldsOf(`${path}.overview.kernels.matrixUnit`, kernels?.matrixUnit);
  const share = ratio(unit('used'), time);
  const known = difference(time, unit('unknown'), unit('undetermined')).value ?? 0;
  return known > 0 ? share : { ...share, value: null };
}

const METRICS: readonly RankMetric[] = [
  { title: 'Span', unit: 'ns', of: span },
  { title: 'Busy', unit: 'ns', of: times('busy') },
  { title: 'Idle', unit: 'ns', of: times('idle') },
  {
    title: IDLE_NAMES.launch[0],
    unit: 'ns',
    of: ({ idle }, path) =>
      sumOf(
        `${path}.idle.devices.*.times`,
        idle.devices.map((device) => device.times),
        'launch',
      ),
  },
  { title: 'Compute', unit: 'ns', of: times('compute') },
  { title: 'Communication', unit: 'ns', of: times('communication') },
  { title: 'Exposed communication', unit: 'ns', of: times('exposed') },
  { title: 'Copies and memsets', unit: 'ns', of: times('memory') },
  { title: `${STEP_NAMES.host}, median`, unit: 'ns', of: step('host') },
  { title: `${STEP_NAMES.device}, median`, unit: 'ns', of: step('device') },
  {
    title: 'Kernels',
    unit: 'count',
    of: ({ overview }, path) => fieldsOf(`${path}.overview.kernels`, overview.kernels)('count'),
  },
  { title: 'On matrix unit', unit: 'share', of: matrixUnit },
];

/** A metric with its values, in order of the profiles. */
interface MeasuredMetric {
  readonly metric: RankMetric;
  readonly fields: readonly Field[];
  readonly values: readonly (number | null)[];
  readonly scale: DisplayScale;
  readonly from: readonly Deviation[];
}

function measured(profiles: readonly ProfileOutline[]): MeasuredMetric[] {
  const all = METRICS.map((metric) => {
    const fields = profiles.map((profile, at) => metric.of(profile, `profiles.${at}`));
    return { metric, fields, values: fields.map(({ value }) => value) };
  });
  return all
    .filter(({ values }) => values.some((value) => value !== null))
    .map(({ metric, fields, values }) => {
      const together = all.filter((other) => other.metric.unit === metric.unit).flatMap((other) => other.values);
      return { metric, fields, values, scale: scaleOfAll(metric.unit, together), from: deviations(values) };
    });
}

function cellOf({ metric, fields, scale, from }: MeasuredMetric, at: number): HTMLElement {
  const field = elementAt(fields, at);
  const { part, standsOut } = elementAt(from, at);
  const shown = figure(field, metric.unit, inScale(field.value, scale));
  if (!standsOut || part === null) return element('td', { class: 'number' }, shown);
  const text = `${part > 0 ? '▲ +' : '▼ −'}${quantityText(Math.abs(part), 'share')}`;
  return element('td', { class: 'number out' }, shown, element('span', { class: 'deviation' }, text));
}

const CAPTION = 'Profiles compared';

/** @param current index of the shown profile */
export function profileComparison(
  profiles: readonly ProfileOutline[],
  names: readonly string[],
  current: number,
  choose: (at: number) => unknown,
): HTMLElement {
  const columns = measured(profiles);
  const row = (at: number): HTMLElement => {
    const chosen = button(elementAt(names, at), () => choose(at), { class: 'link' });
    if (at === current) chosen.setAttribute('aria-current', 'true');
    const head = element('th', { scope: 'row' }, chosen);
    return element(
      'tr',
      { class: at === current ? 'current' : null },
      head,
      ...columns.map((column) => cellOf(column, at)),
    );
  };
  const ordered: TableColumn<number>[] = [
    { title: 'Profile', cell: (at) => elementAt(names, at) },
    ...columns.map(({ metric: { title, unit }, values }) => ({
      ...{ title, unit },
      cell: (at: number) => elementAt(values, at),
    })),
  ];
  const body = element('tbody');
  const all = names.map((_, at) => at);
  const heads = new TableHeads(ordered, [null, ...columns.map(({ scale }) => scale)], null, () => show());
  const show = (): void => body.replaceChildren(...heads.inOrder(all, (at) => at).map(row));
  show();
  const middle = element(
    'tr',
    { class: 'sum' },
    element('th', { scope: 'row' }, 'Median'),
    ...columns.map(({ values, scale }) => element('td', { class: 'number' }, inScale(median(known(values)), scale))),
  );
  const made = labelledTable(
    CAPTION,
    ordered.length,
    element('thead', {}, heads.row),
    body,
    element('tfoot', {}, middle),
  );
  const copy = csvButton(CAPTION, ordered, () => heads.inOrder(all, (at) => at));
  const marked = names.length === 2 ? 'the larger value' : 'the value farthest from the median of its column';
  const explained = `Marked: ${marked}, if the difference is more than 5 %. Click a name to show that profile in the panels above and below.`;
  const placed = element(
    'div',
    { class: 'table' },
    scrolling(CAPTION, made),
    element('div', { class: 'beneath' }, copy),
  );
  return section(CAPTION, placed, note(explained));
}
