/**
 * The ranks of a page that have a timeline, and the choice of ranks and piece. Piece 0 is the whole profile; times are ns
 * from the profile's start. Does not need a document.
 */
import { elementAt } from '../../../containers/element.js';
import type { PageOutline } from '../../../prof/html/page-elements.js';
import type {
  PageTimeline,
  TimelinePiece,
  PackedTimeline,
  Timeline,
  TimelineTables,
} from '../../../prof/html/timeline/timeline-data.js';
import { rankNames } from '../../profile-labels.js';
import { quantityText } from '../../document/units.js';
import type { SelectedSpan, View } from '../model/view.js';

/** @throws RangeError when the piece has a lane that the tables do not have */
export function joinPiece({ lanes, ...tables }: TimelineTables, { laneNumbers, ...piece }: PackedTimeline): Timeline {
  return { ...piece, ...tables, lanes: laneNumbers.map((number) => elementAt(lanes, number)) };
}

export const WHOLE = 0;

/**
 * 'before step 3 (12.300 ms)'; for a step, how long it took: 'step 3 (host 12.300 ms, device 15.100 ms)', because its
 * events take longer.
 */
export function pieceLabel({ name, start, end, events, took = { host: null, device: null } }: TimelinePiece): string {
  const known = (['host', 'device'] as const).flatMap((clock) => {
    const length = took[clock];
    return length === null ? [] : `${clock} ${quantityText(length, 'ns')}`;
  });
  const lengths = known.length === 0 ? [quantityText(end - start, 'ns')] : known;
  return `${name} (${[...lengths, ...(events === null ? ['merged'] : [])].join(', ')})`;
}

/** The piece that holds the events of a piece: the piece itself, or the whole profile. */
export const dataOf = ({ pieces }: PageTimeline, at: number): number =>
  (pieces[at]?.events ?? null) === null ? WHOLE : at;

/** @param wanted index from an address, which may come from an untrusted source; null for the first piece */
export const pieceOr = ({ pieces, first }: PageTimeline, wanted: number | null): number =>
  wanted !== null && pieces[wanted] !== undefined ? wanted : first;

/** The piece that shows each event of a span: the first piece if it does, else another. The first when none does. */
export function pieceWith({ pieces, first }: PageTimeline, { from, to }: SelectedSpan): number {
  const shows = ({ start, end, events, isMerged }: TimelinePiece): boolean =>
    events !== null && isMerged !== true && start <= from && to <= end;
  const order = [first, ...pieces.keys()];
  return order.find((at) => shows(elementAt(pieces, at))) ?? first;
}

/** The previous or next piece; the whole profile precedes the first. */
export const neighbourOf = ({ pieces }: PageTimeline, at: number, by: 1 | -1): number =>
  Math.max(Math.min(1, pieces.length - 1), Math.min(pieces.length - 1, at + by));

/** The last piece that begins before a time and contains it; the whole profile when there is none. */
export function pieceAt({ pieces }: PageTimeline, time: number): number {
  const found = pieces.findLastIndex(({ start, end }, at) => at !== WHOLE && start <= time && time <= end);
  return found === -1 ? WHOLE : found;
}

/** The other pieces whose events are on the page, those after the shown one first; the whole profile last. */
export function othersOf(timeline: PageTimeline, shown: number): number[] {
  const { length } = timeline.pieces;
  const inTurn = Array.from({ length }, (_, i) => (shown + 1 + i) % length);
  const isHeld = (at: number): boolean => at !== WHOLE && dataOf(timeline, at) === at;
  const others = [...inTurn.filter(isHeld), WHOLE];
  return others.filter((at) => at !== dataOf(timeline, shown));
}

/** Whether the events of the whole profile are drawn individually. */
const isWholeSingle = ({ pieces }: PageTimeline): boolean => pieces[WHOLE]?.isMerged !== true;

/**
 * The pieces that together contain all matches of a search outside the shown piece.
 * @param hasHere whether the shown piece has matches
 */
export function searchedFor(timeline: PageTimeline, shown: number, hasHere: boolean): readonly number[] {
  const isWhole = dataOf(timeline, shown) === WHOLE;
  if (!isWholeSingle(timeline)) return isWhole && hasHere ? [] : othersOf(timeline, shown);
  return isWhole ? [] : [WHOLE];
}

/** Views that cover at least this share of a piece count as the whole piece. */
export const NEARLY_ALL = 0.9;

/** The place where a time is shown: the piece, and the view within it; null for the whole piece. */
export interface PlaceInTime {
  readonly piece: number;
  readonly view: View | null;
}

/**
 * The place of a time, with a view of the same width as before: in the shown piece if that contains the time. If the
 * whole profile is in view, it is the piece with that time.
 */
