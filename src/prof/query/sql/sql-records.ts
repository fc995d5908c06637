/** Turns records into the tables that a query reads. */
import { Steps, STEP_TYPES } from '../../steps/steps.js';
import { Annotated } from '../../annotate.js';
import type { Analysis, Answer, Item, RecordTypes } from '../../analysis.js';
import { operationOf, communicates } from '../../steps/step-work.js';
import { RANK_TYPES, RankCollector } from '../../ranks/part/rank-collector.js';
import type { KernelLine, ProfileLine, ProfileRecord } from '../../../record/record.js';
import type { StepRow } from '../../steps/step-columns.js';
import type { Database } from './duckdb.js';
import type { ColumnsRead } from './query.js';
import { JOB_TABLES, JobRows, OPERATION_TABLE, RANK_TABLE, WAIT_TABLE } from './job-tables.js';
import type { SqlTable } from './sql-types.js';
import { Annotator } from '../../report/report.js';
import type { Peaks } from '../../roofline/peaks.js';
import {
  ANSWER_TABLES,
  isStep,
  KERNEL_TABLE,
  RECORD_TABLES,
  STEP_TABLE,
  TableLoader,
  type AnswerTable,
  type SqlRecord,
} from './sql-table.js';

const NONE: ReadonlySet<string> = new Set();

/** The tables of a job that the query reads, filled when all ranks are known. */
class JobLoaders {
  readonly ranks = new RankCollector();

  private constructor(private readonly tables: readonly ((rows: JobRows) => void)[]) {}

  static async create(database: Database, read: ColumnsRead): Promise<JobLoaders> {
    const filled = async <Row>(
      table: SqlTable<Row>,
      rowsOf: (rows: JobRows) => Iterable<Row>,
    ): Promise<(rows: JobRows) => void> => {
      const columns = read.get(table.name);
      if (columns === undefined) return () => undefined;
      const loader = await TableLoader.create(database, table, columns);
      return (rows) => {
        for (const row of rowsOf(rows)) loader.add(row);
        loader.finish();
      };
    };
    return new JobLoaders([
      await filled(RANK_TABLE, (rows) => rows.ranks()),
      await filled(OPERATION_TABLE, (rows) => rows.operations()),
      await filled(WAIT_TABLE, (rows) => rows.waits()),
    ]);
  }

  finish(): void {
    const rows = new JobRows(this.ranks);
    for (const fill of this.tables) fill(rows);
  }
}

/** Fills a table with the answer of another command. */
class AnswerLoader {
  readonly analysis: Analysis<unknown>;
  readonly #annotator: Annotator;

  /** @param device peak rates for every kernel, instead of those of its device */
  constructor(
    { analysis, isDerived }: AnswerTable,
    private readonly loader: TableLoader<unknown>,
    device: Peaks | null,
  ) {
    this.analysis = analysis();
    this.#annotator = new Annotator(device, isDerived);
  }

  take(record: ProfileLine): void {
    if (this.analysis.types.has(record.type)) this.#annotator.pass(record, this.#take);
  }

  readonly #take = (item: Item): void => this.analysis.take(item);

  /** @throws UserError when the profiles lack what the answer needs */
  finish(): void {
    this.#annotator.passRest(this.#take);
    for (const row of this.analysis.finish().table?.rows ?? []) this.loader.add(row);
    this.loader.finish();
  }
}

/** Fills the tables; its answer is in the database. */
export class SqlRecords implements Analysis<null> {
  readonly types: RecordTypes;
  readonly #profiles = new Map<number, ProfileRecord>();
  readonly #steps = new Steps();

  private constructor(
    private readonly kernels: TableLoader<Annotated> | null,
    private readonly records: ReadonlyMap<ProfileLine['type'], TableLoader<SqlRecord>>,
    private readonly steps: TableLoader<StepRow> | null,
    private readonly job: JobLoaders | null,
    private readonly answers: readonly AnswerLoader[],
  ) {
    const hasCollectives = records.has('collective');
    this.types = new Set<ProfileLine['type']>([
      ...(['profile', 'end'] as const),
      ...(kernels === null && !hasCollectives ? [] : (['kernel'] as const)),
      ...records.keys(),
      ...(steps === null ? [] : STEP_TYPES),
      ...(job === null ? [] : RANK_TYPES),
      ...answers.flatMap(({ analysis }) => [...analysis.types]),
    ]);
  }

  /** @param device peak rates for every kernel, instead of those of its device */
  static async create(database: Database, read: ColumnsRead, device: Peaks | null): Promise<SqlRecords> {
    const isRead = ({ name }: { readonly name: string }): boolean => read.has(name);
    const columnsOf = ({ name }: { readonly name: string }): ReadonlySet<string> => read.get(name) ?? NONE;
    const records = new Map<ProfileLine['type'], TableLoader<SqlRecord>>();
    for (const table of RECORD_TABLES.filter(isRead)) {
      records.set(table.name as ProfileLine['type'], await TableLoader.create(database, table, columnsOf(table)));
    }
    const answers: AnswerLoader[] = [];
    for (const answer of ANSWER_TABLES.filter(({ table }) => isRead(table))) {
      const loader = await TableLoader.create(database, answer.table, columnsOf(answer.table));
      answers.push(new AnswerLoader(answer, loader, device));
    }
    return new SqlRecords(
      isRead(KERNEL_TABLE) ? await TableLoader.create(database, KERNEL_TABLE, columnsOf(KERNEL_TABLE)) : null,
      records,
      isRead(STEP_TABLE) ? await TableLoader.create(database, STEP_TABLE, columnsOf(STEP_TABLE)) : null,
      JOB_TABLES.some(isRead) ? await JobLoaders.create(database, read) : null,
      answers,
    );
  }

  take(item: Item): void {
    if (item instanceof Annotated) this.kernels?.add(item);
    else this.#takeRecord(item);
    this.job?.ranks.take(item);
  }

  #takeRecord(record: ProfileLine): void {
    if (record.type === 'profile') this.#profiles.set(record.profile, record);
    this.records.get(record.type)?.add({ record, profile: this.#profiles.get(record.profile) ?? null });
    // An NCCL operation is a kernel, but also an operation like one that a profiler reports as such.
    if (record.type === 'kernel' && communicates(record)) this.#addCollective(record);
    if (this.steps !== null) this.#steps.take(record);
    for (const answer of this.answers) answer.take(record);
  }

  finish(): Answer<null> {
    this.kernels?.finish();
    for (const loader of this.records.values()) loader.finish();
    if (this.steps !== null) {
      for (const row of this.#steps.profiles.flatMap(({ rows }) => rows).filter(isStep)) this.steps.add(row);
      this.steps.finish();
    }
    this.job?.finish();
    for (const answer of this.answers) answer.finish();
    return { facts: null };
  }

  #addCollective(record: KernelLine): void {
    const operation = { ...record, ...operationOf(record), type: 'collective' } as unknown as ProfileLine;
    this.records.get('collective')?.add({ record: operation, profile: this.#profiles.get(record.profile) ?? null });
  }
}
