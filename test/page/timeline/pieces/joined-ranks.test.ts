import { expect } from 'chai';
import fc from 'fast-check';
import { joinRanks, type RankEvents } from '../../../../src/page/timeline/pieces/joined-ranks.js';
import { allFacts, explainCommand } from '../../../../src/page/timeline/events/event-facts.js';
import {
  dependenciesOf,
  laneOf,
  shortNameOf,
  textOf,
  type TimelineEvents,
} from '../../../../src/page/timeline/events/events.js';
import { factsOf, sameSequence } from '../../../../src/page/timeline/events/kernel-facts.js';
import { groupsOfThreads, onAxis, rankOf } from '../../../../src/page/timeline/events/coverage.js';
import { elementAt } from '../../../../src/containers/element.js';
import { NO_EVENT } from '../../../../src/prof/html/timeline/timeline-data.js';
import { eventsOf, type FixtureEvent } from '../fixture.js';

const word = fc.option(fc.constantFrom('gemm', 'add', 'linear', 'mlp/0', 'all-reduce'), { nil: undefined });
const event = fc.record({
  gap: fc.nat(50),
  dur: fc.nat(80),
  lane: fc.nat(2),
  depth: fc.nat(2),
  ...{ name: word, op: word, layer: word, dtype: word },
  id: fc.nat(9),
  ...{ flops: fc.integer({ min: -1, max: 99 }), bytes: fc.integer({ min: -1, max: 99 }), pc: fc.integer({ min: -1, max: 9 }) }, // prettier-ignore
  seq: fc.integer({ min: -1, max: 3 }),
  dir: fc.constantFrom('fprop', 'bprop', undefined),
  ...{ step: fc.integer({ min: -1, max: 3 }), corr: fc.integer({ min: -1, max: 99 }) },
  facts: fc.option(fc.array(fc.tuple(fc.constantFrom('grid', 'bound'), fc.constantFrom('1', '2')), { maxLength: 2 }), {
    nil: undefined,
  }),
  launcher: fc.option(fc.nat(20), { nil: undefined }),
  merged: fc.nat(5),
});

const part = (at: number): fc.Arbitrary<RankEvents> =>
  fc
    .record({
      given: fc.array(event, { maxLength: 15 }),
      origin: fc.nat(5000),
      shift: fc.integer({ min: -2000, max: 2000 }),
      rate: fc.constantFrom(1, 1, 0.5, 2),
      isMerged: fc.boolean(),
      waits: fc.array(fc.tuple(fc.nat(20), fc.nat(20)), { maxLength: 5 }),
      isCut: fc.boolean(),
    })
    .map(({ given, origin, shift, rate, isMerged, waits, isCut }) => {
      let start = -20;
      const events = given.map(({ gap, launcher, facts, ...one }, i): FixtureEvent => ({
        ...one,
        start: (start += gap),
        ...(launcher === undefined || launcher >= i ? {} : { launcher }),
        ...(facts === undefined ? {} : { facts }),
      }) as FixtureEvent); // prettier-ignore
      const made = eventsOf(events, undefined, origin);
      const count = made.count;
      const pairs = waits.filter(([later]) => later < count);
      return {
        rank: { name: `rank ${at}`, profile: at, clock: { shift, rate } },
        isCut,
        events: {
          ...made,
          shortNames: new Map(made.texts.flatMap((text, number) => (text === 'gemm' ? [[number, 0] as const] : []))),
          merged: isMerged
            ? { count: Float64Array.from(given, (one) => one.merged + 1), time: Float64Array.from(given, ({ dur }) => dur / 2) }
            : null,
          dependencies: {
            later: pairs.map(([later]) => later),
            earlier: pairs.map(([, earlier]) => (earlier < count ? earlier : NO_EVENT)),
            what: pairs.map(() => 0),
          },
        },
      };
    }); // prettier-ignore

const parts = fc.integer({ min: 1, max: 5 }).chain((count) => fc.tuple(...Array.from({ length: count }, (_, at) => part(at)))); // prettier-ignore

/** All that is known of an event, in words; of other events where they are on the axis. */
function told(events: TimelineEvents, one: number, { name, clock }: Pick<RankEvents['rank'], 'name' | 'clock'>) {
  const time = (other: number): number => onAxis(clock, events.origin + elementAt(events.start, other));
  const lane = laneOf(events, one);
  const isNamed = lane?.group.startsWith(`${name} · `) === true;
  const launcher = elementAt(events.arrows.launcher, one);
  const { before, after } = dependenciesOf(events, one);
  const text = (column: Parameters<typeof textOf>[1]): string | null => textOf(events, column, one);
  return {
    ...{ rank: name, lane: lane?.name, group: isNamed ? lane.group : `${name} · ${String(lane?.group)}` },
    ...{ start: time(one), dur: events.dur[one], depth: events.depth[one], kind: events.kind[one] },
    texts: (['name', 'op', 'layer', 'category', 'dtype', 'tc', 'operands', 'queue'] as const).map(text),
    numbers: (['id', 'pc', 'flops', 'bytes', 'seq', 'dir', 'step', 'corr'] as const).map(
      (column) => events[column][one],
    ),
    short: shortNameOf(events, one),
    facts: factsOf(events.facts, elementAt(events.factList, one)),
    stands: [events.merged?.count[one] ?? 1, events.merged?.time[one] ?? events.dur[one]],
    launcher: launcher === -1 ? null : time(launcher),
    waited: [before, after].map((list) => list.map(({ event: other }) => (other === null ? null : time(other)))),
  };
}

