/** Times of steps: a histogram, and step by step. */
import { lacking } from '../../capture-hints.js';
import { boxedDefinitions, note, section, element, select } from '../../document/dom-elements.js';
import { fieldsOf, type Field } from '../../figures/field.js';
import { figure } from '../../figures/figure.js';
import { hostTimesOnly } from '../../figures/listed-rows.js';
import { STEP_NAMES, STEP_PARTS, WORK_NAMES } from '../../figures/shown-names.js';
import type { HostSummary, StepSummary } from '../../../prof/summary/summary-data.js';
import { histogram } from '../../charts/histogram-chart.js';
import type { PanelContent, Panel, PanelView } from '../../panel.js';
import { stepBars } from './step-bars.js';
import { elementAt } from '../../../containers/element.js';
import type { StepBar, StepBarList } from '../../../prof/html/idle/idle-data.js';
import { devicePicker, keepChoice, keptChoice } from '../../document/kept-choice.js';
import { ofOp } from '../../document/timeline-target.js';
import { eventsLink } from '../../document/timeline-link.js';
import { quantityText } from '../../document/units.js';
import { table, type TableColumn } from '../../figures/sorted-table.js';
import { swatch } from '../../figures/strip.js';

const FIGURES = [
  ['median', 'median', 'ns'],
  ['least', 'min', 'ns'],
  ['most', 'max', 'ns'],
  ['standard deviation / mean', 'variation', 'share'],
] as const;

type PhaseSummary = NonNullable<StepSummary['serving']>[number];
type StepKey = (typeof FIGURES)[number][1];
type StepFigure = readonly [title: string, shown: HTMLElement];

/** @param fieldOf returns a figure of the lengths of steps by one clock */
const figuresOf = <Key extends StepKey>(
  name: string,
  fieldOf: (key: Key) => Field,
  keys: readonly Key[],
): StepFigure[] =>
  FIGURES.flatMap(([title, figureKey, unit]) => {
    const key = keys.find((candidate) => candidate === figureKey);
    return key === undefined ? [] : [[`${name}, ${title}`, figure(fieldOf(key), unit)] as const];
  });

const countOf = (count: Field): StepFigure => ['Steps', figure(count, 'count')];

