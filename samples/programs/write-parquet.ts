/**
 * Tables in Parquet, made from captures in other formats, because no exporter's own files are public: those of `nsys export
 * --type parquetdir` from its SQLite export, whose tables they share; those of Neuron Explorer from the JSON of AWS's tool,
 * by the profile schema reference, version 7.4.
 */
import { parquetWriteBuffer, type ParquetWriteOptions } from 'hyparquet-writer';
import { rowsByTable, typeOf, valueOf, type Row, type TableFiles } from './write-tables.js';

/** How a table is written: rows of a file, and of a row group. */
export interface Pieces {
  readonly file?: number;
  readonly group?: number;
  readonly codec?: Pick<ParquetWriteOptions, 'codec' | 'compressors'>;
}

/** The files of a table: one, or numbered ones. */
function filesOf(table: string, rows: readonly Row[], { file = Infinity, group = 1000, codec }: Pieces): TableFiles {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const types = new Map(names.map((name) => [name, typeOf(rows.map((row) => row[name]))]));
  const write = (part: readonly Row[]): Uint8Array =>
    new Uint8Array(
      parquetWriteBuffer({
        ...codec,
        rowGroupSize: group,
        columnData: names.map((name) => {
          const type = types.get(name) ?? 'STRING';
          return { name, type, nullable: true, data: part.map((row) => valueOf(row[name], type)) };
        }),
      }),
    );
  if (rows.length <= file) return { [`${table}.parquet`]: write(rows) };
  const files: [string, Uint8Array][] = [];
  for (let at = 0; at < rows.length; at += file)
    files.push([`${table}_${files.length}.parquet`, write(rows.slice(at, at + file))]);
  return Object.fromEntries(files);
}

/** The tables of a database, as `nsys export --type parquetdir` writes them. */
export function parquetOfDatabase(bytes: Buffer, pieces: Pieces = {}): TableFiles {
  const files = Object.entries(rowsByTable(bytes)).map(([table, rows]) => filesOf(table, rows, pieces));
  return Object.assign({}, ...files) as TableFiles;
}

type Json = Readonly<Record<string, readonly Row[]>>;

/** A row of the JSON by the names of a table's columns; other columns have the same name, and those in `without` are left out. */
function renamed(
  row: Row,
  names: Readonly<Record<string, string>>,
  without: readonly string[] = [],
): Record<string, unknown> {
  const entries = Object.entries(row).filter(([name]) => !without.includes(name));
  return Object.fromEntries(entries.map(([name, value]) => [names[name] ?? name, value]));
}

const SUBGRAPH = ['subgraph', 'fully_qualified_subgraph', 'predecessors'];
const pcore = (row: Row): { readonly pcore_idx?: number } =>
  typeof row['subgraph'] === 'string' ? { pcore_idx: Number(row['subgraph'].slice(2)) } : {};
const timed = (row: Row): Row => ({
  start_ts: row['timestamp'],
  end_ts: Number(row['timestamp']) + Number(row['duration']),
});
const EVENT = { timestamp: 'start_ts', duration: 'duration_ns' };
/** Ids of 64 bits. */
const integer = (cell: unknown): unknown => (typeof cell === 'string' && /^-?\d+$/.test(cell) ? BigInt(cell) : cell);
const memories = (cell: unknown): string => `[${[cell].flat(4).join(', ')}]`;

const MOVED = ['instance_type', 'runtime_version', 'driver_version', 'collectives_version', 'compiler_version'];

