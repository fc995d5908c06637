/** Profiles that begin apart: steps of 100 ms, starts by Unix time. */
import { expect } from 'chai';
import { jobLines } from '../../../src/cli/screens/job.js';
import { jobReport } from '../../../src/prof/ranks/job-report.js';
import { ranksDocument } from '../../../src/prof/ranks/ranks-document.js';
import { rankPart } from '../../support/rank-part.js';

/** ns that each begins after the first; null where it does not say when. */
const jobOf = (...begins: readonly (number | null)[]) =>
  jobReport(begins.map((begin, rank) =>
    rankPart(rank, [50, 51, 50 + rank], { startUnixNs: begin === null ? null : String(1_700_000_000_000_000_000n + BigInt(begin)) }))); // prettier-ignore

describe('profiles that begin apart', () => {
  it('by more than a step are named, in text and JSON, each with its begin', () => {
    const report = jobOf(2_000_000_000, 0, 17_460_000_000);
    const document = ranksDocument(report, []);
    expect(document.apart).to.deep.equal({
      first: { rank: 1, file: 'rank1.json' },
      last: { rank: 2, file: 'rank2.json' },
      time: 17_460_000_000,
    });
    expect(document.ranks.map((row) => row['begin'])).to.deep.equal([2_000_000_000, 0, 17_460_000_000]);
    expect(jobLines(report)).to.include(
      '\nBegins      17.46 s apart, rank 1 first and rank 2 last: the first operations may wait that long for profilers, not for slow ranks\n',
    );
  });

  it('by a step or less are not, nor those that do not say when they begin', () => {
    for (const report of [jobOf(0, 100_000_000), jobOf(0, null), jobOf(0)]) {
      expect(report.apart).to.equal(null);
      expect(jobLines(report)).not.to.include('Begins');
    }
    expect(jobOf(0, 100_000_001).apart?.time).to.equal(100_000_001);
    expect(jobOf(0, null).ranks.map(({ begin }) => begin)).to.deep.equal([0, null]);
  });
});
