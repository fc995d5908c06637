/**
 * Kinds of device tasks, copies, element types, links and API layers, by the profiler's names and codes. Source: the user
 * guide of the Ascend PyTorch Profiler, and databases from 2024 to 2026.
 */
import { elementType, type ElementType } from '../../../record/element-types.js';
import type { CopyKind, Labels } from '../../../record/record.js';
import type { Diagnostics } from '../../../record/diagnostics.js';
import { KindCounts } from '../../unread-events.js';
import { largest } from '../../../containers/element.js';
import { isCubeClass } from '../../../record/neuron/neuron-cores.js';

/** Maximum number of matrix units of a device. The largest known device has 32. */
const MOST_UNITS = 64;

/**
 * Whether a kernel multiplies on the matrix units.
 * @param core core class of the kernel
 * @param counted time or share during which the unit multiplied, from any of its counters; NaN when not counted
 */
export const isMatrixKernel = (core: string | null, ...counted: readonly number[]): boolean =>
  isCubeClass(core) && (counted.every(Number.isNaN) || counted.some((value) => value > 0));

/**
 * Infers a device's number of matrix units from the blocks of its kernels: the largest plausible number of blocks that
 * several kernels have, or that the only kernel has; null when there is none. A kernel may have more blocks than the
 * device has units, because blocks can queue, or fewer. The largest number alone therefore proves nothing, but kernels
 * that use the matrix units usually have one block for each unit.
 */
export function unitsByBlocks(blocksOfMatrixKernels: Iterable<number>): number | null {
  const kernels = new Map<number, number>();
  let all = 0;
  for (const blocks of blocksOfMatrixKernels) {
    all++;
    if (blocks >= 1 && blocks <= MOST_UNITS) kernels.set(blocks, (kernels.get(blocks) ?? 0) + 1);
  }
  const agreed = [...kernels].flatMap(([blocks, number]) => (number > 1 || all === 1 ? [blocks] : []));
  return agreed.length === 0 ? null : largest(agreed);
}

/** Layers of CANN, the driver library, in order of preference for the launch of a task: see `HostCalls.precedence`. */
interface ApiLayer {
  readonly name: string;
  /** Code in ENUM_API_TYPE. */
  readonly type: number;
  /** Name in releases since 2025. */
  readonly newName?: string;
}

const LAYERS: readonly ApiLayer[] = [
  { name: 'node', type: 10000 },
  { name: 'hccl', type: 5500, newName: 'communication' },
  { name: 'acl', type: 20000 },
  { name: 'runtime', type: 5000 },
  { name: 'model', type: 15000 },
];

/** Number of a layer; an unknown layer has the number after the last. */
const codeOf = (is: (layer: ApiLayer) => boolean): number => {
  const code = LAYERS.findIndex(is);
  return code === -1 ? LAYERS.length : code;
};

const BY_TYPE = new Map(LAYERS.map(({ type }, code) => [type, code]));

/** Number of a layer, from the type of a row in CANN_API. */
export const apiLayerCodeOf = (type: number): number => BY_TYPE.get(type) ?? LAYERS.length;

/** Number of a layer, from the `level` of an event. */
export function apiLayerCode(level: string): number {
  const name = level.toLowerCase();
  return codeOf((layer) => layer.name === name || layer.newName === name);
}

/** Number of the communication layer. */
export const COMMUNICATION_LAYER = apiLayerCode('hccl');

/** Name of a layer by its number; null for an unknown one. */
export const apiLayer = (code: number): string | null => LAYERS[code]?.name ?? null;

/**
 * Counts device tasks that are not activities, and tasks that are treated as kernels only because their type is
 * unknown.
 */
export class TaskTypes {
  /** Number of tasks that enclose the tasks of a kernel or collective. */
  enclosing = 0;
  readonly unknown = new KindCounts();

  /**
   * Adds the counts to the diagnostics.
   * @returns facts that name the unknown types
   */
  facts(diagnostics: Diagnostics): Labels {
    const { total } = this.unknown;
    diagnostics.count('task-passed-over', this.enclosing);
    diagnostics.count('kernel-of-unknown-type', total);
    return total === 0 ? {} : { task_types_unknown: String(this.unknown) };
  }
}

/** Kind of a device task that is neither a kernel nor part of a collective. */
export type TaskKind =
  { readonly is: 'copy' } | { readonly is: 'set' } | { readonly is: 'sync'; readonly kind: string };

