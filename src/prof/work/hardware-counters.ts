/**
 * What the device's counters say of a kernel's work, in the names of Nsight Compute's metrics.
 *
 * Source: Nsight Compute, profiling guide (metrics structure; roofline: a multiply-add is 2 operations, threads that are
 * predicated off do none).
 */
import { orNull } from '../../containers/numeric-column.js';
import type { KernelRecord } from '../../record/record.js';

type Counters = NonNullable<KernelRecord['counters']>;

/** Operations of one thread's instruction. */
const OPERATIONS = Object.entries({ add: 1, mul: 1, fma: 2 });
/** Half, single and double precision. */
const TYPES = ['h', 'f', 'd'];

/** Of each type, the counters of its instructions. */
const VECTOR = TYPES.map((type) =>
  OPERATIONS.map(
    ([name, operations]) => [`smsp__sass_thread_inst_executed_op_${type}${name}_pred_on.sum`, operations] as const,
  ),
);

/** Instructions, cycles or operations of the tensor cores. */
const TENSOR = /^sm__(?:inst_executed_pipe_tensor|pipe_tensor|ops_path_tensor)/;
/** Operations of the tensor cores by types of operands; a multiply-add is 2. */
const TENSOR_OPERATIONS = /^sm__ops_path_tensor_src_\w+\.sum$/;

const READ = ['dram__bytes_read.sum', 'dram__bytes_op_read.sum'];
const WRITTEN = ['dram__bytes_write.sum', 'dram__bytes_op_write.sum'];

const first = (counters: Counters, names: readonly string[]): number | null =>
  names.map((name) => counters[name]).find((value) => value !== undefined) ?? null;

/** Whether the tensor cores did anything; null where nothing of theirs was counted. */
export function tensorUseByCounters(counters: Counters = {}): boolean | null {
  const values = Object.keys(counters).flatMap((name) => (TENSOR.test(name) ? (counters[name] ?? []) : []));
  return values.length === 0 ? null : values.some((value) => value > 0);
}

/**
 * Floating-point operations; null where the operations of a unit that worked were not counted, or not all those of a
 * type. Where nothing is known of the tensor cores, they are part of that.
 */
export function flopsByCounters(counters: Counters = {}): number | null {
  const types = VECTOR.filter((metrics) => metrics.some(([name]) => counters[name] !== undefined));
  const vector = types.flat().map(([name, operations]) => operations * (counters[name] ?? NaN));
  const tensor = Object.keys(counters).flatMap((name) => (TENSOR_OPERATIONS.test(name) ? (counters[name] ?? []) : []));
  const isTensorKnown = tensor.length > 0 || tensorUseByCounters(counters) === false;
  if (vector.length === 0 || !isTensorKnown) return null;
  return orNull([...vector, ...tensor].reduce((sum, value) => sum + value, 0));
}

/** Bytes to and from the device's memory. */
export function bytesByCounters(counters: Counters = {}): number | null {
  const whole = first(counters, ['dram__bytes.sum']);
  if (whole !== null) return whole;
  const [read, written] = [first(counters, READ), first(counters, WRITTEN)];
  return read === null || written === null ? null : read + written;
}
