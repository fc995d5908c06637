/** Ops: time and work of their kernels, time of their calls on the host, and the call stacks that lead to them. */
import { elementAt } from '../../../containers/element.js';
import type { OpStack, OpTotal, StackTree } from '../../../prof/html/kernels/kernel-data.js';
import { lacking } from '../../capture-hints.js';
import { button, element, note } from '../../document/dom-elements.js';
import { readFragment } from '../../document/fragment.js';
import { keepName } from '../../document/kept-choice.js';
import { ofOp } from '../../document/timeline-target.js';
import { eventsLink } from '../../document/timeline-link.js';
import { panelLink } from '../../document/panel-link.js';
import { quantityText } from '../../document/units.js';
import { ABOUT_BOUNDS, boundText, withShare } from '../../figures/shown-names.js';
import {
  hostTimesOnly,
  listed,
  numbersOf,
  PARTIAL,
  waitsNote,
  whyNoOp,
  withValues,
  type Listed,
} from '../../figures/listed-rows.js';
import { table, type TableColumn } from '../../figures/sorted-table.js';
import { followsWork, type Panel, type PanelContent, type PanelView } from '../../panel.js';

/** Frames of a node, outermost first. */
function framesOf({ frames, parents, frameOf }: StackTree, node: number): string[] {
  const path: string[] = [];
  for (let at = node; at >= 0; at = elementAt(parents, at)) path.push(elementAt(frames, elementAt(frameOf, at)));
  return path.reverse();
}

type OpRow = Listed<OpTotal>;

const PATH = 'ops.shown';
const number = numbersOf<OpTotal>(PATH);
const ABOUT = [
  'A kernel belongs to the outermost op around its launch; callees are the ops that an op calls. Rates cover the kernels',
  'with known FLOPs or bytes.',
].join(' ');
const UNKNOWN_OP = 'no op known';
const nameOf = ({ op }: OpTotal): string => op ?? UNKNOWN_OP;
/** Address parameter: the op whose call stacks are shown. */
const STACKS = 'stacks';
/** Columns that are shown only when all columns are shown. */
const EXTRA = { isExtra: true } as const;

/** What limits most of the time, with its share. */
const boundOf = ({ bound, time }: OpTotal): string | null =>
  bound === null ? null : boundText(bound.name, time !== null && time > 0 ? bound.time / time : 1);

/** The line with most of its time, with its share unless that is nearly all. */
const lineOf = ({ line, time }: OpTotal): string | null =>
  line === undefined ? null : withShare(line.name, time !== null && time > 0 ? line.time / time : 1);

