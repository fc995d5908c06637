/** Vertical layout of lanes and their groups: devices first, then threads of the host. */
import { elementAt } from '../../../containers/element.js';
import type { Lane } from '../../../prof/html/timeline/timeline-data.js';
import type { LaneRow } from './lane-rows.js';
import { entryOf } from '../../../containers/map-entry.js';
import type { Track } from '../tracks/track.js';

/** Contents of a layout in addition to lanes. */
interface TrackLayout {
  readonly tracks: readonly Pick<Track, 'kind' | 'group' | 'name'>[];
  /** Height of the row of marks in CSS pixels; 0 without marks. */
  readonly marks: number;
}

const NO_TRACK_LAYOUT: TrackLayout = { tracks: [], marks: 0 };

/** Tracks of one group, by index among all tracks. */
interface GroupOfTracks {
  readonly kind: Track['kind'];
  readonly name: string;
  readonly tracks: readonly NamedTrack[];
}

interface NamedTrack {
  readonly track: number;
  readonly name: string;
}

export interface PlacedTrack extends NamedTrack {
  readonly top: number;
  readonly height: number;
  /** For the first track of a group: whether all are shown, and how many more there are; null when there are no more. */
  readonly fold: { readonly key: string; readonly isOpen: boolean; readonly more: number } | null;
}

/** Height of the row of marks, and of a track including the gap below it. */
export const MARK_ROW = 18;
const TRACK = 26;

/** Number of tracks of a group that are always shown; with many devices, each has little room. */
const [OF_ONE_DEVICE, OF_MANY] = [3, 1];

/** Groups by kind and name. */
function groupTracks(tracks: TrackLayout['tracks']): ReadonlyMap<string, GroupOfTracks> {
  const groups = new Map<string, GroupOfTracks & { readonly tracks: NamedTrack[] }>();
  for (const [track, { kind, group, name }] of tracks.entries())
    entryOf(groups, `${kind} ${group}`, () => ({ kind, name: group, tracks: [] })).tracks.push({ track, name });
  return groups;
}

/** @param opened keys of unfolded groups */
function placeTracks(
  { name, tracks }: GroupOfTracks,
  top: number,
  devices: number,
  opened: ReadonlySet<string>,
): PlacedTrack[] {
  const first = devices > 1 ? OF_MANY : OF_ONE_DEVICE;
  const key = `${name}/tracks`;
  const isOpen = opened.has(key);
  const more = tracks.length - first;
  return tracks.slice(0, isOpen ? tracks.length : first).map((track, i) => ({
    ...{ ...track, top: top + i * TRACK, height: TRACK },
    fold: i === 0 && more > 0 ? { key, isOpen, more } : null,
  }));
}

export const trackAt = (tracks: readonly PlacedTrack[], y: number): PlacedTrack | null =>
  tracks.find(({ top, height }) => y >= top && y < top + height) ?? null;

export interface LaneBand {
  readonly row: LaneRow;
  readonly top: number;
  readonly height: number;
}

export interface PlacedGroup {
  readonly name: string;
  readonly kind: Lane['kind'];
  readonly isOpen: boolean;
  readonly top: number;
  readonly height: number;
  readonly lanes: number;
}

export interface PlacedLane {
  readonly lane: number;
  readonly name: string;
  readonly top: number;
  readonly height: number;
  /** Null when it can never be folded. */
  readonly fold: LaneFold | null;
}

/** Fold state of a lane whose rows can be drawn as one. */
interface LaneFold {
  /** Identifies the lane among the opened ones. */
  readonly key: string;
  readonly isOpen: boolean;
  readonly rows: number;
}

/** The layout; all values are in CSS pixels. */
export interface TimelineLayout {
  readonly groups: readonly PlacedGroup[];
  readonly lanes: readonly PlacedLane[];
  readonly bands: readonly LaneBand[];
  readonly tracks: readonly PlacedTrack[];
  /** Height of the row of marks, above all groups; 0 without marks. */
  readonly marks: number;
  readonly height: number;
  /** Height of the devices, which are above all threads; 0 unless there are both. */
  readonly devices: number;
}

export const HEADER = 22;
export const ROW = 18;
/** Row height in a lane with many rows. */
const LOW_ROW = 12;
const MANY_ROWS = 12;
/** Maximum rows of an unfolded lane; more would hide all others. */
const MOST_ROWS = 24;
/** Total height of all rows of a folded lane. */
const FOLDED = 30;
const GAP = 6;

