/** Prints the tree of a mangled name as text, in GNU c++filt's spelling. */
import { append } from '../../../containers/element.js';
import { giveUp, type FunctionNode, type Node, type ExpressionNode } from './cursor.js';

interface ExpressionPrinter {
  text(node: Node): string;
  list(nodes: readonly Node[]): string;
  packLength(node: Node): number | null;
}

function expressionText(node: ExpressionNode, print: ExpressionPrinter): string {
  switch (node.kind) {
    case 'literal':
      return literalText(node.type, `${node.negative ? '-' : ''}${node.value}`, print);
    case 'parameter':
      return `{parm#${node.ordinal}}`;
    case 'unary':
      return unaryText(node.operator, node.operand, print);
    case 'postfix':
      return operand(node.operand, print) + node.operator;
    case 'binary':
      return binaryText(node.operator, node.left, node.right, print);
    case 'conditional':
      return `${operand(node.condition, print)}?${operand(node.yes, print)} : ${operand(node.no, print)}`;
    case 'call':
      return `${calleeText(node.callee, print)}(${print.list(node.args)})`;
    case 'cast':
      return `(${print.text(node.type)})${castOperand(node.operand, print)}`;
    case 'namedCast':
      return `${node.operator}<${print.text(node.type)}>(${print.text(node.operand)})`;
    case 'query':
      return `${node.operator}(${print.text(node.operand)})`;
    case 'packSize':
      return String(print.packLength(node.pack) ?? 0);
    case 'list':
      return `${node.type === null ? '' : print.text(node.type)}{${print.list(node.items)}}`;
  }
}

/** Prints an operand: a simple name without parentheses, anything else with them. */
function operand(node: Node, print: ExpressionPrinter): string {
  const text = print.text(node);
  const simple = node.kind === 'name' || node.kind === 'nested' || node.kind === 'list' || node.kind === 'parameter';
  return simple ? text : `(${text})`;
}

function unaryText(operator: string, node: Node, print: ExpressionPrinter): string {
  // The address of a function is printed without parameters.
  const isAddress = operator === '&' && node.kind === 'encoding' && node.name.kind === 'nested';
  return operator + operand(isAddress ? node.name : node, print);
}

function binaryText(operator: string, left: Node, right: Node, print: ExpressionPrinter): string {
  if (operator === '[]') return `${operand(left, print)}[${print.text(right)}]`;
  const text = operand(left, print) + operator + operand(right, print);
  return operator === '>' ? `(${text})` : text;
}

const calleeText = (callee: Node, print: ExpressionPrinter): string =>
  operand(callee.kind === 'encoding' ? callee.name : callee, print);

const castOperand = (node: Node | readonly Node[], print: ExpressionPrinter): string =>
  'kind' in node ? operand(node, print) : `(${print.list(node)})`;

const WORDS: Readonly<Record<string, string>> = { 0: 'false', 1: 'true' };

function literalText(type: Node, value: string, print: ExpressionPrinter): string {
  const style = type.kind === 'builtin' ? type.literal : 'cast';
  if (typeof style === 'object') return value + style.suffix;
  if (style === 'bool' && Object.hasOwn(WORDS, value)) return WORDS[value] ?? value;
  return `(${print.text(type)})${style === 'float' ? `[${value}]` : value}`;
}

/** Longer strings are rejected, because substitutions can expand a short name exponentially. */
const MAX_LENGTH = 1 << 18;
/** Most nodes visited. */
const MAX_STEPS = 1 << 18;
/** Deeper trees are rejected, because substitutions can nest types deeper than the text does. */
const MAX_DEPTH = 400;

/** Nodes other than types that are written around the name they declare. */
type UndeclaredNode = Exclude<
  Node,
  { kind: 'function' | 'array' | 'suffixed' | 'vendorQualified' | 'reference' | 'member' | 'param' }
>;

/** A type that is written around the name it declares: `void (*` and `)(int)`. */
interface Declarator {
  readonly left: string;
  readonly right: string;
  /** Opening parenthesis that a modifier of this type needs; null when it needs none. */
  readonly open: string | null;
}

const plain = (left: string): Declarator => ({ left, right: '', open: null });

export class Printer {
  #steps = 0;
  #depth = 0;
  #scope: TemplateScope | null = null;
  /** Index of the current item of an expansion; null outside of expansions. */
  #packIndex: number | null = null;
  #lambdas = 0;

