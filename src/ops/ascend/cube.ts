/**
 * The cube, the matrix unit of Ascend cores: whether a kernel used it, and the FLOPs it computed there, by the device's
 * counters.
 *
 * Sources: CANN's documents of op_summary and of the database (names of counters), and of the arithmetic metrics
 * (operations per cycle); the rates for FP32 and HF32 follow from counters of products with known extents.
 */
import { isCubeClass } from '../../record/neuron/neuron-cores.js';
import type { KernelRecord } from '../../record/record.js';
import { kernelTensors, operatorType, present, type StoredTensor } from './kernel-tensors.js';
import { dtypeShort } from '../../record/element-types.js';
import type { TensorCore } from '../kernels/tensor-core.js';

type DeviceCounters = Readonly<Record<string, number>>;

/** Names of the counters in databases, in current tables, and in tables of devices without split cores. */
const NAMES = {
  macTime: ['aic_mac_time', 'aic_mac_time(us)', 'aic_cube_time', 'aic_cube_time(us)', 'mac_time', 'mac_time(us)'],
  macRatio: ['aic_mac_ratio', 'aic_cube_ratio', 'mac_ratio'],
  cycles: ['aic_total_cycles', 'total_cycles'],
  operations: ['aic_cube_fops', 'cube_fops'],
} as const;

const counter = (counters: DeviceCounters | undefined, what: keyof typeof NAMES): number | null => {
  for (const name of NAMES[what]) {
    const value = counters?.[name];
    if (value !== undefined) return value;
  }
  return null;
};

/** Operations per cycle of one cube, by element type. */
const RATES: Readonly<Record<string, number>> = {
  fp16: 8192,
  bf16: 8192,
  int8: 16384,
  uint8: 16384,
  hf32: 4096,
  fp32: 2048,
};

const isFloating = ({ dtype }: StoredTensor): boolean => /float/.test(dtype);

/**
 * Whether FP32 operands are rounded to HF32 in the cube: as recorded in the profile, else by the framework's defaults,
 * which allow it for convolutions but not for matrix products (torch_npu: conv.allow_hf32, matmul.allow_hf32).
 */
function isRounded(kernel: Pick<KernelRecord, 'name' | 'labels'>): boolean {
  const recorded = kernel.labels?.['hf32'];
  return recorded === undefined ? /^Conv\dD/.test(operatorType(kernel)) : recorded === 'YES';
}

/**
 * The type in which a kernel computes: that of its first floating-point operand, else of its first operand; hf32 when it
 * rounds FP32.
 */
export function kernelType(kernel: Pick<KernelRecord, 'name' | 'labels'>): string | null {
  const tensors = kernelTensors(kernel);
  const operands = present([...(tensors?.inputs ?? []), ...(tensors?.outputs ?? [])]);
  const operand = operands.find(isFloating) ?? operands[0];
  if (operand === undefined || operand.dtype === '') return null;
  const short = dtypeShort(operand.dtype);
  return short === 'fp32' && isRounded(kernel) ? 'hf32' : short;
}

/**
 * FLOPs of the cubes, with partial tiles counted in full: the device's counter, else the share of busy cycles times the
 * rate. Null without counters, or when the rate of the type is unknown.
 */
export function cubeFlops(kernel: Pick<KernelRecord, 'name' | 'labels' | 'counters'>): number | null {
  const counted = counter(kernel.counters, 'operations');
  if (counted !== null) return counted;
  const [ratio, cycles] = [counter(kernel.counters, 'macRatio'), counter(kernel.counters, 'cycles')];
  if (ratio === null || cycles === null) return null;
  if (ratio === 0 || cycles === 0) return 0;
  const type = kernelType(kernel);
  const rate = type !== null && Object.hasOwn(RATES, type) ? RATES[type] : undefined;
  return rate === undefined ? null : Math.round(ratio * cycles * rate);
}

/** Devices whose cores have both units, so that the core class does not determine the unit. */
const WITHOUT_SPLIT = /^ascend(310p?|910a?)$/;

const judged = (verdict: TensorCore['verdict'], rule: string): TensorCore => ({ verdict, rule });

/**
 * Whether the kernel used the cubes: by their counter, else by the class of cores on which it ran, else by its task type.
 */
export function cubeVerdict(
  kernel: Pick<KernelRecord, 'labels' | 'counters' | 'engine'>,
  arch: string | undefined,
): TensorCore {
  const worked = counter(kernel.counters, 'macTime') ?? counter(kernel.counters, 'macRatio');
  if (worked !== null) return judged(worked > 0 ? 'yes' : 'no', 'aic_mac_time');
  const split = arch === undefined || !WITHOUT_SPLIT.test(arch);
  if (kernel.engine !== undefined) {
    if (!isCubeClass(kernel.engine)) return judged('no', 'core-class');
    return judged(split ? 'yes' : 'likely', 'core-class');
  }
  const task = kernel.labels?.['taskType'];
  if (task === 'KERNEL_AIVEC' || task === 'MIX_AIV') return judged('no', 'task-type');
  if (task === 'KERNEL_AICORE' || task === 'AI_CORE' || task === 'MIX_AIC') return judged('likely', 'task-type');
  return judged('unknown', 'none');
}
