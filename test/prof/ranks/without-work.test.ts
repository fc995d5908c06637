/** Profiles in which no device worked: who they are of, why, and where they stand in a job, its page and its advice. */
import { expect } from 'chai';
import { jobRecords } from '../../../samples/programs/job/records.js';
import { simulateJob } from '../../../samples/programs/job/simulate.js';
import { membershipLines } from '../../../src/cli/screens/job.js';
import { jobReport } from '../../../src/prof/ranks/job-report.js';
import { RankCollector } from '../../../src/prof/ranks/part/rank-collector.js';
import { RankParts } from '../../../src/prof/ranks/part/rank-parts.js';
import { ranksDocument } from '../../../src/prof/ranks/ranks-document.js';
import type { ProfileLine, ProfileRecord } from '../../../src/record/record.js';
import { adviserOf } from '../../support/advice.js';
import { A100, profileOn } from '../../support/devices.js';
import { pageDataOf } from '../../support/pages.js';
import { rankPart } from '../../support/rank-part.js';

const job = simulateJob({ tp: 1, pp: 1, dp: 2, steps: 2, layers: 1, microBatches: 1, kernelsPerLayer: 1 });
const ofRank = (rank: number): ProfileLine[] => [...jobRecords(job, rank, { profile: rank })];

/** A profile with a device, whose calls of the host are as many as its diagnostics say. */
function idle(profile: number, fields: Partial<ProfileRecord> = {}, diagnostics: Record<string, number> = {}) {
  const header: ProfileRecord = { ...profileOn(A100), profile, rank: profile, file: `r${profile}.nsys-rep`, ...fields };
  return [header, { type: 'end', profile, counts: {}, diagnostics }] as const;
}

function collected(lines: readonly ProfileLine[]): RankCollector {
  const collector = new RankCollector();
  for (const line of lines) collector.take(line);
  return collector;
}

function reportOf(lines: readonly ProfileLine[]) {
  const { parts, withoutWork } = collected(lines);
  return jobReport(parts, withoutWork);
}

const DENIED = { 'profiler-without-permission': 1 };

describe('profiles without work on a device', () => {
  it('are named with their machine and what the profiler recorded of why', () => {
    const report = reportOf([...ofRank(0), ...ofRank(1), ...idle(2, { host: 'node-007' }, DENIED)]);
    expect(membershipLines(report)).to.include(
      '  no work   rank 2 (r2.nsys-rep, machine node-007): its profile has no device work: the profiler has no permission to read the GPU',
    );
    expect(ranksDocument(report, []).withoutWork).to.deep.equal([
      { rank: 2, file: 'r2.nsys-rep', machine: 'node-007', reason: 'the profiler has no permission to read the GPU' },
    ]);
  });

  it('are in order of rank, those without one last, whatever order they are read in', () => {
    const lines = [idle(6, { rank: null, file: 'b' }), idle(4), idle(3), idle(5, { rank: null, file: 'a' })];
    const named = (of: typeof lines): unknown => ranksDocument(reportOf([...ofRank(0), ...of.flat()]), []).withoutWork;
    expect(named(lines)).to.deep.equal(named(lines.toReversed()));
    expect(named(lines)).to.deep.equal(
      [['r3.nsys-rep', 3] as const, ['r4.nsys-rep', 4] as const, ['a', null] as const, ['b', null] as const].map(
        ([file, rank]) => ({ rank, file, machine: null, reason: null }),
      ),
    );
  });

  it('are counted beyond the first eight', () => {
    const ranks = Array.from({ length: 11 }, (_, rank) => rank + 2);
    const lines = membershipLines(reportOf([...ofRank(0), ...ranks.flatMap((rank) => idle(rank))]));
    expect(lines.filter((line) => line.startsWith('  no work'))).to.have.length(8);
    expect(lines).to.include('            3 more profiles without device work: see -f json');
    // The one that is not there at all.
    expect(lines).to.include('  missing   1');
  });

  it('are none of those that have metrics alone, reports of a monitor, or no header', () => {
    const others = [idle(2, { format: 'neff' }), idle(3, { format: 'neuron-summary' }), idle(4, { format: 'neuron-monitor' })]; // prettier-ignore
    const [, end] = idle(5);
    expect(collected([...ofRank(0), ...others.flat(), end]).withoutWork).to.deep.equal([]);
  });

  it('are those of partial answers that have no part of a rank', () => {
    for (const isJob of [true, false]) {
      const parts = new RankParts(isJob);
      const [[header, end], [other, otherEnd]] = [idle(0), idle(1)];
      parts.take(header);
      parts.take({ type: 'part-ranks', profile: 0, data: [rankPart(0, [50])] });
      for (const line of [end, other]) parts.take(line);
      parts.take({ type: 'part-ranks', profile: 1, data: [] });
      parts.take(otherEnd);
      expect(parts.all).to.have.length(1);
      expect(parts.withoutWork.map(({ profile, part }) => [profile, part.rank])).to.deep.equal([[1, 1]]);
    }
  });

  it('change no figure of the others', () => {
    const { parts } = collected([...ofRank(0), ...ofRank(1)]);
    const { withoutWork: _, membership, ...alone } = jobReport(parts);
    const { withoutWork, membership: inJob, ...others } = reportOf([...ofRank(0), ...ofRank(1), ...idle(2)]);
    expect(withoutWork).to.have.length(1);
    expect(others).to.deep.equal(alone);
    expect({ ...inJob, worldSize: null }).to.deep.equal({ ...membership, worldSize: null });
  });

  it('are listed by the page of their job, which has no row of theirs', () => {
    const { job: page, profiles } = pageDataOf([...ofRank(0), ...ofRank(1), ...idle(2, {}, DENIED)]);
    expect(page).to.include({ missing: 0, withoutWork: 1 });
    expect(page?.idle).to.deep.equal([
      { name: 'rank 2 (r2.nsys-rep)', reason: 'the profiler has no permission to read the GPU' },
    ]);
    expect(page?.ranks.map(({ name }) => name)).to.deep.equal(['rank 0', 'rank 1']);
    expect(profiles).to.have.length(3);
  });

  it('are one finding of the advice, with what to do where the profiler recorded why', () => {
    const found = adviserOf([...ofRank(0), ...ofRank(1), ...idle(2), ...idle(3, {}, DENIED)]).findings;
    const [first, ...others] = found.filter(({ rule }) => rule === 'job');
    expect(others).to.deep.equal([]);
    expect(first).to.include({
      ...{ profile: 2, device: null, gain: null, count: 2, details: 'the profiler has no permission to read the GPU' },
      what: 'ranks 2-3 have no device work in their profiles',
    });
    expect(first?.action).to.match(/NVreg_RestrictProfilingToAdminUsers=0/);
    // One rank that worked, and one that did not.
    expect(adviserOf([...ofRank(0), ...idle(1)]).findings[0]).to.include({ rule: 'job', profile: 1 });
    expect(adviserOf(ofRank(0)).silences.find(({ rule }) => rule === 'job')?.why).to.match(/^only one rank/);
  });
});
