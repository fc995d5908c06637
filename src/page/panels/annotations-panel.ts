/** Annotations: the user's, then those of frameworks; the device and host time of each occurrence. */
import { lacking } from '../capture-hints.js';
import { annotationKinds, type AnnotationKind, type ListedAnnotation } from '../charts/annotation-kinds.js';
import { histogram } from '../charts/histogram-chart.js';
import { replaceContents } from '../charts/chart.js';
import { boxedDefinitions, button, element, note, section } from '../document/dom-elements.js';
import { ofRange } from '../document/timeline-target.js';
import { eventsLink } from '../document/timeline-link.js';
import { quantityText, type DisplayUnit } from '../document/units.js';
import { fieldsOf, ratio, type Field } from '../figures/field.js';
import { figure } from '../figures/figure.js';
import { withValues } from '../figures/listed-rows.js';
import { table, type TableColumn } from '../figures/sorted-table.js';
import { deviceWords } from '../../record/glossary.js';
import { median } from '../../record/statistics.js';
import type { PanelContent, Panel, PanelView } from '../panel.js';

type Row = Pick<AnnotationKind, 'count' | 'time' | 'own' | 'passes' | 'host' | 'hostSelf'> & { readonly name: string };

/** How reliable the number of occurrences is. */
const guessedText = (guessed: number, count: number): string =>
  [
    guessed === count ? 'Occurrences are' : `${quantityText(guessed, 'count')} of these occurrences are`,
    'inferred from the order of kernels: forward, backward and steps are kept apart, but calls with no other kernel',
    'between them count as one. With CPU ranges (dparse --ranges), each call counts.',
  ].join(' ');

const number = <R extends Row>(title: string, unit: DisplayUnit, key: keyof Row): TableColumn<R> => ({
  ...{ title, unit },
  cell: (row) => row[key],
});

const mean = ({ time, count }: Pick<Row, 'time' | 'count'>): number | null =>
  time === null || count === null || count === 0 ? null : time / count;

/** Columns of kinds, or of the annotations of one kind. */
const columnsOf = <R extends Row>(name: TableColumn<R>, rows: readonly R[]): TableColumn<R>[] =>
  withValues(
    [
      name,
      number('Occurrences', 'count', 'count'),
      number('Device time', 'ns', 'time'),
      { title: 'Mean', unit: 'ns', cell: mean },
      number('Launched by this thread', 'ns', 'own'),
      number('CPU calls', 'count', 'passes'),
      number('CPU time', 'ns', 'host'),
      number('CPU self time', 'ns', 'hostSelf'),
    ],
    rows,
  );

/** Index of the column that sorts: device time, or host time when no device time is known. */
const byTime = <R extends Row>(columns: readonly TableColumn<R>[]): number =>
  columns.findIndex(({ title }) => title === 'Device time' || title === 'CPU time');

const link = (view: PanelView, { name, members }: AnnotationKind, text: string): HTMLElement | null =>
  eventsLink(
    view,
    text,
    ofRange(
      name,
      members.map((member) => member.text),
    ),
  );

/** A histogram of durations, with a heading; nothing when there are none. */
const durations = (title: string, what: string, values: readonly number[], count: number | null): HTMLElement[] => {
  if (values.length === 0) return [];
  const sampled = values.length < (count ?? 0) ? ` of ${quantityText(values.length, 'count')} of them` : '';
  const heading = `${title}, median${sampled} ${quantityText(median(values), 'ns')}`;
  return [section(heading, histogram(what, values, 180))];
};

/** The figures of a single annotation, with their field names. */
function figuresOf(annotation: ListedAnnotation): HTMLElement {
  const fieldOf = fieldsOf(`annotations.shown.${annotation.at}`, annotation);
  const figures: readonly (readonly [title: string, field: Field, unit: DisplayUnit])[] = [
    ['Occurrences', fieldOf('count'), 'count'],
    ['Device time', fieldOf('time'), 'ns'],
    ['launched by this thread', fieldOf('own'), 'ns'],
    ['Mean', ratio(fieldOf('time'), fieldOf('count')), 'ns'],
    ['CPU calls', fieldOf('passes'), 'count'],
    ['CPU time', fieldOf('host'), 'ns'],
    ['CPU self time', fieldOf('hostSelf'), 'ns'],
  ];
  const known = figures.filter(([, { value }]) => value !== null);
  return boxedDefinitions(known.map(([title, field, unit]) => [title, figure(field, unit)]));
}

