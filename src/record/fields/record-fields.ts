/**
 * The fields of each type of record, with the types of their values: what tables and databases of records are made from.
 * A field that holds an object of a fixed form has fields of its own; what varies from record to record is JSON.
 */
import type { PartType } from '../partial.js';
import type { ProfileLine } from '../record.js';

/** The type of a value. `digits` is a whole number that exceeds 2^53, which a record writes as decimal text. */
export type FieldKind = 'int' | 'real' | 'text' | 'flag' | 'digits' | 'ints' | 'texts' | 'json';

export interface RecordField {
  readonly name: string;
  /** Its type, or the fields of the object that it holds. */
  readonly kind: FieldKind | readonly RecordField[];
  /** Whether a line may lack it; all others are null where they are unknown. */
  readonly optional: boolean;
}

/** Fields of one kind, in order; a question mark stands behind the name of one that a line may lack. */
const ofKind =
  (kind: RecordField['kind']) =>
  (...names: readonly string[]): RecordField[] =>
    names.map((name) => ({ name: name.replace('?', ''), kind, optional: name.endsWith('?') }));

const int = ofKind('int');
const real = ofKind('real');
const text = ofKind('text');
const flag = ofKind('flag');
const ints = ofKind('ints');
const texts = ofKind('texts');
const json = ofKind('json');
const object = (name: string, ...fields: readonly RecordField[]): RecordField[] => ofKind(fields)(name);

const COLLECTIVE = [
  ...text('op'),
  ...int('bytesIn', 'bytesOut'),
  ...text('dtype', 'group'),
  ...int('groupSize'),
  ...ints('ranks'),
  ...int('ordinal?', 'peer?'),
];

/** What every activity on a device has, behind the fields of its own. */
const activity = (...ofTime: readonly RecordField[]): readonly RecordField[] => [
  ...int('start', 'dur'),
  ...ofTime,
  ...int('device', 'stream', 'pid', 'tid', 'corr'),
  ...object('launch', ...text('api'), ...int('start', 'dur'), ...text('domain?')),
  ...int('othersWait?'),
  ...object('graph?', ...int('id', 'node'), ...text('from?'), ...flag('verified?'), ...text('capture?')),
  ...int('step?'),
  ...ints('ps?'),
  ...text('engine?'),
  ...json('counters?', 'labels?'),
];
const ACTIVITY = activity();
/** The same of kernels, copies and memsets, which a stream does in order. */
const ORDERED_WORK = activity(...flag('cut?'));

/** The place of a launch in the program. */
const CONTEXT = [
  ...text('dir?'),
  ...texts('layer?', 'trace?'),
  ...json('calls?'),
  ...texts('mod?', 'op?', 'repr?', 'seqMarker?'),
  ...ints('seq?', 'altSeq?'),
  ...int('sub?'),
  ...texts('ranges?', 'callerRanges?'),
  ...ints('callIds?', 'callKernels?'),
  ...object('forward?', ...text('mod', 'op'), ...int('tid', 'start')),
];

/** Types of records but those of partial answers, which have no columns. */
export type TabularType = Exclude<ProfileLine['type'], PartType>;

/** Whether a record has columns: a parser makes no others. */
export const isTabular = (record: ProfileLine): record is Extract<ProfileLine, { type: TabularType }> =>
  Object.hasOwn(RECORD_FIELDS, record.type);

/** The fields of each type of record but `type`, in the order of columns. */
export const RECORD_FIELDS: Readonly<Record<TabularType, readonly RecordField[]>> = {
  profile: [
    ...int('profile', 'v'),
    ...text('format', 'tool', 'file'),
    ...int('rank'),
    ...ofKind('digits')('startUnixNs'),
    ...int('dur'),
    ...int('worldSize?'),
    ...text('host?'),
    ...json('groups?', 'devices', 'facts?'),
  ],
  kernel: [
    ...int('profile', 'id'),
    ...text('name', 'short'),
    ...ORDERED_WORK,
    ...ints('grid', 'block'),
    ...int('registers?', 'sharedBytes?'),
    ...CONTEXT,
    ...object('collective?', ...COLLECTIVE),
    ...text('operands?'),
    ...json('after?'),
  ],
  copy: [
    ...int('profile'),
    ...text('kind'),
    ...int('bytes'),
    ...ORDERED_WORK,
    ...text('hostMemory?'),
    ...int('queue?'),
    ...text('queueType?'),
  ],
  set: [...int('profile', 'bytes', 'value'), ...ORDERED_WORK],
  sync: [...int('profile'), ...text('kind'), ...ACTIVITY],
  graph: [...int('profile', 'graphId', 'execId'), ...ACTIVITY],
  collective: [
    ...int('profile'),
    ...text('name', 'kind'),
    ...int('bytes'),
    ...text('dtype', 'group'),
    ...int('groupSize'),
    ...ints('ranks'),
    ...int('ordinal?', 'peer?'),
    ...text('algorithm', 'link'),
    ...json('transfers?'),
    ...ACTIVITY,
    ...CONTEXT,
  ],
  range: [
    ...int('profile'),
    ...text('kind?'),
    ...int('start', 'dur', 'self?', 'pid', 'tid'),
    ...text('domain', 'text'),
    ...texts('stack?'),
    ...int('launched?'),
    ...flag('open?'),
  ],
  sample: [
    ...int('profile', 'start', 'dur?', 'device'),
    ...text('metric'),
    ...real('value'),
    ...text('text?', 'unit'),
    ...json('labels?'),
  ],
  tensor: [...int('profile'), ...text('name', 'role', 'dtype'), ...ints('shape'), ...int('bytes')],
  layer: [...int('profile', 'start', 'dur', 'device'), ...text('name'), ...json('counters')],
  notice: [...int('profile'), ...text('category', 'text')],
  end: [...int('profile'), ...json('counts', 'diagnostics')],
};
