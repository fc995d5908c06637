/** Large profiles of formats that hold events as rows: real profiles, repeated. */
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { rowsByTable, typeOf, valueOf, type Row } from '../../samples/programs/write-tables.js';
import { fromRoot } from '../built-tools.js';
import type { Command } from '../measure.js';
import { repeatDatabase, type Moves } from '../repeat-database.js';
import { readTrace } from '../repeat-trace.js';
import { repeatXPlane } from '../repeat-xplane.js';
import { writePieces } from '../write-pieces.js';

export interface Kind {
  /** The real profile, in ../shared. */
  readonly input: string;
  /** Name of the large file or folder. */
  readonly name: string;
  /** Options of dparse. */
  readonly options: readonly string[];
  /** Writes a number of copies of the input. */
  readonly write: (input: string, times: number, out: string) => void;
  /** A program that decodes the whole input and discards the result. */
  readonly decode: (path: string) => Command;
}

const decodeAll =
  (kind: string) =>
  (path: string): Command => ({
    program: process.execPath,
    args: ['--max-old-space-size=8000', fromRoot('bench/decode-all.mjs'), kind, path],
  });

const ROCPD_EVENTS = /^rocpd_(event|arg|region|sample|kernel_dispatch|memory_copy|memory_allocate|pmc_event)_/;

/** What the columns of a table of rocpd count. */
function rocpdMoves(name: string): Moves | null {
  const [, events] = ROCPD_EVENTS.exec(name) ?? [];
  if (events === undefined) return null;
  return {
    ...{ id: events, event_id: 'event', dispatch_id: 'dispatch', start: 'time', end: 'time', timestamp: 'time' },
    ...{ stack_id: 'stack', parent_stack_id: 'stack', correlation_id: 'stack' },
  };
}

/** Selects all rows of the tables of events. */
function selectAll(path: string): Command {
  const database = new Database(path, { readonly: true });
  const names = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").pluck().all() as string[];
  database.close();
  const queries = names.filter((name) => ROCPD_EVENTS.test(name)).map((name) => `SELECT * FROM "${name}";`);
  return { program: 'sqlite3', args: ['-json', path, queries.join(' ')] };
}

type Json = Record<string, unknown>;

/** Repeats the records of a results.json, one a line. */
function repeatResults(input: string, times: number, out: string): void {
  const { 'rocprofiler-sdk-tool': [first = {}] = [] } = JSON.parse(readTrace(input).toString()) as Record<string, Json[]>; // prettier-ignore
  const { buffer_records: buffers, ...others } = first as { readonly buffer_records: Readonly<Record<string, Json[]>> };
  const all = Object.values(buffers).flat();
  const numbers = (name: string): number[] => all.map((record) => Number(record[name]));
  const largestOf = (values: readonly number[]): number => values.reduce((most, value) => Math.max(most, value), 0);
  const start = numbers('start_timestamp').reduce((least, value) => Math.min(least, value), Infinity);
  const time = largestOf(numbers('end_timestamp')) - start + 1000;
  const idOf = (record: Json): Json => record['correlation_id'] as Json;
  const ids = largestOf(all.map((record) => Number(idOf(record)['internal']))) + 1;
  writePieces(out, (write) => {
    const text = (piece: string): void => write(Buffer.from(piece));
    text(`{"rocprofiler-sdk-tool":[${JSON.stringify(others).slice(0, -1)},"buffer_records":{`);
    for (const [i, [name, records]] of Object.entries(buffers).entries()) {
      text(`${i === 0 ? '' : ','}"${name}":[`);
      for (let copy = 0; copy < (records.length === 0 ? 0 : times); copy++) {
        const moved = records.map((record) =>
          JSON.stringify({
            ...record,
            start_timestamp: Number(record['start_timestamp']) + copy * time,
            end_timestamp: Number(record['end_timestamp']) + copy * time,
            correlation_id: { ...idOf(record), internal: Number(idOf(record)['internal']) + copy * ids },
          }),
        );
        text(`${copy === 0 ? '' : ','}\n${moved.join(',\n')}`);
      }
      text('\n]');
    }
    text('}}]}\n');
  });
}

const NSIGHT_MOVES: Moves = { start: 'time', end: 'time', correlationId: 'launch' };
const COPIES_IN_FILE = 20;

