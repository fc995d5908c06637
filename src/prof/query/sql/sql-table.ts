/** The tables of `dprof sql`: one for each record type, one for steps, several for a job, and one for each other answer. */
import { rankOn } from '../../../record/fields/stated-device.js';
import { Checker } from '../../check/profile-check.js';
import { REASON_COLUMNS } from '../../check/reason.js';
import { COLUMNS, requireColumn } from '../../columns/columns.js';
import { CriticalPaths } from '../../critical-path/critical-path.js';
import { PATH_COLUMNS } from '../../critical-path/path-columns.js';
import { Overlap, OVERLAP_COLUMNS } from '../../overlap/overlap.js';
import { Queues, QUEUE_COLUMNS } from '../../queues/queues.js';
import { MOST_SEQUENCES, Sequences, SEQUENCE_COLUMNS } from '../../sequences/sequences.js';
import { REGION_COLUMNS } from '../../steps/region-columns.js';
import { Regions } from '../../steps/regions.js';
import type { Analysis } from '../../analysis.js';
import { SERVING_STEP_COLUMNS, STEP_COLUMNS, type StepRow } from '../../steps/step-columns.js';
import type { Annotated } from '../../annotate.js';
import { RECORD_FIELDS, type TabularType } from '../../../record/fields/record-fields.js';
import type { ProfileLine, ProfileRecord } from '../../../record/record.js';
import { JOB_TABLES } from './job-tables.js';
import { ofColumn, typeName, converterOf, quoted, typeOf, type SqlColumn, type SqlTable } from './sql-types.js';
import { requireNamed } from '../../../record/errors.js';
import { knownColumn, str, type Column } from '../../../table/column.js';
import type { DuckDBAppender, DuckDBDataChunk, DuckDBValue } from '@duckdb/node-api';
import { elementAt } from '../../../containers/element.js';
import type { Database } from './duckdb.js';

/** Number of rows in a DuckDB chunk. */
const CHUNK = 2048;

/** Schema of the tables with only the columns that a query reads. */
const SCHEMA = 'loaded';

/** The table behind a view. */
export class TableLoader<Row> {
  readonly #columns: readonly (readonly [value: (row: Row) => unknown, convert: (value: unknown) => DuckDBValue])[];
  readonly #values: DuckDBValue[][];
  #rows = 0;

  private constructor(
    columns: readonly SqlColumn<Row>[],
    { library }: Database,
    private readonly appender: DuckDBAppender,
    private readonly chunk: DuckDBDataChunk,
  ) {
    this.#columns = columns.map(({ kind, value }) => [value, converterOf(library, kind)]);
    this.#values = columns.map(() => []);
  }

  /**
   * Creates the view that replaces the empty table, and the table behind it with the columns that are read; the other
   * columns of the view are null.
   */
  static async create<Row>(
    database: Database,
    { name, columns }: { readonly name: string; readonly columns: readonly SqlColumn<Row>[] },
    read: ReadonlySet<string>,
  ): Promise<TableLoader<Row>> {
    const { connection, library } = database;
    const wanted = columns.filter((column) => read.has(column.name));
    // A table needs a column, even if rows are only counted.
    const loaded = wanted.length > 0 ? wanted : columns.slice(0, 1);
    const table = `${SCHEMA}.${quoted(name)}`;
    const isLoaded = new Set(loaded.map((column) => column.name));
    await connection.run(`CREATE SCHEMA IF NOT EXISTS ${SCHEMA}`);
    await connection.run(`DROP TABLE ${quoted(name)}`);
    await connection.run(
      `CREATE TABLE ${table} (${loaded.map(({ name, kind }) => `${quoted(name)} ${typeName(kind)}`).join(', ')})`,
    );
    const shown = columns.map(({ name, kind }) =>
      isLoaded.has(name) ? quoted(name) : `NULL::${typeName(kind)} AS ${quoted(name)}`,
    );
    await connection.run(`CREATE VIEW ${quoted(name)} AS SELECT ${shown.join(', ')} FROM ${table}`);
    const chunk = library.DuckDBDataChunk.create(loaded.map(({ kind }) => typeOf(library, kind)));
    return new TableLoader(loaded, database, await connection.createAppender(name, SCHEMA), chunk);
  }

