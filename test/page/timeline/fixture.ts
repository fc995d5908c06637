/** Timelines made of seeded events, packed as `dprof html` packs them, and events by hand for small sums. */
import { deflateRawSync } from 'node:zlib';
import { arrowsOf, type TimelineEvents } from '../../../src/page/timeline/events/events.js';
import type { FactLists, KernelFact } from '../../../src/page/timeline/events/kernel-facts.js';
import { coverageOf } from '../../../src/page/timeline/events/coverage.js';
import { byColumn, DIRECTIONS, EVENT_KINDS, TEXT_COLUMNS } from '../../../src/prof/html/timeline/timeline-data.js';
import type {
  EventKind,
  PackedFacts,
  Lane,
  PackedColumn,
  PageTimeline,
  Timeline,
  TextColumn,
  TimelineColumn,
} from '../../../src/prof/html/timeline/timeline-data.js';

/** Little endian, as Node's own buffers write it. */
export function packed(type: PackedColumn['type'], numbers: readonly number[]): PackedColumn {
  const width = { u8: 1, u16: 2, u32: 4, f64: 8 }[type];
  const bytes = Buffer.alloc(numbers.length * width);
  for (const [i, number] of numbers.entries()) {
    if (type === 'f64') bytes.writeDoubleLE(number, i * width);
    else bytes.writeUIntLE(number, i * width, width);
  }
  return { type, length: numbers.length, data: deflateRawSync(bytes).toString('base64') };
}

/** An event in words; what is left out is not known. */
export interface FixtureEvent {
  readonly start: number;
  readonly dur: number;
  readonly lane: number;
  readonly depth?: number;
  readonly kind?: EventKind;
  readonly name?: string;
  readonly op?: string;
  readonly layer?: string;
  readonly category?: string;
  readonly dtype?: string;
  readonly tc?: string;
  readonly operands?: string;
  readonly queue?: string;
  readonly pc?: number;
  readonly id?: number;
  readonly flops?: number;
  readonly bytes?: number;
  readonly seq?: number;
  readonly dir?: 'fprop' | 'bprop';
  readonly step?: number;
  readonly corr?: number;
  /** As `--explain` words them. */
  readonly facts?: readonly KernelFact[];
  /** Place in the list of what launched it. */
  readonly launcher?: number;
}

/** Of a timeline whose events have all names of the page. */
export const NOTHING_LACKS: PageTimeline['lacks'] = { kernel: [], op: [], category: [], layer: [], range: [] };

export const LANES: readonly Lane[] = [
  { kind: 'host', name: 'thread 1', group: 'process 7', depth: 2 },
  { kind: 'device', name: 'stream 7', group: 'device 0', depth: 1 },
  { kind: 'device', name: 'stream 9', group: 'device 0', depth: 1 },
];

