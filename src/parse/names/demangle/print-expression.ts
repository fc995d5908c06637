/** Expressions → text, in GNU c++filt's spelling: nearly every operand is parenthesized. */
import type { ExpressionNode, Node } from './mangled-node.js';

interface ExpressionPrinter {
  text(node: Node): string;
  list(nodes: readonly Node[]): string;
  packLength(node: Node): number | null;
}

export function expressionText(node: ExpressionNode, print: ExpressionPrinter): string {
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

/** An operand: simple names are bare, anything else is parenthesized. */
function operand(node: Node, print: ExpressionPrinter): string {
  const text = print.text(node);
  const simple = node.kind === 'name' || node.kind === 'nested' || node.kind === 'list' || node.kind === 'parameter';
  return simple ? text : `(${text})`;
}

function unaryText(operator: string, node: Node, print: ExpressionPrinter): string {
  // The address of a function needs no parameters.
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
