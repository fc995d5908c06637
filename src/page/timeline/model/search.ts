/** Which events a query matches, and what they add up to. */
import { EVENT_KINDS } from '../../../prof/html/page-data.js';
import type { TimelineEvents } from './events.js';
import { FREE_FIELDS, parseQuery, type NumberField, type QueryTerm, type TextField } from './query.js';

export interface SearchMatches {
  /** 1 for each event that matches. */
  readonly isMatch: Uint8Array;
  /** Their numbers, in order of start. */
  readonly list: Uint32Array;
  readonly device: MatchSum;
  readonly host: MatchSum;
}

export interface MatchSum {
  readonly count: number;
  /** ns: of devices the sum of all, as tables of kernels have it; of threads what they cover, for calls lie in calls. */
  readonly time: number;
  /** Of all events of devices, or of threads; null where there are none. */
  readonly share: number | null;
}

type EventTest = (event: number) => boolean;

/** Whether texts hold a word, isMatch once for each text. */
function holding(texts: readonly string[], word: string): Uint8Array {
  return Uint8Array.from(texts, (text) => (text.toLowerCase().includes(word) ? 1 : 0));
}

function textTest(events: TimelineEvents, field: TextField | null, word: string): EventTest {
  const inTexts = holding(events.texts, word);
  const testOf = (one: TextField): EventTest => {
    const numbersHold = (numbers: Uint8Array | Uint32Array, held: Uint8Array): EventTest => {
      return (event) => held[numbers[event] ?? 0] === 1;
    };
    if (one === 'kind') return numbersHold(events.kind, holding(EVENT_KINDS, word));
    if (one === 'lane' || one === 'group') {
      const names = events.lanes.map((lane) => (one === 'lane' ? lane.name : lane.group));
      return numbersHold(events.lane, holding(names, word));
    }
    return numbersHold(events.text[one], inTexts);
  };
  const tests = (field === null ? FREE_FIELDS : [field]).map(testOf);
  return (event) => tests.some((test) => test(event));
}

function numberTest(events: TimelineEvents, { field, sign, value }: Extract<QueryTerm, { is: 'number' }>): EventTest {
  const columns: Readonly<Record<NumberField, Float64Array>> = {
    dur: events.dur,
    start: events.start,
    flops: events.flops,
    bytes: events.bytes,
    id: events.id,
  };
  const column = columns[field];
  const isUnknown = (number: number): boolean => number < 0 || (field === 'id' && number === 0);
  return (event) => {
    const number = column[event] ?? -1;
    if (isUnknown(number)) return false;
    return sign === '<' ? number < value : sign === '>' ? number > value : number === value;
  };
}

/** @returns null for an empty query */
export function search(events: TimelineEvents, query: string): SearchMatches | null {
  const terms = parseQuery(query);
  if (terms.length === 0) return null;
  const tests = terms.map((term) =>
    term.is === 'text' ? textTest(events, term.field, term.text) : numberTest(events, term),
  );
  const isMatch = new Uint8Array(events.count);
  const list: number[] = [];
  for (let event = 0; event < events.count; event++) {
    if (!tests.every((test) => test(event))) continue;
    isMatch[event] = 1;
    list.push(event);
  }
  return { isMatch, list: Uint32Array.from(list), ...sums(events, isMatch) };
}

/** Sums of the events that are isMatch for, by side, and their share of all. */
function sums(events: TimelineEvents, isMatch: Uint8Array): { readonly device: MatchSum; readonly host: MatchSum } {
  const isDevice = events.lanes.map(({ kind }) => kind === 'device');
  const totals = { device: [0, 0, 0], host: [0, 0, 0] } as Record<'device' | 'host', [number, number, number]>;
  // How far each lane is covered by events that match, and by all.
  const matched = new Float64Array(events.lanes.length).fill(-Infinity);
  const all = new Float64Array(events.lanes.length).fill(-Infinity);
  for (let event = 0; event < events.count; event++) {
    const lane = events.lane[event] ?? 0;
    const start = events.start[event] ?? 0;
    const dur = events.dur[event] ?? 0;
    const side = isDevice[lane] === true ? 'device' : 'host';
    const added = (covered: Float64Array): number => {
      if (side === 'device') return dur;
      const free = Math.max(0, start + dur - Math.max(start, covered[lane] ?? -Infinity));
      covered[lane] = Math.max(covered[lane] ?? -Infinity, start + dur);
      return free;
    };
    const total = totals[side];
    total[2] += added(all);
    if (isMatch[event] !== 1) continue;
    total[0]++;
    total[1] += added(matched);
  }
  const sum = ([count, time, whole]: readonly [number, number, number]): MatchSum => ({
    count,
    time,
    share: whole > 0 ? time / whole : null,
  });
  return { device: sum(totals.device), host: sum(totals.host) };
}

/** The match after (or before) a time and event, around the end to the other; null without matches. */
export function nextMatch({ list }: SearchMatches, from: number | null, step: 1 | -1): number | null {
  if (list.length === 0) return null;
  if (from === null) return (step === 1 ? list[0] : list.at(-1)) ?? null;
  let place = 0;
  while (place < list.length && (list[place] ?? 0) < from) place++;
  if (step === 1 && list[place] === from) place++;
  const next = step === 1 ? place : place - 1;
  return list[(next + list.length) % list.length] ?? null;
}
