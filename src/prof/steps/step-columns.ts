/** Columns of `dprof steps`. Times are ns. */
import type { Column } from '../../table/column.js';
import type { StepRow } from './step-row.js';

type TimeOf = (row: StepRow) => number | null;

/** A column of numbers. */
interface FigureColumn extends Column<StepRow> {
  value(row: StepRow): number | null;
}

const COUNT = { type: 'int', width: 11 } as const;

/** Time in a header with its unit. */
const time = (key: string, doc: string, value: TimeOf): FigureColumn => ({
  key,
  header: `${key}_ns`,
  type: 'int',
  unit: 'ns',
  width: Math.max(13, key.length + 3),
  doc,
  value,
});

/** Time in rows whose copies are known. */
const timeOfCopies = (key: string, doc: string, of: (sums: StepRow['sums']) => number): FigureColumn =>
  time(key, doc, ({ sums, hasCopies }) => (hasCopies ? of(sums) : null));

/** Where a row belongs. */
const STEP_PLACE_COLUMNS: readonly Column<StepRow>[] = [
  {
    key: 'profile',
    header: 'profile',
    type: 'int',
    width: 7,
    doc: 'number of the input, from 0',
    machineOnly: true,
    value: ({ profile }) => profile,
  },
  {
    key: 'file',
    header: 'file',
    type: 'str',
    width: 20,
    doc: "the profile's file",
    machineOnly: true,
    value: ({ header }) => header?.file ?? null,
  },
  {
    key: 'rank',
    header: 'rank',
    type: 'int',
    width: 4,
    doc: 'rank of the process',
    machineOnly: true,
    value: ({ header }) => header?.rank ?? null,
  },
  { key: 'device', header: 'device', type: 'int', width: 6, doc: 'device', value: ({ device }) => device },
  {
    key: 'step',
    header: 'step',
    type: 'int',
    width: 9,
    doc: 'number of the step, - for work outside of steps, all for everything',
    value: ({ step }) => step,
  },
];

/** What was measured. */
export const STEP_TIME_COLUMNS: readonly FigureColumn[] = [
  { key: 'kernels', header: 'kernels', ...COUNT, doc: 'kernels that compute', value: ({ sums }) => sums.kernels },
  {
    key: 'collectives',
    header: 'collectives',
    ...COUNT,
    doc: 'operations that communicate',
    value: ({ sums }) => sums.collectives,
  },
  time('computing', 'some kernel computes', ({ sums }) => sums.computing),
  time('communication', 'some operation communicates', ({ sums }) => sums.communication),
  time('overlapped', 'both', ({ sums }) => sums.overlapped),
  time('not_overlapped', 'communication without computing', ({ sums }) => sums.notOverlapped),
  time('free', 'of the time from first start to last end, neither', ({ sums }) => sums.free),
  time('stage', 'first start to last end of both, without bubble', ({ sums }) => sums.stage),
  time('bubble', 'receive operations, added up', ({ sums }) => sums.bubble),
  {
    ...time('not_overlapped_no_receive', 'not_overlapped without bubble', ({ sums }) => sums.notOverlappedNoReceive),
    machineOnly: true,
  },
  time('preparing', "start of the step on the host to the device's first work", ({ preparing }) => preparing),
  timeOfCopies('copies', 'some copy or memset runs', ({ copies }) => copies),
  timeOfCopies('exposed', 'communication without computing and copies', ({ exposed }) => exposed),
  timeOfCopies('busy', 'anything runs', ({ busy }) => busy),
  timeOfCopies('idle', 'of the time from first start to last end of anything, nothing', ({ idle }) => idle),
];

export const STEP_COLUMNS: readonly Column<StepRow>[] = [...STEP_PLACE_COLUMNS, ...STEP_TIME_COLUMNS];
