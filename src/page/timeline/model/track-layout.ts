/** Where tracks lie: above the lanes of their group, the first ones always, the others where they are unfolded. */
import { entryOf } from '../../../containers/map-entry.js';
import type { Track } from '../tracks/track.js';

/** What a layout has besides lanes. */
export interface TrackLayout {
  readonly tracks: readonly Pick<Track, 'kind' | 'group' | 'name'>[];
  /** Height of the row of marks, CSS pixels; 0 without marks. */
  readonly marks: number;
}

export const NO_TRACK_LAYOUT: TrackLayout = { tracks: [], marks: 0 };

/** Tracks of one group, by their places among all. */
export interface GroupOfTracks {
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
  /** Of the first track of a group: whether all are shown, and how many more there are; null for none. */
  readonly fold: { readonly key: string; readonly isOpen: boolean; readonly more: number } | null;
}

/** Height of the row of marks, and of a track with the gap below it. */
export const MARK_ROW = 18;
const TRACK = 26;

/** Tracks of a group that are not folded: many devices have little room each. */
const [OF_ONE_DEVICE, OF_MANY] = [3, 1];

/** By kind and name of the group. */
export function groupTracks(tracks: TrackLayout['tracks']): ReadonlyMap<string, GroupOfTracks> {
  const groups = new Map<string, GroupOfTracks & { readonly tracks: NamedTrack[] }>();
  for (const [track, { kind, group, name }] of tracks.entries())
    entryOf(groups, `${kind} ${group}`, () => ({ kind, name: group, tracks: [] })).tracks.push({ track, name });
  return groups;
}

/** @param opened keys of what is unfolded */
export function placeTracks(
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
