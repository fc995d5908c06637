import { expect } from 'chai';
import { adviserOf, copy, findingsOf, silenceOf } from '../../support/advice.js';
import { aten, t, v } from '../../support/calls.js';
import { A100, device, profileOn } from '../../support/devices.js';
import { kernel, mm } from '../../support/kernels.js';
import { instruction, neuronProfile, packet, tensor, throttle } from '../../support/neuron.js';
import { overviewOf } from '../../support/overviews.js';
import type { KernelRecord, OpCall, ProfileLine, ProfileRecord } from '../../../src/record/record.js';

const SHAPE = [4096, 4096];
/** Bytes of one such tensor in FP32: 64 MiB, more than the cache. */
const SIZE = 4096 * 4096 * 4;
const pointwise = (call: OpCall, start: number, dur: number, change: Partial<KernelRecord> = {}): KernelRecord =>
  kernel({ name: 'vectorized_elementwise_kernel', start, dur, calls: [call], op: [call.op], mod: ['aten'], ...change });
const relu = aten('relu', t(SHAPE));
const sigmoid = aten('sigmoid', t(SHAPE));
const other = aten('relu', t([4096, 2048]));

describe('findings about kernels that run at the same time', () => {
  it('are about the time in which any of them runs, which is at most the time of the device', () => {
    const at = (stream: number, start: number): KernelRecord => kernel({ stream, start, dur: 600, op: [], calls: [] });
    const records = [profileOn(A100), at(7, 0), at(8, 100), at(9, 200), kernel({ start: 800, dur: 200, op: [], calls: [] })];
    const adviser = adviserOf(records);
    const [found] = adviser.findings.filter(({ rule }) => rule === 'unattributed');
    expect(found).to.deep.include({ stake: 1000, evidence: { kernels: 4, timeNs: 2000, kernelNs: 2000 } });
    expect(found?.what).to.include('100.0 % of kernel time has no op, 2 us');
    for (const each of adviser.findings) expect(adviser.shareOf(each)).to.be.at.most(1);
  }); // prettier-ignore
});

describe('the rule fusion', () => {
  it('saves writing and reading what lies between', () => {
    const chain = [
      pointwise(sigmoid, 0, 100_000, { id: 1 }),
      pointwise(aten('mul', t(SHAPE), t(SHAPE)), 100_500, 150_000, { id: 2 }),
      pointwise(relu, 251_000, 100_000, { id: 3 }),
      pointwise(other, 352_000, 60_000, { id: 4 }),
    ];
    const [found] = findingsOf('fusion', [profileOn(A100), ...chain]);
    // Two tensors in between, each written and read; 2 + 3 + 2 tensors are moved in all, 3 are left.
    expect(found).to.include({ stake: 350_000, count: 3 });
    expect(found?.evidence).to.include({ chains: 1, savedBytes: 4 * SIZE });
    expect(found?.gain?.ns).to.be.closeTo(Math.min((4 * SIZE) / 1555, 350_000 - (3 * SIZE) / 1555) , 0.01);
    // At half of the peak the fused kernel saves twice that: no bound.
    expect(found?.gain?.isBound).to.equal(false);
    expect(found?.details).to.include('profiles do not record addresses');
    expect(found?.what).to.include('sigmoid>mul>relu');
  }); // prettier-ignore

  it('is silent on other shapes, far times, other streams and small kernels', () => {
    const silent = [
      pointwise(relu, 0, 100_000),
      pointwise(other, 100_500, 60_000),
      pointwise(relu, 161_000, 100_000),
      pointwise(sigmoid, 400_000, 100_000),
      pointwise(relu, 500_500, 100_000, { stream: 8 }),
      pointwise(aten('relu', t([8])), 601_000, 2000),
      pointwise(aten('relu', t([8])), 603_500, 2000),
    ];
    expect(silenceOf('fusion', [profileOn(A100), ...silent])).to.equal('nothing');
    // Gradients of both factors of one product; the same op on two tensors.
    const gradient = { dir: 'bprop', seq: [7] } as const;
    const siblings = [
      pointwise(aten('mul', t(SHAPE), t(SHAPE)), 0, 150_000, gradient),
      pointwise(aten('neg', t(SHAPE)), 150_500, 100_000, gradient),
      pointwise(relu, 300_000, 100_000),
      pointwise(relu, 400_500, 100_000),
    ];
    expect(silenceOf('fusion', [profileOn(A100), ...siblings.slice(0, 2)])).to.equal('nothing');
    expect(silenceOf('fusion', [profileOn(A100), ...siblings.slice(2)])).to.equal('nothing');
    // Queries, then keys: the second product begins again what the first began.
    const rotated = [aten('mul', t(SHAPE), t([1, 4096])), aten('add', t(SHAPE), t(SHAPE), v(1))];
    const twice = [...rotated, ...rotated].map((call, i) => pointwise(call, 200_000 * i, 199_000, { id: i + 1 }));
    expect(findingsOf('fusion', [profileOn(A100), ...twice])[0]?.evidence).to.include({ chains: 2, kernels: 4 });
    expect(silenceOf('fusion', [pointwise(relu, 0, 100_000)])).to.match(/^no kernel with known FLOPs or bytes/);
  });
});

