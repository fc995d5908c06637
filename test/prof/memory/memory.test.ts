import Database from 'better-sqlite3';
import { expect } from 'chai';
import fc from 'fast-check';
import { readProfile } from '../../../src/parse/profile.js';
import { Allocations } from '../../../src/prof/memory/allocations.js';
import { Curve } from '../../../src/prof/memory/bounded-curve.js';
import { Memory, type MemoryReport } from '../../../src/prof/memory/memory-report.js';
import type { ProfileLine } from '../../../src/record/record.js';
import { kernel } from '../../support/kernels.js';
import { sample } from '../../support/neuron.js';
import { itShared } from '../../support/shared.js';

const reportsOf = (records: Iterable<ProfileLine>, points = 100): MemoryReport[] => {
  const memory = new Memory(points);
  for (const record of records) memory.take(record);
  return memory.reports;
};
const allocated = (start: number, value: number, component = 'PTA') =>
  sample('memory_allocated', value, { component }, { start, device: 0 });
const allocation = (op: string, start: number, value: number, dur: number | null) =>
  sample('op_memory', value, { op }, { start, dur, device: 0 });

describe('memory in use', () => {
  it('states the peak, the op that rose to it, the step, and who held it', () => {
    const launch = (start: number) => ({ api: null, start, dur: 1 });
    const [report, ...others] = reportsOf([
      allocated(0, 100),
      allocated(10, 140),
      allocation('mm', 10, 40, null),
      kernel({ start: 15, launch: launch(5), step: 3 }),
      allocated(20, 170),
      allocation('relu', 20, 30, 15),
      allocation('relu', 25, 10, 5),
      allocated(35, 180),
      allocation('add', 35, 40, 5),
      allocated(40, 140),
      kernel({ start: 60, launch: launch(50), step: 3 }),
    ]);
    expect(others).to.deep.equal([]);
    const { series, value, start, op, owners } = report?.peak ?? {};
    expect({ of: series?.of, value, start, op, step: report?.step }).to.deep.equal({
      of: 'PTA',
      value: 180,
      start: 35,
      op: 'add',
      step: 3,
    });
    // At 35 both of relu are released; 180 − (40 + 40) were there before.
    expect(owners).to.deep.equal({
      ops: [
        { name: 'add', bytes: 40, allocations: 1 },
        { name: 'mm', bytes: 40, allocations: 1 },
      ],
      categories: [
        { name: 'allocated before', bytes: 100, allocations: null },
        { name: 'released later', bytes: 40, allocations: 1 },
        { name: 'never released', bytes: 40, allocations: 1 },
      ],
    });
  });

  it('takes the highest series of the best metric, each device apart', () => {
    const reports = reportsOf([
      sample('memory_reserved', 900, { component: 'PTA' }, { device: 0 }),
      allocated(0, 10, 'GE'),
      allocated(0, 50, 'PTA+GE'),
      sample('memory_allocated', 70, { component: 'PTA' }, { device: 1 }),
      sample('hbm_bandwidth', 5000, {}, { device: 1 }),
    ]);
    expect(reports.map(({ device, peak }) => [device, peak.series.of, peak.value, peak.owners])).to.deep.equal([
      [0, 'PTA+GE', 50, null],
      [1, 'PTA', 70, null],
    ]);
    expect(reports[0]?.series.map(({ metric }) => metric)).to.deep.equal(['memory_allocated', 'memory_allocated', 'memory_reserved']); // prettier-ignore
  });

  it('lists memory by kind where it has no time', () => {
    const kind = (name: string, value: number) => sample('memory', value, { kind: name }, { start: null });
    const [report] = reportsOf([kind('IO', 8), kind('Weights', 90), kind('DRAM Spill', 0), kind('Total', 98)]);
    expect(report?.peak).to.deep.include({ value: 98, start: null, op: null });
    expect(report?.peak.owners?.categories.map(({ name, bytes }) => [name, bytes])).to.deep.equal([
      ['Weights', 90],
      ['IO', 8],
    ]);
  });

  it('ignores other records', () => {
    expect(reportsOf([kernel(), sample('throttle', 1, {}), allocation('mm', 0, 8, null)])).to.deep.equal([]);
  });
});

