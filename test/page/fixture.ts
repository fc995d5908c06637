/** A page's data by hand: two ranks with a device each, every part filled, and names that try to be more than names. */
import { NO_PEAKS } from '../../src/prof/roofline/peaks.js';
import { NO_IDLE } from '../../src/prof/advise/idle/cause-names.js';
import type { Distribution } from '../../src/containers/log-histogram.js';
import { groupedFindings } from '../../src/prof/advise/grouped-findings.js';
import type { Finding } from '../../src/prof/advise/finding.js';
import type { ProfileSummary } from '../../src/prof/summary/summary-data.js';
import type { LaunchShape, OpTotal, StackTree } from '../../src/prof/html/kernels/kernel-data.js';
import type { LayerRow, PageData, PageProfile } from '../../src/prof/html/page-data.js';

/** A kernel's name that would act if it were read as HTML. */
export const HOSTILE = '<img src=x onerror="document.title=\'broken\'">';

const MS = 1e6;

const slowest = (id: number, name: string, time: number) => ({ id, name, start: 0, time });
const layer = (path: string[], time: number, own: number): LayerRow => ({
  ...{ path, count: 4, time, own, forward: time / 4, backward: (3 * time) / 4 },
  ...{ ownBackward: (3 * own) / 4, flops: 2e9, bytes: 1e6 },
  why: {
    all: { bound: 'memory', boundShare: 0.6, tc: 0.5, slowest: slowest(7, HOSTILE, time / 2) },
    forward: null,
    backward: { bound: 'compute', boundShare: 0.9, tc: 1, slowest: slowest(8, 'gemm_bf16', time / 2) },
  },
});

const LAUNCH: LaunchShape = {
  ...{ grid: { extent: [128, 2, 1], different: 3 }, block: { extent: [256, 1, 1], different: 1 } },
  ...{ registers: [32, 64], sharedBytes: [49152, 49152], occupancy: [0.25, 0.5], limit: 'registers' },
};

const OP: OpTotal = {
  ...{ op: HOSTILE, count: 10, time: 4 * MS, within: 5 * MS, launch: 0.1 * MS },
  ...{ passes: 10, host: 2 * MS, hostSelf: 1 * MS, flops: 1e12, bytes: 1e9, flopsPerS: 2.5e14, bytesPerS: 2.5e11 },
  ...{ ofCompute: 0.25, ofMemory: 0.25, tc: 1, bound: { name: 'compute', time: 3 * MS } },
  ...{ stacks: [{ node: 2, count: 6, time: 3 * MS }], stackCount: 2 },
};

/** train.py(1): main calls model.py(5): forward, which calls a hostile one; other.py(9) launches too. */
const STACKS: StackTree = {
  frames: ['train.py(1): main', 'model.py(5): forward', HOSTILE, 'other.py(9): rest'],
  ...{ parents: [-1, 0, 1, 0], frameOf: [0, 1, 2, 3], counts: [30, 10, 6, 20], leftOut: 0 },
  times: [6 * MS, 4 * MS, 3 * MS, 2 * MS],
};
const distributionOf = (value: number): Distribution => ({
  ...{ count: 104, total: 104 * value, mean: value, min: value, p50: value, p90: value, p99: value, max: value },
  bins: [
    { from: 2, to: 5, count: 54 },
    { from: 5000, to: 10_000, count: 50 },
  ],
});

