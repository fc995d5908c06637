import { expect } from 'chai';
import { COLUMNS } from '../../src/prof/columns/columns.js';
import { explain, parseKernelId } from '../../src/prof/report/explain.js';
import { Annotator, ReportRows } from '../../src/prof/report/report.js';
import { unknownsNote, ReportTally, waitsNote } from '../../src/prof/report/report-tally.js';
import { UsageError } from '../../src/record/errors.js';
import type { KernelRecord, OpCall, ProfileRecord } from '../../src/record/record.js';
import { aten, t, v } from '../support/calls.js';
import { device, profileOn } from '../support/devices.js';
import { kernel, mm } from '../support/kernels.js';
import { linesOf } from '../support/notes.js';
import { annotate, cellsOf } from '../support/rows.js';

const outer: OpCall = { mod: 'mine', op: 'attention', args: [{ name: 'x', type: 'int', value: 3 }] };
const gemm: KernelRecord = kernel({
  id: 1,
  name: 'volta_h884gemm_128x64_ldg8_nn',
  short: 'volta_h884gemm_128x64_ldg8_nn',
  calls: [outer, mm(128, 64, 256)],
  mod: ['mine', 'torch'],
  op: ['attention', 'mm'],
  layer: ['block 1', 'attn'],
  seq: [5],
  seqMarker: ['mm, seq = 5'],
});
const gradient = kernel({
  ...gemm,
  id: 2,
  dir: 'bprop',
  tid: 200,
  calls: [],
  mod: [],
  op: ['Mm'],
  layer: [],
  seqMarker: ['MmBackward0, seq = 5'],
});
const profile: ProfileRecord = {
  type: 'profile',
  v: 1,
  profile: 0,
  format: 'nsight',
  tool: null,
  file: 'net_r3.sqlite',
  rank: 3,
  startUnixNs: null,
  dur: null,
  devices: [
    {
      id: 0,
      vendor: 'nvidia',
      name: 'V100',
      arch: 'sm70',
      units: 80,
      clockHz: null,
      memBytesPerS: null,
      memBytes: null,
    },
  ],
};

