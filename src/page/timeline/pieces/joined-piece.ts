/** A piece of a timeline with the texts and lanes that all pieces of its profile share. */
import { elementAt } from '../../../containers/element.js';
import type { PackedTimeline, Timeline, TimelineTables } from '../../../prof/html/timeline/timeline-data.js';

/** @throws RangeError where the piece has a lane that the tables do not have */
export function joinPiece({ lanes, ...tables }: TimelineTables, { laneNumbers, ...piece }: PackedTimeline): Timeline {
  return { ...piece, ...tables, lanes: laneNumbers.map((number) => elementAt(lanes, number)) };
}