/** The annotations of a kind. */
function membersOf(view: PanelView, { name, members }: AnnotationKind): HTMLElement[] {
  const [first, second] = members;
  if (first === undefined) return [];
  if (second === undefined) return [figuresOf(first)];
  const rows = members.map((member) => ({ ...member, name: member.text }));
  const text: TableColumn<(typeof rows)[number]> = {
    title: 'Annotation',
    cell: (row) => row.name,
    link: ({ name }, shown) => eventsLink(view, shown, ofRange(name, [name])),
  };
  const columns = columnsOf(text, rows);
  return [table({ caption: `Annotations ${name}`, columns, rows, sortedBy: byTime(columns), most: 8 })];
}

function shownOf(view: PanelView, kind: AnnotationKind): readonly [heading: HTMLElement, ...contents: Node[]] {
  const { name, members, count, guessed, passes } = kind;
  const device = members.flatMap(({ samples }) => samples);
  const host = members.flatMap(({ hostSamples }) => hostSamples);
  const kinds = members.length > 1 ? ` (${quantityText(members.length, 'count')} names)` : '';
  return [
    element('h3', { tabindex: -1, class: 'text annotation' }, link(view, kind, name) ?? name, kinds),
    ...membersOf(view, kind),
    element(
      'div',
      { class: 'pair' },
      ...durations('Device time of an occurrence', 'device time of an occurrence', device, count),
      ...durations('CPU time of a call', 'CPU time of a call', host, passes ?? host.length),
    ),
    ...(count === 0 ? [note('Nothing was launched inside this range.')] : []),
    ...(guessed > 0 ? [note(guessedText(guessed, count ?? 0))] : []),
  ];
}

const OF_SPAN =
  'If a framework named the ranges, or other threads launched kernels in them, device times and occurrences are known only for the whole profile.';

const CAPTIONS = [
  ['Annotations of the program', false],
  ['Ranges and ops of the framework', true],
] as const;

function make(view: PanelView): PanelContent {
  const { annotations, overview } = view.profile;
  if (annotations.shown.length === 0) return lacking(view, 'annotations');
  const isLaunched = deviceWords(overview.header).runs === 'launches';
  const shown = isLaunched ? annotations.shown : annotations.shown.map((each) => ({ ...each, own: null }));
  const kinds = annotationKinds(shown);
  const place = element('div', { class: 'annotation-detail' });
  const show = (kind: AnnotationKind, hasFocus: boolean): void => {
    const contents = shownOf(view, kind);
    replaceContents(place, ...contents);
    if (!hasFocus) return;
    contents[0].scrollIntoView({ block: 'nearest' });
    contents[0].focus({ preventScroll: true });
  };
  const toggle = (kind: AnnotationKind): HTMLElement => {
    const label = `Show ${kind.name}`;
    return button('≡', () => show(kind, true), { class: 'toggle', title: label, 'aria-label': label });
  };
  const name: TableColumn<AnnotationKind> = {
    title: 'Annotation',
    cell: ({ name: text, members }) => (members.length > 1 ? `${text} (${members.length})` : text),
    before: toggle,
    link: (kind, text) => link(view, kind, text),
  };
  const tables = CAPTIONS.flatMap(([caption, isFramework]) => {
    const rows = kinds.filter((kind) => kind.isFramework === isFramework);
    if (rows.length === 0) return [];
    const columns = columnsOf(name, rows);
    const made = table({ caption, columns, rows, sortedBy: byTime(columns) });
    made.classList.add('with-toggles');
    return [section(caption, made)];
  });
  const [first] = [...kinds.filter(({ isFramework }) => !isFramework), ...kinds];
  if (first !== undefined) show(first, false);
  const rest = annotations.count - shown.length;
  const further = `${rest} more annotations, those with the least time, are not on this page.`;
  const within = view.span === null ? [] : [note(OF_SPAN)];
  return [...tables, place, ...(rest > 0 ? [note(further)] : []), ...within];
}

export const ANNOTATIONS: Panel = { id: 'annotations', title: 'Annotations', width: 6, make, follows: () => true };
