/**
 * Products by kernels that were made for an older architecture than the device's. Those that extents keep on old kernels
 * are said in `alignment.ts`; FP32 ones off the matrix unit would be no faster by newer kernels.
 */
import { smInName } from '../../../ops/kernels/kernel-name.js';
import { smOf } from '../../../ops/kernels/matrix-unit.js';
import type { Annotated } from '../../annotate.js';
import { many, ranked, time } from '../wording.js';
import { deviceRule } from '../rule.js';
import { KernelTally } from '../kernel-tally.js';

class Old extends KernelTally {
  arch = '';
  readonly built = new Set<number>();
}

/** Products that the architecture of their kernel does not slow. */
const isExplained = ({ tc, unitUse }: Annotated): boolean =>
  /^align/.test(unitUse?.slowed?.id ?? '') || (tc === 0 && unitUse?.dtype === 'fp32');

/** sm86 and sm89 run kernels of sm80 with the same instructions: only the generation counts. */
const generation = (sm: number): number => Math.floor(sm / 10);

export const oldArchitecture = deviceRule({
  name: 'old-architecture',
  doc: 'products by kernels whose names imply an older architecture than the device has',
  why: 'no products on an NVIDIA device of known architecture',
  start: () => new Old(),
  row: (row, devices) => {
    const { record, peaks } = row;
    const { dur } = record;
    const { arch } = peaks;
    const sm = arch === null ? null : smOf(arch);
    if (arch === null || sm === null || dur === null || !Number.isFinite(dur) || !row.isProduct) return false;
    const built = smInName(record.name);
    if (built === null || generation(built) >= generation(sm) || isExplained(row)) return true;
    const old = devices.of(record);
    old.arch = arch;
    old.built.add(built);
    old.add(record, record.short, dur);
    return true;
  },
  findings: (of) => {
    const built = [...of.built].sort((a, b) => a - b).map((sm) => `sm${sm}`);
    return [
      {
        what: `${many(of.count, 'product')}, ${time(of.time)}, by kernels made for ${built.join(', ')} on ${of.arch}`,
        details: `by their names: ${ranked(of.names)}`,
        action: `try newer libraries (cuBLAS, cuDNN, FlashAttention, CUTLASS), which may have kernels for ${of.arch}; a library may also choose an older kernel because it is the fastest for these extents`,
        ...of.facts,
        evidence: { ...of.facts.evidence, builtFor: built.join(', '), device: of.arch },
        see: "dprof --where 'tc==1 || tc==0' --by kernel,tcwhy -f table FILE",
      },
    ];
  },
});
