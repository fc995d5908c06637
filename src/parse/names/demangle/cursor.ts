/**
 * The syntax tree of a mangled name, and the cursor that reads the name. The cursor keeps the parts that later parts
 * may refer to (substitutions).
 */

/**
 * Syntax tree of a mangled name. Template parameters are not replaced here, because their arguments depend on where
 * they are printed.
 */
export type Node =
  /** An identifier, a builtin type or an operator's name. `returns` false: constructors, destructors, conversions. */
  | { readonly kind: 'name'; readonly text: string; readonly returns?: false }
  | { readonly kind: 'builtin'; readonly text: string; readonly literal: LiteralStyle }
  /** Scope and name: `scope::name`. */
  | { readonly kind: 'nested'; readonly scope: Node; readonly name: Node }
  /** An entity inside a function: `function(int)::entity`. */
  | { readonly kind: 'local'; readonly scope: Node; readonly entity: Node }
  | { readonly kind: 'template'; readonly name: Node; readonly args: readonly Node[] }
  /** Template parameter by index. */
  | { readonly kind: 'param'; readonly index: number }
  /** Several template arguments of one parameter. */
  | { readonly kind: 'pack'; readonly items: readonly Node[] }
  /** The pattern is repeated for each item of the pack in it. */
  | { readonly kind: 'expansion'; readonly pattern: Node }
  | { readonly kind: 'lambda'; readonly params: readonly Node[]; readonly ordinal: number }
  | { readonly kind: 'tagged'; readonly name: Node; readonly tag: string }
  /** A member function with qualifiers after its parameters: ` const`. */
  | { readonly kind: 'method'; readonly name: Node; readonly qualifiers: string }
  /** A function with its parameters. */
  | { readonly kind: 'encoding'; readonly name: Node; readonly type: FunctionNode }
  | { readonly kind: 'conversion'; readonly type: Node; readonly returns: false }
  | TypeNode
  | ExpressionNode;

export interface FunctionNode {
  readonly kind: 'function';
  readonly returns: Node | null;
  readonly params: readonly Node[];
  /** Text after the parameters: ` const`, ` &`, ` noexcept`. */
  readonly qualifiers: string;
}

type TypeNode =
  | FunctionNode
  /** A type with text after it: `*`, ` const`, ` _Complex`. */
  | { readonly kind: 'suffixed'; readonly type: Node; readonly suffix: string }
  | { readonly kind: 'vendorQualified'; readonly qualifier: Node; readonly type: Node }
  | { readonly kind: 'reference'; readonly type: Node; readonly suffix: '&' | '&&' }
  | { readonly kind: 'array'; readonly type: Node; readonly size: Node | null }
  | { readonly kind: 'vector'; readonly type: Node; readonly size: Node }
  | { readonly kind: 'member'; readonly scope: Node; readonly type: Node }
  | { readonly kind: 'decltype'; readonly expression: Node };

export type ExpressionNode =
  | { readonly kind: 'literal'; readonly type: Node; readonly value: string; readonly negative: boolean }
  | { readonly kind: 'parameter'; readonly ordinal: number }
  | { readonly kind: 'unary'; readonly operator: string; readonly operand: Node }
  | { readonly kind: 'postfix'; readonly operator: string; readonly operand: Node }
  | { readonly kind: 'binary'; readonly operator: string; readonly left: Node; readonly right: Node }
  | { readonly kind: 'conditional'; readonly condition: Node; readonly yes: Node; readonly no: Node }
  | { readonly kind: 'call'; readonly callee: Node; readonly args: readonly Node[] }
  | { readonly kind: 'cast'; readonly type: Node; readonly operand: Node | readonly Node[] }
  | { readonly kind: 'namedCast'; readonly operator: string; readonly type: Node; readonly operand: Node }
  /** `sizeof (…)` and similar operators. Their operand is a type or an expression, always in parentheses. */
  | { readonly kind: 'query'; readonly operator: string; readonly operand: Node }
  | { readonly kind: 'packSize'; readonly pack: Node }
  | { readonly kind: 'list'; readonly type: Node | null; readonly items: readonly Node[] };

/** How a literal of a builtin type is written: plain, with a suffix, as a word, or with a cast before it. */
type LiteralStyle = 'cast' | 'bool' | 'float' | { readonly suffix: string };

export const named = (text: string): Node => ({ kind: 'name', text });

/** Parses a table of letters and their meanings, such as `c:char, s:short`. */
const coded = <T>(codes: string, make: (text: string) => T): [string, T][] =>
  codes.split(', ').map((entry) => [entry.charAt(0), make(entry.slice(2))]);

const builtins = (literal: LiteralStyle, codes: string): [string, Node][] =>
  coded(codes, (text) => ({ kind: 'builtin', text, literal }));

/** <builtin-type> with one letter. */
export const BUILTIN_TYPES: ReadonlyMap<string, Node> = new Map([
  ...builtins('cast', 'a:signed char, c:char, h:unsigned char, s:short, t:unsigned short, w:wchar_t'),
  ...builtins('cast', 'n:__int128, o:unsigned __int128, v:void, z:...'),
  ...builtins('bool', 'b:bool'),
  ...builtins('float', 'd:double, e:long double, f:float, g:__float128'),
  ...builtins({ suffix: '' }, 'i:int'),
  ...builtins({ suffix: 'u' }, 'j:unsigned int'),
  ...builtins({ suffix: 'l' }, 'l:long'),
  ...builtins({ suffix: 'ul' }, 'm:unsigned long'),
  ...builtins({ suffix: 'll' }, 'x:long long'),
  ...builtins({ suffix: 'ull' }, 'y:unsigned long long'),
]);