describe('annotation', () => {
  const [first, second] = annotate([profile, gemm, gradient]);
  if (first === undefined || second === undefined) throw new Error('two rows expected');

  it('prints the outermost op, and takes numbers from the innermost with a formula', () => {
    // 2·128·64·256 FLOP; (128·64 + 64·256 + 128·256) elements of 2 bytes
    expect(cellsOf(first, 'mod,op,tc,flops,bytes')).to.deep.equal({
      mod: 'mine',
      op: 'attention',
      tc: '1',
      flops: '4194304',
      bytes: '114688',
    });
    expect(cellsOf(first, 'calls')).to.deep.equal({ calls: 'attention>mm' });
  });

  it('has the ops that torch.compile fused into a kernel, which are its op where no call is around it', () => {
    const name = 'triton_poi_fused__to_copy_add_3';
    const own = { mod: 'triton', op: name, args: [] };
    const [alone, called, plain] = annotate([
      kernel({ id: 1, name, short: name }),
      kernel({ id: 2, name, short: name, calls: [own], mod: ['triton'], op: [name] }),
      kernel({ id: 3, name: 'gemm', short: 'gemm' }),
    ]);
    const cells = [alone, called, plain].map((row) => row && cellsOf(row, 'op,fused'));
    expect(cells).to.deep.equal([
      { op: '_to_copy+add', fused: '_to_copy+add' },
      { op: name, fused: '_to_copy+add' },
      { op: 'na', fused: 'na' },
    ]);
  });

  it('explains the ops and the source of a kernel of torch.compile', () => {
    const name = 'triton_poi_fused__to_copy_add_3';
    const labels = { kernel_file: '/tmp/torchinductor_root/5n/c5n4.py', kernel_hash: 'c5n4' };
    const [row] = annotate([kernel({ name, short: name, labels })]);
    const lines = row === undefined ? [] : explain(row);
    expect(lines).to.include('fused      _to_copy, add');
    expect(lines).to.include('generated  /tmp/torchinductor_root/5n/c5n4.py');
  });

  it('explains which graph launched a kernel, and how its capture is known', () => {
    const explained = (graph?: KernelRecord['graph']): string[] => {
      const [row] = annotate([kernel(graph === undefined ? {} : { graph })]);
      return (row === undefined ? [] : explain(row)).filter((line) => line.startsWith('graph'));
    };
    const order = { id: null, node: null, from: 'capture', verified: false, capture: 'capture_8_FULL' } as const;
    expect(explained(order)).to.deep.equal([
      'graph      na, node na: from a capture with the same number of kernels, whose names are unknown (capture_8_FULL)',
    ]);
    expect(explained({ id: 4, node: 7 })).to.deep.equal([
      'graph      4, node 7: capture unknown: context of the graph launch',
    ]);
    expect(explained()).to.deep.equal([]);
  });

  it('counts what the name of a kernel states, whatever the call does by its arguments', () => {
    const x = t([64, 64]);
    const scatter = aten('scatter', x, v(1), t([64, 8], 'int64'), v(1));
    const launched = { calls: [scatter], mod: ['aten'], op: ['scatter'], callIds: [4], callKernels: [2] };
    const rows = annotate([
      kernel({ ...launched, name: 'elementwise_kernel<direct_copy_kernel_cuda>', dur: 9 }),
      kernel({ ...launched, name: 'scatter_gather_elementwise_kernel', dur: 90, start: 2000, id: 2 }),
    ]);
    // 2·64·64·4 bytes copied; 64·8 indices of 8 bytes, and as many elements of 4
    expect(rows.map(({ bytes }) => bytes)).to.deep.equal([32768, 6144]);
    const loss = aten('nll_loss_backward', t([]), t([64, 10]), t([64], 'int64'), v(null), v(1), v(-100), t([]));
    const [gradient] = annotate([
      kernel({ calls: [loss], name: 'NLLLossGradAiCore_NLLLossGrad', ...{ callIds: [5], callKernels: [1] } }),
    ]);
    // 64·10·4 written, 64·8 and two of 4 read
    expect(gradient?.bytes).to.equal(3080);
  });

  it('gives a backward kernel the call, layer and module of its forward kernel, whose innermost op is `fwd`', () => {
    expect(cellsOf(first, 'fwd')).to.deep.equal({ fwd: 'na' });
    expect(cellsOf(second, 'mod,op,fwd,layer,dir,seq')).to.deep.equal({
      mod: 'mine',
      op: 'attention',
      fwd: 'mm',
      layer: 'block 1:attn',
      dir: 'bprop',
      seq: '5',
    });
  });

  it('has as forward op the innermost one with a sequence id, not what it calls below autograd', () => {
    const calls = ['conv2d', 'convolution', 'cudnn_convolution'].map((op) => ({ ...aten(op), from: 'sizes' as const }));
    const [, backward] = annotate([
      kernel({
        ...gemm,
        calls,
        seqMarker: ['aten::conv2d, seq = 5, op_id = 1', 'aten::convolution, seq = 5, op_id = 2'],
      }),
      gradient,
    ]);
    expect(backward && cellsOf(backward, 'fwd')).to.deep.equal({ fwd: 'convolution' });
  });

  it('has times, queue and rank where the profile has them', () => {
    expect(cellsOf(first, 'start,end,queue,api,rank,corr,pid,role')).to.deep.equal({
      start: '1000',
      end: '1010',
      queue: '50',
      api: 'cudaLaunchKernel',
      rank: '3',
      corr: '5',
      pid: '10',
      role: 'main',
    });
  });

  it('says na, never 0, for what it does not know', () => {
    const bare = kernel({
      start: NaN,
      dur: null,
      launch: null,
      pid: null,
      tid: null,
      corr: null,
      stream: null,
      dir: null,
      grid: null,
      block: null,
    });
    const [row] = annotate([bare]);
    if (row === undefined) throw new Error('a row expected');
    const known = new Set([
      'idx',
      'seq',
      'altseq',
      'layer',
      'trace',
      'sub',
      'kernel',
      'device',
      'profile',
      'long',
      'calls',
      'ranges',
      'ownranges',
    ]);
    for (const { key } of COLUMNS) {
      if (!known.has(key)) expect(cellsOf(row, key)).to.deep.equal({ [key]: 'na' });
    }
    expect(cellsOf(row, 'seq,layer,trace,calls,ranges')).to.deep.equal({
      seq: '-',
      layer: '-',
      trace: '-',
      calls: '-',
      ranges: '-',
    });
  });

  it('leaves a queue time out when the clocks disagree', () => {
    const [row] = annotate([kernel({ start: 920 })]);
    expect(row && cellsOf(row, 'queue')).to.deep.equal({ queue: 'na' });
  });

  it('says why numbers are missing', () => {
    const reasons = annotate([
      kernel(),
      kernel({ dir: 'bprop', seq: [77] }),
      kernel({ dir: 'bprop' }),
      kernel({ calls: [outer] }),
      kernel({ calls: [{ ...mm(1, 1, 1), args: [] }] }),
    ]).map((row) => row.reason);
    expect(reasons).to.deep.equal([
      'no op call around the launch',
      'no earlier forward kernel with sequence id 77',
      'a backward kernel without a sequence id',
      'no formula for attention',
      'the arguments of mm do not fit a formula',
    ]);
  });

  it('says what of a trace is missing', () => {
    const bare: OpCall = { mod: 'aten', op: 'mm', args: [], from: 'dispatcher' };
    const reasons = annotate([
      { ...profile, format: 'kineto' },
      kernel({ launch: null }),
      kernel({ graph: { id: 1, node: 2 } }),
      kernel({ calls: [{ ...bare, op: 'linear' }, bare] }),
      kernel({ calls: [{ ...bare, op: 'unheard_of' }] }),
    ]).map((row) => row.reason);
    expect(reasons).to.deep.equal([
      'its launch is not in the profile',
      'no op call around the launch of its graph',
      'the profile has no arguments of linear > mm: record them with record_shapes=True',
      'no formula for unheard_of',
    ]);
  });

  it('knows that a copy has no FLOPs, also without arguments, and says how to record them', () => {
    const bare: OpCall = { mod: 'aten', op: 'cat', args: [], from: 'dispatcher' };
    const [joined] = annotate([
      { ...profile, format: 'kineto' },
      kernel({ calls: [{ ...bare, op: 'flatten_dense_tensors' }, bare], mod: ['aten'], op: ['flatten_dense_tensors'] }),
    ]);
    expect(joined && cellsOf(joined, 'op,role,tc,flops,bytes')).to.deep.equal({
      ...{ op: 'flatten_dense_tensors', role: 'main', tc: '-', flops: '0', bytes: 'na' },
    });
    expect(joined?.reason).to.equal(
      'the profile has no arguments of flatten_dense_tensors > cat: record them with record_shapes=True',
    );
  });

  it('says what records arguments, by the profiler, where a range names the op', () => {
    const reasonOf = (format: string): string | null =>
      annotate([{ ...profile, format }, kernel({ calls: [], mod: ['aten'], op: ['mm'] })])[0]?.reason ?? null;
    expect(reasonOf('nsight')).to.equal(
      'the profile has no arguments of mm: record them with nsys profile --pytorch=autograd-shapes-nvtx, or emit_nvtx(record_shapes=True)',
    );
    expect(reasonOf('kineto')).to.match(/record them with record_shapes=True$/);
  });

  it('is explained: call, formula, source, forward kernel', () => {
    const text = explain(second).join('\n');
    expect(text).to.match(/^kernel +0:2 volta_h884gemm/);
    expect(text).to.match(/^forward +kernel 0:1 \(thread 100\), found by seq 5/m);
    expect(text).to.match(
      /^calls +mine.attention\(x=3\) {2}\(no formula\)\n +torch.mm\(\[128,64\]fp16, \[64,256\]fp16\) {2}<- describes/m,
    );
    expect(text).to.match(/^FLOPs +4194304$/m);
    expect(text).to.match(/^formula +\S/m);
    expect(text).to.match(/^source +\S/m);
    expect(text).to.match(/^TC +1: .*: yes \(rule mma-shape\)$/m);
  });

  it('is explained where a rate above the peak is no defect', () => {
    // 2·9·64·64·56² = 231211008 FLOP in 10 µs are 23.12 of 15.7 TFLOP/s; a sum of 1 MB in 1 µs is more than the memory.
    const list = { ...v([1, 1]), type: 'list' };
    const conv = aten('cudnn_convolution', t([1, 64, 56, 56]), t([64, 64, 3, 3]), list, list, list, v(1)); // prettier-ignore
    const add = aten('relu', t([131_072]));
    const named = (name: string): Pick<KernelRecord, 'name' | 'short'> => ({ name, short: name });
    const [winograd, cached] = annotate([
      profileOn(device('Tesla V100-SXM2-16GB')),
      kernel({ ...named('maxwell_scudnn_winograd_128x128'), dur: 10_000, calls: [conv] }),
      kernel({ ...named('vectorized_elementwise_kernel'), dur: 1000, calls: [add] }),
    ]).map((row) => explain(row).join('\n'));
    expect(winograd).to.match(
      /^arithmetic 23\.12 TFLOP\/s, 147\.3 % of the peak: above the peak, because its algorithm \(Winograd, FFT\) does fewer FLOPs than are counted$/m,
    );
    expect(cached).to.match(
      /^traffic +1049 GB\/s, 116\.5 % of the peak: above the peak, because operands may come from the cache$/m,
    );
  });

  it('is explained where nothing is known, too', () => {
    const [row] = annotate([kernel({ start: NaN, launch: null })]);
    const text = row === undefined ? '' : explain(row).join('\n');
    expect(text).to.match(/^calls +none: no op call around the launch$/m);
    expect(text).to.match(/^FLOPs +na: no op call around the launch$/m);
    expect(text).to.match(/^time +start na, duration 10 ns$/m);
    expect(text).to.match(/^launch +not in the profile$/m);
  });

  it('is chosen by id', () => {
    expect(parseKernelId('12')).to.deep.equal({ profile: null, id: 12 });
    expect(parseKernelId('1:12')).to.deep.equal({ profile: 1, id: 12 });
    expect(() => parseKernelId('x')).to.throw(UsageError);
  });
});

