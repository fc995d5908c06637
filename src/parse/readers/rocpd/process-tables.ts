/** The tables of one run of a process in a rocpd database, by their names without the run's suffix. */
import { LruCache } from '../../../containers/map-entry.js';
import type { Writable } from '../../../containers/writable.js';
import type { Device } from '../../../record/record.js';
import type { DatabaseClock } from '../../sqlite/database-clock.js';
import { amdDevice } from '../rocprofv3/amd-rows.js';
import type { Cell, Selection, SqliteFile } from '../../sqlite/sqlite.js';

/** Process, thread, device and stream of a row. The columns are in the row, and since schema 4.1 in its track. */
const PLACE = { pid: 'pid', tid: 'tid', agent: 'agent_id', queue: 'queue_id', stream: 'stream_id' } as const;

/**
 * Cells of a row: times relative to the clock's base, process and thread ids of the operating system, the category of
 * its event, and the id that joins work to the call that launched it. A null id joins nothing.
 */
export type ProcessRows = Readonly<
  Record<'start' | 'end' | 'queue' | 'stream' | 'agent' | 'category' | 'corr', Cell> &
    Record<'pid' | 'tid', number | null>
>;

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
/** The size of a device's largest memory. System memory that the device can access is smaller, or listed elsewhere. */
const LARGEST_BANK: Selection = {
  needs: ['extdata'],
  sql: "CASE WHEN json_valid(extdata) THEN (SELECT max(json_extract(value, '$.size_in_bytes')) FROM json_each(extdata, '$.mem_banks')) END",
};

export class ProcessTables {
  readonly textOf: (id: Cell) => string | null;
  /** The name of a category of events. */
  readonly categoryOf: Lookup<string | null>;
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
  /** Replacements for process ids of this run, because another run in the file may have the same ids. */
  readonly #pids = new Map<number, number>();

  /** @param taken process ids of earlier runs; the ids of this run are added */
  constructor(
    readonly database: SqliteFile,
    private readonly ending: string,
    readonly clock: DatabaseClock,
    private readonly taken: Set<number>,
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
      if (row.track !== null) Object.assign(row, this.#trackOf(row.track));
      row.pid = this.#pid(numberOf(this.#processOf(row.pid).pid));
      row.tid = numberOf(this.#threadOf(row.tid).tid);
      if (row.corr === 0) row.corr = null;
      yield row as never;
    }
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

  /**
   * Makes a process id unique. Processes in containers or on several machines may have the same id, but their threads
   * and calls must not be mixed.
   */
  #pid(pid: number | null): number | null {
    if (pid === null) return null;
    const known = this.#pids.get(pid);
    if (known !== undefined) return known;
    let free = pid;
    while (this.taken.has(free)) free += 2 ** 32;
    this.taken.add(free);
    this.#pids.set(pid, free);
    return free;
  }

  #readDevices(): void {
    const agents = {
      ...{ id: 'id', type: 'type', number: 'type_index', arch: 'name', product: 'product_name' },
      ...{ units: extra('cu_count'), megahertz: extra('max_engine_clk_fcompute'), memory: LARGEST_BANK },
    };
    for (const { id, type, number, arch, product, units, megahertz, memory } of this.database.cells(
      this.name('info_agent'),
      agents,
    )) {
      if (type !== 'GPU' || typeof number !== 'number') continue;
      this.#gpus.set(id, amdDevice({ id: number, product, arch, units, megahertz, memory }));
    }
  }
}

const numberOf = (cell: Cell | undefined): number | null => (typeof cell === 'number' ? cell : null);
