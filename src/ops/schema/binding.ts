/**
 * Arguments by name: the positional arguments of a dispatcher's call by the names of its op's signature (`bind`), and those of
 * a Python function, which may be keywords, by the order of its parameters (`pythonArguments`).
 */
import type { Arg, ArgValue, OpCall } from '../../record/record.js';
import { positional, argument, type Tensor } from '../call.js';
import { allTensors, integer, integers } from '../operands.js';
import { fittingSignature, isTensorial, isTensorList, type Signature } from './signature.js';

/**
 * The arguments of a call by the names of the function's parameters.
 * @param order the names in the function's order, separated by blanks
 * @returns an argument by its name, whether given by keyword or by position; undefined where it is not given
 */
export function pythonArguments(call: OpCall, order: string): (name: string) => Arg | undefined {
  const names = order.split(' ');
  return (name) => {
    const position = names.indexOf(name);
    return argument(call, name, position < 0 ? Infinity : position);
  };
}

export interface BoundArguments {
  /** The argument of that name; undefined when the call has fewer arguments. */
  arg(name: string): Arg | undefined;
  /** The tensors of the argument: all of a list, none where the argument is missing. */
  tensors(name: string): readonly Tensor[];
  tensor(name: string): Tensor | null;
  /** The tensors of several arguments. @param names separated by blanks */
  tensorsOf(names: string): Tensor[];
  value(name: string): ArgValue | undefined;
  /** A truth value; null when it is unspecified. */
  flag(name: string): boolean | null;
  /** A number; null when it is unspecified. */
  number(name: string): number | null;
  /** A non-negative integer; null when it is unspecified. */
  count(name: string): number | null;
  /** A list of integers, a single integer as a list of one; null when it is unspecified or empty. */
  integers(name: string): readonly number[] | null;
  readonly reads: readonly Tensor[];
  /** Tensors that the op writes, `outs` among them. */
  readonly writes: readonly Tensor[];
  /** The `out` tensors of an `out` overload, which follow the arguments of the signature. */
  readonly outs: readonly Tensor[];
}

/**
 * Binds the arguments of a call.
 *
 * @param signatures of the op, see `signature.ts`; the first that fits counts
 * @returns null when the call fits none, or a tensor has no sensible extents
 * @example
 * const bound = bind(call, '@self @mat1 @mat2 beta alpha');
 * const [bias, beta] = [bound?.tensor('self'), bound?.number('beta')];
 */
export function bind(call: OpCall, ...signatures: readonly string[]): BoundArguments | null {
  const args = positional(call);
  const signature = fittingSignature(args, signatures);
  return signature === null ? null : bound(signature, args);
}

/** The tensors of an argument, of a list those that are given; null when one has no sensible extents. */
function tensorsOf(arg: Arg): readonly Tensor[] | null {
  if (!isTensorial(arg)) return [];
  return allTensors(isTensorList(arg) ? (arg.items ?? []).filter(({ type }) => type !== 'NoneType') : [arg]);
}

type BoundOperands = Pick<BoundArguments, 'tensors' | 'reads' | 'writes' | 'outs'>;

function operandsOf({ parameters, open }: Signature, args: readonly Arg[]): BoundOperands | null {
  const given = args.map(tensorsOf);
  if (given.includes(null)) return null;
  const at = (index: number): readonly Tensor[] => given[index] ?? [];
  const outs = open ? [] : args.slice(parameters.length).flatMap((_, i) => at(parameters.length + i));
  return {
    tensors: (name) => at(parameters.findIndex((param) => param.name === name)),
    reads: parameters.flatMap((param, i) => (param.reads ? at(i) : [])),
    writes: [...parameters.flatMap((param, i) => (param.writes ? at(i) : [])), ...outs],
    outs,
  };
}

function bound(signature: Signature, args: readonly Arg[]): BoundArguments | null {
  const operands = operandsOf(signature, args);
  if (operands === null) return null;
  const arg = (name: string): Arg | undefined => args[signature.parameters.findIndex((param) => param.name === name)];
  const value = (name: string): ArgValue | undefined => arg(name)?.value;
  return {
    ...operands,
    arg,
    value,
    tensor: (name) => operands.tensors(name)[0] ?? null,
    tensorsOf: (names) => names.split(' ').flatMap((name) => [...operands.tensors(name)]),
    flag: (name) => asBoolean(value(name)),
    number: (name) => asNumber(value(name)),
    count: (name) => asCount(value(name)),
    integers: (name) => {
      const list = integers(value(name));
      return list?.length === 0 ? null : list;
    },
  };
}

const asBoolean = (value: ArgValue | undefined): boolean | null => (typeof value === 'boolean' ? value : null);
const asNumber = (value: ArgValue | undefined): number | null => (typeof value === 'number' ? value : null);

const asCount = (value: ArgValue | undefined): number | null => {
  const found = integer(value);
  return found !== undefined && found >= 0 ? found : null;
};
