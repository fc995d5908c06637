/**
 * Demangler of C++ names (Itanium ABI), in GNU c++filt's spelling.
 *
 * It reads what occurs in names of kernels: namespaces, templates and their arguments, function types, lambdas, anonymous
 * namespaces, operators, packs, and expressions in template arguments. Anything else gives null: a name is demangled
 * exactly or not at all.
 */
import { MangledCursor, NotDemangled } from './cursor.js';
import { readEncoding } from './mangled-names.js';
import { Printer } from './print.js';

/** Characters of names and their results that are cached, so that each name is read once; the oldest are evicted. */
const MAX_CACHED = 1 << 23;
/** Longer names are not read. */
const MAX_LENGTH = 1 << 16;

const cache = new Map<string, string | null>();
let cached = 0;

/** Null when it cannot be demangled. A name that does not begin with `_Z` is returned as it is. Never throws. */
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
