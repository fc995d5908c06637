/**
 * Signatures: the arguments of a dispatcher op in the order of its schema, written in one line.
 *
 * A word is one argument: how the op uses it, its name, and which values fit.
 *
 * | word | argument |
 * |---|---|
 * | `@self` | a tensor, or a tensor list, that the op reads |
 * | `!out` | one that it writes; `@!state`: one that it reads and writes |
 * | `@bias?` | one that may be missing: None or unspecified, but not a number |
 * | `@weights[]` | a tensor list, not a single one |
 * | `alpha` | anything but tensors |
 * | `causal:bool` | a value of that kind (`bool`, `int`, `number`, `list`), None or unspecified |
 * | `...` | at the end: any further arguments, and the last ones may be missing |
 *
 * An op has several signatures when it has overloads, or when versions of its library differ. Those of ATen's ops are from
 * aten/src/ATen/native/native_functions.yaml, torch 1.8 to 2.13; tables of other libraries state their sources.
 *
 * @example
 * // aten::addmm(Tensor self, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar alpha=1)
 * '@self @mat1 @mat2 beta alpha'
 * // two versions of an op, which differ in the fourth argument
 * ['@q @k @v causal:bool ...', '@q @k @v @bias? causal:bool ...']
 */
import type { Arg } from '../../record/record.js';

type ArgumentKind = 'bool' | 'int' | 'number' | 'list';

export interface Parameter {
  readonly name: string;
  readonly reads: boolean;
  readonly writes: boolean;
  /** Whether the argument may be missing. */
  readonly optional: boolean;
  /** Whether the argument must be a tensor list. */
  readonly listed: boolean;
  /** Kind of value; null when any non-tensor fits. */
  readonly kind: ArgumentKind | null;
}

export interface Signature {
  readonly parameters: readonly Parameter[];
  /** Whether the signature ends with `...`. */
  readonly open: boolean;
}

/** Kinds by an argument's type, which is the Python type name or the value itself. */
const KINDS: Readonly<Record<ArgumentKind, readonly string[]>> = {
  bool: ['bool', 'boolean'],
  int: ['int', 'number'],
  number: ['int', 'float', 'number'],
  list: ['list', 'tuple', 'object'],
};

const isKind = (word: string | undefined): word is ArgumentKind => word !== undefined && Object.hasOwn(KINDS, word);

const PARAMETER = /^(@?)(!?)(\w+)(\[\])?(?::(\w+))?(\??)$/;

function parameter(word: string): Parameter {
  const [, reads, writes, name = word, listed, kind, optional] = PARAMETER.exec(word) ?? [];
  return {
    name,
    reads: reads === '@',
    writes: writes === '!',
    optional: optional === '?',
    listed: listed !== undefined,
    kind: isKind(kind) ? kind : null,
  };
}

const REST = ' ...';

function parse(text: string): Signature {
  const open = text.endsWith(REST);
  return { parameters: (open ? text.slice(0, -REST.length) : text).split(' ').map(parameter), open };
}

const parsed = new Map<string, Signature>();

function signatureOf(text: string): Signature {
  const known = parsed.get(text) ?? parse(text);
  parsed.set(text, known);
  return known;
}

/** Whether the argument is a non-empty tensor list. */
export const isTensorList = (arg: Arg): boolean => arg.items !== undefined && arg.items.length > 0;

export const isTensorial = (arg: Arg): boolean => arg.shape !== undefined || isTensorList(arg);

/** Whether the argument is None, or unspecified. */
const isBlank = ({ type, value }: Arg): boolean => type === 'unknown' || type === 'NoneType' || value === null;

/** Whether the argument is an empty list, or a list whose items are unspecified. */
const isBlankList = (arg: Arg): boolean =>
  KINDS.list.includes(arg.type) && (arg.value === undefined || (Array.isArray(arg.value) && arg.value.length === 0));

function fitsOperand({ optional, listed }: Parameter, arg: Arg): boolean {
  if (arg.shape !== undefined) return !listed;
  return isTensorList(arg) || (optional && (isBlank(arg) || isBlankList(arg)));
}

const fitsPlain = ({ kind }: Parameter, arg: Arg): boolean =>
  !isTensorial(arg) && (kind === null || isBlank(arg) || KINDS[kind].includes(arg.type));

function fits(param: Parameter, arg: Arg | undefined): boolean {
  const isOperand = param.reads || param.writes;
  if (arg === undefined) return !isOperand || param.optional;
  return isOperand ? fitsOperand(param, arg) : fitsPlain(param, arg);
}

/** Accepted numbers of arguments, best first: exact; with `out` tensors appended; of another version of the op. */
const LENGTHS: readonly ((count: number, args: readonly Arg[]) => boolean)[] = [
  (count, args) => args.length === count,
  (count, args) => args.length > count && args.slice(count).every(isTensorial),
  (count, args) => args.length < count || !args.slice(count).some(isTensorial),
];

/** A signature, and the arguments of a call in its order. */
interface FittingSignature {
  readonly signature: Signature;
  readonly args: readonly Arg[];
}

/**
 * The first of the signatures that the arguments fit; one of the same length is preferred. Null when they fit none.
 * @param argsFor the arguments in the order of a signature
 */
export function fittingSignature(
  argsFor: (signature: Signature) => readonly Arg[],
  texts: readonly string[],
): FittingSignature | null {
  const placed = texts.map(signatureOf).map((signature) => ({ signature, args: argsFor(signature) }));
  for (const fitsLength of LENGTHS) {
    const found = placed.find(
      ({ signature: { parameters, open }, args }) =>
        (open || fitsLength(parameters.length, args)) && parameters.every((param, at) => fits(param, args[at])),
    );
    if (found !== undefined) return found;
  }
  return null;
}
