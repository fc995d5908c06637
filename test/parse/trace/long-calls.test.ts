/** Ranges of the host's long calls alone, for answers that say what held the host. */
import { expect } from 'chai';
import { writeFileSync } from 'node:fs';
import { readProfile } from '../../../src/parse/profile.js';
import { freshPath } from '../../support/fresh-path.js';

describe('long calls', () => {
  it('are those of half a millisecond and more, as all calls have them but for the time of their own', () => {
    const call = (name: string, ts: number, dur: number) => ({ ph: 'X', cat: 'cuda_runtime', name, pid: 1, tid: 1, ts, dur, args: { correlation: ts + 1 } }); // prettier-ignore
    const traceEvents = [
      call('cudaMalloc', 0, 499),
      call('cudaFree', 1000, 500),
      call('cudaLaunchKernel', 2000, 700),
      { ph: 'X', cat: 'kernel', name: 'k', pid: 0, tid: 7, ts: 3000, dur: 1, args: { device: 0, stream: 7 } },
    ];
    const path = freshPath('long-calls.pt.trace.json');
    writeFileSync(path, JSON.stringify({ schemaVersion: 1, traceEvents }));
    const callsOf = (ranges: true | 'long-calls' | 'without-calls') =>
      [...readProfile(path, { profile: 0, ranges })].filter((record) => record.type === 'range');
    const long = callsOf('long-calls');
    expect(long.map(({ text, dur }) => [text, dur])).to.deep.equal([['cudaFree', 500_000], ['cudaLaunchKernel', 700_000]]); // prettier-ignore
    const all = callsOf(true).filter(({ dur }) => dur >= 500_000);
    expect(long).to.deep.equal(
      all.map((one) => Object.fromEntries(Object.entries(one).filter(([key]) => key !== 'self'))),
    );
    expect(callsOf('without-calls')).to.deep.equal([]);
  });
});
