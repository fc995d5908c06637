/**
 * Replaces the free parts of range texts. Markers that readers interpret keep the parts on which answers depend: the call of an op, its
 * sequence numbers and shapes, the path of a layer, the number of a step.
 */
import {
  ENGINE_PREFIX,
  FORWARD,
  isNcclCall,
  isNode,
  LAYER_PREFIX,
  parseMarker,
  readOpName,
  RECOMPUTATION,
  type OpMarker,
} from '../parse/trace/markers/markers.js';
import { toOpCall } from '../record/python/marker-text.js';
import { pythonFloat, pythonString, pythonTuple } from '../record/python/net-dict.js';
import { isDict, literalOrNull, type PythonDict, type PythonValue } from '../record/python/python-literal.js';
import type { Arg, ArgValue, OpCall } from '../record/record.js';
import { readRequests, readServingStep, readStepName, withoutRequests, withRequests } from '../record/serving-step.js';
import { BARE_OPS } from './known-names.js';
import { isLibraryRange } from './library-ranges.js';
import type { PseudonymKind, Pseudonyms } from './pseudonyms.js';
import { isProfilerActivity, isToolText, OPTIMIZERS, RANGE_WORDS } from './words.js';

/** How parts of a range are replaced. */
export interface PartRules {
  readonly pseudonyms: Pseudonyms;
  op(name: string): string;
  opOf(mod: string, op: string): string;
  library(mod: string): string;
  layers(text: string): string;
  frame(text: string): string;
  value(text: string): string;
  dtype(text: string): string;
  name(kind: PseudonymKind, text: string): string;
  /** Counts something that is left out. */
  drop(what: string): void;
  redact(kind: 'einsum' | 'type' | 'argument' | 'domain', text: string): string;
}

export function redactRange(text: string, rules: PartRules): string {
  if (text === '') return text;
  if (text.startsWith('{')) return dictMarker(text, rules);
  if (text.startsWith(LAYER_PREFIX)) return LAYER_PREFIX + rules.layers(text.slice(LAYER_PREFIX.length));
  return (
    compiled(text, rules) ??
    step(text, rules) ??
    request(text, rules) ??
    framework(text, rules) ??
    opText(text, rules) ??
    free(text, rules)
  );
}

/**
 * A text without a known form; words on which answers depend stay. Contexts of kernels have the domain of a range in front of
 * its text.
 */
function free(text: string, rules: PartRules): string {
  const [, domain, rest] = /^([^:]{1,100}):(?!:)(.+)$/s.exec(text) ?? [];
  if (domain !== undefined && rest !== undefined)
    return `${rules.redact('domain', domain)}:${redactRange(rest, rules)}`;
  const name = rules.name('range', text);
  if (text.includes(RECOMPUTATION)) return `${name} ${RECOMPUTATION}`;
  return text.includes('DataLoader') ? `${name} (DataLoader)` : name;
}

const GRAPH = /^## Call CompiledFxGraph ([a-z2-7]{16,}) ##$/;
const REGION = /^Torch-Compiled Region: !?\d{1,6}(?:\/\d{1,6}){0,2}$/;

/** Ranges of torch.compile. */
function compiled(text: string, rules: PartRules): string | null {
  const hash = GRAPH.exec(text)?.[1];
  if (hash !== undefined) return `## Call CompiledFxGraph ${rules.pseudonyms.letters('graph', hash.slice(0, 8))} ##`;
  if (text === 'CompiledFunction' || text === 'CompiledFunctionBackward' || REGION.test(text)) return text;
  if (text.startsWith('## Call CompiledFxGraph '))
    return `## Call CompiledFxGraph ${rules.pseudonyms.of('graph', text)} ##`;
  return null;
}

