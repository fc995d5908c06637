/**
 * Selects the piece of each rank that is drawn next to a piece of one of them, and its position on the axis. Does not
 * need a document.
 */
import { elementAt } from '../../../containers/element.js';
import { entryOf } from '../../../containers/map-entry.js';
import { onAxis, type ClockLine, type LaneRank } from '../events/coverage.js';
import type { View } from '../model/view.js';
import { dataOf, WHOLE, type PageRank } from './page-ranks.js';

/** A rank's part of the joined timeline. */
interface AlignedPiece {
  readonly rank: LaneRank;
  /** Index among the pieces on the page. */
  readonly piece: number;
  /** Whether the piece is longer than the joined timeline, so that only a part of it is drawn. */
  readonly isCut: boolean;
}

export interface AlignedPieces {
  /** Time in ns on the axis, which has the times of the page's main rank. */
  readonly time: View;
  readonly pieces: readonly AlignedPiece[];
  /** Unexpected facts, one sentence each. */
  readonly remarks: readonly string[];
}

/** Maximum events of all ranks together; beyond that, pieces are drawn from the whole profiles of their ranks. */
const MOST_EVENTS = 500_000;

/**
 * A rank that is aligned only by the start of its profile counts as from another time when it is this many times its
 * piece's length away.
 */
const FAR = 10;

/** How the times of a rank are aligned with the axis. */
type Alignment = 'clock' | 'start' | 'far' | 'none' | 'absent';

/** How a rank is aligned, as words after its name; null when it is aligned as expected. */
const ALIGNED: Readonly<Record<Alignment, string | null>> = {
  clock: null,
  start: 'aligned only by the start of its profile',
  far: 'its profile started at another time, so it cannot be aligned: shown from its own start',
  none: 'its clock could not be aligned: shown from its own start',
  absent: 'no piece of this name and no common clock: not drawn',
};

/** The piece from which a rank is drawn, in the same form. */
const DRAWN: Readonly<Record<'piece' | 'other' | 'left' | 'full', string | null>> = {
  piece: null,
  other: 'no piece of this name: drawn from its whole profile',
  left: 'its events of this time are not on the page: drawn from its whole profile',
  full: 'too many events for all ranks together: drawn from its whole profile',
};

/**
 * A rank, its piece with the wanted name (-1 when it has none), and its position on the axis; null when that is unknown.
 */
interface PlacedPiece {
  readonly rank: PageRank;
  readonly piece: number;
  readonly clock: ClockLine | null;
  readonly alignment: Alignment;
}

/**
 * Pieces are matched by name, which contains the step numbers.
 * @param ranks ranks in drawing order
 * @param mainRank the rank whose times are on the axis
 * @param piece index of the piece of that rank
 */
export function alignedPieces(ranks: readonly PageRank[], mainRank: PageRank, piece: number): AlignedPieces {
  const { name } = elementAt(mainRank.timeline.pieces, piece);
  const pieceIn = (rank: PageRank): number =>
    rank === mainRank ? piece : rank.timeline.pieces.findIndex((candidate) => candidate.name === name);
  const placed = placesOf(ranks, mainRank, pieceIn);
  const spans = placed.flatMap((place) => (place.piece === -1 ? [] : (spanOf(place) ?? [])));
  const pieces: AlignedPiece[] = [];
  const remarks: (readonly [rank: string, remark: string | null])[] = [];
  let room = MOST_EVENTS;
  for (const place of placed) {
    const { rank, clock, alignment } = place;
    if (ranks.length > 1) remarks.push([rank.name, ALIGNED[alignment]]);
    if (clock === null) continue;
    const from = drawnFrom(place, room);
    const isPiece = from === 'piece';
    if (isPiece) room -= rank.timeline.pieces[place.piece]?.events ?? 0;
    remarks.push([rank.name, DRAWN[from]]);
    const { name, profile } = rank;
    pieces.push({ rank: { name, profile, clock }, piece: isPiece ? place.piece : WHOLE, isCut: !isPiece });
  }
  const time = {
    from: spans.reduce((least, { from }) => Math.min(least, from), Infinity),
    to: spans.reduce((most, { to }) => Math.max(most, to), -Infinity),
  };
  return { time, pieces, remarks: inSentences(remarks) };
}

