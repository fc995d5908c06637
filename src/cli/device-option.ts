/** `--device`: peak rates for every device of the input, in place of those by its name. */
import { existsSync } from 'node:fs';
import { deviceNamed, parseDevice, unknownDevice } from '../prof/roofline/device-choice.js';
import { DEVICES } from '../prof/roofline/devices.js';
import type { Peaks } from '../prof/roofline/peaks.js';
import type { Arguments, Option } from './arguments.js';
import { readSmallFile } from './small-file.js';

export const DEVICE_OPTION: Option = {
  name: 'device',
  takes: 'DEV',
  help: 'peak rates of DEV: a name of dprof --devices or a JSON file',
  values: DEVICES.map(({ name }) => name),
};

/** The device that is given; null for those of the input. @throws UsageError for an unknown one */
export const readDevice = (given: Arguments): Peaks | null =>
  given.read('device', (text) => chooseDevice(text, given.text('output'))) ?? null;

/** A device by name; else the file of that name, which output is kept off. */
function chooseDevice(text: string, output: string | undefined): Peaks {
  const named = deviceNamed(text);
  if (named !== null) return named;
  if (!existsSync(text) && !/[/\\]|\.json$/.test(text)) throw unknownDevice(text, ', and no such file');
  const hint = '--device takes a name of --devices or a JSON file';
  return parseDevice(readSmallFile(text, 'a device', hint, output), text);
}
