/** The operation between devices that a kernel or a record of a collective is, whatever the profiler calls it. */
import { communicationKind } from '../../ops/kernels/kernel-name.js';
import { algorithmBytes, collectiveKind, type CollectiveKind } from '../../ops/collective-bytes.js';
import { collectiveOfCalls } from '../../ops/collective-of-calls.js';
import type { CollectiveLine, KernelLine } from '../../record/record.js';

/** What identifies an operation among those of its rank, however the profiler records it. */
export interface Operation {
  readonly kind: CollectiveKind | null;
  readonly dtype: string | null;
  readonly bytes: number | null;
  readonly group: string | null;
  readonly groupSize: number | null;
  readonly ranks: readonly number[] | null;
  readonly ordinal?: number;
  readonly peer?: number;
}

export function operationOf(record: KernelLine | CollectiveLine): Operation {
  if (record.type === 'collective') {
    const { dtype, bytes, group, groupSize, ranks, kind, name } = record;
    return { ...record, kind: collectiveKind(kind ?? name), dtype, bytes, group, groupSize, ranks };
  }
  const { short, op = [], calls = [] } = record;
  const collective = record.collective ?? collectiveOfCalls({ ...record, calls });
  if (collective !== null)
    return { ...collective, kind: collectiveKind(collective.op), bytes: algorithmBytes(collective) };
  // A kernel that sends and receives may do so for any operation: the framework's name says which.
  const named = [...op].reverse().map(collectiveKind);
  const kind = named.find((one) => one !== null) ?? collectiveKind(communicationKind(short) ?? '');
  return { kind, dtype: null, bytes: null, group: null, groupSize: null, ranks: null };
}

export const UNKNOWN_OPERATION = 'unknown';

/** What the operation is called in every answer: its kind, else what its profiler calls it, or its kernel does. */
export function operationName(record: KernelLine | CollectiveLine): string {
  const { kind } = operationOf(record);
  if (kind !== null) return kind;
  if (record.type === 'collective') return record.kind ?? record.name;
  return record.collective?.op ?? communicationKind(record.short) ?? UNKNOWN_OPERATION;
}
