/** Figures of a page: numbers from its data and values computed from them, each with its path in the data. */
import type { DeviceTime } from '../../prof/summary/summary-data.js';

/**
 * A number (null when unknown) and its name: its path in the data of the shown profile or of the page
 * ('overview.kernels.time', 'job.matched'), or how it is computed from such numbers. The name is in `data-field`.
 */
export interface Field {
  readonly name: string;
  readonly value: number | null;
}

/** Keys under which a part of the data has numbers. */
export type NumberKey<Data> = {
  [Key in keyof Data]-?: Data[Key] extends number | null | undefined ? Key : never;
}[keyof Data] &
  string;

const numberAt = <Data extends object>(data: Data | null | undefined, key: NumberKey<Data>): number | null => {
  const value: unknown = data?.[key];
  return typeof value === 'number' ? value : null;
};

/**
 * The numbers in a part of the data, by key. @param path path of the part; when the part is null, all numbers are unknown
 */
export const fieldsOf =
  <Data extends object>(path: string, data: Data | null | undefined) =>
  (key: NumberKey<Data>): Field => ({ name: `${path}.${key}`, value: numberAt(data, key) });

/**
 * An aggregate of the known numbers of a list; null when none is known. @param path path of the list's entries, with * for
 * the index
 */
const over =
  (name: string, reduce: (known: readonly number[]) => number) =>
  <Data extends object>(path: string, list: readonly (Data | null)[], key: NumberKey<Data>): Field => {
    const known = list.map((data) => numberAt(data, key)).filter((value) => value !== null);
    return { name: `${name}(${path}.${key})`, value: known.length === 0 ? null : reduce(known) };
  };

export const sumOf = over('sum', (known) => known.reduce((all, value) => all + value, 0));

/** The sum of a list's numbers; null when one of them is unknown, and for an empty list. */
export function wholeSumOf<Data extends object>(path: string, list: readonly Data[], key: NumberKey<Data>): Field {
  const sum = sumOf(path, list, key);
  return list.some((data) => numberAt(data, key) === null) ? { ...sum, value: null } : sum;
}

export const mostOf = over('max', (known) => known.reduce((most, value) => Math.max(most, value), -Infinity));
export const leastOf = over('min', (known) => known.reduce((least, value) => Math.min(least, value), Infinity));

/** Combines numbers from left to right; null when one is unknown, and for an empty list. */
const joined =
  (sign: '+' | '-', join: (all: number, value: number) => number) =>
  (...fields: readonly Field[]): Field => {
    const known = fields.map(({ value }) => value).filter((value) => value !== null);
    return {
      name: fields.map(({ name }) => name).join(` ${sign} `),
      value: known.length === 0 || known.length < fields.length ? null : known.reduce(join),
    };
  };

export const total = joined('+', (all, value) => all + value);
export const difference = joined('-', (left, value) => left - value);

/** A quotient; null for a division by 0, too. */
export const ratio = (part: Field, whole: Field): Field => ({
  name: `${part.name} / ${whole.name}`,
  value: part.value === null || whole.value === null || whole.value === 0 ? null : part.value / whole.value,
});

/** A time, and the sign to show before it: that of a bound, or an empty string. */
export interface BoundedTime {
  readonly field: Field;
  readonly sign: string;
}

/** Signs of times that are bounds because copies were not recorded. */
export const BOUND_SIGNS = { busy: '≥ ', idle: '≤ ' } as const;

/** Busy or idle time of devices; a bound where copies of a device were not recorded. @param path path of the devices */
export function boundedTimeOf(
  path: string,
  devices: readonly DeviceTime[],
  key: keyof typeof BOUND_SIGNS,
): BoundedTime {
  const known = devices.filter((device) => device.bounds === undefined);
  const bounds = devices.flatMap((device) => device.bounds ?? []);
  const sums = [
    ...(known.length === 0 ? [] : [wholeSumOf(path, known, key)]),
    ...(bounds.length === 0 ? [] : [sumOf(`${path}.bounds`, bounds, key)]),
  ];
  return { field: total(...sums), sign: bounds.length === 0 ? '' : BOUND_SIGNS[key] };
}
