import { expect } from 'chai';
import fc from 'fast-check';
import type { Annotated } from '../../../src/prof/annotate.js';
import { KernelSums } from '../../../src/prof/summary/kernel-sums.js';
import { KernelTally, knownSum, knownWork, rated, type KernelSum } from '../../../src/prof/tally/kernel-tally.js';
import { durationOf } from '../../../src/record/fields/times.js';
import type { KernelRecord, ProfileRecord } from '../../../src/record/record.js';
import { groupsOf, valuesOf } from '../../support/groups.js';
import { kernel, mm } from '../../support/kernels.js';
import { pageDataOf } from '../../support/pages.js';
import { propertyRuns } from '../../support/property-runs.js';
import { annotate } from '../../support/rows.js';

const PROFILE: ProfileRecord = {
  ...{ type: 'profile', v: 1, profile: 0, format: 'kineto', tool: null, file: 'net.json', rank: null },
  ...{ startUnixNs: null, dur: null },
  devices: [
    {
      ...{ id: 0, vendor: 'nvidia', name: 'NVIDIA A100-SXM4-40GB', arch: 'sm80', units: 108 },
      ...{ clockHz: 1.41e9, memBytesPerS: 1.555e12, memBytes: 42e9 },
    },
  ],
};

const rowsOf = (kernels: readonly KernelRecord[]): Annotated[] => annotate([PROFILE, ...kernels]);

/** @param order of the rows, and how many tallies they are shared among before these are merged */
function tallied(rows: readonly Annotated[], order: readonly number[] = rows.map((_, i) => i), parts = 1): KernelSum {
  const apart = new KernelTally();
  for (const i of order) {
    const row = rows[i];
    if (row !== undefined) apart.add(i % parts, durationOf(row.record) ?? 0, row);
  }
  const merged = new KernelTally();
  for (let part = 0; part < parts; part++) merged.merge(1000, apart.of(part).numbers);
  return merged.of(1000);
}

const factsOf = (sum: KernelSum) => ({
  ...{ count: sum.count, time: sum.time, flops: sum.flops, bytes: sum.bytes, ratedBytes: sum.ratedBytes },
  ...{ peak: sum.peak, bandwidth: sum.bandwidth, matrixUnit: sum.matrixUnit, share: sum.matrixUnitShare },
  ...{ aboveCompute: sum.aboveCompute, aboveMemory: sum.aboveMemory },
});

const GEMM = { name: 'ampere_fp16_s16816gemm_fp16_128x64_ldg8_stages_64x3_tn', op: ['mm'], mod: ['torch'] };

const kernels = fc
  .array(
    fc.record({
      short: fc.constantFrom('gemm', 'add'),
      layer: fc.constantFrom([], ['net'], ['net', 'fc'], ['net', 'conv'], ['loss']),
      dir: fc.constantFrom('fprop', 'bprop', null),
      dur: fc.integer({ min: 1, max: 3000 }),
      ps: fc.nat(999),
      size: fc.integer({ min: 1, max: 500 }),
    }),
    { minLength: 1, maxLength: 40 },
  )
  .map((list) =>
    list.map(({ size, short, ps, ...fields }, i) =>
      kernel({
        ...{ ...fields, short, id: i + 1, start: 5000 * i, ps: [0, ps] },
        ...(short === 'gemm' ? { ...GEMM, calls: [mm(size, 64, 64)] } : {}),
      }),
    ),
  );
const many = { numRuns: propertyRuns(60) };

