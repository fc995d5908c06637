/**
 * Reads the name of a host event: an op of the dispatcher, an autograd node, a module, a Python frame, or the user's range.
 */
import { isNode, ENGINE_PREFIX, readOpName, parseMarker, isBackwardOp } from '../trace/markers/markers.js';
import type { Context, Direction, OpCall } from '../../record/record.js';
import { withoutBackward } from '../trace/markers/sequence.js';

/** The events around a launch, from the outermost to the innermost, sorted by kind. */
export interface Chain {
  /** Rows of the ops that are calls, outermost first. */
  readonly callOps: readonly number[];
  readonly calls: readonly OpCall[];
  readonly nodes: readonly string[];
  /** Whether the only call is the node of a function that the program defines. Such a node launches kernels itself. */
  readonly nodeCalls: boolean;
  readonly layer: readonly string[];
  /** The innermost graph of torch.compile; null outside of graphs. */
  readonly graph: string | null;
  /** Whether the launch is in code that torch.compile generated. */
  readonly compiled: boolean;
  readonly trace: readonly string[];
  readonly ranges: readonly string[];
  /** Rows of ops with a sequence number, outermost first. */
  readonly sequenced: readonly number[];
  readonly backward: boolean;
  /** Whether the launch is forward work that is recomputed in the backward pass. */
  readonly recomputed: boolean;
}

/** Enters a range of torch.compile. */
export function enterCompiled(
  chain: { graph: string | null; compiled: boolean; backward: boolean },
  { graph, backward }: CompiledRange,
): void {
  chain.compiled = true;
  chain.graph = graph ?? chain.graph;
  if (backward) chain.backward = true;
}

/** Enters a module call, which is forward work. Inside a node, it recomputes the forward pass. */
export function enterForward(chain: { backward: boolean; recomputed: boolean }): void {
  if (chain.backward) chain.recomputed = true;
  chain.backward = false;
}

/** The modules of a chain; if there are none, the graph of torch.compile. */
export function layerOf(chain: Chain, forward: Chain | null): readonly string[] {
  const modules = modulesOf(chain, forward);
  return modules.length === 0 && chain.graph !== null ? [chain.graph] : modules;
}

/**
 * Modules of a chain. A node has the modules of its forward op. Recomputed work has separate modules, inside the
 * modules around that op.
 */
function modulesOf({ layer, backward, recomputed }: Chain, forward: Chain | null): readonly string[] {
  if (forward === null || forward.layer.length === 0) return layer;
  if (backward) return forward.layer;
  const [outermost] = layer;
  const depth = recomputed && outermost !== undefined ? forward.layer.indexOf(outermost) : -1;
  return [...forward.layer.slice(0, Math.max(depth, 0)), ...layer];
}

export function directionOf({ backward, calls, nodes, compiled }: Chain): Direction | null {
  if (backward || calls.some(({ op }) => isBackwardOp(op))) return 'bprop';
  return calls.length > 0 || nodes.length > 0 || compiled ? 'fprop' : null;
}

/**
 * Module and op to print: those of the calls, otherwise those of the autograd node. A range of the program is not an op.
 */
export function namesOf({ calls, nodes, nodeCalls }: Chain): Pick<Context, 'mod' | 'op'> {
  if (calls.length > 0 && !nodeCalls) return { mod: calls.map(({ mod }) => mod), op: calls.map(({ op }) => op) };
  const node = nodes.at(-1);
  return { mod: ['na'], op: node === undefined ? [] : [withoutBackward(node)] };
}

interface CompiledRange {
  /**
   * Short name of the generated graph that is called; null for a range around such a call, and when the graph's hash is not
   * recorded.
   */
  readonly graph: string | null;
  /** Whether the range is a backward pass that is compiled as a whole (compiled autograd), and so has no autograd nodes. */
  readonly backward: boolean;
}

/*
 * torch.compile's ranges around the code that it generated are neither ops nor functions of the program.
 * Source: PyTorch, torch/_inductor/output_code.py (CompiledFxGraph), torch/_dynamo/convert_frame.py (Torch-Compiled
 * Region), torch/_guards.py (CompileId), torch/_functorch/_aot_autograd/runtime_wrappers.py (CompiledFunction).
 */

