/**
 * The arguments of a dispatcher's call by name, as its op's signature has them.
 *
 * This is the way to read such a call. A call in Python, which has keywords, is read by `argument` (`call.ts`) and what
 * `operands.ts` makes of it; so is an op that both know with the same arguments in the same places.
 */
import type { Arg, ArgValue, OpCall } from '../../record/record.js';
import { positional, type Tensor } from '../call.js';
import { tensorOf, integer, integers } from '../operands.js';
import { fittingSignature, isTensorial, isTensorList, type Signature } from './signature.js';

/** The arguments of a call under the names of its signature. */
export interface BoundArguments {
  /** The argument of that name; undefined when the call does not go so far. */
  arg(name: string): Arg | undefined;
  /** The tensors given under that name: of a list all, none where it is not given. */
  tensors(name: string): readonly Tensor[];
  /** The first tensor under that name, or null. */
  tensor(name: string): Tensor | null;
  /** All tensors under these names, apart by blanks. */
  tensorsOf(names: string): Tensor[];
  /** Undefined when it is unspecified. */
  value(name: string): ArgValue | undefined;
  /** A truth value; null when it is unspecified. */
  flag(name: string): boolean | null;
  /** A number; null when it is unspecified. */
  number(name: string): number | null;
  /** A whole number that is not negative; null when it is unspecified. */
  count(name: string): number | null;
  /** Whole numbers, a single one as a list of one; null when they are unspecified or there are none. */
  integers(name: string): readonly number[] | null;
  readonly reads: readonly Tensor[];
  /** Arguments that the op writes, those behind the signature (of an `out` variant) too. */
  readonly writes: readonly Tensor[];
  /** Tensors behind the signature: the results of an `out` variant, in order. */
  readonly outs: readonly Tensor[];
}

/**
 * The arguments of a call by name.
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
  const list = isTensorList(arg) ? (arg.items ?? []).filter(({ type }) => type !== 'NoneType') : [arg];
  const found = list.map(tensorOf).filter((tensor) => tensor !== null);
  return found.length === list.length ? found : null;
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
