/**
 * Neuron Explorer tables (Parquet) as the JSON of AWS's tool, which has the same contents under other names. Columns
 * are taken by name, whatever the version of the schema; missing columns are left out. The tree of framework nodes is
 * not translated, because its rows do not state their path. Source: AWS's profile schema reference, version 7.4.
 */
import { entryOf } from '../../../containers/map-entry.js';
import { createDatabase, type NewDatabase } from '../../sqlite/sqlite-library.js';
import { quote, readTables } from '../../sqlite/tables.js';
import { NOT_READ_TABLE } from './tool-json/json-tables.js';

/** A column of the JSON, and the column of the table or an SQL expression over it. */
type Names = Readonly<Record<string, string>>;

interface Translation {
  /** Table of the JSON. */
  readonly into: string;
  /** Columns of the JSON by their names in the table. */
  readonly renamed: Names;
  /** Further columns: names in the JSON, SQL, and tables that must exist for it. */
  readonly more?: readonly (readonly [name: string, sql: string, needs: readonly string[]])[];
}

const TIMES: Names = { start_ts: 'timestamp', duration_ns: 'duration' };
const USAGE: Names = Object.fromEntries([
  ['avg_util_percent', 'usage_avg'],
  ...[0, 32, 64, 96].map((part) => [`partition_${part}_util_percent`, `partition_${part}_usage`] as const),
  ...[0, 1, 2, 3, 4, 5, 6, 7].map((bank) => [`bank_${bank}_util_percent`, `bank_${bank}_usage`] as const),
]);

/** Earlier rows on which an instruction depends, as JSON. */
const PREDECESSORS = `(SELECT json_group_array(json_object('id', CAST(in_id AS TEXT), 'type', dependency_type))
  FROM (SELECT in_id, dependency_type FROM Flow WHERE out_id = t.id AND lower(out_table) = 'instruction' ORDER BY rowid))`;
const ofTransfer = (column: string): string =>
  `(SELECT ${column} FROM DmaPacketAggregated WHERE id = t.packet_aggregation_id)`;

/**
 * Tables by their names in Neuron Explorer. Missing here are tables of the compiler's hierarchy, of sums, and of unions
 * of times.
 */
const TRANSLATIONS: Readonly<Record<string, Translation>> = {
  Instruction: {
    into: 'instruction',
    renamed: {
      ...TIMES,
      engine: 'subgroup',
      timeline_track: 'label',
      evt_wait_time_ns: 'evt_wait_time',
      tensor_elements: 'elements',
      tensor_instruction_type: 'instruction_type',
      scalar_activation_fn: 'activation_fn',
    },
    more: [['predecessors', PREDECESSORS, ['Flow']]],
  },
  DmaPacket: {
    into: 'dma',
    renamed: {
      ...TIMES,
      engine_idx: 'dma_engine',
      queue_idx: 'dma_queue',
      transfer_bytes: 'transfer_size',
      read_bytes: 'read_size',
      write_bytes: 'write_size',
      throughput: 'transfer_rate',
    },
    more: [
      ['op', ofTransfer('op'), ['DmaPacketAggregated']],
      ['semaphore_id', ofTransfer('semaphore_id'), ['DmaPacketAggregated']],
      ['source', ofTransfer("trim(source, '[]')"), ['DmaPacketAggregated']],
      ['dest', ofTransfer("trim(dest, '[]')"), ['DmaPacketAggregated']],
    ],
  },
  SemaphoreUpdate: { into: 'semaphore_update', renamed: {} },
  Throttle: { into: 'ham', renamed: TIMES },
  DmaUsage: { into: 'dma_throughput', renamed: { current_throughput: 'transfer_rate' } },
  HbmUsage: { into: 'hbm_usage', renamed: { current_throughput: 'transfer_rate' } },
  PendingDma: { into: 'pending_dma', renamed: {} },
  SbufUsage: { into: 'instruction_usage', renamed: USAGE, more: [['type', "'sb'", []]] },
  PsumUsage: { into: 'instruction_usage', renamed: USAGE, more: [['type', "'psum'", []]] },
  CcOp: { into: 'CcOp', renamed: {} },
  CcInstruction: { into: 'CcInstruction', renamed: {} },
  CcStream: { into: 'CcStream', renamed: {} },
  TensorInfo: { into: 'neff_node', renamed: {} },
  HbmUsageSummaryByType: {
    into: 'nc_mem_usage',
    renamed: { neuron_device_idx: 'nd', neuroncore_idx: 'nc', usage_bytes: 'amount_bytes' },
  },
  DmaQueuesInfo: {
    into: 'dma_queues_info',
    renamed: {
      ...{ name: 'q_name', type: 'q_type', idx: 'q_idx' },
      ...{ engine_idx: 'q_eng_idx', axi_port: 'q_axi_port', dram_channel: 'q_dram_channel' },
    },
  },
  NeffHeader: { into: 'neff_header', renamed: { pcore_count_per_lnc: 'number_of_neuroncores_per_lnc' } },
  Metadata: {
    into: 'metadata',
    renamed: {
      tensor_engine_clock_freq: 'pe_clock_freq',
      neuroncore_clock_freq: 'pe_clock_others',
      tensor_engine_num_rows: 'pe_num_rows',
      tensor_engine_num_cols: 'pe_num_cols',
    },
  },
  Warning: { into: 'warnings', renamed: {} },
  Error: { into: 'errors', renamed: { description: 'message', type: 'category' } },
};

