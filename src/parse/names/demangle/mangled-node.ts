/** Syntax tree of a mangled name. Template parameters stay: their arguments depend on where they are printed. */

export type Node =
  /** An identifier, a builtin type or an operator's name. `returns` false: constructors, destructors, conversions. */
  | { readonly kind: 'name'; readonly text: string; readonly returns?: false }
  | { readonly kind: 'builtin'; readonly text: string; readonly literal: LiteralStyle }
  /** `scope::name` */
  | { readonly kind: 'nested'; readonly scope: Node; readonly name: Node }
  /** `function(int)::entity` */
  | { readonly kind: 'local'; readonly scope: Node; readonly entity: Node }
  | { readonly kind: 'template'; readonly name: Node; readonly args: readonly Node[] }
  /** Template parameter by index. */
  | { readonly kind: 'param'; readonly index: number }
  /** Several template arguments of one parameter. */
  | { readonly kind: 'pack'; readonly items: readonly Node[] }
  /** The pattern once for each item of the pack in it. */
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
  /** After the parameters: ` const`, ` &`, ` noexcept`. */
  readonly qualifiers: string;
}

type TypeNode =
  | FunctionNode
  /** A type with something after it: `*`, ` const`, ` _Complex`. */
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
  /** `sizeof (…)` and its like, with a type or an expression always in parentheses. */
  | { readonly kind: 'query'; readonly operator: string; readonly operand: Node }
  | { readonly kind: 'packSize'; readonly pack: Node }
  | { readonly kind: 'list'; readonly type: Node | null; readonly items: readonly Node[] };

/** How a literal of a builtin type is written: plain, with a suffix, as a word, or with a cast before it. */
export type LiteralStyle = 'cast' | 'bool' | 'float' | { readonly suffix: string };

export const named = (text: string): Node => ({ kind: 'name', text });
