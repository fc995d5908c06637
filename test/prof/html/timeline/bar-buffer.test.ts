import { expect } from 'chai';
import fc from 'fast-check';
import { BarBuffer } from '../../../../src/prof/html/timeline/bar-buffer.js';

interface Given {
  readonly start: number;
  readonly dur: number;
  readonly lane: number;
}

function barsOf(events: readonly Given[], most: number): BarBuffer {
  const bars = new BarBuffer(most);
  for (const { start, dur, lane } of events) {
    bars.take({
      ...{ lane, isLaunch: false, start, dur },
      describe: (texts) => {
        const name = texts.numberOf(`event of ${dur}`);
        return { start, dur, lane, kind: 0, name, op: 0, layer: 0, about: null };
      },
    });
  }
  bars.reduce(most);
  return bars;
}

/** Events of a lane follow each other. */
const given = fc.array(fc.record({ gap: fc.nat(50), dur: fc.nat(40), lane: fc.nat(1) }), {
  minLength: 1,
  maxLength: 300,
});
const inOrder = (gaps: readonly { readonly gap: number; readonly dur: number; readonly lane: number }[]): Given[] => {
  const ends = [0, 0];
  const events = gaps.map(({ gap, dur, lane }) => {
    const start = (ends[lane] ?? 0) + gap;
    ends[lane] = start + dur;
    return { start, dur, lane };
  });
  return events.sort((a, b) => a.start - b.start);
};

describe('bars of a whole profile', () => {
  it('keep number, time and extent of the events of each lane, whatever is merged', () => {
    fc.assert(
      fc.property(given, fc.constantFrom(2, 5, 20, 1000), (gaps, most) => {
        const events = inOrder(gaps);
        const { buffer, counts, times } = barsOf(events, most);
        for (const lane of [0, 1]) {
          const own = events.filter((event) => event.lane === lane);
          const bars = [...buffer.column('lane').keys()].filter((bar) => buffer.column('lane')[bar] === lane);
          const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
          expect(sum(bars.map((bar) => counts[bar] ?? NaN))).to.equal(own.length);
          expect(sum(bars.map((bar) => times[bar] ?? NaN))).to.equal(sum(own.map(({ dur }) => dur)));
          for (const { start, dur } of own) {
            const isCovered = bars.some((bar) => {
              const from = buffer.column('start')[bar] ?? NaN;
              return from <= start && start + dur <= from + (buffer.column('dur')[bar] ?? NaN);
            });
            expect(isCovered).to.equal(true);
          }
        }
      }),
    );
  });

  it('are few, and have the name of the longest event', () => {
    const events = Array.from({ length: 100_000 }, (_, i) => ({ start: 10 * i, dur: i === 5000 ? 9 : 5, lane: 0 }));
    const bars = barsOf(events, 1000);
    expect(bars.buffer.rows).to.be.within(400, 1000);
    const named = [...bars.buffer.column('name')].map((name) => bars.buffer.texts.at(name));
    expect(named.filter((name) => name === 'event of 9')).to.have.length(1);
    expect(Math.max(...bars.buffer.column('dur'))).to.be.at.most(2 * bars.resolution);
  });

  it('show long events by themselves', () => {
    const short = Array.from({ length: 5000 }, (_, i) => ({ start: 10 * i, dur: 5, lane: 0 }));
    const { buffer, counts } = barsOf([{ start: 0, dur: 40_000, lane: 1 }, ...short], 100);
    const long = buffer.column('lane').indexOf(1);
    expect([buffer.column('dur')[long], counts[long]]).to.deep.equal([40_000, 1]);
  });
});
