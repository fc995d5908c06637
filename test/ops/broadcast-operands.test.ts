/** Operands with fewer elements in memory than their extents say: views with strides of 0, overlapping windows. */
import { expect } from 'chai';
import { storedElements } from '../../src/ops/call.js';
import type { Arg } from '../../src/record/record.js';
import { amount, int } from '../support/amounts.js';
import { aten, t, ts, v } from '../support/calls.js';
import { fileOf, rowsOf } from '../support/kineto.js';
import { itShared } from '../support/shared.js';

const view = (arg: Arg, ...strides: readonly number[]): Arg => ({ ...arg, strides });

describe('operands with strides', () => {
  it('have the elements that are in memory', () => {
    const counts: [shape: number[], strides: unknown, elements: number | null][] = [
      [[15360, 4096], [1, 0], 15360],
      [[1, 5184, 1024], [5309440, 0, 1], 1024],
      [[10, 512, 7, 7], [512, 1, 0, 0], 5120],
      // Transposed, and every second row: nothing is shared.
      [[3, 5], [1, 3], 15],
      [[4, 8], [16, 1], 32],
      // Windows of 3 over 10 elements.
      [[8, 3], [1, 1], 10],
      [[], [], 1],
      [[2, 0], [0, 0], 0],
      [[2, 2], [1], null],
      [[2, 2], [1, -1], null],
      [[2, 2], 'x', null],
    ];
    for (const [shape, strides, elements] of counts)
      expect(storedElements(shape, strides), `${String(shape)} ${String(strides)}`).to.equal(elements);
  });

  it('are read once for all their repetitions', () => {
    // 5184·1024 elements of 2 bytes read and written, a row of 1024 read
    const row = view(t([1, 5184, 1024], 'bfloat16'), 5309440, 0, 1);
    expect(amount(aten('mul', t([1, 5184, 1024], 'bfloat16'), row))).to.equal('main 5308416 21235712');
    // 16·10 of 4 bytes written, 10 read
    expect(amount(aten('copy_', t([16, 10]), view(t([16, 10]), 0, 1), v(false)))).to.equal('main 0 680');
    // 888 rows of 2880 elements of 2 bytes picked and written, 888 indices of 8 bytes
    const index = view(t([888, 2880], 'int64'), 1, 0);
    expect(amount(aten('gather', t([25136, 2880], 'bfloat16'), int(0), index, v(false)))).to.equal('main 0 10236864');
    // A token of 768 for each of 4 images, 4·196 others; 4·197 of 768 elements written
    const token = view(t([4, 1, 768], 'float16'), 0, 768, 1);
    expect(amount(aten('cat', ts(token, t([4, 196, 768], 'float16')), int(1)))).to.equal('main 0 2416128');
  });

  it('make whole results', () => {
    // 64·64 of 4 bytes written, 64 read
    expect(amount(aten('neg', view(t([64, 64]), 0, 1)))).to.equal('main 4096 16640');
    expect(amount(aten('flip', view(t([64, 64]), 0, 1), v([0])))).to.equal('main 0 16640');
    expect(amount(aten('add_', t([64, 64]), view(t([64, 64]), 0, 1), int(1)))).to.equal('main 4096 33024');
  });

  const traces = [
    // [15360, 4096] picks of 2 bytes, read and written, and 15360 indices of 8 bytes
    ['graphs/sglang_prefill_paged', 2 * 15360 * 4096 * 2 + 15360 * 8],
    // [888, 2880] picks
    ['b200_rank0of8', 2 * 888 * 2880 * 2 + 888 * 8],
  ] as const;
  for (const [trace, bytes] of traces) {
    itShared(`of an embedding in a real trace: ${trace}`, [fileOf(trace)], async () => {
      const picks = (await rowsOf(trace)).filter(({ record }) => record.calls.at(-1)?.op === 'gather');
      expect(picks.map((row) => row.bytes)).to.deep.equal([bytes]);
      for (const { placement } of picks) expect(placement.memoryShare).to.be.below(100);
    });
  }
});
