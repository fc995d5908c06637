import { expect } from 'chai';
import { entryOf, mapEntries, named, dispatcherNames } from '../../src/ops/by-name.js';
import { aten, call } from '../support/calls.js';

describe('tables by op name', () => {
  const table = { ...named('mm bmm', 1), '_C.mm': 2 };

  it('have an entry for each name, that of a module first', () => {
    expect(entryOf(table, aten('bmm'))).to.equal(1);
    expect(entryOf(table, call('torch.mm'))).to.equal(1);
    expect(entryOf(table, call('_C.mm'))).to.equal(2);
    expect(entryOf(table, aten('aten::mm'))).to.equal(1);
  });
  it('have none for other names, whatever objects inherit', () => {
    expect(entryOf(table, aten('addmm'))).to.equal(undefined);
    expect(entryOf(table, aten('toString'))).to.equal(undefined);
  });
  it('are made of others', () => {
    expect(mapEntries(table, (n) => 10 * n)).to.deep.equal({ mm: 10, bmm: 10, '_C.mm': 20 });
    expect(dispatcherNames(Object.keys(table))).to.deep.equal(['aten.mm', 'aten.bmm', '_C.mm']);
  });
});
