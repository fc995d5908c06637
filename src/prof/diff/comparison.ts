/**
 * Records of two inputs → rows that compare them. One pass over each; kept are sums by row and sample alone.
 */
import type { ProfileLine } from '../../record/record.js';
import type { Annotated } from '../annotate.js';
import { textOf, type Column } from '../columns.js';
import type { RecordTypes } from '../records.js';
import { Annotator } from '../report.js';
import type { Condition } from './fail-if.js';
import { falseDiscovery } from './false-discovery.js';
import { InputFacts } from './input-facts.js';
import { byChange, percentOf, rowOf, type Amount, type DiffRow, type Key, type Measured, type Pair, type Which } from './row.js'; // prettier-ignore
import { Samples, Sums, type Basis } from './sums.js';
import { median, testSteps, type Settings } from './verdict.js';

export const DIFF_TYPES: RecordTypes = new Set(['profile', 'kernel', 'end'] as const);

/** Rows of both inputs together, and characters of their keys. */
export const MOST_ROWS = 50_000;
const MOST_TEXT = 16 * 1024 * 1024;
/** Stands for the keys of rows beyond the limit. */
export const OTHERS = '[other rows]';

/** Less of a row's time than this in steps, and its steps say too little of it. */
const LEAST_IN_STEPS = 0.5;

/** A condition and what it found; `met` is null where no kernel of either input matches. */
export interface Judged {
  readonly condition: Condition;
  readonly row: DiffRow;
  readonly met: boolean | null;
}

export interface DiffResult {
  readonly basis: Basis;
  readonly total: DiffRow;
  /** Those that changed by the most time first. */
  readonly rows: readonly DiffRow[];
  readonly conditions: readonly Judged[];
  /** Rows that were tested. */
  readonly tested: number;
}

/** Sums of both inputs. */
class Both implements Pair<Sums> {
  readonly base = new Sums();
  readonly new = new Sums();
  constructor(readonly keys: readonly Key[] = []) {}
}

class Side {
  readonly facts = new InputFacts();
  readonly annotator: Annotator;
  /** Kernels without a duration, which are left out. */
  untimed = 0;

  constructor(
    readonly samples: Samples,
    derived: boolean,
  ) {
    this.annotator = new Annotator(null, derived);
  }
}

export interface ComparisonOptions {
  readonly by: readonly Column[];
  readonly conditions: readonly Condition[];
  readonly settings: Settings;
  readonly mostRows?: number;
  readonly mostSums?: number;
}

export class Comparison {
  readonly sides: Pair<Side>;
  readonly total = new Both();
  /** Kernels under the other rows. */
  others = 0;
  readonly #rows = new Map<string, Both>();
  readonly #watched: readonly Both[];
  #text = 0;

  constructor(private readonly options: ComparisonOptions) {
    const { by, conditions, mostSums } = options;
    const derived = [...by, ...conditions].some((one) => one.derived === true);
    this.sides = { base: new Side(new Samples(mostSums), derived), new: new Side(new Samples(mostSums), derived) };
    this.#watched = conditions.map(() => new Both());
  }

  take(which: Which, record: ProfileLine): void {
    const side = this.sides[which];
    if (record.type === 'profile') {
      side.facts.take(record);
      side.samples.open(record.profile, record.rank);
    }
    for (const row of side.annotator.take(record)) this.#add(which, row);
  }

  /** Takes what waits for records that will not come. */
  end(which: Which): void {
    for (const row of this.sides[which].annotator.rest()) this.#add(which, row);
  }

  #add(which: Which, row: Annotated): void {
    const side = this.sides[which];
    const { dur, profile, step } = row.record;
    if (dur === null || !(dur >= 0 && dur < Infinity)) {
      side.untimed++;
      return;
    }
    const { samples } = side;
    const sample = samples.at(profile, step ?? null);
    this.total[which].add(dur, sample, samples);
    this.#rowOf(row)[which].add(dur, sample, samples);
    this.options.conditions.forEach(({ matches }, i) => {
      if (matches?.(row) === true) this.#watched[i]?.[which].add(dur, sample, samples);
    });
  }

  #rowOf(row: Annotated): Both {
    const keys = this.options.by.map((column): Key => {
      const value = column.value(row);
      return value === null ? null : textOf(column, value);
    });
    const name = keys.map((key) => key ?? '\u0001').join('\u0000');
    const known = this.#rows.get(name);
    if (known !== undefined) return known;
    const { mostRows = MOST_ROWS, by } = this.options;
    if (this.#rows.size >= mostRows || this.#text + name.length > MOST_TEXT) {
      this.others++;
      return this.#keep(OTHERS, by.map((): Key => OTHERS)); // prettier-ignore
    }
    this.#text += name.length;
    return this.#keep(name, keys);
  }

  #keep(name: string, keys: readonly Key[]): Both {
    let both = this.#rows.get(name);
    if (both === undefined) this.#rows.set(name, (both = new Both(keys)));
    return both;
  }

  get settings(): Settings {
    return this.options.settings;
  }

  /** Steps where both inputs have some. */
  get basis(): Basis {
    return this.sides.base.samples.steps > 0 && this.sides.new.samples.steps > 0 ? 'step' : 'run';
  }

  /** The comparison, when both inputs are taken. */
  get result(): DiffResult {
    const { conditions, settings } = this.options;
    const measure = this.#measure();
    const measured = [...this.#rows.values()].map(measure);
    const qs = falseDiscovery(measured.map(({ test }) => test?.pBeyond ?? null));
    const rows = measured.map((one, i) => rowOf(one, qs[i] ?? null, settings.rate)).sort(byChange);
    const single = (both: Both): DiffRow => {
      const one = measure(both);
      return rowOf(one, one.test?.pBeyond ?? null, settings.rate);
    };
    const judged = conditions.map((condition, i): Judged => {
      const row = single(condition.matches === null ? this.total : (this.#watched[i] ?? new Both()));
      const isThere = row.base.count + row.new.count > 0;
      return { condition, row, met: isThere ? condition.isMet({ ns: row.change, percent: row.percent }) : null };
    });
    const tested = qs.filter((q) => q !== null).length;
    return { basis: this.basis, total: single(this.total), rows, conditions: judged, tested };
  }

  #measure(): (both: Both) => Measured {
    const { basis, sides, total } = this;
    const { settings } = this.options;
    const tested = { base: sides.base.samples.tested(basis), new: sides.new.samples.tested(basis) };
    const count = basis === 'step' ? 'steps' : 'runs';
    const units = { base: sides.base.samples[count], new: sides.new.samples[count] };
    const amount = (which: Which, { count, time }: Sums): Amount => ({
      count,
      time,
      share: total[which].time > 0 ? (100 * time) / total[which].time : null,
      each: time / Math.max(1, units[which]),
      samples: tested[which].length,
    });
    const isCovered = ({ time, timeInSteps }: Sums): boolean => basis === 'run' || timeInSteps >= LEAST_IN_STEPS * time;
    return (both) => {
      const times = { base: both.base.timesOf(tested.base), new: both.new.timesOf(tested.new) };
      const isInBoth = both.base.count > 0 && both.new.count > 0;
      const test =
        isInBoth && isCovered(both.base) && isCovered(both.new) ? testSteps(times.base, times.new, settings) : null;
      const [before, after] = [median(times.base), median(times.new)];
      return {
        keys: both.keys,
        base: amount('base', both.base),
        new: amount('new', both.new),
        medianPercent: test === null ? null : percentOf(before, after),
        test,
      };
    };
  }
}
