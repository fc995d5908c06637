/**
 * Demangler of C++ names (Itanium ABI), in GNU c++filt's spelling.
 *
 * It reads what occurs in kernel names: namespaces, templates and their arguments, function types, lambdas, anonymous
 * namespaces, operators, packs, and expressions in template arguments. Anything else gives null: a name is demangled
 * exactly or not at all.
 */
import {
  MangledCursor,
  NotDemangled,
  giveUp,
  named,
  OPERATORS,
  QUALIFIERS,
  STD_NAMES,
  type FunctionNode,
  type Node,
} from './cursor.js';
import { Printer } from './print.js';
import { readExpression, readLiteral, readParams, readType } from './mangled-types.js';

/** <encoding>: a function with its parameters, or the name of anything else. */
export function readEncoding(cursor: MangledCursor): Node {
  return cursor.nested(() => {
    const name = readName(cursor);
    if (cursor.peek() === '' || cursor.peek() === 'E' || cursor.peek() === '.') return name;
    const returns = hasReturnType(name) ? readType(cursor) : null;
    const type: FunctionNode = { kind: 'function', returns, params: readParams(cursor), qualifiers: '' };
    return { kind: 'encoding', name, type };
  });
}

/**
 * Whether a mangled name contains its return type. Only templates have it, except constructors, destructors and
 * conversions.
 */
function hasReturnType(name: Node): boolean {
  if (name.kind === 'local') return hasReturnType(name.entity);
  if (name.kind === 'method') return hasReturnType(name.name);
  return name.kind === 'template' && returns(name.name);
}

function returns(name: Node): boolean {
  if (name.kind === 'nested') return returns(name.name);
  if (name.kind === 'local') return returns(name.entity);
  if (name.kind === 'tagged') return returns(name.name);
  return !('returns' in name) || name.returns !== false;
}

/** Names: <encoding>, <name>, <nested-name>, <local-name>, <unqualified-name>, <substitution>, <template-args>. */
export function readName(cursor: MangledCursor): Node {
  if (cursor.take('N')) return readNested(cursor);
  if (cursor.take('Z')) return readLocal(cursor);
  const substituted = cursor.peek() === 'S' && cursor.peek(1) !== 't';
  const name = substituted ? readSubstitution(cursor) : readUnscoped(cursor);
  if (cursor.peek() !== 'I') return name;
  if (!substituted) cursor.remember(name);
  return { kind: 'template', name, args: readTemplateArgs(cursor) };
}

function readUnscoped(cursor: MangledCursor): Node {
  if (!cursor.take('St')) return readUnqualified(cursor);
  return { kind: 'nested', scope: named('std'), name: readUnqualified(cursor) };
}

/** <nested-name>, after its `N` */
function readNested(cursor: MangledCursor): Node {
  let qualifiers = '';
  for (let text = QUALIFIERS.get(cursor.peek()); text !== undefined; text = QUALIFIERS.get(cursor.peek())) {
    qualifiers = text + qualifiers;
    cursor.at++;
  }
  if (cursor.take('R')) qualifiers += ' &';
  else if (cursor.take('O')) qualifiers += ' &&';
  const name = readPrefix(cursor);
  cursor.expect('E');
  return qualifiers === '' ? name : { kind: 'method', name, qualifiers };
}

/** <prefix>: later parts may refer to each longer prefix, but not to the whole name. */
function readPrefix(cursor: MangledCursor): Node {
  let prefix: Node | null = null;
  while (cursor.peek() !== 'E') {
    const character = cursor.peek();
    if (character === 'M' && prefix !== null) {
      // The scope of a data member's initializer is that member.
      cursor.at++;
      continue;
    }
    if (character === 'I') {
      if (prefix === null) giveUp();
      prefix = { kind: 'template', name: prefix, args: readTemplateArgs(cursor) };
    } else {
      const component = readComponent(cursor, character);
      prefix = prefix === null ? component : { kind: 'nested', scope: prefix, name: component };
    }
    if (character !== 'S' && cursor.peek() !== 'E') cursor.remember(prefix);
  }
  return prefix ?? giveUp();
}