/** @param events in order of start time */
export function timelineOf(events: readonly FixtureEvent[], lanes: readonly Lane[] = LANES, origin = 1000): Timeline {
  const texts = [''];
  const numbers = new Map([['', 0]]);
  const number = (text = ''): number => {
    const known = numbers.get(text);
    if (known !== undefined) return known;
    numbers.set(text, texts.length);
    return texts.push(text) - 1;
  };
  const column = (type: PackedColumn['type'], value: (given: FixtureEvent) => number): PackedColumn =>
    packed(type, events.map(value));
  const lists: (readonly KernelFact[])[] = [[]];
  const columns: Record<TimelineColumn, PackedColumn> = {
    start: column('f64', ({ start }) => start),
    dur: column('f64', ({ dur }) => dur),
    lane: column('u16', ({ lane }) => lane),
    depth: column('u8', ({ depth }) => depth ?? 0),
    kind: column('u8', ({ kind }) => EVENT_KINDS.indexOf(kind ?? 'kernel')),
    name: column('u32', ({ name }) => number(name)),
    op: column('u32', ({ op }) => number(op)),
    layer: column('u32', ({ layer }) => number(layer)),
    category: column('u16', ({ category }) => number(category)),
    dtype: column('u16', ({ dtype }) => number(dtype)),
    tc: column('u16', ({ tc }) => number(tc)),
    operands: column('u32', ({ operands }) => number(operands)),
    queue: column('u32', ({ queue }) => number(queue)),
    pc: column('f64', ({ pc }) => pc ?? -1),
    id: column('u32', ({ id }) => id ?? 0),
    flops: column('f64', ({ flops }) => flops ?? -1),
    bytes: column('f64', ({ bytes }) => bytes ?? -1),
    facts: column('u32', ({ facts }) => (facts === undefined ? 0 : lists.push(facts) - 1)),
    seq: column('f64', ({ seq }) => seq ?? -1),
    dir: column('u8', ({ dir }) => DIRECTIONS.indexOf(dir ?? null)),
    gap: column('u8', () => 0),
    step: column('u32', ({ step }) => (step ?? -1) + 1),
    corr: column('u32', ({ corr }) => (corr ?? -1) + 1),
  };
  const pairs = events.flatMap(({ launcher }, event) => (launcher === undefined ? [] : [launcher, event]));
  const end = events.reduce((last, { start, dur }) => Math.max(last, start + dur), 0);
  return {
    what: 'step 5',
    start: origin,
    end: origin + end,
    texts,
    lanes,
    events: events.length,
    merged: null,
    columns,
    arrows: packed('u32', pairs),
    dependencies: { later: packed('u32', []), earlier: packed('u32', []), what: packed('u32', []) },
    facts: packedFacts(lists),
    tracks: { list: [], leftOut: 0, zero: 0 },
    marks: { list: [], leftOut: 0 },
    shortNames: packed('u32', []),
  };
}

const flatFacts = (lists: readonly (readonly KernelFact[])[]): FactLists => {
  const texts = lists.flat(2);
  const ends = lists.map((_, list) => 2 * lists.slice(0, list + 1).flat().length);
  return { texts, pairs: Uint32Array.from(texts.keys()), ends: Uint32Array.from(ends) };
};

function packedFacts(lists: readonly (readonly KernelFact[])[]): PackedFacts {
  const { texts, pairs, ends } = flatFacts(lists);
  return { texts, pairs: packed('u32', [...pairs]), ends: packed('u32', [...ends]) };
}

/** The same without packing. */
export function eventsOf(
  given: readonly FixtureEvent[],
  lanes: readonly Lane[] = LANES,
  origin = 1000,
): TimelineEvents {
  const timeline = timelineOf(given, lanes, origin);
  const { texts, end, start } = timeline;
  const lists: (readonly KernelFact[])[] = [[]];
  const text = (column: TextColumn): Uint32Array => Uint32Array.from(given, (one) => texts.indexOf(one[column] ?? ''));
  return {
    count: given.length,
    span: Math.max(1, end - start),
    origin,
    coverage: coverageOf(timeline),
    lanes,
    texts,
    start: Float64Array.from(given, (one) => one.start),
    dur: Float64Array.from(given, (one) => one.dur),
    lane: Uint32Array.from(given, (one) => one.lane),
    depth: Uint32Array.from(given, (one) => one.depth ?? 0),
    kind: Uint8Array.from(given, (one) => EVENT_KINDS.indexOf(one.kind ?? 'kernel')),
    text: byColumn(TEXT_COLUMNS, text),
    pc: Float64Array.from(given, (one) => one.pc ?? -1),
    id: Float64Array.from(given, (one) => one.id ?? 0),
    flops: Float64Array.from(given, (one) => one.flops ?? -1),
    bytes: Float64Array.from(given, (one) => one.bytes ?? -1),
    factList: Uint32Array.from(given, ({ facts }) => (facts === undefined ? 0 : lists.push(facts) - 1)),
    facts: flatFacts(lists),
    seq: Float64Array.from(given, (one) => one.seq ?? -1),
    dir: Uint8Array.from(given, (one) => DIRECTIONS.indexOf(one.dir ?? null)),
    gap: new Uint8Array(given.length),
    step: Float64Array.from(given, (one) => one.step ?? -1),
    corr: Float64Array.from(given, (one) => one.corr ?? -1),
    shortNames: new Map(),
    arrows: arrowsOf(
      given.flatMap(({ launcher }, event) => (launcher === undefined ? [] : [launcher, event])),
      given.length,
    ),
    dependencies: { later: [], earlier: [], what: [] },
    merged: null,
    ranks: null,
  };
}

