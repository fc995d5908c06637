/** Times of steps: a histogram, and step by step. */
import { lacking } from '../../capture-hints.js';
import { boxedDefinitions, note, section } from '../../document/dom-elements.js';
import { fieldsOf, type Field } from '../../figures/field.js';
import { figure } from '../../figures/figure.js';
import { hostTimesOnly } from '../../figures/listed-rows.js';
import { STEP_NAMES } from '../../figures/shown-names.js';
import type { HostSummary, StepSummary } from '../../../prof/summary/summary-data.js';
import { histogram } from '../../charts/histogram-chart.js';
import type { PanelContent, Panel, PanelView } from '../../panel.js';
import { comparedSteps } from './compared-steps.js';
import { stepBars } from './step-bars.js';

const FIGURES = [
  ['median', 'median', 'ns'],
  ['least', 'min', 'ns'],
  ['most', 'max', 'ns'],
  ['standard deviation / mean', 'variation', 'share'],
] as const;

type PhaseSummary = NonNullable<StepSummary['serving']>[number];
type StepKey = (typeof FIGURES)[number][1];
type StepFigure = readonly [title: string, shown: HTMLElement];

/** @param of returns a figure of the lengths of steps by one clock */
const figuresOf = <Key extends StepKey>(name: string, of: (key: Key) => Field, keys: readonly Key[]): StepFigure[] =>
  FIGURES.flatMap(([title, figureKey, unit]) => {
    const key = keys.find((one) => one === figureKey);
    return key === undefined ? [] : [[`${name}, ${title}`, figure(of(key), unit)] as const];
  });

const countOf = (count: Field): StepFigure => ['Steps', figure(count, 'count')];

/** Steps of a profile without device work. */
function hostSteps(steps: NonNullable<HostSummary['steps']>): HTMLElement[] {
  const of = fieldsOf('overview.host.steps', steps);
  return [
    hostTimesOnly(),
    boxedDefinitions([countOf(of('count')), ...figuresOf(STEP_NAMES.host, of, ['median', 'min', 'max'])]),
  ];
}

/** The clocks for which step lengths are known, starting with the one that the key figures use. */
const clocksOf = (steps: StepSummary): readonly (keyof typeof STEP_NAMES)[] =>
  steps.host === null ? ['device'] : ['host', 'device'];

/** Explains why there are two times. */
const aboutClocks = (): HTMLElement =>
  note(
    'Step (host): start of the step on the CPU to start of the next (column iteration in `dprof steps`). Step (device): first ' +
      'device work of the step to the end of its last (column span). They differ if the CPU launches a step without waiting for it.',
  );

/** @param at index of the phase */
function servingFigures(phase: PhaseSummary, at: number): StepFigure[] {
  const path = `overview.steps.serving.${at}`;
  const of = fieldsOf(path, phase);
  const batch = fieldsOf(`${path}.batch`, phase.batch);
  const part = fieldsOf(`${path}.parts`, phase.parts);
  return [
    ['Steps', figure(of('steps'), 'count')],
    ['Requests per step, minimum', figure(batch('min'), 'count')],
    ['Requests per step, maximum', figure(batch('max'), 'count')],
    ['Context tokens', figure(of('contextTokens'), 'count')],
    ['Generated tokens', figure(of('generationTokens'), 'count')],
    ['Tokens per second', figure(of('tokensPerS'), 'count')],
    ['Time per output token', figure(of('timePerOutputToken'), 'ns')],
    ...Object.keys(phase.parts).map((name): StepFigure => [
      `Time in kernels: ${name}`,
      figure(part(name as keyof PhaseSummary['parts']), 'ns'),
    ]),
    ['Idle time of the device in these steps', figure(of('idle'), 'ns')],
  ];
}

/** Steps of language model servers, by phase; none for other profiles. */
const serving = (view: PanelView): HTMLElement[] =>
  (view.profile.overview.steps?.serving ?? []).map((phase, at) =>
    section(
      `Serving: ${phase.phase ?? 'phase unknown'}`,
      boxedDefinitions(servingFigures(phase, at)),
      note(
        'Tokens per second and idle time use the CPU step time, or the device busy time of the step if that is longer.',
      ),
    ),
  );

/** Lengths on the host are the same for all devices. */
function lengthsOf({ list }: StepSummary, clock: keyof typeof STEP_NAMES): number[] {
  if (clock === 'device') return list.map(({ span }) => span);
  return [...new Map(list.map(({ step, iteration }) => [step, iteration])).values()].flatMap((length) => length ?? []);
}

function make(view: PanelView): PanelContent {
  const { steps, host } = view.profile.overview;
  if (host !== null && host.steps !== null) return hostSteps(host.steps);
  if (steps === null || steps.list.length === 0) return lacking(view, 'steps');
  const clocks = clocksOf(steps);
  const figures = clocks.flatMap((clock) =>
    figuresOf(
      STEP_NAMES[clock],
      fieldsOf(`overview.steps.${clock}`, steps[clock]),
      FIGURES.map(([, key]) => key),
    ),
  );
  const about = view.span === null ? [] : [note('Steps that overlap the span, shown in full.')];
  const list = boxedDefinitions([countOf(fieldsOf('overview.steps', steps)('count')), ...figures]);
  const bars = stepBars(view);
  const inOrder = bars.length === 0 ? [] : [section('Where the time of each step went', ...bars)];
  const compared = comparedSteps(view);
  const beside = compared.length === 0 ? [] : [section('Steps compared', ...compared)];
  if (steps.list.length === 1)
    return [...about, list, aboutClocks(), note('Only one step: no distribution.'), ...inOrder, ...serving(view)];
  const distribution = section(
    'Step durations',
    ...clocks.map((clock) => histogram(STEP_NAMES[clock], lengthsOf(steps, clock), 160)),
  );
  return [...about, list, aboutClocks(), ...inOrder, ...beside, distribution, ...serving(view)];
}

export const STEPS: Panel = {
  ...{ id: 'steps', title: 'Steps', width: 6, make },
  // Only the data of the bars contains when a step ran.
  follows: ({ stepBars }) => stepBars.shown.length > 0 && stepBars.shown.length === stepBars.count,
};
