/**
 * Reads COMMUNICATION_OP, which has a row for each operation, and the tasks of operations, which hold device and stream
 * before schema 1.2.
 */
import { entryOf } from '../../../../containers/map-entry.js';
import type { CollectiveOperation } from '../../../trace/trace.js';
import { NumericColumn } from '../../../../containers/numeric-column.js';
import { NumberIndex } from '../../../trace/trace-columns.js';
import type { SqliteFile } from '../../../sqlite/sqlite.js';
import { COLLECTIVE_TYPE_CODES, collectiveKind, collectiveType, commonLink, LINK_CODES } from '../device-kinds.js';
import { cleanText } from '../kernel-labels.js';
import type { DatabaseClock } from '../../../sqlite/database-clock.js';
import { connectionOrNone, type StringTable } from './connections.js';
import type { ProcessGroups } from '../process-groups.js';
import { Transfers } from '../text/collective-parts.js';

const NO_CONTEXT = 4294967295;

const MOVE_COLUMNS = ['opId', 'srcRank', 'dstRank', 'linkType', 'transportType', 'size'];
/** Code in ENUM_HCCL_TRANSPORT_TYPE. */
const RDMA = 1;

interface OperationPlacement {
  readonly device: number;
  readonly stream: number;
  readonly process: number;
  /** Whether this is the stream and device of the task that encloses all others. */
  readonly outermost: boolean;
}

export class CollectiveRows {
  readonly start = NumericColumn.floats();
  readonly end = NumericColumn.floats();
  readonly connection = NumericColumn.floats();
  readonly #opIds = NumericColumn.floats();
  readonly #names = NumericColumn.floats();
  readonly #groups = NumericColumn.floats();
  readonly #types = NumericColumn.floats();
  readonly #algorithms = NumericColumn.floats();
  readonly #counts = NumericColumn.floats();
  readonly #opTypes = NumericColumn.floats();
  readonly #devices = NumericColumn.floats();
  readonly #groupSizes = NumericColumn.floats();
  readonly #byConnection = new NumberIndex(this.connection);
  readonly #tasks = NumericColumn.floats();
  readonly #byTask = new NumberIndex(this.#tasks);
  /** For each task, what it moves (operation, ranks, codes of link and transport, size) and its duration in ns. */
  readonly #moves = MOVE_COLUMNS.map(() => NumericColumn.floats());
  readonly #durations = NumericColumn.floats();
  #transfers: ReadonlyMap<number, Transfers> | null = null;
  readonly #placements = new Map<number, OperationPlacement>();
  readonly #typeNames: ReadonlyMap<number, string>;
  readonly #linkNames: ReadonlyMap<number, string>;

  constructor(
    private readonly database: SqliteFile,
    clock: DatabaseClock,
    private readonly strings: StringTable,
    private readonly groups: ProcessGroups,
  ) {
    this.#typeNames = readNames(database, 'ENUM_HCCL_DATA_TYPE', COLLECTIVE_TYPE_CODES);
    this.#linkNames = readNames(database, 'ENUM_HCCL_LINK_TYPE', LINK_CODES);
    this.#readOperations(clock);
    this.#readTasks();
  }

  get length(): number {
    return this.start.length;
  }

  /**
   * Records the duration of a task for its message, if it is part of an operation.
   * @param ns duration; NaN when unknown
   * @returns whether the task is part of an operation or encloses one; null for neither
   */
  takeTask(taskId: number, connection: number, ns: number): 'part' | 'around' | null {
    const task = this.#byTask.get(taskId);
    if (task !== -1) this.#durations.set(task, ns);
    if (task !== -1) return 'part';
    return !Number.isNaN(connection) && this.#byConnection.get(connection) !== -1 ? 'around' : null;
  }

  /** Records where a task of an operation ran. The outermost task in the lowest stream is used. */
  notePlacement(connection: number, device: number, stream: number, process: number, context: number): void {
    const row = Number.isNaN(connection) ? -1 : this.#byConnection.get(connection);
    if (row === -1) return;
    const outermost = context === NO_CONTEXT || Number.isNaN(context);
    const known = this.#placements.get(row);
    const isBetter =
      known === undefined || (outermost && !known.outermost) || (outermost && known.outermost && stream < known.stream);
    if (isBetter) this.#placements.set(row, { device, stream, process, outermost });
  }

