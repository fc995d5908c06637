/**
 * Divides a profile's time into pieces: its steps, and the time between them, each with all events that run in it. A
 * piece with many events is cut into parts. A page holds a part either completely or not at all.
 */
import { elementAt } from '../../../containers/element.js';
import type { StepTime } from '../step-times.js';
import type { StepLengths } from './timeline-data.js';
import { eventCounter, type EventOrder, type TimeSpan } from './event-order.js';

/** The range of time in which no event was dropped. */
export class CompleteTime {
  /** End of the last event that is missing at the front, in ns. */
  from = -Infinity;
  /** Start of the first event (or of its launch) that is missing at the back, in ns. */
  to = Infinity;

  missBefore(end: number): void {
    this.from = Math.max(this.from, end);
  }

  missFrom(start: number): void {
    this.to = Math.min(this.to, start);
  }
}

/** A piece before it is cut. */
interface WholePiece extends TimeSpan {
  /** 'step 3', 'before step 1' … */
  readonly name: string;
  /** First and last step; null between steps. */
  readonly steps: readonly [number, number] | null;
  /** Present only if the piece is a single step. */
  readonly took?: StepLengths;
}

/** A piece, or a part of one. */
export interface CutPiece extends TimeSpan {
  readonly of: WholePiece;
  /** Number of its events; null when they are not held. */
  readonly events: number | null;
}

/**
 * Limits for the pieces to hold: the range in which events are complete, the maximum number of events of a part and of
 * all parts, and the piece that comes first.
 */
export interface PieceBounds {
  readonly complete: { readonly from: number; readonly to: number };
  readonly part: number;
  readonly all: number;
  readonly isFirst: (piece: WholePiece) => boolean;
}

/** Maximum number of pieces; with more steps, several are joined to one piece. */
const MOST_PIECES = 1000;

/** If each half would keep more than this share of the events, a piece is not halved: long events are then in both. */
const STILL_ALL = 0.9;

export const wholePiece = (name: string, { start, end }: TimeSpan): WholePiece => ({ name, start, end, steps: null });

/**
 * The steps of a profile, and any time with events before, between and after them.
 * @param steps the steps in any order
 */
export function piecesOf(steps: readonly StepTime[], all: TimeSpan, order: EventOrder): WholePiece[] {
  if (steps.length === 0) return [wholePiece('profile', all)];
  const inOrder = steps.toSorted((a, b) => a.start - b.start || a.step - b.step);
  const each = Math.ceil(inOrder.length / MOST_PIECES);
  const groups = Array.from({ length: Math.ceil(inOrder.length / each) }, (_, i) =>
    groupOf(inOrder.slice(i * each, (i + 1) * each)),
  );
  const hasEvents = eventsBetween(order);
  const pieces: WholePiece[] = [];
  let reached = -Infinity;
  let last = '';
  for (const group of groups) {
    if (hasEvents(reached, group.start)) {
      const name = last === '' ? `before ${group.name}` : `between ${last} and ${group.name}`;
      pieces.push(wholePiece(name, { start: Math.max(all.start, reached), end: group.start }));
    }
    pieces.push(group);
    reached = Math.max(reached, group.end);
    last = group.name;
  }
  if (hasEvents(reached, Infinity)) pieces.push(wholePiece(`after ${last}`, { start: reached, end: all.end }));
  return pieces;
}

function groupOf(steps: readonly StepTime[]): WholePiece {
  const [first, last] = [elementAt(steps, 0), elementAt(steps, steps.length - 1)];
  const end = steps.reduce((latest, step) => Math.max(latest, step.end), -Infinity);
  const name = steps.length === 1 ? `step ${first.step}` : `steps ${first.step} to ${last.step}`;
  const took = steps.length === 1 ? { took: first.took } : {};
  return { name, start: first.start, end, steps: [first.step, last.step], ...took };
}

/**
 * Whether an event lies within a time range, for ranges in ascending order. An event that reaches beyond the range does
 * not count, because it also runs in the neighbouring ranges.
 */
