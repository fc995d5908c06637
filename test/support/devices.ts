/** Devices and profile lines for tests. */
import type { Device, ProfileRecord } from '../../src/record/record.js';

export const device = (name: string | null, fields: Partial<Device> = {}): Device => ({
  id: 0,
  vendor: 'nvidia',
  name,
  arch: null,
  units: null,
  clockHz: null,
  memBytesPerS: null,
  memBytes: null,
  ...fields,
});

/** The board of most examples: 312 TFLOP/s of bf16 products, 19.5 of fp32, 1555 GB/s, 40 MiB of cache. */
export const A100 = device('NVIDIA A100-SXM4-40GB', { arch: 'sm80', memBytes: 42297524224 });

export const profileOn = (...devices: readonly Device[]): ProfileRecord => ({
  type: 'profile',
  v: 1,
  profile: 0,
  format: 'nsight',
  tool: null,
  file: 'net.sqlite',
  rank: null,
  startUnixNs: null,
  dur: null,
  devices,
});
