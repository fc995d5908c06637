/** The `args` of a counter's event: its values, and where they were measured. */
import { entriesOf } from './json-value.js';

export interface CounterArgs {
  readonly values: readonly (readonly [name: string, value: number])[];
  /** Number of the device; NaN where they do not state it, as `process`. */
  readonly device: number;
  readonly process: number;
}

const DEVICE = /^(?:device|(?:device|gpu|npu)[ _]?id)$/i;
const PROCESS = /^(?:process|pid|process[ _]?id)$/i;

/** No machine has more devices: larger numbers are amounts, as of memory of the host and of a device. */
const MOST_DEVICES = 1024;

const isDevice = ([key, number]: readonly [string, number]): boolean =>
  DEVICE.test(key) && Number.isInteger(number) && number >= 0 && number < MOST_DEVICES;
const isProcess = ([key, number]: readonly [string, number]): boolean => PROCESS.test(key) && Number.isInteger(number);

/** A number by itself is a value, whatever its name is. */
export function counterArgs(args: unknown): CounterArgs {
  const numbers = entriesOf(args).flatMap(([key, value]) => (typeof value === 'number' ? [[key, value] as const] : []));
  const values = numbers.filter((entry) => !isDevice(entry) && !isProcess(entry));
  if (values.length === 0) return { values: numbers, device: NaN, process: NaN };
  const numberOf = (is: typeof isDevice): number => numbers.find(is)?.[1] ?? NaN;
  return { values, device: numberOf(isDevice), process: numberOf(isProcess) };
}
