/**
 * The signature of a dispatcher's op: which arguments it reads, which it writes, and where the others stand.
 */
import type { Arg, OpCall } from '../record/record.js';
import { positional, type Tensor } from './call.js';
import { tensorOf } from './operands.js';

/** One argument of a signature. */
interface Parameter {
  readonly name: string;
  readonly reads: boolean;
  readonly writes: boolean;
  readonly optional: boolean;
}

/** The arguments of a call under the names of its signature. */
export interface Bound {
  /** The argument of that name; undefined when the call does not go so far. */
  arg(name: string): Arg | undefined;
  /** The tensors given under that name: of a list all, none where it is not given. */
  tensors(name: string): readonly Tensor[];
  readonly reads: readonly Tensor[];
  /** Arguments that the op writes, those behind the signature (of an `out` variant) too. */
  readonly writes: readonly Tensor[];
  /** Tensors behind the signature: the results of an `out` variant, in order. */
  readonly outs: readonly Tensor[];
}

const PARAMETER = /^(@?)(!?)(\w+)(\??)$/;

function parse(signature: string): Parameter[] {
  return signature.split(' ').map((word) => {
    const [, reads, writes, name, optional] = PARAMETER.exec(word) ?? [];
    return { name: name ?? word, reads: reads === '@', writes: writes === '!', optional: optional === '?' };
  });
}

const parsed = new Map<string, Parameter[]>();

function parameters(signature: string): Parameter[] {
  const known = parsed.get(signature) ?? parse(signature);
  parsed.set(signature, known);
  return known;
}

const isList = (arg: Arg): boolean => arg.items !== undefined && arg.items.length > 0;
const isTensorial = (arg: Arg | undefined): arg is Arg => arg !== undefined && (arg.shape !== undefined || isList(arg));

/** Whether the argument may stand where the parameter is. */
function fits(parameter: Parameter, arg: Arg | undefined): boolean {
  const isOperand = parameter.reads || parameter.writes;
  if (isOperand && !parameter.optional) return isTensorial(arg);
  return isOperand || !isTensorial(arg);
}

/** How an argument list may differ from a signature: the same length, with results behind it, or of another version. */
const LENGTHS: readonly ((params: readonly Parameter[], args: readonly Arg[]) => boolean)[] = [
  (params, args) => args.length === params.length,
  (params, args) => args.length > params.length && args.slice(params.length).every(isTensorial),
  (params, args) => args.length < params.length || !args.slice(params.length).some(isTensorial),
];

/**
 * The first of the signatures that the call fits.
 *
 * A signature lists the arguments in order: `@self @!grads? alpha`, with `@` for a tensor (or list of tensors) that
 * the op reads, `!` for one that it writes, `?` for one that may be missing; a bare word is no tensor. Tensors behind
 * the last are those of an `out` variant.
 * @returns null when it fits none, or a tensor has no sensible extents
 */
export function bind(call: OpCall, ...signatures: readonly string[]): Bound | null {
  const args = positional(call);
  for (const lengthFits of LENGTHS) {
    for (const signature of signatures) {
      const params = parameters(signature);
      if (lengthFits(params, args) && params.every((param, at) => fits(param, args[at]))) return bound(params, args);
    }
  }
  return null;
}

/** The tensors of an argument, of a list those that are given; null when one has no sensible extents. */
function tensorsOf(arg: Arg | undefined): readonly Tensor[] | null {
  if (!isTensorial(arg)) return [];
  const list = isList(arg) ? (arg.items ?? []).filter(({ type }) => type !== 'NoneType') : [arg];
  const found = list.map(tensorOf).filter((tensor) => tensor !== null);
  return found.length === list.length ? found : null;
}

function bound(params: readonly Parameter[], args: readonly Arg[]): Bound | null {
  const given = args.map(tensorsOf);
  if (given.includes(null)) return null;
  const at = (index: number): readonly Tensor[] => given[index] ?? [];
  const position = (name: string): number => params.findIndex((param) => param.name === name);
  const outs = args.slice(params.length).flatMap((_, i) => at(params.length + i));
  return {
    arg: (name) => args[position(name)],
    tensors: (name) => at(position(name)),
    reads: params.flatMap((param, i) => (param.reads ? at(i) : [])),
    writes: [...params.flatMap((param, i) => (param.writes ? at(i) : [])), ...outs],
    outs,
  };
}
