/** Times of steps: a histogram, and step by step. */
import { lacking } from '../../capture-hints.js';
import { boxedDefinitions, note, section } from '../../document/dom-elements.js';
import { figure } from '../../figures/figure.js';
import { hostTimesOnly } from '../../figures/host-table.js';
import { STEP_NAMES } from '../../figures/time-parts.js';
import type { StepSummary } from '../../../prof/summary/summary-data.js';
import { histogram } from '../../charts/histogram-chart.js';
import type { PanelContent, Panel, PanelView } from '../../panel.js';
import { stepBars } from './step-bars.js';

const FIGURES = [
  ['median', 'median', 'ns'],
  ['least', 'min', 'ns'],
  ['most', 'max', 'ns'],
  ['standard deviation over mean', 'variation', 'share'],
] as const;

type StepFigure = readonly [title: string, shown: HTMLElement];

/** @param path of the lengths of steps by one clock */
const figuresOf = (view: PanelView, name: string, path: string, figures: readonly (typeof FIGURES)[number][]) =>
  figures.map(([title, key, unit]): StepFigure => [`${name}, ${title}`, figure(view, `${path}.${key}`, unit)]);

const countOf = (view: PanelView, path: string): StepFigure => ['Steps', figure(view, `${path}.count`, 'count')];

/** Of a profile without work of a device. */
function hostSteps(view: PanelView): HTMLElement[] {
  const path = 'overview.host.steps';
  const figures = FIGURES.filter(([, key]) => key !== 'variation');
  return [hostTimesOnly(), boxedDefinitions([countOf(view, path), ...figuresOf(view, STEP_NAMES.host, path, figures)])];
}

/** What a step took by the clocks that are known, that of the key figures first. */
const clocksOf = (steps: StepSummary): readonly (keyof typeof STEP_NAMES)[] =>
  steps.host === null ? ['device'] : ['host', 'device'];

/** Why there are two times. */
const aboutClocks = (): HTMLElement =>
  note(
    'Step (host): from its begin on the host to the begin of the next, as the column iteration of `dprof steps`. Step ' +
      '(device): from its first work on the device to the end of its last, as the column span. They differ where the host ' +
      'only launches a step and goes on.',
  );

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
    ['Device idle in these times', 'idle', 'ns'],
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
      note(
        'Tokens per second and idle time are of the steps’ times on the host, of each no less than the device was busy with it.',
      ),
    ),
  );

/** Those on the host are one for all devices. */
function lengthsOf({ list }: StepSummary, clock: keyof typeof STEP_NAMES): number[] {
  if (clock === 'device') return list.map(({ span }) => span);
  return [...new Map(list.map(({ step, iteration }) => [step, iteration])).values()].flatMap((length) => length ?? []);
}

function make(view: PanelView): PanelContent {
  const { steps, host } = view.profile.overview;
  if (host !== null && host.steps !== null) return hostSteps(view);
  if (steps === null || steps.list.length === 0) return lacking(view, 'steps');
  const path = 'overview.steps';
  const clocks = clocksOf(steps);
  const figures = clocks.flatMap((clock) => figuresOf(view, STEP_NAMES[clock], `${path}.${clock}`, FIGURES));
  const list = boxedDefinitions([countOf(view, path), ...figures]);
  const bars = stepBars(view);
  const inOrder = bars.length === 0 ? [] : [section('Where the time of each step went', ...bars)];
  if (steps.list.length === 1)
    return [list, aboutClocks(), note('One step: nothing to spread.'), ...inOrder, ...serving(view)];
  const distribution = section(
    'How long steps took',
    ...clocks.map((clock) => histogram(STEP_NAMES[clock], lengthsOf(steps, clock), 160)),
  );
  return [list, aboutClocks(), ...inOrder, distribution, ...serving(view)];
}

export const STEPS: Panel = { id: 'steps', title: 'Steps', width: 6, make };
