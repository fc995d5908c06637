/** Files that an option names, which are read as a whole: a device, a configuration. */
import { readFileSync, statSync } from 'node:fs';
import { UserError } from '../record/errors.js';
import { refuseUtf16 } from '../parse/files.js';
import { checkTarget } from './output.js';

/** Bytes that such a file has at most. */
const LARGEST = 1024 * 1024;

/**
 * The text of a file, which output is kept off.
 * @param what the file is to be, in messages: `a device`
 * @param hint what the option takes
 * @param output the file of -o
 * @throws UserError for a folder, for a file that is too large, and for a text in UTF-16
 */
export function readSmallFile(path: string, what: string, hint: string, output: string | undefined): string {
  const stat = statSync(path, { throwIfNoEntry: false });
  const isUnfit = stat !== undefined && !stat.isFile() && !stat.isFIFO();
  if (isUnfit || (stat?.size ?? 0) > LARGEST) {
    const reason =
      stat?.isDirectory() === true ? 'is a directory' : isUnfit ? 'is no file' : `is too large for ${what}`;
    throw new UserError(reason, { where: path, hint });
  }
  checkTarget(output, [path]);
  const bytes = readFileSync(path);
  refuseUtf16(bytes, path);
  return bytes.toString('utf8');
}
