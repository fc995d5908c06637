import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { accountFor } from '../../docs/differences/account.js';
import { readProbes, type Probe } from '../../docs/differences/probe.js';
import { DIFFERENCES, type Difference } from '../../docs/differences/table.js';
import { itShared } from '../support/shared.js';

const FILES = ['data/pyprof/probe.pyprof2.jsonl', 'data/pyprof/probe.nvidia.jsonl'];

const read = ([pyprof2 = '', nvidia = '']: readonly string[]): Probe[] =>
  readProbes(readFileSync(pyprof2, 'utf8'), readFileSync(nvidia, 'utf8'));

describe('probes of PyProf2 and NVIDIA PyProf', () => {
  itShared('are all equal to a reference, or explained by a listed difference', FILES, (paths) => {
    const account = accountFor(read(paths));
    const open = account.unaccounted.map((cell) => JSON.stringify(cell));
    expect(open.join('\n')).to.equal('');
    expect(account.probes).to.equal(282);
    const { equalToPyprof2, equalToNvidia, equalToEither, explained } = account;
    expect(equalToPyprof2 + equalToNvidia + equalToEither + explained).to.equal(282);
  });

  itShared('show every listed difference at least once', FILES, (paths) => {
    const unseen = [...accountFor(read(paths)).byDifference].filter(([, count]) => count === 0);
    expect(unseen).to.deep.equal([]);
  });

  it('have differences with ids of their own', () => {
    const ids = DIFFERENCES.map(({ id }) => id);
    expect(new Set(ids).size).to.equal(ids.length);
  });
});

describe('accounting for a probe', () => {
  // 2·128·64·256 multiply-adds; the operands and the result of 2 bytes an element
  const row = { op: 'mm', flops: 4194304, bytes: 114688, tc: '1', params: 'M=256,N=64,K=128,fp16,' };
  const mm = (pyprof2: Probe['pyprof2'], nvidia: Probe['nvidia'] = null): Probe => ({
    title: 'mm',
    call: {
      mod: 'torch',
      op: 'mm',
      args: [
        { name: '', type: 'tensor', shape: [64, 128], dtype: 'float16' },
        { name: '', type: 'tensor', shape: [128, 256], dtype: 'float16' },
      ],
    },
    kernel: { name: 'volta_h884gemm_nn', short: 'volta_h884gemm_nn', dir: 'fprop', sub: 0, grid: null, block: null },
    pyprof2,
    nvidia,
    classes: ['Mm', 'Mm'],
  });
  const difference = (expected?: Difference['expected']): Difference => ({
    ...{ id: 'x', title: '', reference: '', ours: '', why: '', cells: ['bytes'], applies: () => true },
    ...(expected === undefined ? {} : { expected }),
  });

  it('finds it equal to one reference, to the other, or to both in turn', () => {
    expect(accountFor([mm(row)], [])).to.include({ equalToPyprof2: 1, equalToNvidia: 0 });
    expect(accountFor([mm({ ...row, tc: '0' }, row)], [])).to.include({ equalToPyprof2: 0, equalToNvidia: 1 });
    expect(accountFor([mm({ ...row, tc: '0' }, { ...row, bytes: 0 })], [])).to.include({ equalToEither: 1 });
  });
  it('reports a cell that nothing covers', () => {
    const { unaccounted } = accountFor([mm({ ...row, bytes: 1 })], []);
    expect(unaccounted.map(({ cell, ours, pyprof2 }) => [cell, ours, pyprof2])).to.deep.equal([['bytes', 114688, 1]]);
  });
  it('takes a difference that applies, and counts it', () => {
    const account = accountFor([mm({ ...row, bytes: 1 })], [difference()]);
    expect(account).to.include({ explained: 1 });
    expect(account.byDifference.get('x')).to.equal(1);
  });
  it('holds a difference to the value it expects, even where a reference agrees', () => {
    const wrong = difference(() => ({ bytes: 7 }));
    expect(accountFor([mm({ ...row, bytes: 1 })], [wrong]).unaccounted).to.have.lengthOf(1);
    expect(accountFor([mm(row)], [wrong]).unaccounted).to.have.lengthOf(1);
  });
  it('asks for an expected value in every cell but op where both aborted', () => {
    const cells = accountFor([mm(null)], [difference()]).unaccounted.map(({ cell }) => cell);
    expect(cells).to.deep.equal(['flops', 'bytes', 'tc', 'params']);
  });
});
