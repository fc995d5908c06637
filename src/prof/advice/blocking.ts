/** Copies between host and device for which the host waited. */
import type { CopyLine } from '../../record/record.js';
import type { Timed } from '../steps/work.js';

export type HostCopyKind = 'HtoD' | 'DtoH';

/** A copy between host and device whose launch and time are known. */
export interface HostCopy extends CopyLine {
  readonly kind: HostCopyKind;
  readonly dur: number;
  readonly launch: NonNullable<CopyLine['launch']>;
}

export const isHostCopy = (record: Timed): record is HostCopy =>
  record.type === 'copy' &&
  (record.kind === 'HtoD' || record.kind === 'DtoH') &&
  record.dur !== null &&
  (record.launch ?? null) !== null;

/** `cudaMemcpy`, `hipMemcpyWithStream`, `cuMemcpyDtoH_v2`: they return when the copy is done. */
export const isSynchronous = (api: string | null): boolean =>
  api !== null && /memcpy/i.test(api) && !/async/i.test(api);

/**
 * Whether the host waited: by the name of the call, or because the call returned only after the copy had ended. An
 * asynchronous call does that where the host's memory is not pinned.
 */
export const isBlocking = ({ launch, start, dur }: HostCopy): boolean =>
  isSynchronous(launch.api) || launch.start + launch.dur >= start + dur;
