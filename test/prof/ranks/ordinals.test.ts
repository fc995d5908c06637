/** Ordinals that times contradict: ranks of several jobs, and counters that began anew. */
import { expect } from 'chai';
import type { JobRequest } from '../../../samples/programs/job/options.js';
import { simulateJob } from '../../../samples/programs/job/simulate.js';
import { messagesOf } from '../../../samples/programs/job/truth.js';
import { partsOf } from '../../../bench/job-check.js';
import { jobReport, type GroupReport, type JobReport } from '../../../src/prof/ranks/job-report.js';
import type { RankPart } from '../../../src/prof/ranks/part/rank-part.js';
import { itSlow } from '../../support/sets.js';

const SMALL: JobRequest = { steps: 8, layers: 2, microBatches: 2, kernelsPerLayer: 2 };
const SHAPES: readonly JobRequest[] = [
  { tp: 2, pp: 1, dp: 1 },
  { tp: 1, pp: 1, dp: 2 },
  { tp: 2, pp: 1, dp: 2 },
  { tp: 2, pp: 2, dp: 1 },
  { tp: 1, pp: 1, dp: 8 },
];
const STATED = { ordinals: true, descriptions: true };
/** Jobs are less alike than those of the generator's own noise. */
const NOISE = { kernel: 0.05, host: 0.1 };

const partsOfJob = (request: JobRequest): RankPart[] =>
  partsOf(simulateJob({ ...SMALL, noise: NOISE, ...request }), STATED);
const matchedIn = ({ groups }: JobReport): number => groups.reduce((sum, { matched }) => sum + matched, 0);
const refusedIn = ({ groups }: JobReport): readonly GroupReport[] => groups.filter(({ doubt }) => doubt !== null);

/** Other ordinals of one rank. */
const renumbered = (part: RankPart, numberOf: (ordinal: number) => number): RankPart => ({
  ...part,
  operations: {
    ...part.operations,
    ordinal: part.operations.ordinal.map((ordinal) => (ordinal === null ? null : numberOf(ordinal))),
  },
});

const NOISES: readonly JobRequest['noise'][] = [{}, NOISE, { late: 0.05 }, { endSkewNs: 20_000 }];
/** What a counter that began anew counts. */
const COUNTERS = [1, 3, 100_000];

function expectBelieved(shape: JobRequest, noise: JobRequest['noise']): void {
  const job = simulateJob({ ...SMALL, ...shape, ...(noise === undefined ? {} : { noise }), seed: 3 });
  const report = jobReport(partsOf(job, STATED));
  expect(refusedIn(report)).to.deep.equal([]);
  expect(matchedIn(report)).to.equal([...messagesOf(job)].filter(({ ranks }) => ranks.length > 1).length);
}

/** The last rank is one of another job. */
function expectRefused(shape: JobRequest, seed: number): void {
  const [own, other] = [partsOfJob({ ...shape, seed }), partsOfJob({ ...shape, seed: seed + 10 })];
  const whole = jobReport(own);
  const alien = own.length - 1;
  const report = jobReport([...own.slice(0, -1), other[alien] as RankPart]);
  for (const [index, { parts, matched, doubt, unmatched }] of report.groups.entries()) {
    const before = whole.groups[index];
    if (!parts.includes(alien)) {
      expect({ matched, doubt }).to.deep.equal({ matched: before?.matched, doubt: null });
      continue;
    }
    expect(doubt).to.match(/^matched by ordinals, /);
    expect(unmatched['times-differ']).to.be.greaterThan(0);
    // The others of the group go on without it.
    expect(matched).to.equal(parts.length > 2 ? before?.matched : 0);
    const of = report.matched[index];
    const column = of?.group.members.findIndex(({ part }) => part === alien) ?? -1;
    expect(of?.operations.every(({ at }) => at[column] === -1)).to.equal(true);
  }
  const clocks = report.ranks.slice(0, -1).map(({ clock }) => clock.residual ?? 0);
  expect(clocks.every((residual) => residual < 5000)).to.equal(true);
}

