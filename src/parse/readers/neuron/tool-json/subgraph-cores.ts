/** NeuronCores by subgraph: rows name subgraphs, and a table lists the core that each was loaded on. */
import { least } from '../../../../containers/element.js';
import type { ToolFile } from './table-scan.js';
import { numberOf, rawTextOf, type ToolRow } from './table-row.js';

export class SubgraphCores {
  readonly #byName = new Map<string, number>();
  readonly #known: ReadonlySet<number>;
  readonly #only: number;

  constructor(file: ToolFile) {
    for (const row of file.rows('model_info')) {
      const name = rawTextOf(row['sg_name']);
      const core = numberOf(row['nc_idx']);
      if (name !== null && core !== null && !this.#byName.has(name)) this.#byName.set(name, core);
    }
    // Without that table, a single subgraph's core is in the summary; several are numbered.
    const left = file.subgraphs.filter((name) => !this.#byName.has(name));
    const inSummary = left.length === 1 && this.#byName.size === 0 ? numberOf(file.row('summary')['nc_idx']) : null;
    left.sort().forEach((name, i) => this.#byName.set(name, inSummary ?? numberIn(name) ?? i));
    this.#known = new Set(this.#byName.values());
    this.#only = this.#known.size === 0 ? 0 : least(this.#known);
  }

  get all(): readonly number[] {
    return [...this.#known].sort((a, b) => a - b);
  }

  /** Core of a subgraph; null when unknown. */
  of(subgraph: string): number | null {
    return this.#byName.get(subgraph) ?? null;
  }

  /** Core of a row; the lowest one when the row names no subgraph. */
  ofRow(row: ToolRow): number {
    const name = rawTextOf(row['subgraph']) ?? subgraphOf(row['fully_qualified_subgraph']);
    return (name === null ? null : this.of(name)) ?? this.#only;
  }
}

/** The subgraph at the beginning of a path such as `/sg00/layer`; null when there is none. */
export function subgraphOf(path: unknown): string | null {
  return rawTextOf(path)?.replace(/^\//, '').split('/')[0] ?? null;
}

/** Number at the end of a subgraph's name: 1 for `sg01`. */
function numberIn(name: string): number | null {
  const digits = /\d{1,4}$/.exec(name)?.[0];
  return digits === undefined ? null : Number(digits);
}
