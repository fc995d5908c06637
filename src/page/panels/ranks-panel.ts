/** The profiles of a page compared: which rank is slow, and where. */
import type { PageJob } from '../../prof/html/page-data.js';
import { withName } from '../document/fragment.js';
import { isInTimeline, showRanks, showTime } from '../document/timeline-link.js';
import { median } from '../../record/statistics.js';
import { deviations, known } from '../figures/rank-comparison.js';
import { elementAt } from '../../containers/element.js';
import { button, element, note, scrolling, section } from '../document/dom-elements.js';
import { valueOf } from '../figures/field.js';
import { namedFigure } from '../figures/figure.js';
import type { HeatLinks } from '../figures/heat-map.js';
import { jobSections } from '../figures/job-sections.js';
import type { PanelContent, Panel, PanelView } from '../panel.js';
import { rankNames } from '../profile-labels.js';
import { byInterest, pageRanks, type PageRank } from '../timeline/pieces/page-ranks.js';
import { inScale, scaleOfAll, quantityText, type DisplayUnit } from '../document/units.js';

interface RankMetric {
  readonly title: string;
  readonly unit: DisplayUnit;
  /** Field of a profile; 'P.' stands for its path. */
  readonly field: string;
}

const sumOf = (name: string): string => `sum(P.overview.devices.*.${name})`;

const METRICS: readonly RankMetric[] = [
  { title: 'Span', unit: 'ns', field: 'max(P.overview.devices.*.end) - min(P.overview.devices.*.start)' },
  { title: 'Busy', unit: 'ns', field: sumOf('busy') },
  { title: 'Idle', unit: 'ns', field: sumOf('idle') },
  { title: 'Launch-bound', unit: 'ns', field: sumOf('gaps.host') },
  { title: 'Compute', unit: 'ns', field: sumOf('compute') },
  { title: 'Communication', unit: 'ns', field: sumOf('communication') },
  { title: 'Exposed', unit: 'ns', field: sumOf('exposed') },
  { title: 'Copies and sets', unit: 'ns', field: sumOf('memory') },
  { title: 'Step, median', unit: 'ns', field: 'P.overview.steps.median' },
  { title: 'Kernels', unit: 'count', field: 'P.overview.kernels.count' },
  { title: 'On matrix unit', unit: 'share', field: 'P.overview.kernels.matrixUnit.used / P.overview.kernels.time' },
];

const fieldOf = ({ field }: RankMetric, at: number): string => field.replaceAll('P.', `profiles.${at}.`);

/** Shows a rank, at a step: in the timeline where the page has that, else where the time of its steps went. */
function openRank(view: PanelView, { profile: at, device }: PageJob['ranks'][number], step: number | null): void {
  const profile = at === null ? undefined : view.data.profiles[at];
  if (at === null || profile === undefined) return;
  view.choose(at);
  const bar = profile.stepBars.shown.find((one) => one.step === step && one.device === device);
  const span = bar === undefined ? null : { from: bar.start, to: bar.start + bar.span };
  if (span !== null && isInTimeline({ profile, at }, span)) showTime({ profile, at }, span, { 't.ranks': null });
  else location.hash = withName(location.hash, 'panel', step === null ? 'verdict' : 'steps');
}

/** All ranks at a step: the times are those of the shown rank where it has the step, else of the first that has it. */
function linksOf(view: PanelView): HeatLinks {
  const ranks = pageRanks(view.data);
  const open = (step: number | null): void => {
    const name = step === null ? null : `step ${step}`;
    const pieceOf = ({ timeline: { pieces } }: PageRank): number =>
      name === null ? 0 : pieces.findIndex((piece) => piece.name === name || piece.name.startsWith(`${name},`));
    const found = byInterest(ranks, view.at).find((rank) => pieceOf(rank) !== -1);
    if (found === undefined) return;
    if (found.profile !== view.at) view.choose(found.profile);
    showRanks(found.profile, pieceOf(found));
  };
  return { cell: (rank, step) => openRank(view, rank, step), step: ranks.length < 2 ? null : open };
}

function make(view: PanelView): PanelContent {
  const { profiles } = view.data;
  if (profiles.length < 2)
    return 'The page holds one profile: there is nothing to compare. dparse takes several files.';
  const names = rankNames(view.data);
  const measured = METRICS.map((metric) => ({
    metric,
    values: profiles.map((_, at) => valueOf(view, fieldOf(metric, at))),
  }));
  const columns = measured
    .filter(({ values }) => values.some((value) => value !== null))
    .map(({ metric, values }) => {
      const together = measured.filter((other) => other.metric.unit === metric.unit).flatMap((other) => other.values);
      return { metric, values, scale: scaleOfAll(metric.unit, together), from: deviations(values) };
    });
  const heads = columns.map(({ metric: { title }, scale: { suffix } }) =>
    element('th', { scope: 'col', class: 'number' }, suffix === '' ? title : `${title} (${suffix})`),
  );
  const rows = names.map((name, at) => {
    const choose = button(name, () => view.choose(at));
    choose.className = 'link';
    if (at === view.at) choose.setAttribute('aria-current', 'true');
    const cells = columns.map(({ metric, values, scale, from }) => {
      const value = elementAt(values, at);
      const { part, standsOut } = elementAt(from, at);
      const shown = namedFigure(fieldOf(metric, at), value, metric.unit, inScale(value, scale));
      if (!standsOut || part === null) return element('td', { class: 'number' }, shown);
      const text = `${part > 0 ? '▲ +' : '▼ −'}${quantityText(Math.abs(part), 'share')}`;
      return element('td', { class: 'number out' }, shown, element('span', { class: 'deviation' }, text));
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
    ...columns.map(({ values, scale }) => element('td', { class: 'number' }, inScale(median(known(values)), scale))),
  );
  const marked = profiles.length === 2 ? 'the larger of the two' : 'the farthest from the median of its column';
  const made = element(
    'table',
    { 'aria-label': 'Profiles compared' },
    element('thead', {}, element('tr', {}, element('th', { scope: 'col' }, 'Profile'), ...heads)),
    element('tbody', {}, ...rows),
    element('tfoot', {}, middle),
  );
  const explained = `Marked: ${marked}, where that is more than 5 %. A name shows its profile above and below.`;
  const { job } = view.data;
  return [
    ...(job === null ? [] : jobSections(view, job, linksOf(view))),
    section('Profiles compared', scrolling('Profiles compared', made), note(explained)),
  ];
}

export const RANKS: Panel = { id: 'ranks', title: 'Ranks compared', width: 6, make };
