/** Types: <type> and the parameters of a function. */
import { giveUp, type MangledCursor } from './cursor.js';
import { readExpression } from './expressions.js';
import { readIdentifier, readName, readSubstitution, readTemplateArgs, readTemplateParam } from './mangled-names.js';
import { named, type Node } from './mangled-node.js';
import { BUILTIN_TYPES, D_BUILTIN_TYPES, QUALIFIERS } from './codes.js';

/** <type>; `remember` false where the grammar's <decltype> is no <type>. */
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

/** A type that begins with a substitution; it is new only when something follows the substitution. */
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

/** Qualifiers and the type they qualify, together one type; before a function they belong to `this`. */
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

/** <type>s of `D` and a letter that are not builtin */
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

/** An address space or another qualifier of the compiler's own. */
function readVendorQualified(cursor: MangledCursor): Node {
  const qualifier = readVendor(cursor);
  return { kind: 'vendorQualified', qualifier, type: readType(cursor) };
}

/** `_Float16`, `_Float32x`, `std::bfloat16_t` */
function readSizedFloat(cursor: MangledCursor): Node {
  const bits = cursor.number();
  if (cursor.take('b')) return bits === 16 ? named('std::bfloat16_t') : giveUp();
  if (cursor.take('x')) return named(`_Float${bits}x`);
  cursor.expect('_');
  return named(`_Float${bits}`);
}
