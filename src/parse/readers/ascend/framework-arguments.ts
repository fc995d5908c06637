/**
 * Arguments of an op from the profiler's two strings: shapes such as `32,3,224,224;\r
 * 64,3,11,11;\r
 * ;`, and types such as `float;\r
 * float;\r
 * ScalarList`, one slot for each argument. Only tensors have shapes: values of scalars and of lists (strides, paddings) are
 * not recorded.
 */
import { elementType } from '../../../record/element-types.js';
import type { Arg } from '../../../record/record.js';
import { NOT_GIVEN, tensorArg, UNDEFINED_TENSOR, UNKNOWN } from '../../trace/markers/op-sizes.js';
import { isListType, isPlainType } from '../../torch/host-events.js';

/**
 * Keys of an event's `args` that are read. Case is ignored, because parts of collectives have `task type` and tasks
 * have `Task Type`. Source: trace_view.json of torch_npu and MindStudio, 2024 to 2026.
 */
const ARG_KEYS = {
  sequence: 'Sequence number',
  forwardThread: 'Fwd thread id',
  dims: 'Input Dims',
  types: 'Input type',
  callStack: 'Call stack',
  /** Used by the launch queue. */
  queued: 'correlation_id',
  connection: 'connection_id',
  taskType: 'Task Type',
  stream: 'Physic Stream Id',
  oldStream: 'Stream Id',
  task: 'Task Id',
  batch: 'Batch Id',
  subtask: 'Subtask Id',
  /** Used by CANN calls: `node`, `acl`, `runtime`. */
  level: 'level',
  /** Used by collectives. */
  dataType: 'data_type',
  algorithm: 'alg_type',
  count: 'count',
  /** Used by the parts of collectives. */
  link: 'link type',
  source: 'src rank',
  destination: 'dst rank',
  transport: 'transport type',
  size: 'size(Byte)',
  notify: 'notify_id',
  /** Used by ranges of msprof_tx. */
  eventType: 'event_type',
  domain: 'domain',
  /** Used by metadata: name of a process or thread. */
  label: 'name',
  labels: 'labels',
} as const;

/** The keys in order of their codes. */
export const ASCEND_ARGS: readonly string[] = Object.values(ARG_KEYS);

/** The code of each key of `args`. */
export const ARG = Object.fromEntries(Object.keys(ARG_KEYS).map((name, code) => [name, code])) as Readonly<
  Record<keyof typeof ARG_KEYS, number>
>;

const LIST: Arg = { name: '', type: 'list' };

const slotsOf = (text: string): string[] => (text.trim() === '' ? [] : text.split(';').map((slot) => slot.trim()));

/** Whether a string lists types. Shapes have only digits and commas. Some databases have the two columns swapped. */
export const isDtypeList = (text: string): boolean => /[A-Za-z]/.test(text);

/** The arguments of an op's call; null when both strings are empty. The strings may be swapped. */
export function readFrameworkArguments(dims: string, types: string): Arg[] {
  const swapped = isDtypeList(dims) && !isDtypeList(types);
  const extents = slotsOf(swapped ? types : dims);
  const kinds = slotsOf(swapped ? dims : types);
  const count = Math.max(extents.length, kinds.length);
  return Array.from({ length: count }, (_, i) => readArgument(extents[i], kinds[i]));
}

/** Shapes of the inputs of a backward node; null when the first shape is unknown. */
export function readFrameworkExtents(dims: string): number[][] | null {
  const [first, ...rest] = slotsOf(dims).map(readExtents);
  if (first === undefined || first === null || first.length === 0) return null;
  return [first, ...rest.filter((shape) => shape !== null && shape.length > 0)] as number[][];
}

function readArgument(slot = '', kind = ''): Arg {
  if (kind === UNDEFINED_TENSOR || kind === 'None') return NOT_GIVEN;
  const shape = readExtents(slot);
  // The tensors of a list have no shapes here.
  if (kind === 'TensorList' || isListType(kind)) return LIST;
  if (isPlainType(kind) || shape === null) return UNKNOWN;
  const scalar = elementType(kind);
  if (scalar !== null) return tensorArg(shape, scalar.dtype);
  return shape.length > 0 ? tensorArg(shape, kind) : UNKNOWN;
}

/** The numbers of an extent such as `32,3,224,224`; [] for a tensor without dimensions, null for an invalid text. */
function readExtents(slot: string): number[] | null {
  if (slot === '') return [];
  const extents = slot.split(',').map((text) => (/^\s*\d+\s*$/.test(text) ? Number(text) : NaN));
  return extents.every((extent) => Number.isSafeInteger(extent)) ? extents : null;
}
