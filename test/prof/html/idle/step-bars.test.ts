/** Bars of steps: parts that add up to each span, and equal to what `dprof steps` says. */
import { expect } from 'chai';
import fc from 'fast-check';
import type { PageProfile } from '../../../../src/prof/html/page-data.js';
import type { StepBar } from '../../../../src/prof/html/idle/idle-data.js';
import { Steps } from '../../../../src/prof/steps/steps.js';
import { STEP_METRIC, type ProfileLine, type RangeRecord, type SampleRecord } from '../../../../src/record/record.js';
import { copy } from '../../../support/advice.js';
import { A100, profileOn } from '../../../support/devices.js';
import { kernel } from '../../../support/kernels.js';
import { pageOf } from '../../../support/pages.js';
import { openedRecordsOf } from '../../../support/profile-records.js';
import { propertyRuns } from '../../../support/property-runs.js';
import { itEachShared } from '../../../support/shared.js';

const step = (value: number, start: number, dur: number): SampleRecord => ({
  ...{ type: 'sample', profile: 0, metric: STEP_METRIC, value, unit: 'count', start, dur, device: null },
});

const range = (text: string, start: number, dur: number, kind: RangeRecord['kind'] = 'op'): RangeRecord => ({
  ...{ type: 'range', profile: 0, kind, start, dur, pid: 10, tid: 100, domain: null, text },
});

const nccl = { name: 'ncclDevKernel_AllReduce_Sum_f32_RING_LL', short: 'ncclDevKernel_AllReduce', stream: 20 };

const sumOf = ({ parts }: StepBar): number => Object.values(parts).reduce((sum, part) => sum + part, 0);

/** The bars of a page beside the rows of `dprof steps`. */
function compared(records: readonly ProfileLine[]) {
  const page = pageOf(records);
  const steps = new Steps();
  for (const record of records) if (steps.types.has(record.type)) steps.take(record);
  const [profile] = steps.profiles;
  const rows = (profile?.rows ?? []).filter((row) => typeof row.step === 'number' && row.device !== null);
  return { page, rows };
}

function expectEqual({ page, rows }: ReturnType<typeof compared>): void {
  const { shown } = page.stepBars;
  for (const bar of shown) {
    const row = rows.find((one) => one.step === bar.step && one.device === bar.device);
    if (row === undefined) throw new Error(`no row of step ${bar.step}`);
    const { times } = row;
    const { compute = 0, communication = 0, copies = 0 } = bar.parts;
    expect(sumOf(bar)).to.be.closeTo(bar.span, 0.01);
    expect(compute).to.be.closeTo(times.computing, 0.01);
    expect(communication).to.be.closeTo(times.exposed, 0.01);
    expect(compute + communication + copies).to.be.closeTo(times.busy, 0.01);
    for (const part of ['compute', 'communication', 'copies'] as const) {
      const listed = (bar.works ?? []).filter(([at]) => page.stepBars.works[at]?.part === part);
      expect(listed.reduce((sum, [, time]) => sum + time, 0)).to.be.at.most((bar.parts[part] ?? 0) + 0.01);
    }
    // Idle time by cause; what remains of the span is work of other steps.
    if (times.idle !== null) expect(bar.span - times.busy - (bar.parts.other ?? 0)).to.be.closeTo(times.idle, 0.01);
    expect(bar.host.iteration).to.equal(row.iteration);
    expect(bar.host.preparing).to.equal(row.preparing);
  }
}

const bar = ({ stepBars }: PageProfile, number: number): StepBar => {
  const found = stepBars.shown.find((one) => one.step === number);
  if (found === undefined) throw new Error(`no step ${number}`);
  return found;
};

describe('bars of steps', () => {
  it('have idle time by cause, work of other steps, and what the host did', () => {
    const page = pageOf([
      profileOn(A100),
      step(1, 0, 10_000_000),
      range('aten::mm', 100, 400),
      range('aten::add', 200, 100),
      kernel({ start: 1000, dur: 1000, step: 1, launch: { api: 'cudaLaunchKernel', start: 500, dur: 100 } }),
      // Launched late, and of another step.
      kernel({ id: 2, start: 3000, dur: 500, step: 2, launch: { api: 'cudaLaunchKernel', start: 2900, dur: 100 } }),
      copy({ start: 3500, dur: 500, step: 1 }),
      kernel({ id: 3, start: 4000, dur: 1000, step: 1, ...nccl }),
      range('enumerate(DataLoader)', 6000, 3_000_000, 'annotation'),
      // In no step any more.
      kernel({ id: 4, start: 3_010_000, dur: 10, launch: { api: 'cudaLaunchKernel', start: 3_009_000, dur: 100 } }),
    ]);
    expect(bar(page, 1)).to.deep.equal({
      ...{ step: 1, device: 0, start: 1000, span: 4000 },
      parts: { compute: 1000, launch: 1000, other: 500, copies: 500, communication: 1000 },
      host: { iteration: 10_000_000, preparing: 1000, ops: 400, loading: 3_000_000 },
      // An op, a collective, a copy, 1000, 1000 and 500 ns.
      works: [[0, 1000], [1, 1000], [2, 500]],
    }); // prettier-ignore
    expect(bar(page, 2).parts).to.deep.equal({ compute: 500 });
  });

  it('add up to the span of the step, as dprof steps has its parts', () => {
    const work = fc.record({
      gap: fc.integer({ min: -50, max: 3000 }).map((ns) => ns * 1000),
      dur: fc.integer({ min: 0, max: 2000 }).map((ns) => ns * 500),
      kind: fc.constantFrom('kernel', 'nccl', 'copy'),
      step: fc.constantFrom(1, 1, 2, 2, 3, null),
      device: fc.constantFrom(0, 0, 0, 1),
      late: fc.integer({ min: -2000, max: 2000 }).map((ns) => ns * 1000),
    });
    const property = fc.property(fc.array(work, { maxLength: 60 }), fc.boolean(), (works, hasHost) => {
      let start = 100_000;
      const records = works.map(({ gap, dur, kind, late, ...more }, id) => {
        start = Math.max(start, start + gap);
        const launch = { api: 'cudaLaunchKernel', start: Math.min(start, start + late), dur: 10 };
        const fields = { start, dur, launch, ...more };
        if (kind === 'copy') return copy({ ...fields, kind: 'HtoD', launch: { ...launch, api: 'cudaMemcpy' } });
        return kernel({ id: id + 1, ...fields, ...(kind === 'nccl' ? nccl : {}) });
      });
      const host = hasHost ? [step(1, 0, 1e6), step(2, 1e6, 1e6), step(3, 2e6, 1e6)] : [];
      expectEqual(compared([profileOn(A100), ...host, ...records, kernel({ id: 999, start: start + 10 })]));
    });
    fc.assert(property, { numRuns: propertyRuns(200) });
  });

  itEachShared(
    ['data/kineto/h100_vit.json.gz', 'data/kineto/ranks/sampled_rank-1.json.gz'],
    ['data/kineto/a100_rank3of8_training.json.gz'],
    (name) => `add up in ${name.replace('data/', '')}`,
    async (path) => {
      const found = compared(await openedRecordsOf(path, { ranges: true }));
      expect(found.page.stepBars.shown).to.have.length.above(0);
      expectEqual(found);
    },
  );
});
