/** `dprof steps --by phase`, `batch` and `request`: the work of a server's steps under the roofline, and their requests. */
import { expect } from 'chai';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCli } from '../../../support/run-cli.js';
import { kernel, mm } from '../../../support/kernels.js';
import { itShared } from '../../../support/shared.js';
import type { KernelRecord, RangeRecord, SampleRecord } from '../../../../src/record/record.js';

const PREFILL = '[Executor] _forward_step 7: 2 ctx reqs, 300 ctx tokens, 0 gen reqs';
const DECODE = 'execute_context_0(0)_generation_4(4)';
const SMALL = 'execute_context_0(0)_generation_2(2)';

const step = (value: number, start: number, dur: number, text: string): SampleRecord => ({
  ...{ type: 'sample', profile: 0, start, dur, device: null, metric: 'step', value, unit: null },
  labels: { text, pid: 10, tid: 100 },
});

/** A product of two matrices of a kind of units that is known by its name. */
const product = (
  number: number,
  start: number,
  dur: number,
  range: string,
  sizes: readonly [number, number, number],
): KernelRecord =>
  // prettier-ignore
  kernel({
    ...{ step: number, start, dur, name: 'sm90_xmma_gemm_f16f16_f16f32_f32_tn_n_tilesize128x128x32_warpgroupsize1x1x1' },
    ...{ short: 'sm90_xmma_gemm', ranges: [range], op: ['mm'], mod: ['torch'], calls: [mm(...sizes)] },
  });

/** An op of which nothing is known. */
const unknown = (number: number, start: number, dur: number, range: string): KernelRecord =>
  kernel({ step: number, start, dur, name: 'k', short: 'k', ranges: [range] });

const HEADER = { type: 'profile', profile: 0, v: 1, format: 'kineto', tool: null, file: 'a.json', rank: null, devices: [] }; // prettier-ignore
const END = { type: 'end', profile: 0, counts: {}, diagnostics: {} };
const textOf = (...records: readonly object[]): string =>
  [HEADER, ...records, END].map((record) => JSON.stringify(record)).join('\n');

type Row = Readonly<Record<string, number | string | null>>;

