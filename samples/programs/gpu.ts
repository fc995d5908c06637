/** The two devices the samples pretend to have run on. Figures: NVIDIA's V100 and A100 data sheets. */

export interface Gpu {
  readonly name: string;
  readonly chip: string;
  readonly compute: readonly [major: number, minor: number];
  readonly units: number;
  readonly clockHz: number;
  readonly memBytes: number;
  readonly memBytesPerS: number;
  readonly l2Bytes: number;
  readonly sharedBytesPerUnit: number;
  /** Peak without matrix units, FP32. */
  readonly flopsPerS: number;
  /** Peak of the matrix units, FP16 with dense operands. */
  readonly matrixFlopsPerS: number;
  /** 16 bytes, the same on every run. */
  readonly uuid: string;
}

export const V100: Gpu = {
  name: 'Tesla V100-SXM2-16GB',
  chip: 'GV100',
  compute: [7, 0],
  units: 80,
  clockHz: 1_530_000_000,
  memBytes: 16_914_055_168,
  memBytesPerS: 898_048_000_000,
  l2Bytes: 6_291_456,
  sharedBytesPerUnit: 98_304,
  flopsPerS: 15.7e12,
  matrixFlopsPerS: 125e12,
  uuid: '5a000100-0000-4000-8000-000000000001',
};

export const A100: Gpu = {
  name: 'NVIDIA A100-SXM4-40GB',
  chip: 'GA100',
  compute: [8, 0],
  units: 108,
  clockHz: 1_410_000_000,
  memBytes: 42_505_273_344,
  memBytesPerS: 1_555_200_000_000,
  l2Bytes: 41_943_040,
  sharedBytesPerUnit: 167_936,
  flopsPerS: 19.5e12,
  matrixFlopsPerS: 312e12,
  uuid: '5a000200-0000-4000-8000-000000000002',
};
