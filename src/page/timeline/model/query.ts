/**
 * Parses searches: a condition in the language of `--where`, or words. An event matches if it has all words, in any of
 * its strings or in the given field. In `gemm op:linear dur>10us "layer norm"` there are a word, a word in a field, a
 * bound on a number, and a quoted text. For short names, such as an op's, a word must match the whole field, with the
 * wildcards `*` and `?`; in other strings it may match a part.
 */
import { parseFilter } from '../../../prof/query/filter.js';
import { nearest, UserError } from '../../../record/errors.js';
import type { Column } from '../../../table/column.js';
import { countOf, type TimelineEvents } from '../events/events.js';
import { insteadOf, CONDITION_KEYS, conditionColumns, type ConditionColumn } from './condition-columns.js';

const TEXT_FIELDS = [
  'name',
  'op',
  'layer',
  'category',
  'dtype',
  'tc',
  'kind',
  'lane',
  'group',
  'operands',
  'queue',
] as const;
export type TextField = (typeof TEXT_FIELDS)[number];
/** Fields in which a word without a field name is searched. */
export const FREE_FIELDS: readonly TextField[] = ['name', 'op', 'layer', 'dtype', 'kind'];

/** Fields of short names, which must match as a whole: `op:mm` does not match `record_param_comms`. */
export const WHOLE_FIELDS: ReadonlySet<TextField> = new Set(['op', 'category', 'dtype', 'tc', 'kind', 'queue']);

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

/** Parses `dur>1.5ms`, `id:12`; null when the word is not such a bound. */
function numberTerm(field: string, sign: string, text: string): QueryTerm | null {
  if (!isOf(NUMBER_FIELDS, field)) return null;
  const value = parseAmount(text);
  return value === null ? null : { is: 'number', field, sign: sign === '<' || sign === '>' ? sign : '=', value };
}

/** Parses '10us', '1.5ms' as ns, '2G' as a plain number; null for anything else. */
function parseAmount(text: string): number | null {
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
  // Only a known field name makes it a word in a field, because C++ names contain `::`.
  if (sign === ':' && isOf(TEXT_FIELDS, name)) return { is: 'text', field: name, text: text.toLowerCase() };
  return { is: 'text', field: null, text: word.replace(/^"|"$/g, '').toLowerCase() };
}

export function parseQuery(query: string): readonly QueryTerm[] {
  const words = query.match(/(?<![a-z])[a-z]+[:<>=]"[^"]*"|"[^"]*"|\S+/gi) ?? [];
  return words.map(termOf).filter((term) => term.is === 'number' || term.text !== '');
}

/** Operators; a query without any is not a condition. */
const OPERATOR = /[=!]=|[<>~]/;

/** Operators that names do not contain; a query with one is a condition, even if it is invalid. */
const CERTAIN = /&&|\|\||[=!<>]=|=~|!~/;

/** A quoted text, or a number with a unit after an operator: '>10us'. */
const QUOTED_OR_AMOUNT = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|([=!<>]=|[<>])(\s*)(\d[\w.µ]*)/g;

const QUOTED = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/g;

interface EventCondition {
  readonly test: (event: number) => boolean;
  /** Why it finds nothing, in one line; null when it is valid. */
  readonly problem: string | null;
  /** Data that it cannot search, in one line; null when it can search everything. */
  readonly remark: string | null;
}

const problemOf = (problem: string): EventCondition => ({ test: () => false, problem, remark: null });

/** The condition of a query; null when the query is not a condition, and must be read as words. */
export function conditionOf(events: TimelineEvents, query: string): EventCondition | null {
  if (!OPERATOR.test(query)) return null;
  const isCertain = CERTAIN.test(query.replace(QUOTED, ''));
  const asked = new AskedColumns(conditionColumns(events, query));
  try {
    const test = parseFilter(withoutUnits(query), asked.columnOf, 'search');
    const unknown = asked.problem(isCertain);
    if (unknown !== null) return problemOf(unknown);
    return asked.unknown.length > 0 ? null : { test, ...askedOf(events, asked.used) };
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return isCertain ? problemOf(error.line) : null;
  }
}

/** Replaces a column that the timeline does not have, so that the rest is parsed too. */
const nothing = (key: string): Column<number> => {
  return { key, header: key, type: 'str', width: 0, doc: '', value: () => null };
};

/** Columns that a condition names. */
class AskedColumns {
  readonly used: ConditionColumn[] = [];
  readonly unknown: string[] = [];
  readonly #columns: ReadonlyMap<string, ConditionColumn>;

  constructor(columns: readonly ConditionColumn[]) {
    this.#columns = new Map(columns.map((column) => [column.key, column]));
  }

  readonly columnOf = (key: string): Column<number> => {
    const found = this.#columns.get(key);
    if (found === undefined) this.unknown.push(key);
    else this.used.push(found);
    return found ?? nothing(key);
  };

  /** The message about the first name that is not a field; null when all are, or when the query may be meant as words. */
  problem(isCertain: boolean): string | null {
    for (const key of this.unknown) {
      const instead = insteadOf(key);
      if (instead !== null) return `the timeline has no ${key}: use ${instead} here, or dprof --where`;
      const near = nearest(key, CONDITION_KEYS);
      if (near !== null) return `unknown field '${key}': did you mean ${near}?`;
      if (isCertain) return `unknown field '${key}': see Keys for the fields`;
    }
    return null;
  }
}

/** Limits of the columns that a condition names, for these events. */
function askedOf(events: TimelineEvents, used: readonly ConditionColumn[]): Pick<EventCondition, 'problem' | 'remark'> {
  const keysOf = (need: ConditionColumn['needs']): string =>
    [...new Set(used.filter(({ needs }) => needs === need).map(({ key }) => key))].join(', ');
  const [single, details] = [keysOf('single'), keysOf('details')];
  if (events.merged === null) return { problem: null, remark: null };
  if (details !== '') return { problem: `bars of merged events have no ${details}: zoom into a step`, remark: null };
  const bars = single === '' ? 0 : barsOf(events);
  return { problem: null, remark: bars === 0 ? null : `${bars} bars of several events have no ${single}` };
}

function barsOf(events: TimelineEvents): number {
  let bars = 0;
  for (let event = 0; event < events.count; event++) if (countOf(events, event) > 1) bars++;
  return bars;
}

/** 'did you mean op==mm?' for words with a single sign; null for other queries. */
export function meantCondition(query: string): string | null {
  const [, key = '', rest = ''] = /^\s*([a-z]+)\s*=\s*([^=~\s].*)$/is.exec(query) ?? [];
  return CONDITION_KEYS.includes(key) ? `did you mean ${key}==${rest}?` : null;
}

const withoutUnits = (query: string): string =>
  query.replace(QUOTED_OR_AMOUNT, (found: string, sign?: string, blanks?: string, amount?: string) => {
    if (sign === undefined || blanks === undefined || amount === undefined) return found;
    const value = parseAmount(amount);
    return value === null ? found : `${sign}${blanks}${value}`;
  });
