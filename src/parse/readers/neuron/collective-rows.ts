/**
 * Rows of collective operations, of their streams, and of instructions of the collective cores (CC-cores), as the
 * vendor's tools write them. Fields have the same names in the tool's JSON and in Neuron Explorer's schema.
 *
 * Source: tables CcOp, CcStream and CcInstruction of AWS's profile schema reference (7.4.0 of SDK 2.31, 12.0.1 of SDK
 * 2.33); for the JSON, users' scripts that read the table `cc_ops` of neuron-explorer 2.32 (`timestamp`, `duration`,
 * `cc_trigger`). Not tested with real JSON that contains collectives.
 */
import type { CollectiveLine, Labels, SampleRecord } from '../../../record/record.js';
import { elementType } from '../../../record/element-types.js';
import { ccStreamName } from '../../../record/neuron/neuron-cores.js';
import { COLLECTIVE_COUNTERS, COLLECTIVE_LABELS } from '../../../record/neuron/tool-fields.js';
import { CC_INSTRUCTION_METRIC } from '../../../record/sample-metrics.js';
import { parseJson, shapeOf } from '../../json/json-value.js';
import {
  durationIn,
  nanoseconds,
  durationOf,
  type TableClock,
  type CollectiveStreams,
  type TableContext,
} from './tool-json/row-context.js';
import { numberOf, textOf, numbersOf, type ToolRow } from './tool-json/json-tables.js';

/**
 * CC-cores of each stream.
 * @param rows rows of the table of streams
 */
export function collectiveStreams(rows: readonly ToolRow[]): CollectiveStreams {
  const streams = new Map<number, readonly number[]>();
  for (const row of rows) {
    const id = numberOf(row['stream_id']);
    const cores = numbersIn(row['cc_core_ids']);
    if (id !== null && cores !== null)
      streams.set(
        id,
        cores.toSorted((a, b) => a - b),
      );
  }
  return streams;
}

/** Numbers in a cell such as `[8,9,10,11]`, a list or a string. */
const numbersIn = (cell: unknown): number[] | null => shapeOf(listIn(cell));

const listIn = (cell: unknown): unknown => (typeof cell === 'string' ? parseJson(Buffer.from(cell)) : cell);

/**
 * One operation. No table says on which physical core of a logical core it ran: `device` is the lowest one.
 * @param start time in the unit of the table
 * @returns null when the row does not name its operation
 */
export function collectiveOperation(row: ToolRow, start: number, context: TableContext): CollectiveLine | null {
  const name = textOf(row['operation']);
  if (name === null) return null;
  const stream = numberOf(row['stream_id']) ?? numberOf(row['stream_index']);
  const cores = stream === null ? undefined : context.streams.get(stream);
  return {
    type: 'collective',
    profile: context.profile,
    name,
    kind: name.charAt(0).toLowerCase() + name.slice(1),
    bytes: messageBytes(row),
    dtype: dtypeOf(row['dtype']),
    ...groupOf(row, context.rank),
    algorithm: textOf(row['algorithm']),
    link: null,
    start: nanoseconds(context.clock, start - context.clock.origin),
    dur: durationOf(row, start, context),
    device: context.cores.ofRow(row),
    stream: cores?.[0] ?? null,
    engine: ccStreamName(stream),
    counters: { ...numbersOf(row, COLLECTIVE_COUNTERS), ...triggerDelay(row, start, context.clock) },
    labels: labelsOf(row, cores),
  };
}

/**
 * Size of the input or output message, whichever is larger; the tool computes its bandwidth from it too. If the
 * operation gathers or scatters, this is the data of all ranks. Null unless both sizes are known.
 */
function messageBytes(row: ToolRow): number | null {
  const [bytesIn, bytesOut] = [numberOf(row['input_size']), numberOf(row['output_size'])];
  return bytesIn === null || bytesOut === null ? null : Math.max(bytesIn, bytesOut);
}

/** The framework's name of an element type; a type unknown to the framework keeps the tool's name. */
function dtypeOf(cell: unknown): string | null {
  const name = textOf(cell)?.toLowerCase() ?? null;
  return name === null ? null : (elementType(name)?.dtype ?? name);
}

type StatedGroup = Pick<CollectiveLine, 'group' | 'groupSize' | 'ranks'>;

/**
 * The participating ranks. `[[0, 1], [2, 3]]` lists several groups that run the operation in parallel. The group of a
 * capture is the one that contains its rank.
 */
function groupOf(row: ToolRow, rank: number | null): StatedGroup {
  const cell = row['replica_group'];
  const lists = groupsIn(cell);
  const [first] = lists;
  const mine = rank === null ? (lists.length === 1 ? first : undefined) : lists.find((ranks) => ranks.includes(rank));
  if (mine !== undefined) return { group: mine.join(','), groupSize: mine.length, ranks: mine };
  const isEven = first !== undefined && lists.every(({ length }) => length === first.length);
  const stated = typeof cell === 'string' ? textOf(cell) : null;
  return { group: stated ?? textOf(row['replica_group_id']), groupSize: isEven ? first.length : null, ranks: null };
}

/** Groups listed in a cell; empty when it lists none. */
function groupsIn(cell: unknown): readonly (readonly number[])[] {
  const lists = listIn(cell);
  if (!Array.isArray(lists)) return [];
  const groups = (lists as readonly unknown[]).map(shapeOf);
  if (groups.every((ranks) => ranks !== null && ranks.length > 0)) return groups as number[][];
  const flat = shapeOf(lists);
  return flat === null || flat.length === 0 ? [] : [flat];
}

/** Time from the trigger of the operation to its start. */
function triggerDelay(row: ToolRow, start: number, clock: TableClock): { readonly triggerDelayNs?: number } {
  const trigger = numberOf(row['trigger_start_ts']) ?? numberOf(row['cc_trigger']);
  const delay = numberOf(row['cc_trigger_start_delay']) ?? (trigger === null ? null : start - trigger);
  const ns = delay === null ? null : durationIn(clock, delay);
  return ns === null ? {} : { triggerDelayNs: ns };
}

function labelsOf(row: ToolRow, cores: readonly number[] | undefined): Labels {
  const labels: Record<string, string | number> = {};
  for (const [key, name] of COLLECTIVE_LABELS) {
    const value = numberOf(row[key]) ?? textOf(row[key]);
    if (value !== null) labels[name] = value;
  }
  return cores === undefined ? labels : { ...labels, ccCores: cores.join(',') };
}

/**
 * An instruction of a CC-core as a sample with the same duration, because it computes nothing and is part of an
 * operation.
 * @param start time in the unit of the table
 */
export function collectiveInstruction(row: ToolRow, start: number, context: TableContext): SampleRecord {
  const [core, name] = [numberOf(row['core_idx']), textOf(row['description'])];
  const trigger = textOf(row['trigger_engine']);
  return {
    type: 'sample',
    profile: context.profile,
    start: nanoseconds(context.clock, start - context.clock.origin),
    dur: durationOf(row, start, context),
    device: context.cores.ofRow(row),
    metric: CC_INSTRUCTION_METRIC,
    value: 1,
    unit: 'count',
    labels: {
      ...(core === null ? undefined : { core }),
      ...(name === null ? undefined : { name }),
      ...(trigger === null ? undefined : { triggerEngine: trigger }),
    },
  };
}
