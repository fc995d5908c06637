/** A whole profile, from the database and from PyProf's own records of it, against PyProf's report (V100, fp32). */
import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { readProfile } from '../../src/parse/profile.js';
import type { Annotated } from '../../src/prof/annotate.js';
import type { OpCall } from '../../src/record/record.js';
import { annotate, cellsOf, readQuotedCsv, recordsOf } from '../support/rows.js';
import { itShared } from '../support/shared.js';

/** V100 SXM2: 80 SMs · 64 FMA units · 2 · 1.53 GHz, and 900 GB/s (NVIDIA's data sheet), with 1 % for the clock's grain. */
const PEAK_FLOPS_PER_NS = 15.7e3 * 1.01;
const PEAK_BYTES_PER_NS = 900 * 1.01;

const SAME: Readonly<Record<string, string>> = {
  Kernel: 'kernel',
  Module: 'mod',
  Op: 'op',
  Direction: 'dir',
  'Sil(ns)': 'sil',
  Device: 'device',
  Stream: 'stream',
  Block: 'block',
  Grid: 'grid',
};

const size = (shape: readonly number[]): number => shape.reduce((product, extent) => product * extent, 1);

/** FLOPs and bytes of the product that a call makes: 2·b·m·n·k and 4·b·(m·k + k·n + m·n), by hand. */
function byHand({ op, args }: OpCall): { flops: number; bytes: number } {
  const [a = [], b = []] = args.flatMap(({ shape }) => (shape === undefined ? [] : [shape]));
  const k = a.at(-1) ?? NaN;
  // A linear layer's weight is n×k; the right operand of a product k×n, and its batch is the left one's or none.
  const n = (op === 'linear' ? b.at(-2) : b.at(-1)) ?? NaN;
  const result = (size(a) / k) * n;
  return { flops: 2 * result * k, bytes: 4 * (size(a) + size(b) + result) };
}

const PRODUCTS = new Set(['linear', 'matmul', 'bmm']);

function compare(rows: readonly Annotated[], report: string): void {
  const reference = readQuotedCsv(readFileSync(report, 'utf8'));
  expect(rows).to.have.length(160);
  let products = 0;
  for (const [i, row] of rows.entries()) {
    const theirs = reference[i] ?? {};
    const cells = cellsOf(row, Object.values(SAME).join());
    for (const [header, key] of Object.entries(SAME))
      expect(cells[key], `${header} of row ${i + 1}`).to.equal(theirs[header]);
    const { dur } = row.record;
    expect((row.flops ?? 0) / (dur ?? 0), `FLOP rate of row ${i + 1}`).to.be.at.most(PEAK_FLOPS_PER_NS);
    expect((row.bytes ?? 0) / (dur ?? 0), `byte rate of row ${i + 1}`).to.be.at.most(PEAK_BYTES_PER_NS);
    if (!row.record.short.includes('gemm')) continue;
    products++;
    const call = row.calls.findLast(({ op }) => PRODUCTS.has(op));
    expect({ flops: row.flops, bytes: row.bytes }, `row ${i + 1}`).to.deep.equal(call && byHand(call));
    // The reference knows linear; it gives products inside multi_head_attention_forward nothing, and too few bytes.
    if (theirs['Op'] === 'linear') expect(row.flops).to.equal(Number(theirs['FLOPs']));
    else expect([theirs['Op'], theirs['FLOPs']]).to.deep.equal(['multi_head_attention_forward', '0']);
    expect(String(row.tc)).to.equal('0');
  }
  expect(products).to.equal(21);
  // The split is a view: its forward op launches no kernel that the three kernels of its gradient could be paired with.
  const backward = rows.map((row) => cellsOf(row, 'dir,op,fwd')).filter(({ dir }) => dir === 'bprop');
  expect(backward).to.have.length(42);
  expect(backward.filter(({ fwd }) => fwd === 'na').map(({ op }) => op)).to.deep.equal(['Split', 'Split', 'Split']);
}

describe('a language model on a V100', () => {
  const report = 'data/nvprof/lm_v100.lm.csv';

  itShared('from its nvprof database', ['data/nvprof/lm_v100.net.sql', report], ([database = '', csv = '']) => {
    compare(annotate(readProfile(database, { profile: 0 })), csv);
  });

  itShared("from PyProf's records", ['data/nvprof/lm_v100.net.dict', report], async ([dict = '', csv = '']) => {
    compare(annotate(await recordsOf(readFileSync(dict))), csv);
  });
});
