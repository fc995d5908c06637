/** What is told of an event: names and values, as text. */
import { written } from '../../document/units.js';
import { durOf, isOnDevice, kindOf, laneOf, startOf, textOf, type TimelineEvents, type TextColumn } from './events.js';

export type EventFact = readonly [name: string, value: string];

const TEXTS: readonly (readonly [TextColumn, string])[] = [
  ['op', 'op'],
  ['layer', 'layer'],
  ['dtype', 'dtype'],
  ['tc', 'tensor cores'],
];

/** What a text says that is not known. */
const asText = (text: string | null): string => text ?? 'na';
const known = (amount: number | undefined): number | null => (amount === undefined || amount < 0 ? null : amount);
const rate = (amount: number | null, ns: number): number | null =>
  amount === null || ns <= 0 ? null : amount / (ns / 1e9);

/** A tip's few lines. */
export function shortFacts(events: TimelineEvents, event: number): readonly EventFact[] {
  const texts = TEXTS.flatMap(([column, title]): EventFact[] => {
    const text = textOf(events, column, event);
    return text === null ? [] : [[title, text]];
  });
  return [['kind', kindOf(events, event)], ['duration', written(durOf(events, event), 'ns')], ...texts];
}

/** All that is known of an event, but for its name. */
export function allFacts(events: TimelineEvents, event: number): readonly EventFact[] {
  const dur = durOf(events, event);
  const lane = laneOf(events, event);
  const start = startOf(events, event);
  const id = events.id[event] ?? 0;
  const facts: EventFact[] = [
    ['kind', kindOf(events, event)],
    ['start', `${written(start, 'ns')} (${whole(events.origin + start)} ns in the profile)`],
    ['duration', `${written(dur, 'ns')} (${whole(dur)} ns)`],
    ['lane', `${lane?.group ?? 'na'} / ${lane?.name ?? 'na'}`],
  ];
  const work = isOnDevice(events, event);
  for (const [column, title] of TEXTS) {
    const text = textOf(events, column, event);
    if (work || text !== null) facts.push([title, asText(text)]);
  }
  if (work) {
    const flops = known(events.flops[event]);
    const bytes = known(events.bytes[event]);
    facts.push(['FLOPs', flops === null ? 'na' : `${written(flops, 'flop')} (${written(rate(flops, dur), 'flop/s')})`]);
    facts.push([
      'bytes',
      bytes === null ? 'na' : `${written(bytes, 'bytes')} (${written(rate(bytes, dur), 'bytes/s')})`,
    ]);
  }
  if (id > 0) facts.push(['id', String(id)]);
  return facts;
}

const whole = (ns: number): string => Math.round(ns).toLocaleString('en-US');

/** The command that tells where a kernel's numbers come from; null where it has none. */
export function explainCommand(events: TimelineEvents, event: number, profile: number, file: string): string | null {
  const id = events.id[event] ?? 0;
  if (id === 0 || kindOf(events, event) !== 'kernel') return null;
  return `dprof --explain ${profile}:${id} ${quoted(file)}`;
}

/** A file's name for a shell: one that looks like an option is none. */
function quoted(file: string): string {
  const plain = file.startsWith('-') ? `./${file}` : file;
  return /^[\w./+@%:,=-]+$/.test(plain) ? plain : `'${plain.replaceAll("'", `'\\''`)}'`;
}
