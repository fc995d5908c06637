/**
 * Facts about kernels for the timeline, with the wording of `--explain`. Only facts that are the same for the kernels
 * of a loop are stored, each list once, as numbers of its strings. The table is bounded: when it is full, further kernels
 * have no facts.
 */
import { elementAt, isSameList } from '../../../containers/element.js';
import { HashIndex, NO_ROW, mixed } from '../../../containers/hash-index.js';
import { entryOf } from '../../../containers/map-entry.js';
import type { Annotated } from '../../annotate.js';
import type { DeviceActivity } from '../../input/device-activity.js';
import type { CopyLine } from '../../../record/record.js';
import { basisOfFacts, repeatedFacts } from '../../report/explain.js';
import type { LabelledLine } from '../../../table/readable.js';
import { KernelMemo } from '../../work/derived-work.js';
import { packColumn, TextTable } from './column-packing.js';
import type { PackedFacts } from './timeline-data.js';

/** Stands for no list of facts. */
export const NO_FACTS = 0;

interface FactBounds {
  /** Number of lists of facts. */
  readonly lists: number;
  /** Number of characters of all distinct strings. */
  readonly text: number;
}

const FACT_BOUNDS: FactBounds = { lists: 100_000, text: 16 * 1024 * 1024 };

/** Labels that all packets of a transfer share, and their names in the page. */
const PACKET_FACTS = [
  ['variable', 'tensor'],
  ['source', 'source'],
  ['dest', 'destination'],
  ['transfer', 'transfer'],
  ['semaphore', 'raises semaphore'],
] as const;

/** Number of calls that are kept for comparing kernels. If calls hardly repeat, more would only take memory. */
const KEPT = 512;

interface KnownFacts {
  /** `basisOfFacts` of the kernel to which the list belongs. */
  readonly basis: readonly unknown[];
  readonly number: number;
}

export class FactTable {
  readonly #texts = new TextTable();
  /** Each list contains labels and strings by number, in turn; all lists are different. */
  readonly #lists: (readonly number[])[] = [[]];
  readonly #index = new HashIndex((number) => hashOf(elementAt(this.#lists, number)));

  #known: KernelMemo<KnownFacts> | null = null;

  constructor(private readonly bounds = FACT_BOUNDS) {}

  /**
   * Number of an activity's list.
   * @param row the row of a kernel
   */
  numberFor(record: DeviceActivity, row: Annotated | null): number {
    if (row !== null) return this.numberOf(row);
    return record.type === 'copy' ? this.numberOfPacket(record) : NO_FACTS;
  }

  /** Number of a kernel's list; NO_FACTS when the table is full. */
  numberOf(row: Annotated): number {
    const known = (this.#known ??= new KernelMemo(KEPT));
    const basis = basisOfFacts(row);
    return known.of(
      row.calls,
      row.record.name,
      (other) => isSameList(other.basis, basis),
      () => ({ basis, number: this.#listOf(repeatedFacts(row)) }),
    ).number;
  }

  /** Frees the memory that is needed to compare further kernels. */
  forget(): void {
    this.#known = null;
  }

  /**
   * Number of the list with the data that a DMA packet moves; NO_FACTS when the data is unknown, or the table is
   * full.
   */
  numberOfPacket({ labels = {} }: CopyLine): number {
    const facts = PACKET_FACTS.flatMap(([key, label]): LabelledLine[] => {
      const value = labels[key];
      return value === undefined ? [] : [[label, String(value)]];
    });
    return facts.length === 0 ? NO_FACTS : this.#listOf(facts);
  }

  #listOf(facts: readonly LabelledLine[]): number {
    if (this.#lists.length > this.bounds.lists || this.#texts.size > this.bounds.text) return NO_FACTS;
    const list: number[] = [];
    for (const [label, text] of facts) list.push(this.#texts.numberOf(label), this.#texts.numberOf(text));
    const hash = hashOf(list);
    const known = this.#index.find(hash, (number) => isSameList(elementAt(this.#lists, number), list));
    if (known !== NO_ROW) return known;
    const number = this.#lists.push(list) - 1;
    this.#index.add(hash, number);
    return number;
  }

  /** Labels and strings of a list, in turn. */
  textsOf(list: number): readonly string[] {
    return (this.#lists[list] ?? []).map((text) => this.#texts.at(text));
  }
}

const hashOf = (list: readonly number[]): number => list.reduce(mixed, 0);

/** The lists of a table that are in use, renumbered. */
export class UsedFacts {
  readonly #texts = new TextTable();
  readonly #numbers = new Map<number, number>([[NO_FACTS, NO_FACTS]]);
  readonly #pairs: number[] = [];
  readonly #ends: number[] = [0];

  /** @param shortened returns the text that is shown for a string */
  constructor(
    private readonly table: FactTable,
    private readonly shortened: (text: string) => string,
  ) {}

  /**
   * @param list its number in the table
   * @returns its number in the packed lists
   */
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
