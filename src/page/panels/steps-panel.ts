/** How long steps took: how often, and one after the other. */
import type { StepSummary } from '../../prof/summary/summary-data.js';
import { chart, replaceContents, type ChartOption } from '../charts/chart.js';
import { below, GRID, left, tips } from '../charts/chart-style.js';
import { element, select } from '../document/element.js';
import { figure } from '../charts/figure.js';
import { histogram } from '../charts/histogram-chart.js';
import type { PanelContent, Panel, PanelView } from '../panel.js';
import { swatch } from '../charts/strip.js';
import { written } from '../document/units.js';

type StepEntry = StepSummary['list'][number];

function series(steps: readonly StepEntry[]): ChartOption {
  return {
    grid: GRID,
    xAxis: below('step', 'count', { type: 'category', data: steps.map(({ step }) => String(step)) }),
    yAxis: left('ns', { min: 0 }),
    tooltip: tips('axis', (i) => {
      const { step, span, busy } = steps[i] as StepEntry;
      return [`step ${step}`, ['from first to last work', written(span, 'ns')], ['busy', written(busy, 'ns')]];
    }),
    series: [{ key: 'span', color: 'var(--idle)' } as const, { key: 'busy', color: 'var(--compute)' } as const].map(
      ({ key, color }) => ({
        type: 'bar',
        name: key,
        barGap: '-100%',
        barMaxWidth: 60,
        data: steps.map((step) => step[key]),
        itemStyle: { color },
        emphasis: { disabled: true },
      }),
    ),
  };
}

const FIGURES = [
  ['Steps', 'count', 'count'],
  ['Median', 'median', 'ns'],
  ['Least', 'min', 'ns'],
  ['Most', 'max', 'ns'],
  ['Standard deviation over mean', 'variation', 'share'],
] as const;

function make(view: PanelView): PanelContent {
  const { steps } = view.profile.overview;
  if (steps === null || steps.list.length === 0) return 'The profile tells of no steps.';
  const devices = [...new Set(steps.list.map(({ device }) => device))];
  const figures = FIGURES.map(([title, key, unit]) =>
    element('div', {}, element('dt', {}, title), element('dd', {}, figure(view, `overview.steps.${key}`, unit))),
  );
  const place = element('div');
  const show = (device: number): void => {
    const own = steps.list.filter((step) => step.device === device);
    const label = `Time of ${own.length} steps on device ${device}, in order: ${own.slice(0, 20).map(({ step, span }) => `step ${step} ${written(span, 'ns')}`).join(', ')}${own.length > 20 ? ' …' : ''}`; // prettier-ignore
    replaceContents(
      place,
      chart(label, 220, () => series(own)),
    );
  };
  if (steps.list.length > 1) show(devices[0] ?? 0);
  const picker =
    devices.length < 2
      ? []
      : [select('Device', devices.map((device) => ({ value: String(device), label: String(device) })), String(devices[0]), (value) => { show(Number(value)); })]; // prettier-ignore
  const legend = element(
    'ul',
    { class: 'legend' },
    element('li', {}, swatch('var(--idle)'), 'from first to last work'),
    element('li', {}, swatch('var(--compute)'), 'of that busy'),
  );
  const list = element('dl', { class: 'inline' }, ...figures);
  if (steps.list.length === 1) return [list, element('p', { class: 'note' }, 'One step: nothing to spread.')];
  return [
    list,
    element(
      'div',
      { class: 'pair' },
      element('section', {}, element('h3', {}, 'How long steps took'), histogram('length of a step', steps.list.map(({ span }) => span))), // prettier-ignore
      element('section', {}, element('h3', {}, 'Step by step'), ...picker, legend, place),
    ),
  ];
}

export const STEPS: Panel = { id: 'steps', title: 'Steps', width: 6, make };
