/** Slow links: groups whose transfers are known. */
import { expect } from 'chai';
import { GroupTransfers } from '../../../src/prof/ranks/slow-groups.js';
import type { OperationWaits } from '../../../src/prof/ranks/waits.js';
import { Noise } from '../../support/noise.js';
import { propertyRuns } from '../../support/property-runs.js';

/** @param us of the transfers of each group, within 1 % */
function slowOf(us: readonly number[], operations = 12, seed = 1): unknown[] {
  const noise = new Noise(seed);
  const transfers = new GroupTransfers();
  for (const [group, time] of us.entries())
    for (let n = 0; n < operations; n++) {
      const transfer = 1000 * time * (1 + 0.02 * (noise.uniform() - 0.5));
      const operation = { signature: { kind: 'all-reduce', bytes: 4096 } };
      transfers.add({ operation, transfer, parts: [0, 1] } as unknown as OperationWaits, group, null, {
        ...{ size: 2, isComplete: true, machines: 1, linkPeak: null },
      });
    }
  return transfers.slow.map(({ group, time, others }) => [group, Math.round(time / 5000) * 5, Math.round(others / 5000) * 5]); // prettier-ignore
}

describe('slow links', () => {
  it('are all named, against the groups that are not slow', () => {
    expect(slowOf([100, 150, 200])).to.deep.equal([[2, 200, 100], [1, 150, 100]]); // prettier-ignore
    expect(slowOf([100, 200, 200]).map((row) => (row as number[])[0]).sort()).to.deep.equal([1, 2]); // prettier-ignore
    expect(slowOf([100, 100, 100, 150, 100, 200, 100, 100])).to.deep.equal([[5, 200, 100], [3, 150, 100]]); // prettier-ignore
    expect(slowOf([100, 200, 180, 150, 100, 170, 160, 100]).map((row) => (row as number[])[0])).to.deep.equal([1, 2, 5, 6, 3]); // prettier-ignore
  });

  it('are none where all groups but one are alike, where two are all there are, and where all are alike', () => {
    expect(slowOf([100, 150, 150, 150, 150, 150, 150, 150])).to.deep.equal([]);
    expect(slowOf([100, 200])).to.deep.equal([]);
    for (let seed = 1; seed <= propertyRuns(50); seed++)
      expect(slowOf(new Array<number>(3 + (seed % 8)).fill(100), 4 + seed, seed)).to.deep.equal([]);
  });
});