/** JAX's annotation of a step, whose name is free. */
const NAMED_STEP = /^([^#]{1,200})#step_num=(\d{1,12})#$/;
const SERVED = /^[\w[\]() =/.,:_-]*$/;

/** Words in the names of servers' steps. */
const SERVING_WORDS: ReadonlySet<string> = new Set(
  'execute context generation new cached diffusion gpu model runner forward step prefill decode eager executor reqs tokens toks ctx gen sq sk sqsq sqsk bs tok c g d p s l x tensorrt llm extend split dllm target verify draft mixed mode is_extend v'.split(
    ' ',
  ),
);

function step(text: string, rules: PartRules): string | null {
  if (readStepName(text) === null) return null;
  const requests = text.includes('#request_id1=') ? readRequests(text) : [];
  const name = withoutRequests(text);
  const ids = requests.map((id) => rules.pseudonyms.of('req', id));
  const [, named, number] = NAMED_STEP.exec(name) ?? [];
  if (named !== undefined)
    return withRequests(`${isToolText(named) ? named : rules.name('range', named)}#step_num=${String(number)}#`, ids);
  if (readServingStep(name) === null) return withRequests(name, ids);
  const words = name.match(/[A-Za-z]+/g) ?? [];
  const isKnown = SERVED.test(name) && words.every((word) => SERVING_WORDS.has(word.toLowerCase()));
  if (isKnown) return withRequests(name, ids);
  const kept = name.replace(/[A-Za-z]+/g, (word) => (SERVING_WORDS.has(word.toLowerCase()) ? word : ''));
  return withRequests(readServingStep(kept) === null ? 'execute_diffusion_step' : kept, ids);
}

/** A range of one request: `request_12`. */
function request(text: string, rules: PartRules): string | null {
  const [id] = readRequests(text);
  if (id === undefined) return null;
  const phase = /[_.-](?:prefill|decode)$/i.exec(text)?.[0] ?? '';
  return `request_${rules.pseudonyms.of('req', id)}${phase}`;
}

const OPTIMIZER = /^Optimizer\.(step|zero_grad)#(\w{1,80})\.\1$/;
const LOADER = /^enumerate\(DataLoader\)#_(?:SingleProcess|MultiProcessing)DataLoaderIter\.__next__$/;
const CALLS_OF_NCCL =
  /^(?:nccl)?(?:AllReduce|AllGather|ReduceScatter|Broadcast|Reduce|AlltoAll|AllToAll|Gather|Scatter|Send|Recv|GroupStart|GroupEnd|Comm(?:Init|Split|Shrink|Grow|Destroy|Abort|Finalize|Register|Deregister|Window)(?:All|Rank|Rank(?:Config|Scalable)|Register|Deregister)?)$/;
const FRAMEWORK =
  /^(?:DistributedDataParallel\.forward|ProfilerStep\*|autograd::engine::evaluate_function|PyTorch Profiler(?: \(\d{1,4}\))?|Iteration Start|Record Window End)$/;

/** Ranges of PyTorch, NCCL and other libraries themselves. */
function framework(text: string, rules: PartRules): string | null {
  const [, call, optimizer] = OPTIMIZER.exec(text) ?? [];
  if (call !== undefined && optimizer !== undefined) {
    const name = OPTIMIZERS.has(optimizer) ? optimizer : rules.pseudonyms.identifier('op', optimizer);
    return `Optimizer.${call}#${name}.${call}`;
  }
  if (LOADER.test(text) || CALLS_OF_NCCL.test(text) || FRAMEWORK.test(text) || isProfilerActivity(text)) return text;
  if (isLibraryRange(text)) return text;
  const known = action(text, rules) ?? wrapped(text, rules) ?? ofJax(text, rules);
  if (known !== null) return known;
  return isNcclCall(text) ? `nccl${rules.name('call', text).replace(/^c/, 'C')}` : null;
}

const ACTION = /^(FSDP::|FullyShardedDataParallel\.|nccl::nccl:)(\w{1,60})$/;

/** A range of FSDP or NCCL: `FSDP::pre_forward` */
function action(text: string, rules: PartRules): string | null {
  const [, library, name] = ACTION.exec(text) ?? [];
  if (library === undefined || name === undefined) return null;
  return isToolText(name, RANGE_WORDS) ? text : library + rules.name('range', name);
}

/** FSDP's range with the path of the module: `FSDP::pre_forward (blocks.3)`. */
function wrapped(text: string, rules: PartRules): string | null {
  const [, before, module] = /^(FSDP::\w{1,60}) \(([^()]*)\)$/s.exec(text) ?? [];
  if (before === undefined || module === undefined) return null;
  return `${action(before, rules) ?? before} (${rules.layers(module)})`;
}

const JAX_FRAME = /^([^:\s][^:]{0,200}\.py:\d{1,7}) (\S.{0,200})$/s;
const JITTED = /^PjitFunction\((.{1,200})\)$/s;

/** JAX's ranges for a Python function and for a compiled one. */
function ofJax(text: string, rules: PartRules): string | null {
  const [, place, called] = JAX_FRAME.exec(text) ?? [];
  if (place !== undefined && called !== undefined) return `${rules.frame(place)} ${rules.name('function', called)}`;
  const compiledName = JITTED.exec(text)?.[1];
  return compiledName === undefined ? null : `PjitFunction(${rules.name('function', compiledName)})`;
}

/** What PyTorch writes after the name of an op. */
const DETAILS =
  /^(?:,? (?:stashed )?seq ?= ?\d{1,15})?(?:, op_id = \d{1,15})?(?:, sizes = [[\]\d, ]*)?(?:, input_op_ids = [[\]()\d, -]*)?$/;

/** A marker of an op, or its name alone. */
function opText(text: string, rules: PartRules): string | null {
  const marker = parseMarker(text);
  if (marker.kind === 'recomputation')
    return text === RECOMPUTATION || text === ENGINE_PREFIX + RECOMPUTATION ? text : null;
  if (marker.kind === 'op') return opMarkerText(marker, rules);
  const isName = text.startsWith(ENGINE_PREFIX) || isNode(text) || readOpName(text) !== null || BARE_OPS.has(text);
  return isName ? rules.op(text) : null;
}

function opMarkerText({ text, name, wrapper, seq, opId, sizes }: OpMarker, rules: PartRules): string {
  const called = (wrapper ? ENGINE_PREFIX : '') + name;
  const rest = text.slice(called.length);
  const op = (wrapper ? ENGINE_PREFIX : '') + (action(name, rules) ?? wrapped(name, rules) ?? rules.op(name));
  if (DETAILS.test(rest)) return op + rest;
  const isPlain = sizes !== null && /^[[\]\d, ]*$/.test(sizes);
  return [
    op,
    ...(seq === null ? [] : [`seq = ${seq}`]),
    ...(opId === null ? [] : [`op_id = ${opId}`]),
    ...(isPlain ? [`sizes = [${sizes}]`] : []),
  ].join(', ');
}

/** A marker that is a Python dict; one that cannot be parsed becomes a text that cannot be parsed either. */
function dictMarker(text: string, rules: PartRules): string {
  const forms = Object.keys(DICT_FORMS);
  const key = forms.find((form) => text.includes(`'${form}'`) || text.includes(`"${form}"`));
  if (key === undefined) return rules.name('range', text);
  const value = literalOrNull(text);
  const isRead = isDict(value) && Object.hasOwn(value, key);
  return (isRead ? DICT_FORMS[key]?.(value, rules) : null) ?? `{'${key}': ${rules.pseudonyms.of('range', text)}`;
}

type DictForm = (dict: PythonDict, rules: PartRules) => string | null;

/** Markers by the key that identifies them, in the order in which readers look for them. */
const DICT_FORMS: Readonly<Record<string, DictForm>> = {
  args: (dict, rules) => {
    const call = toOpCall(dict);
    return call === null ? null : callText(redactCall(call, rules));
  },
  traceMarker: ({ traceMarker, funcStack }, rules) => {
    if (!isTexts(traceMarker)) return null;
    const frames = traceMarker.map((frame) => pythonString(rules.frame(frame)));
    const stack = typeof funcStack === 'string' ? `, 'funcStack': ${pythonString(functions(funcStack, rules))}` : '';
    return `{'traceMarker': [${frames.join(', ')}]${stack}}`;
  },
  strRepr: ({ mod, strRepr }, rules) => {
    const module = typeof mod === 'string' ? `'mod': ${pythonString(rules.library(mod))}, ` : '';
    const text = typeof strRepr === 'string' ? strRepr : '';
    const repr = isToolText(text) ? text : rules.pseudonyms.of('text', text);
    return `{${module}'strRepr': ${pythonString(repr)}}`;
  },
  Module: ({ Module }, rules) =>
    typeof Module === 'string' ? `{'Module': ${pythonString(rules.layers(Module))}}` : null,
};

const isTexts = (value: PythonValue | undefined): value is string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string');

/** DLProf's stack of functions, in which modules are the frames that end in `::forward`. */
const functions = (stack: string, rules: PartRules): string =>
  stack
    .split('/')
    .map((name) => {
      if (name === '') return '';
      return name.endsWith(FORWARD)
        ? rules.layers(name.slice(0, -FORWARD.length)) + FORWARD
        : rules.pseudonyms.identifier('function', name);
    })
    .join('/');

/** Whether a text argument of the op is an equation. */
const hasEquation = (op: string): boolean => op === 'einsum';

/** A call with the texts of its arguments replaced. */
export function redactCall(call: OpCall, rules: PartRules): OpCall {
  const textOf = (text: string): string =>
    hasEquation(call.op) && /^[A-Za-z., ]+(?:->|$)/.test(text) ? rules.redact('einsum', text) : rules.value(text);
  return {
    mod: rules.library(call.mod),
    op: rules.opOf(call.mod, call.op),
    args: call.args.map((arg) => redactArg(arg, rules, textOf)),
    ...(call.from === 'dispatcher' || call.from === 'sizes' ? { from: call.from } : undefined),
    ...(call.out === undefined ? undefined : { out: call.out }),
  };
}

function redactArg(arg: Arg, rules: PartRules, textOf: (text: string) => string): Arg {
  const { name, type, shape, strides, dtype, value, items } = arg;
  const plain = value === undefined ? undefined : redactValue(value, textOf);
  if (value !== undefined && plain === undefined) rules.drop('values of arguments');
  return {
    name: rules.redact('argument', name),
    type: rules.redact('type', type),
    ...(shape === undefined ? undefined : { shape: numbersOf(shape) }),
    ...(strides === undefined ? undefined : { strides: numbersOf(strides) }),
    ...(dtype === undefined ? undefined : { dtype: rules.dtype(dtype) }),
    ...(plain === undefined ? undefined : { value: plain }),
    ...(items === undefined ? undefined : { items: items.map((item) => redactArg(item, rules, textOf)) }),
  };
}

/** The numbers of a shape. */
const numbersOf = (shape: readonly number[]): number[] => shape.filter((extent) => typeof extent === 'number');

/** The value to write; undefined for one that contains an object, which no value of an argument is. */
function redactValue(value: ArgValue, textOf: (text: string) => string): ArgValue | undefined {
  if (typeof value === 'string') return textOf(value);
  if (!Array.isArray(value)) return typeof value === 'object' && value !== null ? undefined : value;
  const items = value.map((item) => redactValue(item as ArgValue, textOf));
  return items.includes(undefined) ? undefined : (items as ArgValue);
}

/** The marker of a call, as PyProf writes it. */
function callText({ mod, op, args }: OpCall): string {
  return `{'mod': ${pythonString(mod)}, 'op': ${pythonString(op)}, 'args': [${args.map(argText).join(', ')}]}`;
}

function argText({ name, type, shape, dtype, value }: Arg): string {
  const fields = [
    `'name': ${pythonString(name)}`,
    `'type': ${pythonString(type)}`,
    ...(shape === undefined ? [] : [`'shape': ${pythonTuple(shape.map(String))}`]),
    ...(dtype === undefined ? [] : [`'dtype': ${pythonString(dtype)}`]),
    ...(value === undefined ? [] : [`'value': ${valueText(value, type)}`]),
  ];
  return `{${fields.join(', ')}}`;
}

function valueText(value: ArgValue, type: string): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value === 'string') return pythonString(value);
  if (typeof value === 'number')
    return type === 'float' || !Number.isSafeInteger(value) ? pythonFloat(value) : String(value);
  const items = value.map((item) => valueText(item, ''));
  return type === 'tuple' ? pythonTuple(items) : `[${items.join(', ')}]`;
}
