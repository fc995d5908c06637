/** A folder of files as output: it appears when it is complete, and replaces nothing. */
import { mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { dirname, join } from 'node:path';
import { removedAtEnd } from '../../parse/input/cleanup.js';
import { UsageError, UserError } from '../../record/errors.js';
import { statOf } from '../guard.js';
import { targetOf, withIoErrors } from '../output.js';

/**
 * Writes into a folder beside the target and renames it at the end, so that a half-written one never has the target's
 * name.
 * @param path of the folder: one that does not exist, or that is empty
 * @throws UsageError without a path, UserError when something stands there
 */
export async function withOutputFolder(
  path: string | undefined,
  body: (folder: string) => Promise<void>,
): Promise<void> {
  if (path === undefined || path === '-' || path === '') {
    throw new UsageError('parquet is a folder of files, which needs a name', '-o DIR');
  }
  const target = withIoErrors(path, () => targetOf(path));
  refuseContents(path);
  // A name of its own, and a hidden one: the target may be in a folder that is read.
  const temporary = join(dirname(target), `.dparse-${randomBytes(8).toString('hex')}.part`);
  const remove = (): void => rmSync(temporary, { recursive: true, force: true });
  const release = removedAtEnd(temporary, remove);
  try {
    withIoErrors(path, () => mkdirSync(temporary));
    await body(temporary);
    // Something may have come there since.
    refuseContents(path);
    withIoErrors(path, () => renameSync(temporary, target));
  } catch (error) {
    remove();
    throw error;
  } finally {
    release();
  }
}

/** @throws UserError where a folder would replace or join what stands there */
function refuseContents(path: string): void {
  const existing = withIoErrors(path, () => statOf(path));
  if (existing === null) return;
  if (!existing.isDirectory()) throw new UserError('is no folder', { where: path, hint: 'parquet needs -o DIR' });
  if (withIoErrors(path, () => readdirSync(path)).length === 0) return;
  const hint = 'choose a new folder for -o, or remove this one';
  throw new UserError('is a folder that is not empty', { where: path, hint });
}
