/**
 * The fields of each type of record: validation, tables and databases of records, and what a kernel's line may leave out
 * are made from this table. A field that holds an object of a fixed form has fields of its own; what varies from record to
 * record is JSON. The types of `record.ts` are checked against it, and so is docs/record.md.
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

/** Fields of one type, in order; a question mark stands behind the name of one that a record may lack. */
const of = (type: FieldType, ...names: readonly string[]): RecordField[] =>
  names.map((name) => ({ ...type, name: name.replace('?', ''), optional: name.endsWith('?'), implied: false }));

/** The same fields, which a line lacks where its format cannot have them. */
const implied = (...fields: readonly RecordField[]): RecordField[] =>
  fields.map((field) => ({ ...field, implied: true }));

const COLLECTIVE = [
  ...of(TEXT, 'op'),
  ...of(NUMBER_OR_NULL, 'bytesIn', 'bytesOut'),
  ...of(TEXT_OR_NULL, 'dtype', 'group'),
  ...of(NUMBER_OR_NULL, 'groupSize'),
  ...of(NUMBERS_OR_NULL, 'ranks'),
  ...of(NUMBER, 'ordinal?', 'peer?'),
];

const LAUNCH = [...of(TEXT_OR_NULL, 'api'), ...of(TIME, 'start', 'dur'), ...of(TEXT, 'domain?')];

const GRAPH_NODE = [
  ...of(NUMBER_OR_NULL, 'id', 'node'),
  ...of(TEXT, 'from?'),
  ...of(FLAG, 'verified?'),
  ...of(TEXT, 'capture?'),
];

/** What every activity on a device has, behind the fields of its own. */
const activity = (...ofTime: readonly RecordField[]): readonly RecordField[] => [
  ...of(TIME, 'start'),
  ...of(TIME_OR_NULL, 'dur'),
  ...ofTime,
  ...of(NUMBER, 'device'),
  ...of(NUMBER_OR_NULL, 'stream'),
  ...implied(...of(NUMBER_OR_NULL, 'pid', 'tid', 'corr'), ...of(objectWith(LAUNCH, null), 'launch')),
  ...of(NUMBER, 'othersWait?'),
  ...of(objectWith(GRAPH_NODE, undefined), 'graph?'),
  ...of(NUMBER_OR_NULL, 'step?'),
  ...of(PICOSECONDS, 'ps?'),
  ...of(TEXT, 'engine?'),
  ...of(COUNTERS, 'counters?'),
  ...of(LABELS, 'labels?'),
];
const ACTIVITY = activity();
/** The same of kernels, copies and memsets, which a stream does in order. */
const ORDERED_WORK = activity(...of(MARK, 'cut?'));

const FORWARD = [...of(TEXT, 'mod', 'op'), ...of(NUMBER_OR_NULL, 'tid'), ...of(TIME, 'start')];

/** The place of a launch in the program. */
const CONTEXT = [
  ...implied(
    ...of(DIRECTION, 'dir?'),
    ...of(TEXTS, 'layer?', 'trace?'),
    ...of(CALLS, 'calls?'),
    ...of(TEXTS, 'mod?', 'op?', 'repr?', 'seqMarker?'),
    ...of(NUMBERS, 'seq?', 'altSeq?'),
    ...of(COUNT, 'sub?'),
    ...of(TEXTS, 'ranges?'),
  ),
  ...of(TEXTS, 'callerRanges?'),
  ...of(PLACED_NUMBERS, 'callIds?', 'callKernels?'),
  // Null says that the profile lacks the forward op.
  ...of(objectWith(FORWARD, undefined, true), 'forward?'),
];

/** Types of records but those of partial answers, which have no columns. */
export type TabularType = Exclude<ProfileLine['type'], PartType>;

/** Whether a record has columns: a parser makes no others. */
export const isTabular = (record: ProfileLine): record is Extract<ProfileLine, { type: TabularType }> =>
  Object.hasOwn(RECORD_FIELDS, record.type);

