/** `--device`: peak rates for every device of the input, in place of those by its name. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { deviceNamed, parseDevice, unknownDevice } from '../prof/roofline/device-choice.js';
import { DEVICES } from '../prof/roofline/devices.js';
import type { Peaks } from '../prof/roofline/peaks.js';
import { UserError } from '../record/errors.js';
import type { Arguments, Option } from './arguments.js';

export const DEVICE_OPTION: Option = {
  name: 'device',
  takes: 'DEV',
  help: 'peak rates of DEV: a name of dprof --devices or a JSON file',
  values: DEVICES.map(({ name }) => name),
};

/** The device that is given; null for those of the input. @throws UsageError for an unknown one */
export const readDevice = (given: Arguments): Peaks | null => given.read('device', chooseDevice) ?? null;

/** A device by name; else the file of that name. */
function chooseDevice(text: string): Peaks {
  const named = deviceNamed(text);
  if (named !== null) return named;
  if (!existsSync(text) && !/[/\\]|\.json$/.test(text)) throw unknownDevice(text);
  if (statSync(text, { throwIfNoEntry: false })?.isDirectory() === true) {
    throw new UserError('is a directory', { where: text, hint: '--device takes a name of --devices or a JSON file' });
  }
  return parseDevice(readFileSync(text, 'utf8'), text);
}
