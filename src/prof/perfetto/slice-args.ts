/** Arguments of slices, which viewers list when a slice is selected. Unknown values are left out. */
import type { ProfileRecord } from '../../record/record.js';
import { namedLane } from '../../record/fields/named-lane.js';
import type { Annotated } from '../annotate.js';
import { shownValue, type ColumnShape, type CellValue } from '../../table/column.js';
import { columnOf } from '../columns/columns.js';
import type { TraceArg } from './trace-element.js';
import type { DeviceActivity } from '../input/device-activity.js';

/** Records may have been edited, so a value of the wrong type is unknown. */
export type NonKernelActivity = Exclude<DeviceActivity, { readonly type: 'kernel' }>;

/** Whole ns; null for anything else, as in a net.dict, which has no times. */
export function timeOf(time: unknown): number | null {
  if (typeof time !== 'number') return null;
  const whole = Math.round(time);
  return Number.isSafeInteger(whole) ? whole : null;
}

export const nameOf = (name: unknown): string => (typeof name === 'string' ? name : 'na');

/** `copy HtoD`, `sync stream`, the name of a collective operation. */
export function titleOf(record: NonKernelActivity): string {
  if (record.type === 'collective') return nameOf(record.name);
  if (record.type === 'graph') return 'graph launch';
  const kind: unknown = record.type === 'set' ? null : record.kind;
  return typeof kind === 'string' ? `${record.type} ${kind}` : record.type;
}

/** Columns of `dprof` that become arguments of a kernel's slice. */
const KERNEL_COLUMNS = [
  ...[
    'mod',
    'op',
    'params',
    'layer',
    'ranges',
    'ownranges',
    'dir',
    'fwd',
    'role',
    'step',
    'dtype',
    'tc',
    'tcwhy',
    'flops',
    'bytes',
  ],
  ...['tflops', 'gbps', 'bound', 'grid', 'block', 'queue', 'corr', 'seq', 'trace', 'collective', 'group', 'ranks'],
  ...['algbytes', 'busbytes', 'engine', 'operands'],
].flatMap((key) => columnOf(key) ?? []);

/** Fields about place, time and name, which the slice itself shows. */
const SHOWN_BY_SLICE = new Set([
  ...['type', 'v', 'profile', 'start', 'dur', 'device', 'pid', 'tid', 'launch', 'name', 'text', 'metric'],
  // Fields of a collective that only repeat its name in the form of markers.
  ...['calls', 'callIds', 'callKernels', 'repr', 'seqMarker', 'altSeq', 'sub', 'forward'],
]);

/** Value of the matrix unit columns for kernels without a matrix product. */
const NOT_APPLICABLE = '-';

/** Other fields of kernels, which a reader of the trace needs. */
const KERNEL_FIELDS = [
  'ps',
  'registers',
  'sharedBytes',
  'accumRegisters',
  'scalarRegisters',
  'callIds',
  'callKernels',
] as const;

export function kernelArgs(row: Annotated): TraceArg[] {
  const args: TraceArg[] = [];
  for (const column of KERNEL_COLUMNS) {
    // Without calls from another thread, there are only the ranges of the launching thread.
    if (column.key === 'ownranges' && row.record.callerRanges === undefined) continue;
    const value = argumentOf(column, shownValue(column, row));
    if (value !== null) args.push([column.key, value]);
  }
  const { name, short, graph, counters, labels, collective, calls } = row.record;
  if (name !== short) args.push(['name', name]);
  addProcess(args, row.record);
  addField(args, 'graph', graph);
  addField(args, 'collective', collective);
  addField(args, 'counters', counters);
  addField(args, 'labels', labels);
  for (const field of KERNEL_FIELDS) addField(args, field, row.record[field]);
  addJson(args, 'calls', calls);
  // The name of its track is not that of a stream.
  if (namedLane(row.record) !== null) addField(args, 'stream', row.record.stream);
  return args;
}

/** A column's value: numbers unchanged, lists as text; null when it is unknown, empty, or not applicable. */
function argumentOf({ separator = ',' }: ColumnShape, value: CellValue): number | string | null {
  if (value === null || value === '' || value === NOT_APPLICABLE) return null;
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  const [first] = value;
  if (first === undefined) return null;
  return value.length === 1 && typeof first === 'string' ? first : value.join(separator);
}

/** What the line of a profile states: its devices and groups are JSON. */
export function profileArgs(record: ProfileRecord): TraceArg[] {
  const args = fieldArgs(record);
  addJson(args, 'devices', record.devices);
  addJson(args, 'groups', record.groups ?? []);
  return args;
}

/** Adds a list of objects as JSON; none when it is empty. */
function addJson(args: TraceArg[], name: string, list: readonly object[]): void {
  if (list.length > 0) args.push([name, JSON.stringify(list)]);
}

/** The other fields of a record, by their names. */
export function fieldArgs(record: object): TraceArg[] {
  const args: TraceArg[] = [];
  for (const name of Object.keys(record))
    if (!SHOWN_BY_SLICE.has(name)) addField(args, name, record[name as keyof typeof record]);
  addProcess(args, record);
  return args;
}

/** Process and thread of work without a launch, which no arrow leads to. */
function addProcess(args: TraceArg[], record: object): void {
  if (!('launch' in record) || record.launch !== null) return;
  for (const name of ['pid', 'tid'] as const) if (name in record) add(args, name, (record as Launcher)[name]);
}

interface Launcher {
  readonly pid?: unknown;
  readonly tid?: unknown;
}

/** Adds a field; the fields of an object are added as `name.field`, without deeper ones. */
function addField(args: TraceArg[], name: string, value: unknown): void {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    const parts = value as Readonly<Record<string, unknown>>;
    for (const part of Object.keys(parts)) add(args, `${name}.${part}`, parts[part]);
  } else add(args, name, value);
}

function add(args: TraceArg[], name: string, value: unknown): void {
  const known = fieldValue(value);
  if (known !== null) args.push([name, known]);
}

function fieldValue(value: unknown): number | string | null {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value === 'string') return value === '' ? null : value;
  if (typeof value === 'boolean') return String(value);
  if (!Array.isArray(value)) return null;
  const items = value.filter((item) => typeof item === 'string' || typeof item === 'number');
  return items.length === 0 ? null : items.join(',');
}
