/** Bubbles of pipeline stages held against what a schedule of one forward, one backward pass leaves. */
import { expect } from 'chai';
import { partsOf } from '../../../../bench/job-check.js';
import { NO_NOISE, type JobRequest } from '../../../../samples/programs/job/options.js';
import { simulateJob, type SimulatedJob } from '../../../../samples/programs/job/simulate.js';
import { programOf } from '../../../../samples/programs/job/truth.js';
import { jobReport, type JobReport } from '../../../../src/prof/ranks/job-report.js';
import type { StageReport } from '../../../../src/prof/ranks/parallelism/stages.js';
import { RANK_TABLES } from '../../../../src/prof/ranks/tables/tables.js';

const STATED = { ordinals: true, descriptions: true };
const QUIET: JobRequest = { steps: 3, layers: 4, kernelsPerLayer: 2, noise: NO_NOISE, clocks: 'none' };

const reportOf = (job: SimulatedJob, format = STATED): JobReport => jobReport(partsOf(job, format));
const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

/** Of one rank, the durations of its kernels of a pass, of one micro batch; and what else there is, ns. */
function workOf(job: SimulatedJob, rank: number) {
  const { ops } = programOf(job, rank);
  const lengthOf = (chosen: typeof ops): number =>
    chosen.reduce((sum, { index }) => sum + (job.ends[rank]?.[index] ?? NaN) - (job.starts[rank]?.[index] ?? NaN), 0);
  const first = ops.filter(({ step }) => step === 1);
  const passOf = (dir: 'fprop' | 'bprop'): number =>
    lengthOf(first.filter(({ kernel, part }) => kernel !== null && part?.pass.dir === dir && part.pass.micro === 0));
  const kernels = lengthOf(ops.filter(({ kernel }) => kernel !== null)) / job.options.steps;
  return { forward: passOf('fprop'), backward: passOf('bprop'), kernels };
}

describe('pipeline stages', () => {
  it('have the bubbles of their schedule', () => {
    const [pp, microBatches] = [4, 8];
    const job = simulateJob({ ...QUIET, tp: 1, pp, dp: 1, microBatches });
    const { stages } = reportOf(job);
    expect(stages.map(({ stage, stages: of, parts }) => [stage, of, parts])).to.deep.equal(
      [0, 1, 2, 3].map((stage) => [stage, 4, [stage]]),
    );
    const { forward, backward } = workOf(job, 0);
    // One forward, one backward: each stage waits for as many forward and backward passes as there are other stages.
    const expected = (pp - 1) * (forward + backward);
    for (const { bubble, compute, stage } of stages) {
      // Transfers come on top: each pass of a micro batch begins with one.
      expect(bubble).to.be.within(0.98 * expected, 1.15 * expected);
      expect(compute).to.be.closeTo(workOf(job, stage).kernels, 2000);
    }
    const [first, last] = [stages[0], stages[3]] as [StageReport, StageReport];
    // The first waits for the gradients of its first micro batch; nobody waits less at the end of the step.
    expect(first.messages).to.be.within(0.95 * expected, 1.15 * expected);
    expect(first.across).to.be.below(0.02 * expected);
    // The last waits for the first activations, and then for the others to be done with the step.
    expect(last.messages).to.be.within(0.95 * (pp - 1) * forward, (pp - 1) * forward + 0.15 * expected);
    expect(last.across).to.be.within(0.9 * (pp - 1) * backward, (pp - 1) * backward + 0.1 * expected);
    for (const { bubble, stepTime } of stages)
      expect((bubble ?? NaN) / (stepTime ?? NaN)).to.be.closeTo((pp - 1) / (microBatches + pp - 1), 0.03);
  });

  it('have what is left of their steps in truth', () => {
    for (const shape of [
      { tp: 2, pp: 2, dp: 2, microBatches: 3 },
      { tp: 1, pp: 3, dp: 2, microBatches: 4, seed: 4, noise: {} },
    ]) {
      const job = simulateJob({ ...QUIET, clocks: { offsetNs: 1e9, drift: 50e-6 }, ...shape });
      const report = reportOf(job);
      for (const { stage, parts, compute, stepTime, messages, across, idle, bubble } of report.stages) {
        expect(compute).to.be.closeTo(mean(parts.map((part) => workOf(job, part).kernels)), 5000);
        expect((messages ?? 0) + (across ?? 0) + (idle ?? 0)).to.equal(bubble);
        expect((bubble ?? NaN) + (compute ?? NaN)).to.be.below(stepTime ?? 0);
        expect(parts.every((part) => job.ranks[part]?.pipeline === stage)).to.equal(true);
      }
    }
  });

  it('are known by messages alone', () => {
    const job = simulateJob({ ...QUIET, tp: 2, pp: 2, dp: 2, microBatches: 2 });
    const [stated, unstated] = [STATED, { ordinals: false, descriptions: false }].map((format) =>
      reportOf(job, format),
    );
    expect(unstated?.stages.map(({ parts, inferred }) => [parts, inferred])).to.deep.equal(
      stated?.stages.map(({ parts }) => [parts, true]),
    );
  });

  it('are there for those whose profiles are, and unknown without steps', () => {
    const parts = partsOf(simulateJob({ ...QUIET, tp: 1, pp: 4, dp: 1, microBatches: 4 }), STATED);
    const some = jobReport(parts.filter(({ rank }) => rank !== 1));
    expect(some.stages.map(({ stage, stages }) => [stage, stages])).to.deep.equal([
      [0, 4],
      [2, 4],
      [3, 4],
    ]);
    const old = jobReport(
      parts.map(({ steps: { messages, ...steps }, ...part }) => {
        expect(messages).to.have.length(3);
        return { ...part, steps };
      }),
    );
    expect(old.stages.map(({ messages, bubble }) => [messages, bubble])).to.deep.equal(parts.map(() => [null, null]));
  });

  it('and experts are none where the job has none, which a line says', () => {
    const report = reportOf(simulateJob({ ...QUIET, tp: 2, pp: 1, dp: 1 }));
    expect([...RANK_TABLES.stages.of(report).rows]).to.deep.equal([]);
    expect(RANK_TABLES.stages.missing(report)).to.match(/^no stages: the profiles mark no group as a pipeline/);
    expect(RANK_TABLES.experts.missing(report)).to.match(/^no experts: the profiles mark no group as experts/);
  });
});
