/**
 * Operations between ranks that the framework marks for `msprof_tx`, as strings of ranges around the calls of the
 * library. At level none, a profile has no other data about communication. Source: the user guide of the Ascend PyTorch
 * Profiler for strings with `comm:`, and that of torch_npu for JSON.
 */
import { MISSING_WORK_METRIC } from '../../../record/sample-metrics.js';
import type { SampleRecord } from '../../../record/record.js';
import { fieldOf, parseJson } from '../../json/json-value.js';
import type { CollectiveOperation } from '../../trace/trace.js';
import type { Activities } from '../../trace/trace-columns.js';
import { collectiveKind, collectiveType } from './device-kinds.js';
import type { ProcessGroups } from './process-groups.js';

/** An operation as the text describes it. */
interface MarkedOperation {
  /** Name of the call, such as `HcclBroadcast`. */
  readonly name: string;
  readonly communicator: string;
  readonly dataType: string;
  readonly count: string;
  /** The other rank of a message, in the numbering of its group. */
  readonly peer: string | null;
}

/** Strings such as `comm:HcclBroadcast,group,int64,5`. */
const LISTED = /^comm:(Hccl\w+),([^,]*),(\w+),(\d+)$/;

/** Calls whose count is not the number of elements sent, but counts ranks, or only the first of several messages. */
const COUNTS_OTHERS = /^Hccl(?:AlltoAllVC?|BatchSendRecv)$/i;

function read(text: string): MarkedOperation | null {
  const [, name, communicator = '', dataType = '', count = ''] = LISTED.exec(text) ?? [];
  if (name !== undefined) return { name, communicator, dataType, count, peer: null };
  if (!text.startsWith('{') || !text.endsWith('}') || !text.includes('opName')) return null;
  // Quotes are escaped as in a JSON string.
  const json = parseJson(Buffer.from(text.replaceAll('\\"', '"')));
  const field = (key: string): string | null => {
    const value = fieldOf(json, key);
    return typeof value === 'string' || typeof value === 'number' ? String(value) : null;
  };
  const call = field('opName');
  const group = field('groupName');
  if (call === null || group === null) return null;
  const peer = field('srcRank') ?? field('destRank');
  return { name: call, communicator: group, dataType: field('dataType') ?? '', count: field('count') ?? '', peer };
}

/** The library call that a string marks; null for another string. */
export const markedCall = (text: string): string | null => read(text)?.name ?? null;

/** The operation that a string marks; null for another string. */
export function markedOperation(text: string, groups: ProcessGroups): CollectiveOperation | null {
  const marked = read(text);
  if (marked === null) return null;
  const { name, communicator, peer } = marked;
  const type = collectiveType(marked.dataType.toUpperCase());
  const count = /^\d{1,15}$/.test(marked.count) && !COUNTS_OTHERS.test(name) ? Number(marked.count) : null;
  const group = groups.nameOf(communicator);
  const known = groups.find(group);
  const other = peer === null ? undefined : known?.ranks?.[Number(peer)];
  return {
    name,
    kind: collectiveKind(name),
    bytes: type === null || count === null ? null : count * type.bytes,
    dtype: type?.dtype ?? null,
    group,
    groupSize: known?.size ?? null,
    ranks: known?.ranks ?? null,
    ...(other === undefined ? undefined : { peer: other }),
    algorithm: null,
    link: null,
  };
}

/**
 * For each device, a sample over the whole time in which it may have worked: if operations are known only by their marks,
 * kernels are not recorded. Call this after clocks are aligned.
 */
export function* unrecordedWork({ start, end, device }: Activities, profile: number): Generator<SampleRecord> {
  const ends = new Map<number, number>();
  let first = Infinity;
  for (let row = 0; row < start.length; row++) {
    const last = ends.get(device.at(row)) ?? -Infinity;
    if (end.at(row) > last) ends.set(device.at(row), end.at(row));
    if (start.at(row) < first) first = start.at(row);
  }
  for (const [id, last] of ends) {
    const time = { type: 'sample', profile, start: first, dur: last - first, device: id } as const;
    yield { ...time, metric: MISSING_WORK_METRIC, value: null, unit: 'count' };
  }
}
