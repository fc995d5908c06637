/** The selection of a timeline: a span of time on some of its lanes. */
import { elementAt } from '../../../containers/element.js';
import { entryOf } from '../../../containers/map-entry.js';
import type { Lane } from '../../../prof/html/timeline/timeline-data.js';
import type { TimelineLayout } from './layout.js';
import type { SelectedSpan } from './view.js';

/** The selection; times are ns from the timeline's start. */
export interface TimelineSelection extends SelectedSpan {
  /** Keys of lanes, `GROUP/LANE`, and of groups, which stand for all their lanes: `GROUP/*`. Null for all lanes. */
  readonly lanes: ReadonlySet<string> | null;
}

const ALL_OF = '*';

type NamedLane = Pick<Lane, 'group' | 'name'>;

const laneKey = ({ group, name }: NamedLane): string => `${group}/${name}`;
const groupKey = ({ group }: NamedLane): string => `${group}/${ALL_OF}`;

/** Indices of the lanes that the keys select. @param keys null for all */
export function selectedLanes(lanes: readonly NamedLane[], keys: ReadonlySet<string> | null): ReadonlySet<number> {
  const isSelected = (lane: NamedLane): boolean => keys === null || keys.has(laneKey(lane)) || keys.has(groupKey(lane));
  return new Set(lanes.flatMap((lane, at) => (isSelected(lane) ? [at] : [])));
}

/** Keys of lanes; whole groups by group key. Null for all lanes, and when none is left. */
export function keysOf(lanes: readonly NamedLane[], selected: ReadonlySet<number>): ReadonlySet<string> | null {
  if (selected.size === 0 || selected.size >= lanes.length) return null;
  const groups = new Map<string, number[]>();
  for (const [at, lane] of lanes.entries()) entryOf(groups, groupKey(lane), (): number[] => []).push(at);
  const keys = [...groups].flatMap(([key, members]) => {
    const inside = members.filter((at) => selected.has(at));
    return inside.length === members.length ? [key] : inside.map((at) => laneKey(elementAt(lanes, at)));
  });
  return new Set(keys);
}

/**
 * The band that is drawn for one lane, or for all lanes of a collapsed group, in CSS pixels from the top of the layout.
 */
export interface LaneUnit {
  readonly top: number;
  readonly height: number;
  readonly lanes: readonly number[];
}

const lanesOfGroup = (
  lanes: readonly Lane[],
  { name, kind }: Pick<TimelineLayout['groups'][number], 'name' | 'kind'>,
) => lanes.flatMap((lane, at) => (lane.group === name && lane.kind === kind ? [at] : []));

/** Units from top to bottom. */
function unitsOf({ groups, lanes: placed }: TimelineLayout, lanes: readonly Lane[]): readonly LaneUnit[] {
  const collapsed = groups.filter(({ isOpen }) => !isOpen);
  const units = [
    ...placed.map(({ top, height, lane }): LaneUnit => ({ top, height, lanes: [lane] })),
    ...collapsed.map((group) => ({ top: group.top, height: group.height, lanes: lanesOfGroup(lanes, group) })),
  ];
  return units.sort((a, b) => a.top - b.top);
}

/**
 * Keys of the lanes between two heights of the layout; for a group with only its header or counters there, all its lanes.
 */
export function lanesBetween(
  layout: TimelineLayout,
  lanes: readonly Lane[],
  lane: number,
  other: number,
): ReadonlySet<string> | null {
  const [from, to] = [Math.min(lane, other), Math.max(lane, other)];
  const isInside = ({ top, height }: Pick<LaneUnit, 'top' | 'height'>): boolean => top <= to && top + height > from;
  const units = unitsOf(layout, lanes).filter(isInside);
  const found = units.length > 0 ? units.flatMap((unit) => unit.lanes) : lanesOfGroups(layout, lanes, isInside);
  return keysOf(lanes, new Set(found));
}

/** All lanes of the groups that begin above one height and end below the other. */
function lanesOfGroups(
  { groups, height }: TimelineLayout,
  lanes: readonly Lane[],
  isInside: (place: Pick<LaneUnit, 'top' | 'height'>) => boolean,
): number[] {
  return groups.flatMap((group, i) => {
    const end = groups[i + 1]?.top ?? height;
    return isInside({ top: group.top, height: end - group.top }) ? lanesOfGroup(lanes, group) : [];
  });
}

/** Units with a selected lane, in order. */
export function selectedUnits(
  layout: TimelineLayout,
  lanes: readonly Lane[],
  keys: ReadonlySet<string> | null,
): readonly LaneUnit[] {
  const selected = selectedLanes(lanes, keys);
  return unitsOf(layout, lanes).filter((unit) => unit.lanes.some((lane) => selected.has(lane)));
}

/** The selection with only these lanes; all lanes when these are already the only ones. @param places indices of lanes */
export function onlyLanes(
  lanes: readonly NamedLane[],
  keys: ReadonlySet<string> | null,
  places: readonly number[],
): ReadonlySet<string> | null {
  const before = selectedLanes(lanes, keys);
  const isAlone = keys !== null && before.size === places.length && places.every((lane) => before.has(lane));
  return isAlone ? null : keysOf(lanes, new Set(places));
}

/** The selection with these lanes added, or removed when it contains all of them. */
export function toggledLanes(
  lanes: readonly NamedLane[],
  keys: ReadonlySet<string> | null,
  places: readonly number[],
): ReadonlySet<string> | null {
  const before = keys === null ? new Set<number>() : selectedLanes(lanes, keys);
  const hasAll = places.every((lane) => before.has(lane));
  const kept = [...before].filter((lane) => !places.includes(lane));
  return keysOf(lanes, new Set(hasAll ? kept : [...before, ...places]));
}

/** Adds the lane unit after the last one, or removes the last one; without selected lanes, selects the first unit. */
export function laneEdgeMoved(
  layout: TimelineLayout,
  lanes: readonly Lane[],
  keys: ReadonlySet<string> | null,
  by: 1 | -1,
): ReadonlySet<string> | null {
  const units = unitsOf(layout, lanes);
  const inside = keys === null ? [] : selectedUnits(layout, lanes, keys);
  const last = inside.at(-1);
  const after = last === undefined ? 0 : units.findIndex(({ top }) => top === last.top) + 1;
  const next = by === 1 ? [...inside, ...units.slice(after, after + 1)] : inside.slice(0, -1);
  return keysOf(lanes, new Set(next.flatMap((unit) => unit.lanes)));
}

/** A span with one edge moved, within 0 to `most`; edges that cross swap places. */
export function edgeMoved<Span extends SelectedSpan>(
  span: Span,
  edge: 'from' | 'to',
  time: number,
  most: number,
): Span {
  const other = edge === 'from' ? span.to : span.from;
  const at = Math.max(0, Math.min(most, time));
  return { ...span, from: Math.min(at, other), to: Math.max(at, other) };
}
