/** The tables of `dprof sql`: one for each type of record, one of steps, and those of a job. */
import { COLUMNS } from '../../columns/columns.js';
import { SERVING_STEP_COLUMNS, STEP_COLUMNS, type StepRow } from '../../steps/step-columns.js';
import type { Annotated } from '../../annotate.js';
import { RECORD_FIELDS, type TabularType } from '../../../record/fields/record-fields.js';
import type { ProfileLine, ProfileRecord } from '../../../record/record.js';
import { JOB_TABLES } from './job-tables.js';
import { ofColumn, type SqlColumn, type SqlTable } from './sql-types.js';

/** A record, and the profile line before it. */
export interface SqlRecord {
  readonly record: ProfileLine;
  readonly profile: ProfileRecord | null;
}

const fieldOf = (record: ProfileLine, name: string): unknown =>
  (record as unknown as Readonly<Record<string, unknown>>)[name];

/** Where a field and a column of the report have one name, the column is meant; of these the field. */
const FIELDS_BEFORE_COLUMNS: ReadonlySet<string> = new Set(['counters']);

const REPORT_COLUMNS = COLUMNS.filter(({ key }) => !FIELDS_BEFORE_COLUMNS.has(key));
/** SQL does not distinguish capital letters: `altSeq` is `altseq`. */
const REPORT_KEYS = new Set(REPORT_COLUMNS.map(({ key }) => key.toLowerCase()));

/** Kernels: the columns of the report, then the fields of the record of other names. */
export const KERNEL_TABLE: SqlTable<Annotated> = {
  name: 'kernel',
  columns: [
    ...REPORT_COLUMNS.map((one) => ofColumn(one)),
    ...RECORD_FIELDS.kernel
      .filter(({ name }) => !REPORT_KEYS.has(name.toLowerCase()))
      .map(({ name, kind }) => ({ name, kind, doc: '', value: ({ record }: Annotated) => fieldOf(record, name) })),
  ],
};

/** Only steps: what belongs to none, and all together, would be counted beside them. */
export const isStep = ({ step }: StepRow): boolean => typeof step === 'number';

export const STEP_TABLE: SqlTable<StepRow> = {
  name: 'step',
  columns: [...STEP_COLUMNS, ...SERVING_STEP_COLUMNS].map((column) =>
    column.key === 'step' ? { ...ofColumn(column), kind: 'int', value: ({ step }) => step } : ofColumn(column),
  ),
};

const RANK: SqlColumn<SqlRecord> = {
  name: 'rank',
  kind: 'int',
  doc: 'rank of the process, from the file name or the profile',
  value: ({ profile }) => profile?.rank ?? null,
};

function tableOfType(type: TabularType): SqlTable<SqlRecord> {
  const fields = RECORD_FIELDS[type].map(({ name, kind }): SqlColumn<SqlRecord> => ({
    ...{ name, kind, doc: '' },
    value: ({ record }) => fieldOf(record, name),
  }));
  return { name: type, columns: fields.some(({ name }) => name === 'rank') ? fields : [RANK, ...fields] };
}

/** The tables of records that stand as they are. */
export const RECORD_TABLES: readonly SqlTable<SqlRecord>[] = (Object.keys(RECORD_FIELDS) as TabularType[])
  .filter((type) => type !== 'kernel')
  .map(tableOfType);

/** All tables, without access to rows. */
export const SQL_TABLES: readonly SqlTable<never>[] = [
  KERNEL_TABLE,
  ...RECORD_TABLES,
  STEP_TABLE,
  ...JOB_TABLES,
] as readonly SqlTable<never>[];
