/** Advice on real profiles: its figures computed again from the records, in the plainest way. */
import { expect } from 'chai';
import { basename } from 'node:path';
import { openProfile } from '../../../src/parse/find.js';
import { readProfile } from '../../../src/parse/profile.js';
import type { Finding } from '../../../src/prof/advice/finding.js';
import type { CopyRecord, KernelRecord, ProfileLine, SetRecord } from '../../../src/record/record.js';
import { adviserOf } from '../../support/advice.js';
import { itShared } from '../../support/shared.js';

async function recordsOf(path: string): Promise<ProfileLine[]> {
  const source = await openProfile(path);
  const records = [...readProfile(source.path, { profile: 0, name: basename(path), ranges: true })];
  source.dispose();
  return records;
}
const of = (findings: readonly Finding[], rule: string): Finding[] => findings.filter((one) => one.rule === rule);

type Work = KernelRecord | CopyRecord | SetRecord;
const isWork = (record: ProfileLine): record is Work => ['kernel', 'copy', 'set'].includes(record.type);
const LONGEST_LAUNCH = 1e6;

/** Gaps of a device that a later launch ended: all works sorted, the latest end so far. */
function lateGaps(records: readonly ProfileLine[], device: number): { time: number; after: Work }[] {
  const works = records.filter(isWork).filter((work) => work.device === device && work.dur !== null);
  let end = Infinity;
  return works
    .sort((a, b) => a.start - b.start)
    .flatMap((after) => {
      const gap = { time: after.start - end, after, isLate: (after.launch?.start ?? -Infinity) >= end };
      end = Math.max(end === Infinity ? 0 : end, after.start + (after.dur ?? 0));
      return gap.time > 0 && gap.isLate ? [gap] : [];
    });
}
const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0);

const KINETO = (name: string): string => `data/kineto/${name}.json.gz`;