/** Repeats the events of an Nsight database as tables in Parquet without compression, some copies a file. */
function repeatTables(input: string, times: number, folder: string): void {
  mkdirSync(folder);
  const tables = Object.entries(rowsByTable(readFileSync(input)));
  const strides = stridesOf(tables.flatMap(([, rows]) => rows));
  for (const [name, rows] of tables) {
    const isRepeated = /^(?:CUPTI_ACTIVITY_KIND|NVTX_EVENTS)/.test(name);
    for (let from = 0; from < (isRepeated ? times : 1); from += COPIES_IN_FILE) {
      const copies = isRepeated ? Math.min(COPIES_IN_FILE, times - from) : 1;
      const columnData = Object.keys(rows[0] ?? {}).map((column) => {
        const cells = rows.map((row) => row[column]);
        const type = typeOf(cells);
        const stride = strides[NSIGHT_MOVES[column] ?? ''] ?? 0n;
        const values = cells.map((cell) => valueOf(cell, type));
        const moved = Array.from({ length: copies }, (_, copy) => {
          const by = stride * BigInt(from + copy);
          return by === 0n ? values : values.map((value) => (typeof value === 'bigint' ? value + by : value));
        });
        return { name: column, type, nullable: true, encoding: 'PLAIN' as const, data: moved.flat() };
      });
      const bytes = parquetWriteBuffer({ columnData, codec: 'UNCOMPRESSED', rowGroupSize: 20_000 });
      writeFileSync(join(folder, `${name}_${from / COPIES_IN_FILE}.parquet`), new Uint8Array(bytes));
    }
  }
}

function stridesOf(rows: readonly Row[]): Readonly<Record<string, bigint>> {
  const values = (name: string): bigint[] =>
    rows.flatMap((row) => (typeof row[name] === 'bigint' && row[name] > 0n ? [row[name]] : []));
  const most = (name: string): bigint => values(name).reduce((a, b) => (b > a ? b : a), 0n);
  const least = values('start').reduce((a, b) => (b < a ? b : a), 1n << 62n);
  return { time: most('end') - least + 1000n, launch: most('correlationId') + 1n };
}

const XPLANE: Kind = {
  input: 'data/xplane/jax08_conv_8gpu_mi300.xplane.pb',
  name: 'net.xplane.pb',
  options: [],
  write: (input, times, out) => writePieces(out, (write) => void repeatXPlane(readFileSync(input), times, write)),
  decode: decodeAll('xplane'),
};

export const KINDS: Readonly<Record<string, Kind>> = {
  rocpd: {
    input: 'data/amd/rocpd/bmm_mi300x_results.db',
    name: 'net_results.db',
    options: [],
    write: (input, times, out) => repeatDatabase(input, times, out, rocpdMoves),
    decode: selectAll,
  },
  rocprofv3: {
    input: 'data/amd/mi350_fsdp_12000_results.json.gz',
    name: 'net_results.json',
    options: [],
    write: repeatResults,
    decode: decodeAll('rocprofv3'),
  },
  parquet: {
    input: 'data/nsys/fsdp_2proc.sqlite',
    name: 'net_pqtdir',
    options: [],
    write: repeatTables,
    decode: decodeAll('parquet'),
  },
  xplane: XPLANE,
  'xplane-ranges': { ...XPLANE, options: ['--ranges'] },
};

/** Bytes of a file, or of the files of a folder. */
export const sizeOf = (path: string): number =>
  statSync(path).isDirectory()
    ? readdirSync(path).reduce((sum, name) => sum + statSync(join(path, name)).size, 0)
    : statSync(path).size;

/** Numbers of copies that show how much one adds. */
const [FEW, MORE] = [2, 6];

/**
 * Writes inputs of a kind into a folder, one in place of the other.
 * @returns writes as many copies as take about so many bytes, at least one; returns the path
 */
export function inputsOf({ name, write }: Kind, input: string, folder: string): (bytes: number) => string {
  const path = join(folder, name);
  const written = (times: number): number => {
    rmSync(path, { recursive: true, force: true });
    write(input, times, path);
    return sizeOf(path);
  };
  const few = written(FEW);
  const copy = (written(MORE) - few) / (MORE - FEW);
  return (bytes) => {
    written(Math.max(1, Math.round(FEW + (bytes - few) / copy)));
    return path;
  };
}
