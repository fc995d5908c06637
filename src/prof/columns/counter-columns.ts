/** Columns about hardware counters: those about the kernel's work, and one for any counter by its name. */
import { column, int, real } from '../../table/column.js';
import type { KernelColumn } from '../annotate.js';
import { orNull } from '../../containers/numeric-column.js';
import type { KernelRecord } from '../../record/record.js';

/**
 * What hardware counters say about a kernel's work, with the metric names of Nsight Compute and of AMD's ROCprofiler.
 *
 * Sources: Nsight Compute, profiling guide (metrics structure; roofline: a multiply-add is 2 operations, predicated-off
 * threads do none); AMD, MI300 and MI200 performance counters (MFMA operations in units of 512; sizes in KiB) and ROCm
 * Compute Profiler, FLOP counting conventions (an instruction of a wavefront is 64 operations, whatever its active lanes).
 */
type Counters = NonNullable<KernelRecord['counters']>;

/** Operations per thread and instruction. */
const OPERATIONS = Object.entries({ add: 1, mul: 1, fma: 2 });
/** Half, single and double precision. */
const TYPES = ['h', 'f', 'd'];

/** Operations of a wavefront's instruction on AMD's vector units, which also count transcendental functions. */
const WAVE_OPERATIONS = Object.entries({ ADD: 64, MUL: 64, TRANS: 64, FMA: 128 });

/** For each type of a vendor, the counters of its instructions. */
const VECTOR = [
  ...TYPES.map((type) =>
    OPERATIONS.map(
      ([name, operations]) => [`smsp__sass_thread_inst_executed_op_${type}${name}_pred_on.sum`, operations] as const,
    ),
  ),
  ...['F16', 'F32', 'F64'].map((type) =>
    WAVE_OPERATIONS.map(([name, operations]) => [`SQ_INSTS_VALU_${name}_${type}`, operations] as const),
  ),
];

/** Counters of matrix unit instructions, cycles or operations. */
const TENSOR = /^sm__(?:inst_executed_pipe_tensor|pipe_tensor|ops_path_tensor)|^SQ_(?:INSTS_)?(?:VALU_)?MFMA|^Mfma/;
/** Counters of a single type or instruction. When they are 0, the unit may have worked with another type. */
const OF_TYPE = /^SQ_INSTS_VALU_MFMA_|^MfmaFlops|^sm__\w+_(?:op|src)_/;
/**
 * Counters of tensor core operations by operand types; a multiply-add counts as 2 operations in all of them. A name with an
 * instruction (`op_utcqmma`) or a sparsity counts part of what the name without it counts.
 */
const TENSOR_OPERATIONS = /^sm__ops_path_tensor(_op_[a-z0-9]+)?(_src_\w+?)(_sparsity_(?:on|off))?\.sum$/;

/** AMD's counters of the matrix unit's operations, in units of 512; without those of the first four the sum is unknown. */
const MFMA_OPERATIONS = ['F16', 'BF16', 'F32', 'F64', 'XF32', 'F8', 'F6F4', 'I8'].map(
  (type) => `SQ_INSTS_VALU_MFMA_MOPS_${type}`,
);

/** Sizes in KiB, in the spellings of ROCprofiler's versions. */
const KIB_READ = ['FETCH_SIZE', 'FetchSize'];
const KIB_WRITTEN = ['WRITE_SIZE', 'WriteSize'];

const READ = ['dram__bytes_read.sum', 'dram__bytes_op_read.sum'];
const WRITTEN = ['dram__bytes_write.sum', 'dram__bytes_op_write.sum'];

const first = (counters: Counters, names: readonly string[]): number | null =>
  names.map((name) => counters[name]).find((value) => value !== undefined) ?? null;

/** Whether the matrix unit was used; null when the collected counters do not say so. */
export function tensorUseByCounters(counters: Counters = {}): boolean | null {
  const names = Object.keys(counters).filter((name) => TENSOR.test(name));
  if (names.some((name) => (counters[name] ?? 0) > 0)) return true;
  return names.some((name) => !OF_TYPE.test(name)) ? false : null;
}

const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);

/** Operations of AMD's matrix unit; [] when they were not counted for every common type. */
function mfmaOperations(counters: Counters): number[] {
  if (MFMA_OPERATIONS.slice(0, 4).some((name) => counters[name] === undefined)) return [];
  return MFMA_OPERATIONS.map((name) => 512 * (counters[name] ?? 0));
}

/** Tensor core operations of each operand type once: a counter is left out where a collected one includes it. */
const tensorOperations = (counters: Counters): number[] =>
  Object.keys(counters).flatMap((name) => {
    const parts = TENSOR_OPERATIONS.exec(name);
    if (parts === null) return [];
    const [, instruction = '', types = '', sparsity = ''] = parts;
    const wholes = [types + sparsity, instruction + types, types].map((rest) => `sm__ops_path_tensor${rest}.sum`);
    return wholes.some((whole) => whole !== name && counters[whole] !== undefined) ? [] : (counters[name] ?? []);
  });

