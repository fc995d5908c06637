/** Loads of experts: sizes of all-to-alls that are known by construction. */
import { expect } from 'chai';
import { partsOf } from '../../../../bench/job-check.js';
import { simulateJob } from '../../../../samples/programs/job/simulate.js';
import { jobReport } from '../../../../src/prof/ranks/job-report.js';
import type { ExpertLoad } from '../../../../src/prof/ranks/parallelism/expert-loads.js';
import { RankCollector } from '../../../../src/prof/ranks/part/rank-collector.js';
import type { RankPart } from '../../../../src/prof/ranks/part/rank-part.js';
import type { Collective } from '../../../../src/record/fields/collective.js';
import type { KernelRecord, ProfileLine, ProfileRecord } from '../../../../src/record/record.js';
import { kernel } from '../../../support/kernels.js';
import { runCli } from '../../../support/run-cli.js';
import { itShared } from '../../../support/shared.js';
import { RANK_TABLES } from '../../../../src/prof/ranks/tables/tables.js';

const job = simulateJob({ tp: 1, pp: 1, dp: 4, steps: 3, layers: 2, microBatches: 2, kernelsPerLayer: 2 });

/** The gradients' operations as all-to-alls of experts, of sizes by rank and place. */
const asExperts = (part: RankPart, sizeOf: (rank: number, place: number) => number | null): RankPart => {
  const { operations, processGroups } = part;
  const name = processGroups.find(({ description }) => description === 'DATA_PARALLEL_GROUP')?.name;
  const isExpert = operations.group.map((group) => operations.groups[group] === name);
  return {
    ...part,
    processGroups: processGroups.map((one) => (one.name === name ? { ...one, description: 'EXPERT_GROUP' } : one)),
    operations: {
      ...operations,
      kind: operations.kind.map((kind, at) => (isExpert[at] === true ? 'all-to-all' : kind)),
      bytes: operations.bytes.map((bytes, at) => (isExpert[at] === true ? sizeOf(part.rank ?? 0, at) : bytes)),
    },
  };
};

const parts = partsOf(job, { ordinals: true, descriptions: true });
const expertsIn = (sizeOf: (rank: number, place: number) => number | null) =>
  jobReport(parts.map((part) => asExperts(part, sizeOf)));

describe('experts', () => {
  it('are loaded evenly where all send as much', () => {
    const [group] = expertsIn(() => 1000).experts;
    expect(group).to.include({ bytes: 1000, imbalance: 1, highest: 1, mostRatio: 1 });
  });

  it('have the largest over the mean', () => {
    // 1, 1, 1 and 5 of a thousand: the mean is 2.
    const report = expertsIn((rank) => (rank === 2 ? 5000 : 1000));
    expect(report.experts).to.have.length(1);
    expect(report.experts[0]).to.include({ bytes: 2000, imbalance: 2.5, highest: 2.5, most: 2, mostRatio: 2.5 });
    expect(RANK_TABLES.experts.missing(report)).to.equal(null);
    expect([...RANK_TABLES.experts.of(report).rows]).to.have.length(1);
  });

  it('count operations alone of which all sizes are known', () => {
    const report = expertsIn((rank) => (rank === 1 ? null : 1000));
    expect(report.experts).to.deep.equal([]);
    expect(RANK_TABLES.experts.missing(report)).to.match(/^no experts: no matched all-to-all /);
  });
});

