/** Columns of `dprof` that the facts of a kernel state, and what those of a DMA packet say: read from their texts, once for each list of facts. */
import type { CellValue, ColumnShape } from '../../../table/column.js';
import { factsOf, type FactLists } from '../events/kernel-facts.js';

interface FactColumnShape extends Partial<Pick<ColumnShape, 'type' | 'list' | 'separator' | 'suffix'>> {
  readonly key: string;
  /** Of the fact, as `--explain` has it. */
  readonly label: string;
  /** @returns null where the text says that it is unknown */
  readonly read: (text: string) => CellValue;
}

const UNKNOWN: ReadonlySet<string> = new Set(['na', 'unknown', '-', '']);

const word = (text: string | undefined): string | null => (text === undefined || UNKNOWN.has(text) ? null : text);

/** A list whose text is - where it is empty. */
const listBy =
  (separator: string) =>
  (text: string): CellValue =>
    text === '-' ? [] : text.split(separator);

/** The number that a text begins with: '32 a thread'. */
const leading = (text: string): number | null => {
  const number = parseFloat(text);
  return Number.isNaN(number) ? null : number;
};

/** '66.67 %: 32 of 48 warps': in %, of the counts, which are not rounded. */
function percentOfCounts(text: string): number | null {
  const [, count, all] = /: (\d+) of (\d+) warps/.exec(text) ?? [];
  return count === undefined ? null : 100 * (Number(count) / Number(all));
}

/** '128,2,1' as numbers. */
const extent = (text: string | undefined): CellValue => word(text)?.split(',').map(Number) ?? null;

export const FACT_COLUMNS: readonly FactColumnShape[] = [
  { key: 'grid', label: 'grid, block', list: 'int', read: (text) => extent(text.split(' / ')[0]) },
  { key: 'block', label: 'grid, block', list: 'int', read: (text) => extent(text.split(' / ')[1]) },
  { key: 'regs', label: 'registers', type: 'int', read: leading },
  { key: 'smem', label: 'shared mem', type: 'int', read: leading },
  { key: 'occ', label: 'occupancy', type: 'real', read: percentOfCounts },
  { key: 'occby', label: 'occupancy', read: (text) => text.split(', by ')[1] ?? null },
  { key: 'role', label: 'role', read: word },
  { key: 'params', label: 'params', list: 'str', suffix: ',', read: listBy(', ') },
  { key: 'trace', label: 'trace', list: 'str', read: listBy(' > ') },
  { key: 'fused', label: 'fused', list: 'str', separator: '+', read: listBy(', ') },
  { key: 'bound', label: 'bound', read: (text) => word(text.split(';')[0]) },
  { key: 'tensor', label: 'tensor', read: word },
  { key: 'source', label: 'source', read: word },
  { key: 'dest', label: 'destination', read: word },
];

/** The value of one fact by the number of the list that has it. */
export class FactColumn {
  readonly #values = new Map<number, CellValue>();

  constructor(
    private readonly facts: FactLists,
    private readonly label: string,
    private readonly read: (text: string) => CellValue,
  ) {}

  of(list: number): CellValue {
    const known = this.#values.get(list);
    if (known !== undefined) return known;
    const fact = factsOf(this.facts, list).find(([label]) => label === this.label);
    const value = fact === undefined ? null : this.read(fact[1]);
    this.#values.set(list, value);
    return value;
  }
}