  text(node: Node): string {
    const { left, right } = this.#declarator(node);
    return left + right;
  }

  /** Joins strings by commas; an empty pack prints nothing. */
  list(nodes: readonly Node[]): string {
    return nodes
      .map((node) => this.text(node))
      .filter((text) => text !== '')
      .join(', ');
  }

  /** Number of items in the parameter pack of a node; null when it has no pack. */
  packLength(node: Node): number | null {
    return packOf(node, this.#scope, () => this.#step())?.items.length ?? null;
  }

  #step(): void {
    if (++this.#steps > MAX_STEPS) giveUp();
  }

  #declarator(node: Node): Declarator {
    this.#step();
    if (++this.#depth > MAX_DEPTH) giveUp();
    const declarator = this.#unchecked(node);
    this.#depth--;
    if (declarator.left.length + declarator.right.length > MAX_LENGTH) giveUp();
    return declarator;
  }

  #unchecked(node: Node): Declarator {
    switch (node.kind) {
      case 'function':
        return this.#function(node);
      case 'array':
        return this.#array(node.type, node.size);
      case 'suffixed':
        return modified(this.#declarator(node.type), node.suffix);
      case 'vendorQualified':
        return modified(this.#declarator(node.type), ` ${this.text(node.qualifier)}`);
      case 'reference':
        return this.#reference(node.type, node.suffix);
      case 'member':
        return this.#member(node.scope, node.type);
      case 'param':
        if (this.#lambdas > 0) return plain(`auto:${node.index + 1}`);
        return this.#argument(node.index, (argument) => this.#declarator(argument));
      default:
        return plain(this.#name(node));
    }
  }

  #name(node: UndeclaredNode): string {
    switch (node.kind) {
      case 'name':
      case 'builtin':
        return node.text;
      case 'nested':
        return `${this.text(node.scope)}::${this.text(node.name)}`;
      case 'local':
        return `${this.text(node.scope)}::${this.text(node.entity)}`;
      case 'template':
        return this.#template(node.name, node.args);
      case 'encoding':
        return this.#encoding(node.name, node.type);
      case 'method':
        return this.text(node.name) + node.qualifiers;
      case 'tagged':
        return `${this.text(node.name)}[abi:${node.tag}]`;
      case 'conversion':
        return `operator ${this.text(node.type)}`;
      case 'lambda':
        return this.#lambda(node.params, node.ordinal);
      case 'pack':
        return this.list(node.items);
      case 'expansion':
        return this.#expansion(node.pattern);
      case 'vector':
        return `${this.text(node.type)} __vector(${this.text(node.size)})`;
      case 'decltype':
        return `decltype (${this.text(node.expression)})`;
      default:
        return expressionText(node, this);
    }
  }

  #template(node: Node, args: readonly Node[]): string {
    const name = this.text(node);
    const list = this.list(args);
    return `${name}${name.endsWith('<') ? ' ' : ''}<${list}${list.endsWith('>') ? ' ' : ''}>`;
  }

  /** Prints a function. Parameters in its signature refer to its template's arguments. */
  #encoding(name: Node, type: FunctionNode): string {
    const [bare, qualifiers] = thisQualifiers(name);
    const text = this.text(bare);
    const args = templateArgs(bare);
    return this.#within(args === null ? this.#scope : { args, outer: this.#scope }, () => {
      const returns = type.returns === null ? plain('') : this.#declarator(type.returns);
      const gap = returns.left === '' || returns.right !== '' ? '' : ' ';
      return `${returns.left}${gap}${text}(${this.list(type.params)})${qualifiers}${returns.right}`;
    });
  }

  #function({ returns, params, qualifiers }: FunctionNode): Declarator {
    const { left, right } = returns === null ? plain('') : this.#declarator(returns);
    const gap = left === '' || right !== '' ? '' : ' ';
    return { left: left + gap, right: `(${this.list(params)})${qualifiers}${right}`, open: '(' };
  }

  #array(type: Node, size: Node | null): Declarator {
    const { left, right, open } = this.#declarator(type);
    const inner = open === ' (' ? right.trimStart() : right;
    return { left, right: ` [${size === null ? '' : this.text(size)}]${inner}`, open: ' (' };
  }

  #member(scope: Node, type: Node): Declarator {
    const declarator = this.#declarator(type);
    return modified(declarator, `${declarator.open === null ? ' ' : ''}${this.text(scope)}::*`);
  }

  /** References to references collapse: only `&&` on `&&` stays `&&`. */
  #reference(type: Node, suffix: '&' | '&&'): Declarator {
    if (type.kind === 'param' && this.#lambdas === 0) {
      return this.#argument(type.index, (argument) => this.#reference(argument, suffix));
    }
    if (type.kind !== 'reference') return modified(this.#declarator(type), suffix);
    return this.#reference(type.type, suffix === '&&' && type.suffix === '&&' ? '&&' : '&');
  }

  #lambda(params: readonly Node[], ordinal: number): string {
    this.#lambdas++;
    const list = this.list(params);
    this.#lambdas--;
    return `{lambda(${list})#${ordinal}}`;
  }

  #expansion(pattern: Node): string {
    const length = this.packLength(pattern);
    if (length === null) return `${this.text(pattern)}...`;
    const outer = this.#packIndex;
    const texts: string[] = [];
    for (let index = 0; index < length; index++) {
      this.#packIndex = index;
      texts.push(this.text(pattern));
    }
    this.#packIndex = outer;
    return texts.join(', ');
  }

  /** Prints the argument of a template parameter. Parameters inside the argument refer to the outer scope. */
  #argument<T>(index: number, print: (argument: Node) => T): T {
    this.#step();
    const scope = this.#scope ?? giveUp();
    const argument = scope.args[index] ?? giveUp();
    const item = argument.kind === 'pack' && this.#packIndex !== null ? argument.items[this.#packIndex] : argument;
    return this.#within(scope.outer, () => print(item ?? giveUp()));
  }

  #within<T>(scope: TemplateScope | null, print: () => T): T {
    const saved = this.#scope;
    this.#scope = scope;
    const result = print();
    this.#scope = saved;
    return result;
  }
}