/** Tables that group or sum the rows of others. */
const DERIVED: ReadonlySet<string> = new Set([
  ...['ActiveTime', 'DmaPacketAggregated', 'DmaUsageSummary', 'ExecutionInfo', 'FrameworkNode'],
  ...['FrameworkInstruction', 'HloInstruction', 'PenguinInstruction', 'BirInstruction'],
]);
/** Columns of tables with events or samples. */
const TIME_COLUMNS = ['start_ts', 'timestamp'];

/** Facts of the metadata that the JSON has in its summary, and about the tool. */
const IN_SUMMARY = ['instance_type', 'runtime_version', 'driver_version', 'collectives_version', 'compiler_version'];
const IN_INFO: Names = { explorer_version: 'profiler_version', profile_name: 'profile_name' };

/**
 * Writes the JSON in pieces.
 * @param path database with the tables
 */
export function* explorerJson(path: string): Generator<string> {
  const database = createDatabase(path);
  try {
    const explorer = new Explorer(database);
    const lists = new Map<string, Generator<string>[]>([
      ['summary', [explorer.rows('Summary', { renamed: {}, more: explorer.facts() })]],
      ['profile_info', [explorer.rows('Metadata', { renamed: IN_INFO, isOnly: true })]],
      ['model_info', [explorer.cores()]],
      [NOT_READ_TABLE, [explorer.notRead()]],
    ]);
    for (const [table, translation] of Object.entries(TRANSLATIONS))
      entryOf(lists, translation.into, () => []).push(explorer.rows(table, translation));
    let before = '{';
    for (const [name, parts] of lists) {
      yield `${before}"${name}":[`;
      let separator = '';
      for (const part of parts)
        for (const row of part) {
          yield separator + row;
          separator = ',';
        }
      before = '],';
    }
    yield ']}';
  } finally {
    database.close();
  }
}

/** Tables that rows of others refer to, and the column. */
const REFERRED = { DmaPacketAggregated: 'id', Flow: 'out_id' } as const;

class Explorer {
  /** Columns by table. */
  readonly #columns: ReadonlyMap<string, ReadonlySet<string>>;