/** @param slower what the rank needs more than another, as a factor */
function overview(rank: number, slower: number): ProfileSummary {
  const device = {
    id: 0,
    vendor: 'nvidia',
    name: 'Example GPU',
    arch: 'sm90',
    units: 10,
    clockHz: 1e9,
    memBytesPerS: 1e12,
    memBytes: 1e10,
  };
  return {
    profile: rank,
    header: {
      type: 'profile',
      v: 1,
      profile: rank,
      format: 'kineto',
      tool: 'Example Profiler',
      file: `rank${rank}.json`,
      rank,
      startUnixNs: null,
      dur: 12 * MS,
      devices: [device],
    },
    devices: [
      {
        ...{ device: 0, name: 'Example GPU', start: 1 * MS, end: 11 * MS, span: 10 * MS, busy: 8 * MS * slower },
        ...{ idle: 10 * MS - 8 * MS * slower, compute: 6 * MS * slower, communication: 1.5 * MS, memory: 1 * MS },
        ...{ sync: 0.25 * MS, exposed: 1 * MS },
        ...{ kernelSum: 7 * MS, computeSum: 5.5 * MS, communicationSum: 1.5 * MS },
        ...{ copiesAlone: 0.4 * MS, setsAlone: 0.1 * MS, idleInWaits: 0.2 * MS },
        counts: { kernels: 100, communications: 4, graphs: 0, copies: 7, sets: 3, syncs: 2 },
        linked: null,
        gaps: { count: 20, longest: 0.5 * MS, host: 1 * MS, queue: 0.75 * MS, unknown: 0.25 * MS },
        missing: null,
      },
    ],
    kernels: {
      ...{ count: 104, time: 7 * MS, untimed: 0, cut: { count: 0, time: 0 }, byTime: [], byCount: [], names: 3 },
      precision: [
        { name: 'bf16', count: 60, time: 5 * MS },
        { name: 'na', count: 44, time: 2 * MS },
      ],
      matrixUnit: {
        used: 4 * MS,
        unused: 1 * MS,
        notApplicable: 1.5 * MS,
        undetermined: 0.25 * MS,
        unknown: 0.25 * MS,
        eligible: 5 * MS,
        eligibleUsed: 4 * MS,
      },
      work: {
        known: 6 * MS,
        flops: 1e12,
        bytes: 1e9,
        computeShare: 0.3,
        memoryShare: 0.4,
        ...{ rated: 6 * MS, mfu: 0.18, flopsRated: 3 * MS },
        bounds: [{ name: 'memory', count: 90, time: 6 * MS }],
        impossible: 0,
        trials: 0,
        trialTime: 0,
      },
      replayed: [],
      unattributed: {
        count: 2,
        time: 0.25 * MS,
        reasons: [{ name: 'its launch is not known', count: 2, time: 0.25 * MS }],
      },
    },
    memory: [
      { kind: 'HtoD', count: 7, time: 0.8 * MS, bytes: 8e6, bytesPerS: 1e10 },
      { kind: 'set', count: 3, time: 0.2 * MS, bytes: null, bytesPerS: null },
    ],
    syncs: [{ name: 'stream', count: 2, time: 0.25 * MS }],
    ...{ links: [], notices: ['reported DMA values may be inaccurate'] },
    collectives: [{ name: 'allreduce', count: 4, time: 1.5 * MS, bytes: 4e6, groups: ['world'] }],
    steps: {
      count: 3,
      host: { median: 3.5 * MS, min: 3.1 * MS, max: 4.1 * MS, variation: 0.14 },
      device: { median: 3 * MS, min: 2.5 * MS, max: 4 * MS, variation: 0.24 },
      list: [2.5, 3, 4].map((ms, step) => ({
        step,
        device: 0,
        iteration: ([3.1, 3.5, 4.1][step] ?? 0) * MS,
        span: ms * MS,
        busy: 2 * MS,
        kernelTime: 2 * MS,
        ownKernelTime: 1 * MS,
      })),
    },
    host: null,
    cpu: null,
    program: null,
    diagnostics: { 'kernel-without-launch': 2 },
  };
}

