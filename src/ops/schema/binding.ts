/**
 * Arguments by name: those of a call by the names of its op's signature (`bind`), whether the dispatcher or Python wrote them,
 * and those of a Python function by the order of its parameters (`pythonArguments`).
 */
import type { Arg, ArgValue, OpCall } from '../../record/record.js';
import { positional, argument, type Tensor } from '../call.js';
import { dtypeNamed, isDispatched } from './dispatched.js';
import { allTensors, integer, integers, scalarTensor } from '../operands.js';
import { fittingSignature, isTensorial, isTensorList, type Parameter, type Signature } from './signature.js';

/**
 * The arguments of a call by the names of the function's parameters.
 * @param order space-separated names in the function's order
 * @returns an argument by its name, whether passed by keyword or by position; undefined when it is not passed
 */
export function pythonArguments(call: OpCall, order: string): (name: string) => Arg | undefined {
  const names = order.split(' ');
  return (name) => {
    const position = names.indexOf(name);
    return argument(call, name, position < 0 ? Infinity : position);
  };
}

/** The arguments of a call by the names of its signature's parameters. */
export class BoundArguments {
  #reads: readonly Tensor[] | null = null;

  /** @param given the tensors of each argument */
  constructor(
    readonly signature: Signature,
    readonly args: readonly Arg[],
    readonly given: readonly (readonly Tensor[])[],
  ) {}

  get reads(): readonly Tensor[] {
    return (this.#reads ??= this.#given((param) => param.reads));
  }

  /** Tensors that the op writes, including `outs`. */
  get writes(): readonly Tensor[] {
    return [...this.#given((param) => param.writes), ...this.outs];
  }

  /** The `out` tensors of an `out` overload, which follow the arguments of the signature. */
  get outs(): readonly Tensor[] {
    const { parameters, open } = this.signature;
    return open ? [] : this.given.slice(parameters.length).flat();
  }

  #given(isWanted: (parameter: Parameter) => boolean): Tensor[] {
    return this.signature.parameters.flatMap((parameter, at) => (isWanted(parameter) ? (this.given[at] ?? []) : []));
  }

  #at(name: string): number {
    return this.signature.parameters.findIndex((param) => param.name === name);
  }

