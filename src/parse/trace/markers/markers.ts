/**
 * Reads the text of an NVTX range as a marker: an op call, a layer, a call stack, a module, a framework op, or a plain
 * range. The profiled program writes these strings, so they may contain anything; a malformed one is a plain range.
 */
import { isLookup, programFrames, toOpCall } from '../../../record/python/marker-text.js';
import { isDict, LiteralError, parseLiteral, type PythonValue } from '../../../record/python/python-literal.js';
import { LruCache } from '../../../containers/map-entry.js';
import type { OpCall } from '../../../record/record.js';

/** A name with a namespace: `aten::mm`, `_C_cache_ops::reshape_and_cache_flash`. */
const QUALIFIED = /^([A-Za-z_]\w*(?:::[A-Za-z_]\w*)*)::([A-Za-z_][\w.]*)$/;

/** Ops whose names have no namespace, and the module they belong to. */
const UNQUALIFIED: readonly (readonly [pattern: RegExp, mod: string])[] = [
  [/^record_param_comms$/, 'c10d'],
  [/^triton_\w+$/, 'triton'],
  [/^nccl:\w+$/, 'nccl'],
];

/** Module and op in a name of the PyTorch dispatcher or of an autograd node; null for other names. */
export function readOpName(name: string): Pick<OpCall, 'mod' | 'op'> | null {
  const [, mod, op] = QUALIFIED.exec(name) ?? [];
  if (mod !== undefined && op !== undefined) return { mod, op };
  const known = UNQUALIFIED.find(([pattern]) => pattern.test(name));
  return known === undefined ? null : { mod: known[1], op: name };
}

/** Prefix of the engine's range around an autograd node: `autograd::engine::evaluate_function: AddmmBackward0`. */
export const ENGINE_PREFIX = 'autograd::engine::evaluate_function: ';

/** Names of autograd nodes: `MulBackward0`, `torch::autograd::CopyBackwards`, `torch::autograd::CppNode<…>` … */
const NODE = /(?:Backward\d*|Backwards|AccumulateGrad|GraphRoot|CppNode<.*>)$/;

export const isNode = (name: string): boolean => NODE.test(name);

const BACKWARD_OP = /(?:^|[_:])(?:backward|bwd|[wd]grad)(?:_|$)/;

/**
 * Whether the name of an op says that it computes gradients, such as `convolution_backward`, even outside an autograd
 * node.
 */
export const isBackwardOp = (op: string): boolean => BACKWARD_OP.test(op);

/** Whether a string is the range that NCCL itself puts around a call (`ncclAllReduce`). */
export const isNcclCall = (text: string): boolean => /^nccl[A-Z]\w*$/.test(text);

/** An op of the framework, from PyTorch's emit_nvtx. */
export interface OpMarker {
  readonly kind: 'op';
  readonly text: string;
  /** Name without the engine's wrapper: `aten::mm`, `AddmmBackward0`. */
  readonly name: string;
  /** Sequence number of the autograd node; null when the framework printed none. */
  readonly seq: number | null;
  /** Running number of the call; null before PyTorch 1.11. */
  readonly opId: number | null;
  /** Shapes of its arguments, `[8, 64], [], [64, 32]`; null when they were not recorded. See `op-sizes.ts`. */
  readonly sizes: string | null;
  /** Whether this is the engine's wrapper around an autograd node. */
  readonly wrapper: boolean;
  /** Whether the name is that of an autograd node, such as `AddmmBackward0`. */
  readonly node: boolean;
  /** Whether the op belongs to the backward pass: an autograd node, or an op named `…_backward`. */
  readonly backward: boolean;
}

