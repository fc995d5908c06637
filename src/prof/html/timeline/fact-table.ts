/**
 * Facts of kernels for the timeline, as `--explain` words them: those that do not depend on when a kernel ran. Kernels of a
 * loop repeat with the same facts, so that each list is held once, as numbers of its texts. Bounded: kernels beyond have
 * none.
 */
import { entryOf } from '../../../containers/map-entry.js';
import type { Annotated } from '../../annotate.js';
import { repeatedFacts, type LabelledLine } from '../../report/explain.js';
import { packColumn } from './column-packing.js';
import type { PackedFacts } from './timeline-data.js';
import { TextTable } from '../text-table.js';

/** In place of a list of facts. */
export const NO_FACTS = 0;

interface FactBounds {
  /** Lists of facts. */
  readonly lists: number;
  /** Characters of all distinct texts. */
  readonly text: number;
}

const FACT_BOUNDS: FactBounds = { lists: 100_000, text: 16 * 1024 * 1024 };

/** What the facts of a kernel depend on, but its calls. */
const keyOf = ({ record, derived, layer, trace, flops, bytes, tc }: Annotated): string =>
  JSON.stringify([
    ...[record.name, record.grid, record.block, record.dir, record.registers, record.sharedBytes, record.graph],
    ...[record.forward?.mod, record.forward?.op, record.labels?.['kernel_file'], derived.params, layer, trace],
    ...[flops, bytes, tc, record.device],
  ]);

export class FactTable {
  readonly #texts = new TextTable();
  /** Each list: a label and a text by number, one after the other; lists differ from each other. */
  readonly #lists: (readonly number[])[] = [[]];
  readonly #numbers = new Map<string, number>();
  /** By the calls of a kernel, which are mostly the same object for equal calls; then by what else its facts depend on. */
  #known = new WeakMap<object, Map<string, number>>();

  constructor(private readonly bounds = FACT_BOUNDS) {}

  /** Number of a kernel's list; NO_FACTS where the table is full. */
  numberOf(row: Annotated): number {
    const known = this.#known.get(row.calls) ?? new Map<string, number>();
    this.#known.set(row.calls, known);
    return entryOf(known, keyOf(row), () => this.#add(repeatedFacts(row)));
  }

  #add(facts: readonly LabelledLine[]): number {
    if (this.#lists.length > this.bounds.lists || this.#texts.size > this.bounds.text) return NO_FACTS;
    const list = facts.flatMap(([label, text]) => [this.#texts.numberOf(label), this.#texts.numberOf(text)]);
    return entryOf(this.#numbers, list.join(), () => this.#lists.push(list) - 1);
  }

  /** Texts of a list: labels and what they say, one after the other. */
  textsOf(list: number): readonly string[] {
    return (this.#lists[list] ?? []).map((text) => this.#texts.at(text));
  }
}

/** The lists of a table that are used, numbered anew. */
export class UsedFacts {
  readonly #texts = new TextTable();
  readonly #numbers = new Map<number, number>([[NO_FACTS, NO_FACTS]]);
  readonly #pairs: number[] = [];
  readonly #ends: number[] = [0];

  /** @param shortened what a text is cut to */
  constructor(
    private readonly table: FactTable,
    private readonly shortened: (text: string) => string,
  ) {}

  /** @param list its number in the table. @returns that in the packed lists */
  numberOf(list: number): number {
    return entryOf(this.#numbers, list, () => {
      for (const text of this.table.textsOf(list)) this.#pairs.push(this.#texts.numberOf(this.shortened(text)));
      return this.#ends.push(this.#pairs.length) - 1;
    });
  }

  get packed(): PackedFacts {
    const pack = (numbers: readonly number[]) => packColumn(Uint32Array.from(numbers));
    return { texts: this.#texts.all, pairs: pack(this.#pairs), ends: pack(this.#ends) };
  }
}
