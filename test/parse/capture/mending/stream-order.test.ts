import { expect } from 'chai';
import fc from 'fast-check';
import { NsightDatabase } from '../../../support/nsight-database.js';
import { diagnosticsOf, kernelsOf } from '../../../support/profile-records.js';
import { propertyRuns } from '../../../support/property-runs.js';

const US = 1000;

/** Start and end in ns, and what else is not as usual. */
type Kernel = readonly [start: number, end: number, cells?: Parameters<NsightDatabase['kernel']>[2]];

function durationsOf(...kernels: readonly Kernel[]): [dur: number | null, isCut: boolean][] {
  const db = new NsightDatabase();
  kernels.forEach(([start, end, cells], n) => db.kernel({ start, end }, n + 1, cells));
  return kernelsOf(db.write()).map(({ dur, cut }) => [dur, cut === true]);
}

const MANY = Array.from({ length: 40 }, (_, n): Kernel => [n * 300 * US, n * 300 * US + 250 * US]);

describe('kernels of one stream', () => {
  it('last as recorded where they are in order, however the next begins before they end', () => {
    const kernels = fc.array(fc.record({ dur: fc.integer({ min: 1, max: 900 * US }), early: fc.integer({ min: 0, max: 900 * US }) }));
    fc.assert(
      fc.property(kernels, (list) => {
        let [start, end] = [0, 0];
        const rows = list.map(({ dur, early }): Kernel => {
          start = Math.max(start + 1, end - early);
          end = Math.max(end, start) + dur;
          return [start, end];
        });
        expect(durationsOf(...rows)).to.deep.equal(rows.map(([from, to]) => [to - from, false]));
      }),
      { numRuns: propertyRuns(20) },
    );
  }); // prettier-ignore

  it('of which one ends after the next has, last until that begins', () => {
    const overrun: Kernel = [0, 1_600_000 * US];
    const rows: Kernel[] = [overrun, [1000 * US, 1250 * US], [2000 * US, 2250 * US]];
    expect(durationsOf(...rows)).to.deep.equal([[1000 * US, true], [250 * US, false], [250 * US, false]]);
    expect(durationsOf([0, 261 * US], [100 * US, 250 * US], ...MANY.slice(1))[0]).to.deep.equal([100 * US, true]);
    expect(durationsOf([0, 260 * US], [100 * US, 250 * US], ...MANY.slice(1))[0]).to.deep.equal([260 * US, false]);
  }); // prettier-ignore

  it('of which one lasts a millisecond into the next, last until that begins', () => {
    expect(durationsOf([0, 2000 * US], [900 * US, 9000 * US])[0]).to.deep.equal([900 * US, true]);
    expect(durationsOf([0, 2000 * US], [1000 * US, 9000 * US])[0]).to.deep.equal([2000 * US, false]);
  });

  it('are those of one stream, device and process, and of no graph', () => {
    const next = [1000 * US, 1250 * US] as const;
    for (const cells of [{ streamId: 8 }, { deviceId: 1 }, { globalPid: 1n << 24n }]) {
      expect(durationsOf([0, 9000 * US], [...next, cells])[0]).to.deep.equal([9000 * US, false]);
    }
    const node = { graphNodeId: 5 };
    expect(durationsOf([0, 9000 * US, node], [...next, node])[0]).to.deep.equal([9000 * US, false]);
  });

  it('are of several where more than one in twenty overruns', () => {
    const others = MANY.slice(0, 4).map(([start, end]): Kernel => [start - 1, end + 20 * US]);
    expect(durationsOf(...MANY, ...others).filter(([, isCut]) => isCut)).to.have.lengthOf(0);
  });

  it('that are cut are counted', () => {
    const db = new NsightDatabase().kernel({ start: 0, end: 9000 * US }, 1).kernel({ start: 10, end: 20 }, 2);
    expect(diagnosticsOf(db.write())).to.include({ 'end-not-believed': 1 });
  });
});