describe('a tally of kernels', () => {
  it('has sums over the kernels whose value is known, beside their number and time', () => {
    const gemm = { ...GEMM, short: 'gemm', calls: [mm(64, 64, 64)] };
    const sum = tallied(rowsOf([kernel({ ...gemm, dur: 100 }), kernel({ dur: 300 })]));
    // 2·64·64·64 FLOPs, and 3·64·64 elements of 2 bytes.
    expect([sum.count, sum.time]).to.deep.equal([2, 400]);
    expect(sum.flops).to.deep.equal({ kernels: 1, time: 100, sum: 524_288, share: 0.25 });
    expect(sum.bytes).to.deep.equal({ kernels: 1, time: 100, sum: 24_576, share: 0.25 });
    expect(sum.matrixUnit).to.deep.equal({ kernels: 1, time: 100, sum: 100, share: 0.25 });
    expect(sum.matrixUnitShare).to.equal(0.25);
    // A rate of a quarter of the time does not stand for the whole; one of half of it does.
    expect(rated(sum.ratedBytes)).to.equal(null);
    const half = tallied(rowsOf([kernel({ ...gemm, dur: 100 }), kernel({ dur: 100 })]));
    expect(rated(half.ratedBytes)).to.equal(245.76);
  });

  it('has the share of the time for which work is known where that is less than half', () => {
    const gemm = { ...GEMM, short: 'gemm', calls: [mm(64, 64, 64)] };
    expect(knownWork(tallied(rowsOf([kernel({ ...gemm, dur: 100 }), kernel({ dur: 300 })])))).to.deep.equal({
      ...{ flops: 524_288, bytes: 24_576, flopsKnown: 0.25, bytesKnown: 0.25 },
    });
    expect(knownWork(tallied(rowsOf([kernel({ ...gemm, dur: 100 }), kernel({ dur: 100 })])))).to.deep.equal({
      ...{ flops: 524_288, bytes: 24_576 },
    });
    expect(knownWork(tallied(rowsOf([kernel({ dur: 300 })])))).to.deep.equal({ flops: null, bytes: null });
    // No FLOPs over a quarter of the time say nothing about the rest.
    const known = { kernels: 1, time: 100, share: 0.25 };
    expect(knownSum({ ...known, sum: 0 })).to.equal(null);
    expect(knownSum({ ...known, share: 0.5, sum: 0 })).to.equal(0);
  });

  it('keeps what is not known apart from 0', () => {
    const unknown = tallied(rowsOf([kernel({ dur: 300 })]));
    expect([knownSum(unknown.flops), knownSum(unknown.bytes)]).to.deep.equal([null, null]);
    expect([rated(unknown.peak), unknown.matrixUnitShare]).to.deep.equal([null, null]);
    const nothing = new KernelTally().of(7);
    expect([nothing.count, nothing.time, knownSum(nothing.flops)]).to.deep.equal([0, 0, null]);
  });

  it('has the same sums in any order, and of parts that are merged', () => {
    const orders = kernels.chain((list) =>
      fc.tuple(fc.constant(list), fc.shuffledSubarray([...list.keys()], { minLength: list.length })),
    );
    fc.assert(
      fc.property(orders, fc.integer({ min: 1, max: 5 }), ([list, order], parts) => {
        const rows = rowsOf(list);
        expect(factsOf(tallied(rows, order, parts))).to.deep.equal(factsOf(tallied(rows)));
      }),
      many,
    );
  });

  it('gives --by, the tables and the roofline of a page and the summary the same numbers, which are those of plain sums', () => {
    fc.assert(
      fc.property(kernels, (list) => {
        const rows = rowsOf(list);
        const [page] = pageDataOf([PROFILE, ...list]).profiles;
        if (page === undefined) expect.fail('no profile');
        const all = tallied(rows);
        const time = list.reduce((sum, { dur, ps }) => sum + 1000 * (dur ?? 0) + (ps?.[1] ?? 0), 0) / 1000;
        const flops = rows.reduce((sum, row) => sum + (row.flops ?? 0), 0);
        expect([all.count, all.time, all.flops.sum]).to.deep.equal([list.length, time, flops]);
        const groups = (by: string) =>
          valuesOf(groupsOf([PROFILE, ...list], { by, columns: `${by},count,total,own,flops,bytes,tcshare` }));
        const percent = (share: number | null) => (share === null ? null : 100 * share);
        const names = page.kernels.shown.map(({ name, count, time: total, tc }) => [name, count, Math.round(total), percent(tc)]); // prettier-ignore
        expect(names).to.have.deep.members(groups('kernel').map((row) => [row['kernel'], row['count'], row['total'], row['tcshare']])); // prettier-ignore
        const layers = page.layers.shown.map(({ path, ...row }) => [path, row.count, Math.round(row.time), Math.round(row.own), row.flops, row.bytes]); // prettier-ignore
        expect(groups('layer').map((row) => [row['layer'], row['count'], row['total'], row['own'], row['flops'], row['bytes']])).to.include.deep.members(layers); // prettier-ignore
        const points = page.roofline.points.map((point) => [point.count, point.flops, point.bytes]);
        const withWork = groups('kernel,op').filter((row) => Number(row['flops']) > 0 && Number(row['bytes']) > 0);
        expect(points).to.have.deep.members(withWork.map((row) => [row['count'], row['flops'], row['bytes']]));
        const sums = new KernelSums();
        for (const row of rows) sums.add(row, durationOf(row.record));
        const summary = sums.result(10, 0);
        expect([summary?.count, summary?.time, summary?.work.flops]).to.deep.equal([list.length, time, flops]);
        expect(summary?.matrixUnit.used).to.equal(all.matrixUnit.sum);
      }),
      many,
    );
  });
});
