/**
 * Category of an activity in the breakdown of a step: computing, communication, or copy.
 *
 * Source: the step trace of the Ascend PyTorch Profiler (computing: kernels; communication: collective operations; bubble:
 * receive operations); for other vendors, kernels of communication libraries or of a process group replace collective
 * operations.
 */
import { isCommunication } from '../../ops/kernels/kernel-name.js';
import { isWait } from '../../record/wait-calls.js';
import type {
  KernelLine,
  ProfileLine,
  RecordedEnd,
  SyncRecord,
  Activity,
  CollectiveLine,
} from '../../record/record.js';
import type { DeviceActivity } from '../input/device-activity.js';
import { algorithmBytes, collectiveKind, communicationKind, type CollectiveKind } from '../../ops/collective-bytes.js';
import { collectiveOfCalls } from '../../ops/families/collective.js';

/** An activity that takes time on a device. */
export type StepActivity = Exclude<DeviceActivity, SyncRecord>;

export type StepWorkKind = 'computing' | 'communication' | 'copy';

/** Whether a kernel moves data between devices, according to its profile or its name. */
export const communicates = (kernel: KernelLine): boolean => kernel.collective !== undefined || isCommunication(kernel);

/** The kind of work; null for records that take no device time of their own (waits, host ranges, samples). */
export function workOf(record: ProfileLine): { readonly work: StepWorkKind; readonly record: StepActivity } | null {
  switch (record.type) {
    case 'kernel':
      if (isWait(record)) return null;
      return { work: communicates(record) ? 'communication' : 'computing', record };
    case 'collective':
      return { work: 'communication', record };
    case 'graph':
      return { work: 'computing', record };
    case 'copy':
    case 'set':
      return { work: 'copy', record };
    default:
      return null;
  }
}

/** Whether the recorded end is not plausible, so that the duration is unknown. */
export const isCut = ({ cut }: Pick<StepActivity, 'type'> & RecordedEnd): boolean => cut === true;

/**
 * Whether the operation only receives. An operation in both directions (`batchSendRecv`) does not count, and neither
 * does an NCCL kernel for both directions, unless its op is known.
 */
export function receives(record: StepActivity): boolean {
  if (record.type !== 'collective' && record.type !== 'kernel') return false;
  const text = record.type === 'collective' ? (record.kind ?? record.name) : (record.collective?.op ?? record.name);
  if (record.type === 'kernel' && !communicates(record)) return false;
  return /recv|receive/i.test(text) && !/send/i.test(text);
}

/**
 * In ns. A launch call takes a few µs, an op of an eager framework around it about ten, and an optimizer step about a
 * hundred. A device that waits longer is not waiting for launches, but for what the program does between them.
 */
export const LONGEST_LAUNCH = 1_000_000;

/** Unit: ns. Maximum time that a device needs to switch from one piece of work to the next. */
export const LONGEST_SWITCH = 20_000;

/**
 * Time in ns at which work was launched that the device could have begun, usually the start of the launch; null when
 * not known. If work began later after the return of its call than a launch takes, it also waited for something else,
 * such as work from before the profile. It then counts as launched late only if the device waited longer for the call
 * than the work waited after it. A call that takes longer than a launch, such as one that copies in pieces, may hand
 * its work over at any time until it returns. The device waited for that call if it was idle for most of the time
 * before the work, and for longer than it takes to switch. If the launch was before the gap, other work that starts
 * even later also waited for something else. The device was then not idle because of the host, unless such a call took
 * most of that wait, because a call that loads code delays all work.
 */
export function launchedAt({
  start,
  launch = null,
  othersWait = 0,
}: Partial<Pick<Activity, 'launch' | 'othersWait'>> & { start: number }): number | null {
  if (launch === null) return null;
  const returned = launch.start + launch.dur;
  const waited = Math.max(0, start - returned);
  const begun = waited > LONGEST_LAUNCH ? Math.min(launch.start, returned - waited) : launch.start;
  const handed = Math.min(returned - waited, start - LONGEST_SWITCH);
  const isLong = launch.dur > LONGEST_LAUNCH;
  const earliest = isLong ? Math.max(begun, handed) : begun;
  const holdsOthers = isLong && 2 * (returned - waited - launch.start) > othersWait;
  return othersWait > 0 && !holdsOthers ? Math.min(earliest, start - othersWait) : earliest;
}

/** What identifies an operation among the operations of its rank, however the profiler records it. */
export interface Operation {
  readonly kind: CollectiveKind | null;
  readonly dtype: string | null;
  readonly bytes: number | null;
  readonly group: string | null;
  readonly groupSize: number | null;
  readonly ranks: readonly number[] | null;
  readonly ordinal?: number;
  readonly peer?: number;
  readonly bytesOut?: number | null;
  readonly splitsIn?: readonly number[];
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
  // A kernel that sends and receives may implement any operation; the framework's name states which one.
  const named = [...op].reverse().map(collectiveKind);
  const kind = named.find((candidate) => candidate !== null) ?? collectiveKind(communicationKind(short) ?? '');
  return { kind, dtype: null, bytes: null, group: null, groupSize: null, ranks: null };
}

export const UNKNOWN_OPERATION = 'unknown';

/** Name of the operation in all answers: its kind, else the name that its profiler or its kernel gives. */
export function operationName(record: KernelLine | CollectiveLine): string {
  const { kind } = operationOf(record);
  if (kind !== null) return kind;
  if (record.type === 'collective') return record.kind ?? record.name;
  return record.collective?.op ?? communicationKind(record.short) ?? UNKNOWN_OPERATION;
}