function eventsBetween({ events, startOf, durOf }: EventOrder): (from: number, to: number) => boolean {
  let next = 0;
  return (from, to) => {
    for (; next < events.length && startOf(elementAt(events, next)) <= from; next++);
    let found = false;
    for (; next < events.length && startOf(elementAt(events, next)) < to; next++) {
      const event = elementAt(events, next);
      found ||= startOf(event) + durOf(event) < to;
    }
    return found;
  };
}

/**
 * Cuts pieces into parts and selects the parts to hold: first the parts of the first piece, then the others in
 * time order while there is room.
 */
export function heldPieces(pieces: readonly CutPiece[], order: EventOrder, bounds: PieceBounds): CutPiece[] {
  const countOf = eventCounter(order);
  const parts = pieces.flatMap((piece) => (piece.events === null ? [piece] : partsOf(piece, countOf, bounds)));
  const first = parts.findIndex(({ of: uncut, events }) => events !== null && bounds.isFirst(uncut));
  const byTurn = [...parts.keys()].sort((a, b) => Number(b === first) - Number(a === first) || a - b);
  const held = new Set<CutPiece>();
  let room = bounds.all;
  for (const at of byTurn) {
    const part = elementAt(parts, at);
    if (part.events === null || part.events > room) continue;
    held.add(part);
    room -= part.events;
  }
  return joined(
    parts.map((part) => (held.has(part) ? part : { ...part, events: null })),
    (a, b) => a.events === null && b.events === null,
  );
}

/** Cuts the complete time of a piece into parts that are small enough, and adds its incomplete time. */
function partsOf(piece: CutPiece, countOf: (span: TimeSpan) => number, { complete, part }: PieceBounds): CutPiece[] {
  const { of: uncut } = piece;
  const from = Math.min(piece.end, Math.max(piece.start, complete.from));
  const to = Math.max(from, Math.min(piece.end, complete.to));
  const missing = (start: number, end: number): CutPiece[] =>
    start < end ? [{ of: uncut, start, end, events: null }] : [];
  const isMissing = from === to && piece.start < piece.end;
  const counted = (span: TimeSpan): CutPiece => ({
    of: uncut,
    start: span.start,
    end: span.end,
    events: countOf(span),
  });
  const halves = isMissing ? [] : halved({ start: from, end: to }, countOf, part).map(counted);
  const fits = (a: CutPiece, b: CutPiece): boolean => countOf({ start: a.start, end: b.end }) <= part;
  const parts = joined(halves, fits).map(counted);
  return [...missing(piece.start, from), ...parts, ...missing(Math.max(from, to), piece.end)];
}

function halved(span: TimeSpan, countOf: (span: TimeSpan) => number, most: number): TimeSpan[] {
  const count = countOf(span);
  const middle = span.start + Math.floor((span.end - span.start) / 2);
  if (count <= most || middle <= span.start) return [span];
  const halves = [
    { start: span.start, end: middle },
    { start: middle, end: span.end },
  ];
  if (halves.every((half) => countOf(half) > STILL_ALL * count)) return [span];
  return halves.flatMap((half) => halved(half, countOf, most));
}

/** Joins neighbouring parts of one piece where possible. */
function joined(parts: readonly CutPiece[], mayJoin: (a: CutPiece, b: CutPiece) => boolean): CutPiece[] {
  const all: CutPiece[] = [];
  for (const part of parts) {
    const before = all.at(-1);
    if (before?.of === part.of && mayJoin(before, part)) all[all.length - 1] = { ...before, end: part.end };
    else all.push(part);
  }
  return all;
}

/** Names of parts: 'step 3, part 2 of 4'. */
export function namesOf(pieces: readonly CutPiece[]): string[] {
  const counts = new Map<WholePiece, number>();
  for (const { of: uncut } of pieces) counts.set(uncut, (counts.get(uncut) ?? 0) + 1);
  const passed = new Map<WholePiece, number>();
  return pieces.map(({ of: uncut }) => {
    const [count, number] = [counts.get(uncut) ?? 1, (passed.get(uncut) ?? 0) + 1];
    passed.set(uncut, number);
    return count === 1 ? uncut.name : `${uncut.name}, part ${number} of ${count}`;
  });
}
