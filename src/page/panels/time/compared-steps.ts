/** Two steps of a device side by side: the time of each op, collective, copy and cause of idle time, and the difference. */
import { elementAt } from '../../../containers/element.js';
import type { StepBar, StepBarList } from '../../../prof/html/idle/idle-data.js';
import { boxedDefinitions, element, note, select } from '../../document/dom-elements.js';
import { devicePicker, keepChoice, keptChoice } from '../../document/kept-choice.js';
import { ofOp } from '../../document/timeline-target.js';
import { eventsLink } from '../../document/timeline-link.js';
import { quantityText } from '../../document/units.js';
import { STEP_PARTS, WORK_NAMES } from '../../figures/shown-names.js';
import { table, type TableColumn } from '../../figures/sorted-table.js';
import { swatch } from '../../figures/strip.js';
import type { PanelView } from '../../panel.js';

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
    const [one, other] = chosen.map((step) => elementAt(bars, steps.indexOf(step)));
    if (one !== undefined && other !== undefined) place.replaceChildren(...comparison(view, one, other));
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
export function comparedSteps(view: PanelView): Node[] {
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
    'Each moment of a step is in one row, so rows add up to its time on the device, from first to last work. If kinds ';
  const order = 'overlap, compute counts first, then communication, then copies.';
  return [note(about + order), ...picker, place, ...rest];
}
