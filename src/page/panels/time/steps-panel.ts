/** Times of steps: a histogram, and step by step. */
import { lacking } from '../../capture-hints.js';
import { boxedDefinitions, note, section } from '../../document/dom-elements.js';
import { figure } from '../../figures/figure.js';
import { histogram } from '../../charts/histogram-chart.js';
import type { PanelContent, Panel, PanelView } from '../../panel.js';
import { stepBars } from './step-bars.js';

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
  const figures = FIGURES.map(([title, key, unit]) => [title, figure(view, `overview.steps.${key}`, unit)] as const);
  const list = boxedDefinitions(figures);
  const bars = stepBars(view);
  const inOrder = bars.length === 0 ? [] : [section('Where the time of each step went', ...bars)];
  if (steps.list.length === 1) return [list, note('One step: nothing to spread.'), ...inOrder, ...serving(view)];
  const lengths = steps.list.map(({ span }) => span);
  const distribution = section('How long steps took', histogram('length of a step', lengths, 160));
  return [list, ...inOrder, distribution, ...serving(view)];
}

export const STEPS: Panel = { id: 'steps', title: 'Steps', width: 6, make };