function readComponent(cursor: MangledCursor, character: string): Node {
  if (character === 'S') return readSubstitution(cursor);
  if (character === 'T') return readTemplateParam(cursor);
  if (character === 'D' && /[tT]/.test(cursor.peek(1))) return readType(cursor, false);
  return readUnqualified(cursor);
}

/** A function without its return type, which is not printed when the function is a scope. */
const withoutReturn = (scope: Node): Node =>
  scope.kind === 'encoding' ? { ...scope, type: { ...scope.type, returns: null } } : scope;

/** <local-name>, after its `Z` */
function readLocal(cursor: MangledCursor): Node {
  const scope = withoutReturn(readEncoding(cursor));
  cursor.expect('E');
  if (cursor.take('s')) {
    readDiscriminator(cursor);
    return { kind: 'local', scope, entity: named('string literal') };
  }
  const isDefaultArg = cursor.take('d');
  const defaultArg = isDefaultArg ? cursor.ordinal() + 1 : 0;
  const name = readName(cursor);
  if (name.kind !== 'lambda') readDiscriminator(cursor);
  const entity: Node = isDefaultArg ? { kind: 'nested', scope: named(`{default arg#${defaultArg}}`), name } : name;
  return { kind: 'local', scope, entity };
}

/** <discriminator>: distinguishes equal names in one function, and is not printed. */
function readDiscriminator(cursor: MangledCursor): void {
  if (!cursor.take('_')) return;
  if (!cursor.take('_')) cursor.number();
  else if (cursor.number() >= 10) cursor.expect('_');
}

/** <unqualified-name> with its ABI tags */
export function readUnqualified(cursor: MangledCursor): Node {
  let name = readUntagged(cursor);
  while (cursor.take('B')) name = { kind: 'tagged', name, tag: readIdentifier(cursor) };
  return name;
}

function readUntagged(cursor: MangledCursor): Node {
  if (cursor.isDigit(1)) cursor.take('L');
  const character = cursor.peek();
  if (cursor.isDigit()) return named((cursor.lastName = readIdentifier(cursor)));
  if (character === 'C' && /[1-5]/.test(cursor.peek(1))) return readStructor(cursor, '');
  if (character === 'D' && /[01245]/.test(cursor.peek(1))) return readStructor(cursor, '~');
  if (cursor.take('Ul')) return readLambda(cursor);
  if (cursor.take('Ut')) return cursor.remember(named(`{unnamed type#${cursor.ordinal() + 1}}`));
  return readOperatorName(cursor);
}

function readStructor(cursor: MangledCursor, sign: string): Node {
  cursor.at += 2;
  if (cursor.lastName === '') giveUp();
  return { kind: 'name', text: sign + cursor.lastName, returns: false };
}

/** <closure-type-name>, after its `Ul`. Generic lambdas with their own template head are not supported. */
function readLambda(cursor: MangledCursor): Node {
  if (cursor.peek() === 'T' && /[ynpt]/.test(cursor.peek(1))) giveUp();
  const params = readParams(cursor);
  cursor.expect('E');
  return { kind: 'lambda', params, ordinal: cursor.ordinal() + 1 };
}

function readOperatorName(cursor: MangledCursor): Node {
  if (cursor.take('cv')) return { kind: 'conversion', type: readType(cursor), returns: false };
  if (cursor.take('li')) return named(`operator"" ${readIdentifier(cursor)}`);
  const operator = OPERATORS.get(cursor.slice(2)) ?? giveUp();
  return named(`operator${/^[a-z]/.test(operator.text) ? ' ' : ''}${operator.text.trimEnd()}`);
}

/** <source-name> */
export function readIdentifier(cursor: MangledCursor): string {
  const identifier = cursor.slice(cursor.number());
  if (identifier === '') giveUp();
  return /^_GLOBAL_[._$]N/.test(identifier) ? '(anonymous namespace)' : identifier;
}

