/**
 * What an activity is for the breakdown of a step: computing, communication, or a copy.
 *
 * Source: the step trace of the Ascend PyTorch Profiler (computing: kernels; communication: collective operations;
 * bubble: receive operations), for other vendors with the kernels of communication libraries, or of a process group, in
 * place of collective operations.
 */
import { isCommunication } from '../../ops/kernels/kernel-name.js';
import { isNeuronInstruction } from '../../record/neuron/engines.js';
import type { KernelLine, ProfileLine, SyncRecord } from '../../record/record.js';
import type { RecordedEnd } from '../../record/fields/recorded-end.js';
import type { DeviceActivity } from '../input/device-activity.js';

/** An activity that takes time on a device. */
export type StepActivity = Exclude<DeviceActivity, SyncRecord>;

export type StepWorkKind = 'computing' | 'communication' | 'copy';

/** An instruction that does nothing but wait. */
const WAIT = 'EVENT_SEMAPHORE';

/** Whether a kernel moves data between devices, by its profile or its name. */
export const communicates = (kernel: KernelLine): boolean => kernel.collective !== undefined || isCommunication(kernel);

/** The kind of work; null for what takes no time of the device's own (waits, host ranges, samples). */
export function workOf(record: ProfileLine): { readonly work: StepWorkKind; readonly record: StepActivity } | null {
  switch (record.type) {
    case 'kernel':
      if (record.name === WAIT && isNeuronInstruction(record)) return null;
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

/** Whether its end is not believed: how long it took is not known. */
export const isCut = ({ cut }: Pick<StepActivity, 'type'> & RecordedEnd): boolean => cut === true;

/**
 * Whether it does nothing but receive: an operation both ways (`batchSendRecv`) is none, nor is a kernel of NCCL for
 * both ways, unless its op is known.
 */
export function receives(record: StepActivity): boolean {
  if (record.type !== 'collective' && record.type !== 'kernel') return false;
  const text = record.type === 'collective' ? (record.kind ?? record.name) : (record.collective?.op ?? record.name);
  if (record.type === 'kernel' && !communicates(record)) return false;
  return /recv|receive/i.test(text) && !/send/i.test(text);
}
