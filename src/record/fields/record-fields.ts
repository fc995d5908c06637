/**
 * The fields of each record type. Validation, tables and databases of records, and the fields that a kernel's line may omit
 * are all derived from this table. A field that holds an object of fixed form has subfields; objects that vary from record
 * to record are JSON. The types of `record.ts` and docs/record.md are checked against it.
 */
import type { PartType } from '../partial.js';
import type { KernelLine, KernelRecord, ProfileLine } from '../record.js';
import {
  CALLS,
  COUNT,
  COUNTERS,
  COUNTS,
  DEPENDENCIES,
  DEVICES,
  DIRECTION,
  EXTENT,
  FLAG,
  GROUPS,
  LABELS,
  MARK,
  NUMBER,
  NUMBERS,
  NUMBERS_OR_NULL,
  NUMBER_OR_NULL,
  objectWith,
  ORDINAL,
  PICOSECONDS,
  PLACED_NUMBERS,
  REAL_OR_NULL,
  TEXT,
  TEXT_OR_NULL,
  TEXTS,
  TIME,
  TIME_OR_NULL,
  TRANSFERS,
  UNIX_TIME,
  type FieldType,
  type RecordField,
} from './field-types.js';

/** Fields of one type, in order; a question mark after a name means that a record may omit the field. */
const fieldsOf = (type: FieldType, ...names: readonly string[]): RecordField[] =>
  names.map((name) => ({ ...type, name: name.replace('?', ''), optional: name.endsWith('?'), implied: false }));

/** Fields that a line omits if its format cannot have them. */
const implied = (...fields: readonly RecordField[]): RecordField[] =>
  fields.map((field) => ({ ...field, implied: true }));

const COLLECTIVE = [
  ...fieldsOf(TEXT, 'op'),
  ...fieldsOf(NUMBER_OR_NULL, 'bytesIn', 'bytesOut'),
  ...fieldsOf(TEXT_OR_NULL, 'dtype', 'group'),
  ...fieldsOf(NUMBER_OR_NULL, 'groupSize'),
  ...fieldsOf(NUMBERS_OR_NULL, 'ranks'),
  ...fieldsOf(NUMBER, 'ordinal?', 'peer?'),
  ...fieldsOf(NUMBERS, 'splitsIn?', 'splitsOut?'),
];

const LAUNCH = [...fieldsOf(TEXT_OR_NULL, 'api'), ...fieldsOf(TIME, 'start', 'dur'), ...fieldsOf(TEXT, 'domain?')];

const GRAPH_NODE = [
  ...fieldsOf(NUMBER_OR_NULL, 'id', 'node'),
  ...fieldsOf(TEXT, 'from?'),
  ...fieldsOf(FLAG, 'verified?'),
  ...fieldsOf(TEXT, 'capture?'),
];

const EVENT = [...fieldsOf(NUMBER, 'stream'), ...fieldsOf(TIME, 'recorded')];

/** The fields that every device activity has after its specific ones. */
const activity = (...ofTime: readonly RecordField[]): readonly RecordField[] => [
  ...fieldsOf(TIME, 'start'),
  ...fieldsOf(TIME_OR_NULL, 'dur'),
  ...ofTime,
  ...fieldsOf(NUMBER, 'device'),
  ...fieldsOf(NUMBER_OR_NULL, 'stream'),
  ...implied(...fieldsOf(NUMBER_OR_NULL, 'pid', 'tid', 'corr'), ...fieldsOf(objectWith(LAUNCH, null), 'launch')),
  ...fieldsOf(NUMBER, 'othersWait?'),
  ...fieldsOf(objectWith(GRAPH_NODE, undefined), 'graph?'),
  ...fieldsOf(NUMBER_OR_NULL, 'step?'),
  ...fieldsOf(PICOSECONDS, 'ps?'),
  ...fieldsOf(TEXT, 'engine?'),
  ...fieldsOf(COUNTERS, 'counters?'),
  ...fieldsOf(LABELS, 'labels?'),
];
const ACTIVITY = activity();
/** Fields of kernels, copies and memsets, which a stream runs in order. */
const ORDERED_WORK = activity(...fieldsOf(MARK, 'cut?'));