function profile(rank: number, slower: number): PageProfile {
  const shares = [0.2, 0.9, 0.5, 1];
  return {
    overview: overview(rank, slower),
    isGraphCapture: false,
    diagnosticTexts: {
      'kernel-without-launch': 'kernels whose launch call is not in the profile',
    },
    verdict: {
      ...{
        profile: rank,
        devices: 1,
        span: 10 * MS,
        text: 'GPU idle 20.0 %: the CPU launches kernels too slowly. Computing 80.0 %.',
      },
      parts: [
        { part: 'compute', cause: null, detail: '<b>mm</b>', time: 8 * MS },
        { part: 'idle', cause: 'launch', detail: null, time: 2 * MS },
      ],
    },
    idle: {
      causes: [
        { cause: 'launch', count: 19, time: 1.5 * MS, longest: 0.4 * MS },
        { cause: 'loading', count: 1, time: 0.5 * MS, longest: 0.5 * MS },
      ],
      devices: [{ device: 0, times: { ...NO_IDLE, launch: 1.5 * MS, loading: 0.5 * MS } }],
      launches: { kernels: 104, shorter: 26, delay: distributionOf(5000), queue: distributionOf(3) },
    },
    gaps: [
      {
        ...{
          device: 0,
          step: 2,
          isBetween: false,
          start: 7 * MS,
          time: 0.5 * MS,
          cause: 'loading',
          host: 'DataLoader.__next__',
        },
        ...{ before: 'gemm_bf16', after: HOSTILE },
      },
      {
        ...{ device: 0, step: 1, isBetween: true, start: 4 * MS, time: 0.4 * MS, cause: 'launch', host: null },
        ...{ before: HOSTILE, after: 'DtoH copy' },
      },
    ],
    collectives: {
      shown: [
        {
          ...{ name: 'allreduce', size: 2 ** 20, group: 'world', groupSize: 2, count: 4, time: 1.5 * MS, bytes: 4e6 },
          ...{ kind: 'all-reduce', notUnderCompute: 1 * MS, algorithmBandwidth: 2.67e9, busBandwidth: 2.67e9 },
        },
      ],
      ...{ count: 1, restTime: 0 },
    },
    stepBars: {
      count: 3,
      works: [
        { part: 'compute', name: HOSTILE },
        { part: 'communication', name: 'all-reduce' },
      ],
      shown: [2.5, 3, 4].map((ms, step) => ({
        ...{ step, device: 0, start: (1 + 3 * step) * MS, span: ms * MS },
        works: [[0, (1 + step / 10) * MS] as const, [1, 0.5 * MS] as const],
        parts: { compute: 1.5 * MS, communication: 0.5 * MS, launch: (ms - 2) * MS },
        host: { iteration: (ms + 0.5) * MS, preparing: 0.25 * MS, ops: 1 * MS, loading: step === 2 ? 0.5 * MS : 0 },
      })),
    },
    utilisation: {
      ...{ start: 1 * MS, width: 2.5 * MS, host: shares },
      cpu: { start: 0, width: 5 * MS, values: [1.5, null, 3] },
      devices: [{ device: 0, busy: shares, compute: shares, communication: [0, 0.1, 0, 0], memory: [0, 0, 0, 0] }],
    },
    kernels: {
      shown: [
        { name: HOSTILE, count: 10, time: 4 * MS, max: 0.5 * MS, min: 0.3 * MS, tc: 1, launch: LAUNCH },
        { name: 'gemm_bf16', count: 30, time: 2 * MS, max: 0.1 * MS, min: 0.05 * MS, tc: null, launch: null },
        { name: 'elementwise', count: 64, time: 1 * MS, max: 0.02 * MS, min: 0.01 * MS, tc: 0, launch: null },
      ],
      ...{ count: 3, restTime: 0 },
    },
    ops: {
      shown: [
        OP,
        { ...OP, op: 'add', time: 1 * MS, count: 64, flops: null, flopsPerS: null, stacks: [], stackCount: 0 },
      ],
      ...{ count: 2, restTime: 0, time: 7 * MS },
    },
    lines: {
      shown: [
        { line: 'src/decoder/model.py:5', count: 10, time: 4 * MS, op: HOSTILE, ops: 1, flops: 1e12 },
        { line: 'train.py:184', count: 64, time: 2 * MS, op: 'add', ops: 2, flops: null },
        { line: null, count: 30, time: 1 * MS, op: null, ops: 0, flops: null },
      ],
      ...{ count: 3, restTime: 0, time: 7 * MS },
    },
    categories: [
      { category: 'gemm', count: 10, time: 4 * MS, flops: 1e12, bytes: 1e9, tc: 1 },
      { category: null, count: 94, time: 3 * MS, flops: null, bytes: null, tc: null },
    ],
    sequences: [
      {
        ...{ sequence: [HOSTILE, 'add'], count: 20, time: 1 * MS, share: 1 / 7, small: 0.4 * MS, gaps: 0.1 * MS },
        ...{ saved: 0.5 * MS, launched: { count: 20, launch: 0.8 * MS, device: 1.1 * MS } },
      },
    ],
    regions: {
      shown: [
        {
          ...{ region: `forward ${HOSTILE}`, device: 0, passes: 4, span: 8 * MS, busy: 6 * MS, idle: 2 * MS },
          ...{ idleHost: 1.5 * MS, idleQueue: 0.5 * MS, spanP50: 1.5 * MS, spanP90: 3 * MS, spanP99: 3.4 * MS },
          ...{ iterationP50: 2 * MS, exposed: 0, mfu: 0.25, kernels: 40, collectives: 0 },
          bins: [
            { from: 1 * MS, to: 2 * MS, count: 3 },
            { from: 2 * MS, to: 3 * MS, count: 0 },
            { from: 3 * MS, to: 4 * MS, count: 1 },
          ],
        },
      ],
      count: 2,
    },
    check: {
      verdict: 'doubtful',
      reasons: [
        {
          ...{ check: 'stream-overlap', level: 'doubt', count: 2, what: '2 pieces of work overlap', remedy: null },
          affects: 'durations of this work',
        },
      ],
    },
    stacks: STACKS,
    annotations: {
      shown: [
        {
          text: `forward ${HOSTILE}`,
          count: 4,
          guessed: 4,
          time: 3 * MS,
          own: 2 * MS,
          samples: [0.5, 0.7, 0.8, 1].map((ms) => ms * MS),
          hostSamples: [1, 2, 3, 3].map((ms) => ms * MS),
          ...{ passes: 4, host: 9 * MS, hostSelf: 2 * MS },
        },
        {
          text: 'optimizer',
          count: 1,
          guessed: 0,
          time: 1 * MS,
          own: 1 * MS,
          samples: [1 * MS],
          hostSamples: [],
          passes: null,
          host: null,
          hostSelf: null,
        },
      ],
      ...{ count: 2, restTime: 0 },
    },
    roofline: {
      points: [
        {
          device: 0,
          op: HOSTILE,
          kernel: HOSTILE,
          dtype: 'bf16',
          tc: '1',
          count: 10,
          time: 4 * MS,
          flops: 1e12,
          bytes: 1e9,
        },
        {
          device: 0,
          op: 'add',
          kernel: 'elementwise',
          dtype: 'bf16',
          tc: '-',
          count: 64,
          time: 1 * MS,
          flops: 1e8,
          bytes: 8e8,
        },
      ],
      pointCount: 2,
      roofs: [
        {
          device: 0,
          time: 7 * MS,
          name: 'Example GPU',
          origin: 'given',
          bytesPerS: 1e12,
          peaks: { ...NO_PEAKS, bytesPerS: 1e12, matrix: { bf16: 1e15 } },
          units: [{ name: 'bf16 matrix unit', flopsPerS: 1e15 }],
        },
      ],
    },
    layers: {
      shown: [
        layer(['model'], 6 * MS, 1 * MS),
        layer(['model', HOSTILE], 3 * MS, 3 * MS),
        layer(['model', 'head'], 2 * MS, 2 * MS),
      ],
      ...{ count: 3, restTime: 0 },
    },
    memory: [
      {
        device: 0,
        metric: 'memory_allocated',
        name: 'allocated',
        points: [
          [1 * MS, 1e6],
          [5 * MS, 4e6],
          [9 * MS, 2e6],
        ],
        peak: 4e6,
      },
    ],
    memoryPeaks: [
      {
        ...{ device: 0, metric: 'memory_allocated', of: '', bytes: 4e6, start: 5 * MS, step: 1, op: HOSTILE },
        ops: { shown: [{ name: HOSTILE, bytes: 3e6, allocations: 2 }], count: 3, restBytes: 1e5 },
        categories: { shown: [{ name: 'released later', bytes: 4e6, allocations: null }], count: 1, restBytes: 0 },
      },
    ],
    timeline: null,
    neuron: null,
    monitor: null,
  };
}

