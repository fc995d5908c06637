/** Pieces of timelines out of their elements of the page, which are parsed only when they are shown. */
import {
  timelineId,
  type PackedTimeline,
  type Timeline,
  type TimelineTables,
} from '../../../prof/html/timeline/timeline-data.js';
import { heldValue, takeValue } from '../../document/held-values.js';
import { joinPiece } from './joined-piece.js';

/** Tables by profile: all its pieces share them. */
const tables = new Map<number, Promise<unknown>>();

function tablesOf(profile: number): Promise<unknown> {
  const known = tables.get(profile) ?? takeValue(timelineId(profile));
  tables.set(profile, known);
  return known;
}

/** @param piece of those that are held. @throws Error with one line where the page does not hold it */
export async function loadPiece(profile: number, piece: number): Promise<Timeline> {
  const shared = (await tablesOf(profile)) as TimelineTables;
  return joinPiece(shared, (await heldValue(timelineId(profile, piece))) as PackedTimeline);
}
