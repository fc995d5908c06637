/** Work of GPU kernels: by the op calls around the launch, and by what the kernel's name says. */
import { LruCache } from '../../containers/lru-cache.js';
import { matrixUnitByName, matrixUnitCell, tensorCore } from '../../ops/tensor-core.js';
import { deriveFromCalls } from './derived-work.js';
import { matrixUnitUse } from './matrix-unit-use.js';
import type { JudgedKernel, MatrixUnitCell, WorkModel } from './work-model.js';

const CELLS = { '1': 1, '0': 0, '-': '-', '?': '?', na: null } as const;

/** Kernel names repeat: a program has hundreds of them, a profile millions of kernels. */
const cells = new LruCache<string, MatrixUnitCell>(4096);

function cellOf({ record: { name }, arch, described }: JudgedKernel): MatrixUnitCell {
  const work = described?.work ?? null;
  const key = `${String(work?.role)}/${String(work?.matmul)}/${String(arch)}/${name}`;
  return cells.of(key, () => CELLS[work === null ? matrixUnitByName(name, arch) : matrixUnitCell(work, name, arch)]);
}

export const GPU: WorkModel = {
  isOf: () => true,
  derive: deriveFromCalls,
  matrixUnitCell: cellOf,
  verdictOf: ({ name }, arch) => tensorCore(name, arch),
  judgedBy: 'by its name',
  matrixUnitUse: ({ record, arch, described }, isProduct) =>
    matrixUnitUse(described.call, isProduct, record.name, arch),
};