export function readSubstitution(cursor: MangledCursor): Node {
  cursor.expect('S');
  const letter = cursor.slice(1);
  if (letter === 't') return named('std');
  const abbreviated = STD_NAMES.get(letter);
  if (abbreviated !== undefined) {
    // Constructors of such a class repeat the whole name of the class, which is not stored here.
    cursor.lastName = '';
    return abbreviated;
  }
  let index = 0;
  if (letter !== '_') {
    const end = cursor.text.indexOf('_', cursor.at);
    const digits = letter + cursor.slice(Math.max(0, end - cursor.at));
    if (end < 0 || !/^[0-9A-Z]{1,6}$/.test(digits)) giveUp();
    index = parseInt(digits, 36) + 1;
    cursor.at++;
  }
  return cursor.substitutions[index] ?? giveUp();
}

export function readTemplateParam(cursor: MangledCursor): Node {
  cursor.expect('T');
  return { kind: 'param', index: cursor.ordinal() };
}

export function readTemplateArgs(cursor: MangledCursor): Node[] {
  cursor.expect('I');
  // A constructor has the name of its class, not of the class's template arguments.
  const { lastName } = cursor;
  const args = cursor.nested(() => cursor.listUntilEnd(() => readTemplateArg(cursor)));
  cursor.lastName = lastName;
  return args;
}

function readTemplateArg(cursor: MangledCursor): Node {
  if (cursor.peek() === 'L') return readLiteral(cursor);
  if (cursor.take('J')) {
    return { kind: 'pack', items: cursor.nested(() => cursor.listUntilEnd(() => readTemplateArg(cursor))) };
  }
  if (cursor.take('Tn')) {
    // The declared type of a value parameter is not part of the printed name, but later parts may refer to its parts.
    readType(cursor);
    return readTemplateArg(cursor);
  }
  if (!cursor.take('X')) return readType(cursor);
  const expression = readExpression(cursor);
  cursor.expect('E');
  return expression;
}

/**
 * Size limit of the cache, in characters of names and results. The cache avoids parsing a name twice; the oldest
 * entries are evicted.
 */
const MAX_CACHED = 1 << 23;
/** Longer names are not parsed. */
const MAX_LENGTH = 1 << 16;

const cache = new Map<string, string | null>();
let cached = 0;

/**
 * Demangles a name; null when it cannot be demangled. A name that does not begin with `_Z` is returned unchanged. Never
 * throws.
 */
export function demangle(name: string): string | null {
  if (!name.startsWith('_Z')) return name;
  if (name.length > MAX_LENGTH) return null;
  const known = cache.get(name);
  if (known !== undefined) return known;
  const text = read(name);
  remember(name, text);
  return text;
}

function remember(name: string, text: string | null): void {
  cache.set(name, text);
  cached += sizeOf(name, text);
  for (const [oldest, its] of cache) {
    if (cached <= MAX_CACHED) break;
    cache.delete(oldest);
    cached -= sizeOf(oldest, its);
  }
}

const sizeOf = (name: string, text: string | null): number => name.length + (text === null ? 0 : text.length);

/** Suffixes that compilers add to copies of a function: `.kd`, `.isra.0`. */
const CLONES = /^(?:\.[a-z0-9_]+)*$/;

function read(name: string): string | null {
  const cursor = new MangledCursor(name);
  cursor.at = '_Z'.length;
  try {
    const tree = readEncoding(cursor);
    const rest = name.slice(cursor.at);
    if (!CLONES.test(rest)) return null;
    const clones = rest.match(/\.[a-z0-9_]+(?:\.\d+(?![a-z0-9_]))*/g) ?? [];
    return new Printer().text(tree) + clones.map((clone) => ` [clone ${clone}]`).join('');
  } catch (error) {
    if (error instanceof NotDemangled) return null;
    throw error;
  }
}
