/** Sums of the selection, in tables. */
import { plural } from '../../../record/plural.js';
import { isMostly, NS_PER_S, partialText } from '../../../record/units.js';
import { boxedDefinitions, button, element } from '../../document/dom-elements.js';
import { quantityText, type DisplayUnit } from '../../document/units.js';
import { table, type TableColumn } from '../../figures/sorted-table.js';
import type { Scene } from '../model/scene.js';
import {
  selectionSums,
  type LaneShare,
  type SelectionSums,
  type TextShare,
  type WorkSum,
} from '../model/selection-sums.js';
import { around } from '../model/view.js';
import { spanButton } from '../../span/chosen-span.js';

const MOST_ROWS = 10;
/** Time in ms without a change before the sums are computed. */
const PAUSE = 80;

const count = (value: number): string => quantityText(value, 'count');
const time = (ns: number): string => quantityText(ns, 'ns');
const share = (part: number, whole: number): string => quantityText(whole > 0 ? part / whole : null, 'share');

/** The rows with the least time, which a table hides initially. */
function restText(shares: readonly TextShare[], whole: number): string {
  const rest = shares.slice(MOST_ROWS);
  if (rest.length === 0) return '';
  const events = rest.reduce((sum, entry) => sum + entry.count, 0);
  const ns = rest.reduce((sum, entry) => sum + entry.time, 0);
  return `${count(rest.length)} ${plural(rest.length, 'other')} with less time, ${count(events)} ${plural(events, 'event')}, ${time(ns)} (${share(ns, whole)})`;
}

function titled(title: string, made: HTMLElement, rest = ''): HTMLElement {
  const note = rest === '' ? [] : [element('p', { class: 'tl-rest' }, rest)];
  return element('section', { 'aria-label': title }, element('h4', {}, title), made, ...note);
}

function shareTable(
  title: string,
  name: string,
  shares: readonly TextShare[],
  whole: number,
  ofCopies = false,
): HTMLElement {
  const rates: readonly TableColumn<TextShare>[] = [
    {
      title: 'FLOP/s',
      unit: 'flop/s',
      cell: ({ flops, flopsTime, time: all }) =>
        flops === null || flopsTime <= 0 || !isMostly(flopsTime / all) ? null : flops / (flopsTime / NS_PER_S),
      worded: ({ flopsTime, time: all }, text) => partialText(text, null, all > 0 ? flopsTime / all : 1),
    },
  ];
  const columns: readonly TableColumn<TextShare>[] = [
    { title: name, cell: ({ text }) => text },
    { title: 'Events', unit: 'count', cell: (row) => row.count },
    { title: 'Time', unit: 'ns', cell: (row) => row.time },
    { title: 'Share', unit: 'share', cell: (row) => (whole > 0 ? row.time / whole : null) },
    ...(ofCopies ? [{ title: 'Bytes', unit: 'bytes' as const, cell: ({ bytes }: TextShare) => bytes }] : []),
    ...(shares.some(({ flops }) => flops !== null && flops > 0) ? rates : []),
  ];
  const made = table({ caption: `Selection: ${title}`, columns, rows: shares, sortedBy: 2, most: MOST_ROWS });
  return titled(title, made, restText(shares, whole));
}

function laneTable(title: string, lanes: readonly LaneShare[]): HTMLElement {
  const columns: readonly TableColumn<LaneShare>[] = [
    { title: 'Lane', cell: ({ name, group }) => (name === group ? group : `${group} / ${name}`) },
    { title: 'Events', unit: 'count', cell: ({ events }) => events },
    { title: 'Busy', unit: 'ns', cell: ({ busy }) => busy },
    { title: 'Share', unit: 'share', cell: (row) => row.share },
  ];
  return titled(
    title,
    table({ caption: `Selection: ${title}`, columns, rows: lanes, sortedBy: null, most: MOST_ROWS }),
  );
}

/** An amount, and the number of events for which it is known. */
function workText(
  { amount, known, count: all, knownTime, time: whole }: WorkSum,
  unit: DisplayUnit,
  noun: string,
): string {
  if (amount === null) return all === 0 ? 'na' : `na: unknown for all ${count(all)} ${noun}`;
  const covered =
    known === all
      ? `in all ${count(all)} ${noun}`
      : `in ${count(known)} of ${count(all)} ${noun} (${share(knownTime, whole)} of their time)`;
  return `${quantityText(amount, unit)} ${covered}`;
}

/** The rate while the events with a known amount ran, and over the whole selection. */
function rateText({ amount, knownTime }: WorkSum, unit: DisplayUnit, length: number): string {
  if (amount === null || knownTime <= 0 || length <= 0) return 'na';
  const [whileRunning, all] = [amount / (knownTime / 1e9), amount / (length / 1e9)];
  return `${quantityText(whileRunning, unit)} while they ran, ${quantityText(all, unit)} over the span`;
}

const MOST_NAMES = 3;

