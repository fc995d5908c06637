/** `dparse redact`: its pseudonyms, options, report and output. */
import { expect } from 'chai';
import Database from 'better-sqlite3';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { join } from 'node:path';
import { TextRules, type RedactOptions, type TextKind } from '../../src/redact/texts.js';
import { DEVICES } from '../../src/prof/roofline/devices.js';
import { redactCall } from '../../src/redact/ranges.js';
import { redactRecord } from '../../src/redact/records.js';
import type { Arg, OpCall, ProfileLine } from '../../src/record/record.js';
import { RECORD_FIELDS } from '../../src/record/fields/record-fields.js';
import { freshPath } from '../support/fresh-path.js';
import { NsightDatabase } from '../support/nsight-database.js';
import { runCli } from '../support/run-cli.js';
import { ROOT } from '../support/shared.js';

const LENET = join(ROOT, 'samples/lenet.nsys.sqlite');
const rulesWith = (options: Partial<RedactOptions> = {}): TextRules =>
  new TextRules({ key: null, keep: new Set(), hashKernels: false, ...options });

type Row = Readonly<Record<string, unknown>>;
const rowsOf = (text: string): Row[] => text.trim().split('\n').map((line) => JSON.parse(line) as Row); // prettier-ignore

async function redacted(...args: readonly string[]): Promise<Row[]> {
  const output = freshPath('.jsonl');
  const { code, stderr } = await runCli('dparse', ['redact', '-q', '-o', output, ...args]);
  expect(code, stderr).to.equal(0);
  return rowsOf(readFileSync(output, 'utf8'));
}

