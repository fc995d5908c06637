/** What the strip above a timeline shows: how busy devices are, or ranks where several are drawn. Needs no document. */
import { elementAt } from '../../../containers/element.js';
import type { Utilisation } from '../../../prof/html/utilisation/utilisation-data.js';
import { onAxis, type ClockLine } from '../events/coverage.js';

/** Shares of spans of time, 0 to 1. */
export interface StripRow {
  /** ns on the axis. */
  readonly start: number;
  /** ns of one span. */
  readonly width: number;
  readonly shares: readonly number[];
}

/** More devices than this are one row: their mean. */
const MOST_DEVICES = 4;

/** By span the mean of all devices. */
function meanOf(rows: readonly (readonly number[])[]): readonly number[] {
  const sum = (bin: number): number => rows.reduce((total, row) => total + (row[bin] ?? 0), 0);
  return elementAt(rows, 0).map((_, bin) => sum(bin) / rows.length);
}

/** A row a device, or one of their mean. */
export function deviceRows({ start, width, devices }: Utilisation): StripRow[] {
  const rows = devices.map(({ busy }) => busy);
  return (rows.length <= MOST_DEVICES ? rows : [meanOf(rows)]).map((shares) => ({ start, width, shares }));
}

/** A rank's devices, their mean where it has several, at its place on the axis. */
export function rankRow({ start, width, devices }: Utilisation, clock: ClockLine): StripRow {
  const shares = devices.length === 0 ? [] : meanOf(devices.map(({ busy }) => busy));
  return { start: onAxis(clock, start), width: width * clock.rate, shares };
}
