import { requireColumn } from '../../../src/prof/columns/columns.js';
import { expect } from 'chai';
import fc from 'fast-check';
import { AGGREGATES, DEFAULT_AGGREGATES, TREE_AGGREGATES } from '../../../src/prof/by/aggregates.js';
import { KernelGroups, MOST_GROUPS, MOST_NODES } from '../../../src/prof/by/groups.js';
import { parseGrouping } from '../../../src/prof/by/grouping.js';
import { UsageError, UserError } from '../../../src/record/errors.js';
import type { KernelRecord } from '../../../src/record/record.js';
import { groupsOf, valuesOf } from '../../support/groups.js';
import { kernel, mm } from '../../support/kernels.js';
import { annotate } from '../../support/rows.js';
import { itSlow } from '../../support/sets.js';

const rowsOf = (records: readonly KernelRecord[], text: Parameters<typeof groupsOf>[1]): unknown[][] =>
  valuesOf(groupsOf(records, text)).map((row) => Object.values(row));

const timed = (short: string, ...durs: (number | null)[]): KernelRecord[] =>
  durs.map((dur) => kernel({ short, name: short, dur }));

describe('a group', () => {
  it('has as its share that of all groups, also of those that are not shown', () => {
    const records = [...timed('a', 10, 20), ...timed('b', 60), ...timed('c', 10)];
    expect(rowsOf(records, { by: 'kernel', columns: 'kernel,count,total,share' })).to.deep.equal([
      ['b', 1, 60, 60],
      ['a', 2, 30, 30],
      ['c', 1, 10, 10],
    ]);
    expect(rowsOf(records, { by: 'kernel', columns: 'kernel,share', top: 1 })).to.deep.equal([['b', 60]]);
    expect(rowsOf(records, { by: 'kernel', columns: 'kernel,min', sort: '+min,kernel' })).to.deep.equal([
      ['a', 10],
      ['c', 10],
      ['b', 60],
    ]);
  });

  it('leaves out kernels without a duration, and counts them', () => {
    const grouped = groupsOf([...timed('a', 10, null), ...timed('b', null)], { by: 'kernel', columns: 'kernel,count' });
    expect(valuesOf(grouped)).to.deep.equal([{ kernel: 'a', count: 1 }]);
    expect(grouped.untimed).to.equal(2);
  });

  it('has rates over the time of the kernels whose amounts are known, and that time', () => {
    // 2·64·64·64 FLOPs and 3·64·64 elements of 2 bytes in 100 ns; nothing is known of the second kernel.
    const product = kernel({
      name: 'volta_sgemm_128x64_nn',
      dur: 100,
      calls: [mm(64, 64, 64)],
      mod: ['torch'],
      op: ['mm'],
    });
    const columns = 'flops,known,tflops,bytes,knownbytes,gbps,tcshare,tcknown';
    expect(rowsOf([product, kernel({ dur: 100 })], { by: 'device', columns })).to.deep.equal([
      [0, 524288, 50, 5.24288, 24576, 50, 245.76, null, 50],
    ]);
    // Rates of less than half of the time do not stand for the whole.
    expect(rowsOf([product, kernel({ dur: 300 })], { by: 'device', columns })).to.deep.equal([
      [0, 524288, 25, null, 24576, 25, null, null, 25],
    ]);
    // Of a kernel all of whose time is known not to use the matrix unit it is 0.
    expect(rowsOf([product], { by: 'device', columns: 'tcshare,tcknown' })).to.deep.equal([[0, 0, 100]]);
    expect(rowsOf([kernel({ dur: 300 })], { by: 'device', columns })).to.deep.equal([
      [0, null, 0, null, null, 0, null, null, 0],
    ]);
  });

  it('has no rate of transfers that outlast what starts them', () => {
    const start = kernel({ name: 'DMA_DIRECT2D', short: 'DMA_DIRECT2D', dur: 31, engine: 'Sync', counters: { hbmReadBytes: 262_144 } }); // prettier-ignore
    const rows = rowsOf([start], { by: 'engine', columns: 'bytes,knownbytes,gbps,bw' });
    expect(rows).to.deep.equal([['Sync', 262_144, 100, null, null]]);
  });

  it('has no share of the bandwidth where those kernels alone have one that move nothing', () => {
    const moving = { name: 'DMA_DIRECT2D', short: 'DMA_DIRECT2D', engine: 'Sync', dur: 3000 } as const;
    const records = [
      kernel({ ...moving, counters: { hbmReadBytes: 0 } }),
      kernel({ ...moving, counters: { hbmReadBytes: 1e9 } }),
    ];
    const [row] = valuesOf(groupsOf(records, { by: 'engine', columns: 'bytes,bw,peak' }));
    expect(row).to.include({ bytes: 1e9, bw: null, peak: null });
  });

  it('has shares of peaks averaged over time', () => {
    const records = [1000, 3000].map((dur) => kernel({ name: 'volta_sgemm_128x64_nn', dur, calls: [mm(256, 256, 256, 'float32')], mod: ['torch'], op: ['mm'] })); // prettier-ignore
    const [flops, time] = [2 * 2 * 256 ** 3, 4000];
    const v100 = { id: 0, vendor: 'nvidia', name: 'Tesla V100-SXM2-16GB', arch: 'sm70', units: 80, clockHz: null, memBytesPerS: null, memBytes: null } as const; // prettier-ignore
    const profile = { type: 'profile', v: 1, profile: 0, format: 'nsight', tool: null, file: 'x', rank: null, startUnixNs: null, dur: null, devices: [v100] } as const; // prettier-ignore
    const [row] = valuesOf(groupsOf([profile, ...records], { by: 'op', columns: 'op,peak' }));
    // FP32 of the vector units: 15.7 TFLOP/s.
    expect(row?.['peak']).to.be.closeTo((100 * flops) / time / 15_700, 1e-9);
  });

  it('is one for equal keys, whatever they are', () => {
    const lists = [[], ['a'], ['a', 'b'], ['a:b'], ['a']].map((layer) => kernel({ layer }));
    expect(rowsOf(lists, { by: 'layer', tree: false, columns: 'layer,count' })).to.deep.equal([
      [['a'], 2],
      [[], 1],
      [['a', 'b'], 1],
      [['a:b'], 1],
    ]);
    const scalars = [null, 7, null, 0].map((step) => kernel({ step }));
    expect(rowsOf(scalars, { by: 'step', columns: 'step,count', sort: 'step' })).to.deep.equal([
      [7, 1],
      [0, 1],
      [null, 2],
    ]);
  });

  itSlow('cannot be one of too many', () => {
    const columns = { keys: [requireColumn('idx')], depth: null, amounts: false };
    const groups = new KernelGroups({ ...columns, arrangement: { tree: false, sort: [], top: Infinity } });
    const [row] = annotate([kernel()]);
    if (row === undefined) throw new Error('no row');
    const add = (id: number): void => {
      groups.add(Object.create(row, { record: { value: { ...row.record, id } } }) as typeof row);
    };
    for (let id = 0; id < MOST_GROUPS; id++) add(id);
    add(0);
    expect(() => {
      add(MOST_GROUPS);
    }).to.throw(UserError, 'too many groups: more than 300000 after 300002 kernels');
  });

  it('cannot have keys with too much text', () => {
    // 65 strings of a MiB each.
    const records = Array.from({ length: 65 }, (_, i) => kernel({ short: `${i}${'x'.repeat(2 ** 20)}` }));
    expect(() => groupsOf(records, { by: 'kernel', columns: 'kernel,count' })).to.throw(
      UserError,
      'too many keys: their text takes more than 67108864 bytes for 64 groups after 64 kernels',
    );
  });

  it('differs for values of different kinds with the same text', () => {
    // Six values, of which two are written alike; what is no UTF-16 has no UTF-8 of its own.
    const names = ['na', '', '1', '\ud800', '\ud801', '層'];
    const records = names.flatMap((short) => [kernel({ short }), kernel({ short })]);
    expect(rowsOf(records, { by: 'kernel', columns: 'kernel,count' })).to.deep.equal(names.map((name) => [name, 2]));
    expect(rowsOf(records, { by: 'kernel,dir', columns: 'kernel,dir,count' })).to.deep.equal(
      names.map((name) => [name, 'fprop', 2]),
    );
  });
});

