/** Records of a small Trainium2 capture for tests: one logical core of two, 10 us long. */
import type {
  CopyLine,
  KernelLine,
  Labels,
  NoticeRecord,
  ProfileLine,
  ProfileRecord,
  SampleRecord,
  TensorRecord,
} from '../../src/record/record.js';

const device = (id: number): ProfileRecord['devices'][number] => ({
  id,
  vendor: 'aws',
  name: 'Trainium2',
  arch: 'nc-v3',
  units: null,
  clockHz: 2.4e9,
  memBytesPerS: 716e9,
  memBytes: null,
});

/** Peak of both cores: 2 · 2 · 128 · 128 · 2.4e9 = 157 286.4e9 FLOP/s. */
export const neuronProfile = (change: Partial<ProfileRecord> = {}): ProfileRecord => ({
  type: 'profile',
  v: 1,
  profile: 0,
  format: 'ntff',
  tool: null,
  file: 'profile.ntff',
  rank: null,
  startUnixNs: null,
  dur: 10_000,
  devices: [device(4), device(5)],
  facts: {
    instanceType: 'trn2.3xlarge',
    totalTimePs: 10_000_000,
    peRows: 128,
    peCols: 128,
    peClockHz: 2.4e9,
    clockHz: 1.2e9,
    hbmBytesPerS: 716e9,
    cores: 2,
    uuid: '00112233445566778899aabbccddeeff',
  },
  ...change,
});

export const instruction = (
  name: string,
  engine: string,
  start: number,
  dur: number,
  change: Partial<KernelLine> = {},
): KernelLine => ({
  type: 'kernel',
  profile: 0,
  id: 1,
  name,
  short: name,
  start,
  dur,
  device: 4,
  stream: 0,
  engine,
  ...change,
});

export const packet = (
  queueType: string,
  start: number,
  dur: number,
  bytes: number,
  change: Partial<CopyLine> = {},
): CopyLine => ({
  type: 'copy',
  profile: 0,
  kind: 'DMA',
  start,
  dur,
  bytes,
  device: 4,
  stream: 64,
  engine: 'E64',
  queue: 0,
  queueType,
  ...change,
});

export const sample = (
  metric: string,
  value: number | null,
  labels: Labels,
  change: Partial<SampleRecord> = {},
): SampleRecord => ({
  type: 'sample',
  profile: 0,
  start: 0,
  device: 4,
  metric,
  value,
  unit: null,
  labels,
  ...change,
});

export const throttle = (k: number, n: number, start: number, dur: number, kind = 'activity_1'): SampleRecord =>
  sample('throttle', k / n, { kind, k, n }, { start, dur, unit: 'fraction' });

export const tensor = (name: string, role: TensorRecord['role'], bytes: number | null): TensorRecord => ({
  type: 'tensor',
  profile: 0,
  name,
  role,
  dtype: 'float32',
  shape: null,
  bytes,
});

export const notice = (text: string): NoticeRecord => ({ type: 'notice', profile: 0, category: 'Missing Data', text });

/** As JSON lines, which `dprof` reads; profiles that have no end get one. */
export function neuronLines(records: readonly ProfileLine[]): string {
  const ended = new Set(records.flatMap(({ type, profile }) => (type === 'end' ? [profile] : [])));
  const begun = records.flatMap(({ type, profile }) => (type === 'profile' && !ended.has(profile) ? [profile] : []));
  const ends = begun.map((profile): ProfileLine => ({ type: 'end', profile, counts: {}, diagnostics: {} }));
  return [...records, ...ends].map((record) => `${JSON.stringify(record)}\n`).join('');
}