const SYNCS: ReadonlyMap<string, string> = new Map([
  ['EVENT_RECORD', 'event-record'],
  ['EVENT_WAIT', 'stream-wait-event'],
  ['STREAM_WAIT_EVENT', 'stream-wait-event'],
  ['EVENT_RESET', 'event-reset'],
  ['NOTIFY_RECORD', 'notify-record'],
  ['NOTIFY_WAIT', 'notify-wait'],
  ['CAPTURE_WAIT', 'capture-wait'],
  ['CAPTURE_RECORD', 'capture-record'],
  ['MEM_WAIT_VALUE', 'memory-wait'],
]);

/** Types of tasks of the driver and the profiler, which use no compute unit and transfer nothing. */
const MARK_TYPE =
  /^(PLACE_?HOLDER|WRITE_VALUE|PROFILING_|PROFILER_|MODEL_|LABEL_|STREAM_|MAINTENANCE|DATA_?DUMP|DEBUG_|TIMELINE_|CMO|BARRIER|CALLBACK|HOST_FUNC|NOP$|COND|CCU|RDMA)/;

/**
 * A task type such as `Notify Wait`, `EVENT_WAIT_SQE` or `DAVID_EVENT_WAIT` in the words of older devices, without `SQE`
 * (queue entry).
 */
const plainType = (taskType: string): string =>
  taskType
    .trim()
    .toUpperCase()
    .replaceAll(' ', '_')
    .replace(/_SQE$/, '')
    .replace(/^DAVID_/, '');

/** Whether tasks of this type are neither kernels nor other activities, whatever their name. */
export const isMark = (taskType: string): boolean => MARK_TYPE.test(plainType(taskType));

/** Kind of task by its type, such as `Notify Wait` or `EVENT_WAIT`; null for other types (kernels, envelopes, marks). */
export function taskKind(taskType: string): TaskKind | null {
  const type = plainType(taskType);
  if (/MEMCPY|^SDMA|^PCIE_DMA|^UBDMA/.test(type)) return { is: 'copy' };
  if (type.includes('MEMSET')) return { is: 'set' };
  const kind = SYNCS.get(type);
  return kind === undefined ? null : { is: 'sync', kind };
}

/** Direction of a copy by ENUM_MEMCPY_OPERATION. */
export const COPY_OPERATIONS: Readonly<Record<number, CopyKind>> = {
  0: 'HtoH',
  1: 'HtoD',
  2: 'DtoH',
  3: 'DtoD',
  5: 'DtoD',
  6: 'HtoD',
  7: 'DtoH',
};

/** Element types by ENUM_HCCL_DATA_TYPE, for databases without that table. */
export const COLLECTIVE_TYPE_CODES: Readonly<Record<number, string>> = {
  0: 'INT8',
  1: 'INT16',
  2: 'INT32',
  3: 'FP16',
  4: 'FP32',
  5: 'INT64',
  6: 'UINT64',
  7: 'UINT8',
  8: 'UINT16',
  9: 'UINT32',
  10: 'FP64',
  11: 'BFP16',
  12: 'INT128',
  14: 'HIF8',
  15: 'FP8E4M3',
  16: 'FP8E5M2',
  17: 'FP8E8M0',
};

/** Links by ENUM_HCCL_LINK_TYPE, for databases without that table. */
export const LINK_CODES: Readonly<Record<number, string>> = {
  0: 'ON_CHIP',
  1: 'HCCS',
  2: 'PCIE',
  3: 'ROCE',
  4: 'SIO',
  5: 'HCCS_SW',
  6: 'STANDARD_ROCE',
};

/** Element type of a message; null for an unknown name. */
export const collectiveType = (name: string | null): ElementType | null => (name === null ? null : elementType(name));

/** Kind of operation in a name: `hcom_allReduce__210_0_1` and `hcom_allReduce_` → `allReduce`. */
export function collectiveKind(name: string): string | null {
  const match = /^(?:hcom_)?([A-Za-z][A-Za-z]*?)_{1,2}(?:\d|$)/.exec(name) ?? /^(?:Hccl)?([A-Za-z]+)$/.exec(name);
  const kind = match?.[1];
  return kind === undefined ? null : kind.charAt(0).toLowerCase() + kind.slice(1);
}

/** Interconnect of a message, from the links of its parts without those inside a single device; null when they differ. */
export function commonLink(links: Iterable<string>): string | null {
  const between = new Set(
    [...links].filter((link) => link !== 'ON_CHIP' && link !== 'N/A' && !/INVALID|RESERVED/.test(link)),
  );
  const [first] = between;
  return between.size === 1 && first !== undefined ? first : null;
}
