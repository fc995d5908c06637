import { expect } from 'chai';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { MemoryDocument } from '../../../../src/prof/memory/memory-report.js';
import { message, type Field } from '../../../../samples/programs/wire.js';
import { file, PlaneWriter, stepOnGpu } from '../../../../samples/programs/write-xplane.js';
import type {
  CopyRecord,
  KernelRecord,
  ProfileLine,
  RangeRecord,
  SampleRecord,
} from '../../../../src/record/record.js';
import { freshPath } from '../../../support/fresh-path.js';
import { diagnosticsOf, endOf, headerOf, kernelsOf, recordsOf } from '../../../support/profile-records.js';
import { runCli } from '../../../support/run-cli.js';
import { itShared, ROOT } from '../../../support/shared.js';

const GPU = join(ROOT, 'samples', 'step-gpu.xplane.pb');
const TPU = join(ROOT, 'samples', 'step-tpu.xplane.pb');

/** Time of kernels in picoseconds. */
const picosecondsOf = (kernels: readonly KernelRecord[]): number =>
  kernels.reduce((sum, { dur, ps }) => sum + (dur ?? 0) * 1000 + (ps?.[1] ?? 0), 0);

const ofType = <T extends ProfileLine>(path: string, type: T['type'], ranges = true): T[] =>
  recordsOf(path, { ranges }).filter((record): record is T => record.type === type);

/** FLOPs and bytes of each kernel of a profile, as dprof computes them; null for unknown ones. */
async function workIn(path: string): Promise<(readonly [name: string, flops: number | null, bytes: number | null])[]> {
  const { stdout } = await runCli('dprof', ['-f', 'jsonl', '-c', 'kernel,flops,bytes', path]);
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { kernel: string; flops: number | null; bytes: number | null })
    .map(({ kernel, flops, bytes }) => [kernel, flops, bytes] as const);
}

function written(bytes: Buffer): string {
  const path = freshPath('.xplane.pb');
  writeFileSync(path, bytes);
  return path;
}