describe('the rule unfused-attention', () => {
  const [B, M, D, N] = [16, 1024, 64, 2048];
  const scores = t([B, M, N]);
  const run = (calls: readonly OpCall[]): ProfileLine[] => [
    profileOn(A100),
    ...calls.map((call, i) => pointwise(call, 200_000 * i, 100_000, { id: i + 1, layer: ['Attention_0'] })),
  ];
  const first = aten('bmm', t([B, M, D]), t([B, D, N]));
  const scale = aten('mul', scores, v(0.125));
  const softmax = aten('_softmax', scores, v(-1), v(false));
  const last = aten('bmm', scores, t([B, N, D]));

  it('saves the kernels between the products, and writing and reading the scores', () => {
    const [found, ...more] = findingsOf('unfused-attention', run([first, scale, softmax, last]));
    expect(more).to.deep.equal([]);
    // 2 x 16 x 1024 x 2048 x 4 bytes at 1555 GB/s, and 2 x 100 us.
    const bytes = 2 * B * M * N * 4;
    expect(found).to.deep.include({ stake: 400_000, count: 4 });
    expect(found?.evidence).to.include({ attentions: 1, betweenNs: 200_000, scoreBytes: bytes });
    expect(found?.gain?.ns).to.be.closeTo(200_000 + bytes / 1.555e3, 0.01);
    expect(found?.action).to.include('torch.nn.functional.scaled_dot_product_attention');
    expect(found?.details).to.include('in Attention_0');
  });

  it('is silent on other extents, another dimension, logarithms, backward kernels and single products', () => {
    const silent = [
      [first, scale, softmax],
      [first, scale, last],
      [softmax, last],
      [first, aten('_softmax', scores, v(1), v(false)), last],
      [first, aten('_log_softmax', scores, v(-1), v(false)), last],
      [first, aten('_softmax', t([B, N, M]), v(-1), v(false)), last],
      [first, softmax, aten('bmm', t([B, N, M]), t([B, M, D]))],
      [first, softmax, first, last],
      [first, softmax, ...Array.from({ length: 16 }, () => aten('relu', t([8]))), last],
      [aten('mm', t([M, D]), t([D, N])), aten('_softmax', t([M, N]), v(-1), v(false)), aten('mm', t([M, N]), t([N, D]))],
    ];
    for (const calls of silent) expect(silenceOf('unfused-attention', run(calls))).to.equal('nothing');
    expect(silenceOf('unfused-attention', [kernel()])).to.equal('no kernel has a known op with arguments');
  }); // prettier-ignore
});

