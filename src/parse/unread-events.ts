/** Counts events of an input that are not read, by kind. */
import type { Diagnostics } from '../record/diagnostics.js';
import type { Labels } from '../record/record.js';
import { EVENT, type TraceEvent } from './json/event-fields.js';
import type { SqliteFile } from './sqlite/sqlite.js';
import type { Table } from './sqlite/tables.js';

/**
 * Columns of tables that contain events, which have a time or belong to a call; tables without these columns describe
 * something else.
 */
const EVENT_COLUMNS = ['start', 'timestamp', 'rawTimestamp', 'correlationId', 'startNs', 'timestampNs'];

/**
 * Tables of counters of CPU cores and sockets (`nsys profile --cpu-core-events`, `--cpu-socket-events`). They are
 * counted whatever their columns, because no public schema says how to find the time of their rows.
 */
const CPU_COUNTERS = /^PERF_EVENT_/i;

/** Counts the rows of tables of events. @param read tables that are read */
export function countUnreadTables(
  database: SqliteFile,
  read: readonly string[],
  unread: Pick<UnreadEvents, 'count'>,
): void {
  const known = new Set(read);
  const isEvents = (table: string, { columns, problem }: Table): boolean =>
    problem === null && (EVENT_COLUMNS.some((column) => columns.has(column)) || CPU_COUNTERS.test(table));
  for (const [table, info] of database.tables)
    if (!known.has(table) && isEvents(table, info)) {
      const rows = database.count(table);
      if (rows > 0) unread.count(table, rows);
    }
}

/** Phases of a trace that are not events: metadata, and arrows between events. */
const NO_EVENTS: ReadonlySet<string> = new Set(['M', 's', 't', 'f']);

/** Marks that the profiler writes for its own use. Source: libkineto/src/output_json.cpp. */
const OF_PROFILER = /^(?:Iteration Start|Record Window End)/;

/** Maximum number of kinds that are counted separately. The others are added up. */
const MOST_KINDS = 20;

/** Counts by kind. Memory is bounded, whatever the number of kinds. */
export class KindCounts {
  readonly #counts = new Map<string, number>();
  #others = 0;

  /** @param kind name of the kind; '' when it has none */
  add(kind: string, n = 1): void {
    if (n === 0) return;
    const name = kind === '' ? 'no name' : kind;
    const known = this.#counts.get(name);
    if (known === undefined && this.#counts.size === MOST_KINDS) this.#others += n;
    else this.#counts.set(name, (known ?? 0) + n);
  }

  get total(): number {
    return [...this.#counts.values()].reduce((sum, n) => sum + n, this.#others);
  }

  /** Text such as `OSRT_API: 1101, PROFILER_OVERHEAD: 37`, in order of name. */
  toString(): string {
    const kinds = [...this.#counts].sort(([a], [b]) => (a < b ? -1 : 1));
    const all = this.#others === 0 ? kinds : [...kinds, ['other kinds', this.#others]];
    return all.map(([kind, n]) => `${kind}: ${n}`).join(', ');
  }
}

export class UnreadEvents {
  readonly #kinds = new KindCounts();

  /** @param kind a table, a category or a type of task, as the input names it */
  count(kind: string, n = 1): void {
    this.#kinds.add(kind, n);
  }

  /** Counts a trace event whose phase is not read, as `kernel (phase B)`. */
  countPhase({ fields }: TraceEvent): void {
    const phase = fields.latin1(EVENT.ph) ?? '';
    if (!NO_EVENTS.has(phase) && !OF_PROFILER.test(fields.latin1(EVENT.name) ?? ''))
      this.count(`${fields.latin1(EVENT.cat) ?? 'no category'} (phase ${phase})`);
  }

  /**
   * Adds the counts to the diagnostics.
   * @returns facts for the profile line that name the kinds; empty when everything is read
   */
  facts(diagnostics: Diagnostics): Labels {
    const { total } = this.#kinds;
    diagnostics.count('event-not-read', total);
    return total === 0 ? {} : { not_read: String(this.#kinds) };
  }
}