function drawnFrom({ rank: { timeline }, piece }: PlacedPiece, room: number): keyof typeof DRAWN {
  if (piece === -1) return 'other';
  if (dataOf(timeline, piece) !== piece) return 'left';
  return piece !== WHOLE && (timeline.pieces[piece]?.events ?? 0) > room ? 'full' : 'piece';
}

/** Maximum number of ranks that a remark names. */
const MOST_NAMED = 8;

/** 'rank 3, rank 4: …' for each remark, in order. */
function inSentences(remarks: readonly (readonly [rank: string, remark: string | null])[]): string[] {
  const ranks = new Map<string, string[]>();
  for (const [rank, remark] of remarks) if (remark !== null) entryOf(ranks, remark, (): string[] => []).push(rank);
  return [...ranks].map(([remark, names]) => {
    const more = names.length > MOST_NAMED ? ` and ${names.length - MOST_NAMED} more` : '';
    return `${names.slice(0, MOST_NAMED).join(', ')}${more}: ${remark}.`;
  });
}

/**
 * The span of a rank's piece, or of the whole profile if it has none, in ns on the axis; null for ranks without a position.
 */
function spanOf({ rank, piece, clock }: Pick<PlacedPiece, 'rank' | 'piece' | 'clock'>): View | null {
  const found = rank.timeline.pieces[piece === -1 ? WHOLE : piece];
  if (found === undefined || clock === null) return null;
  return { from: onAxis(clock, found.start), to: onAxis(clock, found.end) };
}

/**
 * Positions on the clock of the job, where ranks without a usable clock begin with the first of the others; then converted
 * to the clock of the main rank.
 */
function placesOf(ranks: readonly PageRank[], mainRank: PageRank, pieceIn: (rank: PageRank) => number): PlacedPiece[] {
  const all = onJobClock(ranks.map((rank) => ({ rank, piece: pieceIn(rank) })));
  const spans = all.flatMap((place) => (place.piece === -1 ? [] : (spanOf(place) ?? [])));
  const first = spans.length === 0 ? 0 : spans.reduce((least, { from }) => Math.min(least, from), Infinity);
  const placed = all.map((place): PlacedPiece => {
    const start = place.rank.timeline.pieces[place.piece]?.start;
    if (place.clock !== null) return place;
    return start === undefined
      ? { ...place, alignment: 'absent' }
      : { ...place, clock: { shift: first - start, rate: 1 } };
  });
  const zero = placed.find(({ rank }) => rank === mainRank)?.clock ?? { shift: 0, rate: 1 };
  return placed.map((place) => ({ ...place, clock: place.clock === null ? null : lineBetween(place.clock, zero) }));
}

/** Converts times of one profile to those of another, through the lines of both. */
const lineBetween = (line: ClockLine, other: ClockLine): ClockLine => ({
  shift: (line.shift - other.shift) / other.rate,
  rate: line.rate / other.rate,
});

/** Positions of ranks whose clocks are known and whose times are comparable. */
function onJobClock(named: readonly Pick<PlacedPiece, 'rank' | 'piece'>[]): PlacedPiece[] {
  const known = named.map(({ rank, piece }): PlacedPiece => {
    const { clock, isByStart } = rank;
    if (clock === null) return { rank, piece, clock, alignment: 'none' };
    const line = { shift: clock.shift, rate: 1 - clock.drift };
    return { rank, piece, clock: line, alignment: isByStart ? 'start' : 'clock' };
  });
  const surest = known.find(({ alignment }) => alignment === 'clock') ?? known.find(({ clock }) => clock !== null);
  const here = surest === undefined ? null : spanOf(surest);
  const isFar = (place: PlacedPiece): boolean => {
    const span = spanOf(place);
    if (place.alignment !== 'start' || span === null || here === null) return false;
    const most = FAR * (here.to - here.from);
    return span.from > here.to + most || span.to < here.from - most;
  };
  return known.map((place) => (isFar(place) ? { ...place, clock: null, alignment: 'far' } : place));
}
