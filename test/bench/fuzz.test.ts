import { expect } from 'chai';
import { allBases, basesIn, madeBases } from '../../bench/fuzz-bases.js';
import { Fuzzer, type FuzzBase, type FuzzOutcome } from '../../bench/fuzz-run.js';
import { FuzzTally } from '../../bench/fuzz-tally.js';
import { sharedFile } from '../support/shared.js';
import { propertyRuns } from '../support/property-runs.js';

function outcomes(bases: readonly FuzzBase[], seed: number, runs: number): FuzzOutcome[] {
  const fuzzer = new Fuzzer(bases, seed);
  try {
    return Array.from({ length: runs }, (_, run) => fuzzer.run(run));
  } finally {
    fuzzer.dispose();
  }
}

/** Times are not compared: they depend on what else the machine does. */
const isBroken = ({ is, what }: FuzzOutcome): boolean => is === 'crash' && !what.startsWith('took ');

describe('damaged Neuron files', () => {
  it('give a result or an error for the user', function () {
    this.timeout(120_000);
    const all = outcomes(allBases(), 20, propertyRuns(300));
    expect(all.filter(isBroken)).to.deep.equal([]);
    for (const kind of ['ntff', 'neff']) {
      const of = all.filter((outcome) => outcome.kind === kind);
      // Damage that is always reported, or never, would test one way only.
      for (const is of ['result', 'rejection']) expect(of.filter((each) => each.is === is)).to.have.length.above(10);
    }
  });

  it('are the same for the same seed and run, whatever ran before', () => {
    const [one, other] = [new Fuzzer(madeBases(), 5), new Fuzzer(madeBases(), 5)];
    try {
      one.input(3);
      const { bytes, base } = one.input(8);
      expect(other.input(8)).to.deep.include({ bytes, base });
      expect(new Set(Array.from({ length: 20 }, (_, run) => one.input(run).bytes.toString('hex')))).to.have.length.above(15); // prettier-ignore
    } finally {
      one.dispose();
      other.dispose();
    }
  });

  it('are made of real captures where there are some, each trace with its program', () => {
    const folder = sharedFile('data/neuron');
    const bases = folder === null ? madeBases() : basesIn(folder);
    for (const { kind, program } of bases) expect(program !== null).to.equal(kind === 'ntff');
  });

  it('are counted by what came of them', () => {
    const tally = new FuzzTally();
    const run = { kind: 'ntff', base: 'a.ntff', records: 10, milliseconds: 5, grown: 0, peak: 200e6 } as const;
    tally.add({ ...run, run: 0, is: 'result', what: '' });
    tally.add({ ...run, run: 1, is: 'rejection', what: 'is broken', milliseconds: 7 });
    tally.add({ ...run, run: 2, is: 'crash', what: 'x', records: 1 });
    expect(tally.crashes).to.equal(1);
    const lines = tally.report(3).split('\n').map((line) => line.trim().split(/ {2,}/)); // prettier-ignore
    expect(lines).to.deep.include.members([
      ['runs', '3'],
      ['results', '1'],
      ['rejections', '1'],
      ['crashes', '1'],
      ['records read', '21'],
      ['longest run, ms', '7 (run 1)'],
      ['peak memory, MB', '200'],
      ['ntff: is broken', '1'],
    ]);
  });
});
