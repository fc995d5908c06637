import { expect } from 'chai';
import fc from 'fast-check';
import { coresOfQuota } from '../../../src/parse/files.js';
import { jobsFor } from '../../../src/cli/dparse/parse-command.js';

const MB = 1024 * 1024;
const GB = 1024 * MB;
const MACHINE = { cores: 64, memory: 256 * GB, disk: 1024 * GB };

const files = (count: number, bytes: number, isCompressed = false): Parameters<typeof jobsFor>[0] =>
  Array.from({ length: count }, () => ({ bytes, isCompressed }));

describe('how many inputs are parsed at a time', () => {
  for (const [what, inputs, machine, jobs] of [
    ['one of any size', files(1, 100 * GB), MACHINE, 1],
    ['small ones one by one', files(128, 100_000), MACHINE, 1],
    ['one for each 16 MB', files(30, 1.6 * MB), MACHINE, 3],
    ['large ones, at most eight', files(64, 100 * MB), MACHINE, 8],
    ['at most one a core', files(64, 100 * MB), { ...MACHINE, cores: 4 }, 4],
    ['as many as half of the memory has room for', files(64, 100 * MB), { ...MACHINE, memory: 3 * GB }, 3],
    ['as many as half of the temporary folder has room for', files(64, 100 * MB), { ...MACHINE, disk: 6 * GB }, 3],
    ['one where it has none', files(64, 100 * MB), { ...MACHINE, disk: 0 }, 1],
    ['those that are compressed by what they become', files(64, 100 * MB, true), { ...MACHINE, memory: 6 * GB }, 2],
    ['none', [], MACHINE, 1],
  ] as const)
    it(`${what}: ${jobs}`, () => {
      expect(jobsFor(inputs, machine)).to.equal(jobs);
    });

  it('is at least one, at most one for each input and core, and no more with less room', () => {
    const input = fc.record({ bytes: fc.nat({ max: 4 * GB }), isCompressed: fc.boolean() });
    const room = fc.nat({ max: 256 * GB });
    const machine = fc.record({ cores: fc.integer({ min: 1, max: 128 }), memory: room, disk: room });
    fc.assert(
      fc.property(fc.array(input, { maxLength: 40 }), machine, (inputs, has) => {
        const jobs = jobsFor(inputs, has);
        expect(jobs).to.be.within(1, Math.max(1, Math.min(inputs.length, has.cores)));
        expect(jobsFor(inputs, { ...has, memory: has.memory / 2 })).to.be.at.most(jobs);
        expect(jobsFor(inputs, { ...has, disk: has.disk / 2 })).to.be.at.most(jobs);
      }),
    );
  });

  it('counts the cores that a container may use', () => {
    const quotas = ['200000 100000\n', '150000 100000', 'max 100000\n', '-1\n 100000\n', '', 'text'];
    expect(quotas.map(coresOfQuota)).to.deep.equal([2, 1.5, Infinity, Infinity, Infinity, Infinity]);
  });
});
