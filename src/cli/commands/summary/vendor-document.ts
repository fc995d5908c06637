/**
 * The vendor tool's whole JSON, as far as records have it: `{"instruction":[…],"dma":[…], …,"summary":[…]}`. Records come in
 * order of time, tables one after the other: rows that do not fit in memory wait in temporary files.
 */
import { entryOf } from '../../../containers/map-entry.js';
import { TemporaryFile } from '../../../parse/input/temporary-file.js';
import type { MetricAnalysis } from '../../../prof/neuron/metric-analysis.js';
import { VendorTables } from '../../../prof/neuron/tables/vendor-tables.js';
import { UserError } from '../../../record/errors.js';
import type { ProfileLine } from '../../../record/record.js';
import { runAnalysis } from '../../run-analysis.js';
import { vendorSummaryRows } from './summary-metrics-screen.js';
import type { SummaryRequest } from './summary-options.js';

/** Characters of a table that are held. */
const HELD = 1024 * 1024;

/** Rows of one table, in order. */
class TableRows {
  #rows: string[] = [];
  #length = 0;
  #file: TemporaryFile | null = null;

  /** @throws UnreadableInput when the temporary folder has no room */
  add(row: string): void {
    this.#rows.push(`${this.#length === 0 && this.#file === null ? '' : ',\n'}${row}`);
    this.#length += row.length + 1;
    if (this.#length < HELD) return;
    if (this.#file === null) {
      this.#file = new TemporaryFile('the tables');
      this.#file.unlink();
    }
    this.#file.append(Buffer.from(this.#rows.join('')));
    this.#rows = [];
    this.#length = 0;
  }

  *pieces(): Generator<string | Uint8Array> {
    if (this.#file !== null) yield* this.#file.pieces();
    yield this.#rows.join('');
  }

  dispose(): void {
    this.#file?.dispose();
  }
}

/** @param tables wanted, in order */
export async function vendorDocument(
  request: SummaryRequest,
  tables: readonly string[],
  metrics: MetricAnalysis,
): Promise<void> {
  const wanted = new Set(tables);
  const found = new Map<string, TableRows>();
  const vendor = new VendorTables((table, row) => {
    if (wanted.has(table)) entryOf(found, table, () => new TableRows()).add(row);
  });
  try {
    await runAnalysis(request, {
      analysis: {
        types: new Set([...metrics.types, 'layer']),
        derived: true,
        take: (record: ProfileLine) => {
          metrics.take(record);
          vendor.take(record);
        },
        finish: () => {
          const answer = metrics.finish();
          vendor.finish(answer.facts);
          const rows = vendorSummaryRows(answer.facts);
          if (wanted.has('summary')) for (const row of rows) entryOf(found, 'summary', () => new TableRows()).add(row);
          const without = tables.filter((table) => !found.has(table));
          return { ...answer, notes: [...(answer.notes ?? []), ...notesOf(without)] };
        },
      },
      isDocument: true,
      print: async (_answer, write) => {
        let isFirst = true;
        for (const table of tables) {
          const rows = found.get(table);
          if (rows === undefined) continue;
          await write(`${isFirst ? '{' : ',\n'}"${table}":[\n`);
          for (const piece of rows.pieces()) await write(piece);
          await write('\n]');
          isFirst = false;
        }
        await write(isFirst ? '{}\n' : '}\n');
      },
    });
  } finally {
    for (const rows of found.values()) rows.dispose();
  }
}

const DERIVED_HINT = '; records of a device trace have rates of DMA with dparse --derived';

/** Tables that the input has no rows for are left out. */
const notesOf = (tables: readonly string[]): UserError[] =>
  tables.length === 0
    ? []
    : [
        new UserError(`the input has no rows for ${tables.join(', ')}`, {
          hint: `what each needs: docs/neuron.md${tables.includes('dma_throughput') ? DERIVED_HINT : ''}`,
        }),
      ];
