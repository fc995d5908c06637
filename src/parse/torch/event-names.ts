/**
 * Names of host events → op of the dispatcher, autograd node, module, Python frame, or the user's range.
 */
import { isNode, ENGINE_PREFIX, readOpName } from '../names/op-name.js';
import { parseMarker } from '../trace/markers/markers.js';
import { compiledRange, isCompiledNode, type CompiledRange } from './compiled-ranges.js';

export type HostName =
  | { readonly kind: 'call'; readonly mod: string; readonly op: string }
  /** The autograd engine's wrapper around a node, or the node itself: the backward pass. */
  | { readonly kind: 'node'; readonly name: string }
  | { readonly kind: 'layer'; readonly name: string }
  | { readonly kind: 'frame'; readonly frame: string }
  /**
   * `recomputes`: the node of gradient checkpointing, inside which forward work runs during the backward pass.
   * `compiled`: torch.compile's range around code that it generated.
   */
  | { readonly kind: 'range'; readonly text: string; readonly recomputes?: true; readonly compiled?: CompiledRange }
  /** Checkpointing without a node: the forward pass runs again where a node needs what was not kept. */
  | { readonly kind: 'recomputation' }
  /** Not part of the user's program. */
  | { readonly kind: 'none' };

const NO_NAME: HostName = { kind: 'none' };

const MODULE = 'nn.Module: ';
/** Source: torch/utils/checkpoint.py since PyTorch 2.0, `use_reentrant=False`. */
const RECOMPUTATION = /torch\/utils\/checkpoint\.py\(\d+\): recompute_fn$/;
/** `train.py(184): main`. */
const FRAME = /^(.+)\((\d+)\): /;
/** Frames of PyTorch itself and of the interpreter's own library. */
const FOREIGN =
  /(^|\/)(torch|torch\/\S+|threading\.py|contextlib\.py|runpy\.py|functools\.py|<frozen \S+)(\/|$|\()|^<|site-packages\/torch\//;

/** Reads the name of a Python function's event. */
export function readFrame(name: string): HostName {
  if (name.startsWith(MODULE)) return { kind: 'layer', name: name.slice(MODULE.length) };
  if (RECOMPUTATION.test(name)) return { kind: 'recomputation' };
  const match = FRAME.exec(name);
  if (match === null || FOREIGN.test(name)) return NO_NAME;
  const [, file, line] = match;
  return { kind: 'frame', frame: `${String(file)}:${String(line)}` };
}

/** Reads the name of an op or of an annotation. */
export function readName(name: string): HostName {
  if (name === '') return NO_NAME;
  const marker = parseMarker(name);
  if (marker.kind === 'recomputation') return { kind: 'range', text: marker.text, recomputes: true };
  const bare = name.startsWith(ENGINE_PREFIX) ? name.slice(ENGINE_PREFIX.length) : name;
  if (bare !== name || isNode(bare)) return { kind: 'node', name: bare };
  const call = readOpName(name);
  if (call !== null) return { kind: 'call', ...call };
  const text = marker.kind === 'range' ? marker.text : name;
  const compiled = compiledRange(text);
  return compiled === null ? { kind: 'range', text } : { kind: 'range', text, compiled };
}

/** Nodes of functions that a program defines: PyTorch's own end in a number. The wrapper's name is the same. */
const PYTHON_NODE = /^[A-Za-z_]\w*Backward$/;
const CPP_NODE = /CppNode<(?:\w+::)*(\w+)/;

/** `FusedLayerNormFunctionBackward`, also of a node in C++ (`torch::autograd::CppNode<ns::Function>`); null for PyTorch's own. */
export function definedFunction(node: string): string | null {
  if (isCompiledNode(node)) return null;
  if (PYTHON_NODE.test(node)) return node;
  const [, name] = CPP_NODE.exec(node) ?? [];
  return name === undefined ? null : `${name}Backward`;
}

/** The texts of a `Call stack`, which has the innermost frame first. */
export const stackTexts = (stack: string): string[] =>
  stack
    .split(';')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .reverse();

/** The frames of a `Call stack`, which has the innermost first: `a.py(611): f;b.py(12): g`. */
export function readStack(stack: string): string[] {
  const frames: string[] = [];
  for (const line of stack.split(';')) {
    const read = readFrame(line.trim());
    if (read.kind === 'frame') frames.unshift(read.frame);
  }
  return frames;
}
