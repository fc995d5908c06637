/**
 * The arguments of a dispatcher op by name: the order of its schema in short, by the kind of each argument.
 *
 * One op has several orders where versions of its library put arguments elsewhere; the first that the arguments fit is
 * taken. Arguments after the last named one are ignored: later versions add theirs there.
 */
import type { Arg, OpCall } from '../record/record.js';
import { positional, type Tensor } from './call.js';
import { tensorOf } from './operands.js';

type Kind = 'tensor' | 'list' | 'bool' | 'int' | 'number';

interface Slot {
  readonly name: string;
  readonly kind: Kind;
  /** Whether None may stand there. */
  readonly optional: boolean;
}

export type ArgumentOrder = readonly Slot[];

/** What the arguments of one call are, by the names of the order they fit. */
export class NamedArguments {
  readonly #args: ReadonlyMap<string, Arg>;

  constructor(args: ReadonlyMap<string, Arg>) {
    this.#args = args;
  }

  get(name: string): Arg | undefined {
    return this.#args.get(name);
  }

  /** Null when it is no tensor, or none of sensible extents. */
  tensor(name: string): Tensor | null {
    return tensorOf(this.#args.get(name));
  }

  /** Undefined when the op has no such argument, or its value is not told. */
  flag(name: string): boolean | undefined {
    const value = this.#args.get(name)?.value;
    return typeof value === 'boolean' ? value : undefined;
  }

  /** Undefined when the op has no such argument, or its value is not told. */
  number(name: string): number | undefined {
    const value = this.#args.get(name)?.value;
    return typeof value === 'number' ? value : undefined;
  }
}

const KINDS: Readonly<Record<string, Kind>> = { list: 'list', bool: 'bool', int: 'int', number: 'number' };

/** `q k v bias? causal:bool scale:number?`: a tensor where no kind is named, `?` where None may stand. */
export const argumentOrder = (text: string): ArgumentOrder =>
  text.split(' ').map((word) => {
    const [name = '', kind = ''] = word.replace('?', '').split(':');
    return { name, kind: KINDS[kind] ?? 'tensor', optional: word.endsWith('?') };
  });

/** Kinds of slot that an argument may fill, by its type as Python, or the value itself, names it. */
const FILLS: Readonly<Record<string, readonly Kind[]>> = {
  bool: ['bool'],
  boolean: ['bool'],
  int: ['int', 'number'],
  float: ['number'],
  number: ['int', 'number'],
  list: ['list'],
  tuple: ['list'],
  object: ['list'],
};

/** Whether the argument may stand in the slot. One that is not told may stand for anything but a needed tensor. */
function fits(slot: Slot, arg: Arg | undefined): boolean {
  const needed = slot.kind === 'tensor' && !slot.optional;
  if (arg === undefined || arg.type === 'unknown') return !needed;
  if (arg.shape !== undefined) return slot.kind === 'tensor';
  if (arg.items !== undefined) return slot.kind === 'list';
  if (arg.type === 'NoneType') return !needed;
  return (FILLS[arg.type] ?? []).includes(slot.kind);
}

/** The positional arguments by the names of the first order they fit; null when they fit none. */
export function named(call: OpCall, orders: readonly ArgumentOrder[]): NamedArguments | null {
  const args = positional(call);
  const fitting = orders.find((slots) => slots.every((slot, i) => fits(slot, args[i])));
  if (fitting === undefined) return null;
  const found = new Map<string, Arg>();
  fitting.forEach(({ name }, i) => {
    const arg = args[i];
    if (arg !== undefined) found.set(name, arg);
  });
  return new NamedArguments(found);
}