/** The ordinals of the last rank are higher. */
function expectOrderWithinSteps(shape: JobRequest, higherBy: readonly number[]): void {
  const own = partsOfJob({ ...shape, seed: 5 });
  const whole = jobReport(own);
  const last = own.length - 1;
  for (const by of higherBy) {
    const report = jobReport(own.map((part, at) => (at === last ? renumbered(part, (ordinal) => ordinal + by) : part)));
    expect(matchedIn(report)).to.equal(matchedIn(whole));
    for (const { parts, by: how, doubt } of report.groups) {
      const isOff = parts.includes(last) && parts.length > 1;
      expect(how).to.equal(isOff ? 'step' : 'ordinal');
      if (isOff) expect(doubt).to.match(/order within steps/);
      else expect(doubt).to.equal(null);
    }
    expect(report.ranks.every(({ clock }) => (clock.residual ?? 0) < 5000)).to.equal(true);
  }
}

describe('ordinals against times', () => {
  for (const [i, shape] of SHAPES.entries()) {
    const job = JSON.stringify(shape);
    it(`are believed in a job as it was: ${job}`, () => {
      expectBelieved(shape, NOISES[i % NOISES.length]);
    });
    itSlow(`are believed in a job as it was, with any noise: ${job}`, () => {
      for (const noise of NOISES) expectBelieved(shape, noise);
    });

    it(`are refused for a rank of another job alone: ${job}`, () => {
      expectRefused(shape, 1);
    });
    itSlow(`are refused for a rank of each of other jobs: ${job}`, () => {
      for (const seed of [2, 3]) expectRefused(shape, seed);
    });

    it(`that began anew on one rank are left for order within steps, and the group says so: ${job}`, () => {
      expectOrderWithinSteps(shape, COUNTERS);
    });
  }

  it('are refused between two halves of a job that are of two runs', () => {
    const shape = { tp: 2, pp: 1, dp: 2 };
    for (const seed of [1, 2]) {
      const [own, other] = [partsOfJob({ ...shape, seed }), partsOfJob({ ...shape, seed: seed + 6 })];
      const { groups } = jobReport([...own.slice(0, 2), ...other.slice(2)]);
      for (const { parts, matched } of groups) {
        const isOfBoth = parts.some((part) => part < 2) && parts.some((part) => part > 1);
        if (isOfBoth) expect(matched).to.equal(0);
        else expect(matched).to.be.greaterThan(0);
      }
    }
  });

  it('by whole steps are off too', () => {
    const own = partsOfJob({ tp: 2, pp: 1, dp: 1, seed: 5 });
    const [first, second] = own as [RankPart, RankPart];
    const steps = new Set(second.operations.step).size;
    const counts = new Map<number, number>();
    for (const group of second.operations.group) counts.set(group, (counts.get(group) ?? 0) + 1);
    const ordinal = second.operations.ordinal.map((one, at) =>
      one === null ? null : one + (counts.get(second.operations.group[at] ?? 0) ?? 0) / steps,
    );
    const report = jobReport([first, { ...second, operations: { ...second.operations, ordinal } }]);
    expect(report.groups.map(({ by }) => by)).to.deep.equal(['step', 'step']);
    expect(matchedIn(report)).to.equal(matchedIn(jobReport(own)));
  });

  it('of exchanges between neighbours say nothing of a run: not all of the group take part', () => {
    const exchanged = ({ operations, ...part }: RankPart): RankPart => ({
      ...part,
      operations: {
        ...operations,
        kind: operations.kind.map((kind) => (kind === 'send' || kind === 'receive' ? 'send-receive' : kind)),
        peer: operations.peer.map(() => null),
      },
    });
    const report = jobReport(partsOfJob({ tp: 2, pp: 4, dp: 1, seed: 5 }).map(exchanged));
    expect(refusedIn(report)).to.deep.equal([]);
  });

  it('of profiles of other steps match nothing', () => {
    const own = partsOfJob({ tp: 2, pp: 1, dp: 1, seed: 5 });
    const [first, second] = own as [RankPart, RankPart];
    const later = renumbered(second, (ordinal) => ordinal + 100_000);
    const step = second.operations.step.map((one) => (one === null ? null : one + 1000));
    const report = jobReport([first, { ...later, operations: { ...later.operations, step } }]);
    expect(matchedIn(report)).to.equal(0);
    expect(refusedIn(report)).to.deep.equal([]);
  });
});
