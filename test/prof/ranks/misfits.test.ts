/** Ranks whose times fit no clock, in simulated jobs with the clock of one rank made wrong. */
import { expect } from 'chai';
import { partsOf } from '../../../bench/job-check.js';
import type { JobRequest } from '../../../samples/programs/job/options.js';
import { simulateJob } from '../../../samples/programs/job/simulate.js';
import { misfitsOf } from '../../../src/prof/ranks/clocks/misfits.js';
import { jobReport, type JobReport } from '../../../src/prof/ranks/job-report.js';
import type { RankPart } from '../../../src/prof/ranks/part/rank-part.js';
import { RANK_TABLES } from '../../../src/prof/ranks/tables/tables.js';

const SMALL: JobRequest = { steps: 8, layers: 2, microBatches: 2, kernelsPerLayer: 4, seed: 3 };
const SHAPES: readonly JobRequest[] = [
  { tp: 2, pp: 1, dp: 2 },
  { tp: 1, pp: 1, dp: 8 },
];
const partsOfJob = (shape: JobRequest, ordinals: boolean): RankPart[] =>
  partsOf(simulateJob({ ...SMALL, ...shape }), { ordinals, descriptions: ordinals });

/** The rank as its profile is where each span of time goes to another one. */
function retimed(
  part: RankPart,
  span: (start: number, dur: number) => readonly [start: number, dur: number],
): RankPart {
  const { operations, steps } = part;
  const spans = operations.start.map((start, at) => span(start, operations.dur[at] ?? 0));
  const order = spans.map((_, at) => at).sort((a, b) => (spans[a]?.[0] ?? 0) - (spans[b]?.[0] ?? 0));
  const inOrder = <Value>(list: readonly Value[]): Value[] => order.map((at) => list[at] as Value);
  const ofSteps = steps.start.map((start, at) => span(start, (steps.end[at] ?? 0) - start));
  const { groups, members, sizes } = operations;
  const { group, kind, dtype, bytes, ordinal, peer, step } = operations;
  return {
    ...part,
    operations: {
      ...{ groups, members, sizes, group: inOrder(group), kind: inOrder(kind), dtype: inOrder(dtype) },
      ...{ bytes: inOrder(bytes), ordinal: inOrder(ordinal), peer: inOrder(peer), step: inOrder(step) },
      ...{ start: inOrder(spans.map(([start]) => start)), dur: inOrder(spans.map(([, dur]) => dur)) },
    },
    steps: { ...steps, start: ofSteps.map(([start]) => start), end: ofSteps.map(([start, dur]) => start + dur) },
  };
}

const LAST = 1e9;
const backwards = (part: RankPart): RankPart => retimed(part, (start, dur) => [LAST - start - dur, dur]);
const faster = (part: RankPart): RankPart => retimed(part, (start, dur) => [start * 1.01, dur * 1.01]);

const changed = (parts: readonly RankPart[], wrong: number, change: (part: RankPart) => RankPart): RankPart[] =>
  parts.map((part, at) => (at === wrong ? change(part) : part));

/** What the table of ranks has of one, by key. */
function rowOf(report: JobReport, rank: number): Record<string, unknown> {
  const { columns, rows } = RANK_TABLES.ranks.of(report);
  const row = [...rows][rank];
  return Object.fromEntries(columns.map((column) => [column.key, column.value(row as never)]));
}

const NA = ['offset', 'drift', 'residual', 'bound', 'waited', 'last', 'delayed', 'late', 'step_time'];

describe('a rank whose times fit no clock', () => {
  for (const [name, change] of [
    ['runs backwards', backwards],
    ['runs 1 % too fast', faster],
  ] as const)
    // prettier-ignore
    for (const shape of SHAPES)
      for (const ordinals of [true, false])
        it(`that ${name} is named, and the others go on: ${JSON.stringify({ ...shape, ordinals })}`, () => {
          const own = partsOfJob(shape, ordinals);
          for (const wrong of [0, own.length - 1]) {
            const report = jobReport(changed(own, wrong, change));
            expect(report.misfits.map(({ part, isBackwards }) => [part, isBackwards])).to.deep.equal([
              [wrong, change === backwards],
            ]);
            if (change === faster) expect(report.misfits[0]?.drift).to.be.closeTo(0.01, 1e-3);
            const row = rowOf(report, wrong);
            for (const key of NA) expect(row[key], key).to.equal(null);
            expect(row['clock']).to.equal('refuted');
            const others = report.ranks.filter(({ part }) => part !== wrong);
            expect(others.filter(({ clock }) => clock.source === 'reference').length).to.equal(1);
            expect(others.filter(({ clock }) => clock.source === 'operations').length).to.equal(others.length - 1);
            for (const { clock } of others) expect(clock.bound).to.be.lessThan(500_000);
            expect(report.lateness.tested).to.equal(others.length);
            const ofGroup = (one: JobReport) => new Map(one.groups.map((group) => [`${group.name} ${group.ranks?.join()}`, group] as const));
            const whole = ofGroup(jobReport(own));
            for (const [group, { parts, matched }] of ofGroup(report)) {
              const isLeft = parts.filter((part) => part !== wrong).length > 1;
              expect(matched, group).to.equal(isLeft ? whole.get(group)?.matched : 0);
            }
          }
        });

  it('is none in jobs as they were', () => {
    for (const shape of SHAPES)
      for (const ordinals of [true, false])
        for (const steps of [1, 2, 6])
          expect(jobReport(partsOfJob({ ...shape, steps }, ordinals)).misfits).to.deep.equal([]);
  });

  it('is not told of two that contradict each other, unless one runs backwards', () => {
    const own = partsOfJob({ tp: 2, pp: 1, dp: 1 }, true);
    expect(jobReport(changed(own, 1, faster)).misfits).to.deep.equal([]);
    expect(jobReport(changed(own, 0, backwards)).misfits.map(({ part }) => part)).to.deep.equal([0]);
  });
});

/** How often the ends of a rank are looked at for one step of so many ranks, of which half fit no clock. */
function looksAt(ranks: number): number {
  const request = { ...SMALL, ...{ steps: 1, tp: 1, pp: 1, dp: ranks } };
  const {
    parts,
    matched,
    ranks: reports,
  } = jobReport(partsOf(simulateJob(request), { ordinals: true, descriptions: true }));
  const left = matched.map((group) => ({
    ...group,
    operations: group.operations.map(({ at, ...rest }) => ({
      ...rest,
      at: at.map((row, i) => (i < ranks / 2 ? row : -1)),
    })),
  }));
  let looks = 0;
  const watched = parts.map((part) => ({
    ...part,
    get operations() {
      looks++;
      return part.operations;
    },
  }));
  const clocks = reports.map(({ clock }) => clock);
  expect(misfitsOf(matched, left, watched, clocks)).to.have.length(ranks / 2);
  return looks;
}

describe('ranks that fit no clock', () => {
  it('are compared with the others at a cost that grows with the ranks, not with their square', () => {
    expect(looksAt(16) / looksAt(8)).to.equal(2);
  });
});
