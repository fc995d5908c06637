/** Records of a profile in which there are many of one thing: devices, streams, threads, names and so on. */
import { writePieces } from '../write-pieces.js';

/** ns from one kernel to the next. */
const SLOT = 1000;
const PIECE = 1 << 20;

/** What record `i` of `n` has that the others do not have. */
type Part = (i: number, n: number) => Readonly<Record<string, unknown>>;

export const DIMENSIONS: Readonly<Record<string, Part>> = {
  kernels: () => ({}),
  devices: (i) => ({ device: i }),
  streams: (i) => ({ stream: i }),
  'streams at once': (i, n) => ({ stream: i, dur: n * SLOT }),
  processes: (i) => ({ pid: i + 1, tid: i + 1 }),
  threads: (i) => ({ tid: i + 1 }),
  names: (i) => ({ name: `kernel_${i}(float*)`, short: `kernel_${i}` }),
  layers: (i) => ({ layer: [`Layer_${i}`] }),
  ops: (i) => ({ mod: ['aten'], op: [`op_${i}`] }),
  stacks: (i) => ({ trace: [`train.py:${i}`] }),
  annotations: (i) => ({ ranges: [`range ${i}`] }),
  steps: (i) => ({ step: i }),
  groups: (i) => ({ collective: { ...COLLECTIVE, group: String(i), ordinal: 0 } }),
  collectives: (i) => ({ collective: { ...COLLECTIVE, group: '0', ordinal: i } }),
  ranks: () => ({ collective: { ...COLLECTIVE, group: '0', ordinal: 0 } }),
  pairs: (i) => ({ collective: { ...COLLECTIVE, group: String(i >> 1), ranks: [i & ~1, i | 1], ordinal: 0 } }),
  profiles: () => ({}),
};

const COLLECTIVE = { op: 'allreduce', bytesIn: 4096, bytesOut: 4096, dtype: 'float32', groupSize: 2, ranks: null };

/** Dimensions of which each is a profile of its own, in one stream. */
export const OF_PROFILES: ReadonlySet<string> = new Set(['ranks', 'pairs', 'profiles']);

const KERNEL = {
  ...{ type: 'kernel', name: 'kernel(float*)', short: 'kernel', dur: 900, device: 0, stream: 7 },
  ...{ grid: [1, 1, 1], block: [64, 1, 1], pid: 1, tid: 1, dir: 'fprop', layer: ['Layer_0'], trace: ['train.py:1'] },
  ...{
    calls: [],
    mod: ['aten'],
    op: ['add'],
    seqMarker: [],
    seq: [],
    altSeq: [],
    sub: 0,
    repr: [],
    ranges: [],
    step: 0,
  },
};

const device = (id: number): unknown => ({
  ...{ id, vendor: 'nvidia', name: 'NVIDIA A100-SXM4-40GB', arch: 'sm80', units: 108, clockHz: null },
  ...{ memBytesPerS: 1555e9, memBytes: 42_505_273_344 },
});

/** Writes `n` kernels, each with a copy, a sample of memory and a step of the host. */
export function writeRecords(dimension: string, n: number, path: string): void {
  const part = DIMENSIONS[dimension];
  if (part === undefined) throw new Error(`no dimension '${dimension}': one of ${Object.keys(DIMENSIONS).join(', ')}`);
  const isOfProfiles = OF_PROFILES.has(dimension);
  writePieces(path, (write) => {
    let piece = '';
    const add = (record: unknown): void => {
      piece += `${JSON.stringify(record)}\n`;
      if (piece.length < PIECE) return;
      write(Buffer.from(piece));
      piece = '';
    };
    const open = (profile: number, devices: number): void => {
      const rank = dimension !== 'profiles' && isOfProfiles ? { rank: profile, worldSize: n } : { rank: null };
      add({
        ...{ type: 'profile', v: 1, profile, format: 'kineto', tool: 'PyTorch Profiler', file: `${profile}.json` },
        ...{ ...rank, startUnixNs: '1700000000000000000', dur: n * SLOT },
        devices: Array.from({ length: devices }, (_, id) => device(id)),
      });
    };
    const end = (profile: number, kernels: number, steps: number): void =>
      add({
        type: 'end',
        profile,
        counts: { kernel: kernels, copy: kernels, sample: kernels + steps },
        diagnostics: {},
      });
    if (!isOfProfiles) open(0, dimension === 'devices' ? n : 1);
    for (let i = 0; i < n; i++) {
      const profile = isOfProfiles ? i : 0;
      if (isOfProfiles) open(i, 1);
      const start = i * SLOT;
      const kernel: Record<string, unknown> = { ...KERNEL, ...part(i, n) };
      const at = { profile, device: kernel['device'] };
      const host = { pid: kernel['pid'], tid: kernel['tid'] };
      const launch = { api: 'cudaLaunchKernel', start, dur: 90 };
      add({ ...kernel, profile, id: isOfProfiles ? 1 : i + 1, start: start + 100, corr: i + 1, launch });
      add({
        ...{ type: 'copy', kind: 'HtoD', bytes: 4096, ...at, start: start + 100, dur: kernel['dur'] },
        ...{ stream: kernel['stream'], ...host, corr: n + i + 1, launch: { ...launch, api: 'cudaMemcpyAsync' } },
        ...{ step: kernel['step'] },
      });
      const sample = { type: 'sample', ...at, start };
      add({ ...sample, dur: null, metric: 'memory_allocated', unit: 'bytes', value: (i % 7) * 4096 });
      if (i === 0 || isOfProfiles || dimension === 'steps') {
        const labels = { text: `ProfilerStep#${String(kernel['step'])}`, ...host };
        add({ ...sample, device: null, dur: SLOT, metric: 'step', value: kernel['step'], unit: null, labels });
      }
      if (isOfProfiles) end(i, 1, 1);
    }
    if (!isOfProfiles) end(0, n, dimension === 'steps' ? n : 1);
    write(Buffer.from(piece));
  });
}