describe('the rule ai-cpu', () => {
  it('adds up ops on the AI CPU', () => {
    const cpu = { engine: 'AI_CPU', labels: { opType: 'NonZero' } };
    const [found] = findingsOf('ai-cpu', [
      kernel({ ...cpu, dur: 40 }),
      kernel({ ...cpu, id: 2, start: 1050, dur: 60 }),
    ]);
    expect(found).to.deep.include({ stake: 100, gain: null, count: 2, kernels: ['0:2', '0:1'] });
    expect(found?.what).to.include('NonZero');
  });

  it('is silent on cores, and where there are none', () => {
    expect(silenceOf('ai-cpu', [kernel({ engine: 'AI_CORE' })])).to.equal('nothing');
    expect(silenceOf('ai-cpu', [kernel()])).to.match(/^no kernel has a core class/);
  });
});

describe('the rule unattributed', () => {
  const named = (start: number, dur: number) => pointwise(relu, start, dur);

  it('states why, and how to profile', () => {
    const records = [{ ...profileOn(A100), format: 'nsight' }, named(0, 60), kernel({ start: 100, dur: 40, id: 2 })];
    const [found] = findingsOf('unattributed', records);
    expect(found).to.deep.include({ stake: 40, gain: null, kernels: ['0:2'] });
    expect(found?.what).to.include('40.0 % of kernel time').and.include('no op call around the launch');
    expect(found?.action).to.include('emit_nvtx');
    const early = kernel({ launch: null });
    const late = { ...named(60, 5), id: 2, launch: { api: 'cudaLaunchKernel', start: 20, dur: 5 } };
    const actionOf = (format: string, ...kernels: KernelRecord[]) => actionFor({ format }, ...kernels);
    const actionFor = (profile: Partial<ProfileRecord>, ...kernels: KernelRecord[]) =>
      findingsOf('unattributed', [{ ...profileOn(A100), ...profile }, ...kernels])[0]?.action;
    expect(actionOf('nsight', early, late)).to.match(/^start the profiler one step earlier/);
    // A stream runs work in the order of its launches: what comes later was not launched before the profiler started.
    expect(actionOf('nsight', late, { ...early, id: 3, start: 100 })).to.match(/^record all API calls/);
    // No call at all: the host was not traced, or its part of the profile was not given.
    expect(actionOf('nsight', early)).to.match(/^trace API calls too/);
    expect(actionOf('kineto', early)).to.match(/ProfilerActivity\.CPU/);
    // The table of kernels alone; the trace, whose host was not traced; a run of msprof, which knows no framework.
    const ofAscend = (file: string) => actionFor({ format: 'ascend-text', file }, early);
    expect(ofAscend('kernel_details.csv')).to.match(/trace_view\.json.*where it is missing.*analyse\(FOLDER\)/);
    expect(ofAscend('trace_view.json')).to.match(/ProfilerActivity\.CPU/);
    const facts = { activities: 'ProfilerActivity.CPU,ProfilerActivity.NPU' };
    const ofBoth = actionFor({ format: 'ascend-text', file: 'trace_view.json', facts }, early);
    expect(ofBoth).to.match(/^trace API calls too if the profiler can/);
    expect(ofAscend('op_summary_20240601.csv')).to.match(/msprof_.*\.json.*msprof --export=on/);
    // Captures of graphs are given for traces of PyTorch alone.
    const replayed = kernel({ graph: { id: 1, node: 2 } });
    expect(actionOf('kineto', replayed)).to.match(/--capture/);
    expect(actionOf('nsight', replayed)).to.match(/^start the profiler before the graph is captured/);
    expect(actionOf('nvprof', replayed)).to.equal('profile one run without graphs');
    // Of other formats nothing is known: they may have no host.
    expect(actionOf('another', early)).to.match(/^trace API calls too if the profiler can/);
    expect(actionOf('another', kernel())).to.match(/^where a framework launches these kernels, record its ops if/);
  });

  it('is a share of the time of kernels that compute: collectives need no op', () => {
    const allReduce = kernel({ name: 'ncclDevKernel_AllReduce_Sum_f32_RING_LL', start: 200, dur: 100, id: 3 });
    const [found] = findingsOf('unattributed', [profileOn(A100), named(0, 60), kernel({ start: 100, dur: 40, id: 2 }), allReduce]); // prettier-ignore
    expect(found?.evidence).to.include({ timeNs: 40, kernelNs: 200, collectiveNs: 100 });
    expect(found?.what).to.include('40.0 % of kernel time (excluding collectives) has no op');
  });

  it('is found beside collectives that take most of the time', () => {
    // 25 of 100 compute; with the collective it would be 2.5 %.
    const allReduce = kernel({ name: 'ncclDevKernel_AllReduce_Sum_f32_RING_LL', start: 200, dur: 900, id: 3 });
    const records = [profileOn(A100), named(0, 75), kernel({ start: 100, dur: 25, id: 2 }), allReduce];
    expect(findingsOf('unattributed', records)[0]?.what).to.include('25.0 % of kernel time (excluding collectives)');
  });

  it('distinguishes launches outside of ops from a host that was not traced', () => {
    const outside = kernel({ start: 100, dur: 40, id: 2 });
    const actionOf = (...kernels: KernelRecord[]) =>
      findingsOf('unattributed', [{ ...profileOn(A100), format: 'kineto' }, ...kernels])[0]?.action;
    expect(actionOf(outside)).to.match(/ProfilerActivity\.CPU/);
    expect(actionOf(named(0, 60), outside)).to.match(/wrap custom kernels in ops/);
  });

  it('asks for shapes where ops are known without', () => {
    const [found] = findingsOf('unattributed', [
      { ...profileOn(A100), format: 'kineto' },
      pointwise(aten('relu'), 0, 60),
    ]);
    expect(found?.action).to.include('record_shapes=True');
    const [nsight] = findingsOf('unattributed', [profileOn(A100), kernel({ op: ['relu'], mod: ['aten'], calls: [] })]);
    expect(nsight?.action).to.include('--pytorch=autograd-shapes-nvtx');
    expect(found?.what).to.include('ops without recorded arguments');
    // Options that were given already are not named again.
    const actionWith = (facts: Readonly<Record<string, string>>) =>
      findingsOf('unattributed', [{ ...profileOn(A100), format: 'kineto', facts }, pointwise(aten('relu'), 0, 60)])[0]
        ?.action;
    expect(actionWith({})).to.equal('record arguments with record_shapes=True, and lines of code with with_stack=True');
    expect(actionWith({ with_stack: 'true' })).to.equal('record arguments with record_shapes=True');
    expect(actionWith({ record_shapes: 'true' })).to.equal(undefined);
  });

  it('is silent where nearly all is known, and on instructions', () => {
    expect(silenceOf('unattributed', [profileOn(A100), named(0, 1000), kernel({ start: 1001, dur: 50 })])).to.equal('nothing');
    // A collective needs no op: its name states what it does.
    const nccl = kernel({ name: 'ncclDevKernel_AllReduce_Sum_f32_RING_LL', start: 1001, dur: 5000 });
    expect(silenceOf('unattributed', [profileOn(A100), named(0, 1000), nccl])).to.equal('nothing');
    expect(silenceOf('unattributed', [neuronProfile(), instruction('MATMUL', 'Tensor', 0, 50)])).to.match(/^the device runs/);
  }); // prettier-ignore
});

