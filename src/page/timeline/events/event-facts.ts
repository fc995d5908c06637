/** Properties of an event as text, for tooltips and details. */
import { elementAt } from '../../../containers/element.js';
import { dtypeBytes } from '../../../record/element-types.js';
import { quantityText } from '../../document/units.js';
import { factsOf } from './kernel-facts.js';
import { inProfile, rankOf, whoseStart } from './coverage.js';
import {
  countOf,
  durOf,
  endOf,
  isOnDevice,
  kindOf,
  laneOf,
  profileTimeOf,
  startOf,
  textOf,
  timeOf,
  type TimelineEvents,
} from './events.js';
import type { TextColumn } from '../../../prof/html/timeline/timeline-data.js';

export type EventFact = readonly [name: string, value: string];

const TEXTS: readonly (readonly [TextColumn, string])[] = [
  ['op', 'op'],
  ['layer', 'layer'],
  ['category', 'category'],
  ['dtype', 'dtype'],
  ['tc', 'matrix unit'],
];

/** Columns that only instructions and packets have. */
const PROGRAM_TEXTS: readonly (readonly [TextColumn, string])[] = [
  ['operands', 'operands'],
  ['queue', 'queue'],
];

const MOVES: ReadonlySet<string> = new Set(['copy', 'set', 'wait']);

const known = (amount: number): number | null => (amount < 0 ? null : amount);
const rate = (amount: number | null, ns: number): number | null =>
  amount === null || ns <= 0 ? null : amount / (ns / 1e9);

export function shortFacts(events: TimelineEvents, event: number): readonly EventFact[] {
  const texts = TEXTS.flatMap(([column, title]): EventFact[] => {
    const text = textOf(events, column, event);
    return text === null ? [] : [[title, text]];
  });
  return [
    ['kind', kindOf(events, event)],
    ['start', quantityText(profileTimeOf(events, startOf(events, event)), 'ns')],
    ['duration', quantityText(durOf(events, event), 'ns')],
    ...standsFor(events, event),
    ...texts,
  ];
}

/** For a bar that represents several events: their number and total time. */
function standsFor(events: TimelineEvents, event: number): EventFact[] {
  const count = countOf(events, event);
  if (count === 1) return [];
  const time = quantityText(timeOf(events, event), 'ns');
  return [['stands for', `${quantityText(count, 'count')} events, ${time} in total; named after the longest`]];
}

/** All properties of an event except its name; for a bar of several events, no properties of single events. */
export function allFacts(events: TimelineEvents, event: number): readonly EventFact[] {
  const dur = durOf(events, event);
  const lane = laneOf(events, event);
  const start = profileTimeOf(events, startOf(events, event));
  const facts: EventFact[] = [
    ...ofRank(events, event, start),
    ['kind', kindOf(events, event)],
    ['start', `${quantityText(start, 'ns')} (${whole(start)} ns) from ${whoseStart(events)} start`],
    ['duration', `${quantityText(dur, 'ns')} (${whole(dur)} ns)`],
    ['lane', `${lane?.group ?? 'na'} / ${lane?.name ?? 'na'}`],
    ...standsFor(events, event),
  ];
  if (countOf(events, event) > 1) return facts;
  const queued = queueTime(events, event);
  if (queued !== null) facts.push(['in the queue', `${quantityText(queued, 'ns')} from the end of the launch`]);
  // A copy, a set or a wait computes nothing, so properties that only kernels have are left out instead of unknown.
  const computes = isOnDevice(events, event) && !MOVES.has(kindOf(events, event));
  for (const [column, title] of TEXTS) {
    const text = textOf(events, column, event);
    if (computes || text !== null) facts.push([title, text ?? 'na']);
  }
  if (isOnDevice(events, event)) {
    const withRate = (amount: number | null, unit: 'flop' | 'bytes'): string =>
      amount === null ? 'na' : `${quantityText(amount, unit)} (${quantityText(rate(amount, dur), `${unit}/s`)})`;
    const flops = known(elementAt(events.flops, event));
    if (computes || flops !== null) facts.push(['FLOPs', withRate(flops, 'flop')]);
    facts.push(['bytes', withRate(known(elementAt(events.bytes, event)), 'bytes')]);
  }
  const id = elementAt(events.id, event);
  if (id > 0) facts.push(['id', String(id)]);
  const pc = elementAt(events.pc, event);
  if (pc >= 0) facts.push(['pc', String(pc)]);
  for (const [column, title] of PROGRAM_TEXTS) {
    const text = textOf(events, column, event);
    if (text !== null) facts.push([title, text]);
  }
  const seq = elementAt(events.seq, event);
  if (seq >= 0) facts.push(['sequence id', String(seq)]);
  return [...facts, ...factsOf(events.facts, elementAt(events.factList, event))];
}

/** When several ranks are shown: the event's rank, and its start by the clock of that profile. */
function ofRank(events: TimelineEvents, event: number, start: number): EventFact[] {
  const rank = rankOf(events, event);
  if (rank === null) return [];
  const ownStart = inProfile(rank.clock, start);
  return [
    ['rank', rank.name],
    ['start in its profile', `${quantityText(ownStart, 'ns')} (${whole(ownStart)} ns)`],
  ];
}

/** Time from the end of its launch to its start, in ns; null when its launch is not shown, or ended later. */
function queueTime(events: TimelineEvents, event: number): number | null {
  const launch = elementAt(events.arrows.launcher, event);
  const time = launch === -1 ? -1 : startOf(events, event) - endOf(events, launch);
  return time < 0 ? null : time;
}

const whole = (ns: number): string => Math.round(ns).toLocaleString('en-US');

/**
 * The command that explains a kernel's values; null for other events, and for a bar of several.
 * @param profile index of the profile, when the timeline shows one;
 * @param file as a shell word
 */
export function explainCommand(events: TimelineEvents, event: number, profile: number, file: string): string | null {
  const id = elementAt(events.id, event);
  if (id === 0 || kindOf(events, event) !== 'kernel' || countOf(events, event) > 1) return null;
  return `dprof --explain ${rankOf(events, event)?.profile ?? profile}:${id} ${file}`;
}

/** Splits the operands of an instruction, semaphores and settings. A semaphore's queue stays with the semaphore. */
export const operandsOf = (text: string): readonly string[] => text.split(/ (?!\()/).filter((part) => part !== '');

const TENSOR = /(?:(?<!\w)(\w+)=)?\[([\d,]*)\]([a-z]\w*)/g;

/**
 * The tensors of a call as `--explain` writes it, each as `input: 64 × 3 × 7 × 7 fp32, 37.63 kB`; tensors without a name are
 * counted. A list of numbers is not a tensor.
 */
export const tensorsOf = (call: string): readonly string[] =>
  [...call.matchAll(TENSOR)].map(([, name, shape = '', dtype = ''], i) => {
    const extents = shape === '' ? [] : shape.split(',').map(Number);
    const each = dtypeBytes(dtype);
    const bytes = each === null ? null : extents.reduce((all, extent) => all * extent, each);
    return `${name ?? `tensor ${i + 1}`}: ${extents.join(' × ') || 'scalar'} ${dtype}, ${quantityText(bytes, 'bytes')}`;
  });