  /** The argument of that name; undefined when the call has fewer arguments. */
  arg(name: string): Arg | undefined {
    const found = this.args[this.#at(name)];
    return found === NOT_GIVEN ? undefined : found;
  }

  /** The tensors of the argument: all of a list, none when the argument is missing. */
  tensors(name: string): readonly Tensor[] {
    return this.given[this.#at(name)] ?? [];
  }

  tensor(name: string): Tensor | null {
    return this.tensors(name)[0] ?? null;
  }

  /** The tensors of several arguments. @param names space-separated names */
  tensorsOf(names: string): Tensor[] {
    return names.split(' ').flatMap((name) => [...this.tensors(name)]);
  }

  value(name: string): ArgValue | undefined {
    return this.arg(name)?.value;
  }

  /** A boolean; null when it is unspecified. */
  flag(name: string): boolean | null {
    const value = this.value(name);
    return typeof value === 'boolean' ? value : null;
  }

  /** A number; null when it is unspecified. */
  number(name: string): number | null {
    const value = this.value(name);
    return typeof value === 'number' ? value : null;
  }

  /** A non-negative integer; null when it is unspecified. */
  count(name: string): number | null {
    const found = integer(this.value(name));
    return found !== undefined && found >= 0 ? found : null;
  }

  /** A list of integers, or a single integer as a list of one; null when it is unspecified or empty. */
  integers(name: string): readonly number[] | null {
    const list = integers(this.value(name));
    return list?.length === 0 ? null : list;
  }
}

/**
 * Binds the arguments of a call.
 *
 * @param signatures signatures of the op, see `signature.ts`; the first that fits is used
 * @returns null when the call fits none, or a tensor has invalid extents
 * @example
 * const bound = bind(call, '@self @mat1 @mat2 beta alpha');
 * const [bias, beta] = [bound?.tensor('self'), bound?.number('beta')];
 */
export function bind(call: OpCall, ...signatures: readonly string[]): BoundArguments | null {
  const args = positional(call);
  const found = fittingSignature((signature) => (isDispatched(call) ? args : pythonOrder(call, signature)), signatures);
  return found === null ? null : bound(found.signature, found.args);
}

/** Used for an argument of a Python function that is not given, so that the op's default applies. */
const NOT_GIVEN: Arg = { name: '', type: 'NoneType', value: null };

/**
 * Takes the argument for a parameter from the front of the queue: a list may be given item by item. An element type is
 * accepted at any position, because PyProf's markers drop `torch.dtype` objects and keep strings.
 */
function takeArgument({ name, listed, kind }: Parameter, queue: Arg[]): Arg | undefined {
  if (name === 'dtype') {
    const typed = queue.findIndex(({ value }) => dtypeNamed(value) !== null);
    return typed === -1 ? undefined : queue.splice(typed, 1)[0];
  }
  const isItem = ({ shape, value }: Arg): boolean => (listed ? shape !== undefined : integer(value) !== undefined);
  const end = listed || kind === 'list' ? queue.findIndex((arg) => !isItem(arg)) : 0;
  const items = queue.splice(0, end === -1 ? queue.length : end);
  if (items.length === 0) return queue.shift();
  return listed
    ? { name: '', type: 'list', items }
    : { name: '', type: 'list', value: items.map(({ value }) => value ?? null) };
}

/** Keywords of NumPy that PyTorch's functions also accept. */
const ALIASES: Readonly<Record<string, string>> = { axis: 'dim', keepdims: 'keepdim' };

/**
 * The arguments of a Python function in the order of a signature, including those not given, followed by the tensors of
 * `out=`. Functions call their first argument `input`, methods `self`. PyProf's markers write a tensor without
 * dimensions as a number.
 */
function pythonOrder(call: OpCall, { parameters }: Signature): readonly Arg[] {
  const queue = [...positional(call)];
  /** The call passes tensors by keywords that the signature does not have, so the signature does not fit. */
  const unnamed = new Set(call.args.filter(({ name, shape }) => name !== '' && name !== 'out' && shape !== undefined));
  const placed = parameters.map((param, at): Arg => {
    const named = call.args.filter(
      ({ name }) => name === param.name || ALIASES[name] === param.name || (at === 0 && /^(input|self)$/.test(name)),
    );
    for (const arg of named) unnamed.delete(arg);
    const found = takeArgument(param, named.length > 0 ? named : queue) ?? NOT_GIVEN;
    return at === 0 && param.reads ? (scalarTensor(found) ?? found) : found;
  });
  return [...placed, ...queue, ...unnamed, ...call.args.filter(({ name }) => name === 'out')];
}

/** Arguments of a Python function that are not operands. */
const FACTOR = /^(alpha|rounding_mode)$/;

/**
 * The arguments of a pointwise op: its operands, then a factor or mode, then its `out` tensor. Functions of Python name their
 * operands, and older ones have the factor between two tensors: their tensors come first, then numbers.
 * @param count number of operands
 */
export function operandsFirst(call: OpCall, count: number): readonly Arg[] {
  if (isDispatched(call)) return positional(call);
  const outs = call.args.filter(({ name }) => name === 'out');
  const given = call.args.filter(({ name }) => name !== 'out' && !FACTOR.test(name));
  const tensors = given.filter(({ shape }) => shape !== undefined);
  const numbers = given.filter(({ shape, value }) => shape === undefined && /^(number|boolean)$/.test(typeof value));
  const only = tensors.length === 0 ? scalarTensor(numbers.shift()) : null;
  const found = [...(only === null ? tensors : [only]), ...numbers];
  const operands = outs.length === 0 ? found : Array.from({ length: count }, (_, i) => found[i] ?? NOT_GIVEN);
  return [...operands, ...call.args.filter(({ name }) => FACTOR.test(name)), ...outs];
}

/** The tensors of an argument, or the passed tensors of a list; null when one has invalid extents. */
function tensorsOf(arg: Arg): readonly Tensor[] | null {
  if (!isTensorial(arg)) return [];
  return allTensors(isTensorList(arg) ? (arg.items ?? []).filter(({ type }) => type !== 'NoneType') : [arg]);
}

function bound(signature: Signature, args: readonly Arg[]): BoundArguments | null {
  const given: (readonly Tensor[])[] = [];
  for (const arg of args) {
    const tensors = tensorsOf(arg);
    if (tensors === null) return null;
    given.push(tensors);
  }
  return new BoundArguments(signature, args, given);
}