function columnsOf(view: PanelView, rows: readonly OpRow[], toggle: (row: OpRow) => Node | null): TableColumn<OpRow>[] {
  const { time: whole } = view.profile.ops;
  const share = ({ time }: OpRow): number | null =>
    time === null || whole === null || whole <= 0 ? null : time / whole;
  // Without host calls, the number of kernels says how often the op ran.
  const hasCalls = rows.some(({ passes }) => passes !== null);
  const columns: TableColumn<OpRow>[] = [
    {
      title: 'Op',
      cell: nameOf,
      before: toggle,
      link: ({ op }, text) => (op === null ? null : eventsLink(view, text, ofOp(op))),
    },
    number('Kernels', 'count', 'count', { isExtra: hasCalls }),
    number('Device time', 'ns', 'time'),
    {
      title: 'Share',
      unit: 'share',
      cell: share,
      field: ({ at }) => `${PATH}.${at}.time / ops.time`,
      bar: share,
    },
    { title: 'Bound by', cell: boundOf },
    {
      ...{ title: 'Line', cell: lineOf },
      about: 'The line with most of its time, with its share if there are several lines. The link leads to all lines.',
      // The folders are in the hover text.
      link: (row) => panelLink('lines', (lineOf(row) ?? '').replace(/^.*\//, '')),
    },
    number('With callees', 'ns', 'within'),
    number('Calls', 'count', 'passes'),
    number('CPU time', 'ns', 'host', { group: 'host' }),
    number('CPU self time', 'ns', 'hostSelf', { group: 'host' }),
    number('Launch calls', 'ns', 'launch', { group: 'host', ...EXTRA }),
    number('FLOPs', 'flop', 'flops', PARTIAL.flops),
    number('FLOP/s', 'flop/s', 'flopsPerS', PARTIAL.flopsRate),
    number('Of peak', 'share', 'ofCompute', { ...EXTRA, ...PARTIAL.flopsRate }),
    number('Bytes', 'bytes', 'bytes', { ...EXTRA, ...PARTIAL.bytes }),
    number('Bytes/s', 'bytes/s', 'bytesPerS', { ...EXTRA, ...PARTIAL.bytesRate }),
    number('Of peak bandwidth', 'share', 'ofMemory', { ...EXTRA, ...PARTIAL.bytesRate }),
    number('On matrix unit', 'share', 'tc', EXTRA),
  ];
  return withValues(columns, rows);
}

/** A stack with its time: the innermost frame is visible, the outer ones when it is opened. */
function stackItem(tree: StackTree, { node, count, time }: OpStack, whole: number, isOpen: boolean): HTMLElement {
  const frames = framesOf(tree, node).reverse();
  const share = whole > 0 ? time / whole : null;
  const figures = `${quantityText(time, 'ns')} (${quantityText(share, 'share')}), ${quantityText(count, 'count')} ${count === 1 ? 'kernel' : 'kernels'}`;
  const summary = element('summary', {}, `${figures}: `, element('code', {}, elementAt(frames, 0)));
  const around = frames.slice(1).map((frame) => element('li', {}, frame));
  return element(
    'li',
    {},
    element('details', { open: isOpen }, summary, element('ol', { class: 'frames' }, ...around)),
  );
}

/** The area below the table that shows the stacks of one op. */
class OpStacks {
  readonly place = element('div', { class: 'stacks' });

  constructor(private readonly tree: StackTree | null) {}

  /** The button before an op that has stacks. */
  toggle(row: OpRow): Node | null {
    if (this.tree === null || row.stacks.length === 0) return null;
    const name = nameOf(row);
    return button('≡', () => this.#open(row), {
      ...{ class: 'toggle', title: `Call stacks of ${name}`, 'aria-label': `Call stacks of ${name}` },
    });
  }

  #open(row: OpRow): void {
    keepName(STACKS, nameOf(row));
    this.show(row);
    const heading = this.place.querySelector('h3');
    heading?.scrollIntoView({ block: 'nearest' });
    heading?.focus({ preventScroll: true });
  }

  show(row: OpRow): void {
    const { time, stacks, stackCount } = row;
    const { tree } = this;
    if (tree === null || stacks.length === 0) return;
    const heading = element('h3', { tabindex: -1 }, `Call stacks of ${nameOf(row)}`);
    const items = stacks.map((stack, i) => stackItem(tree, stack, time ?? 0, i === 0));
    const rest = stackCount - stacks.length;
    this.place.replaceChildren(
      heading,
      element('ul', {}, ...items),
      ...(rest > 0 ? [note(`${quantityText(rest, 'count')} more stacks with less time are not on this page.`)] : []),
    );
  }
}

function make(view: PanelView): PanelContent {
  const { ops, stacks: tree } = view.profile;
  const { shown, count, restTime } = ops;
  if (shown.every(({ op }) => op === null)) return lacking(view, 'ops');
  const rows = listed(shown);
  const stacks = new OpStacks(tree);
  const columns = columnsOf(view, rows, (row) => stacks.toggle(row));
  const sortedBy = Math.max(
    1,
    columns.findIndex(({ title }) => title === ((ops.time ?? 0) > 0 ? 'Device time' : 'CPU time')),
  );
  const made = table({ caption: 'Ops', columns, rows, sortedBy });
  if (rows.some((row) => row.stacks.length > 0)) made.classList.add('with-toggles');
  const opened = readFragment(location.hash).get(STACKS);
  const openedRow = rows.find((row) => nameOf(row) === opened);
  if (openedRow !== undefined) stacks.show(openedRow);
  const rest = count - shown.length;
  const further = `${rest} more ops, ${quantityText(restTime, 'ns')} together, are not on this page.`;
  const isHostAlone = view.profile.overview.devices.length === 0;
  return [
    ...(isHostAlone ? [hostTimesOnly()] : []),
    made,
    stacks.place,
    ...(rest > 0 ? [note(further)] : []),
    ...(shown.some(({ op }) => op === null) ? whyNoOp(view) : []),
    ...(isHostAlone ? [] : [note(`${ABOUT} ${ABOUT_BOUNDS}`)]),
    ...waitsNote(view),
  ];
}

export const OPS: Panel = { id: 'ops', title: 'Ops', width: 6, make, follows: followsWork };