describe('the rule impossible', () => {
  it('reports a rate above the peak', () => {
    // 2·4096³ FLOP in 100 us: 1374 TFLOP/s, where there are 312.
    const name = 'ampere_bf16_s16816gemm_bf16_128x64_ldg8_f2f_nn';
    const fast = kernel({ name, dur: 100_000, calls: [mm(4096, 4096, 4096, 'bfloat16')] });
    const [found] = findingsOf('impossible', [profileOn(A100), fast]);
    expect(found).to.deep.include({ stake: 100_000, gain: null, kernels: ['0:1'] });
    expect(found?.evidence).to.include({ aboveComputePeak: 1, aboveMemoryPeak: 0 });
    expect(silenceOf('impossible', [profileOn(A100), { ...fast, dur: 600_000 }])).to.equal('nothing');
    expect(silenceOf('impossible', [fast])).to.match(/^no kernel with known FLOPs or bytes/);
  });

  it('blames the recorded time where most runs of the same work stay below the peaks', () => {
    // 2·4096³ FLOP: 229 TFLOP/s in 600 us, below 312; 1374 TFLOP/s in 100 us. The other product has half of the work.
    const run = (id: number, dur: number, m = 4096): KernelRecord =>
      kernel({
        ...{ id, start: 1_000_000 * id, dur, calls: [mm(m, 4096, 4096, 'bfloat16')] },
        name: 'ampere_bf16_s16816gemm_bf16_128x64_ldg8_f2f_nn',
      });
    const durs = [600_000, 100_000, 600_000, 600_000];
    const runs = durs.map((dur, i) => run(i + 1, dur));
    const [found] = findingsOf('impossible', [profileOn(A100), ...runs]);
    expect(found).to.deep.include({ count: 1, kernels: ['0:2'] });
    expect(found?.details).to.equal('1 kernel recorded as too short: other runs of the same work take longer');
    expect(found?.action).to.match(/^the times of these kernels in the profile are wrong/);
    expect(overviewOf([profileOn(A100), ...runs]).kernels?.work).to.include({ impossible: 1, mistimed: 1 });
    // Of other work there is only one run, which says nothing about its time.
    const other = [...runs, run(5, 50_000, 2048)];
    expect(overviewOf([profileOn(A100), ...other]).kernels?.work).to.include({ impossible: 2, mistimed: 1 });
    expect(findingsOf('impossible', [profileOn(A100), ...other])[0]?.action).to.match(/^this is impossible/);
  });

  it('reports sets and copies above the peak of the memory or links', () => {
    const { kind: _, ...work } = copy({ launch: null });
    const set = (bytes: number, dur: number): ProfileLine => ({ ...work, type: 'set', value: 0, bytes, dur });
    // A V100 writes 900 GB/s: 77.03 MB less the 6 MiB that the cache may still hold take 78.6 us, not 10.
    const V100 = profileOn(device('Tesla V100-SXM2-16GB', { arch: 'sm70' }));
    const [found, ...others] = findingsOf('impossible', [V100, set(77_030_000, 10_000)]);
    expect(others).to.deep.equal([]);
    expect(found).to.deep.include({ about: 'profile', count: 1, gain: null, kernels: [] });
    expect(found?.stake).to.equal(10_000); // The device has no more time.
    expect(found?.evidence.leastNs).to.be.closeTo((77_030_000 - 6 * 1024 ** 2) / 900, 0.01);
    expect(found?.what).to.match(/^1 set moved 77.03 MB in 10 us, faster than .* V100 SXM2 can: up to 7.703 TB\/s/);
    expect(found?.action).to.include('the clock or the size in the profile is wrong');
    // In the cache, and slow enough.
    expect(silenceOf('impossible', [V100, set(6_000_000, 1000), set(77_030_000, 100_000)])).to.equal('nothing');
    expect(silenceOf('impossible', [set(77_030_000, 10_000)])).to.match(/^no kernel with known FLOPs or bytes/);
    // Within a device each byte is read and written: 2 x (1 GB - 40 MiB) take 1.232 ms at 1555 GB/s.
    const twice = copy({ kind: 'DtoD', bytes: 1e9, dur: 1_100_000 });
    expect(findingsOf('impossible', [profileOn(A100), twice])[0]?.what).to.match(/^1 copy moved/);
    expect(silenceOf('impossible', [profileOn(A100), { ...twice, dur: 1_300_000 }])).to.equal('nothing');
    expect(silenceOf('impossible', [profileOn(A100), { ...twice, kind: 'DtoH' }])).to.equal('nothing');
    // NVLink moves 150 GB/s in one direction: 6.67 ms.
    const peer = copy({ kind: 'PtoP', bytes: 1e9, dur: 6_000_000 });
    expect(findingsOf('impossible', [V100, peer])).to.have.length(1);
    expect(silenceOf('impossible', [V100, { ...peer, dur: 7_000_000 }])).to.equal('nothing');
  });
});

