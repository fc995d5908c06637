/**
 * Operations that one call launched on several devices of one process, as NCCL does for a group of its communicators: the
 * kernels have one correlation id, and are one operation of the group of these devices.
 */
import { entryOf } from '../../../containers/map-entry.js';
import type { OperationRows } from './operation-rows.js';

interface Place {
  readonly device: number;
  readonly rows: OperationRows;
  readonly at: number;
}

/** Gives these operations a group and an ordinal. @param devices operations of each device of one profile */
export function identifyShared(devices: ReadonlyMap<number, OperationRows>): void {
  const launches = new Map<number, Place[]>();
  for (const [device, rows] of devices)
    for (const [at, launch] of rows.launches.entries())
      if (launch !== null && !rows.hasGroup(at))
        entryOf(launches, launch, (): Place[] => []).push({ device, rows, at });
  for (const [launch, places] of launches) {
    const ranks = [...new Set(places.map(({ device }) => device))].sort((a, b) => a - b);
    // Several kernels of one device are no collective of it.
    if (ranks.length < 2 || ranks.length < places.length) continue;
    for (const { rows, at } of places) rows.identify(at, ranks, launch);
  }
}
