/** Copies between host and device for which the host waited. */
import type { CopyLine } from '../../../record/record.js';
import type { StepActivity } from '../../steps/step-work.js';

export type HostCopyKind = 'HtoD' | 'DtoH';

/** A copy between host and device whose launch and time are known. */
export interface HostCopy extends CopyLine {
  readonly kind: HostCopyKind;
  readonly dur: number;
  readonly launch: NonNullable<CopyLine['launch']>;
}

export const isHostCopy = (record: StepActivity): record is HostCopy =>
  record.type === 'copy' &&
  (record.kind === 'HtoD' || record.kind === 'DtoH') &&
  record.dur !== null &&
  (record.launch ?? null) !== null;

/** `cudaMemcpy`, `hipMemcpyWithStream`, `cuMemcpyDtoH_v2`: they return when the copy is done. */
const isSynchronous = (api: string | null): boolean => api !== null && /memcpy/i.test(api) && !/async/i.test(api);

/**
 * How it is known that the host waited: the call is synchronous by its name; or the profile says that the memory is
 * pageable, through which an asynchronous call copies piece by piece, and the call still ran when the copy began; or, where
 * the memory is unknown, the call returned only after the copy had ended. Null where the host did not wait: a call from
 * or to pinned memory that returns late was slow by itself.
 */
export type Wait = 'synchronous' | 'pageable' | 'late-return';

export function waitOf({ launch, start, dur, hostMemory }: HostCopy): Wait | null {
  if (isSynchronous(launch.api)) return 'synchronous';
  const returned = launch.start + launch.dur;
  if (hostMemory === 'pageable') return returned > start ? 'pageable' : null;
  return hostMemory === undefined && returned >= start + dur ? 'late-return' : null;
}