  constructor(readonly database: NewDatabase) {
    const tables = readTables(database);
    this.#columns = new Map([...tables].map(([name, { columns }]) => [name, new Set(columns.keys())]));
    for (const [table, column] of Object.entries(REFERRED))
      if (this.#columns.get(table)?.has(column) === true)
        database.exec(`CREATE INDEX ${quote(`by ${table}`)} ON ${quote(table)} (${quote(column)})`);
  }

  /** The rows of a table as JSON; none when the table is missing. */
  *rows(
    table: string,
    { renamed, more = [], isOnly = false }: Pick<Translation, 'renamed' | 'more'> & { readonly isOnly?: boolean },
  ): Generator<string> {
    const columns = this.#columns.get(table);
    if (columns === undefined) return;
    const cells = new Map<string, string>();
    for (const column of columns) {
      const name = renamed[column] ?? (isOnly ? null : column);
      if (name !== null) cells.set(name, `t.${quote(column)}`);
    }
    if (columns.has('pcore_idx')) cells.set('subgraph', "printf('sg%02d', t.pcore_idx)");
    for (const [name, sql, needs] of more) if (needs.every((other) => this.#columns.has(other))) cells.set(name, sql);
    if (cells.size === 0) return;
    const names = [...cells.keys()];
    const sql = `SELECT ${[...cells.values()].join(', ')} FROM ${quote(table)} t`;
    const rows = this.database.prepare(sql).raw().safeIntegers().iterate() as IterableIterator<unknown[]>;
    for (const row of rows) {
      const fields = row.flatMap((cell, i) => {
        const text = jsonOf(names[i] ?? '', cell);
        return text === null ? [] : [`${JSON.stringify(names[i])}:${text}`];
      });
      yield `{${fields.join(',')}}`;
    }
  }

  /** Numbers of rows of tables with events or samples that are not read. */
  *notRead(): Generator<string> {
    for (const [table, columns] of this.#columns) {
      const isRead = TRANSLATIONS[table] !== undefined || DERIVED.has(table);
      if (isRead || !TIME_COLUMNS.some((column) => columns.has(column))) continue;
      const rows = this.database
        .prepare(`SELECT count(*) FROM ${quote(table)}`)
        .pluck()
        .get();
      yield JSON.stringify({ table, rows });
    }
  }

  /** The facts of the metadata that belong to the summary; of a single core, its number too. */
  facts(): NonNullable<Translation['more']> {
    const [columns, summary] = [this.#columns.get('Metadata'), this.#columns.get('Summary')];
    const facts = IN_SUMMARY.filter((name) => columns?.has(name) === true).map(
      (name) => [name, `(SELECT ${quote(name)} FROM Metadata)`, ['Metadata']] as const,
    );
    const hasCore = columns?.has('neuroncore_idx') === true && columns.has('num_physical_cores');
    const core = '(SELECT neuroncore_idx FROM Metadata WHERE num_physical_cores = 1)';
    return hasCore && summary?.has('nc_idx') !== true ? [...facts, ['nc_idx', core, ['Metadata']] as const] : facts;
  }

  /** The physical cores, by the table of memory: the n-th of them ran the n-th subgraph, if there are as many. */
  *cores(): Generator<string> {
    const memory = this.#columns.get('HbmUsageSummaryByType');
    if (memory?.has('neuroncore_idx') !== true || this.#columns.get('Metadata')?.has('num_physical_cores') !== true)
      return;
    const sql = `SELECT DISTINCT neuroncore_idx FROM HbmUsageSummaryByType ORDER BY 1`;
    const cores = this.database.prepare(sql).pluck().all();
    if (cores.length !== this.database.prepare('SELECT num_physical_cores FROM Metadata').pluck().get()) return;
    for (const [i, core] of cores.entries())
      yield JSON.stringify({ sg_name: `sg${String(i).padStart(2, '0')}`, nc_idx: core });
  }
}

/** A cell as JSON; null when it is left out. Parquet's flags are integers here. */
function jsonOf(name: string, cell: unknown): string | null {
  if (typeof cell === 'bigint') return name.startsWith('is_') ? String(cell !== 0n) : cell.toString();
  if (typeof cell === 'number') return Number.isFinite(cell) ? JSON.stringify(cell) : null;
  if (typeof cell !== 'string') return null;
  return name === 'predecessors' ? cell : JSON.stringify(cell);
}
