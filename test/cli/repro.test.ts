import { expect } from 'chai';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freshPath } from '../support/fresh-path.js';
import { kernel as kernelRecord } from '../support/kernels.js';
import { kernel, launch, op, traceText, writeTrace } from '../support/kineto-trace.js';
import { itWithPython, parseErrors, runScript, tokensOf, type SeenArgument } from '../support/python.js';
import { runCli } from '../support/run-cli.js';
import { ROOT } from '../support/shared.js';

const sample = (name: string): string => join(ROOT, 'samples', name);
const LENET = sample('lenet.pt.trace.json.gz');

type Words = Readonly<Record<'dims' | 'types' | 'concrete', readonly unknown[]>> & { readonly strides?: unknown[] };

/** A trace with one kernel of an op, whose arguments are written as PyTorch writes them. */
const traceOf = (
  name: string,
  { dims, types, concrete, strides = dims.map(() => []) }: Words,
  by = 'k<float>',
): string =>
  writeTrace(
    traceText([
      op(name, 0, 20, {
        ...{ 'Input Dims': dims, 'Input type': types, 'Concrete Inputs': concrete, 'Input Strides': strides },
      }),
      launch(1, 5),
      kernel(`void ${by}(int)`, 1, 30),
    ]),
  );

/** A tensor in memory as PyTorch lays it out by default, or by strides. */
function seen(shape: number[], dtype: string, strides?: number[]): Extract<SeenArgument, { shape: unknown }> {
  const contiguous = shape.map((_, i) => shape.slice(i + 1).reduce((a, b) => a * b, 1));
  return { shape, dtype, strides: strides ?? contiguous, device: 'cuda' };
}

const [F32, BF16, LONG] = ['float', 'c10::BFloat16', 'long int'];

interface OpCase extends Words {
  readonly name: string;
  readonly args: readonly SeenArgument[];
  readonly kwargs?: Readonly<Record<string, SeenArgument>>;
}

