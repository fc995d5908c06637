/**
 * What becomes of the reports: each written as it comes, the last alone, statistics of all, or served; judged by
 * `--fail-if`.
 */
import type { MonitorReport } from '../../../prof/neuron/monitor/monitor-report.js';
import { MonitorStats, statsTable, type StatRow } from '../../../prof/neuron/monitor/monitor-stats.js';
import type { MonitorColumn } from '../../../prof/neuron/monitor/monitor-columns.js';
import { FORMATS } from '../../../write/formats.js';
import { requireNamed, EXIT, UserError } from '../../../record/errors.js';
import { tableText } from '../../../write/columns.js';
import { withOutput } from '../../output.js';
import { linesOf } from './monitor-formats.js';
import { isStdin, type MonitorRequest } from './monitor-options.js';
import type { MonitorNotes } from './monitor-lines.js';
import { MonitorServer, type MonitorAddress } from './monitor-server.js';
import { parseAlternatives, parseFilter, type ComparisonFilter, type RowFilter } from '../../../prof/query/filter.js';
import { counted } from '../../../record/plural.js';
import type { Column } from '../../../table/column.js';

/** Columns that say what a row is about: a comparison with one chooses rows, any other one judges them. */
const NAMING = new Set('report,scope,pid,tag,device,core,name,uuid,modelid,metric,unit'.split(','));

/** One of the conditions that `||` joins: it is judged by the rows that it chooses and whose values are known. */
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
   * @param text a condition of the filter language
   * @param nameOf what a row is, for the message
   * @throws UsageError for a condition that cannot be read
   */
  constructor(
    private readonly text: string,
    columnOf: (key: string) => Column<Row>,
    private readonly nameOf: (row: Row) => string,
  ) {
    const parsed = (comparison: ComparisonFilter<Row>) => parseAlternatives(text, columnOf, '--fail-if', comparison);
    const known = (column: Column<Row>, holds: RowFilter<Row>): RowFilter<Row> => {
      // `==na` holds of what is unknown.
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

  /** @throws UserError when a row met the condition, or none could be judged by a part of it */
  end(): void {
    if (this.#met > 0) {
      const others = this.#met === 1 ? '' : ` and ${counted(this.#met - 1, 'more row')}`;
      throw new UserError(`--fail-if '${this.text}' is met by ${this.#first}${others}`);
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
 * Serves the last report over HTTP, until a signal ends it or a pipe of reports does; the last report of a file stays.
 * @param start opens the input, which may wait for its first report
 * @throws UserError for an address that cannot be listened at, and for an input without reports
 */
export async function serve(
  request: MonitorRequest,
  address: MonitorAddress,
  start: () => Promise<MonitorReading>,
  notes: MonitorNotes,
): Promise<void> {
  // A file is opened first: one that cannot be read is never served.
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
  // An input that is closed under its reader is no failure.
  void ended.then(() => read.catch(() => undefined));
  try {
    await Promise.race([read, ended]);
  } finally {
    close();
    await server.close();
    for (const signal of ENDS) process.off(signal, end);
  }
}

/** The reports that each piece of the input completes. */
type ReportBatches = AsyncIterable<Iterable<MonitorReport>>;

/** An input whose reports are being read. */
export interface MonitorReading {
  readonly batches: ReportBatches;
  readonly close: () => void;
}

/** What a run reads, which nothing is written onto. */
const inputsOf = ({ file, config }: MonitorRequest): string[] => [
  file ?? '-',
  ...(config === undefined ? [] : [config]),
];

/** Each report in one write, on its way before the next is read. */
export async function writeAll(request: MonitorRequest, batches: ReportBatches): Promise<void> {
  const sheet = request.format.open(request);
  let { head } = sheet;
  await withOutput(request.output, inputsOf(request), async (write, flush) => {
    for await (const batch of batches) {
      for (const report of batch) {
        await write(head + sheet.report(report));
        await flush();
        head = '';
      }
    }
  });
}

/** The last report alone. A file holds the last one so far at any time, and is never seen half-written. */
export async function writeLast(request: MonitorRequest, batches: ReportBatches): Promise<void> {
  const sheet = request.format.open(request);
  const isFile = request.output !== undefined && request.output !== '-';
  let last: string | null = null;
  const write = async (): Promise<void> => {
    const text = last;
    last = null;
    if (text !== null) await withOutput(request.output, inputsOf(request), async (out) => out(text));
  };
  for await (const batch of batches) {
    for (const report of batch) last = sheet.head + sheet.report(report);
    if (isFile) await write();
  }
  await write();
}

/** @returns whether the run was short enough for percentiles */
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
    for (const piece of tableText(format, table, request)) await write(piece);
  });
  return !stats.isTooLong;
}