/** The hash is 32 bytes in base 32; if caches are off it is `None`. */
const GRAPH = /^## Call CompiledFxGraph ([a-z2-7]{16,}) ##$/;
/**
 * `Torch-Compiled Region: 0/1` has the numbers of the frame and of its compilation; `!0` and `!0/1/2` come from compiled
 * autograd.
 */
const REGION = /^Torch-Compiled Region: (!?)\d/;
const CALL = /^## Call CompiledFxGraph /;
/**
 * The function that AOTAutograd defines around a compiled forward pass; its backward node has the same name with a suffix.
 */
const FUNCTION = 'CompiledFunction';

/** Characters of a hash that are enough to distinguish the graphs of a program. */
const SHORT_HASH = 8;

/** Reads a host range of torch.compile; null for all other ranges. */
function compiledRange(text: string): CompiledRange | null {
  const hash = GRAPH.exec(text)?.[1];
  if (hash !== undefined) return { graph: `CompiledFxGraph_${hash.slice(0, SHORT_HASH)}`, backward: false };
  const region = REGION.exec(text);
  if (region === null && text !== FUNCTION && !CALL.test(text)) return null;
  return { graph: null, backward: region?.[1] === '!' };
}

/** Whether an autograd node is a compiled backward pass, which is neither an op nor a function of the program. */
export const isCompiledNode = (node: string): boolean => node === `${FUNCTION}Backward`;

export type HostName =
  | { readonly kind: 'call'; readonly mod: string; readonly op: string }
  /** The autograd engine's wrapper around a node, or the node itself: the backward pass. */
  | { readonly kind: 'node'; readonly name: string }
  | { readonly kind: 'layer'; readonly name: string }
  | { readonly kind: 'frame'; readonly frame: string }
  /**
   * `recomputes` marks the node of gradient checkpointing, in which forward work runs during the backward pass.
   * `compiled` marks torch.compile's range around code that it generated.
   */
  | { readonly kind: 'range'; readonly text: string; readonly recomputes?: true; readonly compiled?: CompiledRange }
  /** Gradient checkpointing without a node. The forward pass runs again when a node needs a value that was not kept. */
  | { readonly kind: 'recomputation' }
  /** An event that is not part of the user's program. */
  | { readonly kind: 'none' };

const NO_NAME: HostName = { kind: 'none' };

export const MODULE = 'nn.Module: ';
/** Source: torch/utils/checkpoint.py since PyTorch 2.0, `use_reentrant=False`. */
const RECOMPUTATION = /torch\/utils\/checkpoint\.py\(\d+\): recompute_fn$/;
/** A frame such as `train.py(184): main`. */
const FRAME = /^(.+)\((\d+)\): /;
/** Frames of PyTorch itself and of Python's standard library. */
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

/**
 * Nodes of functions that a program defines, without a number at the end, which PyTorch's own have. The engine's wrapper
 * has the same name.
 */
const PYTHON_NODE = /^[A-Za-z_]\w*Backward$/;
const CPP_NODE = /CppNode<(?:\w+::)*(\w+)/;

/**
 * The program's function of a node such as `FusedLayerNormFunctionBackward`, also if it is in C++
 * (`torch::autograd::CppNode<ns::Function>`); null for PyTorch's own nodes.
 */
export function definedFunction(node: string): string | null {
  if (isCompiledNode(node)) return null;
  if (PYTHON_NODE.test(node)) return node;
  const [, name] = CPP_NODE.exec(node) ?? [];
  return name === undefined ? null : `${name}Backward`;
}

/** The frames of a `Call stack` as strings. The stack has the innermost frame first. */
export const stackTexts = (stack: string): string[] =>
  stack
    .split(';')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .reverse();

/** The frames of a `Call stack`, which has the innermost frame first: `a.py(611): f;b.py(12): g`. */
export function readStack(stack: string): string[] {
  const frames: string[] = [];
  for (const line of stack.split(';')) {
    const read = readFrame(line.trim());
    if (read.kind === 'frame') frames.unshift(read.frame);
  }
  return frames;
}
