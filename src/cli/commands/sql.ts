/** `dprof sql`: runs one DuckDB query over records. */
import { existsSync } from 'node:fs';
import { cleanUp } from '../../parse/input/cleanup.js';
import { TemporaryFolder } from '../../parse/input/temporary-file.js';
import { Annotator } from '../../prof/report/report.js';
import {
  DATABASE_MEMORY_MB,
  INSTALL,
  QUERY_MEMORY_MB,
  loadLibrary,
  openDatabase,
  type Database,
} from '../../prof/query/sql/duckdb.js';
import {
  createEmptyTables,
  planQuery,
  runQuery,
  type QueryResult,
  type ResultRow,
} from '../../prof/query/sql/query.js';
import { SqlRecords } from '../../prof/query/sql/sql-records.js';
import { SCHEMA_COLUMNS, schemaRows } from '../../prof/query/sql/sql-table.js';
import { UsageError } from '../../record/errors.js';
import type { AnyTable } from '../../table/column.js';
import { alignedTable } from '../../write/cell-text.js';
import { fittedLines } from '../../write/fitted-table.js';
import { loadFormat, requireFormat } from '../../write/formats.js';
import { DEFAULT_WIDTH } from '../../write/columns.js';
import { CHOICE_NAMES } from '../choice-options.js';
import { TABLE_NAMES, unfit } from '../shared-options.js';
import { PEAKS_OPTION, readPeaks } from '../peaks-option.js';
import { say } from '../message.js';
import { withOutput, type Write } from '../output.js';
import { recordsCommand, withTableFormats, type RecordsRequest } from '../records-command.js';
import { withinDocument } from '../answer-document.js';
import { printTable, runAnalysis } from '../run-analysis.js';

const USAGE = "dprof sql [OPTION...] 'SELECT ...' [FILE...]";

export const sql = recordsCommand(
  {
    name: 'dprof sql',
    usage: USAGE,
    schemaOf: (given) => (given.on('schema') ? 'sql-tables' : 'sql'),
    about: ['One DuckDB query over records: one table each for kernels, copies, ranges, steps, regions, paths ...'],
    operands: [
      'FILE: dparse records (also .gz, or a folder of dparse -f parquet), or a profile. Default: stdin.',
      `Needs DuckDB: ${INSTALL}`,
    ],
    options: [{ name: 'schema', help: 'list tables and columns, or only those of the named tables' }, PEAKS_OPTION],
    unfit: {
      ...unfit(CHOICE_NAMES, 'filter in the query: WHERE device = 0 AND step = 3 AND start < 5e6'),
      ...unfit(TABLE_NAMES, 'write it in the query: SELECT ... ORDER BY ... LIMIT'),
    },
    notes: [
      [
        'Tables: kernel with all columns of dprof --columns; step with those of dprof steps; copy, set,',
        'sync, graph, collective, range, sample, tensor, layer, notice, profile and end with the fields of docs/record.md;',
        'collective also has kernels that communicate. For a job: rank with the columns of dprof ranks, operation for each',
        "matched operation, wait for each rank in it, on the job's clock.",
        'With the columns of other commands: reason (dprof check), region (dprof steps --by range), path (dprof critical-path),',
        'overlap (dprof overlap --by category), queue (dprof queues), sequence (dprof sequences).',
        'Unknown is NULL. Times are in ns, sizes in bytes. Write "end", "group", "offset" and "both" in double quotes.',
      ],
      [
        'The query reads only these tables: no file, network, extension or environment variable. It writes nothing.',
        `Memory: ${DATABASE_MEMORY_MB} MB for DuckDB, which spills the rest to TMPDIR, plus 250 MB; only the columns that the`,
        `query reads are kept. text and table hold all rows of the result. A query that takes more than ${QUERY_MEMORY_MB} MB`,
        'is killed.',
      ],
    ],
    examples: [
      "dprof sql 'SELECT op, sum(sil) AS ns FROM kernel GROUP BY op ORDER BY ns' net.sqlite",
      "dprof sql -f csv 'SELECT rank, step, busy FROM step' ranks/*.jsonl.gz",
      "dprof sql 'SELECT kind, sum(bytes) / sum(dur) FROM copy GROUP BY kind' records/",
      "dprof sql 'SELECT last_rank, sum(wait) FROM wait GROUP BY last_rank' ranks/*.json.gz",
      'dprof sql --schema kernel',
    ],
  },
  withTableFormats('text'),
  async (given, request) => {
    if (given.on('schema')) return printSchema(request);
    const [query, ...files] = request.files;
    const statement = checkedStatement(query, files);
    const inputs = { ...request, file: files.length === 1 ? files[0] : undefined, files };
    await withDatabase((database) => answer(database, statement, inputs, readPeaks(given)));
  },
  // The operand before the files is the query.
  1,
);

