/** The profiles of a page side by side: a row a profile, with what stands out marked. */
import { elementAt } from '../../../containers/element.js';
import type { ProfileOutline } from '../../../prof/html/page-elements.js';
import { median } from '../../../record/statistics.js';
import { button, element, note, scrolling, section, labelledTable } from '../../document/dom-elements.js';
import { inScale, quantityText, scaleOfAll, type DisplayScale, type DisplayUnit } from '../../document/units.js';
import { csvButton } from '../csv-button.js';
import { valueOf, type FieldScope } from '../field.js';
import { namedFigure } from '../figure.js';
import type { TableColumn } from '../table-cells.js';
import { IDLE_NAMES, STEP_NAMES } from '../time-parts.js';
import { TableHeads } from '../table-heads.js';
import { deviations, known, type Deviation } from './rank-comparison.js';

interface RankMetric {
  readonly title: string;
  readonly unit: DisplayUnit;
  /** Field of a profile; 'P.' stands for its path. */
  readonly field: string;
  /** Time of which it is known: without any, it is not. */
  readonly known?: string;
}

const sumOf = (name: string): string => `sum(P.overview.devices.*.${name})`;

const METRICS: readonly RankMetric[] = [
  { title: 'Span', unit: 'ns', field: 'max(P.overview.devices.*.end) - min(P.overview.devices.*.start)' },
  { title: 'Busy', unit: 'ns', field: sumOf('busy') },
  { title: 'Idle', unit: 'ns', field: sumOf('idle') },
  { title: IDLE_NAMES.launch[0], unit: 'ns', field: 'sum(P.idle.devices.*.times.launch)' },
  { title: 'Compute', unit: 'ns', field: sumOf('compute') },
  { title: 'Communication', unit: 'ns', field: sumOf('communication') },
  { title: 'Exposed communication', unit: 'ns', field: sumOf('exposed') },
  { title: 'Copies and sets', unit: 'ns', field: sumOf('memory') },
  { title: `${STEP_NAMES.host}, median`, unit: 'ns', field: 'P.overview.steps.host.median' },
  { title: `${STEP_NAMES.device}, median`, unit: 'ns', field: 'P.overview.steps.device.median' },
  { title: 'Kernels', unit: 'count', field: 'P.overview.kernels.count' },
  {
    title: 'On matrix unit',
    unit: 'share',
    field: 'P.overview.kernels.matrixUnit.used / P.overview.kernels.time',
    known:
      'P.overview.kernels.time - P.overview.kernels.matrixUnit.unknown - P.overview.kernels.matrixUnit.undetermined',
  },
];

const inProfile = (field: string, at: number): string => field.replaceAll('P.', `profiles.${at}.`);
const fieldOf = ({ field }: RankMetric, at: number): string => inProfile(field, at);
const isKnown = (scope: FieldScope, { known: time }: RankMetric, at: number): boolean =>
  time === undefined || (valueOf(scope, inProfile(time, at)) ?? 0) > 0;

/** A metric with its values, in order of the profiles. */
interface MeasuredMetric {
  readonly metric: RankMetric;
  readonly values: readonly (number | null)[];
  readonly scale: DisplayScale;
  readonly from: readonly Deviation[];
}

function measured(scope: FieldScope, profiles: readonly ProfileOutline[]): MeasuredMetric[] {
  const all = METRICS.map((metric) => ({
    metric,
    values: profiles.map((_, at) => (isKnown(scope, metric, at) ? valueOf(scope, fieldOf(metric, at)) : null)),
  }));
  return all
    .filter(({ values }) => values.some((value) => value !== null))
    .map(({ metric, values }) => {
      const together = all.filter((other) => other.metric.unit === metric.unit).flatMap((other) => other.values);
      return { metric, values, scale: scaleOfAll(metric.unit, together), from: deviations(values) };
    });
}

function cellOf({ metric, values, scale, from }: MeasuredMetric, at: number): HTMLElement {
  const value = elementAt(values, at);
  const { part, standsOut } = elementAt(from, at);
  const shown = namedFigure(fieldOf(metric, at), value, metric.unit, inScale(value, scale));
  if (!standsOut || part === null) return element('td', { class: 'number' }, shown);
  const text = `${part > 0 ? '▲ +' : '▼ −'}${quantityText(Math.abs(part), 'share')}`;
  return element('td', { class: 'number out' }, shown, element('span', { class: 'deviation' }, text));
}

const CAPTION = 'Profiles compared';

/** @param current index of the shown profile */
export function profileComparison(
  scope: FieldScope,
  names: readonly string[],
  current: number,
  choose: (at: number) => unknown,
): HTMLElement {
  const columns = measured(scope, scope.data.profiles);
  const row = (at: number): HTMLElement => {
    const chosen = button(elementAt(names, at), () => choose(at), { class: 'link' });
    if (at === current) chosen.setAttribute('aria-current', 'true');
    const head = element('th', { scope: 'row' }, chosen);
    return element('tr', { class: at === current ? 'current' : null }, head, ...columns.map((one) => cellOf(one, at)));
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
  const marked = names.length === 2 ? 'the larger of the two' : 'the farthest from the median of its column';
  const explained = `Marked: ${marked}, where that is more than 5 %. A name shows its profile above and below.`;
  const placed = element(
    'div',
    { class: 'table' },
    scrolling(CAPTION, made),
    element('div', { class: 'beneath' }, copy),
  );
  return section(CAPTION, placed, note(explained));
}
