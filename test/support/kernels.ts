/** Kernel records for tests: everything at rest but what a test is about. */
import type { CollectiveRecord, KernelRecord, OpCall } from '../../src/record/record.js';

export const kernel = (fields: Partial<KernelRecord> = {}): KernelRecord => ({
  type: 'kernel',
  profile: 0,
  id: 1,
  name: 'void k<float>(int)',
  short: 'k',
  start: 1000,
  dur: 10,
  device: 0,
  stream: 7,
  grid: [2, 1, 1],
  block: [128, 1, 1],
  pid: 10,
  tid: 100,
  corr: 5,
  launch: { api: 'cudaLaunchKernel', start: 900, dur: 50 },
  dir: 'fprop',
  layer: [],
  trace: [],
  calls: [],
  mod: [],
  op: [],
  repr: [],
  seqMarker: [],
  seq: [],
  altSeq: [],
  sub: 0,
  ranges: [],
  ...fields,
});

/** A matrix product of [m,k] and [k,n]. */
export const mm = (m: number, k: number, n: number, dtype = 'float16'): OpCall => ({
  mod: 'torch',
  op: 'mm',
  args: [
    { name: '', type: 'tensor', shape: [m, k], dtype },
    { name: '', type: 'tensor', shape: [k, n], dtype },
  ],
});

/** A collective operation, of unknown size and group. */
export const collective = (fields: Partial<CollectiveRecord> = {}): CollectiveRecord => ({
  ...{ type: 'collective', profile: 0, name: 'HcclBroadcast', kind: 'broadcast', start: 0, dur: 10, device: 0 },
  ...{ bytes: null, dtype: null, group: null, groupSize: null, ranks: null, algorithm: null, link: null },
  ...{ stream: null, pid: null, tid: null, corr: null, launch: null },
  ...fields,
});
