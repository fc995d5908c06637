/**
 * Colours of events. The texts with the most time have strong colours, all others pale ones. A colour is chosen by the
 * hash of its text, so that a text mostly has the same colour in every profile; where two of the strong ones collide, one
 * takes the next free colour.
 */
import { elementAt } from '../../../containers/element.js';
import { entryOf } from '../../../containers/map-entry.js';
import { EVENT_KINDS } from '../../../prof/html/timeline/timeline-data.js';
import { countOf, kindOf, textOf, timeOf, type TimelineEvents } from './events.js';

/**
 * Ten colours that remain distinct for colour-blind people: chosen by maximising the least distance in OKLab under the
 * simulations of Machado, Oliveira and Fernandes 2009, https://doi.org/10.1109/TVCG.2009.113; relative luminance 0.1 to
 * 0.6, to be visible on light and dark ground.
 */
export const PALETTE = [
  '#3b52c4',
  '#c29238',
  '#47c09c',
  '#d8486a',
  '#9b89f1',
  '#b3d12c',
  '#3890a8',
  '#9d2680',
  '#745e17',
  '#fab1f3',
] as const;

/** Slots of colours: first the palette, then its pale variants, then the colour of unknown texts. */
export const STRONG = PALETTE.length;
export const UNKNOWN = 2 * STRONG;
export const SLOTS = UNKNOWN + 1;

export const COLOUR_KEYS = ['op', 'layer', 'dtype', 'kernel', 'kind', 'tc'] as const;
export type ColourKey = (typeof COLOUR_KEYS)[number];

export const COLOUR_TITLES: Readonly<Record<ColourKey, string>> = {
  op: 'op',
  layer: 'layer',
  dtype: 'dtype',
  kernel: 'name',
  kind: 'kind',
  tc: 'tensor cores',
};

/** The default: by op, or by name where no event has an op, as instructions of Neuron devices. */
export function usualColour(events: TimelineEvents): ColourKey {
  for (let event = 0; event < events.count; event++) if (textOf(events, 'op', event) !== null) return 'op';
  return 'kernel';
}

export interface EventColours {
  /** Slot of each event. */
  readonly slots: Uint8Array;
  readonly legend: readonly LegendEntry[];
  /** Texts with pale colours: their count and time. */
  readonly rest: { readonly count: number; readonly time: number };
}

export interface LegendEntry {
  /** Null for unknown. */
  readonly text: string | null;
  readonly slot: number;
  readonly count: number;
  /** ns of its events, summed. */
  readonly time: number;
}

/** FNV-1a, http://www.isthe.com/chongo/tech/comp/fnv/: 32 bits, over UTF-16 units. */
export function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
  // The low bits of similar texts are similar: mix in the high ones.
  return (value ^ (value >>> 15)) >>> 0;
}

/**
 * Slots of the texts with strong colours, by hash; where two have the same, the first in alphabetical order keeps it.
 * @param texts at most as many as there are colours
 */
export function slotsOf(texts: readonly string[]): Map<string, number> {
  const slots = new Map<string, number>();
  const taken = new Set<number>();
  const settle = (text: string, slot: number): void => {
    slots.set(text, slot);
    taken.add(slot);
  };
  const sorted = [...texts].sort();
  for (const text of sorted) if (!taken.has(hash(text) % STRONG)) settle(text, hash(text) % STRONG);
  for (const text of sorted) {
    if (slots.has(text)) continue;
    let slot = hash(text) % STRONG;
    while (taken.has(slot) && taken.size < STRONG) slot = (slot + 1) % STRONG;
    settle(text, slot);
  }
  return slots;
}

/** The column by which events are coloured, and the texts of its numbers. */
function source(events: TimelineEvents, key: ColourKey): readonly [Uint8Array | Uint32Array, readonly string[]] {
  if (key === 'kind') return [events.kind, EVENT_KINDS];
  return [events.text[key === 'kernel' ? 'name' : key], events.texts];
}

interface TextTotal {
  readonly number: number;
  readonly text: string;
  readonly count: number;
  readonly time: number;
}

/** Count and time of each text that has events; an index without a text, as in a damaged page, counts as unknown. */
function totalsOf(events: TimelineEvents, numbers: Uint8Array | Uint32Array, texts: readonly string[]): TextTotal[] {
  const counts = new Uint32Array(texts.length + 1);
  const times = new Float64Array(texts.length + 1);
  for (let event = 0; event < events.count; event++) {
    const number = Math.min(elementAt(numbers, event), texts.length);
    counts[number] = elementAt(counts, number) + countOf(events, event);
    times[number] = elementAt(times, number) + timeOf(events, event);
  }
  const totals = [...counts.entries()].map(([number, count]) => ({
    number,
    text: texts[number] ?? '',
    count,
    time: elementAt(times, number),
  }));
  return totals.filter(({ count }) => count > 0);
}

/** Work of the host, and copies, have names in place of ops: pale colours, which the legend does not list. */
function slotsWithoutOp(events: TimelineEvents): (event: number) => number {
  const known = new Map<number, number>();
  const slotOf = (name: string | undefined): number =>
    name === undefined || name === '' ? UNKNOWN : STRONG + (hash(name) % STRONG);
  return (event) => {
    if (kindOf(events, event) === 'kernel') return UNKNOWN;
    const number = elementAt(events.text.name, event);
    return entryOf(known, number, () => slotOf(events.texts[number]));
  };
}

/** Count and time of the events in the colour of unknown texts. */
function unknownOf(events: TimelineEvents, slots: Uint8Array): LegendEntry {
  let [count, time] = [0, 0];
  for (let event = 0; event < events.count; event++) {
    if (slots[event] !== UNKNOWN) continue;
    count += countOf(events, event);
    time += timeOf(events, event);
  }
  return { text: null, slot: UNKNOWN, count, time };
}

export function coloursOf(events: TimelineEvents, key: ColourKey): EventColours {
  const [numbers, texts] = source(events, key);
  const all = totalsOf(events, numbers, texts).sort((a, b) => b.time - a.time || (a.text < b.text ? -1 : 1));
  const known = all.filter(({ text }) => text !== '');
  const strong = slotsOf(known.slice(0, STRONG).map(({ text }) => text));
  const slotOf = (text: string): number =>
    text === '' ? UNKNOWN : (strong.get(text) ?? STRONG + (hash(text) % STRONG));
  const ofNumber = new Uint8Array(texts.length + 1).fill(UNKNOWN);
  for (const { number, text } of all) ofNumber[number] = slotOf(text);
  const slots = new Uint8Array(events.count);
  const slotWithoutOp = slotsWithoutOp(events);
  for (let event = 0; event < events.count; event++) {
    const slot = ofNumber[elementAt(numbers, event)] ?? UNKNOWN;
    slots[event] = slot === UNKNOWN && key === 'op' ? slotWithoutOp(event) : slot;
  }
  const unknown = unknownOf(events, slots);
  const rest = known.slice(STRONG);
  return {
    slots,
    legend: [
      ...(unknown.count > 0 ? [unknown] : []),
      ...known
        .filter(({ text }) => strong.has(text))
        .map(({ text, count, time }) => ({ text, slot: slotOf(text), count, time })),
    ].sort((a, b) => b.time - a.time),
    rest: { count: rest.length, time: rest.reduce((sum, { time }) => sum + time, 0) },
  };
}