const FORWARD = [...fieldsOf(TEXT, 'mod', 'op'), ...fieldsOf(NUMBER_OR_NULL, 'tid'), ...fieldsOf(TIME, 'start')];

/** The place in the program where a launch happened. */
const CONTEXT = [
  ...implied(
    ...fieldsOf(DIRECTION, 'dir?'),
    ...fieldsOf(TEXTS, 'layer?', 'trace?'),
    ...fieldsOf(CALLS, 'calls?'),
    ...fieldsOf(TEXTS, 'mod?', 'op?', 'repr?', 'seqMarker?'),
    ...fieldsOf(NUMBERS, 'seq?', 'altSeq?'),
    ...fieldsOf(COUNT, 'sub?'),
    ...fieldsOf(TEXTS, 'ranges?'),
  ),
  ...fieldsOf(TEXTS, 'callerRanges?'),
  ...fieldsOf(PLACED_NUMBERS, 'callIds?', 'callKernels?'),
  // Null means that the profile lacks the forward op.
  ...fieldsOf(objectWith(FORWARD, undefined, true), 'forward?'),
];

/** Record types without those of partial answers, which have no columns. */
export type TabularType = Exclude<ProfileLine['type'], PartType>;

/** Whether a record has columns; a parser creates only such records. */
export const isTabular = (record: ProfileLine): record is Extract<ProfileLine, { type: TabularType }> =>
  Object.hasOwn(RECORD_FIELDS, record.type);

