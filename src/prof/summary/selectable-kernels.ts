/** Lists of kernels in documents: each entry has the expression that selects its kernels, for `dprof --where`. */
import { UNKNOWN } from '../../record/units.js';
import { requireColumn } from '../columns/columns.js';
import { conditionOf, joinedConditions } from '../query/conditions.js';
import type { KernelSummary, Tally, WorkTime } from './summary-data.js';
import { OTHERS } from './tallies.js';

interface SelectableTally extends Tally {
  /** The expression for `--where` that selects these kernels; null where there is none. */
  readonly where: string | null;
}

/** The lists whose entries are values of a column. */
const COLUMN_OF = { byTime: 'kernel', byCount: 'kernel', precision: 'dtype', bounds: 'bound' } as const;
type List = keyof typeof COLUMN_OF;

type Lists = Readonly<Record<List, readonly SelectableTally[]>>;

export interface SelectableKernels extends Omit<KernelSummary, List | 'work'>, Omit<Lists, 'bounds'> {
  readonly work: Omit<WorkTime, 'bounds'> & Pick<Lists, 'bounds'>;
}

/** Instructions that only wait have names too, but are not among the kernels of a summary. */
const NO_WAITS = `(category!=wait || category==${UNKNOWN})`;

/** @param profile the number of the profile, where the input has several; otherwise null */
export function selectable(kernels: KernelSummary, profile: number | null): SelectableKernels {
  const others = [
    ...(profile === null ? [] : [`profile==${profile}`]),
    ...(kernels.waits === undefined ? [] : [NO_WAITS]),
  ];
  const selected = (list: List, tallies: readonly Tally[]): SelectableTally[] => {
    const column = requireColumn(COLUMN_OF[list]);
    const isName = column.key === 'kernel';
    return tallies.map((tally) => {
      const { name } = tally;
      const condition = name === OTHERS ? null : conditionOf(column, name === UNKNOWN && !isName ? null : name);
      return { ...tally, where: condition === null ? null : joinedConditions([...others, condition]) };
    });
  };
  const { byTime, byCount, precision, work } = kernels;
  return {
    ...kernels,
    byTime: selected('byTime', byTime),
    byCount: selected('byCount', byCount),
    precision: selected('precision', precision),
    work: { ...work, bounds: selected('bounds', work.bounds) },
  };
}
