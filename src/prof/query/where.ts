/**
 * `--where`: conditions on columns.
 *
 *     expression  = all { "||" all }
 *     all         = condition { ("&&" | ",") condition }
 *     condition   = "(" expression ")" | column operator value
 *     operator    = "==" "!=" ">=" "<=" ">" "<" "~" (contains, in any case) "!~"
 *     value       = a word without blanks, commas, parentheses, & and |; or text in quotes
 *
 * Unknown matches nothing but `==na`. A list equals its text or any of its entries. Nothing is ever evaluated.
 */
import { requireColumn } from '../columns/columns.js';
import { isNumeric, textOf, type Value } from '../../table/column.js';
import { type KernelColumn } from '../columns/kernel-column.js';
import { UsageError } from '../../record/errors.js';
import type { Annotated } from '../annotate.js';

export type Condition = (row: Annotated) => boolean;

/** What an operator asks of a known value. */
type Test = (value: NonNullable<Value>, column: KernelColumn) => boolean;

interface Operator {
  readonly sign: string;
  /** Whether it orders, so that a number column needs a number. */
  readonly orders?: boolean;
  test(wanted: string): Test;
}

const asNumber = (text: string): number | null =>
  /^[+-]?(?:\d[\d_]*\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(text) ? Number(text.replaceAll('_', '')) : null;

function equals(wanted: string): Test {
  const number = asNumber(wanted);
  const same = (value: number | string): boolean => (typeof value === 'number' ? value === number : value === wanted);
  return (value, column) => {
    if (typeof value !== 'object') return same(value);
    return value.some(same) || textOf(column, value) === wanted;
  };
}

function ordered(wanted: string, holds: (order: number) => boolean): Test {
  const number = asNumber(wanted);
  return (value) => {
    if (typeof value === 'number') return number !== null && holds(value - number);
    return typeof value === 'string' && holds(value < wanted ? -1 : value > wanted ? 1 : 0);
  };
}

function contains(wanted: string): Test {
  const part = wanted.toLowerCase();
  return (value, column) => textOf(column, value).toLowerCase().includes(part);
}

const not =
  (test: Test): Test =>
  (value, column) =>
    !test(value, column);

/** Longer signs first: `>=` is not `>` and then `=`. */
const OPERATORS: readonly Operator[] = [
  { sign: '==', test: equals },
  { sign: '!=', test: (wanted) => not(equals(wanted)) },
  { sign: '!~', test: (wanted) => not(contains(wanted)) },
  { sign: '>=', orders: true, test: (wanted) => ordered(wanted, (order) => order >= 0) },
  { sign: '<=', orders: true, test: (wanted) => ordered(wanted, (order) => order <= 0) },
  { sign: '>', orders: true, test: (wanted) => ordered(wanted, (order) => order > 0) },
  { sign: '<', orders: true, test: (wanted) => ordered(wanted, (order) => order < 0) },
  { sign: '~', test: contains },
];

/**
 * @throws UsageError pointing at the place that cannot be read, or naming the nearest column
 */
export function parseWhere(text: string): Condition {
  return new Parser(text).parse();
}

const DEEPEST = 100;

class Parser {
  #at = 0;
  #depth = 0;

  constructor(private readonly text: string) {}

  parse(): Condition {
    const condition = this.#any();
    if (this.#at < this.text.length) this.#fail('expected && or ||');
    return condition;
  }

  #any(): Condition {
    const parts = [this.#all()];
    while (this.#take('||')) parts.push(this.#all());
    return parts.length === 1 && parts[0] !== undefined ? parts[0] : (row) => parts.some((part) => part(row));
  }

  #all(): Condition {
    const parts = [this.#condition()];
    while (this.#take('&&') || this.#take(',')) parts.push(this.#condition());
    return parts.length === 1 && parts[0] !== undefined ? parts[0] : (row) => parts.every((part) => part(row));
  }

  #condition(): Condition {
    if (!this.#take('(')) return this.#comparison();
    if (++this.#depth > DEEPEST) this.#fail('too many parentheses');
    const inner = this.#any();
    if (!this.#take(')')) this.#fail("expected ')'");
    this.#depth--;
    return inner;
  }

  #comparison(): Condition {
    const key = this.#match(/[A-Za-z]\w*/y);
    if (key === null) return this.#fail('expected a column');
    const column = requireColumn(key);
    const operator = OPERATORS.find(({ sign }) => this.#take(sign));
    if (operator === undefined) return this.#fail(`expected one of ${OPERATORS.map(({ sign }) => sign).join(' ')}`);
    const place = this.#at;
    const wanted = this.#value();
    if (wanted === 'na' && operator.sign === '==') return (row) => column.value(row) === null;
    if (operator.orders === true && isNumeric(column) && asNumber(wanted) === null) {
      this.#at = place;
      this.#fail(`${column.key} is compared with a number`);
    }
    const test = operator.test(wanted);
    // A known value is never `na`, so that `op!=na` keeps all that is known.
    return (row) => {
      const value = column.value(row);
      return value !== null && test(value, column);
    };
  }

  #value(): string {
    const quoted = this.#match(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/y);
    if (quoted !== null) return quoted.slice(1, -1).replace(/\\(.)/g, '$1');
    return this.#match(/[^\s,()&|"'=<>~!]+/y) ?? this.#fail('expected a value (quote one with blanks or signs in it)');
  }

  #skipBlanks(): void {
    while (/\s/.test(this.text[this.#at] ?? '')) this.#at++;
  }

  #take(sign: string): boolean {
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
    throw new UsageError(`--where: ${expected} at ${this.#at + 1}: ${before}>>>${after === '' ? 'end' : after}`);
  }
}
