import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { amount, float, int, workOf } from '../../../support/amounts.js';
import { aten, none, t, ts, v } from '../../../support/calls.js';
import { itShared } from '../../../support/shared.js';
import type { Arg } from '../../../../src/record/record.js';

const x = t([888, 2880], 'bfloat16');
// 2557440 elements, 5114880 bytes
const index = (...shape: number[]): Arg => t(shape, 'int64');
const unspecified: Arg = { name: '', type: 'unknown' };
const list = (...value: number[]): Arg => ({ name: '', type: 'list', value });
const why = (...args: Parameters<typeof aten>): string | undefined => workOf(aten(...args))?.unknown;

describe('copies of the dispatcher', () => {
  it('read the source and write the target, each in its type', () => {
    expect(amount(aten('copy_', x, x, v(false)))).to.equal('main 0 10229760');
    expect(amount(aten('copy_', t([1, 559, 64], 'bfloat16'), t([1, 559, 64]), v(false)))).to.equal('main 0 214656'); // 35776·(2+4)
    expect(amount(aten('_copy_from', t([4]), t([3, 4], 'float16'), v(false)))).to.equal('main 0 40'); // 16 + 24
    expect(amount(aten('copy_', t([], 'int64'), t([], 'int64'), v(false)))).to.equal('main 0 16');
  });
  it('take the new type by its number', () => {
    expect(amount(aten('_to_copy', t([3, 4]), int(15), int(0), none, none, v(false), none))).to.equal('main 0 72');
    expect(amount(aten('to', t([3, 4]), none, int(4), v(false), v(false), none))).to.equal('main 0 144'); // int64
    expect(amount(aten('_to_copy', t([3, 4]), none, none, none, none, v(false), none))).to.equal('main 0 96');
    expect(amount(aten('_to_copy', t([3, 4]), unspecified))).to.equal('main 0 na');
    expect(amount(aten('to', t([3, 4]), t([1], 'float16'), v(false)))).to.equal('main 0 72');
  });
  it('pad, also by mirroring, and put gradients back', () => {
    expect(amount(aten('constant_pad_nd', x, list(0, 192), float(0)))).to.equal('main 0 10570752'); // 888·(2880 + 3072)·2
    expect(amount(aten('constant_pad_nd', x, unspecified, float(0)))).to.equal('main 0 na');
    // [8, 100] fp32 and 2 on each side: 3200 + 3328
    expect(amount(aten('reflection_pad1d', t([8, 100]), list(2, 2)))).to.equal('main 0 6528');
    expect(amount(aten('replication_pad1d_backward', t([8, 104]), t([8, 100]), list(2, 2)))).to.equal('main 832 6528');
    expect(amount(aten('reflection_pad2d', t([8, 100]), unspecified))).to.equal('main 0 na');
    expect(amount(aten('reflection_pad1d', t([8, 100]), list(-200, 0)))).to.equal('main 0 na');
  });
  it('repeat', () => {
    expect(amount(aten('repeat', t([3, 4]), list(2, 1, 1)))).to.equal('main 0 144');
    expect(amount(aten('repeat_interleave', index(5), int(12)))).to.equal('main 0 136'); // 40 + 96
    expect(amount(aten('repeat_interleave', index(5), none))).to.equal('main 0 na');
  });
  it('place gradients of slices into zeros', () => {
    expect(amount(aten('slice_backward', t([4, 8]), list(16, 8), int(0), int(0), int(4), int(1)))).to.equal(
      'main 0 640',
    );
    expect(amount(aten('slice_backward', t([4, 8]), unspecified, unspecified))).to.equal('main 0 na');
    expect(amount(aten('unfold_backward', t([7, 4]), list(10), int(0), int(4), int(1)))).to.equal('main 28 152');
    expect(amount(aten('split_with_sizes_copy', t([3, 4]), list(1, 2), int(0)))).to.equal('main 0 96');
  });
});

describe('ops that only move elements', () => {
  it('have no FLOPs whatever their arguments, and unknown bytes without any', () => {
    const moving =
      'cat copy_ clone _to_copy fill_ arange sort index gather index_copy_ slice_backward reflection_pad1d';
    for (const op of moving.split(' ')) expect(amount(aten(op)), op).to.equal('main 0 na');
    const adding = 'index_put_ scatter scatter_add_ index_add_ put_ unfold_backward reflection_pad1d_backward histc';
    for (const op of adding.split(' ')) expect(amount(aten(op)), op).to.equal(null);
    // The out tensor comes first.
    expect(amount(aten('cat', t([2048, 160, 606]), { name: '', type: 'list' }, unspecified))).to.equal('main 0 na');
    expect(why('copy_', int(1))).to.equal('the arguments of copy_ do not fit a formula');
  });
  it('are known by the dispatcher alone: other libraries have ops of the same names', () => {
    expect(amount({ ...aten('pad'), mod: 'mylib' })).to.equal(null);
    expect(amount({ mod: 'torch', op: 'cat', args: [] })).to.equal(null);
  });
});

