/** Collectives of a page: rows that add up to the summary's, rates, and the part that is exposed. */
import { expect } from 'chai';
import fc from 'fast-check';
import { TimeNotUnderCompute } from '../../../../src/prof/html/communication/collective-rows.js';
import type { KernelRecord } from '../../../../src/record/record.js';
import type { Collective } from '../../../../src/record/fields/collective.js';
import { A100, profileOn } from '../../../support/devices.js';
import { kernel } from '../../../support/kernels.js';
import { pageOf } from '../../../support/pages.js';
import { openedRecordsOf } from '../../../support/profile-records.js';
import { propertyRuns } from '../../../support/property-runs.js';
import { itEachShared } from '../../../support/shared.js';

const reduction = (bytes: number, group = 'world'): Collective => ({
  ...{ op: 'allreduce', bytesIn: bytes, bytesOut: bytes, dtype: 'float', group, groupSize: 4, ranks: null },
});

describe('collectives of a page', () => {
  it('are by name, size class and group, with the rates of the tests of NCCL', () => {
    const { collectives } = pageOf([
      profileOn(A100),
      kernel({ id: 1, start: 0, dur: 1000, collective: reduction(4096), stream: 20 }),
      kernel({ id: 2, start: 500, dur: 1000 }),
      kernel({ id: 3, start: 2000, dur: 1000, collective: reduction(5000), stream: 20 }),
      kernel({ id: 4, start: 4000, dur: 4000, collective: reduction(1 << 20, 'pair'), stream: 20 }),
    ]);
    expect(collectives.shown).to.deep.equal([
      {
        ...{ name: 'all-reduce', size: 1 << 20, group: 'pair', groupSize: 4, count: 1, time: 4000, bytes: 1 << 20 },
        ...{
          kind: 'all-reduce',
          notUnderCompute: 4000,
          algorithmBandwidth: 262_144_000_000,
          busBandwidth: 393_216_000_000,
        },
      },
      {
        ...{ name: 'all-reduce', size: 4096, group: 'world', groupSize: 4, count: 2, time: 2000, bytes: 9096 },
        ...{
          kind: 'all-reduce',
          notUnderCompute: 1500,
          algorithmBandwidth: 4_548_000_000,
          busBandwidth: 6_822_000_000,
        },
      },
    ]);
  });

  it('have no rate of one with an implausible end', () => {
    const reduce = (start: number, dur: number, cut: Partial<KernelRecord>): KernelRecord =>
      kernel({ id: start + 1, start, dur, collective: reduction(4096), ...cut });
    const of = (...list: readonly KernelRecord[]): unknown => {
      const [row] = pageOf([profileOn(A100), ...list]).collectives.shown;
      return [row?.count, row?.time, row?.bytes, row?.algorithmBandwidth];
    };
    expect(of(reduce(0, 1000, {}), reduce(2000, 9000, { cut: true }))).to.deep.equal([2, 10_000, 8192, 4.096e9]);
    expect(of(reduce(0, 9000, { cut: true }))).to.deep.equal([1, 9000, 4096, null]);
  });

  it('have the rates of those whose duration is known', () => {
    const { collectives } = pageOf([
      profileOn(A100),
      kernel({ id: 1, start: 0, dur: 1000, collective: reduction(4096), stream: 20 }),
      kernel({ id: 2, start: 2000, dur: null, collective: reduction(4096), stream: 20 }),
    ]);
    // 4,096 bytes in 1,000 ns; on the bus 2(4-1)/4 of that.
    expect(collectives.shown).to.have.length(1);
    expect(collectives.shown[0]).to.include({
      ...{
        count: 2,
        time: 1000,
        untimed: 1,
        bytes: 8192,
        algorithmBandwidth: 4_096_000_000,
        busBandwidth: 6_144_000_000,
      },
    });
  });

  it('are exposed where no moment of them is under computing', () => {
    const work = fc.record({
      gap: fc.integer({ min: 0, max: 20 }),
      dur: fc.integer({ min: 0, max: 30 }),
      isCompute: fc.boolean(),
    });
    const property = fc.property(fc.array(work, { maxLength: 40 }), (works) => {
      const alone = new TimeNotUnderCompute();
      let start = 0;
      let found = 0;
      const computed = new Set<number>();
      const communicated: number[] = [];
      for (const { gap, dur, isCompute } of works) {
        start += gap;
        if (isCompute) alone.compute(start, start + dur);
        else alone.communicate(start, start + dur, (time) => (found += time));
        for (let at = start; at < start + dur; at++) {
          if (isCompute) computed.add(at);
          else communicated.push(at);
        }
      }
      expect(found).to.equal(communicated.filter((at) => !computed.has(at)).length);
    });
    fc.assert(property, { numRuns: propertyRuns(300) });
  });

  itEachShared(
    [
      'data/kineto/b200_rank0of8.json.gz',
      'data/ascend/db_level1_rank1/ASCEND_PROFILER_OUTPUT/ascend_pytorch_profiler_1.db',
    ],
    ['data/kineto/a100_nccl_metadata.json.gz', 'data/nsys/fsdp_2proc.sqlite'],
    (name) => `add up to those of the summary in ${name.replace('data/', '')}`,
    async (path) => {
      const { overview, collectives } = pageOf(await openedRecordsOf(path));
      expect(overview.collectives).to.have.length.above(0);
      for (const { name: op, count, time, bytes } of overview.collectives) {
        const rows = collectives.shown.filter((row) => row.name === op);
        expect(rows.reduce((sum, row) => sum + row.count, 0)).to.equal(count);
        expect(rows.reduce((sum, row) => sum + (row.time ?? 0), 0)).to.be.closeTo(time ?? 0, 1);
        const known = rows.flatMap((row) => row.bytes ?? []);
        expect(known.length === 0 ? null : known.reduce((sum, one) => sum + one, 0)).to.equal(bytes);
      }
      const all = overview.devices.reduce((sum, device) => sum + device.exposed, 0);
      const alone = collectives.shown.reduce((sum, row) => sum + (row.notUnderCompute ?? 0), 0);
      // Operations that run at the same time each count.
      expect(alone).to.be.at.least(all - 1);
    },
  );
});
