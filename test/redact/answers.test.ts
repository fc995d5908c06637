/** Answers to a redacted profile are those to the profile, but for texts. */
import { expect } from 'chai';
import { join } from 'node:path';
import { freshPath } from '../support/fresh-path.js';
import { answersTo, differences } from '../support/redacted-answers.js';
import { runCli } from '../support/run-cli.js';
import { itEachShared, ROOT } from '../support/shared.js';

async function expectEqual(path: string, form: 'profile' | 'records'): Promise<void> {
  const isDatabase = path.endsWith('.sqlite');
  const copy = freshPath(form === 'records' ? '.jsonl' : isDatabase ? '.sqlite' : '.json.gz');
  const original = form === 'records' ? freshPath('.jsonl') : path;
  if (form === 'records') await runCli('dparse', ['-q', '--ranges', '-o', original, path]);
  await runCli('dparse', ['redact', '-q', '--as', form, ...(form === 'records' ? ['--ranges'] : []), '-o', copy, path]);
  expect(differences(await answersTo(original), await answersTo(copy))).to.deep.equal([]);
}

const PROFILES = [
  ...['nsys/nvfuser_h200.sqlite', 'nsys/cuda_graph_rtx3060.sqlite', 'nsys/schema_2021.sqlite'],
  ...['kineto/h100_vit.json.gz', 'kineto/mi300_hipgraph_decode.json.gz', 'kineto/a100_alexnet_seq.json.gz'],
].map((name) => `data/${name}`);
const MORE_PROFILES = [
  ...[
    'nsys/fsdp_2proc.sqlite',
    'nsys/h100_2gpu_orphans.sqlite',
    'nsys/vsr_a100_pyprof.sqlite',
    'nsys/nvtx_only.sqlite',
    'nsys/many_kernels_no_nvtx.sqlite',
  ],
  ...['kineto/h100_qwen.json.gz', 'kineto/a100_nccl_metadata.json.gz', 'kineto/ranks/sampled_rank-0.json.gz'],
  ...['kineto/cpu_only_torch_2_13.pt.trace.json.gz', 'kineto/v100_resnet50_2021.json.gz'],
].map((name) => `data/${name}`);
const RECORDS = [
  ...['amd/rocpd/bmm_mi300x_results.db', 'amd/matmul_result.rpd', 'nvprof/lm_v100.net.sql'],
  ...[
    'neuron/trn2_fused_fp32_s512/fused_exec_2.ntff',
    'nsys/rtx3080_with_target_info.sqlite',
    'kineto/h100_bert_small.json.gz',
  ],
].map((name) => `data/${name}`);
const MORE_RECORDS = [
  ...[
    'xplane/tpu_v6e_4.xplane.pb',
    'xplane/jax08_conv_8gpu_mi300.xplane.pb',
    'neuron/trn2_fused_fp32_s512/fused_exec_2_profile_full.json',
  ],
  ...['neuron/neuron_monitor_trn1.jsonl', 'amd/rocprofv1/results.db', 'nsys/fsdp_2proc.sqlite'],
].map((name) => `data/${name}`);

describe('a comparison of answers', () => {
  const rows = [
    { total: 9, count: 1, name: 'text' },
    { total: 5, count: 3, name: 'text' },
    { total: 5, count: 2, name: 'text' },
    { total: 1, count: 7, name: 'text' },
  ];
  const ordered = (...places: readonly number[]): object => ({ rows: places.map((place) => rows[place]) });
  const whole = ordered(0, 1, 2, 3);

  it('lets only items change places that are equal in the column by which the list is sorted', () => {
    expect(differences(whole, ordered(0, 2, 1, 3))).to.deep.equal([]);
    expect(differences(whole, ordered(1, 0, 2, 3))).to.not.deep.equal([]);
    expect(differences(whole, ordered(0, 1, 3, 2))).to.not.deep.equal([]);
  });

  it('takes an order without such a column as it is', () => {
    const [before, after] = [[3, 1, 2], [3, 2, 1]].map((cells) => ({ rows: cells.map((n) => ({ n })) })); // prettier-ignore
    expect(differences(before, after)).to.deep.equal(['.rows[1].n: 1, 2', '.rows[2].n: 2, 1']);
  });

  it('finds other numbers, missing items and missing keys', () => {
    expect(differences(whole, ordered(0, 1, 2))).to.deep.equal(['.rows: 4 items, 3']);
    expect(differences({ a: 1, b: [{ c: 2 }] }, { b: [{ c: 3 }] })).to.deep.equal([
      '.a: 1, undefined',
      '.b[0].c: 2, 3',
    ]);
  });
});

describe('the answers to a redacted profile', () => {
  for (const name of ['lenet.nsys.sqlite', 'lenet.pt.trace.json.gz'])
    it(`are those to ${name}`, () => expectEqual(join(ROOT, 'samples', name), 'profile'));

  for (const name of ['transformer.nsys.sqlite', 'ascend_pt', 'attention.ntff', 'step-gpu.xplane.pb', 'mlp_results.db'])
    it(`are those to the records of ${name}`, () => expectEqual(join(ROOT, 'samples', name), 'records'));

  itEachShared(PROFILES, MORE_PROFILES, (name) => `are those to ${name}`, (path) => expectEqual(path, 'profile')); // prettier-ignore
  itEachShared(RECORDS, MORE_RECORDS, (name) => `are those to the records of ${name}`, (path) => expectEqual(path, 'records')); // prettier-ignore
});
