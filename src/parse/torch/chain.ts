/** What is around a launch: the chain of events from the outermost to the innermost. */
import type { Context, Direction, OpCall } from '../../record/record.js';
import type { CompiledRange } from './event-names.js';
import { isBackwardOp } from '../names/op-name.js';
import { withoutBackward } from '../trace/markers/sequence.js';

/** The events around a launch, outermost first, by kind. */
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
