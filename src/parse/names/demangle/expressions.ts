/** Expressions in template arguments and return types: <expression>, <expr-primary>. */
import { giveUp, type MangledCursor } from './cursor.js';
import { readEncoding, readTemplateArgs, readTemplateParam, readUnqualified } from './mangled-names.js';
import type { Node } from './mangled-node.js';
import { OPERATORS } from './codes.js';
import { readType } from './mangled-types.js';

type ExpressionReader = (cursor: MangledCursor) => Node;

/** Forms that begin with two letters that are no operator. */
const FORMS: ReadonlyMap<string, ExpressionReader> = new Map<string, ExpressionReader>([
  ['fp', (cursor) => ({ kind: 'parameter', ordinal: readParameter(cursor) })],
  ['sr', readScoped],
  ['on', readWithArgs],
  ['cl', (cursor) => ({ kind: 'call', callee: readExpression(cursor), args: readList(cursor) })],
  ['cv', readCast],
  ['dt', (cursor) => ({ kind: 'binary', operator: '.', left: readExpression(cursor), right: readMember(cursor) })],
  ['pt', (cursor) => ({ kind: 'binary', operator: '->', left: readExpression(cursor), right: readMember(cursor) })],
  ['sp', (cursor) => ({ kind: 'expansion', pattern: readExpression(cursor) })],
  ['sZ', (cursor) => ({ kind: 'packSize', pack: readExpression(cursor) })],
  ['sz', (cursor) => ({ kind: 'unary', operator: 'sizeof ', operand: readExpression(cursor) })],
  ['az', (cursor) => ({ kind: 'unary', operator: 'alignof ', operand: readExpression(cursor) })],
  ['il', (cursor) => ({ kind: 'list', type: null, items: readList(cursor) })],
  ['tl', (cursor) => ({ kind: 'list', type: readType(cursor), items: readList(cursor) })],
]);

export function readExpression(cursor: MangledCursor): Node {
  return cursor.nested(() => {
    if (cursor.peek() === 'L') return readLiteral(cursor);
    if (cursor.peek() === 'T') return readTemplateParam(cursor);
    if (cursor.isDigit()) return readWithArgs(cursor);
    const code = cursor.slice(2);
    return FORMS.get(code)?.(cursor) ?? readOperation(cursor, code);
  });
}

function readOperation(cursor: MangledCursor, code: string): Node {
  const operator = OPERATORS.get(code) ?? giveUp();
  switch (operator.form) {
    case 'unary':
      return { kind: 'unary', operator: operator.text, operand: readExpression(cursor) };
    case 'step': {
      const prefix = cursor.take('_');
      return { kind: prefix ? 'unary' : 'postfix', operator: operator.text, operand: readExpression(cursor) };
    }
    case 'binary':
      return { kind: 'binary', operator: operator.text, left: readExpression(cursor), right: readExpression(cursor) };
    case 'conditional':
      return {
        kind: 'conditional',
        condition: readExpression(cursor),
        yes: readExpression(cursor),
        no: readExpression(cursor),
      };
    case 'namedCast':
      return { kind: 'namedCast', operator: operator.text, type: readType(cursor), operand: readExpression(cursor) };
    case 'query': {
      const operand = code === 'nx' ? readExpression(cursor) : readType(cursor);
      return { kind: 'query', operator: operator.text, operand };
    }
    case null:
      return giveUp();
  }
}

const readList = (cursor: MangledCursor): Node[] => cursor.listUntilEnd(() => readExpression(cursor));

/** `fp_`, `fp0_` …: the function's own parameters; those of outer levels (`fL`) are not read. */
function readParameter(cursor: MangledCursor): number {
  if (cursor.peek() === 'T') giveUp();
  return cursor.ordinal() + 1;
}

/** `sr`: a name in a dependent scope, which is a type, or names up to `E`. */
function readScoped(cursor: MangledCursor): Node {
  const scope = cursor.isDigit() ? readLevels(cursor) : readType(cursor);
  return { kind: 'nested', scope, name: readWithArgs(cursor) };
}

function readLevels(cursor: MangledCursor): Node {
  const levels = cursor.listUntilEnd(() => readWithArgs(cursor));
  return levels.reduce((scope, level) =>
    level.kind === 'template'
      ? { ...level, name: { kind: 'nested', scope, name: level.name } }
      : { kind: 'nested', scope, name: level },
  );
}

function readWithArgs(cursor: MangledCursor): Node {
  const name = readUnqualified(cursor);
  return cursor.peek() === 'I' ? { kind: 'template', name, args: readTemplateArgs(cursor) } : name;
}

const readMember = (cursor: MangledCursor): Node => (cursor.isDigit() ? readWithArgs(cursor) : readExpression(cursor));

function readCast(cursor: MangledCursor): Node {
  const type = readType(cursor);
  return { kind: 'cast', type, operand: cursor.take('_') ? readList(cursor) : readExpression(cursor) };
}

export function readLiteral(cursor: MangledCursor): Node {
  cursor.expect('L');
  if (cursor.take('_Z') || cursor.take('Z')) {
    const encoding = readEncoding(cursor);
    cursor.expect('E');
    return encoding;
  }
  const type = readType(cursor);
  if (type.kind === 'builtin' && type.text === 'decltype(nullptr)' && cursor.take('E')) return type;
  const negative = cursor.take('n');
  const value = cursor.untilEnd();
  if (value === '') giveUp();
  return { kind: 'literal', type, value, negative };
}
