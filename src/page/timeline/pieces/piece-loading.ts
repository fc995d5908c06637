/** Pieces of timelines out of their elements of the page, which are parsed only when they are shown. */
import {
  timelineId,
  type PackedTimeline,
  type Timeline,
  type TimelineTables,
} from '../../../prof/html/timeline/timeline-data.js';
import { heldValue, keptValue } from '../../profile-loading.js';
import { joinPiece } from './piece-choice.js';

/** @param piece of those that are held. @throws Error with one line where the page does not hold it */
export async function loadPiece(profile: number, piece: number): Promise<Timeline> {
  // All pieces of a profile share its tables.
  const tables = (await keptValue(timelineId(profile))) as TimelineTables;
  return joinPiece(tables, (await heldValue(timelineId(profile, piece))) as PackedTimeline);
}
