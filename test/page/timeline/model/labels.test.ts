import { expect } from 'chai';
import { differences, FittedLabels } from '../../../../src/page/timeline/model/labels.js';

describe('names in boxes', () => {
  // Letters of one pixel each.
  const labels = new FittedLabels((text) => text.length);
  const names = [
    'at::native::reduce_kernel<512>',
    'at::native::vectorized_kernel<4>',
    'at::native::vectorized_kernel<8>',
    'gemm',
  ];
  const differs = differences(names);
  const shown = (name: string, width: number): string => labels.fitting(name, width, differs.get(name));

  it('differ from the letter on that no other has', () => {
    // at::native:: has 12 letters, at::native::vectorized_kernel< has 30.
    expect([...differs]).to.deep.equal([
      [names[0], 12],
      [names[1], 30],
      [names[2], 30],
      ['gemm', 0],
    ]);
  });

  it('are cut where they agree, with a sign where something is left out', () => {
    expect(shown('gemm', 10)).to.equal('gemm');
    expect(shown('at::native::reduce_kernel<512>', 40)).to.equal('at::native::reduce_kernel<512>');
    // 0.9 x 19 of 20 letters are 17: the start goes as far as they differ.
    expect(shown('at::native::reduce_kernel<512>', 20)).to.equal('at::native::reduc…');
    // 0.9 x 11 are 9 letters, all of which agree: 0.9 x 10 are those of the rest.
    expect(shown('at::native::reduce_kernel<512>', 12)).to.equal('…reduce_ke…');
    expect(shown('at::native::vectorized_kernel<8>', 12)).to.equal('…8>');
    expect(shown('at::native::vectorized_kernel<4>', 3)).to.equal('');
  });

  it('are left out where nothing fits that tells them apart, and marks alone do not', () => {
    const ranges = ['## forward ##', '## forward: sparse ##'];
    const [plain = 0, sparse = 0] = ranges.map((name) => differences(ranges).get(name) ?? 0);
    // Both begin with the 10 letters of `## forward`; 0.9 x 8 are 7 letters of `forward ##`; `sparse ##` fits whole.
    expect(labels.fitting('## forward ##', 10, plain)).to.equal('…forward…');
    expect(labels.fitting('## forward: sparse ##', 10, sparse)).to.equal('…sparse ##');
    // Only `## ` has room, with which both begin.
    expect(labels.fitting('## forward ##', 5, plain)).to.equal('');
  });
});
