/** Times of steps: a histogram, and step by step. */
import { lacking } from '../capture-hints.js';
import type { StepSummary } from '../../prof/summary/summary-data.js';
import { chart, replaceContents, type ChartOption } from '../charts/chart.js';
import { below, GRID, left, tips } from '../charts/chart-style.js';
import { boxedDefinitions, element, note, section } from '../document/dom-elements.js';
import { figure } from '../figures/figure.js';
import { histogram } from '../charts/histogram-chart.js';
import type { PanelContent, Panel, PanelView } from '../panel.js';
import { legend, swatch } from '../figures/strip.js';
import { devicePicker } from '../figures/device-picker.js';
import { quantityText } from '../document/units.js';
import { elementAt } from '../../containers/element.js';

const LABELLED_STEPS = 20;

type StepEntry = StepSummary['list'][number];

function series(steps: readonly StepEntry[]): ChartOption {
  return {
    grid: GRID,
    xAxis: below('step', 'count', { type: 'category', data: steps.map(({ step }) => String(step)) }),
    yAxis: left('ns', { min: 0 }),
    tooltip: tips('axis', (i) => {
      const { step, span, busy } = elementAt(steps, i);
      return [
        `step ${step}`,
        ['from first to last work', quantityText(span, 'ns')],
        ['busy', quantityText(busy, 'ns')],
      ];
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

/** Those of steps of the host. */
const HOST_FIGURES = FIGURES.filter(([, key]) => key !== 'variation');

/** Of a profile in which no device worked. */
const hostSteps = (view: PanelView): HTMLElement[] => [
  note('No device worked: these are times of the host.'),
  boxedDefinitions(
    HOST_FIGURES.map(([title, key, unit]) => [title, figure(view, `overview.host.steps.${key}`, unit)] as const),
  ),
];

/** Fields of a phase's serving, below its place in the data. */
const servingFigures = (parts: readonly string[]) =>
  [
    ['Steps', 'steps', 'count'],
    ['Requests a step, least', 'batch.min', 'count'],
    ['Requests a step, most', 'batch.max', 'count'],
    ['Tokens of contexts', 'contextTokens', 'count'],
    ['Tokens of generating requests', 'generationTokens', 'count'],
    ['Tokens per second', 'tokensPerS', 'count'],
    ['Time per output token', 'timePerOutputToken', 'ns'],
    ...parts.map((part) => [`Time in kernels: ${part}`, `parts.${part}`, 'ns'] as const),
    ['Device idle', 'idle', 'ns'],
  ] as const;

/** Of steps of servers of language models, phase by phase; none for any other. */
const serving = (view: PanelView): HTMLElement[] =>
  (view.profile.overview.steps?.serving ?? []).map(({ phase, parts }, i) =>
    section(
      `Serving: ${phase ?? 'phase unknown'}`,
      boxedDefinitions(
        servingFigures(Object.keys(parts)).map(
          ([title, key, unit]) => [title, figure(view, `overview.steps.serving.${i}.${key}`, unit)] as const,
        ),
      ),
    ),
  );

function make(view: PanelView): PanelContent {
  const { steps, host } = view.profile.overview;
  if (host !== null && host.steps !== null) return hostSteps(view);
  if (steps === null || steps.list.length === 0) return lacking(view, 'steps');
  const devices = [...new Set(steps.list.map(({ device }) => device))];
  const place = element('div');
  const show = (device: number): void => {
    const own = steps.list.filter((step) => step.device === device);
    const times = own.slice(0, LABELLED_STEPS).map(({ step, span }) => `step ${step} ${quantityText(span, 'ns')}`);
    const more = own.length > LABELLED_STEPS ? ' …' : '';
    const label = `Time of ${own.length} steps on device ${device}, in order: ${times.join(', ')}${more}`;
    replaceContents(
      place,
      chart(label, 220, () => series(own)),
    );
  };
  if (steps.list.length > 1) show(elementAt(devices, 0));
  const colours = legend([
    [swatch('var(--idle)'), 'from first to last work'],
    [swatch('var(--compute)'), 'of that busy'],
  ]);
  const figures = FIGURES.map(([title, key, unit]) => [title, figure(view, `overview.steps.${key}`, unit)] as const);
  const list = boxedDefinitions(figures);
  if (steps.list.length === 1) return [list, note('One step: nothing to spread.'), ...serving(view)];
  const lengths = steps.list.map(({ span }) => span);
  const distribution = section('How long steps took', histogram('length of a step', lengths));
  const inOrder = section('Step by step', ...devicePicker(devices, show), colours, place);
  return [list, element('div', { class: 'pair' }, distribution, inOrder), ...serving(view)];
}

export const STEPS: Panel = { id: 'steps', title: 'Steps', width: 6, make };