/** <builtin-type> with `D` and a letter. */
export const D_BUILTIN_TYPES: ReadonlyMap<string, Node> = new Map([
  ...builtins('cast', 'a:auto, c:decltype(auto), d:decimal64, e:decimal128, f:decimal32'),
  ...builtins('cast', 'i:char32_t, n:decltype(nullptr), s:char16_t, u:char8_t'),
  ...builtins('float', 'h:half'),
]);

/** <substitution> with `S` and a letter. */
export const STD_NAMES: ReadonlyMap<string, Node> = new Map(
  coded('a:allocator, b:basic_string, s:string, i:istream, o:ostream, d:iostream', (text) => named(`std::${text}`)),
);

/** <CV-qualifiers>, in any order. */
export const QUALIFIERS: ReadonlyMap<string, string> = new Map(
  coded('r:restrict, V:volatile, K:const', (text) => ` ${text}`),
);

interface OperatorCode {
  readonly text: string;
  /** Form in an expression; null when the operator only names a function. */
  readonly form: 'unary' | 'binary' | 'step' | 'conditional' | 'namedCast' | 'query' | null;
}

const operators = (form: OperatorCode['form'], codes: string): [string, OperatorCode][] =>
  codes
    .trim()
    .split(/\s+/)
    .map((entry) => [entry.slice(0, 2), { text: entry.slice(3).replace(/_$/, ' '), form }]);

/** <operator-name>: two letters; a '_' at the end stands for a space. */
export const OPERATORS: ReadonlyMap<string, OperatorCode> = new Map([
  ...operators('unary', 'ad:& co:~ de:* ng:- nt:! ps:+ aw:co_await_'),
  ...operators('step', 'mm:-- pp:++'),
  ...operators('binary', 'aN:&= aS:= aa:&& an:& cm:, dV:/= da:delete[]_ dv:/ eO:^= eo:^ eq:== ge:>= gt:> ix:[]'),
  ...operators('binary', 'lS:<<= le:<= ls:<< lt:< mI:-= mL:*= mi:- ml:* ne:!= oR:|= oo:|| or:| pL:+= pl:+ pm:->*'),
  ...operators('binary', 'rM:%= rS:>>= rm:% rs:>> ss:<=>'),
  ...operators('conditional', 'qu:?'),
  ...operators('namedCast', 'cc:const_cast dc:dynamic_cast rc:reinterpret_cast sc:static_cast'),
  ...operators('query', 'at:alignof_ st:sizeof_ nx:noexcept'),
  ...operators(null, 'cl:() dl:delete_ na:new[] nw:new pt:->'),
]);

/** The name is malformed, or uses grammar that is not supported. Thrown and caught only in this folder. */
export class NotDemangled extends Error {}

export function giveUp(): never {
  throw new NotDemangled('not demangled');
}

/** Deeper nesting is rejected. Real names nest about 30 levels deep. */
const MAX_DEPTH = 300;

export class MangledCursor {
  at = 0;
  /** <substitution> candidates in order. */
  readonly substitutions: Node[] = [];
  /** The last identifier that was read. A constructor or destructor has this name. */
  lastName = '';
  #depth = 0;

  constructor(readonly text: string) {}

  /** The character at an offset from the current one; '' at the end. */
  peek(offset = 0): string {
    return this.text.charAt(this.at + offset);
  }

  /** Consumes the expected text if it is next. */
  take(expected: string): boolean {
    if (!this.text.startsWith(expected, this.at)) return false;
    this.at += expected.length;
    return true;
  }

  expect(expected: string): void {
    if (!this.take(expected)) giveUp();
  }

  /** Consumes the next `length` characters. */
  slice(length: number): string {
    if (length > this.text.length - this.at) giveUp();
    this.at += length;
    return this.text.slice(this.at - length, this.at);
  }

  /** Whether the character at an offset from the current one is a digit. */
  isDigit(offset = 0): boolean {
    const character = this.peek(offset);
    return character >= '0' && character <= '9';
  }

  /** <number> without a sign. */
  number(): number {
    const start = this.at;
    while (this.isDigit()) this.at++;
    if (this.at === start || this.at - start > 9) giveUp();
    return Number(this.text.slice(start, this.at));
  }

  /** An ordinal: `_` is 0, `0_` is 1, `1_` is 2 … */
  ordinal(): number {
    if (this.take('_')) return 0;
    const number = this.number();
    this.expect('_');
    return number + 1;
  }

  /** Consumes characters up to and including the next `E`. */
  untilEnd(): string {
    const end = this.text.indexOf('E', this.at);
    if (end < 0) giveUp();
    const taken = this.text.slice(this.at, end);
    this.at = end + 1;
    return taken;
  }

  /** Reads items up to and including `E`. */
  listUntilEnd<T>(read: () => T): T[] {
    const items: T[] = [];
    while (!this.take('E')) items.push(read());
    return items;
  }

  /** Makes a node available to later substitutions. */
  remember(node: Node): Node {
    this.substitutions.push(node);
    return node;
  }

  /** Reads one level deeper. */
  nested<T>(read: () => T): T {
    if (++this.#depth > MAX_DEPTH) giveUp();
    const result = read();
    this.#depth--;
    return result;
  }
}
