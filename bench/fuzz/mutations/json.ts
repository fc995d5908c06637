/** Damage to the tokens of JSON, of lines of JSON and of Python's dicts: values, keys, members, nesting. */
import type { Mutation } from '../input.js';
import type { Random } from '../random.js';

const TOKEN = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[^\s"',:[\]{}()]+|\s+|./gs;

/** Values to put where another value is expected. */
const VALUES = [
  'null',
  '{}',
  '[]',
  '""',
  '-1',
  '0',
  '0.5',
  '1e308',
  '-1e308',
  '1e309',
  '4294967296',
  '9007199254740993',
  '18446744073709551615',
  '-9223372036854775808',
  '123456789012345678901234567890',
  '[[[]]]',
  'true',
  '"x"',
  '"12"',
  '"-7.5"',
  '"\\u0000"',
  '"\\ud800"',
  '"__proto__"',
  '{"__proto__":1}',
  '"../../x"',
  '[1,"x",null]',
  '{"a":{"b":[1]}}',
] as const;

interface Tokens {
  readonly texts: readonly string[];
  /** How many brackets are open before each token. */
  readonly depths: Uint16Array;
}

export function tokensIn(text: string): Tokens {
  const texts: readonly string[] = text.match(TOKEN) ?? [];
  const depths = new Uint16Array(texts.length);
  let depth = 0;
  for (const [i, token] of texts.entries()) {
    if (isClose(token)) depth--;
    depths[i] = depth;
    if (isOpen(token)) depth++;
  }
  return { texts, depths };
}

/** Inputs are damaged many times, but scanned only once. */
const scanned = new WeakMap<Buffer, Tokens>();

function tokensOf(bytes: Buffer): Tokens {
  const known = scanned.get(bytes) ?? tokensIn(bytes.toString('utf8'));
  scanned.set(bytes, known);
  return known;
}

const isOpen = (token: string): boolean => token === '{' || token === '[' || token === '(';
const isClose = (token: string): boolean => token === '}' || token === ']' || token === ')';
const isBlank = (token: string): boolean => token.trim() === '';
const isText = (token: string): boolean => token.startsWith('"') || token.startsWith("'");
const isNumber = (token: string): boolean => /^-?\d/.test(token);
const isScalar = (token: string): boolean => isText(token) || /^[-\w]/.test(token);

/** The place behind the value at a place. */
function endOf({ texts, depths }: Tokens, at: number): number {
  if (!isOpen(texts[at] ?? '')) return at + 1;
  let end = at + 1;
  while (end < texts.length && !((depths[end] ?? 0) <= (depths[at] ?? 0) && isClose(texts[end] ?? ''))) end++;
  return Math.min(end + 1, texts.length);
}

/** The next token that is not blank. */
function next(texts: readonly string[], at: number): number {
  while (at < texts.length && isBlank(texts[at] ?? '')) at++;
  return at;
}

const isKey = (texts: readonly string[], at: number): boolean =>
  isText(texts[at] ?? '') && texts[next(texts, at + 1)] === ':';

/** A token for which the condition holds, near a random place; -1 when none is near. */
function find({ texts }: Tokens, random: Random, holds: (at: number) => boolean): number {
  const from = random.below(texts.length);
  for (let at = from; at < Math.min(texts.length, from + 2000); at++) if (holds(at)) return at;
  return -1;
}

/** What replaces the tokens from `at` to `to`. */
interface Edit {
  readonly at: number;
  readonly to: number;
  readonly by: string;
}
type Editor = (tokens: Tokens, random: Random) => Edit | null;

/** A member with its key; with the comma behind it where one is. */
function member(tokens: Tokens, random: Random): { at: number; value: number; end: number; behind: number } | null {
  const { texts } = tokens;
  const at = find(tokens, random, (place) => isKey(texts, place));
  if (at === -1) return null;
  const value = next(texts, next(texts, at + 1) + 1);
  const end = endOf(tokens, value);
  const behind = next(texts, end);
  return { at, value, end, behind: texts[behind] === ',' ? behind + 1 : end };
}

const EDITORS: Readonly<Record<string, Editor>> = {
  'number changed': (tokens, random) => {
    const at = find(tokens, random, (place) => isNumber(tokens.texts[place] ?? ''));
    if (at === -1) return null;
    const old = Number(tokens.texts[at]);
    const by = random.chance(0.5) ? random.of(VALUES) : random.of([`-${old}`, `${old}e9`, `${old + 0.25}`, `"${old}"`]);
    return { at, to: at + 1, by };
  },
  'value replaced': (tokens, random) => {
    const found = member(tokens, random);
    return found && { at: found.value, to: found.end, by: random.of(VALUES) };
  },
  'text changed': (tokens, random) => {
    const { texts } = tokens;
    const at = find(tokens, random, (place) => isText(texts[place] ?? '') && !isKey(texts, place));
    if (at === -1) return null;
    const old = texts[at] ?? '';
    const inside = old.slice(1, -1);
    const quote = old.charAt(0);
    const half = inside.slice(0, random.below(inside.length + 1)).replace(/\\[^\\]?$/, '');
    return {
      at,
      to: at + 1,
      by: quote + random.of([half, inside + inside, '', `${inside}0`, 'é☃'.repeat(99)]) + quote,
    };
  },
  'value from elsewhere': (tokens, random) => {
    const { texts } = tokens;
    const [at, from] = [1, 2].map(() =>
      find(tokens, random, (place) => isScalar(texts[place] ?? '') && !isKey(texts, place)),
    ) as [number, number];
    return at === -1 || from === -1 ? null : { at, to: at + 1, by: texts[from] ?? '' };
  },
  'key renamed': (tokens, random) => {
    const found = member(tokens, random);
    return found && { at: found.at, to: found.at + 1, by: random.of(['"x"', '""', '"__proto__"', '"constructor"']) };
  },
  'member removed': (tokens, random) => {
    const found = member(tokens, random);
    return found && { at: found.at, to: found.behind, by: '' };
  },
  'member doubled': (tokens, random) => {
    const found = member(tokens, random);
    if (found === null) return null;
    const text = tokens.texts.slice(found.at, found.end).join('');
    return { at: found.end, to: found.end, by: `,${text}` };
  },
  'value nested': (tokens, random) => {
    const found = member(tokens, random);
    if (found === null) return null;
    const depth = random.few(40);
    const value = tokens.texts.slice(found.value, found.end).join('');
    const [open, close] = random.of([['[', ']'], ['{"a":', '}']] as const); // prettier-ignore
    return { at: found.value, to: found.end, by: open.repeat(depth) + value + close.repeat(depth) };
  },
};

function edited({ texts }: Tokens, { at, to, by }: Edit): Buffer {
  return Buffer.from(texts.slice(0, at).join('') + by + texts.slice(to).join(''));
}

const mutationOf =
  (editor: Editor): Mutation =>
  (bytes, random) => {
    const tokens = tokensOf(bytes);
    const edit = editor(tokens, random);
    if (edit === null) return null;
    // Within an object of a list: of one event, one row, one report.
    const isInside = (tokens.depths[edit.at] ?? 0) > 2;
    return { bytes: edited(tokens, edit), ...(isInside ? { kernels: { lost: 1, added: 1 } } : undefined) };
  };

/** Values and members of JSON changed; it stays JSON, mostly. */
export const JSON_MUTATIONS: Readonly<Record<string, Mutation>> = {
  ...Object.fromEntries(Object.entries(EDITORS).map(([name, editor]) => [name, mutationOf(editor)])),
  'tokens changed': (bytes, random) => ({ bytes: Buffer.from(changeTokens(tokensOf(bytes).texts, random)) }),
};

/** Tokens replaced, left out, repeated elsewhere: seldom JSON afterwards. */
export function changeTokens(texts: readonly string[], random: Random): string {
  const changed = [...texts];
  for (let n = random.few(8); n > 0 && changed.length > 0; n--) {
    const at = random.below(changed.length);
    if (random.chance(0.6)) changed[at] = random.of(VALUES);
    else if (random.chance(0.5)) changed.splice(at, random.few(4));
    else changed.splice(at, 0, changed[random.below(changed.length)] ?? '');
  }
  return changed.join('');
}
