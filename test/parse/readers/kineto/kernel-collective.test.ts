import { expect } from 'chai';
import { readCollective } from '../../../../src/parse/readers/kineto/collectives.js';
import { kernel, onlyKernel } from '../../../support/kineto-trace.js';

const ARGS = {
  'Collective name': 'allreduce',
  'In msg nelems': 1024,
  'Out msg nelems': 4096,
  'Group size': 4,
  dtype: 'BFloat16',
  'Process Group Name': '1',
  'Process Group Ranks': '[0, 1, 2, 3]',
};

const EXPECTED = {
  op: 'allreduce',
  // 2 bytes an element.
  bytesIn: 2048,
  bytesOut: 8192,
  dtype: 'bfloat16',
  group: '1',
  groupSize: 4,
  ranks: [0, 1, 2, 3],
};

describe('Kineto: collectives', () => {
  it('message, type and group', () => {
    expect(readCollective(ARGS)).to.deep.equal(EXPECTED);
    expect(onlyKernel([kernel('ncclDevKernel_AllReduce', 1, 5, ARGS)]).collective).to.deep.equal(EXPECTED);
  });

  const variations: [what: string, args: object, expected: object][] = [
    ['ranks as a list', { 'Process Group Ranks': [0, 2] }, { ranks: [0, 2] }],
    ['ranks that were cut', { 'Process Group Ranks': '[0, 1, ...]' }, { ranks: null }],
    ['no ranks', { 'Process Group Ranks': '[]' }, { ranks: null }],
    ['invalid ranks', { 'Process Group Ranks': ['a', -1] }, { ranks: null }],
    ['a type that nobody knows', { dtype: 'Posit16' }, { dtype: null, bytesIn: null, bytesOut: null }],
    ['an empty message', { 'In msg nelems': 0 }, { bytesIn: 0 }],
    ['no message', { 'In msg nelems': undefined, 'Out msg nelems': 'x' }, { bytesIn: null, bytesOut: null }],
    ['its number in the group', { Seq: 17 }, { ordinal: 17 }],
    ['an invalid number', { Seq: -1 }, {}],
    // The number of a message counts those of one rank alone.
    ['a message to a rank', { 'Collective name': 'send', 'Dst Rank': 3, Seq: 5 }, { op: 'send', peer: 3 }],
    ['a message from a rank', { 'Collective name': 'recv', 'Src Rank': 0, Seq: 5 }, { op: 'recv', peer: 0 }],
    ['a message to nobody', { 'Collective name': 'send', 'Src Rank': 3 }, { op: 'send' }],
    ['a rank that no message is for', { 'Dst Rank': 3 }, {}],
    [
      'the rows for each rank',
      { 'In split size': '[3, 1, 0, 2]', 'Out split size': '[1, 1, 1, 1]' },
      { splitsIn: [3, 1, 0, 2], splitsOut: [1, 1, 1, 1] },
    ],
    ['abbreviated rows', { 'In split size': '[3, 1, 0, ...]', 'Out split size': '[]' }, {}],
    ['no group', { 'Process Group Name': '', 'Group size': -1 }, { group: null, groupSize: null }],
  ];
  for (const [what, args, expected] of variations) {
    it(what, () => {
      expect(readCollective({ ...ARGS, ...args })).to.deep.equal({ ...EXPECTED, ...expected });
    });
  }

  it('without a name there is none', () => {
    for (const args of [null, 5, [], {}, { ...ARGS, 'Collective name': '' }, { 'Collective name': 5 }])
      expect(readCollective(args)).to.equal(null);
    expect(onlyKernel([kernel('k', 1, 5)])).to.not.have.property('collective');
  });
});
