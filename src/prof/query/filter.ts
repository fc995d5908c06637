/**
 * The filter language of `--where`: conditions on columns.
 *
 *     expression  = all { "||" all }
 *     all         = condition { ("&&" | ",") condition }
 *     condition   = "(" expression ")" | column operator value
 *     operator    = "==" "!=" ">=" "<=" ">" "<" "~" (contains, ignoring case) "!~"
 *                   "=~" (matches a pattern of * and ?, ignoring case)
 *     column      = its key; for a single counter counter:NAME, where NAME is a word like a value
 *     value       = a word without blanks, commas, parentheses, & and |; or text in quotes
 *
 * An unknown value matches only `==na`. A list equals its text or any of its entries. Nothing is ever evaluated.
 */
import { isNumeric, textOf, type Column, type ColumnShape, type CellValue } from '../../table/column.js';
import { wildcardTest } from './wildcards.js';
import { UsageError } from '../../record/errors.js';

export type RowFilter<Row> = (row: Row) => boolean;

type ValueTest = (value: NonNullable<CellValue>, column: ColumnShape) => boolean;

interface FilterOperator {
  readonly sign: string;
  /** Whether it compares sizes, so that a numeric column needs a number. */
  readonly orders?: boolean;
  test(wanted: string): ValueTest;
}