  /** Where an operation ran; null when unknown. */
  placementOf(row: number): Omit<OperationPlacement, 'outermost'> | null {
    const placement = this.#placements.get(row) ?? null;
    const device = this.#devices.at(row);
    if (!(device >= 0)) return placement;
    return placement === null ? { device, stream: NaN, process: NaN } : { ...placement, device };
  }

  operationOf(row: number): CollectiveOperation {
    const text = (column: NumericColumn): string | null => cleanText(this.strings.text(column.at(row)));
    const name = text(this.#names) ?? 'na';
    const opType = text(this.#opTypes);
    const type = collectiveType(this.#typeNames.get(this.#types.at(row)) ?? null);
    const count = this.#counts.at(row);
    const group = text(this.#groups);
    const known = this.groups.find(group);
    const size = this.#groupSizes.at(row);
    const transfers = (this.#transfers ??= this.#sumTransfers()).get(this.#opIds.at(row))?.all ?? [];
    const kind = (opType === null ? null : collectiveKind(opType)) ?? collectiveKind(name);
    return {
      name,
      kind,
      bytes: type === null || !(count >= 0) ? null : count * type.bytes,
      dtype: type?.dtype ?? null,
      group,
      groupSize: size > 0 ? size : (known?.size ?? null),
      ranks: known?.ranks ?? null,
      ...this.groups.identityOf(name, kind, known, transfers),
      algorithm: text(this.#algorithms),
      link: commonLink(transfers.map(({ link }) => link)),
      ...(transfers.length === 0 ? undefined : { transfers }),
    };
  }

  #readOperations(clock: DatabaseClock): void {
    const numeric: readonly (readonly [name: string, column: NumericColumn])[] = [
      ['opId', this.#opIds],
      ['opName', this.#names],
      ['groupName', this.#groups],
      ['dataType', this.#types],
      ['algType', this.#algorithms],
      ['count', this.#counts],
      ['opType', this.#opTypes],
      ['deviceId', this.#devices],
      ['rankSize', this.#groupSizes],
    ];
    const columns = [clock.since('startNs'), clock.since('endNs'), 'connectionId', ...numeric.map(([name]) => name)];
    this.database.eachNumbers('COMMUNICATION_OP', columns, ([start = NaN, end = NaN, connection = NaN, ...cells]) => {
      this.start.push(start);
      this.end.push(end);
      this.connection.push(connectionOrNone(connection));
      numeric.forEach(([, column], i) => column.push(cells[i] as number));
      if (!Number.isNaN(connectionOrNone(connection))) this.#byConnection.put(this.length - 1);
    });
  }

  #readTasks(): void {
    const columns = ['globalTaskId', ...MOVE_COLUMNS];
    this.database.eachNumbers('COMMUNICATION_TASK_INFO', columns, ([task = NaN, ...moved]) => {
      if (Number.isNaN(task)) return;
      this.#addTask(task);
      this.#moves.forEach((column, i) => column.push(moved[i] ?? NaN));
      this.#durations.push(NaN);
    });
    this.database.eachNumbers('COMMUNICATION_SCHEDULE_TASK_INFO', ['globalTaskId'], ([task = NaN]) =>
      this.#addTask(task),
    );
  }

  /**
   * Messages by operation. A message over a network takes longer than the task that sends it, so its duration is unknown.
   */
  #sumTransfers(): Map<number, Transfers> {
    const sums = new Map<number, Transfers>();
    for (let task = 0; task < this.#durations.length; task++) {
      const [op = NaN, src = NaN, dst = NaN, link = NaN, transport = NaN, size = NaN] = this.#moves.map((column) => column.at(task)); // prettier-ignore
      if (Number.isNaN(op)) continue;
      const ns = transport === RDMA ? NaN : this.#durations.at(task);
      entryOf(sums, op, () => new Transfers()).add(src, dst, this.#linkNames.get(link) ?? 'N/A', size, ns);
    }
    return sums;
  }

  #addTask(task: number): void {
    if (Number.isNaN(task)) return;
    this.#tasks.push(task);
    this.#byTask.put(this.#tasks.length - 1);
  }
}

/** Names of an enumeration: those of its schema, overridden by the database's own. */
function readNames(
  database: SqliteFile,
  table: string,
  known: Readonly<Record<number, string>>,
): ReadonlyMap<number, string> {
  const names = new Map(Object.entries(known).map(([code, name]) => [Number(code), name]));
  for (const [code, name] of database.rows(table, ['id', 'name'])) {
    if (typeof code === 'number' && typeof name === 'string') names.set(code, name);
  }
  return names;
}
