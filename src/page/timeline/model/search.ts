/** The events that match a query, and their sums. */
import { elementAt } from '../../../containers/element.js';
import { EVENT_KINDS } from '../../../prof/html/timeline/timeline-data.js';
import {
  conditionOf,
  meantCondition,
  FREE_FIELDS,
  WHOLE_FIELDS,
  parseQuery,
  type NumberField,
  type QueryTerm,
  type TextField,
} from './query.js';
import { countOf, endOf, filledOf, isOnDevice, startOf, timeOf, type TimelineEvents } from '../events/events.js';
import { factText } from '../events/kernel-facts.js';
import { wildcardTest } from '../../../prof/query/wildcards.js';

export interface SearchMatches {
  /** 1 for each matching event. */
  readonly isMatch: Uint8Array;
  /** Indices of the matching events, in order of start time. */
  readonly list: Uint32Array;
  readonly device: MatchSum;
  readonly host: MatchSum;
  /**
   * Why the query finds nothing, and which data it cannot search, each in one line; null when there is nothing to
   * report.
   */
  readonly problem: string | null;
  readonly remark: string | null;
}

export interface MatchSum {
  readonly count: number;
  /** Time in ns: on devices the sum of durations, as in tables of kernels; on threads their union, because calls nest. */
  readonly time: number;
  /** Share of the time of all events on devices, or on threads; null when there are none. */
  readonly share: number | null;
}

/** The first and last step of a piece. */
export type StepSpan = readonly [first: number, last: number];

type EventTest = (event: number) => boolean;

/** For each string, whether it passes the test; evaluated once per string, not per event. */
const passing = (texts: readonly string[], test: (text: string) => boolean): Uint8Array =>
  Uint8Array.from(texts, (text) => (test(text) ? 1 : 0));

function textTest(events: TimelineEvents, field: TextField | null, word: string): EventTest {
  const isWhole = field !== null && WHOLE_FIELDS.has(field);
  const test = isWhole ? wildcardTest(word) : (text: string): boolean => text.toLowerCase().includes(word);
  const inTexts = passing(events.texts, test);
  const testOf = (tested: TextField): EventTest => {
    const numbersHold = (numbers: Uint8Array | Uint32Array, held: Uint8Array): EventTest => {
      return (event) => held[elementAt(numbers, event)] === 1;
    };
    if (tested === 'kind') return numbersHold(events.kind, passing(EVENT_KINDS, test));
    if (tested === 'lane' || tested === 'group') {
      const names = events.lanes.map((lane) => (tested === 'lane' ? lane.name : lane.group));
      return numbersHold(events.lane, passing(names, test));
    }
    return numbersHold(events.text[tested], inTexts);
  };
  const tests = field === null ? [...FREE_FIELDS.map(testOf), packetTest(events, test)] : [testOf(field)];
  return (event) => tests.some((isOf) => isOf(event));
}

const PACKET_FACTS = ['tensor', 'source', 'destination'];

/** Packets whose tensor, source or destination passes the test; only packets have a destination. */
function packetTest({ facts, factList }: TimelineEvents, test: (text: string) => boolean): EventTest {
  if (!facts.texts.includes('destination') || !facts.texts.some(test)) return () => false;
  const lists = Uint8Array.from(facts.ends, (_, list) => {
    if (factText(facts, list, 'destination') === null) return 0;
    return PACKET_FACTS.some((label) => test(factText(facts, list, label) ?? '')) ? 1 : 0;
  });
  return (event) => lists[elementAt(factList, event)] === 1;
}

function numberTest(events: TimelineEvents, { field, sign, value }: Extract<QueryTerm, { is: 'number' }>): EventTest {
  const columns: Readonly<Record<NumberField, Float64Array>> = {
    dur: events.dur,
    start: events.start,
    flops: events.flops,
    bytes: events.bytes,
    id: events.id,
    pc: events.pc,
  };
  const column = columns[field];
  const isUnknown = (number: number): boolean => number < 0 || (field === 'id' && number === 0);
  const zero = field === 'start' ? events.origin : 0;
  return (event) => {
    const number = zero + elementAt(column, event);
    if (isUnknown(number)) return false;
    return sign === '<' ? number < value : sign === '>' ? number > value : number === value;
  };
}