describe('fills of the dispatcher', () => {
  it('write every element', () => {
    expect(amount(aten('fill_', t([888, 3072], 'bfloat16'), float(0)))).to.equal('main 0 5455872');
    expect(amount(aten('fill_', t([], 'float32'), int(1)))).to.equal('main 0 4');
    expect(amount(aten('zero_', t([64])))).to.equal('main 0 256');
    expect(amount(aten('ones_like', t([5], 'bfloat16'), none, none, none, v(false), int(1)))).to.equal('main 0 10');
    expect(amount(aten('zeros_like', t([5], 'bfloat16'), int(6), none, none, v(false), none))).to.equal('main 0 20');
  });
  it('have the type that an argument names by its number', () => {
    expect(amount(aten('zeros', list(3, 4), int(5), none, none, none))).to.equal('main 0 24');
    expect(amount(aten('full', list(3), float(0), none, none, none, none))).to.equal('main 0 12');
    expect(amount(aten('full', list(3), int(0), none, none, none, none))).to.equal('main 0 24');
    expect(amount(aten('new_zeros', t([1], 'float16'), list(5), none, none, none, none))).to.equal('main 0 10');
    expect(amount(aten('scalar_tensor', float(1), int(15), none, none, none))).to.equal('main 0 2');
    expect(amount(aten('zeros', list(3, 4), unspecified, unspecified, unspecified, unspecified))).to.equal('main 0 na');
    expect(amount(aten('full', unspecified, unspecified, unspecified, unspecified, unspecified, unspecified))).to.equal(
      'main 0 na',
    );
  });
  it('count a sequence, whose out tensor is not yet large enough', () => {
    expect(amount(aten('arange', int(238), int(270), int(1), index(0)))).to.equal('main 0 256');
    expect(amount(aten('arange', int(5), int(4), none, none, v(false)))).to.equal('main 0 40'); // dtype 4, not an end
    expect(amount(aten('arange', int(0), int(5), none, none, none, v(false)))).to.equal('main 0 40');
    expect(amount(aten('arange', float(0), int(1), float(0.25), int(5), none, none, none))).to.equal('main 0 8');
    expect(amount(aten('linspace', int(0), int(1), int(7), none, none, none, none))).to.equal('main 0 28');
    expect(amount(aten('eye', int(3), none, none, none, none))).to.equal('main 0 36');
    expect(amount(aten('arange', unspecified, unspecified, unspecified, index(0)))).to.equal('main 0 na');
    expect(why('arange', unspecified, unspecified, unspecified, index(0))).to.equal('its bounds are unspecified');
    expect(amount(aten('arange', int(5), int(1), int(1), index(0)))).to.equal('main 0 na');
  });
});

describe('joining by the dispatcher', () => {
  it('does not take the out tensor for a part', () => {
    const parts = ts(t([1, 1, 1024], 'bfloat16'), t([1, 5184, 1024], 'bfloat16'));
    expect(amount(aten('cat', parts, int(1)))).to.equal('main 0 21237760'); // 2·5185·1024·2
    expect(amount(aten('cat', parts, int(1), t([0], 'bfloat16')))).to.equal('main 0 21237760');
    expect(amount(aten('cat', parts, int(1), t([0], 'float32')))).to.equal('main 0 31856640'); // ·(2 + 4)
  });
  it('needs the types and the extents of its parts', () => {
    const bare = { name: '', type: 'tensor', shape: [2, 3] };
    expect(amount(aten('cat', ts(bare, bare), int(0)))).to.equal('main 0 na');
    expect(amount(aten('cat', { name: '', type: 'list' }, int(0)))).to.equal('main 0 na');
    expect(why('cat', unspecified, int(0))).to.equal('the joined tensors are unspecified');
  });
});

describe('copy_ of the kineto traces', () => {
  /** Fields of a CSV line. */
  const fields = (line: string): string[] =>
    [...line.matchAll(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g)].map(([, field = '']) => field.replace(/^"|"$/g, ''));
  const DTYPES: Readonly<Record<string, string>> = {
    float: 'float32',
    'c10::BFloat16': 'bfloat16',
    'long int': 'int64',
  };

  for (const [name, rows] of [
    ['h100_qwen', 6],
    ['mi300_resnet_training', 22],
  ] as const) {
    const file = `data/kineto/oracle/${name}.unified_perf_summary.csv`;
    itShared(`moves the bytes that TraceLens reports: ${name}`, [file], ([path = '']) => {
      const [head = '', ...lines] = readFileSync(path, 'utf8').split(/\r?\n/);
      const at = (column: string): number => fields(head).indexOf(column);
      const found = lines.map(fields).filter((row) => row[at('name')] === 'aten::copy_');
      expect(found).to.have.lengthOf(rows);
      for (const row of found) {
        const dims = JSON.parse(
          (row[at('Input Dims')] ?? '').replaceAll(',)', ')').replaceAll('(', '[').replaceAll(')', ']'),
        ) as number[][];
        const types = [...(row[at('Input type')] ?? '').matchAll(/'([^']*)'/g)].map(([, type = '']) => DTYPES[type]);
        const [target, source] = [0, 1].map((i) => t(dims[i] ?? [], types[i]));
        if (target === undefined || source === undefined) throw new Error('a row without operands');
        const mebibytes = Number(row[at('Data Moved (MB)')]);
        expect(amount(aten('copy_', target, source, v(false)))).to.equal(`main 0 ${mebibytes * 2 ** 20}`);
      }
    });
  }
});
