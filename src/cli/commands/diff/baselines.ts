/**
 * Baselines of `dprof diff`: partial answers of profiles, in a folder of the user. They are much smaller than profiles, so
 * that a build can keep them.
 */
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { requireColumn } from '../../../prof/columns/columns.js';
import type { Peaks } from '../../../prof/roofline/peaks.js';
import { isSystemError, systemReason, UsageError, UserError } from '../../../record/errors.js';
import type { Arguments, Option } from '../../arguments.js';
import { readInputs, type Reading } from '../../records-command.js';
import { writePartial } from '../partial/write-partial.js';

const ENDING = '.part';

export const BASELINE_OPTIONS: readonly Option[] = [
  {
    name: 'baseline',
    takes: 'DIR/NAME',
    help: `take BASE from the baseline DIR/NAME${ENDING}; give only NEW as input`,
  },
  {
    name: 'save-baseline',
    takes: 'DIR/NAME',
    help: `instead of comparing, write the inputs as the baseline DIR/NAME${ENDING}`,
  },
];

/** Columns of every baseline, for the tree and for most conditions; --by adds others. */
const KEYS = ['op', 'layer', 'kernel', 'dir'];

const pathOf = (name: string): string => (name.endsWith(ENDING) ? name : name + ENDING);

/** BASE and NEW. @throws UsageError for another number of inputs */
export function comparedInputs(given: Arguments): readonly string[] {
  const baseline = given.text('baseline');
  return baseline === undefined ? given.operands : [pathOf(baseline), ...given.operands];
}

interface Saving {
  /** Columns of `--by`, unless it is a tree. */
  readonly by: readonly string[];
  readonly device: Peaks | null;
  readonly quiet: boolean;
  readonly reading: Reading;
}

/** Options that only a comparison uses. */
const UNFIT = ['baseline', 'fail-if', 'where', 'device', 'step', 'format', 'output', 'cols', 'sort', 'top'];

/**
 * Writes a baseline, and the folder for it.
 * @throws UsageError for an option that only a comparison uses
 */
export async function saveBaseline(
  name: string,
  given: Arguments,
  { by, device, quiet, reading }: Saving,
): Promise<void> {
  const stray = UNFIT.find((option) => given.texts(option).length > 0 || given.text(option) !== undefined);
  if (stray !== undefined)
    throw new UsageError(
      `--${stray} cannot be combined with --save-baseline`,
      'use it in the comparison with --baseline',
    );
  const { files } = readInputs(given);
  const output = pathOf(name);
  try {
    mkdirSync(dirname(output), { recursive: true });
  } catch (error) {
    if (!isSystemError(error)) throw error;
    throw new UserError(systemReason(error), { where: dirname(output) });
  }
  const keys = [...new Set([...KEYS, ...by])];
  await writePartial({ files, output, quiet, reading }, { by: keys.map(requireColumn), device });
}
