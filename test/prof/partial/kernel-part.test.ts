import { expect } from 'chai';
import fc from 'fast-check';
import { KernelGroups } from '../../../src/prof/by/groups.js';
import { parseGrouping } from '../../../src/prof/by/grouping.js';
import { PartialGroups } from '../../../src/prof/by/partial-groups.js';
import { requireColumn } from '../../../src/prof/columns/columns.js';
import { Comparison } from '../../../src/prof/diff/comparison.js';
import { parseCondition } from '../../../src/prof/diff/fail-if.js';
import { DEFAULTS } from '../../../src/prof/diff/verdict.js';
import type { KernelPart } from '../../../src/prof/partial/kernels/kernel-part.js';
import { KernelPartBuilder, type KernelPartBounds } from '../../../src/prof/partial/kernels/kernel-part-builder.js';
import { Annotator } from '../../../src/prof/report/report.js';
import { ReportTally } from '../../../src/prof/report/report-tally.js';
import type { KernelRecord, ProfileLine, ProfileRecord } from '../../../src/record/record.js';
import { kernel, mm } from '../../support/kernels.js';
import { propertyRuns } from '../../support/property-runs.js';

const PROFILE: ProfileRecord = {
  ...{ type: 'profile', v: 1, profile: 0, format: 'kineto', tool: null, file: 'net.json', rank: 3 },
  ...{ startUnixNs: null, dur: null },
  devices: [
    {
      ...{ id: 0, vendor: 'nvidia', name: 'NVIDIA H100', arch: 'sm90', units: 132 },
      ...{ clockHz: 1.98e9, memBytesPerS: 3.35e12, memBytes: 8e10 },
    },
  ],
};
const KEYS = 'op,layer,kernel';

function partOf(kernels: readonly KernelRecord[], bounds: KernelPartBounds = {}): KernelPart {
  const builder = new KernelPartBuilder(
    KEYS.split(',').map((key) => requireColumn(key)),
    bounds,
  );
  const annotator = new Annotator();
  const rows = [PROFILE, ...kernels].flatMap((record) => [...annotator.take(record)]);
  for (const row of [...rows, ...annotator.rest()]) builder.add(row);
  // As it comes from a file.
  return JSON.parse(JSON.stringify(builder.result({ evicted: 0, incomplete: 0 }))) as KernelPart;
}
const asRecords = (part: KernelPart): ProfileLine[] => [PROFILE, { type: 'part-kernels', profile: 0, data: part }];

/** Cells of `--by`, and what was counted. */
function groupsOf(records: readonly ProfileLine[], by: string, where?: string): unknown {
  const columns = `${by},count,total,own,share,mean,median,min,max,stddev,flops,known,bytes,peak,bw,tcshare`;
  const shared = { sort: undefined, top: undefined, depth: undefined };
  const { keys, depth, arrangement, columns: shown } = parseGrouping({ by, columns, tree: by === 'layer', ...shared });
  const groups = new KernelGroups({ keys, depth, amounts: true, arrangement });
  const tally = new ReportTally(true, true);
  const parts = new PartialGroups({ keys, where, tally, groups });
  const annotator = new Annotator();
  for (const record of records) {
    for (const row of annotator.take(record)) {
      tally.count(row);
      groups.add(row);
    }
    parts.take(record);
  }
  for (const row of annotator.rest()) {
    tally.count(row);
    groups.add(row);
  }
  const rows = [...groups.rows()].map((row) => shown.map((column) => String(column.value(row))));
  const { kernels, withoutOp, unknownFlops, abovePeak, firstAbovePeak } = tally;
  return { rows, tally: { kernels, withoutOp, unknownFlops, abovePeak, firstAbovePeak } };
}

const anyKernel = fc
  .record({
    name: fc.constantFrom('gemm', 'add', 'copy'),
    layer: fc.constantFrom([], ['net'], ['net', 'fc']),
    step: fc.option(fc.nat(3)),
    dur: fc.oneof({ weight: 20, arbitrary: fc.integer({ min: 0, max: 3000 }) }, fc.constantFrom(null, -5)),
    size: fc.nat(500),
    ps: fc.option(fc.nat(999), { freq: 1 }),
  })
  .map(({ name, size, ps, ...fields }) =>
    kernel({
      ...fields,
      ...(ps === null ? {} : { ps: [0, ps] as const }),
      short: name,
      ...(name === 'gemm' ? { op: ['mm'], mod: ['torch'], calls: [mm(size, 64, 64)] } : {}),
    }),
  );
