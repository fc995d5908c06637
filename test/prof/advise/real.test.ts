/** Advice on real profiles: its figures computed again from the records, in the plainest way. */
import { expect } from 'chai';
import { basename } from 'node:path';
import { openProfile } from '../../../src/parse/find.js';
import { readProfile } from '../../../src/parse/profile.js';
import type { Finding } from '../../../src/prof/advise/finding.js';
import type { CopyRecord, KernelRecord, ProfileLine, SetRecord } from '../../../src/record/record.js';
import { adviserOf } from '../../support/advice.js';
import { recordsOf } from '../../support/kineto.js';
import { itShared } from '../../support/shared.js';

async function read(path: string): Promise<readonly ProfileLine[]> {
  const { source } = await openProfile(path);
  const records = [...readProfile(source.path, { profile: 0, name: basename(path), ranges: true })];
  source.dispose();
  return records;
}

/** Records without ranges of the host, where no finding depends on these: they are most of a trace. */
const withoutRanges = (path: string): Promise<readonly ProfileLine[]> => recordsOf(basename(path, '.json.gz'));

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

describe('advice on real profiles', () => {
  itShared('finds the launches that an H100 waits for', [KINETO('h100_vit')], async ([path = '']) => {
    const records = await read(path);
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
      const records = await withoutRanges(path);
      const { findings } = adviserOf(records, { minShare: 0.005 });
      // 24 heads or batches of [5185,64] x [64,5185], whose result lies along 5185, no multiple of 8; then x [5185,64].
      const [found, ...more] = of(findings, 'alignment');
      const kernels = records.filter((record) => record.type === 'kernel' && /_align[12]\b/.test(record.name)) as KernelRecord[]; // prettier-ignore
      const shapes = (kernel: KernelRecord) =>
        (kernel.calls.at(-1)?.args ?? []).slice(0, 2).map(({ shape }) => String(shape?.slice(1)));
      const own = ['5185,64 64,5185', '5185,5185 5185,64'].map((text) =>
        kernels.filter((kernel) => shapes(kernel).join(' ') === text),
      );
      expect(own.map(({ length }) => length)).to.deep.equal([120, 120]);
      // Both do 2·24·5185·64·5185 FLOP and move 24 of two large factors and one large result: 5192/5185 more once padded.
      const floor = (kernel: KernelRecord): number => {
        const batch = kernel.calls.at(-1)?.args[0]?.shape?.[0] ?? NaN;
        const padded = 5192 / 5185;
        const flops = 2 * batch * 5185 * 64 * 5185 * padded;
        const bytes = 2 * batch * (2 * 5185 * 64 + 5185 * 5185) * padded;
        return Math.max(flops / 989e3, bytes / 3350);
      };
      const times = own.flat().map(({ dur }) => dur ?? 0);
      const floors = own.flat().map(floor);
      expect(more).to.deep.equal([]);
      const all = sum(kernels.map(({ dur }) => dur ?? 0));
      expect(found).to.include({ stake: all, count: kernels.length });
      expect(found?.evidence['padded']).to.match(
        /^m=5185 n=5185 k=64 -> m=5185 n=5192 k=64; m=5185 n=64 k=5185 -> m=5185 n=64 k=5192; /,
      );
      // All other such kernels are small.
      const gain = sum(times) - sum(floors);
      expect(found?.gain?.ns).to.be.within(gain, gain + all - sum(times));
      // These kernels are old ones for their extents alone: said once.
      expect(of(findings, 'old-architecture')).to.deep.equal([]);
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
      const records = await read(path);
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
      expect(product?.what).to.match(/^966 matrix products run in FP32/);
    },
  );

  itShared(
    'measures exposed communication as other tools count it',
    [KINETO('a100_rank3of8_training'), KINETO('mi300_resnet_training'), KINETO('a100_nccl_metadata')],
    async (paths) => {
      // ../shared/reference/exact-timelines.md, "comm not under compute", us.
      const expected = [87_921, 55_625, 39_559];
      const found: (Finding | undefined)[] = [];
      for (const path of paths) found.push(of(adviserOf(await withoutRanges(path)).findings, 'exposed-collectives')[0]);
      expect(found.map((one) => Math.round((one?.stake ?? 0) / 1000))).to.deep.equal(expected);
      // Never more than what is computed without communication; unknown where the ranks mostly wait for another one.
      const [overlappable, waiting] = found;
      expect(overlappable?.gain?.ns).to.be.at.most(Number(overlappable?.evidence['computingAloneNs']));
      expect(waiting)
        .to.include({ gain: null })
        .and.have.property('action')
        .that.matches(/^find the rank/);
    },
  );

  itShared(
    'does not ask for TF32 where an A100 has it: extents keep products off the unit',
    [KINETO('a100_rank3of8_training')],
    async ([path = '']) => {
      const records = await withoutRanges(path);
      const { findings } = adviserOf(records);
      expect(of(findings, 'fp32-product')).to.deep.equal([]);
      const [found] = of(findings, 'alignment');
      // cuBLAS's kernels of one element a load, and of FP32 (ampere_sgemm) on extents of which some is not a multiple of 4.
      const kernels = records.filter((record): record is KernelRecord => record.type === 'kernel');
      const slowed = kernels.filter(({ name }) => /tensorop_s1688gemm_\w*_align1\b/.test(name));
      const odd = kernels.filter(
        ({ name, calls }) =>
          name.startsWith('ampere_sgemm') &&
          calls.at(-1)?.args.some(({ shape }) => shape?.slice(-2).some((extent) => extent % 4 !== 0 && extent > 1)),
      );
      expect(slowed.length).to.be.greaterThan(200);
      expect(found?.count).to.be.within(slowed.length, slowed.length + odd.length);
      expect(found?.gain?.ns).to.be.within(0.01 * 464_594_000, found?.stake ?? 0);
    },
  );

  itShared(
    'holds FP32 products on Trainium to what two instructions for each take',
    ['baseline', 'fused'].map((name) => `data/neuron/trn2_${name}_fp32_s512/${name}_exec_2_profile_full.json`),
    async (paths) => {
      for (const path of paths) {
        const records = await read(path);
        expect(of(adviserOf(records, { minShare: 0 }).findings, 'impossible'), path).to.deep.equal([]);
        // Weights come in pairs, the low and the high half; so do the multiplications, each past one of them.
        const mode = (name: string, text: string): number =>
          records.filter((record) => record.type === 'kernel' && record.name === name && record.labels?.['type'] === 'REGULAR' && record.operands?.includes(`fp32_mode=${text} `)).length; // prettier-ignore
        const [low, high, products] = [mode('LDWEIGHTS', 'LOW'), mode('LDWEIGHTS', 'HIGH'), mode('MATMUL', 'LOW_HIGH')];
        expect([low, products]).to.deep.equal([high, low + high]);
        const [slow] = of(adviserOf(records, { minShare: 0 }).findings, 'fp32-product');
        expect([slow?.count, slow?.evidence['type']], path).to.deep.equal([products, 'bf16']);
      }
    },
  );

  itShared(
    'counts on Ascend what the profile of another level says is not rounded',
    ['db_level0_rank0', 'db_level1_rank1'].map(
      (name) => `data/ascend/${name}/ASCEND_PROFILER_OUTPUT/ascend_pytorch_profiler_${name.at(-1)}.db`,
    ),
    async (paths) => {
      for (const path of paths) {
        const [found] = of(adviserOf(await read(path), { minShare: 0 }).findings, 'fp32-product');
        // addmm 3, mm 6; HF32 Eligible is YES for all convolutions in kernel_details.csv of the same program.
        expect([found?.count, found?.what.includes('conv')], path).to.deep.equal([9, false]);
      }
    },
  );

  itShared(
    'reports no straggler from one step of two ranks',
    ['rank0', 'rank1'].map((name) => `data/ascend/text_level1_${name}/ASCEND_PROFILER_OUTPUT/trace_view.json`),
    async (paths) => {
      const ranks: ProfileLine[] = [];
      for (const [number, path] of paths.entries()) {
        const records = await read(path);
        ranks.push(...records.map((record) => ({ ...record, profile: number })));
      }
      const { silences } = adviserOf(ranks, { minShare: 0 });
      expect(silences.find(({ rule }) => rule === 'stragglers')?.why).to.match(/^too few steps/);
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
        const records = await read(path);
        const adviser = adviserOf(records);
        const { findings } = adviser;
        expect(findings, path).not.to.have.length(0);
        for (const finding of findings) {
          expect(adviser.shareOf(finding), path).to.be.at.least(0.01);
          expect(adviser.shareOf({ ...finding, stake: finding.gain?.ns ?? finding.stake }), path).to.be.at.least(0.01);
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
