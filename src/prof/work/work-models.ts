/** THE table of work models. */
import type { Device, KernelRecord } from '../../record/record.js';
import { ASCEND } from './ascend-model.js';
import { GPU } from './gpu-model.js';
import { NEURON } from './neuron-model.js';
import type { WorkModel } from './work-model.js';

/** First match wins; the last one is that of every other device. */
const WORK_MODELS: readonly WorkModel[] = [NEURON, ASCEND, GPU];

/** @param device that the kernel ran on; null where the profile does not describe it */
export const workModelOf = (record: KernelRecord, device: Device | null): WorkModel =>
  WORK_MODELS.find((model) => model.isOf(record, device)) ?? GPU;
