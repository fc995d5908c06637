/** The profiles of a page beside each other: which rank is slow, and where. */
import { deviations, median } from '../charts/rank-comparison.js';
import { button, element } from '../document/element.js';
import { valueOf } from '../document/field.js';
import { namedFigure } from '../charts/figure.js';
import type { PanelContent, Panel, PanelView } from '../panel.js';
import { rankNames } from '../profile-labels.js';
import { inScale, scaleOfAll, written, type Unit } from '../document/units.js';

interface RankMetric {
  readonly title: string;
  readonly unit: Unit;
  /** Field of a profile, its paths beginning with 'P.'. */
  readonly field: string;
}

const SUM = (name: string): string => `sum(P.overview.devices.*.${name})`;

const METRICS: readonly RankMetric[] = [
  { title: 'Span', unit: 'ns', field: 'max(P.overview.devices.*.end) - min(P.overview.devices.*.start)' },
  { title: 'Busy', unit: 'ns', field: SUM('busy') },
  { title: 'Idle', unit: 'ns', field: SUM('idle') },
  { title: 'Launch-bound', unit: 'ns', field: SUM('gaps.host') },
  { title: 'Compute', unit: 'ns', field: SUM('compute') },
  { title: 'Communication', unit: 'ns', field: SUM('communication') },
  { title: 'Exposed', unit: 'ns', field: SUM('exposed') },
  { title: 'Copies and sets', unit: 'ns', field: SUM('memory') },
  { title: 'Step, median', unit: 'ns', field: 'P.overview.steps.median' },
  { title: 'Kernels', unit: 'count', field: 'P.overview.kernels.count' },
  { title: 'On matrix unit', unit: 'share', field: 'P.overview.kernels.matrixUnit.used / P.overview.kernels.time' },
];

const fieldOf = ({ field }: RankMetric, at: number): string => field.replaceAll('P.', `profiles.${at}.`);

function make(view: PanelView): PanelContent {
  const { profiles } = view.data;
  if (profiles.length < 2)
    return 'The page holds one profile: there is nothing to compare. dparse takes several files.';
  const names = rankNames(view.data);
  const known = METRICS.map((metric) => ({
    metric,
    values: profiles.map((_, at) => valueOf(view, fieldOf(metric, at))),
  }));
  const columns = known
    .filter(({ values }) => values.some((value) => value !== null))
    .map(({ metric, values }) => {
      const together = known.filter((other) => other.metric.unit === metric.unit).flatMap((other) => other.values);
      return { metric, values, scale: scaleOfAll(metric.unit, together), from: deviations(values) };
    });
  const heads = columns.map(
    ({ metric, scale }) =>
    element('th', { scope: 'col', class: 'number' }, scale.suffix === '' ? metric.title : `${metric.title} (${scale.suffix})`), // prettier-ignore
  );
  const rows = profiles.map((_, at) => {
    const choose = button(names[at] ?? '', () => {
      view.choose(at);
    });
    choose.className = 'link';
    if (at === view.at) choose.setAttribute('aria-current', 'true');
    const cells = columns.map(({ metric, values, scale, from }) => {
      const value = values[at] ?? null;
      const { part, standsOut } = from[at] ?? { part: null, standsOut: false };
      const shown = namedFigure(fieldOf(metric, at), value, metric.unit, inScale(value, scale));
      const sign = (part ?? 0) > 0 ? '▲ +' : '▼ −';
      const mark = standsOut && part !== null ? [element('span', { class: 'deviation' }, `${sign}${written(Math.abs(part), 'share')}`)] : []; // prettier-ignore
      return element('td', { class: standsOut ? 'number out' : 'number' }, shown, ...mark);
    });
    return element(
      'tr',
      { class: at === view.at ? 'current' : null },
      element('th', { scope: 'row' }, choose),
      ...cells,
    );
  });
  const middle = element(
    'tr',
    { class: 'sum' },
    element('th', { scope: 'row' }, 'Median'),
    ...columns.map(({ values, scale }) => element('td', { class: 'number' }, inScale(median(values), scale))),
  );
  const made = element(
    'table',
    { 'aria-label': 'Profiles compared' },
    element('thead', {}, element('tr', {}, element('th', { scope: 'col' }, 'Profile'), ...heads)),
    element('tbody', {}, ...rows),
    element('tfoot', {}, middle),
  );
  return [
    element('div', { class: 'scroll', role: 'region', 'aria-label': 'Profiles compared', tabindex: 0 }, made),
    element('p', { class: 'note' }, `Marked: ${profiles.length === 2 ? 'the larger of the two' : 'the farthest from the median of its column'}, where that is more than 5 %. A name shows its profile above and below.`), // prettier-ignore
  ];
}

export const RANKS: Panel = { id: 'ranks', title: 'Ranks compared', width: 6, make };
