/** Data of the strip above a timeline: how busy devices are, or ranks when several are drawn. Does not need a document. */
import { elementAt } from '../../../containers/element.js';
import type { Utilisation } from '../../../prof/html/utilisation/utilisation-data.js';
import { onAxis, type ClockLine } from '../events/coverage.js';

/** Shares of spans of time, 0 to 1. */
export interface StripRow {
  /** Start on the axis, in ns. */
  readonly start: number;
  /** Width of one span in ns. */
  readonly width: number;
  readonly shares: readonly number[];
}

/** Maximum number of devices with separate rows; more are shown as one row, their mean. */
const MOST_DEVICES = 4;

/** For each span, the mean of all devices. */
function meanOf(rows: readonly (readonly number[])[]): readonly number[] {
  const sum = (bin: number): number => rows.reduce((total, row) => total + (row[bin] ?? 0), 0);
  return elementAt(rows, 0).map((_, bin) => sum(bin) / rows.length);
}

/** A row for each device, or one row with their mean. */
export function deviceRows({ start, width, devices }: Utilisation): StripRow[] {
  const rows = devices.map(({ busy }) => busy);
  return (rows.length <= MOST_DEVICES ? rows : [meanOf(rows)]).map((shares) => ({ start, width, shares }));
}

/** A row for a rank, with the mean of its devices, at its position on the axis. */
export function rankRow({ start, width, devices }: Utilisation, clock: ClockLine): StripRow {
  const shares = devices.length === 0 ? [] : meanOf(devices.map(({ busy }) => busy));
  return { start: onAxis(clock, start), width: width * clock.rate, shares };
}