describe('a collective', () => {
  const collective = {
    op: 'allreduce',
    bytesIn: 4e9,
    bytesOut: 4e9,
    dtype: 'float32',
    group: '0',
    groupSize: 8,
    ranks: null,
  };
  const [row] = annotate([profile, kernel({ dur: 1e9, collective })]);

  it('has rates, but waits for others: no share of a peak, no bound, no floor', () => {
    // 8e9 bytes in 1e9 ns
    expect(row?.placement).to.deep.include({ gbps: 8, memoryShare: null, bound: null, floor: null, gap: null });
  });
});

describe('summary', () => {
  function summaryOf(records: readonly KernelRecord[], derived = true): string | null {
    const tally = new ReportTally(derived);
    const rows = new ReportRows({ pack: () => '', tally });
    const annotator = new Annotator();
    for (const row of records.flatMap((record) => annotator.take(record))) rows.add(row);
    for (const row of annotator.rest()) rows.add(row);
    tally.incomplete = annotator.incomplete;
    expect([...rows.rest()].flat()).to.have.length(records.length);
    return unknownsNote(tally)?.line ?? null;
  }

  const groupedBy = (keys: readonly string[], records: readonly KernelRecord[]): ReportTally => {
    const tally = new ReportTally(false, false, keys);
    for (const row of annotate(records)) tally.count(row);
    return tally;
  };

  it('says that --by counts instructions that only wait', () => {
    const labels = { category: 'copy-done' };
    const wait = kernel({ name: 'copy-done.4', short: 'copy-done', op: ['copy-done'], labels });
    expect(waitsNote(groupedBy(['op'], [kernel(), wait]))?.line).to.equal(
      "waits (1 of 2 instructions) count here, but not in dprof summary or on a page; --where 'category!=wait' leaves them out",
    );
    expect(waitsNote(groupedBy(['op'], [kernel()]))).to.equal(null);
  });

  it('says why groups by op have no names, and where names are', () => {
    expect(linesOf(groupedBy(['op'], [kernel()]).withoutKeys)).to.deep.equal([
      'no kernel has an op (--by kernel groups by name)',
    ]);
    expect(groupedBy(['op'], [kernel(), gemm]).withoutKeys).to.deep.equal([]);
    expect(groupedBy(['kernel'], [kernel()]).withoutKeys).to.deep.equal([]);
  });

  it('counts what could not be computed and is silent on the rest', () => {
    expect(summaryOf([gemm, kernel(), kernel({ calls: [outer], op: ['attention'] })])).to.equal(
      '3 kernels: 1 without op, 1 with unknown FLOPs; run with --explain ID for reasons',
    );
    expect(summaryOf([gemm])).to.equal(null);
  });

  it('counts op calls whose other kernels were filtered out before', () => {
    const [half] = [{ ...gemm, callIds: [1, 2], callKernels: [2, 2] }];
    expect(summaryOf([half])).to.equal(
      '1 kernel: 1 op call without some of the kernels; run with --explain ID for reasons',
    );
  });

  it('counts backward kernels that found no forward kernel, or several', () => {
    const other = { ...gemm, id: 3, tid: 101, layer: ['other'] };
    const lost = kernel({ dir: 'bprop', seq: [9], op: ['x'] });
    expect(summaryOf([gemm, other, gradient, lost], false)).to.equal(
      '4 kernels: 1 backward without a forward kernel, 1 backward with several possible forward kernels; run with --explain ID for reasons',
    );
  });
});
