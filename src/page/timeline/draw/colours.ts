/**
 * Colours of events. A text has the same colour in every profile, as far as there are colours: it is chosen by the text's
 * hash, and moves to the next that is free where another of the longest ones has it. All others are pale.
 */
import { EVENT_KINDS } from '../../../prof/html/page-data.js';
import { textOf, type TimelineEvents } from '../model/events.js';

/**
 * Ten colours that stay apart for people who see no red, no green or no blue: chosen by a search for the greatest least
 * distance in OKLab under simulations of Machado, Oliveira and Fernandes 2009, https://doi.org/10.1109/TVCG.2009.113;
 * relative luminance 0.1 to 0.6, to be seen on light and dark.
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

/** Slots of colours: first the palette, then its pale forms, then what has no text. */
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

/** By op, unless no event of a device has one: instructions have but their names. */
export function usualColour(events: TimelineEvents): ColourKey {
  for (let e = 0; e < events.count; e++) if (textOf(events, 'op', e) !== null) return 'op';
  return 'kernel';
}

export interface EventColours {
  /** Slot of each event. */
  readonly slots: Uint8Array;
  readonly legend: readonly LegendEntry[];
  /** Texts that have none of the strong colours, and their time. */
  readonly rest: { readonly count: number; readonly time: number };
}

export interface LegendEntry {
  /** Null is what has no text. */
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
  // The low bits of neighbours are alike: fold the high ones in.
  return (value ^ (value >>> 15)) >>> 0;
}

/**
 * Slots of the texts that have a colour of their own: by hash; where two want one, that with the lower text has it.
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

/** Number of the text that an event is coloured by, and the text of such a number. */
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

/** Events and time of each text that has any; one that there is not counts as not known. */
function totalsOf(events: TimelineEvents, numbers: Uint8Array | Uint32Array, texts: readonly string[]): TextTotal[] {
  const counts = new Uint32Array(texts.length + 1);
  const times = new Float64Array(texts.length + 1);
  for (let e = 0; e < events.count; e++) {
    const number = Math.min(numbers[e] ?? 0, texts.length);
    counts[number] = (counts[number] ?? 0) + 1;
    times[number] = (times[number] ?? 0) + (events.dur[e] ?? 0);
  }
  const all = [...counts.keys()].filter((number) => counts[number] !== 0);
  return all.map((number) => ({
    number,
    text: texts[number] ?? '',
    count: counts[number] ?? 0,
    time: times[number] ?? 0,
  }));
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
  for (let e = 0; e < events.count; e++) slots[e] = ofNumber[numbers[e] ?? 0] ?? UNKNOWN;
  const rest = known.slice(STRONG);
  return {
    slots,
    legend: all
      .filter(({ text }) => text === '' || strong.has(text))
      .map(({ text, count, time }) => ({ text: text === '' ? null : text, slot: slotOf(text), count, time })),
    rest: { count: rest.length, time: rest.reduce((sum, { time }) => sum + time, 0) },
  };
}
