/** Samples of one series, and what is left of them where they are too many. */
import { expect } from 'chai';
import fc from 'fast-check';
import { SampleCurve } from '../../../../src/prof/html/timeline/timeline-tracks.js';
import { propertyRuns } from '../../../support/property-runs.js';

/** Steps of time and values; null is unknown, `dur` undefined holds up to the next. */
const SAMPLES = fc.array(
  fc.record({
    step: fc.integer({ min: 0, max: 20 }),
    value: fc.option(fc.integer({ min: 0, max: 50 }), { freq: 8 }),
    dur: fc.option(fc.integer({ min: 0, max: 30 }), { nil: undefined, freq: 4 }),
  }),
  { minLength: 1, maxLength: 120 },
);

interface Sample {
  readonly at: number;
  readonly value: number | null;
  readonly dur: number | undefined;
}

function timed(steps: readonly { step: number; value: number | null; dur: number | undefined }[]): Sample[] {
  let now = 0;
  return steps.map(({ step, value, dur }) => ({ at: (now += step), value, dur }));
}

const curveOf = (samples: readonly Sample[], holds = true): SampleCurve => {
  const curve = new SampleCurve();
  for (const { at, value, dur } of samples) curve.add(at, value, dur);
  curve.end(holds);
  return curve;
};

/** NaN where it is unknown. */
function valueOf({ at, values }: SampleCurve, time: number): number {
  const place = at.findLastIndex((one) => one <= time);
  return values[place] ?? NaN;
}

/** The same out of the samples: the last that began, while it lasts. */
function expected(samples: readonly Sample[], time: number): number {
  const last = samples.findLast(({ at }) => at <= time);
  if (last === undefined) return NaN;
  const isOver = last.dur !== undefined && time >= last.at + last.dur;
  return isOver ? NaN : (last.value ?? NaN);
}

describe('samples of a series', () => {
  it('hold up to the next or to their end, and are unknown between', () => {
    fc.assert(
      fc.property(SAMPLES, (steps) => {
        const samples = timed(steps);
        const curve = curveOf(samples);
        const end = (samples.at(-1)?.at ?? 0) + 40;
        for (let time = -1; time < end; time++) expect(valueOf(curve, time)).to.deep.equal(expected(samples, time));
      }),
      { numRuns: propertyRuns(100) },
    );
  });

  it('keep the extremes of each slot, its last value, and gaps, reduced once or again', () => {
    const known = (values: readonly number[]): number[] => values.filter((value) => !Number.isNaN(value));
    fc.assert(
      fc.property(SAMPLES, fc.integer({ min: 4, max: 40 }), (steps, most) => {
        const samples = timed(steps);
        const [whole, reduced] = [curveOf(samples), curveOf(samples)];
        for (const bound of [most, 4]) {
          reduced.reduce(bound);
          expect(reduced.at.length).to.be.at.most(bound + 8);
          if (reduced.width === 0) continue;
          const slotOf = (at: number): number => Math.floor(at / reduced.width);
          const of = ({ at, values }: SampleCurve, slot: number): number[] =>
            values.filter((_, i) => slotOf(at[i] ?? 0) === slot);
          for (const slot of new Set(whole.at.map(slotOf))) {
            const [all, kept] = [of(whole, slot), of(reduced, slot)];
            expect(Math.max(...known(kept))).to.equal(Math.max(...known(all)));
            expect(Math.min(...known(kept))).to.equal(Math.min(...known(all)));
            expect(kept.at(-1)).to.deep.equal(all.at(-1));
            expect(kept.some(Number.isNaN)).to.equal(all.some(Number.isNaN));
          }
        }
      }),
      { numRuns: propertyRuns(100) },
    );
  });

  it('of what is measured now and then are unknown after the last', () => {
    const curve = curveOf([{ at: 5, value: 3, dur: undefined }], false);
    expect([curve.at, curve.values]).to.deep.equal([[5, 5], [3, NaN]]); // prettier-ignore
  });

  it('that are out of order are sorted', () => {
    const curve = curveOf([
      { at: 9, value: 1, dur: undefined },
      { at: 4, value: 2, dur: undefined },
    ]);
    expect(curve.at).to.deep.equal([4, 9]);
    expect(curve.values).to.deep.equal([2, 1]);
  });
});
