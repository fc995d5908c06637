/** The tables of one run of a process in a rocpd database, by their names without the run's suffix. */
import { LruCache } from '../../../containers/map-entry.js';
import type { Writable } from '../../../containers/writable.js';
import type { Device } from '../../../record/record.js';
import type { DatabaseClock } from '../../sqlite/database-clock.js';
import { amdDevice, memoryIn } from '../../amd/agents.js';
import type { ProcessIds } from '../../trace/threads.js';
import type { Cell, Selection, SqliteFile, TextLookup } from '../../sqlite/sqlite.js';

/** Process, thread, device and stream of a row. The columns are in the row, and since schema 4.1 in its track. */
const PLACE = { pid: 'pid', tid: 'tid', agent: 'agent_id', queue: 'queue_id', stream: 'stream_id' } as const;
const PARTS = Object.keys(PLACE) as readonly (keyof typeof PLACE)[];

/**
 * Cells of a row: times relative to the clock's base, process and thread ids of the operating system, the category of
 * its event, and the id that joins work to the call that launched it. A null id joins nothing.
 */
export type ProcessRows = Readonly<
  Record<'start' | 'end' | 'queue' | 'stream' | 'agent' | 'category' | 'corr', Cell> &
    Record<'pid' | 'tid', number | null>
>;

/** The value of JSON in a cell; null when it is not JSON. */
export function jsonOf(cell: Cell): unknown {
  try {
    return typeof cell === 'string' ? JSON.parse(cell) : null;
  } catch {
    return null;
  }
}

type Lookup<Found> = (id: Cell) => Found;

/** Caches a look-up, because many rows refer to the same row, such as a kernel's symbol. */
export function remembered<Found>(lookup: Lookup<Found>): Lookup<Found> {
  const known = new LruCache<Cell, Found>(4096);
  return (id) => known.of(id, lookup);
}

/** A member of the JSON in `extdata`; null when the text is not JSON. */
export const extra = (path: string): Selection => ({
  needs: ['extdata'],
  sql: `CASE WHEN json_valid(extdata) THEN json_extract(extdata, '$.${path}') END`,
});
export class ProcessTables {
  readonly textOf: TextLookup;
  /** The name of a category of events. */
  readonly categoryOf: TextLookup;
  /** The text of a roctx range, by its event. */
  readonly messageOf: Lookup<Cell>;
  /** Events of samples. Their values are series, not counters of a kernel. */
  readonly sampled = new Set<Cell>();
  /** Start and duration of the tracer's run, relative to the clock's base; null when unknown. */
  readonly start: number | null;
  readonly dur: number | null;
  /** GPUs, by row id. */
  readonly #gpus = new Map<Cell, Device>();
  /** Cells of the event of a row. */
  readonly #event: Readonly<Record<'category' | 'corr', Selection>>;
  readonly #processOf: Lookup<Readonly<Record<'pid', Cell>>>;
  readonly #threadOf: Lookup<Readonly<Record<'tid', Cell>>>;
  readonly #trackOf: Lookup<Readonly<Record<keyof typeof PLACE, Cell>>>;
  constructor(
    readonly database: SqliteFile,
    readonly ending: string,
    readonly clock: DatabaseClock,
    private readonly pids: ProcessIds,
  ) {
    this.textOf = remembered(database.texts(this.name('string'), 'string', 'id'));
    this.#processOf = remembered(database.joined(this.name('info_process'), 'id', { pid: 'pid' }));
    this.#threadOf = remembered(database.joined(this.name('info_thread'), 'id', { tid: 'tid' }));
    this.#trackOf = remembered(database.joined(this.name('track'), 'id', PLACE));
    const categories = this.name('info_category');
    this.categoryOf = remembered(database.has(categories) ? database.texts(categories, 'name', 'id') : this.textOf);
    const ofEvent = (column: string): Selection => database.reference(this.name('event'), 'id', column, 'event_id');
    this.#event = { category: ofEvent('category_id'), corr: ofEvent('stack_id') };
    const messages = database.joined(this.name('event'), 'id', { message: extra('message') });
    this.messageOf = (event) => messages(event).message;
    for (const { event } of database.cells(this.name('sample'), { event: 'event_id' })) this.sampled.add(event);
    const [run] = database.cells(this.name('info_process'), { init: clock.known('init'), fini: clock.known('fini') });
    const [init, fini] = [numberOf(run?.init), numberOf(run?.fini)];
    [this.start, this.dur] = [init, init === null || fini === null ? null : fini - init];
    this.#readDevices();
  }

  name(part: string): string {
    return `rocpd_${part}${this.ending}`;
  }

  /** Rows of a table with their times, process, device and event. */
  *rows<Name extends string>(
    part: string,
    select: Readonly<Record<Name, Selection>>,
  ): Generator<Readonly<Record<Name, Cell>> & ProcessRows> {
    const table = this.name(part);
    const columns = { ...PLACE, track: 'track_id', ...this.clock.span, ...this.#event, ...select };
    for (const row of this.database.cells(table, columns) as Iterable<Writable<Record<keyof typeof columns, Cell>>>) {
      if (row.track !== null) {
        const place = this.#trackOf(row.track);
        for (const part of PARTS) row[part] ??= place[part];
      }
      row.pid = this.pids.of(this, numberOf(this.#processOf(row.pid).pid));
      row.tid = numberOf(this.#threadOf(row.tid).tid);
      if (row.corr === 0) row.corr = null;
      yield row as never;
    }
  }

  /** The id of the machine that it ran on; null when unknown. */
  get machine(): Cell {
    const [row] = this.database.cells(this.name('info_node'), { machine: 'machine_id' });
    return row?.machine ?? null;
  }

  /** GPUs of the machine. */
  get devices(): readonly Device[] {
    return [...this.#gpus.values()];
  }

  /** The number of the GPU that work ran on; null for a CPU. */
  deviceOf(agent: Cell): number | null {
    return this.#gpus.get(agent)?.id ?? null;
  }

  /** Whether rocprof-sys wrote it. */
  get isOfSystem(): boolean {
    const filter = [{ needs: ['tag'], sql: "tag = 'upid' OR tag LIKE 'fktable%'" }];
    return [...this.database.rows(this.name('metadata'), ['tag'], filter)].length > 0;
  }

  #readDevices(): void {
    const agents = {
      ...{ id: 'id', type: 'type', number: 'type_index', product: 'product_name' },
      // Since schema 4.1 the name is the user's, and another column has that of the architecture.
      arch: this.database.hasColumn(this.name('info_agent'), 'generic_name') ? 'generic_name' : 'name',
      ...{ units: extra('cu_count'), megahertz: extra('max_engine_clk_fcompute'), banks: extra('mem_banks') },
    };
    for (const { id, type, number, arch, product, units, megahertz, banks } of this.database.cells(
      this.name('info_agent'),
      agents,
    )) {
      if (type !== 'GPU') continue;
      const gpu = typeof number === 'number' ? number : this.#gpus.size;
      this.#gpus.set(id, amdDevice({ id: gpu, product, arch, units, megahertz, ...memoryIn(jsonOf(banks), arch) }));
    }
  }
}

const numberOf = (cell: Cell | undefined): number | null => (typeof cell === 'number' ? cell : null);
