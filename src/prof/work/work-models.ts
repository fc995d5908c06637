/** THE table of work models, with that of GPUs: by the op calls around the launch, and by what the kernel's name says. */
import { matrixUnitByName, matrixUnitCell, tensorCore } from '../../ops/kernels/tensor-core.js';
import type { Device, KernelRecord } from '../../record/record.js';
import { ASCEND } from './ascend-model.js';
import { deriveFromCalls } from './derived-work.js';
import { matrixUnitUse } from './matrix-unit-use.js';
import { NEURON } from './neuron-model.js';
import { BY_NAME, type JudgedKernel, type MatrixUnitCell, type WorkModel } from './work-model.js';

const CELLS = { '1': 1, '0': 0, '-': '-', '?': '?', na: null } as const;

function cellOf({ record: { name }, arch, described }: JudgedKernel): MatrixUnitCell {
  const work = described?.work ?? null;
  return CELLS[work === null ? matrixUnitByName(name, arch) : matrixUnitCell(work, name, arch)];
}

export const GPU: WorkModel = {
  isOf: () => true,
  derive: deriveFromCalls,
  matrixUnitCell: cellOf,
  verdictOf: ({ name }, arch) => tensorCore(name, arch),
  judgedBy: 'by its name',
  undetermined: BY_NAME,
  matrixUnitUse: ({ record, arch, described }, isProduct) =>
    matrixUnitUse(described.call, isProduct, record.name, arch),
};

/** First match wins; the last one is that of every other device. */
const WORK_MODELS: readonly WorkModel[] = [NEURON, ASCEND, GPU];

/** @param device that the kernel ran on; null where the profile does not describe it */
export const workModelOf = (record: KernelRecord, device: Device | null): WorkModel =>
  WORK_MODELS.find((model) => model.isOf(record, device)) ?? GPU;
