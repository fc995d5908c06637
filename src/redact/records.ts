/**
 * Redacts records field by field. A field is copied only by a rule of this table; other fields and values of the wrong type are
 * left out and counted.
 */
import { DIAGNOSTICS } from '../record/diagnostics.js';
import { UserError } from '../record/errors.js';
import { isObject, type RecordFields } from '../record/fields/field-types.js';
import { isTabular, RECORD_FIELDS, type TabularType } from '../record/fields/record-fields.js';
import type { OpCall, ProfileLine } from '../record/record.js';
import { READERS } from '../parse/registry.js';
import { MODULE } from '../parse/torch/event-names.js';
import { redactCall } from './ranges.js';
import type { TextKind, TextRules } from './texts.js';
import { isToolText } from './words.js';

/** Returns the value to write; undefined to leave the field out. */
type Rule = (value: unknown, rules: TextRules, record: RecordFields) => unknown;

const isPlain = (value: unknown): boolean => typeof value === 'number' || typeof value === 'boolean' || value === null;

/** Numbers, booleans, null, and lists of these. */
const plain: Rule = (value) =>
  isPlain(value) ? value : Array.isArray(value) && value.every(isPlain) ? value : undefined;
const digits: Rule = (value) =>
  value === null || (typeof value === 'string' && /^\d{1,19}$/.test(value)) ? value : undefined;

const text =
  (kind: TextKind): Rule =>
  (value, rules) =>
    value === null ? null : typeof value === 'string' ? rules.redact(kind, value) : undefined;

/** One of some words; any other text is left out. */
const oneOf = (...words: readonly string[]): Rule => {
  const known = new Set(words);
  return (value) => (value === null || (typeof value === 'string' && known.has(value)) ? value : undefined);
};

const list =
  (rule: Rule): Rule =>
  (value, rules, record) =>
    value === null
      ? null
      : Array.isArray(value)
        ? value.map((item) => rule(item, rules, record)).filter((item) => item !== undefined)
        : undefined;

const object =
  (fields: Readonly<Record<string, Rule>>): Rule =>
  (value, rules, record) =>
    value === null ? null : isObject(value) ? redactFields(value, fields, rules, record) : undefined;

const texts = (kind: TextKind): Rule => list(text(kind));

function redactFields(
  from: RecordFields,
  fields: Readonly<Record<string, Rule>>,
  rules: TextRules,
  record: RecordFields,
): Record<string, unknown> {
  const into: Record<string, unknown> = {};
  for (const name of Object.keys(from)) {
    const rule = Object.hasOwn(fields, name) ? fields[name] : undefined;
    const value = rule?.(from[name], rules, record);
    if (value === undefined) rules.drop('fields of records');
    else into[name] = value;
  }
  return into;
}

/** An object whose keys are names of tools: metrics or options. */
const named =
  (rule: (key: string) => Rule): Rule =>
  (value, rules, record) => {
    if (!isObject(value)) return undefined;
    const into: Record<string, unknown> = {};
    for (const [key, item] of Object.entries(value)) {
      const written = rule(key)(item, rules, record);
      if (written === undefined) rules.drop('labels and facts of records');
      else into[rules.redact('metric', key)] = written;
    }
    return into;
  };

const counters = named(() => plain);