/** Appends `*`, `&`, ` const` … to a type. A constant array is an array of constants, and ` const` is printed only once. */
function modified({ left, right, open }: Declarator, suffix: string): Declarator {
  const qualifies = suffix === ' const' || suffix === ' volatile' || suffix === ' restrict';
  if (qualifies && left.endsWith(suffix)) return { left, right, open };
  if (qualifies && open === ' (') return { left: left + suffix, right, open };
  if (open === null) return { left: left + suffix, right, open };
  return { left: left + open + suffix, right: `)${right}`, open: null };
}

/** The arguments of a template, and those of the templates around it. */
interface TemplateScope {
  readonly args: readonly Node[];
  readonly outer: TemplateScope | null;
}

type Pack = Extract<Node, { kind: 'pack' }>;

/** Template arguments at the end of a function's name; null when it has none. */
function templateArgs(name: Node): readonly Node[] | null {
  if (name.kind === 'local') return templateArgs(name.entity);
  if (name.kind === 'method') return templateArgs(name.name);
  return name.kind === 'template' ? name.args : null;
}

/** Splits a function's name from the qualifiers of its `this`. */
function thisQualifiers(name: Node): readonly [Node, string] {
  if (name.kind === 'method') return [name.name, name.qualifiers];
  if (name.kind !== 'local' || name.entity.kind !== 'method') return [name, ''];
  return [{ ...name, entity: name.entity.name }, name.entity.qualifiers];
}

/**
 * The first parameter pack in the pattern of an expansion. Parts that occur several times are visited once.
 * @param step called for each node visited
 */
function packOf(pattern: Node, scope: TemplateScope | null, step: () => void): Pack | null {
  const waiting = [pattern];
  const visited = new Set<Node>();
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (visited.has(node)) continue;
    visited.add(node);
    step();
    const argument = node.kind === 'param' ? scope?.args[node.index] : undefined;
    if (argument?.kind === 'pack') return argument;
    append(waiting, parts(node).reverse());
  }
  return null;
}

/**
 * The nodes directly inside a node. The parameters of a lambda are not included, because their packs do not belong to
 * the pattern around it.
 */
function parts(node: Node): Node[] {
  if (node.kind === 'lambda') return [];
  const found: Node[] = [];
  for (const value of Object.values(node) as unknown[]) {
    if (isNode(value)) found.push(value);
    else if (Array.isArray(value)) append(found, value.filter(isNode));
  }
  return found;
}

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && 'kind' in value;
