import Database from 'better-sqlite3';
import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repeatDatabase } from '../../bench/repeat-ascend.js';
import type { KernelRecord } from '../../src/record/record.js';
import { freshPath } from '../support/fresh-path.js';
import { kernelsOf, recordsOf } from '../support/profile-records.js';
import { ROOT } from '../support/shared.js';

const SAMPLE = join(ROOT, 'samples', 'ascend_pytorch_profiler_0.db');

/** What does not move with the copy; how long a kernel waited depends on what is before it. */
const standing = ({ start, launch, corr, seq, step, callIds, seqMarker, forward, counters, ...rest }: KernelRecord): unknown => ({
  ...rest,
  id: 0,
  counters: { ...counters, waitNs: 0 },
  moved: [start, launch, corr, seq, step, callIds, seqMarker, forward].map((field) => typeof field),
}); // prettier-ignore

describe('bench: Ascend databases repeated', () => {
  it('have the same kernels in every copy, moved', () => {
    const before = readFileSync(SAMPLE);
    const path = freshPath('.db');
    expect(repeatDatabase(SAMPLE, 3, path)).to.equal(60);
    expect(readFileSync(SAMPLE).equals(before)).to.equal(true);
    const [once, thrice] = [kernelsOf(SAMPLE), kernelsOf(path)];
    const stride = (thrice[20]?.start ?? NaN) - (once[0]?.start ?? NaN);
    expect(stride).to.be.above(1_000_000);
    for (const [i, kernel] of thrice.entries()) {
      const first = once[i % 20] as KernelRecord;
      // The first kernel of all waits for none, that of a further copy for the copy before.
      const counters = i % 20 === 0 ? { ...kernel.counters, waitNs: undefined } : kernel.counters;
      expect(standing(JSON.parse(JSON.stringify({ ...kernel, counters })) as KernelRecord)).to.deep.equal(
        standing(first),
      );
      expect(kernel.start).to.equal(first.start + Math.floor(i / 20) * stride);
    }
    expect(new Set(thrice.map(({ step }) => step))).to.deep.equal(new Set([3, 4, 5, 6, 7, 8]));
    const count = (file: string, type: string): number => recordsOf(file).filter((record) => record.type === type).length; // prettier-ignore
    for (const type of ['collective', 'copy']) expect(count(path, type)).to.equal(3 * count(SAMPLE, type));
  });

  it('once is the input', () => {
    const path = freshPath('.db');
    repeatDatabase(SAMPLE, 1, path);
    const rows = (file: string): unknown => {
      const database = new Database(file, { readonly: true });
      const all = database.prepare('SELECT * FROM TASK ORDER BY rowid').raw().safeIntegers().all();
      database.close();
      return all;
    };
    expect(rows(path)).to.deep.equal(rows(SAMPLE));
    expect(kernelsOf(path)).to.deep.equal(kernelsOf(SAMPLE));
  });
});