describe('the rules of Neuron', () => {
  const silent = [neuronProfile(), instruction('MATMUL', 'Tensor', 0, 50)];

  it('bound what reloading a tensor costs', () => {
    // 4 x 1000 bytes of a tensor of 1000: 3000 too many, at 716 GB/s.
    const load = { labels: { variable: 'w', dest: 'SB' } };
    const loads = [0, 10, 20, 30].map((start) => packet('data', start, 5, 1000, load));
    const [found] = findingsOf('neuron-reload', [neuronProfile(), tensor('w', 'weight', 1000), ...loads]);
    expect(found?.see).to.equal('dprof summary --vendor-metrics FILE');
    expect(found?.gain?.ns).to.be.closeTo(3000 / 716, 1e-9);
    // On the timeline it is marked from the first load to the end of the last.
    expect(found?.at).to.deep.equal({ start: 0, end: 35 });
    // Packets are slower than the memory: no bound.
    expect(found?.gain?.isBound).to.equal(false);
    const twice = [neuronProfile(), tensor('w', 'weight', 1000), ...loads.slice(0, 2)];
    expect(silenceOf('neuron-reload', twice)).to.equal('nothing');
    expect(silenceOf('neuron-reload', silent)).to.equal('the capture does not record which tensor a packet belongs to');
  });

  it('bound what throttling costs', () => {
    // Half of the rate for 2 us of 10: 1 us.
    const [found] = findingsOf('neuron-throttled', [
      ...silent,
      throttle(1, 2, 0, 2000),
      instruction('MATMUL', 'Tensor', 9950, 50),
    ]);
    expect(found).to.deep.include({ device: 4, stake: 1000 });
    expect(silenceOf('neuron-throttled', [...silent, throttle(2, 2, 0, 2000)])).to.equal('nothing');
    expect(silenceOf('neuron-throttled', silent)).to.equal('the capture has no throttling samples');
  });

  it('add up the time of transposes and of small packets', () => {
    const transpose = instruction('MATMUL', 'Tensor', 100, 40, { counters: { elements: 50 }, labels: { type: 'TRANSPOSE' } });
    const work = instruction('MATMUL', 'Tensor', 200, 40, { counters: { elements: 100 } });
    expect(findingsOf('neuron-transposes', [neuronProfile(), transpose, work])[0]).to.include({ stake: 40, gain: null });
    expect(silenceOf('neuron-transposes', [neuronProfile(), work])).to.equal('nothing');
    const packets: ProfileLine[] = [packet('data', 0, 10, 512), packet('data', 5, 10, 512), packet('data', 30, 9, 8192)];
    expect(findingsOf('neuron-dma', [neuronProfile(), ...packets])[0]).to.include({ stake: 15, gain: null, count: 2 });
    expect(silenceOf('neuron-dma', [neuronProfile(), packet('data', 30, 9, 8192)])).to.equal('nothing');
  }); // prettier-ignore

  it('compare what is read with what there is', () => {
    const read = instruction('LOAD', 'Sync', 0, 50, { counters: { hbmReadBytes: 5000 } });
    const [found] = findingsOf('neuron-reread', [neuronProfile(), tensor('x', 'input', 1000), read]);
    expect(found?.gain)
      .to.deep.include({ isBound: false })
      .and.have.property('ns')
      .closeTo(4000 / 716, 1e-9);
    const once = instruction('LOAD', 'Sync', 0, 50, { counters: { hbmReadBytes: 1500 } });
    expect(silenceOf('neuron-reread', [neuronProfile(), tensor('x', 'input', 1000), once])).to.equal('nothing');
    expect(silenceOf('neuron-reread', [kernel()])).to.equal('no capture of a Neuron device');
  });
});

