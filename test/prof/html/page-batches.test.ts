import { expect } from 'chai';
import { pageContentsOf } from '../../support/pages.js';
import { openedRecordsOf, recordsOf } from '../../support/profile-records.js';

const SAMPLES = [
  'samples/lenet.pt.trace.json.gz',
  'samples/transformer.nsys.sqlite',
  'samples/lenet.nvprof.sql',
  'samples/ascend_pytorch_profiler_0.db',
];

describe('the parts of a page, which take records in batches', () => {
  for (const sample of SAMPLES)
    it(`make the same page of ${sample} for batches of any size`, async () => {
      const records = await openedRecordsOf(sample, { ranges: true });
      const single = pageContentsOf(records, {}, 1);
      for (const size of [2, 7, 64, 100_000]) expect(pageContentsOf(records, {}, size)).to.deep.equal(single);
    });

  it('make the same page of several profiles, which share what a page may hold', () => {
    const one = recordsOf('samples/lenet.nvprof.sql');
    const records = [0, 1, 2, 3, 4].flatMap((profile) => one.map((record) => ({ ...record, profile })));
    const options = { events: 600 };
    const single = pageContentsOf(records, options, 1);
    expect(single.data.profiles).to.have.length(5);
    for (const size of [7, 64, 100_000]) expect(pageContentsOf(records, options, size)).to.deep.equal(single);
    // Without headers, as a net.dict of PyProf.
    const bare = records.filter(({ type }) => type !== 'profile' && type !== 'end');
    const bareSingle = pageContentsOf(bare, options, 1);
    for (const size of [7, 64, 100_000]) expect(pageContentsOf(bare, options, size)).to.deep.equal(bareSingle);
  });
});
