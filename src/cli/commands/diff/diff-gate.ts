/**
 * `dprof diff` as the gate of a build: with conditions, or as a report of tests. An input that cannot be read to its end
 * leaves all of it open, which fails with an exit code of its own.
 */
import { ANY_SLOWER, parseCondition, type Condition } from '../../../prof/diff/fail-if.js';
import type { Judged } from '../../../prof/diff/judging.js';
import { EXIT, UserError } from '../../../record/errors.js';
import { UNKNOWN } from '../../../record/units.js';
import { COMPARABLE_COLUMNS, figure } from './diff-screen.js';
import type { DiffRequest } from './diff-options.js';

/** What the run fails for; none where it only shows. A report of tests fails for what it calls a failure. */
export function gateOf({ conditions, format }: Pick<DiffRequest, 'conditions' | 'format'>): readonly Condition[] {
  return conditions.length === 0 && format === 'junit' ? [parseCondition(ANY_SLOWER)] : conditions;
}

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
