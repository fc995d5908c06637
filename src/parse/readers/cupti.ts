/**
 * Codes that CUPTI gives and both nvprof and Nsight Systems store as they are.
 * Source: CUPTI documentation, CUpti_ActivityMemcpyKind and CUpti_ActivitySynchronizationType.
 */
import type { CopyKind } from '../../record/record.js';

/** Copies from and to arrays are copies on the device; those of unified memory are told by their direction. */
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

export const SYNC_KINDS: Readonly<Record<number, string>> = {
  1: 'event',
  2: 'stream-wait-event',
  3: 'stream',
  4: 'context',
};