describe('curve of a value', () => {
  it('keeps all points that are few, and the extremes of many', () => {
    const all = fc.array(fc.tuple(fc.nat(1e6), fc.nat(1000)), { minLength: 1, maxLength: 200 });
    fc.assert(
      fc.property(all, fc.integer({ min: 4, max: 40 }), (given, most) => {
        const sorted = given.toSorted(([a], [b]) => a - b);
        const curve = new Curve(most);
        for (const [at, value] of sorted) curve.add(at, value);
        const values = curve.points.map(({ value }) => value);
        expect(values.length).to.be.at.most(most);
        if (sorted.length <= most) expect(values).to.deep.equal(sorted.map(([, value]) => value));
        const recorded = sorted.map(([, value]) => value);
        expect([Math.max(...values), Math.min(...values)]).to.deep.equal([Math.max(...recorded), Math.min(...recorded)]);
        expect(curve.peak?.value).to.equal(Math.max(...recorded));
        expect(curve.points.map(({ at }) => at)).to.deep.equal(curve.points.map(({ at }) => at).toSorted((a, b) => a - b));
      }),
    ); // prettier-ignore
  });
});

describe('allocations', () => {
  it('are released in time order, whatever the order of their start', () => {
    const one = fc.record({ bytes: fc.integer({ min: 1, max: 9 }), end: fc.option(fc.nat(50)) });
    fc.assert(
      fc.property(fc.array(one, { maxLength: 60 }), fc.nat(60), (given, time) => {
        const allocations = new Allocations();
        for (const { bytes, end } of given) allocations.add('op', bytes, end);
        allocations.releaseUntil(time);
        const held = given.filter(({ end }) => end === null || end > time);
        const bytes = held.reduce((sum, one) => sum + one.bytes, 0);
        const owners = allocations.ownersOf(allocations.holding);
        expect(owners.bytes).to.equal(bytes);
        expect(owners.ops.map((op) => op.allocations)).to.deep.equal(held.length > 0 ? [held.length] : []);
      }),
    );
  });
});

describe('memory of real profiles', () => {
  const name = 'data/ascend/db_level1_rank1/ASCEND_PROFILER_OUTPUT/ascend_pytorch_profiler_1.db';
  itShared('peaks of an Ascend database are those of MEMORY_RECORD', [name], ([path = '']) => {
    const database = new Database(path, { readonly: true });
    const sql = `select value as component, max(totalAllocated) as allocated, max(totalReserved) as reserved,
      max(totalActive) as active from MEMORY_RECORD join STRING_IDS s on s.id = component group by 1`;
    const rows = database.prepare(sql).all() as { component: string; allocated: number; reserved: number; active: number }[]; // prettier-ignore
    const [report] = reportsOf(readProfile(path, { profile: 0 }));
    const highest = (metric: string, component: string): number | undefined =>
      report?.series.find((one) => one.metric === metric && one.of === component)?.curve.peak?.value;
    for (const { component, allocated: most, reserved, active } of rows) {
      expect(highest('memory_allocated', component)).to.equal(most);
      expect(highest('memory_reserved', component)).to.equal(reserved);
      expect(highest('memory_active', component)).to.equal(active);
    }
    expect(report?.peak.value).to.equal(Math.max(...rows.map(({ allocated: most }) => most)));
    expect(report?.step).to.equal(50);
    // What is held at that time, by SQL.
    const at = `select max(timestamp) from MEMORY_RECORD where totalAllocated = (select max(totalAllocated) from MEMORY_RECORD)`;
    const first = `(${at.replace('max(timestamp)', 'min(timestamp)')})`;
    const held = database
      .prepare(`select sum(size) from OP_MEMORY where allocationTime <= ${first} and (releaseTime is null or releaseTime > ${first})`)
      .pluck()
      .get() as number; // prettier-ignore
    database.close();
    expect(report?.peak.owners?.ops.reduce((sum, { bytes }) => sum + bytes, 0)).to.equal(held);
  });
});
