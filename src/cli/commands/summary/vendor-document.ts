/**
 * The vendor tool's complete JSON, as far as records have its data: `{"instruction":[…],"dma":[…], …,"summary":[…]}`.
 * Records come in time order, but tables are written one after the other, so rows that do not fit in memory wait in
 * temporary files. The tool's JSON describes one profile. With several profiles, rows start with the extra field
 * `profile`, the profile's number.
 */
import { entryOf } from '../../../containers/map-entry.js';
import { TemporaryFile } from '../../../parse/input/temporary-file.js';
import { exactValue, type MetricAnalysis } from '../../../prof/neuron/metric-analysis.js';
import { VendorTables } from '../../../prof/neuron/tables/vendor-tables.js';
import type { MetricSummary } from '../../../prof/neuron/metric-summary.js';
import { elementAt } from '../../../containers/element.js';
import { jsonOf } from '../../../record/control-characters.js';
import { UserError } from '../../../record/errors.js';
import type { ProfileLine } from '../../../record/record.js';
import { runAnalysis } from '../../run-analysis.js';
import type { MetricsShown } from '../../screens/metrics.js';
import type { SummaryRequest } from './summary-options.js';

/** Characters of a table that are kept in memory. */
const HELD = 1024 * 1024;

/**
 * Markers around the profile number in waiting rows, because it is unknown yet whether there are several profiles. JSON
 * never contains these characters.
 */
const [BEFORE, BEHIND] = [1, 2];

/** Rows of one table, in order. */
class TableRows {
  #rows: string[] = [];
  #length = 0;
  #file: TemporaryFile | null = null;

  /**
   * @param row an object as JSON
   * @throws UnreadableInput when the temporary folder is full
   */
  add(row: string, profile: number | null): void {
    const comma = this.#length === 0 && this.#file === null ? '' : ',\n';
    this.#rows.push(`${comma}${profile === null ? row : withProfile(row, profile)}`);
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

  /** @param hasProfiles whether rows have the number of their profile */
  *pieces(hasProfiles: boolean): Generator<Uint8Array> {
    let isProfile = false;
    for (const bytes of this.#pieces()) {
      const shown: Uint8Array[] = [];
      for (let begin = 0; begin < bytes.length;) {
        const mark = bytes.indexOf(isProfile ? BEHIND : BEFORE, begin);
        const end = mark === -1 ? bytes.length : mark;
        if (hasProfiles || !isProfile) shown.push(bytes.subarray(begin, end));
        if (mark !== -1) isProfile = !isProfile;
        begin = end + 1;
      }
      yield Buffer.concat(shown);
    }
  }

  *#pieces(): Generator<Uint8Array> {
    if (this.#file !== null) yield* this.#file.pieces();
    yield Buffer.from(this.#rows.join(''));
  }

  dispose(): void {
    this.#file?.dispose();
  }
}

function withProfile(row: string, profile: number): string {
  const [before, behind] = [String.fromCharCode(BEFORE), String.fromCharCode(BEHIND)];
  return `{${before}"profile":${profile}${row === '{}' ? '' : ','}${behind}${row.slice(1)}`;
}

/** @param tables names of the tables to write, in order */
export async function vendorDocument(
  request: SummaryRequest,
  tables: readonly string[],
  metrics: MetricAnalysis,
): Promise<void> {
  const wanted = new Set(tables);
  const found = new Map<string, TableRows>();
  const profiles = new Set<number>();
  const add = (table: string, row: string, profile: number | null): void => {
    if (!wanted.has(table)) return;
    if (profile !== null) profiles.add(profile);
    entryOf(found, table, () => new TableRows()).add(row, profile);
  };
  const vendor = new VendorTables(add);
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
          for (const summary of answer.facts) add('summary', vendorSummaryRow(summary), summary.profile);
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
          for (const piece of rows.pieces(profiles.size > 1)) await write(piece);
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

const DERIVED_HINT = '; dparse --derived adds DMA rates to records of a device trace';

/** Notes on tables that are left out because the input has no rows for them. */
const notesOf = (tables: readonly string[]): UserError[] =>
  tables.length === 0
    ? []
    : [
        new UserError(`the input has no data for ${tables.join(', ')}`, {
          hint: `what each needs: docs/neuron.md${tables.includes('dma_throughput') ? DERIVED_HINT : ''}`,
        }),
      ];

/** The vendor's metrics of a profile. */
export interface MetricsDocument extends Pick<
  MetricSummary,
  'profile' | 'file' | 'format' | 'rank' | 'node' | 'computed' | 'bound' | 'warnings'
> {
  /** Metrics by the vendor's names. */
  readonly metrics: Readonly<Record<string, MetricDocument>>;
}

interface MetricDocument {
  readonly value: number | string | null;
  /** Null for a number without a unit, and for text. */
  readonly unit: string | null;
  readonly group: string;
  /** Why the value is unknown. */
  readonly why?: string;
  /** The denominator of a share. */
  readonly of?: string;
  /** With `--check`: the value that the vendor's tool reported. */
  readonly reported?: number | string | null;
  /** With `--check`: how far it is from the computed value, as a share. */
  readonly difference?: number | null;
  /** With `--check`: why they differ; null when they are equal or it is unknown. */
  readonly check?: string | null;
}

/** One JSON object per profile, each on one line. */
export function metricsDocument(summary: MetricSummary, shown: MetricsShown): string {
  const { profile, file, format, rank, node, computed, rows, bound, warnings } = summary;
  const metrics = rows.map((row) => {
    const { value, unit } = exactValue(row, row.value, shown.vendor);
    const why = { ...(row.why === null ? {} : { why: row.why }), ...(row.of === null ? {} : { of: row.of }) };
    const { check } = row;
    const checked =
      shown.check && check !== null
        ? {
            reported: exactValue(row, check.reported, shown.vendor).value,
            difference: check.difference,
            check: check.why,
          }
        : {};
    return [row.name, { value, unit: unit === '' ? null : unit, group: row.group, ...why, ...checked }] as const;
  });
  const line: MetricsDocument = {
    ...{ profile, file, format, rank, node, computed, metrics: Object.fromEntries(metrics), bound, warnings },
  };
  return `${jsonOf(line)}\n`;
}

const vendorMetrics = ({ rows }: MetricSummary): object =>
  Object.fromEntries(rows.map((row) => [row.name, exactValue(row, row.value, true).value] as const));

/** A profile as a row of the table `summary` in the vendor's complete JSON. */
const vendorSummaryRow = (summary: MetricSummary): string => jsonOf(vendorMetrics(summary));

/** All profiles as the vendor's summary-json: one node for each, with its metrics by name. */
export function vendorJson(summaries: readonly MetricSummary[]): string {
  const names = summaries.map(({ node, uuid, profile }) => node ?? `n_${uuid ?? profile}`);
  const nodes = summaries.map((summary, i) => {
    const name = elementAt(names, i);
    const key = names.indexOf(name) === i ? name : `${name}_${summary.profile}`;
    return [key, vendorMetrics(summary)] as const;
  });
  return `${jsonOf(Object.fromEntries(nodes))}\n`;
}
