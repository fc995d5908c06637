/** The verdict on a profile: parts that add up to the span, each gap with one cause, and the sentence. */
import { expect } from 'chai';
import { basename } from 'node:path';
import { openProfile } from '../../../src/parse/find.js';
import { readProfile } from '../../../src/parse/profile.js';
import type { IdleCause } from '../../../src/prof/advise/idle/cause-names.js';
import type { SpanPart } from '../../../src/prof/advise/verdict/verdict-facts.js';
import type { CopyRecord, KernelRecord, ProfileLine, RangeRecord } from '../../../src/record/record.js';
import { copy, verdictOf } from '../../support/advice.js';
import { A100, profileOn } from '../../support/devices.js';
import { kernel } from '../../support/kernels.js';
import { Noise } from '../../support/noise.js';
import { overviewOf } from '../../support/overviews.js';
import { itEachShared } from '../../support/shared.js';

const PROFILE = profileOn(A100);
const MS = 1_000_000;

/** A kernel launched by a call from `called` to `returned`. */
const at = (start: number, dur: number, [called, returned]: [number, number], change: Partial<KernelRecord> = {}) =>
  kernel({ start, dur, launch: { api: 'cudaLaunchKernel', start: called, dur: returned - called }, ...change });

const range = (text: string, start: number, dur: number): RangeRecord => ({
  ...{ type: 'range', profile: 0, start, dur, pid: 10, tid: 100, domain: null },
  text,
});

const flush = (start: number, dur: number): RangeRecord => ({ ...range('Buffer Flush', start, dur), kind: 'overhead' });

const nccl = (start: number, dur: number): KernelRecord =>
  kernel({ name: 'ncclDevKernel_AllReduce_Sum_f32_RING_LL', short: 'ncclDevKernel_AllReduce', start, dur, stream: 20 });

/** Work for 1 ms, a gap of so many ns, and work for 1 ms that was launched at the gap's end, all but 10 ns. */
const gapOf = (ns: number, change: Partial<KernelRecord> = {}): KernelRecord[] => [
  at(0, MS, [-20, -10]),
  at(MS + ns, MS, [MS + ns - 10, MS + ns], { id: 2, ...change }),
];

const first = { ...at(0, MS, [-20, -10]) };
const reading: CopyRecord = copy({ start: MS, dur: 100, launch: { api: 'cudaMemcpy', start: MS - 10, dur: 120 } });

const CAUSES: readonly (readonly [cause: IdleCause, records: readonly ProfileLine[], says: RegExp])[] = [
  [
    'launch',
    gapOf(0.9 * MS),
    /^GPU idle 31\.0 %: the CPU launches kernels too slowly; a graph would recover up to 31\.0 %\./,
  ],
  // Of a gap of 0.9 ms in 2.9 ms, 0.4 ms are the profiler's.
  ['launch', [flush(MS, 0.4 * MS), flush(1.1 * MS, 0.2 * MS), ...gapOf(0.9 * MS)], /a graph would recover up to 17\.2 %\./], // prettier-ignore
  ['host', gapOf(2 * MS), /^GPU idle 50\.0 %: the CPU is doing other work\. Computing/],
  ['loading', [range('enumerate(DataLoader)', MS, 1.1 * MS), ...gapOf(2 * MS)], /: the CPU is loading data\./],
  [
    'overhead',
    [{ ...range('Buffer Flush', MS, 1.1 * MS), kind: 'overhead', pid: -1, tid: 0 }, ...gapOf(2 * MS)],
    /: the profiler or driver blocks the CPU/,
  ],
  ['call', [{ ...range('Lazy Function Loading', MS, 1.9 * MS), kind: 'overhead' }, ...gapOf(2 * MS, { launch: { api: 'cudaLaunchKernel', start: MS + 10, dur: 2 * MS } })], /: cudaLaunchKernel blocks the CPU for 2 ms\./], // prettier-ignore
  ['overhead', [{ ...range('Buffer Flush', MS, 1.9 * MS), kind: 'overhead' }, ...gapOf(2 * MS, { launch: { api: 'cudaLaunchKernel', start: MS + 10, dur: 2 * MS } })], /: the profiler or driver blocks the CPU/], // prettier-ignore
  ['garbage', [range('GC', MS, 1.1 * MS), ...gapOf(2 * MS)], /: Python is collecting garbage\./],
  ['copy', [first, reading, ...gapOf(0.9 * MS).slice(1)], /: the CPU waits for copies before it launches more work\./],
  // The copy had ended long before.
  ['host', [first, reading, ...gapOf(2 * MS).slice(1)], /: the CPU is doing other work\./],
  [
    'host',
    [range('aten::item, seq = 5, op_id = 7', MS, 1.1 * MS), ...gapOf(2 * MS)],
    /: the CPU is busy in aten::item\./,
  ],
  ['call', gapOf(2 * MS, { launch: { api: 'cuModuleLoad', start: MS + 10, dur: 2 * MS } }), /: cuModuleLoad blocks the CPU for 2 ms\./], // prettier-ignore
  ['queue', gapOf(2 * MS, { launch: { api: 'cudaLaunchKernel', start: 0, dur: 10 } }), /: gaps between queued kernels, once for 2 ms\./], // prettier-ignore
  ['unknown', gapOf(2 * MS, { launch: null }), /: launches were not recorded\./],
];

