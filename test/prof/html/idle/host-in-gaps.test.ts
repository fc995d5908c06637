/** What the host was in, of the gaps of a page: only what fills most of a gap. */
import { expect } from 'chai';
import fc from 'fast-check';
import type { ProfileLine, RangeRecord } from '../../../../src/record/record.js';
import { A100, profileOn } from '../../../support/devices.js';
import { kernel } from '../../../support/kernels.js';
import { pageOf } from '../../../support/pages.js';
import { propertyRuns } from '../../../support/property-runs.js';

const US = 1000;
const BUSY = 50 * US;

/** A part of the host's time; numbers are parts of the gap's length, from its begin. */
interface Part {
  readonly from: number;
  readonly length: number;
}

const ofGap = fc.record({
  from: fc.double({ min: -2, max: 1.2, noNaN: true }),
  length: fc.double({ min: 0.01, max: 3, noNaN: true }),
});

const profiles = fc.record({
  /** From what counts as a launch to what does not. */
  gap: fc.integer({ min: 25, max: 3000 }).map((us) => us * US),
  call: ofGap.map(({ from, length }) => ({ from: Math.min(from, 0.99), length })),
  ranges: fc.array(fc.record({ part: ofGap, process: fc.constantFrom(10, 10, 11) }), { maxLength: 6 }),
});

const startOf = (record: ProfileLine): number => ('start' in record ? (record.start ?? 0) : -Infinity);

describe('what the host was in during a gap', () => {
  it('is the innermost call or range of the process that fills most of the gap, else unknown', () => {
    fc.assert(
      fc.property(profiles, ({ gap, call, ranges }) => {
        const spanOf = ({ from, length }: Part) => ({
          start: BUSY + Math.round(from * gap),
          dur: Math.round(length * gap),
        });
        const fills = ({ start, dur }: { start: number; dur: number }): boolean =>
          Math.min(start + dur, BUSY + gap) - Math.max(start, BUSY) > gap / 2;
        const records = ranges.map(({ part, process }, at): RangeRecord => ({
          ...{ type: 'range', kind: 'op', profile: 0, ...spanOf(part) },
          ...{ pid: process, tid: 100, domain: null, text: `aten::op${at}` },
        }));
        const launch = { api: 'cudaLaunchKernel', ...spanOf(call) };
        const work = [
          kernel({ id: 1, start: 0, dur: BUSY, launch: { api: 'cudaLaunchKernel', start: -50, dur: 10 } }),
          kernel({ id: 2, start: BUSY + gap, dur: BUSY, launch }),
        ];
        const { gaps } = pageOf([profileOn(A100), ...[...work, ...records].sort((a, b) => startOf(a) - startOf(b))]);
        const [found] = gaps;
        if (found === undefined || gaps.length > 1) throw new Error('not one gap');
        const filling = records.filter((record) => record.pid === 10 && fills(record));
        const shortest = Math.min(...filling.map(({ dur }) => dur));
        const expected = fills(launch)
          ? ['cudaLaunchKernel']
          : filling.filter(({ dur }) => dur === shortest).map(({ text }) => text);
        expect(expected.length === 0 ? [null] : expected).to.include(found.host);
      }),
      { numRuns: propertyRuns(300) },
    );
  });
});