/** @throws UsageError for a file instead of a query */
function checkedStatement(query: string | undefined, files: readonly string[]): string {
  if (query === undefined) throw new UsageError('no query', `usage: ${USAGE}; dprof sql --schema lists the tables`);
  if (!/\s/.test(query.trim()) && existsSync(query)) {
    const rest = files.length === 0 ? query : `${query} ...`;
    throw new UsageError(`'${query}' is a file (the query comes before files)`, `dprof sql 'SELECT ...' ${rest}`);
  }
  return query;
}

/** Opens a database with a temporary folder, and removes both afterwards. */
async function withDatabase(body: (database: Database) => Promise<void>): Promise<void> {
  const library = await loadLibrary();
  const folder = new TemporaryFolder('dprof sql');
  const before = process.memoryUsage.rss();
  const watch = setInterval(() => limitMemory(before), WATCHED_EVERY);
  try {
    const database = await openDatabase(library, folder.path);
    try {
      await body(database);
    } finally {
      database.close();
    }
  } finally {
    clearInterval(watch);
    folder.dispose();
  }
}

/** Interval in ms between memory checks: DuckDB works in its own threads, and can allocate about 50 MB in this time. */
const WATCHED_EVERY = 20;

/**
 * Kills the process when the query takes too much memory. A normal exit would wait for DuckDB, whose functions cannot be
 * interrupted.
 * @param before memory of the process before the query, in bytes
 */
function limitMemory(before: number): void {
  if (process.memoryUsage.rss() - before < QUERY_MEMORY_MB * 1024 * 1024) return;
  say(
    'dprof',
    `SQL: the query takes more than ${QUERY_MEMORY_MB} MB of memory (-f csv and json buffer no rows; make lists and strings smaller)`,
  );
  cleanUp();
  process.kill(process.pid, 'SIGKILL');
}

/** Checks the query before anything is read, and finds the columns that it needs. */
async function answer(
  database: Database,
  query: string,
  request: RecordsRequest,
  device: ReturnType<typeof readPeaks>,
): Promise<void> {
  await createEmptyTables(database.connection);
  const read = await planQuery(database.connection, query);
  const print = async (write: Write): Promise<void> => printResult(await runQuery(database, query), request, write);
  // For example SHOW TABLES, which needs no file.
  if (read.size === 0)
    return withOutput(request.output, request.files, (write) => withinDocument(request.document ?? null, write, print));
  const analysis = await SqlRecords.create(database, read, device);
  await runAnalysis(request, {
    analysis,
    ...(read.has('kernel') || read.has('rank') ? { annotator: new Annotator(device) } : {}),
    // The rows are the whole answer, so no notes follow them.
    isDocument: true,
    print: (_answer, write) => print(write),
  });
}

async function printResult(
  { columns, batches }: QueryResult,
  { format, width }: RecordsRequest,
  write: Write,
): Promise<void> {
  if (format === 'text') {
    const rows: ResultRow[] = [];
    for await (const batch of batches) for (const row of batch) rows.push(row);
    return write(textOf({ columns, rows }, width));
  }
  const sheet = (await loadFormat(requireFormat(format))).open({
    columns,
    header: true,
    width: (format === 'fitted' ? width : null) ?? DEFAULT_WIDTH,
  });
  await write(sheet.head());
  for await (const batch of batches) await write(sheet.rows(batch.map((row) => sheet.pack(row))));
  for (const piece of sheet.end()) await write(piece);
}

function textOf({ columns, rows }: AnyTable, width: number | null): string {
  const lines = width === null ? alignedTable(columns, rows) : fittedLines(columns, [...rows], width);
  return `${lines.join('\n')}\n`;
}

function printSchema({ files, format, output, width, document = null }: RecordsRequest): Promise<void> {
  const table = { columns: SCHEMA_COLUMNS, rows: schemaRows(files) };
  return withOutput(output, [], (out) =>
    withinDocument(document, out, (write) =>
      format === 'text' ? write(textOf(table, width)) : printTable(table, format, write, width),
    ),
  );
}
