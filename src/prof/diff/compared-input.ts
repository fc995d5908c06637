/** One input of a comparison: how it was read, and the reasons that prevent a verdict. */
import { UserError } from '../../record/errors.js';
import { counted } from '../../record/plural.js';
import { endingsOf, type EndedInputs } from '../input/stream-status.js';
import type { EndRecord } from '../../record/record.js';
import { isOfProfiler, lossesIn, lossesOf } from '../input/losses.js';
import { NAMES, type Pair, type Which } from './input-facts.js';
import type { Judged } from './fail-if.js';

/** One input after reading as much of it as possible. */
export interface Taken extends EndedInputs {
  /** Why nothing of it can be compared; null when it can. */
  readonly failure: UserError | null;
  /** Number of launches of kernels and graphs whose work the profiler lost, in the profiles that are compared. */
  readonly lost: number;
  readonly kernels: number;
}

/** Maximum share of the work that an input may lack: lost work takes no time, and so looks faster. */
const MOST_LOST = 0.01;

/** Number of launches without work according to an end record. */
export const lostBy = (end: EndRecord): number =>
  lossesIn(end).reduce((sum, loss) => sum + (isOfProfiler(loss) ? loss.count : 0), 0);

/** The error that an input lacks too much work to be compared; empty when it does not. */
function lossOf({ name, lost, kernels, endings }: Taken): UserError[] {
  const unread = lossesOf(endings).doubts.filter((doubt) => doubt.level === 'loss' && !isOfProfiler(doubt));
  // One row may be counted for several reasons.
  const most = unread.reduce((all, { count }) => Math.max(all, count), 0);
  const isMuch = (count: number): boolean => count > MOST_LOST * (count + kernels);
  return [
    ...(isMuch(lost) ? [`the work of ${counted(lost, 'launch')} is not in the profile`] : []),
    ...(isMuch(most) ? [`${counted(most, 'record')} could not be read`] : []),
  ].map((what) => new UserError(what, { where: name }));
}

/** Reasons that prevent a verdict on an input. */
export interface Trouble {
  readonly which: Which;
  readonly error: UserError;
}

export function troublesOf(taken: Pair<Taken>): Trouble[] {
  return (['base', 'new'] as const).flatMap((which) => {
    const { failure, endings } = taken[which];
    const { errors } = endingsOf(taken[which]);
    const all =
      failure === null
        ? [...errors, ...lossOf(taken[which])]
        : [...endings.flatMap((ending) => ending.troubles), failure];
    return all.map((error): Trouble => ({ which, error }));
  });
}

/** The conditions. They are left undecided when an input has such a problem. */
export const leftOpenBy = (troubles: readonly Trouble[], conditions: readonly Judged[]): readonly Judged[] => {
  const [first] = troubles;
  if (first === undefined) return conditions;
  const reason = `${NAMES[first.which]}: ${first.error.statement}`;
  return conditions.map((condition) => ({ ...condition, met: null, reason }));
};