describe('regions of servers', () => {
  let folder: string;
  before(() => (folder = mkdtempSync(join(tmpdir(), 'served-'))));
  after(() => rmSync(folder, { recursive: true }));

  const rowsOf = async (args: readonly string[], input?: string): Promise<Row[]> => {
    const { stdout, code, stderr } = await runCli('dprof', ['steps', '-q', '-f', 'jsonl', ...args], input === undefined ? {} : { input }); // prettier-ignore
    expect(code, stderr).to.equal(0);
    return stdout.trimEnd().split('\n').map((row) => JSON.parse(row) as Row); // prettier-ignore
  };

  /** 1 TFLOP/s on matrices of FP16, 100 GB/s: 1000 FLOP and 100 bytes a ns. */
  const peaks = (): readonly string[] => {
    const path = join(folder, 'part.json');
    writeFileSync(path, JSON.stringify({ name: 'Part', bytesPerS: 1e11, peaks: { matrix: { fp16: 1e12 } } }));
    return ['--peaks', path];
  };

  const RECORDS = textOf(
    step(0, 0, 1000, PREFILL),
    // 2 · 100 · 100 · 100 = 2e6 FLOPs, 3 · 100 · 100 · 2 = 60,000 bytes: 2000 ns at the peak, 600 ns of traffic.
    product(0, 0, 4000, PREFILL, [100, 100, 100]),
    step(1, 5000, 1000, DECODE),
    // 2 · 4 · 100 · 100 = 80,000 FLOPs in 80 ns, (400 + 10,000 + 400) · 2 = 21,600 bytes in 216 ns.
    product(1, 5000, 400, DECODE, [4, 100, 100]),
    unknown(1, 5400, 100, DECODE),
    step(2, 6000, 1000, DECODE),
    product(2, 6000, 500, DECODE, [4, 100, 100]),
    step(3, 7000, 1000, SMALL),
    unknown(3, 7000, 600, SMALL),
  );

  it('have the work of their steps as shares of the roofline, and the bound that holds for most of their time', async () => {
    const rows = await rowsOf(['--by', 'phase', ...peaks()], RECORDS);
    const [prefill, decode, ...others] = rows;
    expect(others).to.deep.equal([]);
    expect(prefill).to.include({ region: 'prefill', passes: 1, flops: 2e6, bytes: 60_000, known: 100, bound: 'compute' }); // prettier-ignore
    expect(prefill).to.include({ peak: 50, bw: 15, roof: 50, mfu: 50, context_tokens: 300, generation_tokens: 0 });
    // 300 tokens in the 4 us of the device: the host took 5 us until the next step.
    expect(prefill).to.include({ tokens_per_s: 300e9 / 5000 });
    // Known are 900 of 1600 ns: 432 of them are traffic at the peak, and 160 arithmetic.
    expect(decode).to.include({ region: 'decode', passes: 3, flops: 160_000, bytes: 43_200, bound: 'memory' });
    expect(decode).to.include({ known: 56.25, knownbytes: 56.25, peak: 160 / 9, bw: 48, roof: 27, mfu: 10 });
    expect(decode).to.include({ context_tokens: 0, generation_tokens: 10, tokens_per_s: 10e9 / 3000 });
  });

  it('differ by the number of requests', async () => {
    const rows = await rowsOf(['--by', 'batch', ...peaks()], RECORDS);
    expect(rows.map(({ region, passes, flops, roof, bound }) => [region, passes, flops, roof, bound])).to.deep.equal([
      ['prefill, 2 requests, 300 tokens', 1, 2e6, 50, 'compute'],
      ['decode, 4 requests, 4 tokens', 2, 160_000, 43.2, 'memory'],
      ['decode, 2 requests, 2 tokens', 1, null, null, null],
    ]);
  });

  const range = (text: string, start: number, dur: number): RangeRecord => ({
    ...{ type: 'range', profile: 0, kind: 'annotation', start, dur, pid: 10, tid: 100, domain: null, text },
  });
  const launched = (launch: number, start: number, dur: number): KernelRecord =>
    kernel({ start, dur, launch: { api: 'launch', start: launch, dur: 5 } });

  it('of requests have the time of all steps that work on them', async () => {
    const input = textOf(
      range('execute_model: 2 reqs, 9 toks#request_id1=cmpl-a,request_id2=cmpl-b#', 0, 100),
      launched(10, 20, 50),
      range('execute_model: 1 reqs, 1 toks#request_id1=cmpl-b#', 200, 100),
      launched(210, 220, 30),
      range('Req_3_Prefill', 400, 50),
      launched(410, 420, 20),
      range('request 3', 500, 50),
      launched(510, 520, 10),
      range('request iteration', 600, 50),
      launched(610, 620, 10),
    );
    const rows = await rowsOf(['--by', 'request'], input);
    expect(rows.map(({ region, passes, busy, context_tokens }) => [region, passes, busy, context_tokens])).to.deep.equal([
      ['cmpl-b', 2, 80, null],
      ['cmpl-a', 1, 50, null],
      ['3', 2, 30, null],
    ]); // prettier-ignore
    const steps = await rowsOf(['--by', 'annotation'], input);
    expect(steps.map(({ region, passes }) => [region, passes])).to.deep.include(['execute_model:  reqs,  toks', 2]);
  });

  it('of requests do not exist where no range names one', async () => {
    const input = textOf(range('request iteration', 0, 50), launched(10, 20, 10));
    const { stderr, code } = await runCli('dprof', ['steps', '--by', 'request'], { input });
    expect(code).to.equal(1);
    expect(stderr).to.match(/no range names a request \(docs\/guide\/record-serving\.md says how to name them\)\n$/);
  });

  // Counted by a script over the JSON: four products in each of 36 layers and one for the output, and attention of 32
  // heads of 128 to all pairs of positions; some other kernels add at most 0.05 %.
  itShared(
    'have the FLOPs counted in a prefill',
    ['data/kineto/graphs/sglang_prefill_paged.json.gz'],
    async ([path = '']) => {
      const [row] = await rowsOf(['--by', 'phase', path]);
      expect(row).to.include({ region: 'prefill', passes: 1, kernels: 527, context_tokens: 15360, bound: 'compute' });
      const products = 36 * 2 * 15360 * 4096 * (6144 + 4096 + 24576 + 12288) + 2 * 15 * 4096 * 151936;
      const flops = products + 36 * 4 * 32 * 128 * 15728640;
      expect(row?.['flops']).to.be.within(flops, flops * 1.0005);
    },
  );

  // Counted by a script over the JSON: kernels that the thread of the annotation launched in it, and FLOPs of its 109 products.
  itShared(
    'have the kernels and products counted in a step',
    ['data/kineto/b200_rank0of8.json.gz'],
    async ([path = '']) => {
      const [row] = await rowsOf(['--by', 'batch', path]);
      expect(row).to.include({
        region: 'prefill, 1 request, 888 tokens',
        kernels: 694,
        collectives: 74,
        span: 84487178,
      });
      expect(row).to.include({ busy: 11596482, context_tokens: 888, bound: null });
      expect(row?.['flops']).to.be.within(235838453760, 235838453760 * 1.005);
    },
  );
});
