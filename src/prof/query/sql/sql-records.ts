/** Records → the tables that a query reads. */
import { Steps, STEP_TYPES } from '../../steps/steps.js';
import type { Annotated } from '../../annotate.js';
import type { Analysis, Answer } from '../../analysis.js';
import type { RecordTypes } from '../../input/records.js';
import type { ProfileLine, ProfileRecord } from '../../../record/record.js';
import type { StepRow } from '../../steps/step-columns.js';
import type { Database } from './duckdb.js';
import type { ColumnsRead } from './query-plan.js';
import { isStep, KERNEL_TABLE, RECORD_TABLES, STEP_TABLE, type SqlRecord } from './sql-table.js';
import { TableLoader } from './table-loader.js';

const NONE: ReadonlySet<string> = new Set();

/** Fills the tables; its answer is in the database. */
export class SqlRecords implements Analysis<null> {
  readonly types: RecordTypes;
  readonly #profiles = new Map<number, ProfileRecord>();
  readonly #steps = new Steps();

  private constructor(
    private readonly kernels: TableLoader<Annotated> | null,
    private readonly records: ReadonlyMap<ProfileLine['type'], TableLoader<SqlRecord>>,
    private readonly steps: TableLoader<StepRow> | null,
  ) {
    this.types = new Set<ProfileLine['type']>([
      ...(['profile', 'end'] as const),
      ...(kernels === null ? [] : (['kernel'] as const)),
      ...records.keys(),
      ...(steps === null ? [] : STEP_TYPES),
    ]);
  }

  static async create(database: Database, read: ColumnsRead): Promise<SqlRecords> {
    const isRead = ({ name }: { readonly name: string }): boolean => read.has(name);
    const columnsOf = ({ name }: { readonly name: string }): ReadonlySet<string> => read.get(name) ?? NONE;
    const records = new Map<ProfileLine['type'], TableLoader<SqlRecord>>();
    for (const table of RECORD_TABLES.filter(isRead)) {
      records.set(table.name as ProfileLine['type'], await TableLoader.create(database, table, columnsOf(table)));
    }
    return new SqlRecords(
      isRead(KERNEL_TABLE) ? await TableLoader.create(database, KERNEL_TABLE, columnsOf(KERNEL_TABLE)) : null,
      records,
      isRead(STEP_TABLE) ? await TableLoader.create(database, STEP_TABLE, columnsOf(STEP_TABLE)) : null,
    );
  }

  take(record: ProfileLine, kernels: readonly Annotated[]): void {
    if (record.type === 'profile') this.#profiles.set(record.profile, record);
    this.records.get(record.type)?.add({ record, profile: this.#profiles.get(record.profile) ?? null });
    this.#addKernels(kernels);
    if (this.steps !== null) this.#steps.take(record);
  }

  finish(kernels: readonly Annotated[]): Answer<null> {
    this.#addKernels(kernels);
    this.kernels?.finish();
    for (const loader of this.records.values()) loader.finish();
    if (this.steps !== null) {
      for (const row of this.#steps.profiles.flatMap(({ rows }) => rows).filter(isStep)) this.steps.add(row);
      this.steps.finish();
    }
    return { table: null, facts: null, notes: [] };
  }

  #addKernels(kernels: readonly Annotated[]): void {
    if (this.kernels !== null) for (const kernel of kernels) this.kernels.add(kernel);
  }
}
