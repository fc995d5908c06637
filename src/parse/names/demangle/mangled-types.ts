/** Types: <type> and the parameters of a function. */
import {
  giveUp,
  named,
  BUILTIN_TYPES,
  D_BUILTIN_TYPES,
  QUALIFIERS,
  OPERATORS,
  type MangledCursor,
  type Node,
} from './cursor.js';
import {
  readIdentifier,
  readName,
  readSubstitution,
  readTemplateArgs,
  readTemplateParam,
  readEncoding,
  readUnqualified,
} from './demangle.js';

/** <type>; `remember` is false when a <decltype> is not a <type> in the grammar. */
export function readType(cursor: MangledCursor, remember = true): Node {
  return cursor.nested(() => {
    const builtin = BUILTIN_TYPES.get(cursor.peek()) ?? dBuiltin(cursor);
    if (builtin !== undefined) {
      cursor.at += cursor.peek() === 'D' ? 2 : 1;
      return builtin;
    }
    if (cursor.peek() === 'S') return readSubstituted(cursor);
    const type = readCompound(cursor);
    return remember ? cursor.remember(type) : type;
  });
}

const dBuiltin = (cursor: MangledCursor): Node | undefined =>
  cursor.peek() === 'D' ? D_BUILTIN_TYPES.get(cursor.peek(1)) : undefined;

/** A type that begins with a substitution. It is a new candidate only when something follows the substitution. */
function readSubstituted(cursor: MangledCursor): Node {
  if (/[0-9A-Z_]/.test(cursor.peek(1))) {
    const name = readSubstitution(cursor);
    if (cursor.peek() !== 'I') return name;
    return cursor.remember({ kind: 'template', name, args: readTemplateArgs(cursor) });
  }
  const abbreviation = cursor.peek(1) !== 't';
  const name = readName(cursor);
  return abbreviation && name.kind === 'name' ? name : cursor.remember(name);
}

function readCompound(cursor: MangledCursor): Node {
  const character = cursor.peek();
  if (QUALIFIERS.has(character)) return readQualified(cursor);
  if (cursor.isDigit() || character === 'N' || character === 'Z') return readName(cursor);
  if (character === 'D') return readExtended(cursor);
  if (character === 'T') return readParamType(cursor);
  cursor.at++;
  switch (character) {
    case 'P':
      return { kind: 'suffixed', type: readType(cursor), suffix: '*' };
    case 'R':
      return { kind: 'reference', type: readType(cursor), suffix: '&' };
    case 'O':
      return { kind: 'reference', type: readType(cursor), suffix: '&&' };
    case 'C':
      return { kind: 'suffixed', type: readType(cursor), suffix: ' _Complex' };
    case 'F':
      return readFunction(cursor, '');
    case 'A':
      return readArray(cursor);
    case 'M':
      return { kind: 'member', scope: readType(cursor), type: readType(cursor) };
    case 'u':
      return readVendor(cursor);
    case 'U':
      return readVendorQualified(cursor);
    default:
      return giveUp();
  }
}

/** Qualifiers and the type they qualify, together one type; before a function type they qualify `this`. */
function readQualified(cursor: MangledCursor): Node {
  const suffixes: string[] = [];
  for (let text = QUALIFIERS.get(cursor.peek()); text !== undefined; text = QUALIFIERS.get(cursor.peek())) {
    suffixes.unshift(text);
    cursor.at++;
  }
  if (cursor.take('F')) return readFunction(cursor, suffixes.join(''));
  return suffixes.reduce<Node>((type, suffix) => ({ kind: 'suffixed', type, suffix }), readType(cursor));
}

function readParamType(cursor: MangledCursor): Node {
  const param = readTemplateParam(cursor);
  if (cursor.peek() !== 'I') return param;
  cursor.remember(param);
  return { kind: 'template', name: param, args: readTemplateArgs(cursor) };
}

/** <type> that begins with `D` and a letter and is not builtin */
function readExtended(cursor: MangledCursor): Node {
  if (cursor.take('Dp')) return { kind: 'expansion', pattern: readType(cursor) };
  if (cursor.take('DF')) return readSizedFloat(cursor);
  if (cursor.take('Do')) {
    cursor.expect('F');
    return readFunction(cursor, ' noexcept');
  }
  if (cursor.take('Dv')) {
    const size = cursor.take('_') ? readExpression(cursor) : named(String(cursor.number()));
    cursor.expect('_');
    return { kind: 'vector', type: readType(cursor), size };
  }
  if (!cursor.take('Dt') && !cursor.take('DT')) giveUp();
  const expression = readExpression(cursor);
  cursor.expect('E');
  return { kind: 'decltype', expression };
}

/** <function-type>, after its `F` */
function readFunction(cursor: MangledCursor, qualifiers: string): Node {
  cursor.take('Y');
  const returns = readType(cursor);
  const params = readParams(cursor);
  let reference = '';
  if (cursor.take('R')) reference = ' &';
  else if (cursor.take('O')) reference = ' &&';
  cursor.expect('E');
  return { kind: 'function', returns, params, qualifiers: qualifiers + reference };
}

/** Types of the parameters, up to the end of the name or of the construct around it. */
export function readParams(cursor: MangledCursor): Node[] {
  const params: Node[] = [];
  const isEnd = (): boolean => /^[E.]?$/.test(cursor.peek()) || (/[RO]/.test(cursor.peek()) && cursor.peek(1) === 'E');
  while (!isEnd()) params.push(readType(cursor));
  const [only] = params;
  if (only === undefined) giveUp();
  return params.length === 1 && only === BUILTIN_TYPES.get('v') ? [] : params;
}

/** <array-type>, after its `A` */
function readArray(cursor: MangledCursor): Node {
  let size: Node | null = null;
  if (cursor.isDigit()) size = named(String(cursor.number()));
  else if (cursor.peek() !== '_') size = readExpression(cursor);
  cursor.expect('_');
  return { kind: 'array', type: readType(cursor), size };
}

function readVendor(cursor: MangledCursor): Node {
  const name = named(readIdentifier(cursor));
  return cursor.peek() === 'I' ? { kind: 'template', name, args: readTemplateArgs(cursor) } : name;
}

/** An address space or another vendor qualifier. */
function readVendorQualified(cursor: MangledCursor): Node {
  const qualifier = readVendor(cursor);
  return { kind: 'vendorQualified', qualifier, type: readType(cursor) };
}

/** A float of a stated size: `_Float16`, `_Float32x`, `std::bfloat16_t`. */
function readSizedFloat(cursor: MangledCursor): Node {
  const bits = cursor.number();
  if (cursor.take('b')) return bits === 16 ? named('std::bfloat16_t') : giveUp();
  if (cursor.take('x')) return named(`_Float${bits}x`);
  cursor.expect('_');
  return named(`_Float${bits}`);
}

type ExpressionReader = (cursor: MangledCursor) => Node;

/** Expressions that begin with two letters that are not an operator. */
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

/** `fp_`, `fp0_` …: the function's own parameters; those of outer levels (`fL`) are not supported. */
function readParameter(cursor: MangledCursor): number {
  if (cursor.peek() === 'T') giveUp();
  return cursor.ordinal() + 1;
}

/** `sr`: a name in a dependent scope. The scope is a type, or names up to `E`. */
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