describe('loads of experts', () => {
  const kernelOf = (rank: number, step: number, start: number, fields: Partial<Collective>): KernelRecord =>
    kernel({
      ...{ profile: rank, step, start, dur: 10, name: 'ncclDevKernel_SendRecv(a)', short: 'ncclDevKernel_SendRecv' },
      collective: {
        ...{ op: 'all_to_allv', bytesIn: null, bytesOut: null, dtype: 'bfloat16', group: '7' },
        ...{ groupSize: 2, ranks: [0, 1], ...fields },
      },
    });
  const header = (rank: number, size?: number): ProfileRecord => ({
    ...{
      type: 'profile',
      profile: rank,
      v: 1,
      format: 'kineto',
      tool: null,
      file: `${rank}.json`,
      rank,
      startUnixNs: null,
      dur: null,
      devices: [],
    },
    groups: size === undefined ? [] : [{ name: '7', description: 'EXPERT_MODEL_PARALLEL_GROUP', size, ranks: [0, 1] }],
  });
  /** A layer in each of two steps: each rank sends 3 of its 4 tokens to rank 0 and one to rank 1, then all go back. Tokens have 100 bytes. */
  const records = (rank: number): ProfileLine[] => [
    header(rank, 2),
    ...[0, 1].flatMap((step) => {
      const [sent, received] = [400, rank === 0 ? 600 : 200];
      const splitsIn = [3, 1];
      return [
        kernelOf(rank, step, 1000 * step + 100 + rank, { bytesIn: sent, bytesOut: received, splitsIn }),
        kernelOf(rank, step, 1000 * step + 200, {
          bytesIn: received,
          bytesOut: sent,
          ...(rank === 0 ? { splitsIn: [3, 3] } : {}),
        }),
      ];
    }),
  ];
  const reportOf = (...ranks: number[]) => {
    const collector = new RankCollector();
    for (const record of ranks.flatMap(records)) collector.take(record);
    return jobReport(collector.parts);
  };

  it('are those of each place in the step and each rank', () => {
    const { rows } = RANK_TABLES.loads.of(reportOf(0, 1));
    expect([...rows].map((row) => pick(row as LoadRow))).to.deep.equal([
      { place: 0, rank: 0, operations: 2, sent: 400, received: 600, sentRatio: 1, receivedRatio: 1.5, spread: 1.5 },
      { place: 0, rank: 1, operations: 2, sent: 400, received: 200, sentRatio: 1, receivedRatio: 0.5, spread: 1.5 },
      { place: 1, rank: 0, operations: 2, sent: 600, received: 400, sentRatio: 1.5, receivedRatio: 1, spread: 1 },
      { place: 1, rank: 1, operations: 2, sent: 200, received: 400, sentRatio: 0.5, receivedRatio: 1, spread: null },
    ]);
  });

  it('of one rank have sizes and splits, but no mean of all ranks', () => {
    const { rows } = RANK_TABLES.loads.of(reportOf(0));
    expect([...rows].map((row) => pick(row as LoadRow))[0]).to.deep.include({
      ...{ sent: 400, received: 600, sentRatio: null, receivedRatio: null, spread: 1.5 },
    });
  });

  it('have no mean where the number of ranks is unknown: others may lack a profile', () => {
    const collector = new RankCollector();
    for (const rank of [0, 1]) {
      collector.take(header(rank));
      collector.take(kernelOf(rank, 0, 100 + rank, { bytesIn: 400, bytesOut: 400, groupSize: null, ranks: null }));
    }
    const { rows } = RANK_TABLES.loads.of(jobReport(collector.parts));
    expect([...rows].map((row) => pick(row as LoadRow))).to.deep.equal(
      [0, 1].map((rank) => ({
        ...{ place: 0, rank, operations: 1, sent: 400, received: 400 },
        ...{ sentRatio: null, receivedRatio: null, spread: null },
      })),
    );
  });

  // The sampled steps of these ranks begin with different all-to-alls, of int64 and of bytes.
  itShared(
    'have no mean where ranks do different operations',
    ['data/kineto/ranks/sampled_rank-0.json.gz', 'data/kineto/ranks/sampled_rank-1.json.gz'],
    async (paths) => {
      const { stdout } = await runCli('dprof', [
        'ranks',
        '-q',
        '-t',
        'loads',
        '-f',
        'csv',
        '-c',
        'place,rank,sent,received,sent_ratio',
        ...paths,
      ]);
      expect(stdout.trimEnd().split('\n').slice(1)).to.deep.equal([
        '0,0,209716736,191067648,na',
        '0,1,169870848,191067648,na',
        '1,0,215408640,196308992,na',
        '1,1,202730368,180420608,na',
      ]);
    },
  );

  // Counted by a script over the JSON, from the extents of the ops in each step.
  itShared('have the sizes counted in a trace', ['data/kineto/a100_rank3of8_training.json.gz'], async ([path = '']) => {
    const { stdout } = await runCli('dprof', ['ranks', '-q', '-t', 'loads', '-f', 'jsonl', path]);
    const { loads } = JSON.parse(stdout) as { loads: readonly Record<string, unknown>[] };
    expect(loads.map(({ place, operations, sent }) => [place, operations, sent])).to.deep.equal([
      [0, 6, 288882688],
      [1, 6, 4009984],
      [2, 6, 60363552],
      [3, 6, 4096],
      [4, 6, 257565],
      [5, 6, 257565],
      [6, 6, 290422784],
    ]);
  });
});

type LoadRow = ExpertLoad & { readonly rank: number | null };

function pick({ place, rank, operations, sent, received, sentRatio, receivedRatio, spread }: LoadRow): object {
  return { place, rank, operations, sent, received, sentRatio, receivedRatio, spread };
}
