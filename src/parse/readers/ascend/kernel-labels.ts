/** Attributes of a kernel: its type, and shapes, element types and formats of its inputs and outputs, separated by `;`. */
import type { ActivityDetails } from '../../trace/trace.js';
import type { Labels } from '../../../record/record.js';

/** Labels from strings in the profile's own tables, in the order in which they follow `opType` and `taskType`. */
const TEXTS = [
  'inputShapes',
  'inputTypes',
  'inputFormats',
  'outputShapes',
  'outputTypes',
  'outputFormats',
  'attr',
  'opState',
  'hf32',
] as const;
export type TextLabel = 'opType' | (typeof TEXTS)[number];

export interface TaskFacts {
  readonly taskType: string | null;
  /** Number of blocks of the kernel, and for a mixed-core kernel those on the other kind of core; NaN or 0 when unknown. */
  readonly blockDim: number;
  readonly mixBlockDim: number;
}

/** Ids by which the vendor's tables identify a task: its number in its stream, its model and its context. */
export const TASK_IDS = ['taskId', 'modelId', 'contextId'] as const;
/** Written instead of a missing id, as is -1. */
export const NO_ID = 4294967295;

/**
 * Labels with the ids of the kernel's task.
 * @param ids ids in the order of TASK_IDS; NaN when unknown
 */
export function withTaskIds(labels: Labels | null, ids: readonly number[]): Labels | null {
  const added = TASK_IDS.flatMap((name, i) => {
    const id = ids[i] ?? NaN;
    return id >= 0 && id < NO_ID ? [[name, id] as const] : [];
  });
  return added.length === 0 ? labels : { ...labels, ...Object.fromEntries(added) };
}

/** A string without the quotes that the profiler writes into it; null for `N/A` and the empty string. */
export function cleanText(text: string | null | undefined): string | null {
  if (text === null || text === undefined) return null;
  const trimmed = text.trim();
  let [from, to] = [0, trimmed.length];
  while (trimmed[from] === '"') from++;
  while (to > from && trimmed[to - 1] === '"') to--;
  const bare = trimmed.slice(from, to);
  return bare === '' || bare === 'N/A' ? null : bare;
}

export function kernelLabels(textOf: (label: TextLabel) => string | null, facts: TaskFacts): Labels | null {
  const { taskType, blockDim, mixBlockDim } = facts;
  const texts: readonly (readonly [label: string, text: string | null])[] = [
    ['opType', textOf('opType')],
    ['taskType', taskType],
    ...TEXTS.map((label) => [label, textOf(label)] as const),
  ];
  const labels: Record<string, string | number> = {};
  for (const [label, value] of texts) {
    const text = cleanText(value);
    if (text !== null) labels[label] = text;
  }
  if (blockDim > 0) labels['blockDim'] = blockDim;
  if (mixBlockDim > 0) labels['mixBlockDim'] = mixBlockDim;
  return Object.keys(labels).length === 0 ? null : labels;
}

/**
 * A kernel's name without its serial number. The kernels of a graph are numbered, as in `MatMul104` and
 * `trans_TransData_25`, but types of operators may also end in a number, as in `MatMulV2`.
 * @param opType type of its operator; null when the profile does not have it
 */
export function withoutSerial(name: string, opType: string | null): string {
  if (name.startsWith('aclnn') || (opType !== null && name.endsWith(opType))) return name;
  if (opType !== null && name.startsWith(opType) && /^_?\d+$/.test(name.slice(opType.length))) return opType;
  const [, bare, number = ''] = /^(.*?[A-Za-z])_?(\d+)$/.exec(name) ?? [];
  if (bare === undefined) return name;
  return bare.endsWith('V') ? `${bare}${number.charAt(0)}` : bare;
}

export const kernelFields = (
  name: string | null,
  engine: string | null,
  counters: Readonly<Record<string, number>> | null,
  labels: Labels | null,
): ActivityDetails => ({
  ...shortField(name, labels),
  ...(engine === null ? undefined : { engine }),
  ...(counters === null ? undefined : { counters }),
  ...(labels === null ? undefined : { labels }),
});

/** The name without its serial number as the field `short`; undefined when the name has no serial number. */
function shortField(name: string | null, labels: Labels | null): Pick<ActivityDetails, 'short'> | undefined {
  if (name === null) return undefined;
  const opType = labels?.['opType'];
  const short = withoutSerial(name, opType === undefined ? null : String(opType));
  return short === name ? undefined : { short };
}
