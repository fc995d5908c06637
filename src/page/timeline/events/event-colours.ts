/**
 * Colours of events. The strings with the most time on the devices of the page have strong colours, all others pale ones.
 * The hash of a string chooses its colour, so that it has the same colour in all pieces and ranks of a page, and usually
 * in every profile. If two strings would have the same strong colour, one of them takes the next free colour.
 */
import { elementAt } from '../../../containers/element.js';
import { entryOf } from '../../../containers/map-entry.js';
import { EVENT_KINDS } from '../../../prof/html/timeline/timeline-data.js';
import {
  addedTimes,
  hash,
  type ColouredColumn,
  type HashedTime,
  type LongestTexts,
} from '../../../prof/html/timeline/longest-texts.js';
import { countOf, isOnDevice, kindOf, textOf, timeOf, type TimelineEvents } from './events.js';

/**
 * Ten colours that are distinct for colour-blind people: chosen by maximising the minimum distance in OKLab under the
 * simulations of Machado, Oliveira and Fernandes 2009, https://doi.org/10.1109/TVCG.2009.113; relative luminance 0.1 to
 * 0.6, to be visible on light and dark backgrounds.
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

/** Slots of colours: first the palette, then its pale variants, then the colour for unknown strings. */
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
  tc: 'matrix unit',
};

/** The default: by op, or by name when no event has an op, as for Neuron instructions. */
export function usualColour(events: TimelineEvents): ColourKey {
  for (let event = 0; event < events.count; event++) if (textOf(events, 'op', event) !== null) return 'op';
  return 'kernel';
}

export interface EventColours {
  /** Slot of each event. */
  readonly slots: Uint8Array;
  readonly legend: readonly LegendEntry[];
  /** Number and time of the strings with pale colours. */
  readonly rest: { readonly count: number; readonly time: number };
}

export interface LegendEntry {
  /** Null when unknown. */
  readonly text: string | null;
  readonly slot: number;
  readonly count: number;
  /** ns of its events on devices and on threads, summed. */
  readonly device: number;
  readonly host: number;
}

/**
 * Slots of the strings with strong colours, by hash. If two strings have the same slot, the smaller hash keeps it.
 * @param hashes of strings, at most as many as there are colours
 */
export function slotsOf(hashes: readonly number[]): Map<number, number> {
  const slots = new Map<number, number>();
  const taken = new Set<number>();
  const settle = (text: number, slot: number): void => {
    slots.set(text, slot);
    taken.add(slot);
  };
  const sorted = [...hashes].sort((a, b) => a - b);
  for (const text of sorted) if (!taken.has(text % STRONG)) settle(text, text % STRONG);
  for (const text of sorted) {
    if (slots.has(text)) continue;
    let slot = text % STRONG;
    while (taken.has(slot) && taken.size < STRONG) slot = (slot + 1) % STRONG;
    settle(text, slot);
  }
  return slots;
}

/** The strings with the most time, over all profiles together. */
export function longestOf(profiles: readonly LongestTexts[]): LongestTexts {
  const added = (column: ColouredColumn): HashedTime[] => addedTimes(profiles.map((longest) => longest[column]));
  return { op: added('op'), layer: added('layer'), dtype: added('dtype'), name: added('name'), tc: added('tc') };
}

/** The column by which events are coloured, and the strings for its numbers. */
function source(events: TimelineEvents, key: ColourKey): readonly [Uint8Array | Uint32Array, readonly string[]] {
  if (key === 'kind') return [events.kind, EVENT_KINDS];
  return [events.text[key === 'kernel' ? 'name' : key], events.texts];
}

interface TextTotal {
  readonly number: number;
  readonly text: string;
  readonly count: number;
  /** ns on devices and on threads. */
  readonly device: number;
  readonly host: number;
}

/** Count and time of each string that has events; an index without a string, as in a damaged page, counts as unknown. */
function totalsOf(events: TimelineEvents, numbers: Uint8Array | Uint32Array, texts: readonly string[]): TextTotal[] {
  const counts = new Uint32Array(texts.length + 1);
  const times = { device: new Float64Array(texts.length + 1), host: new Float64Array(texts.length + 1) };
  const ofLanes = events.lanes.map(({ kind }) => times[kind]);
  for (let event = 0; event < events.count; event++) {
    const number = Math.min(elementAt(numbers, event), texts.length);
    const ofLane = ofLanes[elementAt(events.lane, event)] ?? times.host;
    counts[number] = elementAt(counts, number) + countOf(events, event);
    ofLane[number] = elementAt(ofLane, number) + timeOf(events, event);
  }
  const totals = [...counts.entries()].map(([number, count]) => ({
    ...{ number, text: texts[number] ?? '', count },
    ...{ device: elementAt(times.device, number), host: elementAt(times.host, number) },
  }));
  return totals.filter(({ count }) => count > 0).sort(devicesFirst);
}