const kernels = fc
  .array(anyKernel, { maxLength: 60 })
  .map((list) => list.map((one, i) => ({ ...one, id: i + 1, start: 10 * i })));
const many = { numRuns: propertyRuns(100) };

/** Rows of `dprof diff` against the same kernels, and what it says of the input. */
function diffOf(records: readonly ProfileLine[]): unknown {
  const conditions = ['kernel~gemm>+1%', 'total>+1%'].map(parseCondition);
  const comparison = new Comparison({
    by: ['op', 'layer'].map((key) => requireColumn(key)),
    conditions,
    settings: DEFAULTS,
  });
  for (const which of ['base', 'new'] as const) {
    for (const record of records) comparison.take(which, record);
    comparison.end(which);
  }
  const { basis, total, rows, tested, conditions: judged } = comparison.result;
  return { basis, total, rows, tested, watched: judged.map(({ row }) => row), untimed: comparison.total.new.untimed };
}

describe('kernels of a partial answer', () => {
  it('give the groups of the kernels themselves, to the last digit', () => {
    fc.assert(
      fc.property(kernels, fc.constantFrom('op', 'layer', 'kernel', 'kernel,op', 'rank,layer'), (list, by) => {
        expect(groupsOf(asRecords(partOf(list)), by)).to.deep.equal(groupsOf([PROFILE, ...list], by));
      }),
      many,
    );
  });

  it('give the comparison of the kernels themselves', () => {
    fc.assert(
      fc.property(kernels, (list) => {
        expect(diffOf(asRecords(partOf(list)))).to.deep.equal(diffOf([PROFILE, ...list]));
      }),
      many,
    );
  });

  it('of more than can be kept one by one: sums stay, the comparison too', () => {
    fc.assert(
      fc.property(kernels, (list) => {
        const part = partOf(list, { exact: 5 });
        expect(part.exact).to.equal(list.filter(({ dur }) => dur !== null && dur >= 0).length <= 5);
        expect(diffOf(asRecords(part))).to.deep.equal(diffOf([PROFILE, ...list]));
        const sums = (records: readonly ProfileLine[]): unknown =>
          (groupsOf(records, 'kernel') as { rows: string[][] }).rows.map((cells) => [
            ...cells.slice(0, 5),
            ...cells.slice(7, 9),
          ]);
        expect(sums(asRecords(part))).to.deep.equal(sums([PROFILE, ...list]));
      }),
      many,
    );
  });

  it('of too many steps: the first ones keep their sums, the others are together', () => {
    const list = Array.from({ length: 12 }, (_, i) => kernel({ id: i + 1, start: 10 * i, dur: 5 + i, step: i }));
    const part = partOf(list, { exact: 1, sums: 4 });
    expect(part).to.include({ exact: false, summedSteps: 4 });
    expect(part.groups[0]).to.deep.include({
      rest: [
        [8, 5 * 8 + 4 + 5 + 6 + 7 + 8 + 9 + 10 + 11],
        [0, 0],
      ],
    });
    expect(diffOf(asRecords(part))).to.deep.include({ basis: 'step' });
  });

  it('of too many groups: the others are one', () => {
    const list = ['a', 'b', 'c', 'a', 'd'].map((short, i) => kernel({ id: i + 1, short, start: i, dur: 1 + i }));
    const part = partOf(list, { groups: 2 });
    expect(part.others).to.equal(2);
    const { rows } = groupsOf(asRecords(part), 'kernel') as { rows: string[][] };
    expect(rows.map((cells) => cells.slice(0, 3))).to.deep.equal([
      ['[other kernels]', '2', '8'],
      ['a', '2', '5'],
      ['b', '1', '2'],
    ]);
  });

  it('are filtered by the columns that they have', () => {
    const list = ['a', 'b', 'a'].map((short, i) => kernel({ id: i + 1, short, start: i, dur: 1 + i }));
    const { rows } = groupsOf(asRecords(partOf(list)), 'op', 'kernel==a && rank==3') as { rows: string[][] };
    expect(rows.map((cells) => cells.slice(1, 3))).to.deep.equal([['2', '4']]);
    const filter = (): unknown => groupsOf(asRecords(partOf(list)), 'op', 'dir==fprop');
    expect(filter).to.throw('the dprof partial file of net.json has no dir; it has op, layer, kernel, profile, rank');
  });
});
