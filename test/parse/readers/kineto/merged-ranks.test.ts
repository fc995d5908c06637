/** Traces merged from those of several ranks: the rank is what events state, not the number of their device. */
import { expect } from 'chai';
import { RankCollector } from '../../../../src/prof/ranks/part/rank-collector.js';
import { kernel, read, type EventText } from '../../../support/kineto-trace.js';

/** Rank and device of each part. */
function partsOf(events: readonly EventText[]): unknown {
  const collector = new RankCollector();
  for (const record of read(events)) collector.take(record);
  return collector.parts.map(({ rank, device }) => [rank, device]);
}

const at = (device: number, rank: number | null, start: number): EventText =>
  kernel('k', start, start, { device, ...(rank === null ? {} : { rank }) });

describe('ranks of a merged trace', () => {
  it('are those that events state, whatever the numbers of devices', () => {
    expect(partsOf([at(0, 5, 10), at(1, 2, 20)])).to.deep.equal([[5, 0], [2, 1]]);
  });

  it('number the devices where each rank has device 0', () => {
    expect(partsOf([at(0, 0, 10), at(0, 7, 20), at(0, 7, 40)])).to.deep.equal([[0, 0], [7, 7]]);
  });

  it('are not stated by a trace of one rank, or by none', () => {
    expect(partsOf([at(0, 3, 10), at(1, 3, 20)])).to.deep.equal([[0, 0], [1, 1]]);
    expect(partsOf([at(0, null, 10), at(1, null, 20)])).to.deep.equal([[0, 0], [1, 1]]);
  });
}); // prettier-ignore
