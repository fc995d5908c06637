/** Reads small files that options name, and `--peaks`, which sets peak rates. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { deviceNamed, parseDevice, unknownDevice } from '../prof/roofline/device-choice.js';
import { DEVICES } from '../prof/roofline/devices.js';
import type { Peaks } from '../prof/roofline/peaks.js';
import type { Arguments, Option } from './arguments.js';
import { UserError } from '../record/errors.js';
import { refuseUtf16 } from '../parse/files.js';
import { checkTarget } from './output.js';

/** Maximum size of such a file, in bytes. */
const LARGEST = 1024 * 1024;

/**
 * The text of a file. The output must not overwrite it.
 * @param content expected content of the file, in messages: `a device`
 * @param hint description of what the option takes
 * @param output the file of -o
 * @throws UserError for a folder, for a file that is too large, and for text in UTF-16
 */
export function readSmallFile(path: string, content: string, hint: string, output: string | undefined): string {
  const stat = statSync(path, { throwIfNoEntry: false });
  const isUnfit = stat !== undefined && !stat.isFile() && !stat.isFIFO();
  if (isUnfit || (stat?.size ?? 0) > LARGEST) {
    const reason =
      stat?.isDirectory() === true ? 'is a directory' : isUnfit ? 'is not a file' : `is too large for ${content}`;
    throw new UserError(reason, { where: path, hint });
  }
  checkTarget(output, [path]);
  const bytes = readFileSync(path);
  refuseUtf16(bytes, path);
  return bytes.toString('utf8');
}

export const PEAKS_OPTION: Option = {
  name: 'peaks',
  takes: 'DEV',
  help: 'peak rates of DEV: one of --devices, or a JSON file',
  values: DEVICES.map(({ name }) => name),
  // `--device` with a number means a device of the profile.
  formerly: { name: 'device', values: /^(?!host$).*[^\d,-]/ },
};

/** The device given by the user; null to use those of the input. @throws UsageError for an unknown one */
export const readPeaks = (given: Arguments): Peaks | null =>
  given.read('peaks', (text) => chooseDevice(text, given.text('output'))) ?? null;

/** Finds a device by name; otherwise reads the file of that name, which must not be the output. */
function chooseDevice(text: string, output: string | undefined): Peaks {
  const named = deviceNamed(text);
  if (named !== null) return named;
  if (!existsSync(text) && !/[/\\]|\.json$/.test(text)) throw unknownDevice(text, ', and no such file');
  const hint = '--peaks takes a name of --devices or a JSON file';
  return parseDevice(readSmallFile(text, 'a device', hint, output), text);
}
