/**
 * What is searched for: words that an event must all have, in any of its texts or in the field that is named.
 * `gemm op:linear dur>10us "layer norm"`: a word, a word of a field, a bound of an amount, words in quotes.
 */

/** Fields of texts, in the order in which they are told. */
export const TEXT_FIELDS = ['name', 'op', 'layer', 'dtype', 'tc', 'kind', 'lane', 'group'] as const;
export type TextField = (typeof TEXT_FIELDS)[number];
/** Fields without the lane and its group: a word of no field is looked for in these. */
export const FREE_FIELDS: readonly TextField[] = ['name', 'op', 'layer', 'dtype', 'kind'];

export const NUMBER_FIELDS = ['dur', 'start', 'flops', 'bytes', 'id'] as const;
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

/** `dur>1.5ms`, `id:12`; null where it is none. */
function numberTerm(field: string, sign: string, text: string): QueryTerm | null {
  if (!isOf(NUMBER_FIELDS, field)) return null;
  const [, digits = '', unit = ''] = /^(\d+(?:\.\d*)?(?:e\d+)?)([a-zµ]*)$/i.exec(text) ?? [];
  const factor = unit === '' ? 1 : FACTORS[unit.toLowerCase()];
  if (digits === '' || factor === undefined) return null;
  return { is: 'number', field, sign: sign === '<' || sign === '>' ? sign : '=', value: Number(digits) * factor };
}

function termOf(word: string): QueryTerm {
  const [, field = '', sign = '', rest = ''] = /^([a-z]+)([:<>=])(.*)$/is.exec(word) ?? [];
  const name = field.toLowerCase();
  const text = rest.replace(/^"|"$/g, '');
  const number = numberTerm(name, sign, text);
  if (number !== null) return number;
  // C++ names hold `::`; only a field that there is makes a word one of a field.
  if (sign === ':' && isOf(TEXT_FIELDS, name)) return { is: 'text', field: name, text: text.toLowerCase() };
  return { is: 'text', field: null, text: word.replace(/^"|"$/g, '').toLowerCase() };
}

/** Terms of a query; a query of blanks has none. */
export function parseQuery(query: string): readonly QueryTerm[] {
  const words = query.match(/[a-z]+[:<>=]"[^"]*"|"[^"]*"|[^\s]+/gi) ?? [];
  return words.map(termOf).filter((term) => term.is === 'number' || term.text !== '');
}