export type Marker =
  | OpMarker
  | { readonly kind: 'call'; readonly call: OpCall }
  /** The look-up of a module's attribute. It computes nothing. */
  | { readonly kind: 'lookup' }
  | { readonly kind: 'layer'; readonly name: string }
  /** `modules`: classes of the modules whose forward functions are on the stack, if the marker lists functions. */
  | { readonly kind: 'trace'; readonly frames: readonly string[]; readonly modules?: readonly string[] }
  | { readonly kind: 'repr'; readonly text: string }
  /** The autograd node of gradient checkpointing. The ops inside it recompute forward work. */
  | { readonly kind: 'recomputation'; readonly text: string }
  | {
      readonly kind: 'range';
      readonly text: string;
      readonly inDomain: boolean;
      readonly malformed: boolean;
    };

/**
 * Number of characters of a plain range's text that are kept. The limit is needed because the record of every kernel
 * inside repeats the text.
 */
export const MAX_RANGE_TEXT = 2000;
/** Longer strings are not parsed: they become plain ranges. */
const MAX_MARKER_TEXT = 1 << 20;

/** Prefix of a range that names a layer. */
export const LAYER_PREFIX = 'layer:';
/**
 * Ranges of TensorRT's domain: layers of the engine by name (`onnx::Conv_239`, `/conv1/Conv + /relu/Relu`), and calls of
 * TensorRT's own API (`ExecutionContext::enqueue`).
 */
const TENSORRT = 'TensorRT:';
/** A call of TensorRT's API. */
export const TENSORRT_CALL = /^[A-Z]\w*::[a-z]\w*$/;
/** Node of autograd that computes activations again. */
export const RECOMPUTATION = 'CheckpointFunctionBackward';

/**
 * Parses the text of a range. Never throws.
 * @param inDomain whether the range is in a library's own domain, where strings do not come from the framework
 */
export function parseMarker(text: string, inDomain = false): Marker {
  if (inDomain) return engineLayer(text) ?? plainRange(text, inDomain);
  if (text.length > MAX_MARKER_TEXT) return plainRange(text);
  if (text.startsWith('{')) return parseDict(text);
  if (text.startsWith(LAYER_PREFIX)) return { kind: 'layer', name: text.slice(LAYER_PREFIX.length) };
  if (text.includes(RECOMPUTATION)) return { kind: 'recomputation', text };
  return parseOp(text) ?? plainRange(text);
}

/** The layer of a TensorRT engine. Names of fused layers may be as long as the text of any range. */
function engineLayer(text: string): Marker | null {
  if (!text.startsWith(TENSORRT)) return null;
  const { text: name } = plainRange(text.slice(TENSORRT.length));
  return name === '' || TENSORRT_CALL.test(name) ? null : { kind: 'layer', name };
}

interface DictForm {
  readonly key: string;
  read(dict: Readonly<Record<string, PythonValue>>, text: string): Marker | null;
}

/** Markers that are Python dicts, by the key that identifies them, in PyProf's order. */
const DICT_FORMS: readonly DictForm[] = [
  {
    key: 'args',
    read: (dict) => {
      const call = toOpCall(dict);
      if (call === null) return null;
      return isLookup(call) ? { kind: 'lookup' } : { kind: 'call', call };
    },
  },
  {
    key: 'traceMarker',
    read: ({ traceMarker, funcStack }) => {
      if (!isStrings(traceMarker)) return null;
      const frames = programFrames(traceMarker);
      return { kind: 'trace', frames, ...(typeof funcStack === 'string' ? { modules: modulesOn(funcStack) } : {}) };
    },
  },
  { key: 'strRepr', read: (_, text) => ({ kind: 'repr', text }) },
  // Layer-wise hooks of vLLM and SGLang: {'Module': 'model.layers.0.self_attn', 'TrainableParams': …}
  { key: 'Module', read: ({ Module }) => (typeof Module === 'string' ? { kind: 'layer', name: Module } : null) },
];

/**
 * Classes of the modules in DLProf's stack of functions:
 * `/main/ResNet::forward/Sequential::forward/Conv2d::forward/conv2d`.
 */
const modulesOn = (stack: string): string[] =>
  stack.split('/').flatMap((frame) => (frame.endsWith(FORWARD) ? [frame.slice(0, -FORWARD.length)] : []));