/** Numbers from 0 to 1 that are the same for the same seed: mulberry32, public domain. */
function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const OPS = [
  'linear',
  'conv2d',
  'layer_norm',
  'softmax',
  'gelu',
  'adam',
  'add',
  'dropout',
  'embedding',
  'matmul',
  'copy_',
  'cat',
];

/**
 * A timeline of a training step's form: ranges in ranges on threads, launches in them, and their kernels on streams.
 * @param count of all events, about
 */
export function generated(count: number, seed = 1): Timeline {
  const random = seeded(seed);
  const lanes: Lane[] = [
    { kind: 'host', name: 'thread 101 (main)', group: 'process 100 python', depth: 3 },
    { kind: 'host', name: 'thread 102 (autograd)', group: 'process 100 python', depth: 3 },
    ...[0, 1].flatMap((device) =>
      [7, 13, 20].map((stream) => ({
        kind: 'device' as const,
        name: `stream ${stream}`,
        group: `device ${device}`,
        depth: 1,
      })),
    ),
  ];
  const events: FixtureEvent[] = [];
  const free = lanes.map(() => 0);
  let now = 0;
  while (events.length < count) {
    const host = random() < 0.6 ? 0 : 1;
    const layer = `model/encoder.layer.${Math.floor(random() * 24)}/block`;
    const inside = 2 + Math.floor(random() * 6);
    const begin = Math.max(now, free[host] ?? 0);
    let at = begin + 500;
    const calls: FixtureEvent[] = [];
    for (let i = 0; i < inside; i++) {
      const op = OPS[Math.floor(random() * OPS.length)] ?? 'add';
      const dur = 1500 + Math.floor(random() * 4000);
      calls.push({ start: at, dur: dur + 2000, lane: host, depth: 1, kind: 'range', name: `aten::${op}`, op, layer });
      calls.push({ start: at + 1000, dur, lane: host, depth: 2, kind: 'launch', name: 'cudaLaunchKernel', op, layer });
      at += dur + 2500;
    }
    events.push({ start: begin, dur: at - begin, lane: host, kind: 'range', name: layer, layer });
    free[host] = at + 300;
    for (const call of calls) {
      events.push(call);
      if (call.kind !== 'launch') continue;
      const launcher = events.length - 1;
      const lane = 2 + Math.floor(random() * 6);
      const start = Math.max(call.start + call.dur + 3000, free[lane] ?? 0);
      const dur = Math.floor(800 + 60_000 * random() ** 6);
      free[lane] = start + dur + Math.floor(200 + random() * 600);
      const isCopy = random() < 0.06;
      events.push({
        start,
        dur,
        lane,
        kind: isCopy ? 'copy' : 'kernel',
        name: isCopy ? 'Memcpy HtoD' : `void ${call.op ?? ''}_kernel<float, ${Math.floor(random() * 4)}>(float*, int)`,
        op: call.op ?? '',
        layer,
        dtype: random() < 0.7 ? 'bf16' : 'fp32',
        tc: call.op === 'linear' || call.op === 'matmul' ? 'yes' : 'no',
        id: events.length + 1,
        bytes: dur * 900,
        ...(isCopy ? {} : { flops: dur * 20_000 }),
        launcher,
      });
    }
    now = begin + Math.floor(random() * 4000);
  }
  return timelineOf(inOrderOfStart(events), lanes, 5_000_000);
}

/** Sorted, with launchers at their new places. */
function inOrderOfStart(events: readonly FixtureEvent[]): FixtureEvent[] {
  const order = events.map((_, i) => i).sort((a, b) => (events[a]?.start ?? 0) - (events[b]?.start ?? 0) || a - b);
  const places = new Map(order.map((from, to) => [from, to]));
  return order.flatMap((from) => {
    const event = events[from];
    if (event === undefined) return [];
    const launcher = event.launcher === undefined ? undefined : places.get(event.launcher);
    return [launcher === undefined ? event : { ...event, launcher }];
  });
}
