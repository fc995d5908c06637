/**
 * Names of host events → op of the dispatcher, autograd node, module, Python frame, or the user's range.
 */
import { isNode, ENGINE_PREFIX, readOpName, parseMarker, isBackwardOp } from '../trace/markers/markers.js';
import type { Context, Direction, OpCall } from '../../record/record.js';
import { withoutBackward } from '../trace/markers/sequence.js';

/**
 * What is around a launch: the chain of events from the outermost to the innermost. The events around a launch,
 * outermost first, by kind.
 */
export interface Chain {
  /** Rows of the ops that are calls, outermost first. */
  readonly callOps: readonly number[];
  readonly calls: readonly OpCall[];
  readonly nodes: readonly string[];
  /** Whether the only call is the node of a function that the program defines, which launches kernels itself. */
  readonly nodeCalls: boolean;
  readonly layer: readonly string[];
  /** The innermost graph of torch.compile; null outside of any. */
  readonly graph: string | null;
  /** Whether it is code that torch.compile generated. */
  readonly compiled: boolean;
  readonly trace: readonly string[];
  readonly ranges: readonly string[];
  /** Rows of ops with a sequence number, outermost first. */
  readonly sequenced: readonly number[];
  readonly backward: boolean;
  /** Whether it is forward work that is recomputed in the backward pass. */
  readonly recomputed: boolean;
}

/** A range of torch.compile. */
export function enterCompiled(
  chain: { graph: string | null; compiled: boolean; backward: boolean },
  { graph, backward }: CompiledRange,
): void {
  chain.compiled = true;
  chain.graph = graph ?? chain.graph;
  if (backward) chain.backward = true;
}

/** A module call is forward work; inside a node its forward pass is recomputed. */
export function enterForward(chain: { backward: boolean; recomputed: boolean }): void {
  if (chain.backward) chain.recomputed = true;
  chain.backward = false;
}

/** The modules of a chain; where there are none, the graph of torch.compile. */
export function layerOf(chain: Chain, forward: Chain | null): readonly string[] {
  const modules = modulesOf(chain, forward);
  return modules.length === 0 && chain.graph !== null ? [chain.graph] : modules;
}

/** A node's are those of its forward op; what a node recomputes is in modules of its own, inside those around that op. */
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

/** Module and op to print: those of the calls, else of the autograd node. A range of the program is not an op. */
export function namesOf({ calls, nodes, nodeCalls }: Chain): Pick<Context, 'mod' | 'op'> {
  if (calls.length > 0 && !nodeCalls) return { mod: calls.map(({ mod }) => mod), op: calls.map(({ op }) => op) };
  const node = nodes.at(-1);
  return { mod: ['na'], op: node === undefined ? [] : [withoutBackward(node)] };
}

interface CompiledRange {
  /** The generated graph that is called, by a short name; null around a call of one, and where its hash is not recorded. */
  readonly graph: string | null;
  /** Whether it is a backward pass compiled as a whole (compiled autograd), which has no autograd nodes. */
  readonly backward: boolean;
}

/*
 * torch.compile's ranges around the code that it generated are neither ops nor functions of the program.
 * Source: PyTorch, torch/_inductor/output_code.py (CompiledFxGraph), torch/_dynamo/convert_frame.py (Torch-Compiled
 * Region), torch/_guards.py (CompileId), torch/_functorch/_aot_autograd/runtime_wrappers.py (CompiledFunction).
 */

/** The hash is base 32 of 32 bytes; caches that are off leave `None`. */
const GRAPH = /^## Call CompiledFxGraph ([a-z2-7]{16,}) ##$/;
/** `Torch-Compiled Region: 0/1`: number of the frame, of its compilation; `!0` and `!0/1/2` are of compiled autograd. */
const REGION = /^Torch-Compiled Region: (!?)\d/;
const CALL = /^## Call CompiledFxGraph /;
/** What AOTAutograd defines for autograd around a compiled forward pass, and its node. */
const FUNCTION = 'CompiledFunction';

/** So many characters of a hash distinguish the graphs of a program. */
const SHORT_HASH = 8;

/** What a range of the host is to torch.compile; null for all others. */
function compiledRange(text: string): CompiledRange | null {
  const hash = GRAPH.exec(text)?.[1];
  if (hash !== undefined) return { graph: `CompiledFxGraph_${hash.slice(0, SHORT_HASH)}`, backward: false };
  const region = REGION.exec(text);
  if (region === null && text !== FUNCTION && !CALL.test(text)) return null;
  return { graph: null, backward: region?.[1] === '!' };
}

/** Whether an autograd node is a compiled backward pass: no op, and no function of the program. */
export const isCompiledNode = (node: string): boolean => node === `${FUNCTION}Backward`;

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