describe('advice on real profiles', function () {
  this.timeout(120_000);

  itShared('finds the launches that an H100 waits for', [KINETO('h100_vit')], async ([path = '']) => {
    const records = await recordsOf(path);
    const [found] = of(adviserOf(records).findings, 'launch-gaps');
    const gaps = lateGaps(records, 0);
    expect(found).to.include({ stake: sum(gaps.map(({ time }) => time)), count: gaps.length });
    // ../shared/reference/exact-timelines.md: idle 6.335 ms of 7.560; what was launched in time is a little of it.
    expect(found?.stake).to.be.within(6_300_000, 6_335_000);
    // Kernels of sm80 on sm90, by their names.
    const [old] = of(adviserOf(records).findings, 'old-architecture');
    const names = records.filter(isWork).filter((work) => work.type === 'kernel' && /cutlass_80_|flash_fwd_kernel/.test(work.name)); // prettier-ignore
    expect(old).to.include({ stake: sum(names.map(({ dur }) => dur ?? 0)), count: names.length });
  });

  itShared(
    'gives the padded extents of products with one element a load',
    [KINETO('h100_owlv2')],
    async ([path = '']) => {
      const records = await recordsOf(path);
      const { findings } = adviserOf(records);
      // 24 heads or batches of [5185,64] x [64,5185], which no multiple of 8 divides; padded to 5192.
      const [found] = of(findings, 'alignment').filter(({ evidence }) => evidence['extents'] === 'm=5185 n=5185 k=64');
      const kernels = records.filter((record) => record.type === 'kernel' && /align1/.test(record.name)) as KernelRecord[]; // prettier-ignore
      const own = kernels.filter(({ calls }) => String(calls.at(-1)?.args[0]?.shape?.slice(1)) === '5185,64');
      const floors = own.map(({ calls }) => {
        const batch = calls.at(-1)?.args[0]?.shape?.[0] ?? NaN;
        const padded = (5192 / 5185) ** 2;
        const flops = 2 * batch * 5185 * 64 * 5185 * padded;
        const bytes = 2 * batch * (2 * 5185 * 64 + 5185 * 5185) * padded;
        return Math.max(flops / 989e3, bytes / 3350);
      });
      expect(own).to.have.length(120);
      expect(found).to.include({ stake: sum(own.map(({ dur }) => dur ?? 0)), count: 120 });
      expect(found?.evidence).to.include({ padded: 'm=5192 n=5192 k=64' });
      expect(found?.gain?.ns).to.be.closeTo(sum(own.map(({ dur }, i) => (dur ?? 0) - (floors[i] ?? 0))), 1);
      // x · sigmoid(1.702 x), 120 times: two tensors of 16 bit in between, each written and read.
      const [fused] = of(findings, 'fusion');
      const sigmoids = records.filter((record) => record.type === 'kernel').filter(({ calls }) => calls?.at(-1)?.op === 'sigmoid') as KernelRecord[]; // prettier-ignore
      const elements = sigmoids.map(({ calls }) => (calls.at(-1)?.args[0]?.shape ?? []).reduce((a, b) => a * b, 1));
      const large = elements.filter((count) => count > 1e6);
      expect(fused?.evidence['savedBytes']).to.equal(sum(large.map((count) => 2 * 2 * 2 * count)));
    },
  );

  itShared(
    'bounds FP32 products, and waiting for data, on a V100',
    [KINETO('v100_resnet50_2021')],
    async ([path = '']) => {
      const records = await recordsOf(path);
      const { findings } = adviserOf(records);
      const [waits] = of(findings, 'input-pipeline');
      const [product] = of(findings, 'fp32-product');
      // Before the first kernel of each of five steps, since the last of the step before.
      let step: number | null = null;
      let pending = 0;
      let expected = 0;
      const gaps = new Map(lateGaps(records, 0).map(({ after, time }) => [after, time]));
      for (const work of records.filter(isWork).sort((a, b) => a.start - b.start)) {
        pending += gaps.get(work) ?? 0;
        if (work.type !== 'kernel') continue;
        if (step !== null && work.step !== step) expected += pending;
        step = work.step ?? step;
        pending = 0;
      }
      expect(waits).to.include({ stake: expected, count: 5 });
      // Nearly all of it while the loader's next batch is awaited.
      expect(Number(waits?.evidence['loadingNs'])).to.be.within(0.9 * expected, expected);
      expect(product?.gain?.ns).to.be.lessThan(product?.stake ?? 0);
      expect(product?.what).to.match(/^966 products in FP32/);
    },
  );

  itShared(
    'tells exposed communication as other tools count it',
    [KINETO('a100_rank3of8_training'), KINETO('mi300_resnet_training'), KINETO('a100_nccl_metadata')],
    async (paths) => {
      // ../shared/reference/exact-timelines.md, "exposed comm", us.
      const expected = [86_554, 55_289, 39_191];
      const found: (Finding | undefined)[] = [];
      for (const path of paths) found.push(of(adviserOf(await recordsOf(path)).findings, 'exposed-collectives')[0]);
      expect(found.map((one) => Math.round((one?.stake ?? 0) / 1000))).to.deep.equal(expected);
      // Never more than what is computed without communication.
      for (const one of found) expect(one?.gain?.ns).to.be.at.most(Number(one?.evidence['computingAloneNs']));
    },
  );

  itShared(
    'has nothing to stumble over in any format',
    [
      KINETO('mi300_norm_layers_training'),
      'data/nsys/vsr_a100_pyprof.sqlite',
      'data/nsys/fsdp_2proc.sqlite',
      'data/nvprof/lm_v100.net.sql',
      'data/neuron/trn2_fused_fp32_s512/fused_exec_2_profile_full.json',
      'data/ascend/db_level1_rank1/ASCEND_PROFILER_OUTPUT/ascend_pytorch_profiler_1.db',
    ],
    async (paths) => {
      for (const path of paths) {
        const records = await recordsOf(path);
        const adviser = adviserOf(records);
        const { findings } = adviser;
        expect(findings, path).not.to.have.length(0);
        for (const finding of findings) {
          expect(adviser.shareOf(finding), path).to.be.at.least(0.01);
          expect(JSON.stringify(finding), path).not.to.match(/NaN|Infinity|undefined|null,"how"/);
          if (finding.gain !== null) expect(finding.gain.ns, finding.what).to.be.within(0, finding.stake);
        }
        for (const { stake, device, evidence } of of(findings, 'launch-gaps')) {
          const all = lateGaps(records, device ?? 0).map(({ time }) => time);
          const some = all.filter((time) => (Number(evidence['longestNs']) > LONGEST_LAUNCH ? time > LONGEST_LAUNCH : time <= LONGEST_LAUNCH)); // prettier-ignore
          expect(stake, path).to.be.at.most(sum(some));
        }
      }
    },
  );
});
