/** A column of the report of kernels. */
import type { Column } from '../../table/column.js';
import type { Annotated } from '../annotate.js';

/** A column whose rows are annotated kernels. */
export type KernelColumn = Column<Annotated>;
