import { expect } from 'chai';
import { shortTextsOf, type CopiedColumn } from '../../../src/page/figures/table-sort.js';

const NAME = `cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm_relu_bf16_${'x'.repeat(20)}`;

interface Row {
  readonly name: string;
  readonly after: string;
}
const columns: readonly CopiedColumn<Row>[] = [
  { title: 'Kernel', cell: ({ name }) => name },
  { title: 'After', cell: ({ after }) => after },
  { title: 'Verdict', cell: ({ name }) => name, isProse: true },
  { title: 'Time', unit: 'ns', cell: () => 1 },
];

describe('long texts of a table', () => {
  it('are cut where they agree, never where they differ', () => {
    const rows = ['_64x64_nn>', '_64x64_nt>', '_128x64_nn>'].map((end) => ({ name: NAME + end, after: 'copy' }));
    const [names, , verdicts] = shortTextsOf(columns, rows);
    // Sentences are whole.
    expect(verdicts?.size).to.equal(0);
    const short = rows.map(({ name }) => names?.get(name) ?? name);
    expect(new Set(short).size).to.equal(3);
    for (const [i, text] of short.entries()) {
      expect(text.length).to.be.at.most(72);
      expect(text).to.include('…');
      expect(text.endsWith(rows[i]?.name.slice(-6) ?? '')).to.equal(true);
    }
  });

  it('are whole where they fit', () => {
    const rows = [{ name: 'gemm', after: 'a kernel before' }];
    expect(shortTextsOf(columns, rows).map((texts) => texts.size)).to.deep.equal([0, 0, 0, 0]);
  });
});