interface LaneGroup extends GroupOfTracks {
  readonly lanes: number[];
}

/**
 * Groups of lanes: devices first, in order of their first lanes. Both kinds may have groups with the same name. A group
 * that has only tracks comes before the lanes of its kind.
 */
function groupsOf(lanes: readonly Lane[], tracks: TrackLayout['tracks']): LaneGroup[] {
  const ofTracks = groupTracks(tracks);
  const groups = new Map<string, LaneGroup>();
  for (const [number, { kind, group }] of lanes.entries()) {
    const key = `${kind} ${group}`;
    const known = groups.get(key);
    if (known === undefined)
      groups.set(key, { kind, name: group, lanes: [number], tracks: ofTracks.get(key)?.tracks ?? [] });
    else known.lanes.push(number);
  }
  const alone = [...ofTracks].filter(([key]) => !groups.has(key)).map(([, group]) => ({ ...group, lanes: [] }));
  const all = [...alone, ...groups.values()];
  return [...all.filter(({ kind }) => kind === 'device'), ...all.filter(({ kind }) => kind === 'host')];
}

/**
 * @param closed names of collapsed groups, whose header shows the outermost events of all their lanes
 * @param opened lanes with many rows that are not folded
 */
export function layoutOf(
  lanes: readonly Lane[],
  rows: readonly (readonly LaneRow[])[],
  closed: ReadonlySet<string>,
  opened: ReadonlySet<string> = new Set(),
  extras: TrackLayout = NO_TRACK_LAYOUT,
): TimelineLayout {
  const groups: PlacedGroup[] = [];
  const placed: PlacedLane[] = [];
  const bands: LaneBand[] = [];
  const tracks: PlacedTrack[] = [];
  const all = groupsOf(lanes, extras.tracks);
  const deviceCount = all.filter(({ kind }) => kind === 'device').length;
  let top = extras.marks;
  for (const group of all) {
    const isOpen = !closed.has(group.name);
    groups.push({ name: group.name, kind: group.kind, isOpen, top, height: HEADER, lanes: group.lanes.length });
    if (!isOpen) {
      const shown = outermostLanes(group.lanes, lanes);
      const height = (HEADER - 4) / shown.length;
      for (const [i, lane] of shown.entries()) {
        const row = rows[lane]?.[0];
        if (row !== undefined) bands.push({ row, top: top + 2 + i * height, height: Math.max(1, height) });
      }
    }
    top += HEADER;
    if (isOpen) {
      const placedTracks = placeTracks(group, top, deviceCount, opened);
      for (const track of placedTracks) tracks.push(track);
      top = placedTracks.reduce((bottom, { height }) => bottom + height, top);
    }
    for (const lane of isOpen ? group.lanes : []) {
      const laneRows = elementAt(rows, lane);
      const { name, apart } = elementAt(lanes, lane);
      const key = `${group.name}/${name}`;
      const folds = laneRows.length > (apart === undefined ? MOST_ROWS : 1);
      const fold = folds ? { key, isOpen: opened.has(key), rows: laneRows.length } : null;
      const isFolded = fold?.isOpen === false;
      const thick = isFolded ? FOLDED / laneRows.length : laneRows.length > MANY_ROWS ? LOW_ROW : ROW;
      const height = Math.max(1, laneRows.length) * thick + GAP;
      placed.push({ lane, name, top, height, fold });
      for (const [depth, row] of laneRows.entries())
        bands.push({ row, top: top + GAP / 2 + depth * thick, height: thick });
      top += height;
    }
  }
  const host = groups.find(({ kind }) => kind === 'host');
  return { groups, lanes: placed, bands, tracks, marks: extras.marks, height: top, devices: host?.top ?? 0 };
}

/** Lanes whose outermost events are drawn for a collapsed group; frames that are always open would not be informative. */
function outermostLanes(numbers: readonly number[], lanes: readonly Lane[]): readonly number[] {
  const outermost = numbers.filter((lane) => elementAt(lanes, lane).apart === undefined);
  return outermost.length === 0 ? numbers : outermost;
}

export const bandAt = ({ bands }: TimelineLayout, y: number): LaneBand | null =>
  bands.find(({ top, height }) => y >= top && y < top + height) ?? null;
