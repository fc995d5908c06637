/**
 * Operations between ranks that the framework marked for `msprof_tx`: texts of ranges around the calls of the library. At
 * level none they are all that a profile has of communication.
 * Source: the user guide of the Ascend PyTorch Profiler for the texts with `comm:`, and that of torch_npu for JSON.
 */
import { MISSING_WORK_METRIC } from '../../../record/sample-metrics.js';
import type { SampleRecord } from '../../../record/record.js';
import { fieldOf, parseJson } from '../../json/json-value.js';
import type { CollectiveOperation } from '../../trace/trace.js';
import type { Activities } from '../../trace/trace-columns.js';
import { collectiveKind, collectiveType } from './device-kinds.js';
import type { ProcessGroups } from './process-groups.js';

/** What a text says of an operation, as it says it. */
interface MarkedOperation {
  /** The call: `HcclBroadcast`. */
  readonly name: string;
  readonly communicator: string;
  readonly dataType: string;
  readonly count: string;
  /** The other rank of a message, numbered as in its group. */
  readonly peer: string | null;
}

/** `comm:HcclBroadcast,group,int64,5`. */
const LISTED = /^comm:(Hccl\w+),([^,]*),(\w+),(\d+)$/;

/** Calls whose count is not the number of elements sent: it counts ranks, or the first of several messages. */
const COUNTS_OTHERS = /^Hccl(?:AlltoAllVC?|BatchSendRecv)$/i;

function read(text: string): MarkedOperation | null {
  const [, name, communicator = '', dataType = '', count = ''] = LISTED.exec(text) ?? [];
  if (name !== undefined) return { name, communicator, dataType, count, peer: null };
  if (!text.startsWith('{') || !text.endsWith('}') || !text.includes('opName')) return null;
  // Quotes are escaped as for a string of JSON.
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

/** The call of the library that a text marks; null for another text. */
export const markedCall = (text: string): string | null => read(text)?.name ?? null;

/** The operation that a text marks; null for another text. */
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
 * The time of each device, as one in which it may have worked: where operations are known by their marks alone, kernels are
 * not recorded. To be called when clocks are aligned.
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