  add(row: Row): void {
    for (const [i, [value, convert]] of this.#columns.entries()) elementAt(this.#values, i).push(convert(value(row)));
    if (++this.#rows >= CHUNK) this.#append();
  }

  finish(): void {
    if (this.#rows > 0) this.#append();
    this.appender.flushSync();
    this.appender.closeSync();
  }

  #append(): void {
    this.chunk.reset();
    this.chunk.rowCount = this.#rows;
    this.chunk.setColumns(this.#values);
    this.appender.appendDataChunk(this.chunk);
    // Moves appended rows to the table, so that they can be stored in the temporary folder.
    this.appender.flushSync();
    for (const column of this.#values) column.length = 0;
    this.#rows = 0;
  }
}

/** A record, and the profile line before it. */
export interface SqlRecord {
  readonly record: ProfileLine;
  readonly profile: ProfileRecord | null;
}

const fieldOf = (record: ProfileLine, name: string): unknown =>
  (record as unknown as Readonly<Record<string, unknown>>)[name];

/** If a field and a report column have the same name, the column is used, except for these fields. */
const FIELDS_BEFORE_COLUMNS: ReadonlySet<string> = new Set(['counters']);

const REPORT_COLUMNS = COLUMNS.filter(({ key }) => !FIELDS_BEFORE_COLUMNS.has(key));
/** SQL names are case-insensitive: `altSeq` is `altseq`. */
const REPORT_KEYS = new Set(REPORT_COLUMNS.map(({ key }) => key.toLowerCase()));

/** Kernels: the columns of the report, then the record fields with other names. */
export const KERNEL_TABLE: SqlTable<Annotated> = {
  name: 'kernel',
  columns: [
    ...REPORT_COLUMNS.map((column) => ofColumn(column)),
    ...RECORD_FIELDS.kernel
      .filter(({ name }) => !REPORT_KEYS.has(name.toLowerCase()))
      .map(({ name, kind }) => ({ name, kind, doc: '', value: ({ record }: Annotated) => fieldOf(record, name) })),
  ],
};

/** Only steps: rows for work outside of steps and for the total would count the same work again. */
export const isStep = ({ step }: StepRow): boolean => typeof step === 'number';

export const STEP_TABLE: SqlTable<StepRow> = {
  name: 'step',
  columns: [...STEP_COLUMNS, ...SERVING_STEP_COLUMNS].map((column) => withNumber(column)),
};

/** Steps are numbers, and null where a report has `all`. */
function withNumber<Row>(column: Column<Row>): SqlColumn<Row> {
  if (column.key !== 'step') return ofColumn(column);
  const value = (row: Row): unknown => {
    const step = column.value(row);
    return typeof step === 'number' ? step : null;
  };
  return { ...ofColumn(column), kind: 'int', value };
}

/** A table with the rows of another command. */
export interface AnswerTable {
  readonly table: SqlTable<unknown>;
  readonly analysis: () => Analysis<unknown>;
  /** Whether it needs the work of kernels, which then come later than other records. */
  readonly isDerived: boolean;
}

function answerTable<Row>(
  name: string,
  columns: readonly Column<Row>[],
  analysis: () => Analysis<unknown>,
  isDerived = false,
): AnswerTable {
  return {
    table: { name, columns: columns.map((column) => withNumber(column)) } as SqlTable<unknown>,
    analysis,
    isDerived,
  };
}

export const ANSWER_TABLES: readonly AnswerTable[] = [
  answerTable('reason', REASON_COLUMNS, () => new Checker(), true),
  answerTable('region', REGION_COLUMNS, () => new Regions('range'), true),
  answerTable('path', PATH_COLUMNS, () => new CriticalPaths()),
  answerTable('overlap', OVERLAP_COLUMNS, () => new Overlap(requireColumn('category'))),
  answerTable('queue', QUEUE_COLUMNS, () => new Queues(1, false)),
  answerTable('sequence', SEQUENCE_COLUMNS, () => new Sequences({ keys: [requireColumn('kernel')], length: null, most: MOST_SEQUENCES })), // prettier-ignore
];

const RANK: SqlColumn<SqlRecord> = {
  name: 'rank',
  kind: 'int',
  doc: 'rank of the process, from the file name or the profile; of the device in a profile of several ranks',
  value: ({ profile, record }) => rankOn(profile ?? null, 'device' in record ? record.device : null),
};

function tableOfType(type: TabularType): SqlTable<SqlRecord> {
  const fields = RECORD_FIELDS[type].map(({ name, kind }): SqlColumn<SqlRecord> => ({
    ...{ name, kind, doc: '' },
    value: ({ record }) => fieldOf(record, name),
  }));
  return { name: type, columns: fields.some(({ name }) => name === 'rank') ? fields : [RANK, ...fields] };
}

/** The tables of records that are stored unchanged. */
export const RECORD_TABLES: readonly SqlTable<SqlRecord>[] = (Object.keys(RECORD_FIELDS) as TabularType[])
  .filter((type) => type !== 'kernel')
  .map(tableOfType);

/** All tables, without access to rows. */
export const SQL_TABLES: readonly SqlTable<never>[] = [
  KERNEL_TABLE,
  ...RECORD_TABLES,
  STEP_TABLE,
  ...JOB_TABLES,
  ...ANSWER_TABLES.map(({ table }) => table),
] as readonly SqlTable<never>[];

interface SchemaRow {
  readonly table: string;
  readonly column: string;
  readonly type: string;
  readonly doc: string;
}

/** The tables and columns that a query may use, as a table. */
export const SCHEMA_COLUMNS: readonly Column<SchemaRow>[] = [
  knownColumn('table', 'table', str(10), 'name of the table', (row) => row.table),
  knownColumn('column', 'column', str(24), 'name of the column', (row) => row.column),
  knownColumn('type', 'type', str(10), 'its type', (row) => row.type),
  knownColumn('meaning', 'meaning', str(0), 'meaning; for fields of records see docs/record.md', (row) => row.doc),
];

/**
 * @param names the names of tables; empty for all
 * @throws UsageError naming the nearest table
 */
export function schemaRows(names: readonly string[]): SchemaRow[] {
  const tables =
    names.length === 0 ? SQL_TABLES : names.map((name) => requireNamed('table', name, SQL_TABLES, tableName));
  return tables.flatMap(({ name, columns }) =>
    columns.map((column) => ({ table: name, column: column.name, type: typeName(column.kind), doc: column.doc })),
  );
}

const tableName = ({ name }: { readonly name: string }): string => name;