describe('a tree', () => {
  const layers = [['net', 'a'], ['net', 'b', 'c'], ['net'], [], ['net', 'b', 'c'], ['net', 'a']];
  const records = layers.map((layer, i) => kernel({ layer, dur: 10 ** i, short: `k${i % 2}` }));

  it('is what layers alone make, with subtotals; siblings are in order', () => {
    expect(rowsOf(records, { by: 'layer', columns: 'layer,level,count,total,own,median' })).to.deep.equal([
      [['net'], 1, 5, 110111, 100, 100],
      [['net', 'a'], 2, 2, 100001, 100001, 50000.5],
      [['net', 'b'], 2, 2, 10010, 0, 5005],
      [['net', 'b', 'c'], 3, 2, 10010, 10010, 5005],
      [[], 1, 1, 1000, 1000, 1000],
    ]);
  });

  it('is as deep as --depth; --top counts siblings', () => {
    expect(rowsOf(records, { by: 'layer', columns: 'layer,own', depth: 2, top: 1 })).to.deep.equal([
      [['net'], 100],
      [['net', 'a'], 100001],
    ]);
    expect(rowsOf(records, { by: 'layer', columns: 'layer,total', depth: 1, tree: false })).to.deep.equal([
      [['net'], 110111],
      [[], 1000],
    ]);
  });

  it('has further keys beneath the lists', () => {
    const columns = 'layer,kernel,total';
    expect(rowsOf(records, { by: 'layer,kernel', columns, depth: 1, tree: true })).to.deep.equal([
      [['net'], '*', 110111],
      [['net'], 'k1', 100010],
      [['net'], 'k0', 10101],
      [[], '*', 1000],
      [[], 'k1', 1000],
    ]);
  });

  it('shows each row by its last step, the deeper the further to the right', () => {
    const { columns, rows } = groupsOf(records, { by: 'layer,kernel', tree: true });
    const shown = rows.slice(0, 4).map((row) => columns.slice(0, 2).map((column) => column.narrow?.(row, 20)));
    expect(shown).to.deep.equal([
      ['net', ''],
      ['  a', ''],
      ['', '  k1'],
      ['', '  k0'],
    ]);
  });

  it('adds up: each row is its own time and the rows beneath it', () => {
    const layer = fc.array(fc.constantFrom('a', 'b', ''), { maxLength: 4 });
    fc.assert(
      fc.property(fc.array(fc.tuple(layer, fc.nat(1000)), { minLength: 1 }), (kernels) => {
        const { rows } = groupsOf(kernels.map(([layer, dur]) => kernel({ layer, dur })), { by: 'layer' }); // prettier-ignore
        const whole = kernels.reduce((sum, [, dur]) => sum + dur, 0);
        expect(rows.reduce((sum, { own }) => sum + own, 0)).to.equal(whole);
        rows.forEach(({ keys: [prefix], spread }) => {
          const inside = kernels.filter(([layer]) => {
            const isNone = Array.isArray(prefix) && prefix.length === 0;
            return isNone ? layer.length === 0 : JSON.stringify(layer.slice(0, (prefix as string[]).length)) === JSON.stringify(prefix); // prettier-ignore
          });
          const durs = inside.map(([, dur]) => dur);
          expect(spread).to.include({ count: durs.length, max: Math.max(...durs), min: Math.min(...durs) });
        });
      }),
    );
  });

  it('takes lists of any length', () => {
    const layer = Array.from({ length: 50_000 }, (_, i) => `l${i}`);
    expect(groupsOf([kernel({ layer }), kernel({ layer: [...layer, 'x'] })], { by: 'layer' }).rows).to.have.length(500);
  });
});

