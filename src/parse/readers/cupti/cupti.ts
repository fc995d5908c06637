/**
 * Codes of CUPTI, which nvprof and Nsight Systems both store unchanged.
 * Source: CUPTI documentation, CUpti_ActivityMemcpyKind and CUpti_ActivitySynchronizationType.
 */
import type { CopyKind, HostMemory } from '../../../record/record.js';

/** Direction of each kind of copy; copies between arrays and memory of the device are copies on the device. */
export const COPY_KINDS: Readonly<Record<number, CopyKind>> = {
  1: 'HtoD',
  2: 'DtoH',
  3: 'HtoD',
  4: 'DtoH',
  5: 'DtoD',
  6: 'DtoD',
  7: 'DtoD',
  8: 'DtoD',
  9: 'HtoH',
  10: 'PtoP',
  11: 'HtoD',
  12: 'DtoH',
  13: 'DtoD',
};

/** CUPTI documentation, CUpti_ActivityMemoryKind; exports of Nsight Systems count from 0 (their ENUM_CUDA_MEM_KIND). */
export const CUPTI_MEMORIES: Readonly<Record<number, HostMemory>> = { 1: 'pageable', 2: 'pinned', 5: 'managed' };
export const NSIGHT_MEMORIES: Readonly<Record<number, HostMemory>> = { 0: 'pageable', 1: 'pinned', 4: 'managed' };

/** The code of the host's memory in a copy between host and device, from those of source and destination; else NaN. */
export function hostSide(copyKind: number, from: number, to: number): number {
  const kind = COPY_KINDS[copyKind];
  return kind === 'HtoD' ? from : kind === 'DtoH' ? to : NaN;
}

export const SYNC_KINDS: Readonly<Record<number, string>> = {
  1: 'event',
  2: 'stream-wait-event',
  3: 'stream',
  4: 'context',
};

/** Stream id of rows that belong to no stream. */
export const NO_STREAM = 4294967295;