const sumOf = (parts: readonly SpanPart[], part: string): number =>
  parts.reduce((sum, one) => sum + (one.part === part ? one.time : 0), 0);

describe('the verdict', () => {
  it('says how many of the devices of the machine it is of', () => {
    const some = [0, 1].map((device) => kernel({ id: device + 1, device, start: 0, dur: MS }));
    const on = (installed: number): ProfileLine => ({
      ...PROFILE,
      devices: Array.from({ length: installed }, (_, id) => ({ ...A100, id })),
    });
    expect(verdictOf([on(8), ...some]).text).to.match(/^2 of 8 GPUs computing 100\.0 %/);
    expect(verdictOf([on(2), ...some]).text).to.match(/^2 GPUs computing/);
    expect(verdictOf([PROFILE, ...some]).text).to.match(/^2 GPUs computing/);
    expect(verdictOf([on(8), ...some.slice(0, 1)]).text).to.match(/^GPU computing/);
  });

  it('says of no time that the profiler holds the host that a graph could save it', () => {
    // Of 4.2 ms, 0.9 ms before a late launch, and 0.3 ms of which 0.2 ms are the profiler's.
    const later = at(3.2 * MS, MS, [3.2 * MS - 10, 3.2 * MS], { id: 3 });
    const { text } = verdictOf([PROFILE, ...gapOf(0.9 * MS), flush(2.9 * MS, 0.2 * MS), later]);
    expect(text).to.match(/launches kernels too slowly \(21\.4 %\), the profiler or driver .* \(7\.1 %\); a graph would recover up to 21\.4 %\./); // prettier-ignore
  });

  for (const [cause, records, says] of CAUSES) {
    it(`gives a gap the cause ${cause}`, () => {
      // Ranges that began before come first.
      const { parts, text } = verdictOf([PROFILE, ...records]);
      expect(parts.filter(({ part }) => part === 'idle').map((part) => part.cause)).to.deep.equal([cause]);
      expect(text).to.match(says);
    });
  }

  it('gives the longest of several gaps between queued kernels that are longer than a device needs to switch', () => {
    // Gaps of 2, 1.5 and 1.5 ms.
    const queued = [0, 3, 5.5, 8].map((start, i) => at(start * MS, MS, [-20, -10], { id: i + 1 }));
    expect(verdictOf([PROFILE, ...queued]).text).to.match(
      /^GPU idle 55\.6 %: gaps between queued kernels, the longest 2 ms\./,
    );
  });

  it('names the call that waits with the device', () => {
    const waits = copy({ start: 4 * MS, dur: 10, launch: { api: 'hipMemcpyWithStream', start: 100, dur: 4 * MS } });
    const queued = gapOf(2 * MS, { launch: { api: 'hipGraphLaunch', start: 0, dur: 10 } });
    expect(verdictOf([PROFILE, ...queued, waits]).text).to.match(
      /: gaps between queued kernels, once for 2 ms, the CPU in hipMemcpyWithStream\./,
    );
  });

  it('speaks of communication and copies that nothing hides, of most lost first, and of computing last', () => {
    // Computing 0-100, communication 50-300, of which 200 while nothing is computed, and 190 alone; a copy 290-450: 150 alone; idle 450-500.
    const records = [
      kernel({ start: 0, dur: 100, op: ['mm'] }),
      nccl(50, 250),
      copy({ start: 290, dur: 160 }),
      kernel({ id: 9, start: 500, dur: 500, op: ['mm'] }),
    ];
    const { span, parts, text } = verdictOf([PROFILE, ...records]);
    expect(span).to.equal(1000);
    expect(parts.map(({ part, time }) => [part, time])).to.deep.equal([
      ['compute', 600],
      ['communication', 200],
      ['copy', 150],
      ['idle', 50],
    ]);
    expect(text).to.match(/^GPU communicating 20\.0 % without overlap, mostly all-reduce; more overlap would recover up to 20\.0 %\. Copying 15\.0 % without overlap, mostly DtoH \(6\.250 GB\/s\)\. Computing 60\.0 %, all of it in mm\.$/); // prettier-ignore
  });

  describe('says what the host did in long gaps', () => {
    const frame = (text: string, start: number, dur: number): RangeRecord => ({
      ...range(text, start, dur),
      kind: 'frame',
    });
    const gap = gapOf(4 * MS);
    const saysOf = (...ranges: RangeRecord[]): string => verdictOf([PROFILE, ...ranges, ...gap]).text;

    it('by the innermost range of the thread that launched', () => {
      const [outer, inner] = [frame('/a/b/train.py(3): main', -MS, 9 * MS), frame('/a/b/io.py(7): load', MS, 3 * MS)];
      expect(saysOf(outer, inner, { ...inner, tid: 2, dur: 2.5 * MS })).to.match(
        /the CPU is busy in io\.py\(7\): load\./,
      );
      expect(saysOf(outer, { ...inner, dur: MS })).to.match(/the CPU is busy in train\.py\(3\): main\./);
    });

    it('by another thread where that one did nothing, and never by another process or a step', () => {
      const freeing: RangeRecord = { ...range('cudaFree', MS, 4 * MS), kind: 'api', tid: 9 };
      expect(saysOf(freeing)).to.match(/busy in cudaFree\./);
      expect(saysOf({ ...freeing, pid: 11 })).to.match(/doing other work\./);
      expect(saysOf(range('ProfilerStep#4', -MS, 9 * MS))).to.match(/doing other work\./);
    });

    it('by calls that give and take memory together, where none fills most of a gap', () => {
      const calls = ['cudaMalloc', 'cudaHostAlloc', 'cudaFree', 'cudaSetDevice'].map((name, i): RangeRecord => ({
        ...range(name, MS * (1 + i), 0.9 * MS),
        kind: 'api',
      }));
      expect(saysOf(...calls)).to.match(/the CPU is busy in calls that allocate memory\./);
      expect(saysOf(...calls.slice(2))).to.match(/doing other work\./);
    });

    it('and of a part of them where that is not most', () => {
      const later = at(12 * MS, MS, [12 * MS - 10, 12 * MS], { id: 3 });
      const { text } = verdictOf([PROFILE, gap[0] ?? first, range('aten::cat', MS, 4 * MS), ...gap.slice(1), later]);
      expect(text).to.match(/doing other work, partly in aten::cat\./);
    });
  });

  it('says that recording Python may slow launches', () => {
    const python: RangeRecord = { ...range('a.py(1): f', -MS, 9 * MS), kind: 'frame' };
    expect(verdictOf([PROFILE, python, ...gapOf(0.9 * MS)]).text).to.match(
      /: the CPU launches kernels too slowly, and recording Python stacks slows it further; a graph/,
    );
  });

  it('says that a call loads code where it launches a kernel for the first time', () => {
    const launch = { api: 'cudaLaunchKernel', start: MS + 10, dur: 2 * MS };
    const { text } = verdictOf([PROFILE, ...gapOf(2 * MS, { launch, name: 'another' })]);
    expect(text).to.match(/: first launches load kernel code, cudaLaunchKernel blocks the CPU for 2 ms\./);
  });

  it('gives the time from one piece of work to the next where that is short', () => {
    const short = Array.from({ length: 9 }, (_, id) => at(5000 * id, 2000, [-20, -10], { id }));
    expect(verdictOf([PROFILE, ...short]).text).to.match(
      /: gaps between queued kernels, 3 us on average; fewer, larger kernels would recover up to 57.1 %\./,
    );
  });

  it('has a cause for each moment of random profiles', () => {
    const noise = new Noise(7);
    const random = (): number => noise.uniform();
    for (let run = 0; run < 200; run++) {
      let now = 0;
      const records = Array.from({ length: 30 }, (_, id): ProfileLine => {
        now += Math.floor(random() * 3 * MS);
        const dur = Math.floor(random() * 2 * MS);
        const called = now - Math.floor(random() * 4 * MS);
        const launch = random() < 0.1 ? null : { api: 'cudaMemcpy', start: called, dur: Math.floor(random() * 3 * MS) };
        const fields = { id, start: now, dur, launch, device: id % 2 };
        return random() < 0.2 ? copy(fields) : random() < 0.2 ? { ...nccl(now, dur), ...fields } : kernel(fields);
      });
      const { span, parts, devices } = verdictOf([PROFILE, ...records]);
      expect(devices).to.equal(2);
      expect(parts.reduce((sum, { time }) => sum + time, 0)).to.equal(span);
    }
  });

  async function recordsOf(path: string): Promise<ProfileLine[]> {
    const { source } = await openProfile(path);
    const records = [...readProfile(source.path, { profile: 0, name: basename(path) })];
    source.dispose();
    return records;
  }

  const SAMPLED = [
    'kineto/ranks/sampled_rank-1.json.gz',
    'kineto/mi300_hipgraph_decode.json.gz',
    'nsys/h100_2gpu_orphans.sqlite',
    'nsys/cuda_graph_rtx3060.sqlite',
    'nsys/vsr_a100_pyprof.sqlite',
    'ascend/db_level0_rank0/ASCEND_PROFILER_OUTPUT/ascend_pytorch_profiler_0.db',
    'neuron/trn2_fused_bf16_s512/fused_exec_2_profile_full.json',
  ];
  const OTHERS = [
    ...['kineto/h100_owlv2.json.gz', 'kineto/a100_rank3of8_training.json.gz'],
    'neuron/trn2_baseline_bf16_s1024/baseline_exec_2_profile_full.json.gz',
  ];
  const inData = (names: readonly string[]): string[] => names.map((name) => `data/${name}`);
  itEachShared(
    inData(SAMPLED),
    inData(OTHERS),
    (name) => `has the parts that the summary of ${name.replace('data/', '')} has`,
    async (path) => {
      const records = await recordsOf(path);
      const { devices } = overviewOf(records);
      const { span, parts } = verdictOf(records);
      const sum = (field: 'span' | 'compute' | 'exposed' | 'idle'): number =>
        devices.reduce((all, device) => all + (device[field] ?? NaN), 0);
      // The summary counts picoseconds where a device's clock has them: a fraction of a ns an activity.
      const activities = devices.reduce((all, { counts }) => all + Object.values(counts).reduce((a, b) => a + b), 0);
      expect(span).to.be.closeTo(sum('span'), devices.length);
      expect(sumOf(parts, 'compute')).to.be.closeTo(sum('compute'), activities);
      expect(sumOf(parts, 'communication')).to.be.closeTo(sum('exposed'), activities);
      expect(sumOf(parts, 'idle')).to.be.closeTo(sum('idle'), activities);
      expect(sumOf(parts, 'missing')).to.equal(devices.reduce((all, { missing }) => all + (missing?.time ?? 0), 0));
      expect(parts.reduce((all, { time }) => all + time, 0)).to.be.closeTo(span, 1e-6 * span);
    },
  );
});