describe('the adviser', () => {
  it('leaves out what may gain less than the share, whatever it is about', () => {
    // A product of FP32 for nearly all of the time, which TF32 would make faster by (200 − 8.09) of 200 us; one at 1 % more
    // than the memory needs.
    const fast = (dur: number) => [
      profileOn(A100),
      kernel({ name: 'ampere_sgemm_128x128_nn', start: 0, dur, calls: [mm(4096, 64, 4096, 'float32')], op: ['mm'], mod: ['aten'] }),
    ];
    // (2·64·4096 + 4096²)·4 = 69206016 bytes / 1555 GB/s = 44505 ns.
    const rules = (dur: number) => adviserOf(fast(dur), { minShare: 0.05 }).findings.map(({ rule }) => rule);
    expect(rules(90_000)).to.include('fp32-product');
    expect(rules(45_000)).not.to.include('fp32-product');
    const { silences } = adviserOf(fast(45_000), { minShare: 0.05 });
    // (45000 − 44505) / 45000.
    expect(silences.find(({ rule }) => rule === 'fp32-product')?.why).to.match(/^below 5\.0 % .*: 1\.1 % at most$/);
  }); // prettier-ignore

  it('puts the largest gain first, then what has none by what it is about', () => {
    const { findings, silences } = adviserOf([
      profileOn(A100),
      kernel({ start: 0, dur: 100, launch: null }),
      kernel({ id: 2, start: 400, dur: 100, launch: { api: 'cudaLaunchKernel', start: 200, dur: 10 } }),
    ]);
    expect(findings.map(({ rule }) => rule)).to.deep.equal(['launch-gaps', 'unattributed']);
    expect(silences.map(({ rule }) => rule))
      .to.include('fusion')
      .and.not.include('unattributed');
  });

  it('says of a rule for the devices of another vendor that it found nothing only where it was asked for', () => {
    const records = [profileOn(A100), kernel({ start: 0, dur: 100 })];
    const names = adviserOf(records).silences.map(({ rule }) => rule);
    expect(names).to.include('old-architecture');
    expect(names.filter((name) => /^neuron-|^ai-cpu$/.test(name))).to.deep.equal([]);
    expect(silenceOf('ai-cpu', records)).to.match(/^no kernel has a core class/);
  });
});

