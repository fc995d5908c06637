/** The busy time of steps by op, collective and copy: each moment once, so that it adds up to the parts of the step. */
import { expect } from 'chai';
import fc from 'fast-check';
import { StepWorks } from '../../../../src/prof/html/idle/step-bars.js';
import { WorkUnions } from '../../../../src/prof/steps/work-unions.js';
import { STEP_METRIC, type SampleRecord } from '../../../../src/record/record.js';
import { copy } from '../../../support/advice.js';
import { A100, profileOn } from '../../../support/devices.js';
import { kernel } from '../../../support/kernels.js';
import { pageOf } from '../../../support/pages.js';
import { propertyRuns } from '../../../support/property-runs.js';

const step = (value: number, start: number, dur: number): SampleRecord => ({
  ...{ type: 'sample', profile: 0, metric: STEP_METRIC, value, unit: 'count', start, dur, device: null },
});

const nccl = { name: 'ncclDevKernel_AllReduce_Sum_f32_RING_LL', short: 'ncclDevKernel_AllReduce', stream: 20 };
const unknown = { op: [], calls: [], name: 'x', short: 'x' };

describe('works of steps', () => {
  it('count each moment once: compute before communication before copies, the first of several', () => {
    const of = (op: string) => ({ op: [op], calls: [] });
    const { stepBars } = pageOf([
      profileOn(A100),
      step(1, 0, 10_000),
      step(2, 10_000, 10_000),
      kernel({ id: 1, step: 1, start: 0, dur: 1000, ...of('mm') }),
      // Exposed from 1000 to 2000 and from 2500 to 3000.
      kernel({ id: 2, step: 1, start: 500, dur: 2500, ...nccl }),
      kernel({ id: 3, step: 1, start: 2000, dur: 500, ...of('add') }),
      // Exposed from 3000 to 3600.
      copy({ step: 1, start: 2800, dur: 800, kind: 'HtoD' }),
      kernel({ id: 4, step: 1, start: 4000, dur: 1000, ...of('mm') }),
      // 500 of it on its own.
      kernel({ id: 5, step: 1, start: 4500, dur: 1000, stream: 8, ...of('add') }),
      // 20 of 5520, less than 0.5 %: not in the list.
      kernel({ id: 6, step: 1, start: 5500, dur: 20, ...of('neg') }),
      kernel({ id: 7, step: 2, start: 11_000, dur: 300, ...unknown }),
    ]);
    const named = stepBars.shown.map(({ works }) =>
      (works ?? []).map(([at, time]) => [stepBars.works[at]?.part, stepBars.works[at]?.name, time]),
    );
    expect(named).to.deep.equal([
      [
        ['compute', 'mm', 2000],
        ['compute', 'add', 1000],
        ['communication', 'all-reduce', 1500],
        ['copies', 'copy HtoD', 600],
      ],
      [['compute', 'x', 300]],
    ]);
    // 2000 + 1000 + 20 of compute.
    expect(stepBars.shown[0]?.parts).to.include({ compute: 3020, communication: 1500, copies: 600 });
  });

  it('are of the first 100 steps', () => {
    const steps = Array.from({ length: 101 }, (_, i) => kernel({ id: i + 1, step: i, start: 1000 * i, dur: 500 }));
    const { shown } = pageOf([profileOn(A100), ...steps]).stepBars;
    expect(shown.map(({ works }) => works === null)).to.deep.equal([...Array<boolean>(100).fill(false), true]);
  });

  it('add up to the unions of work', () => {
    const work = fc.record({
      gap: fc.integer({ min: 0, max: 30 }),
      length: fc.integer({ min: 0, max: 80 }),
      kind: fc.constantFrom('computing' as const, 'communication' as const, 'copy' as const),
      name: fc.constantFrom('a', 'b'),
      isLate: fc.boolean(),
    });
    const property = fc.property(fc.array(work, { maxLength: 200 }), (list) => {
      const [works, unions] = [new StepWorks(), new WorkUnions()];
      const late: (() => void)[] = [];
      let from = 0;
      for (const { gap, length, kind, name, isLate } of list) {
        from += 1000 * gap;
        const to = from + 1000 * length;
        unions.add(kind, from, to);
        // The ops of kernels are known later.
        const waits = isLate && kind === 'computing';
        const claim = works.add(kind, waits ? null : name, from, to);
        if (waits) late.push(() => works.settle(claim, name));
        if (late.length > 3) late.shift()?.();
      }
      for (const settle of late) settle();
      const sumOf = (part: string): number =>
        works.times.reduce((sum, one) => sum + (one.work.part === part ? 1000 * one.time : 0), 0);
      const { computing, device, busy } = unions;
      expect([sumOf('compute'), sumOf('communication'), sumOf('copies')]).to.deep.equal([
        ...[computing.total, device.total - computing.total, busy.total - device.total],
      ]);
    });
    fc.assert(property, { numRuns: propertyRuns(200) });
  });
});