function lanesText({ laneCount, allLanes }: SelectionSums, keys: ReadonlySet<string> | null): string {
  if (keys === null) return `all ${count(allLanes)}`;
  const names = [...keys].map((key) => key.replace(/\/\*$/, ''));
  const more = names.length > MOST_NAMES ? ', …' : '';
  return `${count(laneCount)} of ${count(allLanes)}: ${names.slice(0, MOST_NAMES).join(', ')}${more}`;
}

function totals(sums: SelectionSums, keys: ReadonlySet<string> | null): HTMLElement {
  const { length, deviceCount, deviceTime, busy, hostCount, flops, bytes } = sums;
  return boxedDefinitions([
    ['span', `${time(length)} (${quantityText(sums.share, 'share')} of what is drawn)`],
    ['lanes', lanesText(sums, keys)],
    ['on devices', `${count(deviceCount)} ${plural(deviceCount, 'event')}, ${time(deviceTime)} in total`],
    ['devices busy', `${time(busy)} (${share(busy, length)} of the span)`],
    ['FLOPs', workText(flops, 'flop', 'kernels')],
    ['FLOP/s', rateText(flops, 'flop/s', length)],
    ['bytes', workText(bytes, 'bytes', 'events')],
    ['bytes/s', rateText(bytes, 'bytes/s', length)],
    ['on threads', `${count(hostCount)} ${plural(hostCount, 'event')}`],
  ]);
}

const CUT = 'If an edge cuts an event, only the part inside counts, with that share of its FLOPs and bytes.';

/** How exact the sums are. */
function exactness({ bars }: SelectionSums): string {
  if (bars === 0) return 'Exact: every event counts.';
  return (
    `Approximate: ${bars === 1 ? 'one bar merges' : `${count(bars)} bars merge`} several events under the name of ` +
    'the longest, without FLOPs and bytes. Zoom into a step or a part to see every event.'
  );
}

function tables(sums: SelectionSums): HTMLElement {
  const { byKind, byOp, byKernel, byLayer, onThreads, deviceTime, deviceCount, devices, lanes } = sums;
  const onDevices = [
    ['By kind', 'Kind', byKind],
    ['By op', 'Op', byOp],
    ['By name', 'Name', byKernel],
    ['By layer', 'Layer', byLayer],
  ] as const;
  const ofCopies = [
    ['Copies by size', 'Size', sums.bySize],
    ['Copies by queue', 'Queue', sums.byQueue],
    ['Copies by tensor', 'Tensor', sums.byTensor],
  ] as const;
  const isKnown = (shares: readonly TextShare[]): boolean => shares.some(({ text }) => text !== null);
  const hostTime = onThreads.reduce((sum, entry) => sum + entry.time, 0);
  return element(
    'div',
    { class: 'tl-tables' },
    ...(deviceCount === 0 ? [] : onDevices)
      .filter(([, , shares]) => isKnown(shares))
      .map(([title, name, shares]) => shareTable(title, name, shares, deviceTime)),
    ...ofCopies
      .filter(([, , shares]) => isKnown(shares))
      .map(([title, name, shares]) => shareTable(title, name, shares, deviceTime, true)),
    ...(onThreads.length === 0
      ? []
      : [shareTable('On threads (a nested call also counts in its callers)', 'Name', onThreads, hostTime)]),
    ...(devices.length === 0 ? [] : [laneTable('Devices', devices)]),
    laneTable('Lanes', lanes),
  );
}

export function showSelection(scene: Scene, signal: AbortSignal): HTMLElement {
  const place = element('section', { class: 'tl-span', 'aria-label': 'Selection' });
  const show = (): void => {
    const { span } = scene.shown;
    if (span === null) {
      place.replaceChildren();
      return;
    }
    const sums = selectionSums(scene.events, span);
    const zoom = button('Zoom to span', () => scene.look(around(span.from, span.to, scene.events.span)));
    const all = button('All lanes', () => scene.set({ span: { ...span, lanes: null } }));
    const { origin } = scene.events;
    const only = spanButton('Only this span', { from: origin + span.from, to: origin + span.to });
    const clear = button('Clear', () => scene.set({ span: null }));
    const head = element(
      'h3',
      {},
      'Selection ',
      zoom,
      ' ',
      only,
      ' ',
      ...(span.lanes === null ? [] : [all, ' ']),
      clear,
    );
    const { drawn, merged } = scene.events.coverage;
    const drawnText = `Covers only the drawn events: ${[drawn, merged ?? []].flat().join('; ')}.`;
    const scope = element('p', { class: 'tl-scope' }, `${CUT} ${exactness(sums)} ${drawnText}`);
    const isEmpty = sums.lanes.length === 0;
    const summary = isEmpty
      ? element('p', {}, `${time(sums.length)} without events on lanes: ${lanesText(sums, span.lanes)}`)
      : totals(sums, span.lanes);
    place.replaceChildren(
      head,
      element('div', { 'aria-live': 'polite' }, summary),
      scope,
      ...(isEmpty ? [] : [tables(sums)]),
    );
  };
  let pause: ReturnType<typeof setTimeout> | undefined;
  scene.on(['span'], () => {
    clearTimeout(pause);
    pause = setTimeout(show, PAUSE);
  });
  signal.addEventListener('abort', () => clearTimeout(pause));
  show();
  return place;
}
