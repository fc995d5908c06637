/**
 * Baselines of `dprof diff`: partial answers of profiles, in a folder of the user. They are much smaller than profiles, so
 * that a build can keep them.
 */
import { mkdirSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { firstBytes, isFile, requireThere } from '../../../parse/files.js';
import { recordKindOf } from '../../../prof/input/records.js';
import { requireColumn } from '../../../prof/columns/columns.js';
import type { Peaks } from '../../../prof/roofline/peaks.js';
import { isSystemError, systemReason, UsageError, UserError } from '../../../record/errors.js';
import type { Arguments, Option } from '../../arguments.js';
import { CHOICE_NAMES } from '../../choice-options.js';
import { readInputs, type Reading } from '../../records-command.js';
import { TABLE_NAMES } from '../../shared-options.js';
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

/** The file of a baseline. @throws UsageError for a folder alone */
function pathOf(option: 'baseline' | 'save-baseline', name: string): string {
  const path = name.endsWith(ENDING) ? name : name + ENDING;
  if (basename(path) === ENDING || /[\\/]$/.test(name))
    throw new UsageError(`--${option} needs a name`, `for example --${option} baselines/main`);
  return path;
}

/** BASE and NEW. @throws UsageError for another number of inputs */
export function comparedInputs(given: Arguments): readonly string[] {
  const baseline = given.text('baseline');
  return baseline === undefined ? given.operands : [pathOf('baseline', baseline), ...given.operands];
}

interface Saving {
  /** Columns of `--by`, unless it is a tree. */
  readonly by: readonly string[];
  readonly device: Peaks | null;
  readonly quiet: boolean;
  readonly reading: Reading;
}

/** Options that are about a comparison. */
const OF_COMPARISON = [
  ...['baseline', 'fail-if', 'min-effect', 'fdr', 'min-samples', 'as-is', 'format', 'width', 'output'],
  ...TABLE_NAMES,
];

/** @throws UsageError for an option that a baseline cannot take: none may be ignored */
function refuseOthers(given: Arguments): void {
  const isGiven = (option: string): boolean =>
    given.texts(option).length > 0 || given.text(option) !== undefined || given.on(option);
  const refuse = (options: readonly string[], way: string): void => {
    const stray = options.find(isGiven);
    if (stray !== undefined) throw new UsageError(`--${stray} cannot be combined with --save-baseline`, way);
  };
  refuse(OF_COMPARISON, 'use it in the comparison with --baseline');
  refuse(CHOICE_NAMES, 'a baseline sums whole profiles');
}

/** The file to write. @throws UsageError for a folder alone; UserError for a file that is not a baseline */
function targetOf(name: string): string {
  const output = pathOf('save-baseline', name);
  if (isFile(output) && recordKindOf(firstBytes(output, HEAD).toString('latin1')) !== 'partial')
    throw new UserError('is not a baseline, so it was not overwritten', { where: output, hint: 'choose another name' });
  return output;
}

/** Bytes of a file that state what it is. */
const HEAD = 64;

/**
 * Writes a baseline, and the folder for it.
 * @throws UsageError for an option that a baseline cannot take; UserError for an input that does not exist
 */
export async function saveBaseline(
  name: string,
  given: Arguments,
  { by, device, quiet, reading }: Saving,
): Promise<void> {
  refuseOthers(given);
  const { files } = readInputs(given);
  const output = targetOf(name);
  requireThere(files.filter((file) => file !== '-'));
  try {
    mkdirSync(dirname(output), { recursive: true });
  } catch (error) {
    if (!isSystemError(error)) throw error;
    throw new UserError(systemReason(error), { where: dirname(output) });
  }
  const keys = [...new Set([...KEYS, ...by])];
  await writePartial({ files, output, quiet, reading }, { by: keys.map(requireColumn), device });
}
