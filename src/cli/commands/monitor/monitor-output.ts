/**
 * Outputs reports: each as it comes, only the last, statistics over all, or over HTTP. Also checks them with
 * `--fail-if`.
 */
import type { MonitorReport } from '../../../prof/neuron/monitor/monitor-report.js';
import { MonitorStats, statsTable, type StatRow } from '../../../prof/neuron/monitor/monitor-stats.js';
import type { MonitorColumn } from '../../../prof/neuron/monitor/monitor-columns.js';
import { FORMATS } from '../../../write/formats.js';
import { requireNamed, EXIT, UserError } from '../../../record/errors.js';
import { tableText } from '../../../write/columns.js';
import { NO_FACTS, withinDocument } from '../../answer-document.js';
import { withOutput } from '../../output.js';
import { linesOf } from './monitor-formats.js';
import { isStdin, type MonitorRequest } from './monitor-options.js';
import type { MonitorNotes } from './monitor-lines.js';
import { MonitorServer, type MonitorAddress } from './monitor-server.js';
import { parseAlternatives, parseFilter, type ComparisonFilter, type RowFilter } from '../../../prof/query/filter.js';
import { counted } from '../../../record/plural.js';
import type { Column } from '../../../table/column.js';

/**
 * Columns that identify a row. In a condition, comparisons with these columns select rows; all other comparisons judge
 * the selected rows.
 */
const NAMING = new Set('report,scope,pid,tag,device,core,name,uuid,modelid,metric,unit'.split(','));

/** One of the conditions joined by `||`. It judges the rows that it selects, if their values are known. */
interface Part<Row> {
  readonly text: string;
  readonly chooses: RowFilter<Row>;
  readonly judges: RowFilter<Row>;
  hasRows: boolean;
  isJudged: boolean;
}

export class Threshold<Row> {
  readonly #meets: RowFilter<Row>;
  readonly #parts: readonly Part<Row>[];
  #met = 0;
  #first = '';

  /**
   * @param text a condition in the filter language
   * @param nameOf names a row, for the message
   * @throws UsageError for a condition that cannot be parsed
   */
  constructor(
    private readonly text: string,
    columnOf: (key: string) => Column<Row>,
    private readonly nameOf: (row: Row) => string,
  ) {
    const parsed = (comparison: ComparisonFilter<Row>) => parseAlternatives(text, columnOf, '--fail-if', comparison);
    const known = (column: Column<Row>, holds: RowFilter<Row>): RowFilter<Row> => {
      // `==na` is true for unknown values.
      return (row) => column.value(row) !== null || holds(row);
    };
    this.#meets = parseFilter(text, columnOf, '--fail-if');
    const judging = parsed((column, holds) => (NAMING.has(column.key) ? holds : known(column, holds)));
    const choosing = parsed((column, holds) => (NAMING.has(column.key) ? holds : () => true));
    this.#parts = choosing.map(({ text: part, matches }, i) => {
      const judges = judging[i]?.matches ?? matches;
      return { text: part, chooses: matches, judges, hasRows: false, isJudged: false };
    });
  }

  take(rows: readonly Row[]): void {
    for (const row of rows) {
      if (this.#meets(row) && this.#met++ === 0) this.#first = this.nameOf(row);
      for (const part of this.#parts) {
        part.hasRows ||= part.chooses(row);
        part.isJudged ||= part.judges(row);
      }
    }
  }

  /** @throws UserError when a row met the condition, or when some part of it could judge no row */
  end(): void {
    if (this.#met > 0) {
      const others = this.#met === 1 ? '' : ` and ${counted(this.#met - 1, 'more row')}`;
      throw new UserError(`--fail-if '${this.text}' matched ${this.#first}${others}`);
    }
    const open = this.#parts.filter(({ isJudged }) => !isJudged);
    if (open.length === 0) return;
    const texts = open.map(
      ({ text, hasRows }) => `${text} (${hasRows ? 'the value is unknown in all rows' : 'no row matches'})`,
    );
    throw new UserError(`--fail-if cannot be judged: ${texts.join('; ')}`, { exitCode: EXIT.notJudged });
  }
}