describe('a tree of many levels', () => {
  const columns = { keys: [requireColumn('layer')], depth: null, amounts: false };
  const [row] = annotate([kernel()]);
  const filled = (layers: number): KernelGroups => {
    const groups = new KernelGroups({ ...columns, arrangement: { tree: true, sort: [], top: Infinity } });
    for (let i = 0; i < layers; i++) {
      const layer = [String(i), ...Array.from({ length: 499 }, (_, level) => String(level))];
      groups.add(Object.create(row ?? null, { layer: { value: layer } }) as NonNullable<typeof row>);
    }
    return groups;
  };

  it('is a row a branch', () => {
    expect([...filled(20).rows()]).to.have.length(20 * 500);
  });

  itSlow('has no more branches than can be kept', () => {
    // 500 branches a layer; the root is none.
    expect(() => filled(MOST_NODES / 500 + 1)).to.throw(UserError, /^too many branches: more than \d+ for 3000 groups/);
  });
});

describe('what --by asks for', () => {
  const parse = (by: string, columns?: string, sort?: string) =>
    parseGrouping({ by, columns, sort, top: undefined, depth: undefined, tree: undefined });
  const keys = (...args: Parameters<typeof parse>): string => parse(...args).columns.map(({ key }) => key).join(); // prettier-ignore

  it('has its keys first, unless -c names one of them', () => {
    expect(keys('op,dir')).to.equal(`op,dir,${DEFAULT_AGGREGATES}`);
    expect(keys('layer')).to.equal(`layer,${TREE_AGGREGATES}`);
    expect(keys('op,dir', 'count')).to.equal('op,dir,count');
    expect(keys('op,dir', 'count,dir')).to.equal('count,dir');
  });

  it('has a key in place of the aggregate of its name', () => {
    expect(keys('bw', 'bw,count')).to.equal('bw,count');
    expect(rowsOf([kernel()], { by: 'peak' })[0]).to.have.length(DEFAULT_AGGREGATES.split(',').length);
  });

  it('is refused with the nearest name', () => {
    expect(() => parse('opp')).to.throw(UsageError, "unknown column 'opp'");
    expect(() => parse('op', 'totl')).to.throw(UsageError, "'totl' is neither a --by key nor a group aggregate");
    expect(() => parse('op', 'kernel')).to.throw(UsageError, 'neither a --by key');
    expect(() => parse('op', undefined, '-sil')).to.throw(UsageError, 'neither a --by key');
    expect(() => parse('op,op')).to.throw(UsageError, '--by names op twice');
    expect(() => parse(',')).to.throw(UsageError, '--by needs a column');
  });

  it('knows aggregates by keys of their own', () => {
    expect(new Set(AGGREGATES.map(({ key }) => key)).size).to.equal(AGGREGATES.length);
  });
});
