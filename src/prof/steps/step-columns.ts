/** What a row of the breakdown tells: one table for text, CSV, JSON and the help. Times are ns. */
import type { StepRow } from './steps.js';

export interface StepColumn {
  readonly name: string;
  readonly unit: 'ns' | 'count';
  readonly doc: string;
  /** Whether text has it not. */
  readonly long?: true;
  /** Null when it is not known. */
  readonly value: (row: StepRow) => number | null;
}

const time = (name: string, doc: string, value: StepColumn['value']): StepColumn => ({ name, unit: 'ns', doc, value });

/** Of rows whose copies are known. */
const withCopies =
  (of: (sums: StepRow['sums']) => number) =>
  ({ sums, hasCopies }: StepRow): number | null =>
    hasCopies ? of(sums) : null;

export const STEP_COLUMNS: readonly StepColumn[] = [
  { name: 'kernels', unit: 'count', doc: 'kernels that compute', value: ({ sums }) => sums.kernels },
  { name: 'collectives', unit: 'count', doc: 'operations that communicate', value: ({ sums }) => sums.collectives },
  time('computing', 'some kernel computes', ({ sums }) => sums.computing),
  time('communication', 'some operation communicates', ({ sums }) => sums.communication),
  time('overlapped', 'both', ({ sums }) => sums.overlapped),
  time('not_overlapped', 'communication without computing', ({ sums }) => sums.notOverlapped),
  time('free', 'of the time from first start to last end, neither', ({ sums }) => sums.free),
  time('stage', 'first start to last end of both, without bubble', ({ sums }) => sums.stage),
  time('bubble', 'receive operations, added up', ({ sums }) => sums.bubble),
  {
    ...time('not_overlapped_no_receive', 'not_overlapped without bubble', ({ sums }) => sums.notOverlappedNoReceive),
    long: true,
  },
  time('preparing', "start of the step on the host to the device's first work", ({ preparing }) => preparing),
  time(
    'copies',
    'some copy or memset runs',
    withCopies(({ copies }) => copies),
  ),
  time(
    'exposed',
    'communication without computing and copies',
    withCopies(({ exposed }) => exposed),
  ),
  time(
    'busy',
    'anything runs',
    withCopies(({ busy }) => busy),
  ),
  time(
    'idle',
    'of the time from first start to last end of anything, nothing',
    withCopies(({ idle }) => idle),
  ),
];
