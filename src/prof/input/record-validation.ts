/**
 * Validation of kernels: users cut, filter and edit records, so that a field may be missing or have the wrong type. Such a
 * field becomes unknown, and the record stays.
 */
import { completeKernel } from '../../record/kernel-defaults.js';
import type { Arg, ArgValue, KernelLine, KernelRecord, OpCall } from '../../record/record.js';
import {
  areCounters,
  areLabels,
  areNumbers,
  arePicoseconds,
  areStrings,
  extent,
  isAbsentOr,
  isBoolean,
  isCall,
  isExtentOrNull,
  isLaunchOrNull,
  isNumber,
  isNumberOrNull,
  isObject,
  isOrdinal,
  isStated,
  isString,
  isTextOrNull,
  isTime,
  isTimeOrNull,
  launch,
  numberOr,
  numbers,
  stringOr,
  strings,
  timeOr,
  type RecordFields,
} from './field-checks.js';

const isCollective = (value: unknown): boolean =>
  isObject(value) &&
  isString(value['op']) &&
  [value['bytesIn'], value['bytesOut'], value['groupSize']].every(isNumberOrNull) &&
  [value['dtype'], value['group']].every(isTextOrNull) &&
  [value['ordinal'], value['peer']].every(isAbsentOr(isNumber)) &&
  (value['ranks'] === null || areNumbers(value['ranks']));

const isGraphNode = (value: unknown): boolean =>
  isObject(value) &&
  isNumberOrNull(value['id']) &&
  isNumberOrNull(value['node']) &&
  [value['from'], value['capture']].every(isAbsentOr(isString)) &&
  isAbsentOr(isBoolean)(value['verified']);

const isForward = (value: unknown): boolean =>
  isObject(value) &&
  isString(value['mod']) &&
  isString(value['op']) &&
  isNumberOrNull(value['tid']) &&
  isTime(value['start']);

/** Checks of fields that a kernel may lack. */
const OPTIONAL_FIELDS: Readonly<Record<string, (value: unknown) => boolean>> = {
  callerRanges: areStrings,
  ps: arePicoseconds,
  after: (value) =>
    Array.isArray(value) && value.every((each) => isObject(each) && isString(each['id']) && isString(each['kind'])),
  step: isNumberOrNull,
  callIds: areNumbers,
  callKernels: areNumbers,
  engine: isString,
  operands: isString,
  counters: areCounters,
  labels: areLabels,
  registers: isNumberOrNull,
  sharedBytes: isNumberOrNull,
  cut: (value) => value === true,
  othersWait: isNumber,
  collective: isCollective,
  forward: (value) => value === null || isForward(value),
  graph: isGraphNode,
};

const OPTIONAL = Object.entries(OPTIONAL_FIELDS);

/** Checks of a kernel's fields; other fields may be anything. */
const FIELDS: Readonly<Record<string, (value: unknown) => boolean>> = {
  profile: isOrdinal,
  id: isNumber,
  name: isString,
  short: isString,
  start: isTime,
  dur: isTimeOrNull,
  device: isNumber,
  stream: isNumberOrNull,
  grid: isExtentOrNull,
  block: isExtentOrNull,
  pid: isNumberOrNull,
  tid: isNumberOrNull,
  corr: isNumberOrNull,
  launch: isLaunchOrNull,
  dir: (value) => value === null || value === 'fprop' || value === 'bprop',
  layer: areStrings,
  trace: areStrings,
  calls: (value) => Array.isArray(value) && value.every(isCall),
  mod: areStrings,
  op: areStrings,
  repr: areStrings,
  seqMarker: areStrings,
  seq: areNumbers,
  altSeq: areNumbers,
  sub: isNumber,
  ranges: areStrings,
  ...Object.fromEntries(OPTIONAL.map(([name, check]) => [name, isAbsentOr(check)])),
};
const CHECKS = Object.entries(FIELDS);

/**
 * The kernel: the same object when it is valid, else a copy in which invalid fields are unknown.
 * @param ordinal in place of a missing id: number of kernels before it, plus one
 * @param onWrong called where a field has another type, rather than none
 */
export function validKernel(fields: RecordFields, ordinal: number, onWrong?: () => void): KernelRecord {
  // Instructions of engines have no launch and no ranges, and their lines omit these fields.
  const whole = isString(fields['engine']) ? { ...completeKernel(fields as unknown as KernelLine) } : fields;
  for (const [name, check] of CHECKS) {
    if (check(whole[name])) continue;
    if (CHECKS.some(([each, isValid]) => isStated(fields[each]) && !isValid(fields[each]))) onWrong?.();
    return repairedKernel(fields, ordinal);
  }
  return whole as unknown as KernelRecord;
}

/** The kernel of fields that may be missing or of any type. */
export function repairedKernel(fields: RecordFields, ordinal: number): KernelRecord {
  const name = stringOr(fields['name'], stringOr(fields['short'], 'na'));
  const direction = fields['dir'];
  return {
    type: 'kernel',
    profile: isOrdinal(fields['profile']) ? fields['profile'] : 0,
    id: numberOr(fields['id'], ordinal),
    name,
    short: stringOr(fields['short'], name),
    start: timeOr(fields['start'], NaN),
    dur: timeOr(fields['dur'], null),
    device: numberOr(fields['device'], NaN),
    stream: numberOr(fields['stream'], null),
    grid: extent(fields['grid']),
    block: extent(fields['block']),
    pid: numberOr(fields['pid'], null),
    tid: numberOr(fields['tid'], null),
    corr: numberOr(fields['corr'], null),
    launch: launch(fields['launch']),
    dir: direction === 'fprop' || direction === 'bprop' ? direction : null,
    layer: strings(fields['layer']),
    trace: strings(fields['trace']),
    calls: Array.isArray(fields['calls']) ? fields['calls'].map(opCall).filter((call) => call !== null) : [],
    mod: strings(fields['mod']),
    op: strings(fields['op']),
    repr: strings(fields['repr']),
    seqMarker: strings(fields['seqMarker']),
    seq: numbers(fields['seq']),
    altSeq: numbers(fields['altSeq']),
    sub: numberOr(fields['sub'], 0),
    ranges: strings(fields['ranges']),
    step: null,
    ...Object.fromEntries(OPTIONAL.flatMap(([field, check]) => (check(fields[field]) ? [[field, fields[field]]] : []))),
  };
}

/** An op call, with invalid fields unknown; null without the name of an op. */
function opCall(value: unknown): OpCall | null {
  if (isCall(value)) return value;
  if (!isObject(value) || !isString(value['op'])) return null;
  const args = Array.isArray(value['args']) ? value['args'].filter(isObject) : [];
  return { mod: stringOr(value['mod'], 'na'), op: value['op'], args: args.map(argument) };
}

function argument(fields: RecordFields): Arg {
  const { shape, dtype } = fields;
  return {
    name: stringOr(fields['name'], ''),
    type: stringOr(fields['type'], 'na'),
    ...(areNumbers(shape) ? { shape: shape as readonly number[] } : {}),
    ...(isString(dtype) ? { dtype } : {}),
    ...('value' in fields ? { value: fields['value'] as ArgValue } : {}),
  };
}
