/** Idle time of a page: causes as the verdict has them, the longest gaps, and how long launches waited. */
import { expect } from 'chai';
import fc from 'fast-check';
import { NO_IDLE } from '../../../../src/prof/advise/idle/cause-names.js';
import type { KernelRecord, RangeRecord } from '../../../../src/record/record.js';
import { adviserOf, copy, findingsOf } from '../../../support/advice.js';
import { A100, profileOn } from '../../../support/devices.js';
import { kernel } from '../../../support/kernels.js';
import { overviewOf, overviewsOf } from '../../../support/overviews.js';
import { pageOf } from '../../../support/pages.js';
import { openedRecordsOf } from '../../../support/profile-records.js';
import { itEachShared } from '../../../support/shared.js';

const MS = 1_000_000;

/** Launched by a call that began and took so long. */
const at = (id: number, start: number, dur: number, called: number, call = 10, change: Partial<KernelRecord> = {}) =>
  kernel({ id, start, dur, launch: { api: 'cudaLaunchKernel', start: called, dur: call }, ...change });

const range = (text: string, start: number, dur: number): RangeRecord => ({
  ...{ type: 'range', kind: 'annotation', profile: 0, start, dur, pid: 10, tid: 100, domain: null, text },
});

describe('idle time of a page', () => {
  it('has the longest gaps, with what the host did in them', () => {
    const { idle, gaps } = pageOf([
      profileOn(A100),
      at(1, 0, MS, -100, 10, { step: 1, short: 'first' }),
      range('DataLoader.__next__', MS, 2.8 * MS),
      at(2, 4 * MS, MS, 4 * MS - 50, 10, { step: 2, short: 'late' }),
      at(3, 5 * MS + 500, MS, 4 * MS, 10, { step: 2, short: 'queued' }),
      at(4, 9 * MS, MS, 6.2 * MS, 2.7 * MS, { step: 2, launch: { api: 'cudaMalloc', start: 6.2 * MS, dur: 2.7 * MS } }),
    ]);
    expect(idle.causes.map(({ cause, count, time }) => [cause, count, time])).to.deep.equal([
      ['loading', 1, 3 * MS],
      ['call', 1, 3 * MS - 500],
      ['queue', 1, 500],
    ]);
    expect(gaps).to.deep.equal([
      {
        ...{
          device: 0,
          step: 2,
          isBetween: true,
          start: MS,
          time: 3 * MS,
          cause: 'loading',
          host: 'DataLoader.__next__',
        },
        ...{ before: 'first', after: 'late' },
      },
      {
        ...{
          device: 0,
          step: 2,
          isBetween: false,
          start: 6 * MS + 500,
          time: 3 * MS - 500,
          cause: 'call',
          host: 'cudaMalloc',
        },
        ...{ before: 'queued', after: 'k' },
      },
      {
        ...{ device: 0, step: 2, isBetween: false, start: 5 * MS, time: 500, cause: 'queue', host: null },
        ...{ before: 'late', after: 'queued' },
      },
    ]);
  });

  it('is that of the causes on each device, and of a step what lies between its own work', () => {
    const work = fc.record({
      ...{
        step: fc.nat({ max: 2 }),
        device: fc.nat({ max: 1 }),
        late: fc.nat({ max: 9000 }),
        dur: fc.nat({ max: 900 }),
      },
    });
    fc.assert(
      fc.property(fc.array(work, { minLength: 1, maxLength: 20 }), (works) => {
        let time = 0;
        const kernels = works.map(({ step, device, late, dur }, id) => {
          time += late + 1000;
          return at(id, time, dur, time - 500, 10, { step, device });
        });
        const { idle, gaps, stepBars } = pageOf([profileOn(A100), ...kernels]);
        for (const { cause, time: all } of idle.causes)
          expect(idle.devices.reduce((sum, { times }) => sum + times[cause], 0)).to.equal(all);
        for (const { step, device, parts } of stepBars.shown) {
          const longest = gaps
            .filter((gap) => gap.step === step && gap.device === device && !gap.isBetween)
            .reduce((sum, gap) => Math.max(sum, gap.time), 0);
          const causes = Object.keys(NO_IDLE) as (keyof typeof NO_IDLE)[];
          expect(causes.reduce((sum, cause) => sum + (parts[cause] ?? 0), 0)).to.be.at.least(longest);
        }
      }),
    );
  });

  it('gives the gaps between the pieces of a copy to its call, as the summary does', () => {
    // Two long calls of two threads copy in pieces; 0.5 ms idle before each piece, 10 us (a switch) before the last.
    const [one, other] = [MS - 1000, MS].map((start) => ({ api: 'hipMemcpyAsync', start, dur: 9 * MS }));
    const piece = (start: number, launch = one ?? null, tid = 1) =>
      copy({ kind: 'HtoD', start, dur: 0.5 * MS, launch, tid });
    const records = [
      profileOn(A100),
      at(1, MS, MS, 0),
      piece(2.5 * MS),
      piece(3.5 * MS, other, 2),
      piece(4.5 * MS),
      piece(5.01 * MS, other, 2),
    ];
    const times = Object.fromEntries(pageOf(records).idle.causes.map(({ cause, time }) => [cause, time]));
    expect(times).to.deep.equal({ call: 1.5 * MS, queue: 0.01 * MS });
    expect(overviewOf(records).devices[0]?.gaps).to.include({ host: 1.5 * MS, queue: 0.01 * MS, unknown: 0 });
  });

  it('keeps the longest gap of each step, however short', () => {
    const steps = Array.from({ length: 30 }, (_, step) => [
      at(2 * step, step * 1000, 100, step * 1000 - 10, 10, { step }),
      at(2 * step + 1, step * 1000 + 110 + step, 100, step * 1000, 10, { step }),
    ]);
    const { gaps } = pageOf([profileOn(A100), ...steps.flat()]);
    for (let step = 1; step < 30; step++) expect(gaps.some((gap) => gap.step === step)).to.equal(true);
    expect(gaps.map(({ time }) => time)).to.deep.equal(gaps.map(({ time }) => time).toSorted((a, b) => b - a));
  });

  it('says how long launched kernels waited, and behind how many', () => {
    const { launches } = pageOf([
      profileOn(A100),
      at(1, 1000, 1000, 100),
      at(2, 2000, 5, 200),
      at(3, 2005, 5, 2002, 10),
      // Of another stream: behind none.
      at(4, 2010, 50, 300, 10, { stream: 9 }),
      kernel({ id: 5, start: 3000, graph: { id: 1, node: 2 } }),
    ]).idle;
    expect(launches).to.deep.include({ kernels: 4, shorter: 2 });
    // 890, 1790, 0 (it began before its call returned), 1700.
    expect(launches?.delay).to.deep.include({ count: 4, total: 4380, min: 0, max: 1790 });
    // Behind none, one, one that had not begun, none.
    expect(launches?.queue).to.deep.include({ count: 4, total: 1, max: 1 });
  });

  /** Training in steps with collectives, inference, two devices of which some launches are missing, a graph. */
  const SAMPLED = [
    ...['data/kineto/ranks/sampled_rank-1.json.gz', 'data/kineto/h100_vit.json.gz'],
    ...['data/nsys/h100_2gpu_orphans.sqlite', 'data/nsys/cuda_graph_rtx3060.sqlite'],
    'data/neuron/trn2_fused_bf16_s512/fused_exec_2_profile_full.json',
  ];
  const OTHERS = [
    ...['data/kineto/a100_rank3of8_training.json.gz', 'data/kineto/h100_owlv2.json.gz'],
    'data/neuron/trn2_baseline_bf16_s1024/baseline_exec_2_profile_full.json.gz',
  ];
  itEachShared(
    SAMPLED,
    OTHERS,
    (name) => `adds up to the parts of the verdict in ${name.replace('data/', '')}`,
    async (path) => {
      const records = await openedRecordsOf(path, { ranges: true });
      const { idle, verdict } = pageOf(records);
      const parts = (verdict?.parts ?? []).filter(({ part }) => part === 'idle');
      const times = idle.causes.map(({ cause, time }) => [cause, time] as const);
      expect(Object.fromEntries(times)).to.deep.equal(
        Object.fromEntries(parts.map(({ cause, time }) => [cause ?? 'none', time])),
      );
      expect(adviserOf(records).verdicts[0]?.parts).to.deep.equal(verdict?.parts);
      // The summary has the cause queue too: what was launched in time is classified in a single place.
      const known = overviewsOf(records).flatMap(({ devices }) => devices.map(({ gaps }) => gaps?.queue ?? 0));
      expect(known.reduce((sum, time) => sum + time, 0)).to.be.closeTo(
        idle.causes.find(({ cause }) => cause === 'queue')?.time ?? 0,
        1,
      );
      const [found] = findingsOf('launch-gaps', records);
      const tiny = found?.evidence['kernelsShorterThanLaunch'];
      if (tiny !== undefined && found?.device !== null) expect(idle.launches?.shorter).to.be.at.least(Number(tiny));
    },
  );
});
