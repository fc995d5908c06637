/** The pieces of a timeline share its events out: none is lost, and none is where it does not run. */
import { expect } from 'chai';
import fc from 'fast-check';
import type { PageContents } from '../../../../src/prof/html/page-data.js';
import type { RangeRecord } from '../../../../src/record/record.js';
import { kernel } from '../../../support/kernels.js';
import { eventsOf, pageContentsOf, pieceOf, unpacked } from '../../../support/pages.js';

interface Work {
  readonly start: number;
  readonly dur: number;
  readonly stream: number;
  readonly step: number | null;
}

const work: fc.Arbitrary<Work> = fc.record({
  start: fc.nat(1000),
  dur: fc.nat(60),
  stream: fc.nat(2),
  step: fc.option(fc.nat(5)),
});
/** Ranges of a thread, which lie in each other or apart. */
const ranges = fc.array(fc.tuple(fc.nat(900), fc.nat(300)), { maxLength: 6 });

const rangeOf = ([start, dur]: readonly [number, number], i: number): RangeRecord => {
  const host = { pid: 1, tid: i, domain: null };
  return { type: 'range', profile: 0, start, dur, ...host, text: `r${i}` };
};

interface Made {
  readonly contents: PageContents;
  /** Name, start and end of each event. */
  readonly all: readonly (readonly [name: string, start: number, end: number])[];
}

function made(works: readonly Work[], around: readonly (readonly [number, number])[], events: number): Made {
  const inOrder = works.toSorted((a, b) => a.start - b.start);
  const kernels = inOrder.map(({ start, dur, stream, step }, i) =>
    kernel({
      ...{
        id: i + 1,
        name: `k${i}`,
        start,
        dur,
        stream,
        tid: 100 + i,
        launch: { api: `l${i}`, start: start - 7 - i, dur: 3 },
      },
      ...(step === null ? {} : { step: Math.floor(start / 170) }),
    }),
  );
  const contents = pageContentsOf([...around.map(rangeOf), ...kernels], { events });
  const all = [
    ...around.map(([start, dur], i) => [`r${i}`, start, start + dur] as const),
    ...inOrder.map(({ start, dur }, i) => [`k${i}`, start, start + dur] as const),
    ...inOrder.map(({ start }, i) => [`l${i}`, start - 7 - i, start - 4 - i] as const),
  ];
  return { contents, all };
}

const inputs = [fc.array(work, { minLength: 1, maxLength: 40 }), ranges, fc.constantFrom(5, 20, 60, 1000)] as const;

describe('pieces of a timeline', () => {
  it('have exactly the events that run in their time', () => {
    fc.assert(
      fc.property(...inputs, (works, around, events) => {
        const { contents, all } = made(works, around, events);
        const { pieces, first } = contents.data.profiles[0]?.timeline ?? expect.fail();
        expect(pieces[first]).not.to.equal(undefined);
        let held = 0;
        for (const [at, { start, end, events: count }] of pieces.entries()) {
          if (at === 0) continue;
          const piece = pieceOf(contents.parts, 0, at);
          expect(piece?.events ?? null).to.equal(count);
          if (piece === null) continue;
          held += piece.events;
          const inside = all.filter(([, from, to]) => from <= end && to >= start).map(([name]) => name);
          expect(eventsOf(piece).map(({ name }) => name).sort()).to.deep.equal(inside.sort()); // prettier-ignore
        }
        expect(held).to.be.at.most(events);
      }),
    );
  });

  it('leave out no event: each is in a piece, or in none that is held', () => {
    fc.assert(
      fc.property(...inputs, (works, around, events) => {
        const { contents, all } = made(works, around, events);
        const [whole, ...pieces] = contents.data.profiles[0]?.timeline?.pieces ?? [];
        expect(whole?.start).to.equal(all.reduce((least, [, start]) => Math.min(least, start), Infinity));
        expect(whole?.end).to.equal(all.reduce((most, [, , end]) => Math.max(most, end), -Infinity));
        if (pieces.length === 0) return;
        for (const [name, from, to] of all) {
          expect(pieces.some(({ start, end }) => from <= end && to >= start), name).to.equal(true); // prettier-ignore
        }
      }),
    );
  });

  it('of the whole profile stand for all events and their time', () => {
    fc.assert(
      fc.property(...inputs, (works, around, events) => {
        const { contents, all } = made(works, around, events);
        const whole = pieceOf(contents.parts, 0, 0) ?? expect.fail();
        const drawn = eventsOf(whole);
        const counts = whole.merged === null ? drawn.map(() => 1) : unpacked(whole.merged.count);
        const times = whole.merged === null ? drawn.map(({ dur }) => dur) : unpacked(whole.merged.time);
        const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
        expect(sum(counts)).to.equal(all.length);
        expect(sum(times)).to.be.closeTo(sum(all.map(([, start, end]) => end - start)), 1e-6);
      }),
    );
  });
});