/** Ending of the frames of modules in that stack. */
export const FORWARD = '::forward';

function parseDict(text: string): Marker {
  const form = DICT_FORMS.find(({ key }) => text.includes(`'${key}'`) || text.includes(`"${key}"`));
  if (form === undefined) return plainRange(text);
  let marker: Marker | null = null;
  try {
    const value = parseLiteral(text);
    if (isDict(value) && Object.hasOwn(value, form.key)) marker = form.read(value, text);
  } catch (error) {
    if (!(error instanceof LiteralError)) throw error;
  }
  return marker ?? { ...plainRange(text), malformed: true };
}

const isStrings = (value: PythonValue | undefined): value is string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string');

/**
 * Parses an op in the grammars of all PyTorch versions, from the right because names may contain anything: `name[, seq =
 * N][, op_id = K][, sizes = […]][, input_op_ids = […]]`; before 1.1 `name, seq=N` and `name, stashed seq=N`. Source:
 * torch/csrc/profiler/util.cpp and its predecessors.
 */
function parseOp(text: string): OpMarker | null {
  let rest = text;
  let sizes: string | null = null;
  if (rest.endsWith(']')) {
    rest = beforeLast(rest, ', input_op_ids = [');
    const at = rest.lastIndexOf(SIZES);
    if (at !== -1) {
      sizes = rest.endsWith(']') ? rest.slice(at + SIZES.length, -1) : null;
      rest = rest.slice(0, at);
    }
  }
  const opId = trailingNumber(rest, ', op_id = ');
  if (opId !== null) rest = rest.slice(0, rest.lastIndexOf(', op_id = '));
  let seq: number | null = null;
  for (const label of SEQ_LABELS) {
    seq = trailingNumber(rest, label);
    if (seq === null) continue;
    rest = rest.slice(0, rest.lastIndexOf(label));
    break;
  }
  if (opId === null && seq === null && !rest.startsWith(ENGINE_PREFIX)) return null;
  return opMarker(rest, { text, seq, opId, sizes });
}

/** @param called the op's name, with the engine's prefix if it has one */
export function opMarker(called: string, stated: Pick<OpMarker, 'text' | 'seq' | 'opId' | 'sizes'>): OpMarker {
  const wrapper = called.startsWith(ENGINE_PREFIX);
  const name = wrapper ? called.slice(ENGINE_PREFIX.length) : called;
  const node = isNode(name);
  return { kind: 'op', ...stated, name, wrapper, node, backward: node || name.endsWith('_backward') };
}

const SIZES = ', sizes = [';
const SEQ_LABELS = [', seq = ', ', stashed seq=', ', seq='] as const;

function beforeLast(text: string, label: string): string {
  const at = text.lastIndexOf(label);
  return at === -1 ? text : text.slice(0, at);
}

/** The number that ends the text after the label; null when it is missing or too large. */
function trailingNumber(text: string, label: string): number | null {
  const at = text.lastIndexOf(label);
  if (at === -1) return null;
  const from = at + label.length;
  if (from === text.length || text.length - from > 15) return null;
  let value = 0;
  for (let i = from; i < text.length; i++) {
    const digit = text.charCodeAt(i) - 48;
    if (digit < 0 || digit > 9) return null;
    value = value * 10 + digit;
  }
  return value;
}

function plainRange(text: string, inDomain = false): Extract<Marker, { kind: 'range' }> {
  return {
    kind: 'range',
    text: text.length > MAX_RANGE_TEXT ? `${text.slice(0, MAX_RANGE_TEXT)}…` : text,
    inDomain,
    malformed: false,
  };
}

/** Number of dict markers in the cache. */
const RECENT = 4096;

/** Parses strings with a cache for dicts; for other strings, parsing costs no more than a look-up. */
export class MarkerReader {
  readonly #recent = new LruCache<string, Marker>(RECENT);

  read(text: string): Marker {
    return text.startsWith('{') ? this.#recent.of(text, (key) => parseMarker(key)) : parseMarker(text);
  }
}