/** Kinds of labels whose texts are not words of tools. */
const LABEL_KINDS: Readonly<Record<string, TextKind>> = {
  ...{ kernel_file: 'path', kernel_hash: 'id', hlo: 'instruction', module: 'layer', text: 'range' },
  ...{ api: 'api', kernelName: 'kernel', compilerOperands: 'operands', source: 'tensor', dest: 'tensor' },
  ...{ variable: 'tensor', id: 'id', transfer: 'id', birId: 'id', birName: 'id', penguinId: 'id' },
  ...{
    uuid: 'id',
    node: 'id',
    tag: 'id',
    queue: 'text',
    opType: 'instruction',
    inputShapes: 'value',
    outputShapes: 'value',
  },
  ...{ inputTypes: 'type', outputTypes: 'type', hash: 'id', name: 'range' },
};
/** Lists of shapes and lists of types, one per operand. */
const SHAPES = /^["\d,;: ]{0,2000}$/;
const TYPES = /^(?:(?:DT_)?[A-Z]{1,10}\d{0,3}(?:_[A-Z\d]{1,6}){0,2}(?::\d)?;?){0,200}$/;
const ADDRESS_NAMES: ReadonlySet<string> = new Set(['SB', 'HBM', 'DRAM', 'PSUM', 'VIRTUAL', 'WEIGHT', 'HOST', 'DDR']);

const label = (key: string): Rule => {
  const kind = Object.hasOwn(LABEL_KINDS, key) ? LABEL_KINDS[key] : undefined;
  return (value, rules) => {
    if (typeof value === 'number') return value;
    if (typeof value !== 'string') return undefined;
    if (/Shapes$/.test(key) && SHAPES.test(value)) return value;
    if (/(?:Types|Formats)$/.test(key) && TYPES.test(value)) return value;
    if (ADDRESS_NAMES.has(value)) return value;
    if (key === 'name' && isToolText(value)) return rules.redact('text', value);
    if (key === 'op') return rules.redact(isFrame(value) ? 'frame' : 'range', value);
    return rules.redact(kind ?? 'text', value);
  };
};

/** Whether the innermost range of an allocation is a frame or a module. */
const isFrame = (value: string): boolean => /^<|^nn\.Module: |\(\d{1,9}\): /.test(value);

/** Kinds of facts whose texts are not words of tools. */
const FACT_KINDS: Readonly<Record<string, TextKind>> = {
  ...{ capture: 'file', model: 'file', hash: 'id', uuid: 'id', not_read: 'text' },
};
const INSTANCE = /^[a-z]{1,5}\d\w{0,3}\.\w{1,12}$/;

const fact = (key: string): Rule => {
  const kind = Object.hasOwn(FACT_KINDS, key) ? FACT_KINDS[key] : /version$/i.test(key) ? 'version' : undefined;
  return (value, rules) => {
    if (typeof value === 'number') return value;
    if (typeof value !== 'string') return undefined;
    if (key === 'not_read') return unreadKinds(value, rules);
    if (key === 'instanceType' && INSTANCE.test(value)) return value;
    return rules.redact(kind ?? 'text', value);
  };
};

const TABLE = /^[A-Z][A-Z0-9]{0,20}(?:_[A-Z0-9]{1,20}){1,6}$/;

/** `OSRT_API: 1101, marks of NVTX_EVENTS: 2`: names of the profiler's tables stay, other names are replaced. */
function unreadKinds(value: string, rules: TextRules): string {
  const kinds = value.split(/, (?=[^,]*: \d+(?:,|$))/);
  return kinds
    .map((kind) => {
      const [, name = kind, count = ''] = /^(.*)(: \d{1,12})$/s.exec(kind) ?? [];
      const plainName = name.replace(/^marks of /, '');
      return (TABLE.test(plainName) ? name : rules.redact('category', name)) + count;
    })
    .join(', ');
}

const COLLECTIVE = object({
  ...{
    op: text('category'),
    bytesIn: plain,
    bytesOut: plain,
    dtype: text('dtype'),
    group: text('group'),
    groupSize: plain,
  },
  ...{ ranks: plain, ordinal: plain, peer: plain, splitsIn: plain, splitsOut: plain },
});

const calls: Rule = list((value, rules) =>
  isObject(value) ? redactCall(value as unknown as OpCall, rules) : undefined,
);

const LAUNCH = object({ api: text('api'), start: plain, dur: plain, domain: text('domain') });
const GRAPH = object({
  ...{ id: plain, node: plain, from: oneOf('node', 'annotation', 'capture'), verified: plain, capture: text('graph') },
});
const GROUP = object({ name: text('group'), description: text('description'), size: plain, ranks: plain });
const DEVICE = object({
  ...{
    id: plain,
    vendor: oneOf('nvidia', 'amd', 'aws', 'huawei', 'google', 'intel', 'meta', 'unknown'),
    name: text('device'),
  },
  ...{ arch: text('arch'), units: plain, clockHz: plain, memBytesPerS: plain, memBytes: plain, rank: plain },
});
const TRANSFER = object({ src: plain, dst: plain, link: text('text'), bytes: plain, count: plain, dur: plain });
/** The name to write for an op. @param mod the module that defines it */
const opNamed = (name: unknown, mod: unknown, rules: TextRules): string | undefined =>
  typeof name !== 'string' ? undefined : rules.redactOp(typeof mod === 'string' ? mod : '', name);

const ops: Rule = (value, rules, { mod }) =>
  Array.isArray(value)
    ? value.map((name, i) => opNamed(name, Array.isArray(mod) ? mod[i] : '', rules) ?? 'na')
    : undefined;

const forward: Rule = (value, rules) => {
  if (!isObject(value)) return value === null ? null : undefined;
  const { mod, op, tid, start } = value;
  const name = opNamed(op, mod, rules);
  const library = text('library')(mod, rules, value);
  return name === undefined || !isPlain(tid) || !isPlain(start) ? undefined : { mod: library, op: name, tid, start };
};

/** Fields that records of several types have. */
const SHARED: Readonly<Record<string, Rule>> = {
  ...{ launch: LAUNCH, graph: GRAPH, engine: text('text'), counters, labels: named(label) },
  ...{ dir: oneOf('fprop', 'bprop'), layer: texts('layer'), trace: texts('frame'), calls, mod: texts('library') },
  ...{ op: ops, repr: texts('range'), seqMarker: texts('range'), ranges: texts('range') },
  ...{ callerRanges: texts('range'), collective: COLLECTIVE, operands: text('operands') },
  forward,
  event: object({ stream: plain, recorded: plain }),
  after: list(object({ id: text('id'), kind: oneOf('flow', 'anti', 'output', 'ordered') })),
  ...{ dtype: text('dtype'), kind: text('text'), name: text('tensor') },
};

const KINDS = ['annotation', 'op', 'frame', 'layer', 'marker', 'api', 'overhead'] as const;

/** Kind of a range's text, by the kind of the range. */
const RANGE_TEXTS: Readonly<Record<(typeof KINDS)[number], TextKind>> = {
  ...{
    annotation: 'range',
    op: 'range',
    frame: 'frame',
    layer: 'frame',
    marker: 'range',
    api: 'api',
    overhead: 'activity',
  },
};

/** A range's text: layers have the prefix of PyTorch's modules or of markers, or none. */
const rangeText: Rule = (value, rules, { kind, domain }) => {
  if (typeof value !== 'string') return undefined;
  const known = KINDS.find((name) => name === kind) ?? 'annotation';
  if (known !== 'layer' || value.startsWith(MODULE)) return rules.redact(RANGE_TEXTS[known], value);
  if (typeof domain === 'string' || !/^(?:layer:|\{)/.test(value)) return rules.redact('layer', value);
  return rules.redact('range', value);
};

/** Counts by name; unknown names are left out. */
const countsOf =
  (isKnown: (name: string) => boolean): Rule =>
  (value, rules) => {
    if (!isObject(value)) return undefined;
    const known = Object.entries(value).filter(([name, count]) => isKnown(name) && isPlain(count));
    rules.drop('fields of records', Object.keys(value).length - known.length);
    return Object.fromEntries(known);
  };

/** The text of a sample; its kind depends on the metric. */
const sampleText: Rule = (value, rules, { metric }) => {
  if (typeof value !== 'string') return undefined;
  return rules.redact(/^cpu_stack/.test(String(metric)) ? 'symbol' : isToolText(value) ? 'text' : 'id', value);
};

/** The message of a profiler. The word DMA stays, because answers about copies show such messages. */
const notice: Rule = (value, rules) => {
  if (typeof value !== 'string') return undefined;
  const written = rules.redact('text', value);
  return written !== value && /\bDMA\b/.test(value) ? `${written} (DMA)` : written;
};

/** Fields of one type that differ from the shared ones; all other fields are numbers. */
const RULES: Readonly<Record<TabularType, Readonly<Record<string, Rule>>>> = {
  profile: {
    ...{
      format: oneOf(...READERS.map(({ id }) => id), 'net.dict', 'pyprof'),
      tool: text('tool'),
      file: text('file'),
      host: text('host'),
      startUnixNs: digits,
    },
    ...{ groups: list(GROUP), devices: list(DEVICE), facts: named(fact) },
  },
  kernel: { name: text('kernel'), short: text('kernel') },
  copy: { hostMemory: oneOf('pageable', 'pinned', 'managed'), queueType: text('text') },
  set: {},
  sync: {},
  graph: {},
  collective: {
    ...{
      name: text('activity'),
      group: text('group'),
      algorithm: text('text'),
      link: text('text'),
      transfers: list(TRANSFER),
    },
  },
  range: { kind: oneOf(...KINDS), domain: text('domain'), text: rangeText, stack: texts('frame') },
  sample: { metric: text('metric'), text: sampleText, unit: text('text') },
  tensor: { role: oneOf('input', 'output', 'weight') },
  layer: { name: text('layer') },
  notice: { category: text('text'), text: notice },
  end: {
    counts: countsOf((name) => Object.hasOwn(RECORD_FIELDS, name)),
    diagnostics: countsOf((name) => Object.hasOwn(DIAGNOSTICS, name)),
  },
};

/** Rules of all fields of each type. */
const FIELD_RULES: ReadonlyMap<string, ReadonlyMap<string, Rule>> = new Map(
  Object.entries(RECORD_FIELDS).map(([type, fields]) => [
    type,
    new Map(fields.map(({ name }) => [name, RULES[type as TabularType][name] ?? SHARED[name] ?? plain])),
  ]),
);

/**
 * A record whose texts are replaced, with the same numbers.
 * @throws UserError for a partial answer, whose sums are named by texts
 */
export function redactRecord(record: ProfileLine, rules: TextRules): ProfileLine {
  const fields = FIELD_RULES.get(record.type);
  if (!isTabular(record) || fields === undefined)
    throw new UserError('contains only sums of whole profiles', { hint: 'redact the profile or its records' });
  const from = record as unknown as RecordFields;
  const into: Record<string, unknown> = { type: record.type };
  for (const name of Object.keys(from)) if (name !== 'type' && !fields.has(name)) rules.drop('fields of records');
  for (const [name, rule] of fields) {
    if (from[name] === undefined) continue;
    const value = rule(from[name], rules, from);
    if (value === undefined) rules.drop('fields of records');
    else into[name] = value;
  }
  // The short form would otherwise have a pseudonym of its own.
  if (record.type === 'kernel' && into['name'] !== record.name) into['short'] = into['name'];
  return into as unknown as ProfileLine;
}