const SAME = { shift: 0, rate: 1 };
const WIDE = { from: -1e6, to: 1e6 };
const about = (time = WIDE) => ({ time, coverage: { drawn: 'step 1', merged: null }, zero: 'rank 0' });
const indexes = ({ count }: TimelineEvents): number[] => Array.from({ length: count }, (_, i) => i);
/** By rank and place within the rank: the order of the join is another. */
const joinedTold = (joined: TimelineEvents, count: number) =>
  Array.from({ length: count }, (_, rank) =>
    indexes(joined)
      .filter((one) => rankOf(joined, one)?.profile === rank)
      .map((one) => told(joined, one, { name: `rank ${rank}`, clock: SAME })),
  );

describe('ranks joined on one axis', () => {
  it('have each event of each rank once, at its time, with all that is known of it', () => {
    fc.assert(
      fc.property(parts, (given) => {
        const joined = joinRanks(given, about());
        const expected = given.map(({ events, rank }) => indexes(events).map((one) => told(events, one, rank)));
        expect(joinedTold(joined, given.length)).to.deep.equal(expected);
      }),
    );
  });

  it('are in order of start time', () => {
    fc.assert(
      fc.property(parts, (given) => {
        const { start } = joinRanks(given, about());
        expect([...start]).to.deep.equal([...start].sort((a, b) => a - b));
      }),
    );
  });

  it('are cut to the time where that is said', () => {
    fc.assert(
      fc.property(parts, fc.nat(3000), fc.integer({ min: 1, max: 3000 }), (given, from, width) => {
        const time = { from, to: from + width };
        const joined = joinRanks(given, about(time));
        const isInside = ({ events, rank, isCut }: RankEvents, one: number): boolean => {
          const start = onAxis(rank.clock, events.origin + elementAt(events.start, one));
          const dur = elementAt(events.dur, one);
          return !isCut || (start < time.to && (start + dur > from || (dur === 0 && start >= from)));
        };
        const taken = given.map((one) => indexes(one.events).filter((i) => isInside(one, i)).length);
        expect(joinedTold(joined, given.length).map(({ length }) => length)).to.deep.equal(taken);
        expect([joined.origin, joined.span]).to.deep.equal([from, width]);
      }),
    );
  });

  const kernel = { start: 100, dur: 50, lane: 1, name: 'gemm', id: 7, seq: 4 };
  const thread: FixtureEvent = { start: 0, dur: 10, lane: 0, kind: 'launch', name: 'launch', seq: 4 };
  const two = joinRanks(
    [0, 1].map((rank) => ({
      rank: { name: `rank ${rank}`, profile: rank, clock: { shift: 30 * rank, rate: 1 } },
      events: eventsOf([thread, kernel]),
      isCut: false,
    })),
    about({ from: 1000, to: 1200 }),
  );

  it('say of an event whose it is, and explain it by its own profile', () => {
    const [, , first, second] = indexes(two);
    const facts = new Map(allFacts(two, elementAt(indexes(two), 3)));
    expect(facts.get('rank')).to.equal('rank 1');
    expect(facts.get('start')).to.equal("1.13 us (1,130 ns) from rank 0's start");
    expect(facts.get('start in its profile')).to.equal('1.10 us (1,100 ns)');
    expect(facts.get('lane')).to.equal('rank 1 · device 0 / stream 7');
    expect([first, second].map((one) => explainCommand(two, one ?? -1, 0, 'FILE'))).to.deep.equal([
      'dprof --explain 0:7 FILE',
      'dprof --explain 1:7 FILE',
    ]);
  });

  it('share no sequence numbers', () => {
    expect(indexes(two).map((one) => sameSequence(two, one))).to.deep.equal([[2], [3], [0], [1]]);
  });

  it('have their threads collapsed at first; one rank alone has not', () => {
    expect([...groupsOfThreads(two, two.lanes)]).to.deep.equal(['rank 0 · process 7', 'rank 1 · process 7']);
    const alone = eventsOf([thread, kernel]);
    expect([...groupsOfThreads(alone, alone.lanes)]).to.deep.equal([]);
  });
});