describe('a redacted text', () => {
  const CASES: readonly (readonly [TextKind, string, string])[] = [
    ['frame', '/home/alice/a/train.py:48', 'path-1/file-1.py:48'],
    ['frame', 'C:\\Users\\alice\\train.py:48', 'path-1/file-1.py:48'],
    ['frame', '/home/alice/site-packages/torch/nn/modules/conv.py(12): forward', 'path-1/torch/nn/modules/conv.py(12): forward'], // prettier-ignore
    ['frame', 'train.py(3): <module>', 'file-1.py(3): <module>'],
    ['frame', 'train.py(3): load_patients', 'file-1.py(3): function-1'],
    ['frame', 'nn.Module: Linear_3', 'nn.Module: Linear_3'],
    ['frame', 'nn.Module: AliceNet_3', 'nn.Module: layer_1_3'],
    ['layer', 'encoder.0.mlp', 'layer_1.0.layer_2'],
    ['layer', '10.213.7.9', 'layer-1.layer-2.layer-3.layer-4'],
    ['range', 'aten::mm, seq = 5, op_id = 7, sizes = [[2, 3], []]', 'aten::mm, seq = 5, op_id = 7, sizes = [[2, 3], []]'], // prettier-ignore
    ['range', 'acme::secret_gemm, seq = 5', 'library_a::op_a, seq = 5'],
    ['range', 'autograd::engine::evaluate_function: AddmmBackward0', 'autograd::engine::evaluate_function: AddmmBackward0'], // prettier-ignore
    ['range', 'AliceFunctionBackward', 'op_aBackward'],
    ['range', 'ProfilerStep#7', 'ProfilerStep#7'],
    ['range', 'alice#step_num=7#', 'range_a#step_num=7#'],
    ['range', 'execute_context_1(30)_generation_2(2)', 'execute_context_1(30)_generation_2(2)'],
    ['range', 'request_alice-9', 'request_req-1'],
    ['range', 'layer:alice.fc', 'layer:layer_1.layer_2'],
    ['range', 'load Alice', 'range-a'],
    ['range', 'load_alice', 'range_a'],
    ['range', "{'mod': 'torch', 'op': 'mm', 'args': [{'name': '', 'type': 'tensor', 'shape': (2, 3), 'dtype': 'float16'}]}", "{'mod': 'torch', 'op': 'mm', 'args': [{'name': '', 'type': 'tensor', 'shape': (2, 3), 'dtype': 'float16'}]}"], // prettier-ignore
    ['range', "{'traceMarker': ['/home/alice/a.py:7']}", "{'traceMarker': ['path-1/file-1.py:7']}"],
    ['range', "{'Module': 'alice.0', 'TrainableParams': 'x'}", "{'Module': 'layer_1.0'}"],
    ['range', "{'args': alice}", "{'args': range-a"],
    ['range', 'Optimizer.step#Adam.step', 'Optimizer.step#Adam.step'],
    ['einsum', 'bhqd,bhkd->bhqk', 'abcd,abed->abce'],
    ['api', 'cudaLaunchKernel_v7000', 'cudaLaunchKernel_v7000'],
    ['api', 'cudaAliceKernel', 'call_a'],
    ['value', '[1, 0.5, alice]', '[1, 0.5, text_1]'],
    ['kernel', 'void at::native::add<float>(float*)', 'void at::native::add<float>(float*)'],
    ['kernel', '/home/alice/k.cu', 'kernel_1'],
    ['device', 'NVIDIA H100 80GB HBM3', 'NVIDIA H100 80GB HBM3'],
    ['device', 'GPU of Alice', 'device-1'],
    ['device', 'NVIDIA A100-SXM4-80GB MIG 3g.40gb', 'NVIDIA A100-SXM4-80GB MIG 3g.40gb'],
    ['device', '10.213.7.9', 'device-1'],
    ['thread', 'stream 7', 'stream 7'],
    ['activity', 'Runtime Triggered Module Loading', 'Runtime Triggered Module Loading'],
    ['activity', 'CUPTI: Buffer flush', 'CUPTI: Buffer flush'],
    ['activity', 'CUDA profiling data flush on process exit', 'CUDA profiling data flush on process exit'],
    ['activity', 'dlopen(alice.so.8)', 'activity-a'],
    ['range', 'Command Buffer Full', 'Command Buffer Full'],
    ['operands', 'acc_flags=1 fp32_mode=LOW_HIGH alice=2', 'acc_flags=1 fp32_mode=LOW_HIGH tensor-1=2'],
    ['range', "{'mod': 'torch', 'op': '__getattr__', 'args': []}", "{'mod': 'torch', 'op': '__getattr__', 'args': []}"],
    ['frame', '/home/alice/torch/train_alice.py(3): alice_fn', 'path-1/torch/file-1.py(3): function-1'],
    ['frame', '/opt/torch/nn/alice/proj.py(4): forward', 'path-1/torch/nn/file-1.py(4): function-1'],
    ['frame', '/opt/pytorch/torch/nn/modules/module.py:7', 'path-1/torch/nn/modules/module.py:7'],
    ['frame', 'torch/_inductor/alice.py(5): run', 'torch/_inductor/file-1.py(5): function-1'],
    ['frame', 'apex/optimizers/alice.py(5): step', 'apex/optimizers/file-1.py(5): function-1'],
    ['frame', 'torch/nn/modules/module.py(9): _call_impl', 'torch/nn/modules/module.py(9): _call_impl'],
    ['frame', 'torch/nn/modules/module.py(9): alice', 'torch/nn/modules/module.py(9): function-1'],
    ['frame', '<frozen importlib._bootstrap>(2): alice', '<frozen importlib._bootstrap>(2): function-1'],
    ['frame', '<frozen alice.foo>(2): alice', '<file-1>(2): function-1'],
    ['range', 'torch::alice_ns::op', 'library_a::op_a'],
    ['range', 'at::alice::op_6', 'library_a::op_a_1'],
    ['range', 'torch::distributed::reducer::mul_out', 'torch::distributed::reducer::mul_out'],
    ['range', 'nccl:alice', 'nccl:op_a'],
    ['range', 'nccl:_all_gather_base', 'nccl:_all_gather_base'],
    ['range', 'nccl::nccl:alice', 'nccl::nccl:range_a'],
    ['range', 'FSDP::alice_layer', 'FSDP::range_a'],
    ['range', 'FSDP::pre_forward (alice.3)', 'FSDP::pre_forward (layer_1.3)'],
    ['range', 'FSDP::all_gather_copy_out', 'FSDP::all_gather_copy_out'],
    ['range', 'FullyShardedDataParallel.alice', 'FullyShardedDataParallel.range_a'],
    ['range', 'FullyShardedDataParallel._pre_backward_hook', 'FullyShardedDataParallel._pre_backward_hook'],
    ['range', 'CommInitalice', 'range_a'],
    ['range', 'ncclCommInitRankConfig', 'ncclCommInitRankConfig'],
    ['version', '2.1-alice', 'text-1'],
    ['version', '2.6.0a0+df5bbc09d1.nv24.12', '2.6.0a0+df5bbc09d1.nv24.12'],
    ['version', '2024.2.1.106', '2024.2.1.106'],
    ['version', '10.213.7.9', 'text-1'],
    ['metric', 'hbm_read_bytes', 'hbm_read_bytes'],
    ['metric', '0c:0d:0e:11:22:33', 'metric-1'],
    ['metric', 'c1e2d3c4e5d6', 'metric-1'],
    ['metric', '5d0c0e11-77ee', 'metric-1'],
    ['description', 'TENSOR_MODEL_PARALLEL_GROUP', 'TENSOR_MODEL_PARALLEL_GROUP'],
    ['description', 'alice_team', 'group-1'],
  ];
  for (const [kind, text, written] of CASES)
    it(`of kind ${kind}: ${text} is written as ${written}`, () => {
      expect(rulesWith().redact(kind, text)).to.equal(written);
    });

  it('has the same pseudonym wherever it occurs, and another one than other texts', () => {
    const rules = rulesWith();
    const texts = ['a b', 'c d', 'a b'].map((text) => rules.redact('range', text));
    expect(texts).to.deep.equal(['range-a', 'range-b', 'range-a']);
    expect([...rules.counts]).to.deep.equal([['range', { replaced: 3, kept: 0, distinct: { replaced: 2, kept: 0 } }]]);
    expect([...rules.pseudonyms.counts]).to.deep.equal([['range', 2]]);
  });

  it('is counted once among the distinct texts, also after many others and in another module', () => {
    const rules = rulesWith();
    const names = Array.from({ length: 20_000 }, (_, i) => `alice ${i}x`);
    for (const text of [...names, ...names.slice(0, 9)]) rules.redact('range', text);
    for (const mod of ['torch', 'alice', 'torch'])
      for (const name of ['batch_reduce', 'alice_op']) rules.redactOp(mod, name);
    expect(rules.counts.get('range')).to.deep.equal({ replaced: 20_009, kept: 0, distinct: { replaced: 20_000, kept: 0 } }); // prettier-ignore
    // Words of ops are kept in a known library, and replaced in another module.
    expect(rules.counts.get('op')).to.deep.equal({ replaced: 4, kept: 2, distinct: { replaced: 2, kept: 1 } });
  });

  it('depends on the key alone, and differs between keys', () => {
    const [first, again, other] = ['a secret of Alice', 'a secret of Alice', 'another secret'].map((key) =>
      rulesWith({ key }),
    );
    first?.redact('range', 'something else');
    expect(again?.redact('range', 'a b'))
      .to.equal(first?.redact('range', 'a b'))
      .and.match(/^range-[a-z]{12}$/);
    expect(other?.redact('range', 'a b')).to.not.equal(again?.redact('range', 'a b'));
  });

  it('is a name of a kernel with --hash-kernels only if its own function is one of a library', () => {
    const rules = rulesWith({ hashKernels: true });
    for (const [name, written] of [
      ['void alice::k<at::Half>(int)', 'kernel_1'],
      ['void at::native::k<alice::F>(int)', 'kernel_2'],
      ['void at::native::k<4, float>(at::TensorInfo)', 'void at::native::k<4, float>(at::TensorInfo)'],
      ['triton_alice', 'triton_kernel_3'],
      ['triton_poi_fused_add_alice_0', 'triton_poi_fused_add_0_kernel_4'],
      ['triton_poi_fused_add_0', 'triton_poi_fused_add_0'],
      ['alice_gemm', 'kernel_5'],
      ['ampere_sgemm_128x64_nn', 'ampere_sgemm_128x64_nn'],
    ] as const)
      expect(rules.redact('kernel', name)).to.equal(written);
    expect(rules.redactOp('triton', 'triton_poi_fused_alice_0')).to.equal('triton_poi_fused_0_kernel_6');
  });

  /** Names that drivers give devices. */
  const DEVICE_NAMES = [
    ...['Tesla V100-SXM2-32GB', 'Tesla V100-PCIE-16GB', 'Tesla T4', 'NVIDIA A100 80GB PCIe', 'NVIDIA A100-SXM4-80GB'],
    ...[
      'NVIDIA A100-SXM4-40GB',
      'NVIDIA A100-PG509-200',
      'NVIDIA A800-SXM4-80GB',
      'NVIDIA A30',
      'NVIDIA A10',
      'NVIDIA A40',
    ],
    ...['NVIDIA L4', 'NVIDIA L40S', 'NVIDIA L40', 'NVIDIA L20', 'NVIDIA H100 PCIe', 'NVIDIA H100 NVL'],
    ...[
      'NVIDIA H100 80GB HBM3',
      'NVIDIA H800',
      'NVIDIA H20',
      'NVIDIA H200',
      'NVIDIA GH200 144G HBM3e',
      'NVIDIA GH200 480GB',
    ],
    ...['NVIDIA GB200', 'NVIDIA B200', 'NVIDIA B300 SXM6 AC', 'NVIDIA GeForce RTX 2080 Ti', 'NVIDIA GeForce RTX 3080'],
    ...['NVIDIA GeForce RTX 3090', 'NVIDIA GeForce RTX 4090', 'NVIDIA GeForce RTX 5090', 'AMD Instinct MI100'],
    ...[
      'AMD Instinct MI210',
      'AMD Instinct MI250X',
      'AMD Instinct MI250',
      'AMD Instinct MI300A',
      'AMD Instinct MI300X',
    ],
    ...[
      'AMD Instinct MI308X',
      'AMD Instinct MI325X',
      'AMD Instinct MI350X',
      'AMD Instinct MI355X',
      'AMD Radeon PRO W6800',
    ],
    ...['AMD Radeon PRO W7900', 'AMD Radeon PRO W7800', 'AMD Radeon PRO W7700', 'AMD Radeon RX 7900 XTX'],
    ...['AMD Radeon RX 7900 XT', 'AMD Radeon RX 7900 GRE', 'AMD Radeon RX 7800 XT', 'AMD Radeon RX 7700 XT'],
    ...['AMD Radeon RX 9070 XT', 'AMD Radeon RX 9070', 'AMD Radeon RX 9060 XT', 'AMD Radeon AI PRO R9700'],
    ...[
      'Intel(R) Data Center GPU Max 1550',
      'Intel(R) Data Center GPU Max 1100',
      'Gaudi2',
      'HL-225',
      'Gaudi 3',
      'HL-325L',
    ],
    ...['MTIA v1', 'MTIA 2i', 'Trainium', 'Inferentia2', 'Trainium or Inferentia2', 'Trainium2', 'Trainium3'],
    ...['TPU v4', 'TPU v5 lite', 'TPU v5p', 'TPU v6 Lite', 'TPU7x', 'Ascend910A', 'Ascend910B1', 'Ascend910B2C'],
    ...['Ascend910B3', 'Ascend910B4', 'Ascend310P3'],
  ];
  const OTHER_DEVICE_NAMES = [
    ...['Ascend910B2', 'NVIDIA DGX Spark', 'NVIDIA Jetson AGX Orin', 'Orin', 'NVIDIA Thor', 'NVIDIA GB10'],
    ...['NVIDIA RTX PRO 6000 Blackwell Server Edition', 'Intel(R) Arc(TM) B580 Graphics', 'AMD Instinct MI300X VF'],
  ];

  it('is kept if it is the name of a device, such as those with known peak rates', () => {
    const isCovered = ({ pattern }: (typeof DEVICES)[number]): boolean =>
      DEVICE_NAMES.some((name) => pattern.test(name));
    expect(DEVICES.filter((row) => !isCovered(row)).map(({ name }) => name)).to.deep.equal([]);
    const rules = rulesWith();
    for (const name of [...DEVICE_NAMES, ...OTHER_DEVICE_NAMES]) expect(rules.redact('device', name)).to.equal(name);
  });

  it('is left out of a value that is an object, and counted', () => {
    const rules = rulesWith();
    const [secret, list] = [{ alice: 1 }, [1, { alice: 1 }]].map((value) => ({ name: 'input', type: 'dict', value }) as unknown as Arg); // prettier-ignore
    const call: OpCall = {
      mod: 'torch',
      op: 'mm',
      args: [secret, list, { name: 'size', type: 'int', value: 3 }] as Arg[],
    };
    expect(redactCall(call, rules).args).to.deep.equal([
      { name: 'input', type: 'dict' },
      { name: 'input', type: 'dict' },
      { name: 'size', type: 'int', value: 3 },
    ]);
    expect([...rules.dropped]).to.deep.equal([['values of arguments', 2]]);
  });

  it('is kept where the user asks for it', () => {
    const rules = rulesWith({ keep: new Set(['layers', 'sources', 'ranges']) });
    for (const [kind, text] of [
      ['layer', 'alice.fc'],
      ['frame', '/home/alice/a.py:3'],
      ['range', 'load Alice'],
    ] as const)
      // prettier-ignore
      expect(rules.redact(kind, text)).to.equal(text);
    expect(rulesWith({ hashKernels: true }).redact('kernel', 'alice_kernel')).to.equal('kernel_1');
    expect(rulesWith({ hashKernels: true }).redact('kernel', 'ncclDevKernel_AllReduce_Sum_f32')).to.match(/^nccl/);
  });
});