/** Whether events match all words of a query; null without words. */
function wordsOf(events: TimelineEvents, query: string): EventTest | null {
  const terms = parseQuery(query);
  if (terms.length === 0) return null;
  const tests = terms.map((term) =>
    term.is === 'text' ? textTest(events, term.field, term.text) : numberTest(events, term),
  );
  return (event) => tests.every((test) => test(event));
}

/** Searches by a condition in the language of `--where`, or else by words; null for an empty query. */
export function search(events: TimelineEvents, query: string): SearchMatches | null {
  const condition = conditionOf(events, query);
  const matches = condition?.test ?? wordsOf(events, query);
  if (matches === null) return null;
  const { problem, remark } = condition ?? { problem: null, remark: null };
  const isMatch = new Uint8Array(events.count);
  const list: number[] = [];
  for (let event = 0; event < events.count; event++) {
    if (!matches(event)) continue;
    isMatch[event] = 1;
    list.push(event);
  }
  const hint = condition === null && list.length === 0 ? meantCondition(query) : null;
  return { isMatch, list: Uint32Array.from(list), problem, remark: hint ?? remark, ...sums(events, isMatch) };
}

/**
 * Matches on devices that belong to the steps of a piece, which also contains work of other steps that ran at the same
 * time.
 * @returns null when all of them do, or none is known to belong to another step
 */
export function ofOwnSteps(events: TimelineEvents, { list }: SearchMatches, steps: StepSpan): number | null {
  const [first, last] = steps;
  let [inside, others] = [0, 0];
  for (const event of list) {
    const step = elementAt(events.step, event);
    if (step < 0 || !isOnDevice(events, event)) continue;
    if (first <= step && step <= last) inside += countOf(events, event);
    else others += countOf(events, event);
  }
  return others === 0 ? null : inside;
}

/** Sums of the matching events on devices and on threads, and their shares of all events. */
function sums(events: TimelineEvents, isMatch: Uint8Array): { readonly device: MatchSum; readonly host: MatchSum } {
  const device = { count: 0, time: 0, whole: 0 };
  const host = { count: 0, time: 0, whole: 0 };
  // For each lane, the end of the time covered by matching events, and by all events.
  const matched = new Float64Array(events.lanes.length).fill(-Infinity);
  const all = new Float64Array(events.lanes.length).fill(-Infinity);
  for (let event = 0; event < events.count; event++) {
    const onDevice = isOnDevice(events, event);
    const time = timeOf(events, event);
    const total = onDevice ? device : host;
    total.whole += onDevice ? time : newlyCovered(events, event, all);
    if (isMatch[event] !== 1) continue;
    total.count += countOf(events, event);
    total.time += onDevice ? time : newlyCovered(events, event, matched);
  }
  const sum = ({ count, time, whole }: typeof device): MatchSum => ({
    count,
    time,
    share: whole > 0 ? time / whole : null,
  });
  return { device: sum(device), host: sum(host) };
}

/** The part of an event after its lane's covered time, which is then extended. */
function newlyCovered(events: TimelineEvents, event: number, covered: Float64Array): number {
  const lane = elementAt(events.lane, event);
  const before = covered[lane] ?? -Infinity;
  const [start, end] = [startOf(events, event), endOf(events, event)];
  covered[lane] = Math.max(before, end);
  return Math.max(0, end - Math.max(start, before)) * filledOf(events, event);
}

/** The match that starts nearest to a time, in ns from the profile's start; null without matches. */
export function matchAt(events: TimelineEvents, { list }: SearchMatches, time: number): number | null {
  let [found, least]: [number | null, number] = [null, Infinity];
  for (const event of list) {
    const distance = Math.abs(events.origin + startOf(events, event) - time);
    if (distance >= least) continue;
    [found, least] = [event, distance];
  }
  return found;
}

/** The next or previous match of an event, wrapping around at the ends; null without matches. */
export function nextMatch({ list }: SearchMatches, from: number | null, step: 1 | -1): number | null {
  if (list.length === 0) return null;
  if (from === null) return elementAt(list, step === 1 ? 0 : list.length - 1);
  const found = list.findIndex((event) => event >= from);
  let place = found === -1 ? list.length : found;
  if (step === 1 && list[place] === from) place++;
  const next = step === 1 ? place : place - 1;
  return elementAt(list, (next + list.length) % list.length);
}
