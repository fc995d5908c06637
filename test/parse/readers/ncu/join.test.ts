import { expect } from 'chai';
import { CounterJoin } from '../../../../src/parse/readers/ncu/ncu.js';
import type { NcuLaunch } from '../../../../src/parse/readers/ncu/launches.js';
import { Diagnostics } from '../../../../src/record/diagnostics.js';
import type { ProfileLine } from '../../../../src/record/record.js';
import { kernel } from '../../../support/kernels.js';

const launch = (name: string, value: number, grid: NcuLaunch['grid'] = [1, 1, 1]): NcuLaunch => ({
  ...{ name, grid, block: [32, 1, 1], device: 0, stream: 7, pid: 1, capability: '8.0' },
  counters: { n: value },
});
const timed = (name: string, grid: [number, number, number] = [1, 1, 1]): ProfileLine =>
  kernel({ name, short: name.replace(/^void |[<(].*$/g, ''), grid, block: [32, 1, 1] });

const end: ProfileLine = { type: 'end', profile: 0, counts: {}, diagnostics: { 'bad-row': 1 } };

function joined(launches: readonly NcuLaunch[], records: readonly ProfileLine[]): unknown[] {
  const join = new CounterJoin(launches, new Diagnostics());
  return records.map((record) => {
    const taken = join.take(record);
    return taken.type === 'kernel' ? (taken.counters?.['n'] ?? null) : taken.type === 'end' ? taken.diagnostics : null;
  });
}

describe('counters of a kernel in a report of Nsight Compute', () => {
  it('go to the nth launch of their name, grid and block', () => {
    const launches = [launch('a', 1), launch('b', 2), launch('a', 3), launch('a', 4, [2, 1, 1])];
    expect(joined(launches, [timed('a'), timed('a', [2, 1, 1]), timed('a'), timed('b'), end])).to.deep.equal([
      ...[1, 4, 3, 2, { 'bad-row': 1 }],
    ]);
  });

  it('are left over on either side, and counted', () => {
    expect(joined([launch('a', 1), launch('c', 2)], [timed('a'), timed('a'), timed('b'), end])).to.deep.equal([
      ...[1, null, null],
      { 'bad-row': 1, 'kernel-without-counters': 2, 'counters-without-kernel': 1 },
    ]);
  });

  it('go by the whole name where the report has it, whatever the demangler writes in front of values', () => {
    const names = ['void f<(int)1, float>(float *)', 'void f<(int)2, float>(float *)'];
    const launches = [launch('void f<2, float>(float*)', 2), launch('void f<1, float>(float*)', 1)];
    expect(
      joined(
        launches,
        names.map((name) => timed(name)),
      ),
    ).to.deep.equal([1, 2]);
  });

  it('are added to those that a kernel has', () => {
    const taken = new CounterJoin([launch('a', 1)], new Diagnostics()).take({
      ...timed('a'),
      counters: { m: 5 },
    } as ProfileLine);
    expect(taken).to.deep.include({ counters: { m: 5, n: 1 } });
  });
});