/**
 * Floating-point operations; null when there are no counters of the vector units, when some of a type are missing, or when
 * tensor core operations were not counted and the tensor cores are not known to be idle.
 */
export function flopsByCounters(counters: Counters = {}): number | null {
  const types = VECTOR.filter((metrics) => metrics.some(([name]) => counters[name] !== undefined));
  const vector = types.flat().map(([name, operations]) => operations * (counters[name] ?? NaN));
  const [mfma, use] = [mfmaOperations(counters), tensorUseByCounters(counters)];
  const tensor = sumOf([...tensorOperations(counters), ...mfma]);
  // Where the types that were counted add up to 0, a unit that is not known to be idle may have worked in another type.
  const isTensorKnown = tensor > 0 || use === false || (use === null && mfma.length > 0);
  return vector.length === 0 || !isTensorKnown ? null : orNull(sumOf(vector) + tensor);
}

/** Bytes to and from the device's memory. */
export function bytesByCounters(counters: Counters = {}): number | null {
  const whole = first(counters, ['dram__bytes.sum']);
  if (whole !== null) return whole;
  const sums: readonly (readonly [number | null, number | null, number])[] = [
    [first(counters, READ), first(counters, WRITTEN), 1],
    [first(counters, KIB_READ), first(counters, KIB_WRITTEN), 1024],
  ];
  for (const [read, written, unit] of sums) if (read !== null && written !== null) return (read + written) * unit;
  return null;
}

/** Counted amount divided by the required amount; null when either is unknown or nothing is required. */
export const overNeeded = (counted: number | null, needed: number | null): number | null =>
  counted === null || needed === null || needed === 0 ? null : counted / needed;

export const COUNTED_WORK_COLUMNS: readonly KernelColumn[] = [
  column(
    'hwflops',
    'HwFLOPs',
    int(12, 'FLOP'),
    'floating-point operations that the device counted (Nsight Compute, ROCprofiler), next to flops by formula',
    ({ record }) => flopsByCounters(record.counters),
  ),
  column(
    'hwflopsratio',
    'HwFLOPs/FLOPs',
    real(7, 3),
    'FLOPs that the hardware counted / FLOPs that the op needs: hwflops / flops',
    ({ record, flops }) => overNeeded(flopsByCounters(record.counters), flops),
    { derived: true, narrowHeader: 'HwF/F' },
  ),
  column(
    'hwbytes',
    'HwBytes',
    int(12, 'bytes'),
    'bytes to and from device memory that the device counted, next to bytes by formula',
    ({ record }) => bytesByCounters(record.counters),
  ),
  column(
    'hwbytesratio',
    'HwBytes/Bytes',
    real(7, 3),
    'bytes that the hardware counted / bytes that the op needs: hwbytes / bytes; below 1 if caches served some of them',
    ({ record, bytes }) => overNeeded(bytesByCounters(record.counters), bytes),
    { derived: true, narrowHeader: 'HwB/B' },
  ),
  column(
    'hwtc',
    'HwTC',
    int(4),
    '1 if the device counted work on its matrix unit, 0 if it counted none',
    ({ record }) => {
      const use = tensorUseByCounters(record.counters);
      return use === null ? null : Number(use);
    },
  ),
];

const PREFIX = 'counter:';
/** Wide enough for the numbers; the header is cut. */
const WIDTH = 12;

/** The column `counter:NAME` of one counter; undefined for any other key. */
export function counterColumn(key: string): KernelColumn | undefined {
  if (!key.startsWith(PREFIX) || key.length === PREFIX.length) return undefined;
  const name = key.slice(PREFIX.length);
  return column(key, name, { ...real(WIDTH), significant: WIDTH - 2 }, `counter ${name}`, ({ record }) =>
    record.counters !== undefined && Object.hasOwn(record.counters, name) ? (record.counters[name] ?? null) : null,
  );
}

/** Numbers of CUPTI's metrics and events, which nvprof databases have in place of names. */
const NUMBERED = /^(?:metric|event)#\d/;

/** The named counter columns that no kernel had, because a name may be mistyped. */
export class MissingCounters {
  readonly #names: Set<string>;
  /** Whether all counters are shown. */
  readonly #showsAll: boolean;
  /** Whether any kernel had a counter. */
  hasOthers = false;
  /** Whether a requested or shown counter may be in the profile under a number. */
  hasNumbers = false;

  constructor(columns: readonly KernelColumn[]) {
    const named = columns.filter(({ key }) => key.startsWith(PREFIX));
    this.#names = new Set(named.map(({ key }) => key.slice(PREFIX.length)));
    this.#showsAll = columns.some(({ key }) => key === 'counters');
  }

  take({ record: { counters } }: Parameters<KernelColumn['value']>[0]): void {
    if (counters === undefined || (this.#names.size === 0 && !this.#showsAll)) return;
    this.hasOthers = true;
    this.hasNumbers ||= Object.keys(counters).some((name) => NUMBERED.test(name));
    for (const name of this.#names) if (Object.hasOwn(counters, name)) this.#names.delete(name);
  }

  get names(): string[] {
    return [...this.#names];
  }
}
