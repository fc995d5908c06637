/**
 * Units to test: ranks, and the ranks of a machine or of a group together. A machine or a group takes as long as the median
 * of its ranks, so that it is late only when most of them are: one late rank does not make its neighbours late.
 */
import { elementAt, append } from '../../../containers/element.js';
import { entryOf } from '../../../containers/map-entry.js';
import { median } from '../../../record/statistics.js';
import type { OwnWork } from './own-work.js';

export type UnitLevel = 'machine' | 'group' | 'rank';

export interface Unit {
  readonly level: UnitLevel;
  /** Name of the machine or the group; null for a rank. */
  readonly name: string | null;
  /** Rows of its ranks in the own work. */
  readonly rows: readonly number[];
  /** In ns, one column per step; NaN when none of its ranks has the step. */
  readonly times: readonly number[];
}

/** Ranks that work on the same part of the batch, and may be slower together. */
export interface NamedGroup {
  readonly name: string;
  /** Purpose of the group; only groups of the same kind are compared. */
  readonly kind: string;
  readonly parts: readonly number[];
}

/** Lists of units that are compared with each other. */
export function unitsOf(work: OwnWork, nodes: readonly (string | null)[], groups: readonly NamedGroup[]): Unit[][] {
  const ranks = work.times.map((times, row): Unit => ({ level: 'rank', name: null, rows: [row], times }));
  const machines = machinesOf(work, nodes);
  const known = new Set<string>();
  // A machine whose ranks are also a group is tested only once.
  const together = [machines, ...groupsOf(work, groups)].filter((units) => {
    const isNew = units.some(({ rows }) => !known.has(rows.join()));
    for (const { rows } of units) known.add(rows.join());
    return isNew;
  });
  return [ranks, ...together].filter((units) => units.length > 1);
}

/** Machines with several of the ranks; empty when the machine of some rank is unknown. */
function machinesOf(work: OwnWork, nodes: readonly (string | null)[]): Unit[] {
  const rows = new Map<string, number[]>();
  for (const [row, part] of work.parts.entries()) {
    const node = nodes[part] ?? null;
    if (node === null) return [];
    entryOf(rows, node, (): number[] => []).push(row);
  }
  return [...rows].flatMap(([name, members]) => togetherOf(work, 'machine', name, members));
}

function groupsOf(work: OwnWork, groups: readonly NamedGroup[]): Unit[][] {
  const rowOf = new Map(work.parts.map((part, row) => [part, row] as const));
  const kinds = new Map<string, Unit[]>();
  for (const { name, kind, parts } of groups) {
    const rows = parts.flatMap((part) => rowOf.get(part) ?? []);
    if (rows.length < work.parts.length)
      append(
        entryOf(kinds, kind, (): Unit[] => []),
        togetherOf(work, 'group', name, rows),
      );
  }
  return [...kinds.values()];
}

/** Empty for a single rank. */
function togetherOf(work: OwnWork, level: UnitLevel, name: string, rows: readonly number[]): Unit[] {
  if (rows.length < 2) return [];
  const times = work.steps.map((_, step) => {
    const known = rows.map((row) => elementAt(elementAt(work.times, row), step)).filter((time) => !Number.isNaN(time));
    // For two ranks the smaller value: a single late rank does not make the machine late.
    return median(known, 'lower') ?? NaN;
  });
  return [{ level, name, rows, times }];
}

/** The row with the most own work in a step. */
export function worstRow({ times }: OwnWork, rows: readonly number[]): number {
  const typical = rows.map((row) => median(elementAt(times, row).filter((time) => !Number.isNaN(time))) ?? -Infinity);
  const worst = typical.reduce((most, time, index) => (time > elementAt(typical, most) ? index : most), 0);
  return elementAt(rows, worst);
}