const FINDING: Finding = {
  about: 'program',
  ...{ rule: 'launch-gaps', profile: 0, device: 0, what: `idle 1 ms before ${HOSTILE}`, action: 'capture a graph' },
  ...{ stake: 1 * MS, gain: { ns: 0.5 * MS, how: 'sum of gaps', isBound: true }, kernels: ['0:7'], count: 20 },
  ...{ evidence: { idleNs: 1 * MS }, see: 'dprof summary FILE', details: 'the CPU was in cudaMalloc 1 ms' },
};

const JOINT = {
  ...{ start: 1 * MS, width: 5 * MS, members: 2, isByMachine: false },
  lines: ['All', 'rank 0', HOSTILE].map((name, at) => ({ name, values: [0.1 * at, 0.5, null] })),
};

export const FIXTURE: PageData = {
  ...{ v: 1, tool: { name: 'dprof', version: '1.2.3' }, title: 'two ranks', input: 'FILE', doubts: [] },
  ...{ profiles: [profile(0, 1), profile(1, 1.2)], leftOut: 0 },
  advice: groupedFindings([FINDING], () => 0.05),
  job: {
    ...{ worldSize: 2, missing: 0, withoutWork: 0, idle: [], matched: 6, unmatched: 1, tested: 2, isChance: false },
    verdict: {
      who: 'rank 1 is late: 2.000 ms a step (5.0 %), mostly op linear',
      waits: 'rank 0 waited longest for others: 5.000 ms, all of it could be clock error',
    },
    unsure:
      'all of the 5.000 ms of waiting could be clock error: these waits do not exceed the possible error of the clocks',
    late: [
      {
        ...{ name: 'rank 1', node: '0', ranks: 1, late: 2e6, share: 0.05, q: 0.001 },
        ...{ steps: 12, lateIn: 12, slowdown: 1.05, by: 'kernels' },
        layer: { name: '<b>encoder</b>', excess: 1.5e6, share: 0.07 },
        op: { name: 'linear', excess: 1.4e6, share: 0.06 },
        kernel: null,
      },
    ],
    ranks: [0, 1].map((rank) => ({
      ...{ name: `rank ${rank}`, node: '0', clock: rank === 0 ? 'reference' : 'operations', offset: rank * 1000 },
      ...{ shift: 2000 - rank * 1000, drift: 0, bound: 9000 },
      ...{ waited: 5e6 * (1 - rank), last: rank, delayed: rank * 5e6, unsure: rank === 0 ? 1 : null },
      ...{ profile: rank, device: 0, sharesRank: false, isLate: rank === 1 },
    })),
    classes: [
      {
        ...{ kind: 'all-reduce', groupKind: 'data', size: 4096, operations: 6 },
        ...{ wait: 800_000, unsure: 0, transfer: 40_000, busBandwidth: 1e11 },
      },
    ],
    tables: [
      {
        ...{ name: 'stages', count: 1, missing: null, rows: [[0, '0-1', 2e6, 12.5]] },
        columns: [
          { key: 'stage', header: 'stage', type: 'int', doc: 'position in the pipeline, from 0' },
          { key: 'ranks', header: 'ranks', type: 'str', doc: 'its ranks that have a profile' },
          {
            key: 'compute',
            header: 'compute_ns',
            type: 'int',
            unit: 'ns',
            doc: 'time of a step during which any kernel computes',
          },
          { key: 'bubble_share', header: 'bubble_%', type: 'real', unit: '%', doc: 'of the step' },
        ],
      },
      { ...{ name: 'experts', count: 0, missing: 'no experts: none is stated', rows: [], columns: [] } },
    ],
    utilisation: { isAligned: true, devices: JOINT, cpu: null },
    steps: [1, 2],
    heat: [
      {
        ...{ title: 'Own work', unit: 'ns' as const },
        values: [
          [40e6, 41e6],
          [42e6, null],
        ],
      },
    ],
  },
};