describe('XPlane reader', () => {
  it('reads kernels with launch, op, layer, direction, stack and times in picoseconds', () => {
    const kernels = kernelsOf(GPU);
    expect(kernels.map(({ name, start, device, stream }) => [name, start, device, stream])).to.deep.equal([
      ['Cijk_Ailk_Bljk_BBS_BH_MT64x64x32_MI16x16x16x1', 20_000, 0, 1],
      ['loop_tanh_reduce_fusion', 24_500, 0, 1],
      ['Im3d2Col', 27_000, 0, 1],
      ['Cijk_Ailk_Bljk_BBS_BH_MT128x64x32_MI16x16x16x1', 28_000, 0, 1],
      ['gemm_fusion_dot_1', 32_000, 0, 1],
      ['Cijk_Ailk_Bljk_BBS_BH_MT64x64x32_MI16x16x16x1', 120_000, 0, 1],
      ['Cijk_Ailk_Bljk_BBS_BH_MT64x64x32_MI16x16x16x1', 124_000, 0, 1],
    ]);
    expect(picosecondsOf(kernels)).to.equal(19_500_500);
    const [gemm, fusion] = kernels;
    expect(gemm).to.deep.include({ grid: [16, 1, 1], block: [256, 1, 1], sharedBytes: 49_152, dir: 'fprop' });
    expect(gemm).to.deep.include({ layer: ['mlp'], op: ['dot_general'], mod: ['jax'], pid: 4242, tid: 4243, step: 0 });
    expect(gemm?.trace).to.deep.equal(['train.py:40', 'layers.py:12']);
    expect(gemm?.launch).to.deep.equal({ api: 'hipModuleLaunchKernel', start: 10_000, dur: 2000 });
    expect(fusion).to.deep.include({ dir: 'bprop', dur: 1500, ps: [0, 500] });
  });

  it('numbers the runs of an instruction: kernels of one run share it, and a repeated name begins another', () => {
    expect(kernelsOf(GPU).map(({ callIds, callKernels }) => [callIds, callKernels])).to.deep.equal([
      [[1], [1]],
      [[2], [1]],
      [[3], [2]],
      [[3], [2]],
      [[4], [1]],
      [[5], [1]],
      [[6], [1]],
    ]);
  });

  it('computes FLOPs and bytes of instructions from their shapes', async () => {
    expect(await workIn(GPU)).to.deep.equal([
      // 2 · 64 · 256 · 128; (64 · 128 + 128 · 256 + 64 · 256) · 2 bytes, without the workspace.
      ['Cijk_Ailk_Bljk_BBS_BH_MT64x64x32_MI16x16x16x1', 4_194_304, 114_688],
      // An operation for each of 64 · 256 elements by tanh, and by the sum.
      ['loop_tanh_reduce_fusion', 32_768, 32_896],
      ['Im3d2Col', 0, 0],
      // 2 · (8 · 32 · 8 · 8) · (3 · 3 · 16); (8 · 16 · 100 + 16 · 32 · 9 + 8 · 32 · 64) · 2 bytes.
      ['Cijk_Ailk_Bljk_BBS_BH_MT128x64x32_MI16x16x16x1', 4_718_592, 67_584],
      // 2 · 64 · 32 · 256; BF16 operands, FP32 result.
      ['gemm_fusion_dot_1', 1_048_576, 57_344],
      ['Cijk_Ailk_Bljk_BBS_BH_MT64x64x32_MI16x16x16x1', 4_194_304, 114_688],
      ['Cijk_Ailk_Bljk_BBS_BH_MT64x64x32_MI16x16x16x1', 4_194_304, 114_688],
    ]);
  });

  it("says the type of a fusion's product by its factors, and which products are on the matrix unit", async () => {
    const { stdout } = await runCli('dprof', ['-f', 'jsonl', '-c', 'kernel,dtype,tc', GPU]);
    expect(stdout).to.include('{"kernel":"gemm_fusion_dot_1","dtype":"bf16","tc":1}');
    expect(stdout).to.include('{"kernel":"Cijk_Ailk_Bljk_BBS_BH_MT128x64x32_MI16x16x16x1","dtype":"bf16","tc":1}');
  });

  it('reads copies, fills, steps, memory and the device; leaves derived lines out', () => {
    const [copy] = ofType<CopyRecord>(GPU, 'copy');
    expect(copy).to.deep.include({ kind: 'HtoD', bytes: 16_384, start: 10_000, dur: 5000, stream: 2 });
    expect(recordsOf(GPU).find(({ type }) => type === 'set')).to.deep.include({ bytes: 256, start: 16_000 });
    const samples = ofType<SampleRecord>(GPU, 'sample').map(({ metric, start, value }) => [metric, start, value]);
    expect(samples).to.deep.equal([
      ['step', 2000, 0],
      ['step', 100_000, 1],
      ['memory_allocated', 101_000, 65_536],
      ['memory_reserved', 101_000, 1_048_576],
    ]);
    const header = headerOf(GPU);
    expect(header).to.deep.include({ startUnixNs: '1790000000000000000', dur: 400_000, tool: 'JAX 0.10.2' });
    expect(header.devices).to.deep.equal([
      {
        ...{ id: 0, vendor: 'amd', name: null, arch: 'gfx942', units: 304, clockHz: 2_100_000_000 },
        // AMD's collector states half of it.
        ...{ memBytesPerS: 5_324_800_000_000, memBytes: 206_141_652_992 },
      },
    ]);
    expect(header.facts?.['not_read']).to.equal('events of thread pools: 1, line XLA Ops: 1');
    expect(JSON.stringify(recordsOf(GPU, { ranges: true }))).not.to.include('node.example');
  });

  it('reads instructions of a TPU with what the compiler states, transfers beside them, and waits', async () => {
    const [start, product, done] = kernelsOf(TPU);
    expect(product).to.deep.include({ name: 'cublas-gemm.1', start: 20_000, dur: 4000, ps: [78, 500], stream: 3 });
    expect(product?.counters).to.deep.equal({ flops: 4_194_304, model_flops: 4_194_304, bytes_accessed: 114_688 });
    expect(product?.trace).to.deep.equal(['train.py:40', 'layers.py:12']);
    for (const kernel of [start, product, done]) expect(kernel?.launch?.api).to.equal('DoEnqueueProgram');
    const [copy] = ofType<CopyRecord>(TPU, 'copy');
    expect(copy).to.deep.include({ kind: 'HtoD', bytes: 16_384, dur: 11_100, stream: 4 });
    expect(recordsOf(TPU).find(({ type }) => type === 'sync')).to.deep.include({ kind: 'barrier-cores', dur: 100 });
    expect(await workIn(TPU)).to.deep.equal([
      // The copy itself has the bytes.
      ['copy-start', 0, 0],
      ['cublas-gemm.1', 4_194_304, 114_688],
      ['copy-done', 0, 0],
    ]);
    // The wait for the copy is no compute.
    expect((await runCli('dprof', ['summary', TPU])).stdout).to.match(/compute +4\.001 us/);
  });

  it('reads the direction of a copy from the memories in the text of what starts it and of what waits for it', () => {
    const [host, chip] = ['f32[8,4]{1,0:T(8,128)S(5)}', 'f32[8,4]{1,0:T(8,128)}'];
    const texts: readonly (readonly [text: string, category: string])[] = [
      [`%a = (${chip}, ${host}, u32[]{:S(2)}) copy-start(${host} %p)`, 'copy-start'],
      [`%b = ${host} copy-done((${host}, ${chip}, u32[]{:S(2)}) %c)`, 'copy-done'],
      [`%d = ${chip} fusion(${host} %p), kind=kLoop`, 'loop fusion'],
      ['copy-done', 'copy-done'],
    ];
    const tpu = new PlaneWriter('/device:TPU:0');
    for (const [text, category] of texts) tpu.kind(text, { hlo_category: category }, text);
    tpu.line(
      ...([3, 'XLA Ops', 0, texts.map(([text], i): [string, [number, number]] => [text, [100 * i, 50]])] as const),
    );
    const kernels = kernelsOf(written(file([tpu])));
    expect(kernels.map(({ labels }) => labels?.['copy'])).to.deep.equal(['HtoD', 'DtoH', undefined, undefined]);
  });

  it('keeps the ids of the requests that a step of vLLM works on', () => {
    const host = new PlaneWriter('/host:CPU').line(7, 'python/7', 0, [
      ['execute_model: 2 reqs, 9 toks', [100, 50], { request_id1: 'cmpl-a', request_id2: 'cmpl-b' }],
      ['sample', [120, 5]],
      ['execute_model: 1 reqs, 1 toks', [200, 50], { request_id1: 'cmpl-b' }],
    ]);
    expect(ofType<RangeRecord>(written(file([host])), 'range').map(({ text }) => text)).to.deep.equal([
      'execute_model: 2 reqs, 9 toks#request_id1=cmpl-a,request_id2=cmpl-b#',
      'sample',
      'execute_model: 1 reqs, 1 toks#request_id1=cmpl-b#',
    ]);
  });

  it('reads a file with a GPU and a TPU, whose kernels have no registers', () => {
    const details = { kernel_details: 'regs:38 shm:512 grid:2,1,1 block:64,1,1' };
    const planes = [
      new PlaneWriter('/device:TPU:1').line(3, 'XLA Ops', 0, [['copy', [100, 50]]]),
      new PlaneWriter('/device:GPU:0').line(1, 'Stream #1(Kernel)', 0, [['k', [200, 50], details]]),
      new PlaneWriter('/device:TPU:2').line(3, 'XLA Ops', 0, [['copy', [300, 50]]]),
    ];
    const cells = kernelsOf(written(file(planes))).map(({ device, registers, sharedBytes }) => [device, registers, sharedBytes]); // prettier-ignore
    expect(cells).to.deep.equal([
      [1, null, null],
      [0, 38, 512],
      [2, null, null],
    ]);
  });

  it('is the same whatever the order of fields, with maps before lines', () => {
    const plane = (fields: readonly Field[]): Buffer => message([[1, fields]]);
    const name: Field = [2, '/device:GPU:3'];
    const kind: Field = [4, [[1, 1], [2, [[2, 'k']]]]]; // prettier-ignore
    const stat: Field = [5, [[1, 1], [2, [[2, 'kernel_details']]]]]; // prettier-ignore
    const line: Field = [3, [[4, [[1, 1], [2, 2000], [3, 3000], [4, [[1, 1], [5, 'grid:0,1,1 block:4,1,1']]]]], [1, 7], [3, 5]]]; // prettier-ignore
    for (const fields of [
      [name, line, kind, stat],
      [kind, stat, line, name],
      [stat, name, kind, line],
    ]) {
      // prettier-ignore
      const [kernel] = kernelsOf(written(plane(fields)));
      // A grid with a 0 is not one.
      expect(kernel).to.deep.include({ name: 'k', device: 3, stream: 7, start: 0, dur: 3, grid: null, block: [4, 1, 1] }); // prettier-ignore
    }
  });

  it('reads TensorFlow on NVIDIA: ops by annotations, steps by group, details of the device alone', () => {
    const level = 'replica_4/bert/layer_5/dropout_1/mul:Mul';
    const op = {
      annotation: `${level}#shape=(half[4,384];int32[])#`,
      'level 0': level,
      shape: '(half[4,384];int32[])',
    };
    const details = 'regs:38 shm:512 grid:160,1,1 block:1024,1,1';
    const host = new PlaneWriter('/host:CPU').line(5_000_000_000, 'tf_gpu_private_4/-1927060610', 200, [
      ['mul_kernel', [300, 100], { correlation_id: 7, kernel_details: 'regs:0 block:0,0,0' }],
      ['MemcpyH2D', [500, 100], { correlation_id: 8, memcpy_details: 'size:4 dest:1 async:1' }],
    ]);
    const gpu = new PlaneWriter('/device:GPU:4')
      .line(-559_038_737, 'Steps', 100, [['42', [900, 5000], { group_id: 3, step_name: '42' }]])
      .line(0xdeadbeef + 2, 'TensorFlow Ops', 100, [['Mul', [1000, 400], { kernel_details: details }]])
      .line(134, 'Stream #134(Compute)', 100, [
        ['mul_kernel', [1000, 400], { correlation_id: 7, kernel_details: details, group_id: 3, ...op }],
      ])
      .line(135, 'Stream #135(MemcpyH2D)', 100, [
        ['MemcpyH2D', [2000, 100], { correlation_id: 8, memcpy_details: 'size:4 dest:1 async:1' }],
      ])
      .stats({ compute_cap_major: 7, compute_cap_minor: 0, memory_bandwidth: 898_048_000_000, core_count: 80 });
    const path = written(file([host, gpu]));
    const [kernel, ...others] = kernelsOf(path);
    expect(others).to.deep.equal([]);
    expect(kernel).to.deep.include({ device: 4, stream: 134, dur: 400, registers: 38, sharedBytes: 512, step: 42 });
    expect(kernel).to.deep.include({ grid: [160, 1, 1], block: [1024, 1, 1], tid: null, mod: ['tf'], op: ['Mul'] });
    expect(kernel?.layer).to.deep.equal(['bert', 'layer_5', 'dropout_1']);
    expect(kernel?.launch).to.deep.equal({ api: null, start: 0, dur: 100 });
    expect(kernel?.calls[0]?.args).to.deep.equal([
      { name: '', type: 'tensor', dtype: 'float16', shape: [4, 384] },
      { name: '', type: 'tensor', dtype: 'int32', shape: [] },
    ]);
    const [copy] = ofType<CopyRecord>(path, 'copy');
    expect(copy).to.deep.include({ kind: 'HtoD', bytes: 4, stream: 135 });
    const [device] = headerOf(path).devices;
    expect(device).to.deep.include({ id: 4, vendor: 'nvidia', arch: 'sm70', memBytesPerS: 898_048_000_000 });
    expect(headerOf(path).startUnixNs).to.equal(null);
    expect(JSON.stringify(recordsOf(path, { ranges: true }))).not.to.include('node.example');
  });

  it('has graphs of kernels, keeps kernels whose details are compressed, and leaves out events without a place', () => {
    const details = 'regs:38 static_shared:0 dynamic_shared:512 grid:16,1,1 block:32,1,1';
    const gpu = new PlaneWriter('/device:GPU:0').line(7, 'Stream #7(Compute)', 100, [
      ['k', [1000, 400], { kernel_details: details, correlation_id: 5, cuda_graph_id: 11, cuda_graph_node_id: 12 }],
    ]);
    const [graph] = kernelsOf(written(file([gpu])));
    expect(graph).to.deep.include({ grid: [16, 1, 1], sharedBytes: 512, graph: { id: 11, node: 12 } });
    const name: Field = [2, '/device:GPU:0'];
    const kind: Field = [4, [[1, 1], [2, [[2, 'k']]]]]; // prettier-ignore
    const stat: Field = [5, [[1, 1], [2, [[2, 'kernel_details']]]]]; // prettier-ignore
    const compressed: Field = [4, [[1, 1], [8, 'x']]]; // prettier-ignore
    const line: Field = [3, [[1, 7], [4, [[1, 1], [2, 2000], [3, 3000], compressed]], [4, [[1, 1], [5, 9], [3, 3000], compressed]]]]; // prettier-ignore
    const path = written(message([[1, [name, line, kind, stat]]]));
    const kernels = kernelsOf(path);
    expect(kernels.map(({ dur, grid, block }) => [dur, grid, block])).to.deep.equal([[3, null, null]]);
    expect(headerOf(path).facts).to.deep.equal({ not_read: 'events without a known time: 1' });
  });

  it('has no wait, run, transfer or step for an event of a TPU without a place', () => {
    const kind: Field = [4, [[1, 1], [2, [[2, 'x']]]]]; // prettier-ignore
    const group: Field = [5, [[1, 1], [2, [[2, 'group_id']]]]]; // prettier-ignore
    const names = ['XLA TraceMe', 'XLA Modules', 'Async XLA Ops', 'Steps', 'Other', 'XLA Ops'];
    const lines = names.map((name, i): Field => {
      const event: Field = [4, [[1, 1], [5, 9], [3, 3000], [4, [[1, 1], [3, 2]]]]]; // prettier-ignore
      return [3, [[1, i], [2, name], event]]; // prettier-ignore
    });
    const path = written(message([[1, [[2, '/device:TPU:0'], ...lines, kind, group]]]));
    const { counts } = endOf(path);
    expect(counts).to.deep.equal({});
    expect(headerOf(path).facts).to.deep.equal({ not_read: 'events without a known time: 6' });
  });

  it('reads the steps of a TPU, and the step of each instruction by its group', () => {
    const tpu = new PlaneWriter('/device:TPU:1')
      .line(1, 'Steps', 0, [['8', [1000, 5000], { group_id: 3 }]])
      .line(3, 'XLA Ops', 0, [
        ['%a', [1500, 400], { hlo_category: 'loop fusion', group_id: 3 }],
        ['%b', [7000, 100], { hlo_category: 'loop fusion', group_id: 4 }],
      ]);
    const path = written(file([tpu]));
    expect(kernelsOf(path).map(({ name, step }) => [name, step])).to.deep.equal([['%a', 8], ['%b', undefined]]); // prettier-ignore
    const steps = ofType<SampleRecord>(path, 'sample').map(({ start, dur, device, value }) => [start, dur, device, value]); // prettier-ignore
    expect(steps).to.deep.equal([[0, 5000, 1, 8]]);
    expect(headerOf(path).facts).to.equal(undefined);
  });

  it('keeps the whole planes of a file that is cut off, and refuses one that was saved as text or has none', () => {
    const bytes = stepOnGpu();
    const cut = written(bytes.subarray(0, bytes.length - 60));
    expect(kernelsOf(cut)).to.have.length(7);
    expect(diagnosticsOf(cut)).to.include({ 'truncated-input': 1 });
    const asText = written(Buffer.from(bytes.toString('utf8')));
    expect(() => recordsOf(asText)).to.throw('saved as text');
    expect(() => recordsOf(written(bytes.subarray(0, 900)))).to.throw('its first plane extends past the end');
    // A field that an XSpace does not have, behind its planes.
    const damaged = written(Buffer.concat([bytes, Buffer.from([0x78, 0x01])]));
    expect(kernelsOf(damaged)).to.have.length(7);
    expect(diagnosticsOf(damaged)).to.include({ 'malformed-event': 1 });
  });

  it('reads a first plane whose tables are cut off, by the names before the cut', () => {
    const whole = message([new PlaneWriter('/device:GPU:0').line(1, 'Stream #1(Kernel)', 0, [
      ['a', [1000, 500], { kernel_details: 'grid:1,1,1 block:4,1,1' }],
      ['b', [2000, 500], { kernel_details: 'grid:1,1,1 block:4,1,1' }],
    ]).stats({ core_count: 80 }).field()]); // prettier-ignore
    const cut = written(whole.subarray(0, whole.length - 3));
    expect(kernelsOf(cut).map(({ name }) => name)).to.deep.equal(['a', 'b']);
    expect(diagnosticsOf(cut)).to.include({ 'truncated-input': 1 });
  });

  it('reads the files of a run as ranks, and leaves the traces beside them out with one notice', async () => {
    const folder = join(freshPath(''), 'plugins', 'profile', '2026_01_02');
    mkdirSync(folder, { recursive: true });
    for (const host of ['node-10', 'node-9']) {
      writeFileSync(join(folder, `${host}.xplane.pb`), stepOnGpu());
      writeFileSync(join(folder, `${host}.trace.json.gz`), gzipSync('{"traceEvents":[{"ph":"X","ts":1,"dur":2}]}'));
    }
    const { stdout, stderr } = await runCli('dparse', [folder]);
    const headers = stdout.split('\n').filter((line) => line.includes('"type":"profile"'));
    const found = headers.map((line) => JSON.parse(line) as { file: string; rank: number | null });
    expect(found.map(({ file, rank }) => [file, rank])).to.deep.equal([
      ['node-10.xplane.pb', 1],
      ['node-9.xplane.pb', 0],
    ]);
    expect(stderr.match(/left out/g)).to.have.length(1);
    expect(stderr).to.include('2 traces left out, whose .xplane.pb is next to them');
    // Elsewhere files may be of several runs.
    expect(headerOf(written(stepOnGpu())).rank).to.equal(null);
    const alone = await runCli('dparse', [join(folder, 'node-9.trace.json.gz')]);
    expect(alone.stderr).to.include('give the .xplane.pb of the same run');
  });

  it('reads what stands around a damaged event, kind or program, and counts the damage', () => {
    const kind = (id: number, name: string): Field => [4, [[1, id], [2, [[2, name]]]]]; // prettier-ignore
    const stat: Field = [5, [[1, 1], [2, [[2, 'kernel_details']]]]]; // prettier-ignore
    const event = (id: number, offset: number): Field => [4, [[1, id], [2, offset], [3, 3000], [4, [[1, 1], [5, 'grid:1,1,1 block:4,1,1']]]]]; // prettier-ignore
    // A field of kind 7, which there is not: in an event, at the end of a line, and in a kind of events.
    const broken = Buffer.from([0x0f]);
    const line: Field = [3, [event(1, 1000), [4, broken], event(2, 5000), [4, broken]]];
    const path = written(message([[1, [[2, '/device:GPU:0'], line, kind(1, 'a'), [4, broken], kind(2, 'b'), stat]]]));
    expect(kernelsOf(path).map(({ name, start }) => [name, start])).to.deep.equal([
      ['a', 0],
      ['b', 4],
    ]);
    expect(diagnosticsOf(path)).to.deep.equal({ 'kernel-without-launch': 2, 'malformed-event': 3 });
  });

  const EXPECTED: Readonly<Record<string, { kernels: number; ps: number; names: number; hlo: number }>> = {
    jax08_gemm_mi300: { kernels: 54, ps: 3_475_484_000, names: 8, hlo: 42 },
    jax08_conv_8gpu_mi300: { kernels: 235, ps: 28_137_077_000, names: 6, hlo: 198 },
    jax_te_attention_mi355: { kernels: 150, ps: 12_133_585_000, names: 19, hlo: 150 },
  };
  for (const [file, expected] of Object.entries(EXPECTED))
    itShared(`counts the kernels of ${file}`, [`data/xplane/${file}.xplane.pb`], ([path = '']) => {
      const kernels = kernelsOf(path);
      const names = new Set(kernels.map(({ name }) => name)).size;
      const hlo = kernels.filter(({ calls }) => calls.length > 0).length;
      expect({ kernels: kernels.length, ps: picosecondsOf(kernels), names, hlo }).to.deep.equal(expected);
      expect(kernels.every(({ launch }) => launch !== null)).to.equal(true);
    });

  itShared('computes the FLOPs of products and convolutions of JAX', ['data/xplane'], async ([folder = '']) => {
    const flopsIn = async (file: string, pattern: RegExp): Promise<number[]> =>
      (await workIn(join(folder, `${file}.xplane.pb`))).flatMap(([name, flops]) =>
        pattern.test(name) && flops !== null && flops > 0 ? [flops] : [],
      );
    const gemms = (await flopsIn('jax08_gemm_mi300', /^Cijk_|^gemm/)).sort((a, b) => a - b);
    const each = [33_554_432, 2_147_483_648, 68_719_476_736, 137_438_953_472, 137_438_953_472, 549_755_813_888];
    expect(gemms).to.deep.equal(each.flatMap((flops) => [flops, flops, flops]));
    expect(await flopsIn('jax08_conv_8gpu_mi300', /^Cijk_/)).to.deep.equal(new Array(40).fill(36_609_720_320));
    expect(await flopsIn('jax_te_attention_mi355', /^Cijk_|^gemm/)).to.deep.equal(new Array(30).fill(103_079_215_104));
  });

  it("keeps the memory of each TPU's allocator apart, with what it sets aside for programs", () => {
    const stats = (device: number, used: number, reserved: number) => ({
      ...{ index_on_host: device, bytes_allocated: used, bytes_reserved: reserved, bytes_available: 1000 },
    });
    const host = new PlaneWriter('/host:CPU').line(1, 'main/1', 0, [
      ['MemoryAllocation', [100, 1], stats(0, 50, 0)],
      ['MemoryAllocation', [200, 1], stats(1, 70, 20)],
      ['MemoryDeallocation', [300, 1], stats(0, 30, 40)],
    ]);
    const samples = ofType<SampleRecord>(written(file([host])), 'sample');
    const of = (kind: string) =>
      samples.filter(({ labels }) => labels?.['kind'] === kind).map(({ device, value }) => [device, value]);
    expect(samples).to.have.length(9);
    expect(of('heap')).to.deep.equal([[0, 50], [1, 70], [0, 30]]); // prettier-ignore
    expect(of('stack')).to.deep.equal([[0, 0], [1, 20], [0, 40]]); // prettier-ignore
    expect(of('Total')).to.deep.equal([[0, 50], [1, 90], [0, 70]]); // prettier-ignore
  });

  // Highest bytes_allocated + bytes_reserved of events of each index_on_host, which with bytes_available are always
  // 33,550,237,696: a sum over the file's events alone.
  itShared('finds the peak of each of four TPUs', ['data/xplane/tpu_v6e_4.xplane.pb'], async ([path = '']) => {
    const { stdout } = await runCli('dprof', ['memory', '-f', 'jsonl', path]);
    const reports = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as MemoryDocument)
      .filter((line) => 'peak' in line);
    expect(reports.map(({ device, peak, series }) => [device, peak.bytes, peak.of, series[0]?.samples])).to.deep.equal([
      [0, 21_492_569_216, 'Total', 234],
      [1, 21_492_671_104, 'Total', 224],
      [2, 21_492_671_104, 'Total', 224],
      [3, 21_492_569_216, 'Total', 224],
    ]);
  });

  itShared('counts the operations of four TPUs', ['data/xplane/tpu_v6e_4.xplane.pb'], ([path = '']) => {
    const kernels = kernelsOf(path);
    const facts = [0, 1, 2, 3].map((device) => {
      const own = kernels.filter((kernel) => kernel.device === device);
      const sum = (name: string): number => own.reduce((total, { counters }) => total + (counters?.[name] ?? 0), 0);
      const empty = own.filter(({ dur, ps }) => dur === 0 && (ps?.[1] ?? 0) === 0).length;
      return [own.length, picosecondsOf(own), sum('flops'), sum('bytes_accessed'), empty];
    });
    const flops = 406_679_715_840;
    expect(facts).to.deep.equal([
      [1504, 78_784_927_635_502, flops, 9_701_257_379_840, 45],
      [1503, 78_789_509_321_754, flops, 9_695_888_670_720, 45],
      [1503, 78_781_986_874_072, flops, 9_695_888_670_720, 44],
      [1503, 78_766_281_688_068, flops, 9_695_888_670_720, 49],
    ]);
    expect(kernels.every(({ launch }) => launch !== null)).to.equal(true);
    expect(ofType(path, 'copy')).to.have.length(600);
    const modules = ofType<SampleRecord>(path, 'sample').filter(({ metric }) => metric === 'xla_module');
    expect([0, 1, 2, 3].map((id) => modules.filter(({ device }) => device === id).length)).to.deep.equal([105, 103, 103, 103]); // prettier-ignore
  });

  itShared(
    'reads what XLA ran on a CPU as ranges, and the steps',
    ['data/xplane/jax0102_cpu_steps.xplane.pb'],
    ([path = '']) => {
      // prettier-ignore
      const ranges = ofType<RangeRecord>(path, 'range');
      const ops = ranges.filter(({ kind }) => kind === 'op');
      expect([ops.length, new Set(ops.map(({ text }) => text)).size]).to.deep.equal([30, 10]);
      expect(ops.reduce((sum, { dur }) => sum + dur, 0)).to.equal(1_726_747);
      const steps = ofType<SampleRecord>(path, 'sample').map(({ value, dur }) => [value, dur]);
      expect(steps).to.deep.equal([[0, 1_271_401], [1, 2_269_005], [2, 882_163]]); // prettier-ignore
      expect(ranges.filter(({ text }) => text === 'forward_and_backward')).to.have.length(3);
      expect(readFileSync(path).includes('jit_step')).to.equal(true);
    },
  );
});
