/** What `dprof check` finds lost or doubtful, the answers with figures name too. */
import { expect } from 'chai';
import { mark } from '../../support/sets.js';
import { runCli } from '../../support/run-cli.js';
import { samplesByFormat } from '../../support/samples-by-format.js';
import { itEachShared } from '../../support/shared.js';

interface Document {
  readonly answer: readonly { readonly reasons: readonly { readonly level: string; readonly check: string }[] }[];
  readonly doubts: readonly { readonly level: string; readonly diagnostic: string }[];
}

/** The document of a command; null when the command has no answer for the profile. */
async function documentOf(command: string, path: string): Promise<Document | null> {
  const { stdout, code } = await runCli('dprof', [command, '-f', 'json', path]);
  return code === 0 ? (JSON.parse(stdout) as Document) : null;
}

async function expectDoubts(path: string): Promise<void> {
  const checked = await documentOf('check', path);
  if (checked === null) return;
  const reasons = checked.answer.flatMap((profile) => profile.reasons).filter(({ level }) => level !== 'limit');
  const found = reasons.map(({ level, check }) => `${level} ${check}`).sort();
  const named = (document: Document): string[] =>
    document.doubts.map(({ level, diagnostic }) => `${level} ${diagnostic}`).sort();
  expect(named(checked)).to.deep.equal([...new Set(found)]);
  const summary = await documentOf('summary', path);
  if (summary !== null) expect(named(summary)).to.deep.equal(named(checked));
  const steps = await documentOf('steps', path);
  const lost = (names: readonly string[]): string[] => names.filter((name) => name.startsWith('loss'));
  if (steps !== null) expect(lost(named(steps))).to.deep.equal(lost(named(checked)));
}

const REAL = [
  'xplane/tpu_v6e_4.xplane.pb',
  'kineto/v100_resnet50_2021.json.gz',
  'kineto/merged/hpc_training_4ranks.json.gz',
  'amd/matmul_result.rpd',
];
const OTHERS = [
  'amd/mi350_fsdp_12000_results.json.gz',
  'amd/vllm_mi300.rpd.gz',
  'ascend/db_level1_rank1',
  'ascend/text_level2_rank0',
  'kineto/a100_rank3of8_training.json.gz',
  'kineto/b200_rank0of8.json.gz',
  'kineto/h100_vit.json.gz',
  'kineto/mi300_resnet_training.json.gz',
  'neuron/trn2_fused_bf16_s512',
  'nsys/fsdp_2proc.sqlite',
  'nsys/h100_2gpu_orphans.sqlite',
  'nvprof/nccl_8v100.nvvp',
  'xplane/jax08_conv_8gpu_mi300.xplane.pb',
];
const inData = (names: readonly string[]): string[] => names.map((name) => `data/${name}`);

describe('losses and doubts of a check', () => {
  for (const path of [...samplesByFormat().values()].flat())
    mark(
      'slow',
      it(`are those of other answers: ${path.replace(/.*[/]/, '')}`, () => expectDoubts(path)),
    );
  itEachShared(
    inData(REAL),
    inData(OTHERS),
    (name) => `are those of other answers: ${name}`,
    (path) => expectDoubts(path),
  );
});
