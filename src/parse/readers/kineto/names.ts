/**
 * What the name of a host event says: an op of the dispatcher, an autograd node, a module, a Python frame, a step, or a
 * range of the program's own.
 */
import { parseMarker } from '../../markers.js';

export type HostName =
  | { readonly kind: 'call'; readonly mod: string; readonly op: string }
  /** The engine's wrapper around a node, or the node itself: the backward pass. */
  | { readonly kind: 'node'; readonly name: string }
  | { readonly kind: 'layer'; readonly name: string }
  | { readonly kind: 'frame'; readonly frame: string }
  | { readonly kind: 'step'; readonly step: number; readonly text: string }
  | { readonly kind: 'range'; readonly text: string }
  /** Says nothing of the user's program. */
  | { readonly kind: 'none' };

const NONE: HostName = { kind: 'none' };

const MODULE = 'nn.Module: ';
/** `train.py(184): main`. */
const FRAME = /^(.+)\((\d+)\): /;
/** Frames of PyTorch itself and of the interpreter's own library. */
const FOREIGN =
  /(^|\/)(torch|torch\/\S+|threading\.py|contextlib\.py|runpy\.py|functools\.py|<frozen \S+)(\/|$|\()|^<|site-packages\/torch\//;

/** Reads the name of a Python function's event. */
export function readFrame(name: string): HostName {
  if (name.startsWith(MODULE)) return { kind: 'layer', name: name.slice(MODULE.length) };
  const match = FRAME.exec(name);
  if (match === null || FOREIGN.test(name)) return NONE;
  return { kind: 'frame', frame: `${match[1] ?? ''}:${match[2] ?? ''}` };
}

/** A name with a namespace: `aten::mm`, `_C_cache_ops::reshape_and_cache_flash`. */
const QUALIFIED = /^([A-Za-z_]\w*(?:::[A-Za-z_]\w*)*)::([A-Za-z_][\w.]*)$/;

/** Events of the dispatcher whose names have no namespace, and what they belong to. */
const UNQUALIFIED: readonly (readonly [pattern: RegExp, mod: string])[] = [
  [/^record_param_comms$/, 'c10d'],
  [/^triton_\w+$/, 'triton'],
];

/** Reads the name of an op or of an annotation. */
export function readName(name: string): HostName {
  const marker = parseMarker(name);
  if (marker.kind === 'range' && marker.step !== null) return { kind: 'step', step: marker.step, text: marker.text };
  if (marker.kind === 'recomputation') return { kind: 'range', text: marker.text };
  const bare = name.startsWith(WRAPPER) ? name.slice(WRAPPER.length) : name;
  if (bare !== name || NODE.test(bare)) return { kind: 'node', name: bare };
  const [, mod, op] = QUALIFIED.exec(name) ?? [];
  if (mod !== undefined && op !== undefined) return { kind: 'call', mod, op };
  const known = UNQUALIFIED.find(([pattern]) => pattern.test(name));
  if (known !== undefined) return { kind: 'call', mod: known[1], op: name };
  return { kind: 'range', text: marker.kind === 'range' ? marker.text : name };
}

const WRAPPER = 'autograd::engine::evaluate_function: ';
/** Names of autograd nodes: `MulBackward0`, `torch::autograd::CopyBackwards` … */
const NODE = /(?:Backward\d*|Backwards|AccumulateGrad|GraphRoot)$/;

/** The frames of a `Call stack`, which has the innermost first: `a.py(611): f;b.py(12): g`. */
export function readStack(stack: string): string[] {
  const frames: string[] = [];
  for (const line of stack.split(';')) {
    const read = readFrame(line.trim());
    if (read.kind === 'frame') frames.unshift(read.frame);
  }
  return frames;
}