export function placeOf(timeline: PageTimeline, shown: number, view: View, time: number): PlaceInTime {
  const { start, end } = elementAt(timeline.pieces, dataOf(timeline, shown));
  const width = view.to - view.from;
  const around = { from: time - width / 2, to: time + width / 2 };
  if (shown === WHOLE && width >= NEARLY_ALL * (end - start)) return { piece: pieceAt(timeline, time), view: null };
  if (start <= time && time <= end) return { piece: shown, view: around };
  const shownPiece = elementAt(timeline.pieces, shown);
  const isAll = width >= NEARLY_ALL * (shownPiece.end - shownPiece.start);
  return { piece: pieceAt(timeline, time), view: isAll ? null : around };
}

export interface PageRank {
  readonly name: string;
  /** Index of its profile on the page. */
  readonly profile: number;
  readonly timeline: PageTimeline;
  /** Same as in the ranks of a `PageJob`; null when its clock could not be aligned with the others. */
  readonly clock: { readonly shift: number; readonly drift: number } | null;
  /** Whether its clock is known only from the start of its profile. */
  readonly isByStart: boolean;
  readonly isLate: boolean;
}

/** Ranks in order; files may be in a different order. */
export function pageRanks(data: Pick<PageOutline, 'profiles' | 'job'>): PageRank[] {
  const names = rankNames(data);
  const numberOf = ({ profile }: PageRank): number => data.profiles[profile]?.overview.header?.rank ?? Infinity;
  const ranks = data.profiles.flatMap(({ timeline }, profile) => {
    if (timeline === null) return [];
    const ofProfile = data.job?.ranks.filter((rank) => rank.profile === profile) ?? [];
    const [first] = ofProfile;
    const shift = first?.shift ?? null;
    return {
      ...{ name: elementAt(names, profile), profile, timeline },
      clock: shift === null ? null : { shift, drift: first?.drift ?? 0 },
      isByStart: first?.clock === 'start',
      isLate: ofProfile.some(({ isLate }) => isLate),
    };
  });
  return ranks.sort((a, b) => (numberOf(a) === numberOf(b) ? a.profile - b.profile : numberOf(a) - numberOf(b)));
}

/** Maximum number of ranks that are drawn at once. */
export const MOST_RANKS = 64;

/** Indices of profiles in ascending order; 'all' for as many as can be drawn; null for the main rank alone. */
export type RankChoice = readonly number[] | 'all' | null;

/** The main rank first, then late ranks, then the others, each in order. */
export const byInterest = (ranks: readonly PageRank[], mainProfile: number): PageRank[] =>
  ranks.toSorted(
    (a, b) =>
      Number(b.profile === mainProfile) - Number(a.profile === mainProfile) || Number(b.isLate) - Number(a.isLate),
  );

/**
 * The chosen ranks in order, including the main rank; only the main rank if there is no other.
 * @param mainProfile profile of the main rank
 */
export function chosenRanks(ranks: readonly PageRank[], mainProfile: number, choice: RankChoice): PageRank[] {
  const isChosen = ({ profile }: PageRank): boolean =>
    profile === mainProfile || choice === 'all' || choice?.includes(profile) === true;
  const drawn = new Set(byInterest(ranks.filter(isChosen), mainProfile).slice(0, MOST_RANKS));
  return ranks.filter((rank) => drawn.has(rank));
}

/** Formats a list such as `0-3,8`. @param profiles in ascending order */
function rankListText(profiles: readonly number[]): string {
  const spans: [first: number, last: number][] = [];
  for (const profile of profiles) {
    const last = spans.at(-1);
    if (last?.[1] === profile - 1) last[1] = profile;
    else spans.push([profile, profile]);
  }
  return spans.map(([first, last]) => (first === last ? String(first) : `${first}-${last}`)).join(',');
}

/** The choice in an address, which may come from an untrusted source; null when it is invalid. */
export function readRankChoice(text: string | undefined): RankChoice {
  if (text === undefined) return null;
  if (text === 'all') return 'all';
  if (!/^\d{1,6}(-\d{1,6})?(,\d{1,6}(-\d{1,6})?){0,99}$/.test(text)) return null;
  const chosen = new Set<number>();
  for (const span of text.split(',')) {
    const [first = 0, last = first] = span.split('-').map(Number);
    for (let profile = first; profile <= last && chosen.size < MOST_RANKS; profile++) chosen.add(profile);
  }
  return [...chosen].sort((a, b) => a - b);
}

export const rankChoiceText = (choice: RankChoice): string | null =>
  choice === null || choice === 'all' ? choice : rankListText(choice);