describe('the rule unknown-flops', () => {
  /** The call of an op that no formula is known of. */
  const custom = (start: number, dur: number, args: OpCall['args']): KernelRecord =>
    kernel({ start, dur, op: ['lookup'], calls: [{ mod: 'fbgemm', op: 'lookup', args }] });
  const tensor: OpCall['args'] = [{ name: '', type: 'tensor', shape: [8, 8], dtype: 'float32' }];

  it('names the ops and the reason, from a tenth of the time on', () => {
    const [found] = findingsOf('unknown-flops', [profileOn(A100), pointwise(relu, 0, 60), custom(60, 40, tensor)]);
    expect(found).to.deep.include({ stake: 40, gain: null, count: 1, details: 'mostly no formula for lookup' });
    expect(found?.what).to.match(/^FLOPs are unknown for 40\.0 % of kernel time, 40 ns in 1 kernel: lookup/);
    expect(silenceOf('unknown-flops', [profileOn(A100), pointwise(relu, 0, 600), custom(600, 40, tensor)])).to.equal(
      'nothing',
    );
    const allReduce = kernel({ name: 'ncclDevKernel_AllReduce_Sum_f32_RING_LL', start: 200, dur: 900 });
    const [beside] = findingsOf('unknown-flops', [profileOn(A100), pointwise(relu, 0, 60), custom(60, 40, tensor), allReduce]); // prettier-ignore
    expect(beside?.what).to.match(/^FLOPs are unknown for 40\.0 % of kernel time \(excluding collectives\), /);
  });

  it('leaves ops without arguments to the rule unattributed', () => {
    const records = [{ ...profileOn(A100), format: 'kineto' }, pointwise(aten('relu'), 0, 60)];
    expect(silenceOf('unknown-flops', records)).to.equal('nothing');
    expect(silenceOf('unknown-flops', [profileOn(A100), kernel()])).to.equal('no kernel with an op');
  });
});