/** Strings of events on devices, then strings that occur only on threads, each sorted by time. */
const devicesFirst = (a: Pick<LegendEntry, 'device' | 'host' | 'text'>, b: typeof a): number =>
  b.device - a.device || b.host - a.host || ((a.text ?? '') < (b.text ?? '') ? -1 : 1);

/** Hashes of the strings with strong colours: those of the whole page if they are known, else those of the events. */
function strongTexts(key: ColourKey, known: readonly TextTotal[], longest: LongestTexts | null): readonly number[] {
  if (key === 'kind') return EVENT_KINDS.slice(0, STRONG).map(hash);
  const listed = longest?.[key === 'kernel' ? 'name' : key] ?? [];
  return (listed.length > 0 ? listed.map(([text]) => text) : known.map(({ text }) => hash(text))).slice(0, STRONG);
}

/** Host work and copies have names but no ops: they get pale colours, which the legend does not list. */
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

/** Count and times of these events, which have the colour of unknown strings. */
function unknownOf(events: TimelineEvents, unknown: readonly number[]): LegendEntry {
  let [count, device, host] = [0, 0, 0];
  for (const event of unknown) {
    count += countOf(events, event);
    if (isOnDevice(events, event)) device += timeOf(events, event);
    else host += timeOf(events, event);
  }
  return { text: null, slot: UNKNOWN, count, device, host };
}

/**
 * @param longest the longest strings of the whole page, so that a string has the same colour in each piece; null to use the
 *   events' strings
 */
export function coloursOf(events: TimelineEvents, key: ColourKey, longest: LongestTexts | null = null): EventColours {
  const [numbers, texts] = source(events, key);
  const all = totalsOf(events, numbers, texts);
  const known = all.filter(({ text }) => text !== '');
  const strong = slotsOf(strongTexts(key, known, longest));
  const slotOf = (text: string): number =>
    text === '' ? UNKNOWN : (strong.get(hash(text)) ?? STRONG + (hash(text) % STRONG));
  const ofNumber = new Uint8Array(texts.length + 1).fill(UNKNOWN);
  for (const { number, text } of all) ofNumber[number] = slotOf(text);
  const slots = new Uint8Array(events.count);
  const slotWithoutOp = key === 'op' ? slotsWithoutOp(events) : () => UNKNOWN;
  const unknownEvents: number[] = [];
  for (let event = 0; event < events.count; event++) {
    const known = ofNumber[elementAt(numbers, event)] ?? UNKNOWN;
    const slot = known === UNKNOWN ? slotWithoutOp(event) : known;
    slots[event] = slot;
    if (slot === UNKNOWN) unknownEvents.push(event);
  }
  const unknown = unknownOf(events, unknownEvents);
  // All others are pale.
  const isListed = ({ text }: TextTotal, i: number): boolean => i < STRONG || strong.has(hash(text));
  const rest = known.filter((total, i) => !isListed(total, i));
  const listed = known.filter(isListed).map(({ text, ...total }) => ({ ...total, text, slot: slotOf(text) }));
  return {
    slots,
    legend: [...(unknown.count > 0 ? [unknown] : []), ...listed].sort(devicesFirst),
    rest: { count: rest.length, time: rest.reduce((sum, { device, host }) => sum + device + host, 0) },
  };
}

/**
 * Names for a legend. Kernels have their names in tables, unless several kernels of the legend have the same one; all
 * other texts are unchanged.
 */
export function legendNames(
  { texts, shortNames }: Pick<TimelineEvents, 'texts' | 'shortNames'>,
  legend: readonly Pick<LegendEntry, 'text'>[],
): string[] {
  const named = new Map([...shortNames].map(([name, short]) => [texts[name], texts[short]]));
  const whole = legend.map(({ text }) => text ?? 'unknown');
  const short = whole.map((text) => named.get(text) ?? text);
  return short.map((name, i) => (short.indexOf(name) === short.lastIndexOf(name) ? name : elementAt(whole, i)));
}
