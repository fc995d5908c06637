import { expect } from 'chai';
import { nearest } from '../../src/record/errors.js';

describe('the nearest name', () => {
  it('has letters left out, added, replaced, or two neighbours swapped', () => {
    const near: readonly (readonly [name: string, candidates: readonly string[], found: string | null])[] = [
      ['cvs', ['cols', 'csv'], 'csv'],
      ['ouput', ['output', 'input'], 'output'],
      ['formatt', ['form', 'format'], 'format'],
      ['ranj', ['rank', 'range'], 'rank'],
      ['kernle', ['kernels', 'kernel'], 'kernel'],
      ['nme', ['smem', 'api'], null],
      ['nme', ['tme', 'name'], 'name'],
      ['kernal', ['burnal', 'kernel'], 'kernel'],
      ['lyer', ['flyer', 'layer'], 'layer'],
      ['zzzzzz', ['csv', 'rank'], null],
    ];
    for (const [name, candidates, found] of near) expect(nearest(name, candidates), name).to.equal(found);
  });
});