/** What a trace records about ten ops, and what the script must pass to them. */
const CASES: readonly OpCase[] = [
  {
    ...{ name: 'aten::mm', dims: [[64, 10], [10, 84]], types: [F32, F32], concrete: ['', ''], strides: [[1, 64], [84, 1]] },
    args: [seen([64, 10], 'float32', [1, 64]), seen([10, 84], 'float32')],
  },
  {
    name: 'aten::addmm',
    ...{ dims: [[120], [64, 400], [400, 120], [], []], types: [BF16, BF16, BF16, 'Scalar', 'Scalar'] },
    ...{ concrete: ['', '', '', '1', '0.5'], strides: [[1], [400, 1], [1, 400], [], []] },
    args: [seen([120], 'bfloat16'), seen([64, 400], 'bfloat16'), seen([400, 120], 'bfloat16', [1, 400])],
    kwargs: { beta: 1, alpha: 0.5 },
  },
  {
    ...{ name: 'aten::linear', dims: [[2, 8, 64], [32, 64], []], types: [BF16, BF16, ''], concrete: ['', '', ''] },
    args: [seen([2, 8, 64], 'bfloat16'), seen([32, 64], 'bfloat16'), null],
  },
  {
    name: 'aten::conv2d',
    ...{ dims: [[8, 16, 32, 32], [24, 8, 3, 3], [24], [], [], [], []] },
    ...{ types: [F32, F32, F32, 'ScalarList', 'ScalarList', 'ScalarList', 'Scalar'] },
    ...{ concrete: ['', '', '', '[2, 2]', '[1, 1]', '[1, 1]', '2'] },
    strides: [[16384, 1, 512, 16], [72, 1, 24, 8], [1], [], [], [], []],
    args: [
      seen([8, 16, 32, 32], 'float32', [16384, 1, 512, 16]),
      seen([24, 8, 3, 3], 'float32', [72, 1, 24, 8]),
      ...[seen([24], 'float32'), [2, 2], [1, 1], [1, 1], 2],
    ],
  },
  {
    name: 'aten::layer_norm',
    ...{ dims: [[4, 197, 768], [], [768], [768], [], []], types: [BF16, 'ScalarList', BF16, BF16, 'Scalar', 'Scalar'] },
    concrete: ['', '[768]', '', '', '1e-12', 'True'],
    args: [seen([4, 197, 768], 'bfloat16'), [768], seen([768], 'bfloat16'), seen([768], 'bfloat16'), 1e-12, true],
  },
  {
    // The number of float64 in PyTorch's list of types is 7.
    ...{ name: 'aten::softmax', dims: [[8, 100], [], []], types: [F32, 'Scalar', 'Scalar'], concrete: ['', '-1', '7'] },
    args: [seen([8, 100], 'float32'), -1, 'torch.float64'],
  },
  {
    name: 'aten::embedding',
    ...{ dims: [[30522, 512], [1, 141], [], [], []], types: [BF16, LONG, 'Scalar', 'Scalar', 'Scalar'] },
    concrete: ['', '', '0', 'False', 'False'],
    args: [seen([30522, 512], 'bfloat16'), { ...seen([1, 141], 'int64'), below: 30522 }, 0, false, false],
  },
  {
    name: 'aten::scaled_dot_product_attention',
    ...{ dims: [...[0, 1, 2].map(() => [4, 12, 197, 64]), [], [], [], [], []] },
    ...{ types: [BF16, BF16, BF16, '', 'Scalar', 'Scalar', '', 'Scalar'] },
    ...{ concrete: ['', '', '', '', '0.', 'True', '', 'False'] },
    strides: [...[0, 1, 2].map(() => [151296, 64, 768, 1]), [], [], [], [], []],
    args: [...[0, 1, 2].map(() => seen([4, 12, 197, 64], 'bfloat16', [151296, 64, 768, 1])), null, 0, true],
    kwargs: { scale: null, enable_gqa: false },
  },
  {
    ...{ name: 'aten::add', dims: [[16, 559, 1], [], []], types: [F32, 'double', 'Scalar'], concrete: ['', '', '1'] },
    args: [seen([16, 559, 1], 'float32'), { ...seen([], 'float64'), device: 'cpu' }],
    kwargs: { alpha: 1 },
  },
  {
    name: 'aten::batch_norm',
    ...{ dims: [[8, 16, 32, 32], [16], [16], [16], [], [], [], [], []] },
    ...{ types: [F32, F32, F32, F32, '', 'Scalar', 'Scalar', 'Scalar', 'Scalar'] },
    concrete: ['', '', '', '', '', 'True', '0.1', '1e-05', 'True'],
    args: [
      ...[seen([8, 16, 32, 32], 'float32'), seen([16], 'float32'), seen([16], 'float32'), seen([16], 'float32'), null],
      ...[true, 0.1, 1e-5, true],
    ],
  },
]; // prettier-ignore

async function script(...args: readonly string[]): Promise<string> {
  const { stdout, stderr } = await runCli('dprof', ['repro', '-q', ...args]);
  expect(stdout, stderr).to.not.equal('');
  return stdout;
}

async function refusal(args: readonly string[], input?: string): Promise<string> {
  const { stdout, stderr } = await runCli('dprof', ['repro', ...args], input === undefined ? {} : { input });
  expect(stdout).to.equal('');
  return stderr;
}

