/** The report of a job held against simulated ones of which the truth is known, and against real ones counted by hand. */
import { expect } from 'chai';
import { simulateJob, type SimulatedJob } from '../../../samples/programs/job/simulate.js';
import { checkJob, partsOf } from '../../../bench/job-check.js';
import type { Item } from '../../../src/prof/analysis.js';
import { RankCollector } from '../../../src/prof/ranks/part/rank-collector.js';
import { Annotator } from '../../../src/prof/report/report.js';
import { jobRecords } from '../../../samples/programs/job/records.js';
import { jobReport, type JobReport } from '../../../src/prof/ranks/job-report.js';
import { isByKernels } from '../../../src/prof/ranks/stragglers/reasons.js';
import { rangesText } from '../../../src/prof/ranks/membership.js';
import type { RankPart } from '../../../src/prof/ranks/part/rank-part.js';
import type { JobRequest } from '../../../samples/programs/job/options.js';

const SMALL: JobRequest = { tp: 2, pp: 2, dp: 2, steps: 8, layers: 2, microBatches: 2, kernelsPerLayer: 1 };
const STATED = { ordinals: true, descriptions: true };
const UNSTATED = { ordinals: false, descriptions: false };

const matchedIn = ({ groups }: JobReport): number => groups.reduce((sum, { matched }) => sum + matched, 0);

describe('the report of a job', () => {
  for (const [name, format] of [
    ['whose profiles state ordinals and what groups are for', STATED],
    ['whose profiles state neither', UNSTATED],
  ] as const) {
    it(`is true of a job ${name}`, () => {
      for (const seed of [1, 2]) {
        const check = checkJob(simulateJob({ ...SMALL, seed }), format);
        expect(check.matched).to.equal(check.truth);
        expect(check.clockError).to.be.below(5000);
        expect(check.falseFinds).to.equal(0);
        // Of a message of 4 bytes, which takes 12 us, clocks that are 0.5 us off are 4 %.
        expect(check.transferError).to.be.below(0.06);
      }
    });
  }

  it('names the slow rank and its layer, and the slow link', () => {
    const layer = checkJob(
      simulateJob({ ...SMALL, inject: { slowLayer: { rank: 5, layer: 1, factor: 1.2 } } }),
      UNSTATED,
    );
    expect(layer).to.include({ found: true, reason: true, falseFinds: 0 });
    const link = checkJob(
      simulateJob({ ...SMALL, tp: 2, pp: 1, dp: 4, inject: { slowLink: { rank: 6, factor: 1.5, kind: 'tensor' } } }),
      UNSTATED,
    );
    expect(link).to.include({ found: true, falseFinds: 0 });
  });

  it('names a slow machine, and that all of its kernels are slower alike', () => {
    const job = simulateJob({
      ...SMALL,
      tp: 2,
      pp: 1,
      dp: 4,
      ranksPerNode: 4,
      inject: { slowNode: { node: 1, factor: 1.1 } },
    });
    const [first] = jobReport(partsOf(job, UNSTATED)).lateness.stragglers;
    expect([first?.level, first?.name]).to.deep.equal(['machine', 'node-001']);
    expect(first?.members).to.deep.equal([4, 5, 6, 7]);
    expect(first?.reasons.slowdown).to.be.closeTo(1.1, 0.01);
  });

  it('knows the drift of stages that few operations of all ranks join', () => {
    const job = simulateJob({ ...SMALL, pp: 4, dp: 1, steps: 4, microBatches: 4, noise: { late: 0 } });
    const check = checkJob(job, STATED);
    expect(check.matched).to.equal(check.truth);
    expect(check.clockError).to.be.below(5000);
  });

  it('says that kernels are a reason where they are, and not for a rank that waits for its data', () => {
    const reasonOf = (inject: NonNullable<JobRequest['inject']>) => {
      const [first] = jobReport(partsOf(simulateJob({ ...SMALL, pp: 1, dp: 4, inject }), STATED)).lateness.stragglers;
      return first === undefined ? null : { by: first.reasons.parts[0]?.name, kernels: isByKernels(first.reasons) };
    };
    const loading = reasonOf({ dataLoading: { rank: 3, ns: 5e6 } });
    expect(loading).to.deep.equal({ by: 'data loading', kernels: false });
    const kernels = reasonOf({ slowLayer: { rank: 3, layer: 1, factor: 1.2 } });
    expect(kernels).to.deep.equal({ by: 'kernels', kernels: true });
  });

  it('names the slow rank and no other where copies run under all communication', () => {
    const partsWithCopies = (job: SimulatedJob): RankPart[] =>
      job.ranks.flatMap(({ rank }) => {
        const [collector, annotator] = [new RankCollector(), new Annotator()];
        const take = (item: Item): void => collector.take(item);
        for (const record of jobRecords(job, rank, STATED)) {
          annotator.pass(record, take);
          if (record.type !== 'kernel' || !record.name.startsWith('nccl')) continue;
          // The same time on another stream.
          const { profile, device, start, dur, step } = record;
          const copy = { type: 'copy', profile, kind: 'HtoD', bytes: 4, device, stream: 99, start, dur, step } as const;
          annotator.pass({ ...copy, launch: null } as unknown as typeof record, take);
        }
        annotator.passRest(take);
        return collector.parts;
      });
    const namesIn = (job: SimulatedJob): unknown[] =>
      jobReport(partsWithCopies(job)).lateness.stragglers.map(({ level, part }) => [level, part]);
    const job = { ...SMALL, pp: 1, dp: 4 };
    const slow = simulateJob({ ...job, inject: { slowLayer: { rank: 5, layer: 1, factor: 1.2 } } });
    const exposedIn = (parts: readonly RankPart[]): unknown[] =>
      parts.map(({ steps }) => [steps.exposed, steps.compute]);
    const [parts, copied] = [partsOf(slow, STATED), partsWithCopies(slow)];
    expect(exposedIn(copied)).to.deep.equal(exposedIn(parts));
    expect(copied[0]?.steps.copies[1]).to.be.above(parts[0]?.steps.copies[1] ?? NaN);
    expect(namesIn(slow)).to.deep.equal([['rank', 5]]);
    expect(namesIn(simulateJob(job))).to.deep.equal([]);
  });

  it('does not depend on the order of the ranks', () => {
    const parts = partsOf(simulateJob(SMALL), UNSTATED);
    expect(jobReport([...parts].reverse())).to.deep.equal(jobReport(parts));
  });

  it('knows what groups are for without being told', () => {
    const kindsOf = (format: typeof STATED): unknown[] =>
      jobReport(partsOf(simulateJob(SMALL), format))
        .groups.map(({ ranks, kind }) => [ranks?.join(','), kind])
        .sort();
    const stated = kindsOf(STATED).map(String);
    for (const kind of kindsOf(UNSTATED).map(String)) expect(stated).to.include(kind);
  });
});