/** The Neuron Explorer tables for a capture that AWS's tool wrote as JSON. */
export function explorerTables(text: string, pieces: Pieces = {}): TableFiles {
  // Integers that a number cannot hold become strings.
  const json = JSON.parse(text.replaceAll(/(?<=[:[,] ?)-?\d{16,}(?=[,}\]])/g, '"$&"')) as Json;
  const rows = (table: string): readonly Row[] => json[table] ?? [];
  const [summary = {}] = rows('summary');
  const [metadata = {}] = rows('metadata');
  const [info = {}] = rows('profile_info');
  const instructions = rows('instruction');
  const packets = rows('dma');
  const tables: Record<string, readonly Row[]> = {
    Metadata: [
      {
        profile_schema_version: '7.4.0',
        ...renamed(metadata, {
          pe_clock_freq: 'tensor_engine_clock_freq',
          pe_clock_others: 'neuroncore_clock_freq',
          pe_num_rows: 'tensor_engine_num_rows',
          pe_num_cols: 'tensor_engine_num_cols',
        }),
        ...Object.fromEntries(MOVED.flatMap((name) => (summary[name] === undefined ? [] : [[name, summary[name]]]))),
        explorer_version: info['profiler_version'],
        profile_name: info['profile_name'],
      },
    ],
    SchemaFields: [{ table_name: 'Instruction', field_name: 'start_ts', field_type: 'integer', field_format: 'int64' }],
    Summary: [renamed(summary, {}, MOVED)],
    NeffHeader: rows('neff_header').map((row) =>
      renamed(row, { number_of_neuroncores_per_lnc: 'pcore_count_per_lnc' }),
    ),
    Instruction: instructions.map((row) => ({
      ...renamed(
        row,
        {
          ...EVENT,
          subgroup: 'engine',
          label: 'timeline_track',
          evt_wait_time: 'evt_wait_time_ns',
          elements: 'tensor_elements',
          instruction_type: 'tensor_instruction_type',
          activation_fn: 'scalar_activation_fn',
        },
        SUBGRAPH,
      ),
      ...timed(row),
      ...pcore(row),
      engine: String(row['subgroup']).toLowerCase(),
      id: integer(row['id']),
    })),
    Flow: instructions.flatMap((row) =>
      ((row['predecessors'] ?? []) as readonly Row[]).map(({ id, type }) => ({
        ...{ in_id: integer(id), out_id: integer(row['id']) },
        ...{ in_table: 'instruction', out_table: 'instruction', dependency_type: type },
      })),
    ),
    DmaPacket: packets.map((row) => ({
      ...renamed(
        row,
        {
          ...EVENT,
          dma_engine: 'engine_idx',
          dma_queue: 'queue_idx',
          transfer_size: 'transfer_bytes',
          read_size: 'read_bytes',
          write_size: 'write_bytes',
          transfer_rate: 'throughput',
        },
        [...SUBGRAPH, 'op', 'source', 'dest', 'semaphore_id'],
      ),
      ...timed(row),
      ...pcore(row),
      engine_idx: Number(row['dma_engine']),
      queue_idx: Number(row['dma_queue']),
      id: integer(row['id']),
      packet_aggregation_id: integer(row['packet_aggregation_id']),
    })),
    DmaPacketAggregated: [...new Map(packets.map((row) => [row['packet_aggregation_id'], row])).values()].map(
      (row) => ({
        id: integer(row['packet_aggregation_id']),
        op: row['op'],
        source: memories(row['source']),
        dest: memories(row['dest']),
        semaphore_id: row['semaphore_id'],
      }),
    ),
    SemaphoreUpdate: rows('semaphore_update').map((row) => ({ ...renamed(row, {}, SUBGRAPH), ...pcore(row) })),
    Throttle: rows('ham').map((row) => ({
      ...renamed(row, {}, SUBGRAPH),
      type: `activity_${String(row['type'])}`,
      ...pcore(row),
    })),
    DmaUsage: rows('dma_throughput').map((row) => ({
      ...renamed(row, { transfer_rate: 'current_throughput' }, SUBGRAPH),
      ...pcore(row),
    })),
    PendingDma: rows('pending_dma').map((row) => ({ ...renamed(row, {}, SUBGRAPH), ...pcore(row) })),
    ...Object.fromEntries(
      [['SbufUsage', 'sb'] as const, ['PsumUsage', 'psum'] as const].map(([table, type]) => [
        table,
        rows('instruction_usage')
          .filter((row) => row['type'] === type)
          .map((row) => ({
            ...Object.fromEntries(
              Object.entries(renamed(row, { usage_avg: 'avg_util_percent' }, [...SUBGRAPH, 'type'])).map(
                ([name, value]) => [name.replace(/_usage$/, '_util_percent'), value],
              ),
            ),
            ...pcore(row),
          })),
      ]),
    ),
    TensorInfo: rows('neff_node').map((row) => ({ ...row, size: integer(row['size']) })),
    HbmUsageSummaryByType: rows('nc_mem_usage').map((row) =>
      renamed(row, { nd: 'neuron_device_idx', nc: 'neuroncore_idx', amount_bytes: 'usage_bytes' }),
    ),
    DmaQueuesInfo: rows('dma_queues_info').map((row) => ({
      ...renamed(
        row,
        {
          ...{ q_name: 'name', q_type: 'type', q_idx: 'idx' },
          ...{ q_eng_idx: 'engine_idx', q_axi_port: 'axi_port', q_dram_channel: 'dram_channel' },
        },
        SUBGRAPH,
      ),
      ...pcore(row),
    })),
    Warning: rows('warnings'),
  };
  const files = Object.entries(tables).map(([table, content]) =>
    content.length === 0 ? {} : filesOf(table, content, pieces),
  );
  return Object.assign({}, ...files) as TableFiles;
}

/** The tables of a Neuron Explorer system profile. */
export const explorerSystemTables = (tables: Readonly<Record<string, readonly Row[]>>): TableFiles =>
  Object.assign({}, ...Object.entries(tables).map(([table, rows]) => filesOf(table, rows, {}))) as TableFiles;