/** Steps of a profile without device work. */
function hostSteps(steps: NonNullable<HostSummary['steps']>): HTMLElement[] {
  const fieldOf = fieldsOf('overview.host.steps', steps);
  return [
    hostTimesOnly(),
    boxedDefinitions([countOf(fieldOf('count')), ...figuresOf(STEP_NAMES.host, fieldOf, ['median', 'min', 'max'])]),
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
  const fieldOf = fieldsOf(path, phase);
  const batch = fieldsOf(`${path}.batch`, phase.batch);
  const part = fieldsOf(`${path}.parts`, phase.parts);
  return [
    ['Steps', figure(fieldOf('steps'), 'count')],
    ['Requests per step, minimum', figure(batch('min'), 'count')],
    ['Requests per step, maximum', figure(batch('max'), 'count')],
    ['Context tokens', figure(fieldOf('contextTokens'), 'count')],
    ['Generated tokens', figure(fieldOf('generationTokens'), 'count')],
    ['Tokens per second', figure(fieldOf('tokensPerS'), 'count')],
    ['Time per output token', figure(fieldOf('timePerOutputToken'), 'ns')],
    ...Object.keys(phase.parts).map((name): StepFigure => [
      `Time in kernels: ${name}`,
      figure(part(name as keyof PhaseSummary['parts']), 'ns'),
    ]),
    ['Idle time of the device in these steps', figure(fieldOf('idle'), 'ns')],
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

// Two steps of a device side by side: the time of each op, collective, copy and cause of idle time, and the difference.

type Part = (typeof STEP_PARTS)[number][0];

/** A row: an activity of a device, or a cause of its idle time. */
interface Compared {
  readonly name: string;
  readonly part: Part;
  /** Null for a row that is not an op. */
  readonly op: string | null;
  readonly first: number;
  readonly second: number;
}

const REST_NAMES: Partial<Record<Part, string>> = {
  compute: 'Other ops',
  communication: 'Other collectives',
  copies: 'Other copies',
};

/** Unit: ns; smaller differences are rounding errors of sums. */
const ROUNDING = 0.001;

const change = ({ first, second }: Compared): number => second - first;

/** Rows that add up to the spans of both steps, the largest difference first. */
function comparedRows(works: StepBarList['works'], first: StepBar, second: StepBar): Compared[] {
  const [before, after] = [first, second].map((bar) => new Map(bar.works)) as [
    Map<number, number>,
    Map<number, number>,
  ];
  const named = works.map(({ part, name }, at): Compared => ({
    ...{ name, part, op: part === 'compute' ? name : null },
    ...{ first: before.get(at) ?? 0, second: after.get(at) ?? 0 },
  }));
  const rests = STEP_PARTS.map(([part, name]): Compared => {
    const rows = named.filter((row) => row.part === part);
    const rest = (bar: StepBar, side: 'first' | 'second'): number =>
      Math.max(0, (bar.parts[part] ?? 0) - rows.reduce((sum, row) => sum + row[side], 0));
    const sides = { first: rest(first, 'first'), second: rest(second, 'second') };
    return { name: REST_NAMES[part] ?? name, part, op: null, ...sides };
  });
  return [...named, ...rests]
    .filter((row) => Math.max(row.first, row.second) > ROUNDING)
    .sort((a, b) => Math.abs(change(b)) - Math.abs(change(a)));
}

const kindOf = (part: Part): string => {
  if (part === 'compute') return WORK_NAMES.compute[0];
  if (part === 'communication') return WORK_NAMES.communication[0];
  if (part === 'copies') return WORK_NAMES.copy[0];
  return part === 'other' || part === 'missing' ? '-' : 'Idle';
};

function comparison(view: PanelView, first: StepBar, second: StepBar): HTMLElement[] {
  const colours = new Map(STEP_PARTS.map(([part, , colour]) => [part, colour] as const));
  const columns: TableColumn<Compared>[] = [
    {
      title: 'What',
      cell: ({ name }) => name,
      before: ({ part }) => swatch(colours.get(part) ?? ''),
      link: ({ op }, text) => (op === null ? null : eventsLink(view, text, ofOp(op))),
    },
    { title: 'Kind', cell: ({ part }) => kindOf(part) },
    { title: `Step ${first.step}`, unit: 'ns', cell: (row) => row.first },
    { title: `Step ${second.step}`, unit: 'ns', cell: (row) => row.second },
    { title: 'Difference', unit: 'ns', cell: change },
  ];
  const rows = comparedRows(view.profile.stepBars.works, first, second);
  return [
    boxedDefinitions([
      [`Step ${first.step}`, quantityText(first.span, 'ns')],
      [`Step ${second.step}`, quantityText(second.span, 'ns')],
      ['Difference', quantityText(second.span - first.span, 'ns')],
    ]),
    table({ caption: 'Steps compared', columns, rows, sortedBy: null, most: 12 }),
  ];
}

/** The median step (for an even number of steps, the shorter of the two in the middle) and the slowest step. */
function usualAndSlowest(bars: readonly StepBar[]): readonly [StepBar, StepBar] {
  const sorted = bars.toSorted((a, b) => a.span - b.span);
  return [elementAt(sorted, Math.floor((sorted.length - 1) / 2)), elementAt(sorted, sorted.length - 1)];
}

/** Two boxes that choose steps, and their comparison. */
function chooser(view: PanelView, bars: readonly StepBar[]): HTMLElement[] {
  const steps = bars.map(({ step }) => step);
  const choices = bars.map(({ step, span }) => [step, `${step} · ${quantityText(span, 'ns')}`] as const);
  const place = element('div');
  const [usual, slowest] = usualAndSlowest(bars);
  const sides = [
    { label: 'Step', name: 'compared.step', first: usual.step },
    { label: 'Compared with', name: 'compared.with', first: slowest.step },
  ] as const;
  const chosen = sides.map(({ name, first }) => keptChoice(name, steps, first));
  const show = (): void => {
    const [first, other] = chosen.map((step) => elementAt(bars, steps.indexOf(step)));
    if (first !== undefined && other !== undefined) place.replaceChildren(...comparison(view, first, other));
  };
  const boxes = sides.map(({ label, name, first }, i) =>
    select(label, choices, elementAt(chosen, i), (step) => {
      keepChoice(name, step, first);
      chosen[i] = step;
      show();
    }),
  );
  show();
  return [element('div', { class: 'above' }, ...boxes), place];
}

/** Contents below the section's heading; empty when no device has two steps. */
function comparedSteps(view: PanelView): Node[] {
  const { shown, count } = view.profile.stepBars;
  const all = shown.filter(({ works }) => works !== null);
  const barsOf = (device: number): StepBar[] => all.filter((bar) => bar.device === device);
  const devices = [...new Set(all.map(({ device }) => device))].filter((device) => barsOf(device).length > 1);
  if (devices.length === 0) return [];
  const place = element('div');
  const picker = devicePicker(view.profile, 'compared.device', devices, (device) => {
    place.replaceChildren(...chooser(view, barsOf(device)));
  });
  const rest = count > all.length ? [note(`Only the first ${all.length} of ${count} steps can be selected.`)] : [];
  const about =
    "Each moment counts in one row only, so the rows add up to the step's time on the device, from its first work to its last. If kinds ";
  const order = 'overlap, compute counts first, then communication, then copies.';
  return [note(about + order), ...picker, place, ...rest];
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