const asNumber = (text: string): number | null =>
  /^[+-]?(?:\d[\d_]*(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i.test(text) ? Number(text.replaceAll('_', '')) : null;

function equals(wanted: string): ValueTest {
  const number = asNumber(wanted);
  const same = (value: number | string): boolean => (typeof value === 'number' ? value === number : value === wanted);
  return (value, column) => {
    if (typeof value !== 'object') return same(value);
    return value.some(same) || textOf(column, value) === wanted;
  };
}

function ordered(wanted: string, holds: (order: number) => boolean): ValueTest {
  const number = asNumber(wanted);
  return (value) => {
    if (typeof value === 'number') return number !== null && holds(value - number);
    return typeof value === 'string' && holds(value < wanted ? -1 : value > wanted ? 1 : 0);
  };
}

function contains(wanted: string): ValueTest {
  const part = wanted.toLowerCase();
  return (value, column) => textOf(column, value).toLowerCase().includes(part);
}

function matches(wanted: string): ValueTest {
  const test = wildcardTest(wanted);
  return (value, column) =>
    test(textOf(column, value)) || (typeof value === 'object' && value.some((entry) => test(String(entry))));
}

const not =
  (test: ValueTest): ValueTest =>
  (value, column) =>
    !test(value, column);

/** Longer signs first: `>=` is not `>` followed by `=`. */
const OPERATORS: readonly FilterOperator[] = [
  { sign: '==', test: equals },
  { sign: '=~', test: matches },
  { sign: '!=', test: (wanted) => not(equals(wanted)) },
  { sign: '!~', test: (wanted) => not(contains(wanted)) },
  { sign: '>=', orders: true, test: (wanted) => ordered(wanted, (order) => order >= 0) },
  { sign: '<=', orders: true, test: (wanted) => ordered(wanted, (order) => order <= 0) },
  { sign: '>', orders: true, test: (wanted) => ordered(wanted, (order) => order > 0) },
  { sign: '<', orders: true, test: (wanted) => ordered(wanted, (order) => order < 0) },
  { sign: '~', test: contains },
];

/**
 * Parses an expression.
 * @param columnOf returns the column of a key; throws for an unknown one
 * @param option the option with which the expression was given, for messages
 * @throws UsageError pointing at the position of a syntax error, or naming the nearest column
 */
export const parseFilter = <Row>(
  text: string,
  columnOf: (key: string) => Column<Row>,
  option = '--where',
): RowFilter<Row> => new FilterParser(text, columnOf, option).parse();

/** Converts a comparison to a filter. */
export type ComparisonFilter<Row> = (column: Column<Row>, holds: RowFilter<Row>) => RowFilter<Row>;

/** One of the conditions joined by `||`. */
interface Alternative<Row> {
  readonly text: string;
  readonly matches: RowFilter<Row>;
}

/**
 * The conditions joined by `||`, with each comparison converted.
 * @throws UsageError as `parseFilter`
 */
export const parseAlternatives = <Row>(
  text: string,
  columnOf: (key: string) => Column<Row>,
  option: string,
  comparison: ComparisonFilter<Row>,
): readonly Alternative<Row>[] => new FilterParser(text, columnOf, option, comparison).alternatives();

const DEEPEST = 100;

function anyOf<Row>(parts: readonly Alternative<Row>[]): RowFilter<Row> {
  const filters = parts.map(({ matches }) => matches);
  const [first] = filters;
  return first !== undefined && filters.length === 1 ? first : (row) => filters.some((part) => part(row));
}

class FilterParser<Row> {
  #at = 0;
  #depth = 0;

  constructor(
    private readonly text: string,
    private readonly columnOf: (key: string) => Column<Row>,
    private readonly option: string,
    private readonly comparison: ComparisonFilter<Row> = (_column, holds) => holds,
  ) {}

  parse(): RowFilter<Row> {
    return anyOf(this.alternatives());
  }

  alternatives(): readonly Alternative<Row>[] {
    const parts = this.#parts();
    if (this.#at < this.text.length) this.#fail('expected && or ||');
    return parts;
  }

  #parts(): readonly Alternative<Row>[] {
    const parts: Alternative<Row>[] = [];
    do {
      const start = this.#at;
      const matches = this.#all();
      parts.push({ text: this.text.slice(start, this.#at).trim(), matches });
    } while (this.#skip('||'));
    return parts;
  }

  #all(): RowFilter<Row> {
    const first = this.#condition();
    const parts = [first];
    while (this.#skip('&&') || this.#skip(',')) parts.push(this.#condition());
    return parts.length === 1 ? first : (row) => parts.every((part) => part(row));
  }

  #condition(): RowFilter<Row> {
    if (!this.#skip('(')) return this.#comparison();
    if (++this.#depth > DEEPEST) this.#fail('too many parentheses');
    const inner = anyOf(this.#parts());
    if (!this.#skip(')')) this.#fail("expected ')'");
    this.#depth--;
    return inner;
  }

  #comparison(): RowFilter<Row> {
    const key = this.#match(/[A-Za-z]\w*(?::[^\s,()&|"'=<>~!]+)?/y);
    if (key === null) return this.#fail('expected a column');
    const column = this.columnOf(key);
    return this.comparison(column, this.#test(column));
  }

  #test(column: Column<Row>): RowFilter<Row> {
    const operator = OPERATORS.find(({ sign }) => this.#skip(sign));
    if (operator === undefined) return this.#fail(`expected one of ${OPERATORS.map(({ sign }) => sign).join(' ')}`);
    const start = this.#at;
    const wanted = this.#value();
    if (wanted === 'na' && operator.sign === '==') return (row) => column.value(row) === null;
    if (operator.orders === true && isNumeric(column) && asNumber(wanted) === null) {
      this.#at = start;
      this.#fail(`${column.key} takes a number`);
    }
    const test = operator.test(wanted);
    // No known value is `na`, so `op!=na` matches all known values.
    return (row) => {
      const value = column.value(row);
      return value !== null && test(value, column);
    };
  }

  #value(): string {
    const quoted = this.#match(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/y);
    if (quoted !== null) return quoted.slice(1, -1).replace(/\\(.)/g, '$1');
    return (
      this.#match(/[^\s,()&|"'=<>~!]+/y) ?? this.#fail('expected a value (quote it if it contains spaces or operators)')
    );
  }

  #skipBlanks(): void {
    while (/\s/.test(this.text.charAt(this.#at))) this.#at++;
  }

  #skip(sign: string): boolean {
    this.#skipBlanks();
    if (!this.text.startsWith(sign, this.#at)) return false;
    this.#at += sign.length;
    return true;
  }

  #match(pattern: RegExp): string | null {
    this.#skipBlanks();
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.text)?.[0];
    if (found === undefined) return null;
    this.#at += found.length;
    return found;
  }

  #fail(expected: string): never {
    this.#skipBlanks();
    const [before, after] = [this.text.slice(0, this.#at), this.text.slice(this.#at)];
    throw new UsageError(`${this.option}: ${expected} at ${this.#at + 1}: ${before}>>>${after === '' ? 'end' : after}`);
  }
}
