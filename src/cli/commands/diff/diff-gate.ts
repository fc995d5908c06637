/**
 * `dprof diff` as the gate of a build: with conditions, or as a report of tests. An input that cannot be read to its end
 * leaves all of it open, which fails with an exit code of its own.
 */
import { ANY_SLOWER, parseCondition, type Condition } from '../../../prof/diff/fail-if.js';
import type { Which } from '../../../prof/diff/input-pair.js';
import type { Judged } from '../../../prof/diff/judging.js';
import { EXIT, UserError } from '../../../record/errors.js';
import { counted } from '../../../record/plural.js';
import type { EndRecord } from '../../../record/record.js';
import { UNKNOWN } from '../../../record/units.js';
import { endingsOf, type Source } from '../../input.js';
import { COMPARABLE_COLUMNS, figure, NAMES } from './diff-screen.js';
import type { DiffRequest } from './diff-options.js';

/** One input, when it was read as far as it can be. */
export interface Taken extends Pick<Source, 'name' | 'endings'> {
  /** Why nothing of it can be compared; null when it can. */
  readonly failure: UserError | null;
  /** Launches of kernels and graphs whose work the profiler lost, as it counts them itself. */
  readonly lost: number;
  readonly kernels: number;
}

/** Largest part of the work that an input may lack: what is lost takes no time, and looks faster. */
const MOST_LOST = 0.01;

/** How many launches without their work an end record counts. */
export const lostBy = ({ diagnostics }: EndRecord): number =>
  (diagnostics['launch-without-work'] ?? 0) + (diagnostics['graph-launch-without-work'] ?? 0);

/** That an input lacks too much work to be compared; none where it does not. */
function lossOf({ name, lost, kernels }: Taken): UserError[] {
  if (lost <= MOST_LOST * (lost + kernels)) return [];
  return [new UserError(`the work of ${counted(lost, 'launch')} is not in the profile`, { where: name })];
}

/** What keeps an input from being judged. */
export interface Trouble {
  readonly which: Which;
  readonly error: UserError;
}

/** What the run fails for; none where it only shows. A report of tests fails for what it calls a failure. */
export function gateOf({ conditions, format }: Pick<DiffRequest, 'conditions' | 'format'>): readonly Condition[] {
  return conditions.length === 0 && format === 'junit' ? [parseCondition(ANY_SLOWER)] : conditions;
}

export function troublesOf(taken: Readonly<Record<Which, Taken>>): Trouble[] {
  return (['base', 'new'] as const).flatMap((which) => {
    const { failure, endings } = taken[which];
    const { unended, errors } = endingsOf({ endings });
    const all = failure === null ? [...errors, ...unended, ...lossOf(taken[which])] : [failure];
    return all.map((error): Trouble => ({ which, error }));
  });
}

/** Conditions that no input in trouble decides. */
export const leftOpenBy = (troubles: readonly Trouble[], conditions: readonly Judged[]): readonly Judged[] => {
  const [first] = troubles;
  if (first === undefined) return conditions;
  const reason = `${NAMES[first.which]}: ${first.error.what}`;
  return conditions.map((one) => ({ ...one, met: null, reason }));
};

/** What fails the run, in order: the last sets the exit code, so that a regression that is shown counts before what is open. */
export function failuresOf(conditions: readonly Judged[]): UserError[] {
  const open = conditions.filter(({ met }) => met === null).map(openText);
  const met = conditions.filter((one) => one.met === true).map(metText);
  return [
    ...failure('--fail-if cannot be judged', open, EXIT.notJudged),
    ...failure('--fail-if is met', met, EXIT.failed),
  ];
}

const failure = (what: string, conditions: readonly string[], exitCode: number): UserError[] =>
  conditions.length === 0 ? [] : [new UserError(`${what}: ${conditions.join('; ')}`, { exitCode })];

/** `op:mmm>+5% (no kernel of either input matches)`. */
const openText = ({ condition, reason }: Judged): string => `${condition.text} (${reason ?? UNKNOWN})`;

/** `total>+5% (+7.21 %, +12.500 us)`. */
function metText({ condition, row }: Judged): string {
  const [percent = UNKNOWN, time = UNKNOWN] = COMPARABLE_COLUMNS.map((column) => figure(column, row));
  return `${condition.text} (${percent === UNKNOWN ? row.verdict : `${percent} %`}, ${time} us)`;
}
