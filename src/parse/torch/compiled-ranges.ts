/**
 * torch.compile's own ranges around the code that it generated: neither ops nor functions of the program.
 * Source: PyTorch, torch/_inductor/output_code.py (CompiledFxGraph), torch/_dynamo/convert_frame.py (Torch-Compiled
 * Region), torch/_guards.py (CompileId), torch/_functorch/_aot_autograd/runtime_wrappers.py (CompiledFunction).
 */

export interface CompiledRange {
  /** The generated graph that is called, by a short name; null around a call of one, and where its hash is not recorded. */
  readonly graph: string | null;
  /** Whether it is a backward pass compiled as a whole (compiled autograd), which has no autograd nodes. */
  readonly backward: boolean;
}

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
export function compiledRange(text: string): CompiledRange | null {
  const hash = GRAPH.exec(text)?.[1];
  if (hash !== undefined) return { graph: `CompiledFxGraph_${hash.slice(0, SHORT_HASH)}`, backward: false };
  const region = REGION.exec(text);
  if (region === null && text !== FUNCTION && !CALL.test(text)) return null;
  return { graph: null, backward: region?.[1] === '!' };
}

/** Whether an autograd node is a compiled backward pass: no op, and no function of the program. */
export const isCompiledNode = (node: string): boolean => node === `${FUNCTION}Backward`;
