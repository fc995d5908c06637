import { expect } from 'chai';
import { TextSamples } from '../../../../src/parse/readers/ascend/text/text-samples.js';

describe('samples of the text output', () => {
  it('have no duration where they end before they start', () => {
    const samples = new TextSamples();
    const series = { metric: 'op_memory', unit: 'bytes', labels: { op: 'mm' }, lasting: true };
    for (const [i, dur] of [-1000, 0, 5, NaN].entries()) samples.add(series, i, 8, 0, dur);
    expect([...samples.records(0, () => false)].map(({ dur }) => dur)).to.deep.equal([null, 0, 5, null]);
  });
});
