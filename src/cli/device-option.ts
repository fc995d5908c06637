/** `--device`: peak rates for every device of the input, in place of those by its name. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { deviceNamed, parseDevice, unknownDevice } from '../prof/roofline/device-choice.js';
import { DEVICES } from '../prof/roofline/devices.js';
import type { Peaks } from '../prof/roofline/peaks.js';
import { UserError } from '../record/errors.js';
import type { Arguments, Option } from './arguments.js';
import { checkOutput } from './output.js';

export const DEVICE_OPTION: Option = {
  name: 'device',
  takes: 'DEV',
  help: 'peak rates of DEV: a name of dprof --devices or a JSON file',
  values: DEVICES.map(({ name }) => name),
};

/** The device that is given; null for those of the input. @throws UsageError for an unknown one */
export const readDevice = (given: Arguments): Peaks | null =>
  given.read('device', (text) => chooseDevice(text, given.text('output'))) ?? null;

/** Bytes that a file has at most. */
const LARGEST = 1024 * 1024;

/** A device by name; else the file of that name, which output is kept off. */
function chooseDevice(text: string, output: string | undefined): Peaks {
  const named = deviceNamed(text);
  if (named !== null) return named;
  if (!existsSync(text) && !/[/\\]|\.json$/.test(text)) throw unknownDevice(text);
  const stat = statSync(text, { throwIfNoEntry: false });
  const isUnfit = stat !== undefined && !stat.isFile() && !stat.isFIFO();
  if (isUnfit || (stat?.size ?? 0) > LARGEST) {
    const what = stat?.isDirectory() === true ? 'is a directory' : isUnfit ? 'is no file' : 'is too large for a device';
    throw new UserError(what, { where: text, hint: '--device takes a name of --devices or a JSON file' });
  }
  checkOutput(output, [text]);
  return parseDevice(readFileSync(text, 'utf8'), text);
}