describe('a script of dprof repro', () => {
  for (const { name, args, kwargs = {}, ...words } of CASES) {
    itWithPython(`passes ${name} what was recorded`, async () => {
      const { stdout, stderr, calls, status } = runScript(await script('1', traceOf(name, words)));
      expect(stderr).to.equal('');
      expect(stdout).to.include(`${name} (kernel 0:1)\n  profile        10000 ns  void k<float>(int)\n`);
      expect(stdout).to.include('median of 3 runs, least 500000 ns, 50.00 times the profile\'s 10000 ns'); // prettier-ignore
      expect(calls).to.deep.equal([{ call: name, args, kwargs }]);
      expect(status).to.equal(0);
    });
  }

  itWithPython('runs the gradient of a forward call', async () => {
    const { calls, stderr } = runScript(await script('22', sample('lenet.nsys.sqlite')));
    expect(stderr).to.equal('');
    expect(calls.map(({ call }) => call)).to.deep.equal(['torch.nn.functional.linear', 'torch.autograd.grad']);
    const [forward, gradient] = calls;
    const grad = (shape: number[]): SeenArgument => ({ ...seen(shape, 'float32'), grad: true });
    expect(forward?.args).to.deep.equal([grad([64, 84]), grad([10, 84]), grad([10])]);
    expect(gradient?.args).to.deep.equal([1, forward?.args]);
  });

  itWithPython('has several calls, each distinct one once, with their share', async () => {
    const { stdout } = runScript(await script('--top', '3', '--where', 'op==linear || op==addmm', LENET));
    // Each of three layers runs in two steps.
    expect(stdout.match(/aten::\w+ \(\d+ calls, [\d.]+ % of the kernels' time\)/g)).to.have.length(3);
    expect(stdout).to.include('aten::linear (2 calls, ');
  });

  itWithPython('says which op this PyTorch lacks', async () => {
    const words = { dims: [[8, 16]], types: [F32], concrete: [''] };
    const { stdout, status } = runScript(await script('1', traceOf('aten::channel_shuffle_of_old', words)));
    expect(stdout).to.include('cannot run: this PyTorch has no op aten::channel_shuffle_of_old');
    expect(status).to.equal(1);
  });

  itWithPython('is Python for every sample', async () => {
    const samples = ['lenet.pt.trace.json.gz', 'lenet.nsys.sqlite', 'transformer.nsys.sqlite', 'decoder.pt.trace.json.gz', 'mlp_results.db', 'ascend_pt', 'lenet.nvprof.sql', 'lenet-2021.pt.trace.json']; // prettier-ignore
    const scripts = await Promise.all(samples.map((name) => script('--top', '1000', sample(name))));
    expect(parseErrors(scripts)).to.deep.equal([]);
    for (const [i, text] of scripts.entries()) expect(text, samples[i]).to.match(/^ {4}Op\($/m);
  });

  itWithPython('runs on the device of the profile', async () => {
    const text = await script('1', sample('ascend_pt'));
    expect(text).to.include("import torch_npu  # noqa: F401\nDEVICE = 'npu'\n");
    expect(parseErrors([text])).to.deep.equal([]);
  });
});

describe('names of a profile in a script', () => {
  const HOSTILE = [
    '"""\nimport os\nos.system("x")\n"""',
    "'); __import__('os').system('x') #",
    '\\',
    'a\u2028import os\u2029\u0085\u000cimport os\r\nimport os',
    '\ud800 half',
    '# -*- coding: utf-7 -*-',
  ];

  itWithPython('add no token to it', async () => {
    const record = (text: string, i: number): string =>
      `${JSON.stringify({
        ...kernelRecord({ id: i + 1, name: text, short: text, layer: [text], trace: [text] }),
        calls: [
          {
            ...{ mod: 'torch.nn.functional', op: 'interpolate' },
            args: [
              { name: '', type: 'tensor', shape: [1, 3, 8, 8], dtype: 'float32' },
              { name: 'scale_factor', type: 'float', value: 2 },
              { name: 'mode', type: 'str', value: text },
              { name: text, type: 'str', value: text },
            ],
          },
        ],
      })}\n`;
    const path = freshPath('.jsonl');
    writeFileSync(path, record('plain', 0));
    const plain = tokensOf(await script('1', path));
    for (const text of HOSTILE) {
      writeFileSync(path, record(text, 0));
      const hostile = await script('1', path);
      expect(parseErrors([hostile]), text).to.deep.equal([]);
      expect(tokensOf(hostile), text).to.deep.equal(plain);
      // The encoding of a source is declared in its first two lines.
      expect(hostile.split('\n').slice(0, 2).join()).to.not.include(text);
    }
  });

  it('of ops, modules and types are refused', async () => {
    const refusedFor = (mod: string, name: string, dtype = 'float32', from?: string): Promise<string> => {
      const args = [{ name: '', type: 'tensor', shape: [8], dtype }];
      const calls = [{ mod, op: name, args, ...(from === undefined ? {} : { from }) }];
      return refusal(['1', '-'], `${JSON.stringify({ ...kernelRecord(), calls })}\n`);
    };
    for (const text of HOSTILE) {
      expect(await refusedFor('torch', text)).to.match(/is not the name of an op|not known/);
      expect(await refusedFor(text, 'relu')).to.include('are not known');
      expect(await refusedFor('aten', text, 'float32', 'dispatcher')).to.include('is not the name of an op');
      expect(await refusedFor(text, 'relu', 'float32', 'dispatcher')).to.include('custom op');
      expect(await refusedFor('aten', 'relu', text, 'dispatcher')).to.include('element type of');
    }
    expect(await refusedFor('torch', '__import__')).to.include('are not known');
    expect(await refusedFor('torch', 'hub')).to.include('are not known');
  });
});

describe('dprof repro', () => {
  it('refuses with one line', async () => {
    expect(await refusal([])).to.equal(
      'dprof: repro needs the IDX of a kernel, or --top N (dprof -c idx,kernel,op,sil --sort sil --top 10 FILE lists the longest)\n',
    );
    expect(await refusal(['x', LENET])).to.equal("dprof: dprof repro takes a kernel's idx, not 'x' (e.g. dprof repro 12 or 0:12)\n");
    expect(await refusal(['999', LENET])).to.equal(`dprof: ${LENET}: no kernel 999 (see the columns idx and profile)\n`);
    expect(await refusal(['3', '--top', '2', LENET])).to.equal(
      'dprof: 3 cannot be combined with --where or --top (give an IDX, or these options)\n',
    );
    expect(await refusal(['45', LENET])).to.equal(
      `dprof: ${LENET}: ncclDevKernel_AllReduce_Sum_f32_RING_LL is a collective operation (nccl-tests or rccl-tests run it alone)\n`,
    );
    expect(await refusal(['-f', 'shapes', '3', LENET])).to.equal(
      `dprof: ${LENET}: no matrix product that BLAS computes in one call: aten::relu (-f script runs any op; --where 'op==mm || op==linear' selects products)\n`,
    );
    expect(await refusal(['--device-peaks', LENET])).to.equal(
      'dprof: --device-peaks reads no file (dprof repro --device-peaks > peaks.py)\n',
    );
  }); // prettier-ignore

  it('counts the calls that it leaves out', async () => {
    const { stderr } = await runCli('dprof', ['repro', '--top', '1000', LENET]);
    expect(stderr).to.match(
      /^dprof: 1 call left out, [\d.]+ % of the kernels' time; the longest: ncclDevKernel_AllReduce/m,
    );
  });

  it('writes shapes for GEMM benchmarks', async () => {
    const words = { dims: [[64, 400], [120, 400], [120]], types: [BF16, BF16, BF16], concrete: ['', '', ''] };
    const text = await script('-f', 'shapes', '1', traceOf('aten::linear', { ...words, strides: [[400, 1], [400, 1], [1]] }));
    // y = x·wᵀ: column-major, the first factor is w, transposed: M = 120, N = 64.
    const common = '-m 120 -n 64 -k 400 --lda 400 --ldb 400 --ldc 120 --ldd 120 --alpha 1 --beta 0 --a_type bf16_r --b_type bf16_r --c_type bf16_r --d_type bf16_r --compute_type f32_r';
    expect(text.split('\n').slice(1)).to.deep.equal([
      '# No other strides are recorded: tensors are contiguous here.',
      `hipblaslt-bench --api_method c --transA T --transB N ${common} --bias_vector --bias_type bf16_r --cold_iters 10 --iters 50`,
      `rocblas-bench -f gemm_ex --transposeA T --transposeB N ${common} --cold_iters 10 --iters 50`,
      '',
      'M,N,K,batch,layout,type,output,bias,calls,ns,share,op',
      '120,64,400,1,TN,bfloat16,bfloat16,1,1,10000,,aten::linear',
      '',
    ]);
  }); // prettier-ignore

  it('writes shapes of batches', async () => {
    const words = { dims: [[16, 5185, 64], [16, 64, 5185]], types: [BF16, BF16], concrete: ['', ''] };
    const text = await script('-f', 'shapes', '1', traceOf('aten::bmm', { ...words, strides: [[331840, 64, 1], [331840, 1, 64]] }));
    expect(text).to.include('gemm_strided_batched_ex --transposeA T --transposeB N -m 5185 -n 5185 -k 64 --lda 64 --ldb 64 --ldc 5185 --ldd 5185 --stride_a 331840 --stride_b 331840 --stride_c 26884225 --stride_d 26884225 --batch_count 16 ');
    expect(text).to.include('\n5185,5185,64,16,TN,bfloat16,bfloat16,0,1,10000,,aten::bmm\n');
  }); // prettier-ignore
});

describe('measured peaks', () => {
  const A100 = 'NVIDIA A100-SXM4-40GB, measured';

  itWithPython('are what --peaks reads', async () => {
    const { stdout: peaks, stderr } = runScript(await script('--device-peaks'));
    // The stub takes 0.5 ms for everything: 2·16384³ FLOP, 2·2 GiB copied.
    expect(stderr).to.include("copy: 8590 GB/s, 552 % of the vendor's 1555\n");
    expect(stderr).to.include('int8: not measured: no such product\n');
    const path = freshPath('.json');
    writeFileSync(path, peaks);
    const source = 'measured with PyTorch 0 (stub): products up to 16384, copies, sums; as stated by the vendor: matrix int8, vector fp64, vector fp16, vector bf16';
    const { stdout } = await runCli('dprof', ['--devices', '--peaks', path]);
    expect(stdout.split('\n').slice(0, 2)).to.deep.equal([
      `${A100} 8589.9 GB/s; TFLOP/s: matrix fp64 17592 tf32 17592 fp16 17592 bf16 17592 fp8 17592 int8 624; vector fp64 9.7 fp32 17592 fp16 78 bf16 39; ${source} (${path})`,
      'A100 40GB       1555 GB/s; TFLOP/s: matrix fp64 19.5 tf32 156 fp16 312 bf16 312 int8 624; vector fp64 9.7 fp32 19.5 fp16 78 bf16 39; stated by the vendor',
    ]);
    const { stdout: explained } = await runCli('dprof', ['--explain', '12', '--peaks', path, LENET]);
    expect(explained).to.include(`device     ${A100}: ${source} (${path})`);
    const { stdout: summary } = await runCli('dprof', ['summary', '--peaks', path, LENET]);
    expect(summary).to.include(`  peaks        ${A100}: measured with PyTorch`);
  }); // prettier-ignore

  itWithPython('are compared with the devices of the table', async () => {
    const text = await script('--device-peaks');
    expect(parseErrors([text])).to.deep.equal([]);
    const program = `${text.slice(0, text.indexOf('# END VENDOR'))}\nfor row in VENDOR: re.compile(row["pattern"])\nprint(len(VENDOR))\n`;
    const { stdout, stderr } = runScript(program);
    expect(stderr).to.equal('');
    const { stdout: devices } = await runCli('dprof', ['--devices']);
    expect(Number(stdout)).to.equal(devices.trimEnd().split('\n').length);
  }); // prettier-ignore
});