/** The fields of each record type, except `type`, in column order. */
export const RECORD_FIELDS: Readonly<Record<TabularType, readonly RecordField[]>> = {
  profile: [
    ...fieldsOf(ORDINAL, 'profile'),
    ...fieldsOf(NUMBER, 'v'),
    ...fieldsOf(TEXT, 'format'),
    ...fieldsOf(TEXT_OR_NULL, 'tool'),
    ...fieldsOf(TEXT, 'file'),
    ...fieldsOf(NUMBER_OR_NULL, 'rank'),
    ...fieldsOf(UNIX_TIME, 'startUnixNs'),
    ...fieldsOf(TIME_OR_NULL, 'dur'),
    ...fieldsOf(NUMBER, 'worldSize?'),
    ...fieldsOf(TEXT, 'host?'),
    ...fieldsOf(GROUPS, 'groups?'),
    ...fieldsOf(DEVICES, 'devices'),
    ...fieldsOf(LABELS, 'facts?'),
  ],
  kernel: [
    ...fieldsOf(ORDINAL, 'profile'),
    ...fieldsOf(NUMBER, 'id'),
    ...fieldsOf(TEXT, 'name', 'short'),
    ...ORDERED_WORK,
    ...implied(...fieldsOf(EXTENT, 'grid', 'block')),
    ...fieldsOf(NUMBER_OR_NULL, 'registers?', 'sharedBytes?', 'accumRegisters?', 'scalarRegisters?'),
    ...CONTEXT,
    ...fieldsOf(objectWith(COLLECTIVE, undefined), 'collective?'),
    ...fieldsOf(TEXT, 'operands?'),
    ...fieldsOf(DEPENDENCIES, 'after?'),
  ],
  copy: [
    ...fieldsOf(ORDINAL, 'profile'),
    ...fieldsOf(TEXT_OR_NULL, 'kind'),
    ...fieldsOf(NUMBER_OR_NULL, 'bytes'),
    ...ORDERED_WORK,
    ...fieldsOf(TEXT, 'hostMemory?'),
    ...fieldsOf(NUMBER, 'queue?'),
    ...fieldsOf(TEXT, 'queueType?'),
  ],
  set: [...fieldsOf(ORDINAL, 'profile'), ...fieldsOf(NUMBER_OR_NULL, 'bytes', 'value'), ...ORDERED_WORK],
  sync: [
    ...fieldsOf(ORDINAL, 'profile'),
    ...fieldsOf(TEXT_OR_NULL, 'kind'),
    ...ACTIVITY,
    ...fieldsOf(objectWith(EVENT, undefined), 'event?'),
  ],
  graph: [...fieldsOf(ORDINAL, 'profile'), ...fieldsOf(NUMBER_OR_NULL, 'graphId', 'execId'), ...ACTIVITY],
  collective: [
    ...fieldsOf(ORDINAL, 'profile'),
    ...fieldsOf(TEXT, 'name'),
    ...fieldsOf(TEXT_OR_NULL, 'kind'),
    ...fieldsOf(NUMBER_OR_NULL, 'bytes'),
    ...fieldsOf(TEXT_OR_NULL, 'dtype', 'group'),
    ...fieldsOf(NUMBER_OR_NULL, 'groupSize'),
    ...fieldsOf(NUMBERS_OR_NULL, 'ranks'),
    ...fieldsOf(NUMBER, 'ordinal?', 'peer?'),
    ...fieldsOf(TEXT_OR_NULL, 'algorithm', 'link'),
    ...fieldsOf(TRANSFERS, 'transfers?'),
    ...ACTIVITY,
    ...CONTEXT,
  ],
  range: [
    ...fieldsOf(ORDINAL, 'profile'),
    ...fieldsOf(TEXT, 'kind?'),
    ...fieldsOf(TIME, 'start', 'dur', 'self?'),
    ...fieldsOf(NUMBER_OR_NULL, 'pid', 'tid'),
    ...fieldsOf(TEXT_OR_NULL, 'domain'),
    ...fieldsOf(TEXT, 'text'),
    ...fieldsOf(TEXTS, 'stack?'),
    ...fieldsOf(NUMBER, 'launched?'),
    ...fieldsOf(MARK, 'open?'),
  ],
  sample: [
    ...fieldsOf(ORDINAL, 'profile'),
    ...fieldsOf(TIME_OR_NULL, 'start', 'dur?'),
    ...fieldsOf(NUMBER_OR_NULL, 'device'),
    ...fieldsOf(TEXT, 'metric'),
    ...fieldsOf(REAL_OR_NULL, 'value'),
    ...fieldsOf(TEXT, 'text?'),
    ...fieldsOf(TEXT_OR_NULL, 'unit'),
    ...fieldsOf(LABELS, 'labels?'),
  ],
  tensor: [
    ...fieldsOf(ORDINAL, 'profile'),
    ...fieldsOf(TEXT, 'name'),
    ...fieldsOf(TEXT_OR_NULL, 'role', 'dtype'),
    ...fieldsOf(NUMBERS_OR_NULL, 'shape'),
    ...fieldsOf(NUMBER_OR_NULL, 'bytes'),
  ],
  layer: [
    ...fieldsOf(ORDINAL, 'profile'),
    ...fieldsOf(TIME, 'start'),
    ...fieldsOf(TIME_OR_NULL, 'dur'),
    ...fieldsOf(NUMBER_OR_NULL, 'device'),
    ...fieldsOf(TEXT, 'name'),
    ...fieldsOf(COUNTERS, 'counters'),
  ],
  notice: [...fieldsOf(ORDINAL, 'profile'), ...fieldsOf(TEXT_OR_NULL, 'category'), ...fieldsOf(TEXT, 'text')],
  end: [...fieldsOf(ORDINAL, 'profile'), ...fieldsOf(COUNTS, 'counts', 'diagnostics')],
};

/** Fields that a kernel's line may omit: its context, without a host launch or without enclosing ranges. */
const ABSENT = Object.freeze(
  Object.fromEntries(RECORD_FIELDS.kernel.filter((field) => field.implied).map(({ name, unknown }) => [name, unknown])),
) as Pick<KernelRecord, 'launch' | 'calls'>;

const isComplete = (line: KernelLine): line is KernelRecord => line.calls !== undefined && line.launch !== undefined;

/** The kernel with all fields; the same object when none is absent. */
export const completeKernel = (line: KernelLine): KernelRecord =>
  isComplete(line) ? line : ({ ...ABSENT, ...line } as KernelRecord);