describe('dparse redact', () => {
  it('writes records with the same numbers, and counts what it did', async () => {
    const report = freshPath('.json');
    const output = freshPath('.jsonl');
    const { stderr } = await runCli('dparse', ['redact', '--report', report, '-o', output, LENET]);
    const { stdout } = await runCli('dparse', ['-q', LENET]);
    const [before, after] = [rowsOf(stdout), rowsOf(readFileSync(output, 'utf8'))];
    expect(after.map(({ type, start, dur }) => [type, start, dur])).to.deep.equal(before.map(({ type, start, dur }) => [type, start, dur])); // prettier-ignore
    const { texts, pseudonyms } = JSON.parse(readFileSync(report, 'utf8')) as { texts: Row[]; pseudonyms: Row };
    expect(pseudonyms).to.include({ layer: 6, file: 3 });
    // 126 kernels with a name and a short name each; the database has 27 such strings.
    expect(texts.find(({ kind }) => kind === 'kernel')).to.deep.equal({ kind: 'kernel', replaced: 0, kept: 252, distinct: { replaced: 0, kept: 27 }, reason: 'name of a kernel' }); // prettier-ignore
    expect(stderr)
      .to.match(/^dparse: replaced: .*\bframe \d+ \(\d+ distinct\)/m)
      .and.match(/^dparse: kept: .*\bkernel 252 \(27 distinct: /m);
  });

  it('knows a rule for each text of a record', async () => {
    const rows = await redacted('--ranges', LENET);
    const kernel = rows.find(({ type, layer }) => type === 'kernel' && (layer as string[]).length > 0) ?? {};
    const texts = RECORD_FIELDS.kernel.filter(({ implied }) => implied).map(({ name }) => name);
    expect(Object.keys(kernel)).to.include.members(texts);
  });

  it('leaves the word DMA in a message of the profiler about copies', () => {
    const notice = {
      type: 'notice',
      profile: 0,
      category: 'Missing Data',
      text: 'alice lost DMA values',
    } as ProfileLine;
    expect(redactRecord(notice, rulesWith())).to.deep.include({ text: 'text-1 (DMA)' });
  });

  it('selects kernels, steps and times, and counts them in the end line', async () => {
    const chosen = await redacted('--kernels', '3-5', LENET);
    expect(chosen.filter(({ type }) => type === 'kernel').map(({ id }) => id)).to.deep.equal([3, 4, 5]);
    expect(chosen.at(-1)).to.deep.include({ type: 'end' }).and.to.have.nested.property('counts.kernel', 3);
    const step = await redacted('--step', '1', LENET);
    expect(new Set(step.filter(({ type }) => type === 'kernel').map((row) => row['step']))).to.deep.equal(new Set([1]));
  });

  it('selects the time of a range by its own text, which the copy does not have', async () => {
    const trace = join(ROOT, 'samples/lenet.pt.trace.json.gz');
    const { stdout } = await runCli('dparse', ['-q', '--ranges', trace]);
    const before = rowsOf(stdout) as (Row & { start: number; dur: number })[];
    const [, second] = before.filter(({ type, text }) => type === 'range' && /LeNet_0/.test(String(text)));
    const { start, dur } = second ?? { start: NaN, dur: NaN };
    const isWork = ({ type }: Row): boolean => type === 'kernel' || type === 'copy';
    const inside = before.filter((row) => isWork(row) && row.start < start + dur && row.start + row.dur > start);
    expect(inside).to.have.length.above(10);
    const chosen = await redacted('--range', 'LeNet_0#2', trace);
    expect(chosen.filter(isWork).map((row) => [row['type'], row['start'], row['dur']])).to.deep.equal(inside.map((row) => [row.type, row.start, row.dur])); // prettier-ignore
    expect(JSON.stringify(chosen)).to.not.include('LeNet');
  });

  it('gives the ranks of a job the same pseudonyms with a key', async () => {
    const layers = async (name: string): Promise<unknown> => {
      const rows = await redacted('--hash', 'a key of many signs', join(ROOT, 'samples/job', name));
      return rows.find(({ type, layer }) => type === 'kernel' && (layer as string[]).length > 0)?.['layer'];
    };
    const [first, second] = [await layers('rank_0.pt.trace.json.gz'), await layers('rank_1.pt.trace.json.gz')];
    expect(first).to.deep.equal(second);
  });

  it('writes a compressed trace, and a cut one that ends at the cut', async () => {
    const trace = join(ROOT, 'samples/lenet.pt.trace.json.gz');
    const output = freshPath('.json.gz');
    await runCli('dparse', ['redact', '-q', '--as', 'profile', '-o', output, trace]);
    const whole = gunzipSync(readFileSync(output)).toString();
    expect(() => JSON.parse(whole) as unknown).to.not.throw();
    const cut = freshPath('.json');
    writeFileSync(cut, gunzipSync(readFileSync(trace)).subarray(0, 40_000));
    const copy = freshPath('.json');
    const { code, stderr } = await runCli('dparse', ['redact', '-q', '--as', 'profile', '-o', copy, cut]);
    expect(code).to.equal(1);
    expect(stderr).to.match(/^dparse: .*: is cut off; the copy ends there \(copy it again\)\n$/);
    expect(() => JSON.parse(readFileSync(copy, 'utf8')) as unknown).to.throw();
    const counted = async (path: string): Promise<unknown> => rowsOf((await runCli('dparse', ['-q', path])).stdout).at(-1); // prettier-ignore
    expect(await counted(copy)).to.deep.equal(await counted(cut));
  });

  it('copies only the tables of codes that it knows', async () => {
    const path = new NsightDatabase().launch(1, ['alice']).write();
    const database = new Database(path);
    for (const name of ['ENUM_ALICE', 'ENUM_CUPTI_STREAM_TYPE'])
      database.exec(`CREATE TABLE ${name} (id INTEGER PRIMARY KEY, name TEXT, label TEXT); INSERT INTO ${name} VALUES (1, 'default', 'Default')`); // prettier-ignore
    database.close();
    const copy = freshPath('.sqlite');
    await runCli('dparse', ['redact', '-q', '--as', 'profile', '-o', copy, path]);
    const written = new Database(copy, { readonly: true });
    const tables = written.prepare("SELECT name FROM sqlite_master WHERE name IN ('ENUM_ALICE', 'ENUM_CUPTI_STREAM_TYPE')").pluck().all(); // prettier-ignore
    written.close();
    expect(tables).to.deep.equal(['ENUM_CUPTI_STREAM_TYPE']);
  });

  it('leaves the input as it is, and writes nothing over it', async () => {
    const path = new NsightDatabase().launch(1, ['alice']).write();
    const before = readFileSync(path);
    const { code, stderr } = await runCli('dparse', ['redact', '--as', 'profile', '-o', path, path]);
    expect([code, stderr]).to.deep.equal([1, `dparse: ${path}: is the input (choose another name for -o)\n`]);
    expect(readFileSync(path).equals(before)).to.equal(true);
  });

  it('says what it cannot do', async () => {
    const failure = async (...args: readonly string[]): Promise<string> => {
      const output = freshPath('.out');
      const { code, stderr } = await runCli('dparse', ['redact', '-o', output, ...args]);
      expect(existsSync(output)).to.equal(false);
      return `${code} ${stderr}`;
    };
    expect(await failure()).to.match(/^2 .*no INPUT/);
    expect(await failure('--hash', 'short', LENET)).to.match(/^2 .*at least 12 characters/);
    for (const part of ['--step=1', '--range=x'])
      expect(await failure('--as', 'profile', part, LENET)).to.match(/^2 .*--(?:step|range) cannot be combined/);
    expect(await failure('--range', 'nowhere', LENET)).to.match(/^1 .*no range 'nowhere'/);
    expect(await failure('--range', 'x', '--from', '1', LENET)).to.match(/^2 .*--range/);
    expect(await failure('--range', 'x', '-')).to.match(/^2 .*needs to read the input twice/);
    expect(await failure('--as', 'profile', join(ROOT, 'samples/mlp_results.db'))).to.match(/^1 .*rocpd.*--as records/);
    expect(await failure('--kernels', '9000-9001', LENET)).to.match(/^1 .*no kernels 9000 to 9001/);
    expect(await failure('--keep', 'layer', LENET)).to.match(/^2 .*did you mean layers/);
  });
});

describe('dparse redact of stdin', () => {
  const trace = readFileSync(join(ROOT, 'samples/lenet.pt.trace.json.gz'));
  const run = (input: Buffer | string, ...args: readonly string[]) =>
    runCli('dparse', ['redact', '-q', ...args], { input });

  it('takes a profile and records', async () => {
    const parsed = await runCli('dparse', ['-q', '-'], { input: trace });
    const [fromProfile, fromRecords] = [await run(trace, '-'), await run(parsed.stdout, '-')];
    expect([fromProfile.code, fromProfile.stderr]).to.deep.equal([0, '']);
    expect(rowsOf(fromProfile.stdout)).to.have.length.above(100);
    expect(fromProfile.stdout).to.equal(fromRecords.stdout);
  });

  it('refuses a profile among other inputs, and data that is none', async () => {
    const among = await run(trace, LENET, '-');
    expect(among.stderr).to.match(/a profile from stdin cannot be combined with other inputs/);
    const text = await run('x'.repeat(10), '-');
    expect([text.code === 0, text.stderr.includes('pipe')]).to.deep.equal([false, false]);
  });
});