/** The fields of each type of record but `type`, in the order of columns. */
export const RECORD_FIELDS: Readonly<Record<TabularType, readonly RecordField[]>> = {
  profile: [
    ...of(ORDINAL, 'profile'),
    ...of(NUMBER, 'v'),
    ...of(TEXT, 'format'),
    ...of(TEXT_OR_NULL, 'tool'),
    ...of(TEXT, 'file'),
    ...of(NUMBER_OR_NULL, 'rank'),
    ...of(UNIX_TIME, 'startUnixNs'),
    ...of(TIME_OR_NULL, 'dur'),
    ...of(NUMBER, 'worldSize?'),
    ...of(TEXT, 'host?'),
    ...of(GROUPS, 'groups?'),
    ...of(DEVICES, 'devices'),
    ...of(LABELS, 'facts?'),
  ],
  kernel: [
    ...of(ORDINAL, 'profile'),
    ...of(NUMBER, 'id'),
    ...of(TEXT, 'name', 'short'),
    ...ORDERED_WORK,
    ...implied(...of(EXTENT, 'grid', 'block')),
    ...of(NUMBER_OR_NULL, 'registers?', 'sharedBytes?'),
    ...CONTEXT,
    ...of(objectWith(COLLECTIVE, undefined), 'collective?'),
    ...of(TEXT, 'operands?'),
    ...of(DEPENDENCIES, 'after?'),
  ],
  copy: [
    ...of(ORDINAL, 'profile'),
    ...of(TEXT_OR_NULL, 'kind'),
    ...of(NUMBER_OR_NULL, 'bytes'),
    ...ORDERED_WORK,
    ...of(TEXT, 'hostMemory?'),
    ...of(NUMBER, 'queue?'),
    ...of(TEXT, 'queueType?'),
  ],
  set: [...of(ORDINAL, 'profile'), ...of(NUMBER_OR_NULL, 'bytes', 'value'), ...ORDERED_WORK],
  sync: [...of(ORDINAL, 'profile'), ...of(TEXT_OR_NULL, 'kind'), ...ACTIVITY],
  graph: [...of(ORDINAL, 'profile'), ...of(NUMBER_OR_NULL, 'graphId', 'execId'), ...ACTIVITY],
  collective: [
    ...of(ORDINAL, 'profile'),
    ...of(TEXT, 'name'),
    ...of(TEXT_OR_NULL, 'kind'),
    ...of(NUMBER_OR_NULL, 'bytes'),
    ...of(TEXT_OR_NULL, 'dtype', 'group'),
    ...of(NUMBER_OR_NULL, 'groupSize'),
    ...of(NUMBERS_OR_NULL, 'ranks'),
    ...of(NUMBER, 'ordinal?', 'peer?'),
    ...of(TEXT_OR_NULL, 'algorithm', 'link'),
    ...of(TRANSFERS, 'transfers?'),
    ...ACTIVITY,
    ...CONTEXT,
  ],
  range: [
    ...of(ORDINAL, 'profile'),
    ...of(TEXT, 'kind?'),
    ...of(TIME, 'start', 'dur', 'self?'),
    ...of(NUMBER_OR_NULL, 'pid', 'tid'),
    ...of(TEXT_OR_NULL, 'domain'),
    ...of(TEXT, 'text'),
    ...of(TEXTS, 'stack?'),
    ...of(NUMBER, 'launched?'),
    ...of(MARK, 'open?'),
  ],
  sample: [
    ...of(ORDINAL, 'profile'),
    ...of(TIME_OR_NULL, 'start', 'dur?'),
    ...of(NUMBER_OR_NULL, 'device'),
    ...of(TEXT, 'metric'),
    ...of(REAL_OR_NULL, 'value'),
    ...of(TEXT, 'text?'),
    ...of(TEXT_OR_NULL, 'unit'),
    ...of(LABELS, 'labels?'),
  ],
  tensor: [
    ...of(ORDINAL, 'profile'),
    ...of(TEXT, 'name'),
    ...of(TEXT_OR_NULL, 'role', 'dtype'),
    ...of(NUMBERS_OR_NULL, 'shape'),
    ...of(NUMBER_OR_NULL, 'bytes'),
  ],
  layer: [
    ...of(ORDINAL, 'profile'),
    ...of(TIME, 'start'),
    ...of(TIME_OR_NULL, 'dur'),
    ...of(NUMBER_OR_NULL, 'device'),
    ...of(TEXT, 'name'),
    ...of(COUNTERS, 'counters'),
  ],
  notice: [...of(ORDINAL, 'profile'), ...of(TEXT_OR_NULL, 'category'), ...of(TEXT, 'text')],
  end: [...of(ORDINAL, 'profile'), ...of(COUNTS, 'counts', 'diagnostics')],
};

/** What a kernel's line may lack: its context without a host launch and without enclosing ranges. */
const ABSENT = Object.freeze(
  Object.fromEntries(RECORD_FIELDS.kernel.filter((field) => field.implied).map(({ name, unknown }) => [name, unknown])),
) as Pick<KernelRecord, 'launch' | 'calls'>;

const isComplete = (line: KernelLine): line is KernelRecord => line.calls !== undefined && line.launch !== undefined;

/** The kernel with every field; the same object when none is absent. */
export const completeKernel = (line: KernelLine): KernelRecord =>
  isComplete(line) ? line : ({ ...ABSENT, ...line } as KernelRecord);
