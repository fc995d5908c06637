/**
 * The word query of a search: an event matches if it has all words, in any of its texts or in the given field.
 * `gemm op:linear dur>10us "layer norm"`: a word, a word of a field, a bound of a number, a quoted text. Of short names,
 * such as an op's, a word of the field is all of it, `*` and `?` standing for others; of the other texts a part.
 */

const TEXT_FIELDS = ['name', 'op', 'layer', 'dtype', 'tc', 'kind', 'lane', 'group', 'operands', 'queue'] as const;
export type TextField = (typeof TEXT_FIELDS)[number];
/** Fields in which a word without a field is searched. */
export const FREE_FIELDS: readonly TextField[] = ['name', 'op', 'layer', 'dtype', 'kind'];

/** Fields of short names: `op:mm` is not `record_param_comms`. */
export const WHOLE_FIELDS: ReadonlySet<TextField> = new Set(['op', 'dtype', 'tc', 'kind', 'queue']);

const NUMBER_FIELDS = ['dur', 'start', 'flops', 'bytes', 'id', 'pc'] as const;
export type NumberField = (typeof NUMBER_FIELDS)[number];

export type QueryTerm =
  | { readonly is: 'text'; readonly field: TextField | null; readonly text: string }
  | { readonly is: 'number'; readonly field: NumberField; readonly sign: '<' | '>' | '='; readonly value: number };

const FACTORS: Readonly<Record<string, number>> = {
  ns: 1,
  us: 1e3,
  µs: 1e3,
  ms: 1e6,
  s: 1e9,
  k: 1e3,
  m: 1e6,
  g: 1e9,
  t: 1e12,
};

function isOf<T extends string>(list: readonly T[], name: string): name is T {
  return (list as readonly string[]).includes(name);
}

/** `dur>1.5ms`, `id:12`; null where the word is no such bound. */
function numberTerm(field: string, sign: string, text: string): QueryTerm | null {
  if (!isOf(NUMBER_FIELDS, field)) return null;
  const value = parseAmount(text);
  return value === null ? null : { is: 'number', field, sign: sign === '<' || sign === '>' ? sign : '=', value };
}

/** '10us', '1.5ms' in ns, '2G' in ones; null for anything else. */
export function parseAmount(text: string): number | null {
  const [, digits, unit = ''] = /^(\d+(?:\.\d*)?(?:e\d+)?)([a-zµ]*)$/i.exec(text) ?? [];
  const factor = unit === '' ? 1 : FACTORS[unit.toLowerCase()];
  return digits === undefined || factor === undefined ? null : Number(digits) * factor;
}

function termOf(word: string): QueryTerm {
  const [, field = '', sign = '', rest = ''] = /^([a-z]+)([:<>=])(.*)$/is.exec(word) ?? [];
  const name = field.toLowerCase();
  const text = rest.replace(/^"|"$/g, '');
  const number = numberTerm(name, sign, text);
  if (number !== null) return number;
  // Only a known field makes a word one of a field: C++ names contain `::`.
  if (sign === ':' && isOf(TEXT_FIELDS, name)) return { is: 'text', field: name, text: text.toLowerCase() };
  return { is: 'text', field: null, text: word.replace(/^"|"$/g, '').toLowerCase() };
}

export function parseQuery(query: string): readonly QueryTerm[] {
  const words = query.match(/(?<![a-z])[a-z]+[:<>=]"[^"]*"|"[^"]*"|\S+/gi) ?? [];
  return words.map(termOf).filter((term) => term.is === 'number' || term.text !== '');
}