describe('the report of ranks that are cut off or mixed up', () => {
  const parts = partsOf(simulateJob({ ...SMALL, pp: 1 }), UNSTATED);
  /** Chosen operations of a rank. */
  const cutBy = (part: RankPart, isKept: (at: number) => boolean): RankPart => ({
    ...part,
    operations: {
      ...part.operations,
      ...Object.fromEntries(
        (['group', 'kind', 'dtype', 'bytes', 'ordinal', 'peer', 'start', 'dur', 'step'] as const).map((name) => [
          name,
          (part.operations[name] as readonly unknown[]).filter((_, at) => isKept(at)),
        ]),
      ),
    },
  });
  const cut = (part: RankPart, from: number, to: number): RankPart => cutBy(part, (at) => at >= from && at < to);
  const all = parts[0]?.operations.start.length ?? 0;

  it('matches what a rank that begins late or ends early has', () => {
    const whole = jobReport(parts);
    for (const [from, to] of [
      [0, all - 7],
      [7, all],
    ] as const) {
      const report = jobReport([...parts.slice(0, 3), cut(parts[3] as RankPart, from, to)]);
      expect(report.groups.every(({ mismatch }) => mismatch === null)).to.equal(true);
      expect(matchedIn(report)).to.be.within(matchedIn(whole) - 7, matchedIn(whole));
      expect(report.ranks.every(({ clock }) => (clock.residual ?? 0) < 5000)).to.equal(true);
    }
  });

  it('stops the matching of a group alone where ranks differ, and says where', () => {
    const [last] = parts.slice(-1) as [RankPart];
    const bytes = last.operations.bytes.map((one, at) => (at === 20 ? 12345 : one));
    const report = jobReport([...parts.slice(0, -1), { ...last, operations: { ...last.operations, bytes } }]);
    const differing = report.groups.filter(({ mismatch }) => mismatch !== null);
    expect(differing).to.have.length(1);
    expect(differing[0]?.mismatch).to.match(/^rank \d has .*, rank 3 has .* of 12345 bytes.* as number \d+$/);
    expect(report.groups.filter(({ matched, parts: of }) => of.length > 1 && matched === 0)).to.have.length(0);
  });

  it('sets clocks among ranks that share no operation with the others, one of them by the start of its profile', () => {
    const whole = partsOf(simulateJob({ ...SMALL, pp: 1, dp: 4, seed: 3 }), STATED);
    const alone = whole.map((part, at) => {
      const { group, groups } = part.operations;
      // Of the ranks 4 to 7 groups of two alone.
      const isKept = (index: number): boolean =>
        at < 4 || part.processGroups.find(({ name }) => name === groups[group[index] ?? 0])?.ranks?.length === 2;
      return cutBy(part, isKept);
    });
    const { ranks, groups } = jobReport(alone);
    expect(ranks.map(({ clock: { source, against } }) => [source, against])).to.deep.equal([
      ['reference', 0],
      ...[1, 2, 3].map(() => ['operations', 0]),
      ...[4, 6].flatMap((anchor) => [
        ['start', anchor],
        ['operations', anchor],
      ]),
    ]);
    // Clocks of the simulation are off by up to a second.
    for (const { transfers } of groups) expect(transfers?.longestSkew ?? 0).to.be.below(50e6);
    expect(ranks.every(({ clock: { residual } }) => (residual ?? 0) < 5000)).to.equal(true);
  });

  it('knows no bound of a clock where operations contradict each other', () => {
    const [first, second] = partsOf(simulateJob({ ...SMALL, pp: 1, dp: 1 }), STATED) as [RankPart, RankPart];
    const { start } = first.operations;
    // Shifted to and fro: whatever the clock, some end before the other rank has joined.
    const moved = start.map((time, at) => time + (at % 2 === 0 ? 3e9 : -3e9));
    const shaken = { ...first, operations: { ...first.operations, start: moved } };
    const { ranks } = jobReport([shaken, second]);
    expect(ranks.map(({ clock }) => clock.bound)).to.deep.equal([null, null]);
  });

  it('compares the other ranks in all their steps where some are cut off', () => {
    const job = simulateJob({ ...SMALL, pp: 1, dp: 4, inject: { slowLayer: { rank: 5, layer: 1, factor: 1.2 } } });
    const whole = partsOf(job, STATED);
    const few = (part: RankPart, count: number): RankPart => ({
      ...part,
      steps: Object.fromEntries(
        Object.entries(part.steps as unknown as Record<string, unknown[]>).map(([key, of]) => [
          key,
          of.slice(0, count),
        ]),
      ) as unknown as RankPart['steps'],
    });
    const { lateness } = jobReport(whole.map((part, at) => (at === 2 ? few(part, 1) : at === 7 ? few(part, 4) : part)));
    expect(lateness.stragglers.map(({ part, steps, peers }) => [part, steps, peers])).to.deep.equal([[5, 8, 8]]);
    expect(lateness.tested).to.equal(7);
    expect(lateness.untested).to.deep.equal([
      { part: 2, why: 'too few steps in common with ranks that do the same work' },
    ]);
  });

  it('compares ranks without collectives, by the start of each profile', () => {
    const alone = parts.map((part) => cut(part, 0, 0));
    const report = jobReport(alone);
    expect(report.groups).to.deep.equal([]);
    expect(report.ranks.slice(1).map(({ clock }) => clock.source)).to.deep.equal(['start', 'start', 'start']);
    expect(report.lateness.tested).to.equal(4);
  });

  it('leaves copies of a profile out, whatever ranks they are given as, and says so', () => {
    const whole = jobReport(parts);
    const [, second, third] = parts as [RankPart, RankPart, RankPart];
    const { copies, ...report } = jobReport([...parts, { ...second, file: 'z' }, { ...third, rank: 9 }]);
    expect(copies.map(({ part, of }) => [part.file, part.rank, of.rank])).to.deep.equal([
      ['z', 1, 1],
      [third.file, 9, 2],
    ]);
    expect({ ...report, copies: [] }).to.deep.equal(whole);
    // One on another machine, with all else the same, is none; a renamed file does not say where it is from.
    const [here, there] = ['node0', 'node1'].map((host, rank) => ({ ...second, rank, host, file: host }));
    const copiesOf = (...given: RankPart[]): unknown =>
      jobReport(given).copies.map(({ part, of }) => [part.file, of.file]);
    expect(copiesOf(here as RankPart, there as RankPart)).to.deep.equal([]);
    expect(copiesOf(here as RankPart, { ...second, host: null, file: 'z' })).to.deep.equal([['z', 'node0']]);
    // Of a partial answer that does not say what it is of.
    const { content: _, ...old } = second;
    expect(jobReport([...parts, { ...old, file: 'z' }]).membership.doubled).to.have.length(1);
  });

  it('says what is missing, there twice, and of another job', () => {
    const [first, second] = parts as [RankPart, RankPart];
    const report = jobReport([first, second, { ...second, file: 'other', worldSize: 64, content: 'of another run' }]);
    expect(report.membership.doubled).to.deep.equal([{ rank: 1, files: ['other', 'rank_1.pt.trace.json.gz'] }]);
    expect(report.membership.worldSizes).to.deep.equal([4, 64]);
    expect(report.membership.missing).to.deep.equal([]);
    expect(rangesText(report.parts.flatMap(({ rank }) => rank ?? []))).to.equal('0-1');
    expect(jobReport([first]).membership.missing).to.deep.equal([1, 2, 3]);
    // Devices 4 and 5 of a machine stand for the ranks of their process.
    const cores = [4, 5].map((device) => ({ ...first, rank: device, device, isDevice: true, worldSize: null }));
    expect(jobReport(cores).membership.missing).to.deep.equal([]);
  });
});