const ENDS = ['SIGINT', 'SIGTERM'] as const;

/**
 * Serves the last report over HTTP, until a signal comes or a pipe with reports ends. The last report of a file is
 * served until a signal comes.
 * @param start opens the input, which may wait for its first report
 * @throws UserError for an address that cannot be used, and for an input without reports
 */
export async function serve(
  request: MonitorRequest,
  address: MonitorAddress,
  start: () => Promise<MonitorReading>,
  notes: MonitorNotes,
): Promise<void> {
  // Open a file before the server starts, so that nothing is served for a file that cannot be read.
  const file = isStdin(request.file) ? null : await start();
  const server = await MonitorServer.open(address);
  let end = (): void => undefined;
  const ended = new Promise<void>((resolve) => (end = resolve));
  for (const signal of ENDS) process.once(signal, end);
  notes.say(`serving ${server.url}`);
  let close = file?.close ?? ((): void => void process.stdin.destroy());
  const reading = async (): Promise<void> => {
    const sheet = request.format.open(request);
    const opened = file ?? (await start());
    ({ close } = opened);
    for await (const batch of opened.batches) for (const report of batch) server.text = sheet.report(report);
    if (file !== null) await ended;
  };
  const read = reading();
  // Closing the input while it is being read is not a failure.
  void ended.then(() => read.catch(() => undefined));
  try {
    await Promise.race([read, ended]);
  } finally {
    close();
    await server.close();
    for (const signal of ENDS) process.off(signal, end);
  }
}

/** The reports completed by each piece of the input. */
type ReportBatches = AsyncIterable<Iterable<MonitorReport>>;

/** An input from which reports are being read. */
export interface MonitorReading {
  readonly batches: ReportBatches;
  readonly close: () => void;
}

/** Files that a run reads, which the output must not overwrite. */
const inputsOf = ({ file, config }: MonitorRequest): string[] => [
  file ?? '-',
  ...(config === undefined ? [] : [config]),
];

/** Writes each report at once and flushes it before the next one is read. */
export async function writeAll(request: MonitorRequest, batches: ReportBatches): Promise<void> {
  const sheet = request.format.open(request);
  let { head } = sheet;
  const { document } = request;
  await withOutput(request.output, inputsOf(request), async (out, flush) => {
    const write = document?.rows(out) ?? out;
    for await (const batch of batches) {
      for (const report of batch) {
        await write(head + sheet.report(report));
        await flush();
        head = '';
      }
    }
    await document?.end(out, NO_FACTS);
  });
}

/** Writes only the last report. An output file always holds the latest report, and readers never see it half-written. */
export async function writeLast(request: MonitorRequest, batches: ReportBatches): Promise<void> {
  const sheet = request.format.open(request);
  const isFile = request.output !== undefined && request.output !== '-';
  let last: string | null = null;
  const write = async (): Promise<void> => {
    const text = last;
    last = null;
    if (text === null) return;
    await withOutput(request.output, inputsOf(request), (out) =>
      withinDocument(request.document, out, (rows) => rows(text)),
    );
  };
  for await (const batch of batches) {
    for (const report of batch) last = sheet.head + sheet.report(report);
    if (isFile) await write();
  }
  await write();
}

/** @returns whether the run was short enough to compute percentiles */
export async function writeStats(
  request: MonitorRequest,
  metrics: readonly MonitorColumn[],
  batches: ReportBatches,
  threshold: Threshold<StatRow> | null,
): Promise<boolean> {
  const stats = new MonitorStats(metrics);
  const format = requireNamed('format', request.format.id, FORMATS, ({ id }) => id);
  await withOutput(request.output, inputsOf(request), async (write) => {
    for await (const batch of batches) for (const report of batch) stats.take(linesOf(request, report));
    const table = statsTable(stats);
    threshold?.take(table.rows);
    await withinDocument(request.document, write, async (rows) => {
      for (const piece of tableText(format, table, request)) await rows(piece);
    });
  });
  return !stats.isTooLong;
}
