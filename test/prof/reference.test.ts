/** Against the reports that PyProf2 and PyProf made of the same net.dict. */
import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { itShared } from '../support/shared.js';
import { annotate, cellsOf, readQuotedCsv, recordsOf } from '../support/rows.js';

/** Our column keys by the reference's headers. */
const KEYS: Readonly<Record<string, string>> = {
  Idx: 'idx',
  SeqId: 'seq',
  AltSeqId: 'altseq',
  TId: 'tid',
  Layer: 'layer',
  Trace: 'trace',
  Direction: 'dir',
  Sub: 'sub',
  Module: 'mod',
  Op: 'op',
  Kernel: 'kernel',
  'Sil(ns)': 'sil',
  Device: 'device',
  Stream: 'stream',
  Grid: 'grid',
  Block: 'block',
};

async function compare(dict: string, csv: string, rows: number): Promise<void> {
  const reference = readQuotedCsv(readFileSync(csv, 'utf8'));
  const ours = annotate(await recordsOf(readFileSync(dict)));
  expect(ours).to.have.length(rows);
  expect(reference).to.have.length(rows);
  for (const [i, row] of ours.entries()) {
    const expected: Record<string, string> = {};
    for (const [header, key] of Object.entries(KEYS)) {
      const cell = reference[i]?.[header];
      // The reference leaves the op of a kernel without a call empty.
      if (cell !== undefined) expected[key] = key === 'op' && cell === '' ? 'na' : cell;
    }
    expect(cellsOf(row, Object.keys(expected).join()), `row ${i + 1}`).to.deep.equal(expected);
  }
}

describe('a report of a net.dict equals the reference in what both take from the record', () => {
  itShared(
    'PyProf2, 1000 kernels',
    ['data/pyprof/pyprof2.nsys.dict', 'data/pyprof/pyprof2.nsys.all.csv'],
    ([dict = '', csv = '']) => compare(dict, csv, 1000),
  );
  itShared(
    'PyProf, 1000 kernels',
    ['data/pyprof/nvidia.nsys.dict', 'data/pyprof/nvidia.nsys.all.csv'],
    ([dict = '', csv = '']) => compare(dict, csv, 1000),
  );
  itShared(
    'V100 language model, 160 kernels',
    ['data/nvprof/lm_v100.net.dict', 'data/nvprof/lm_v100.lm.csv'],
    ([dict = '', csv = '']) => compare(dict, csv, 160),
  );
});
