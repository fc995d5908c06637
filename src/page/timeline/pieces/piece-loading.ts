/** Pieces of timelines out of their elements of the page, which are parsed only when they are shown. */
import {
  timelineId,
  type PackedTimeline,
  type PagePart,
  type Timeline,
  type TimelineTables,
} from '../../../prof/html/timeline/timeline-data.js';
import { joinPiece } from './joined-piece.js';

/** Elements follow the program: while the page is loading they may not be there yet. */
const loaded = new Promise<void>((done) => {
  if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', () => done());
  else done();
});

function valueOf(id: string): PagePart['value'] {
  const holder = document.getElementById(id);
  if (holder === null) throw new Error('the page does not hold it');
  return JSON.parse(holder.textContent) as PagePart['value'];
}

/** Tables by profile: all its pieces share them. */
const tables = new Map<number, TimelineTables>();

function tablesOf(profile: number): TimelineTables {
  const known = tables.get(profile) ?? (valueOf(timelineId(profile)) as TimelineTables);
  tables.set(profile, known);
  return known;
}

/** @param piece of those that are held. @throws Error with one line where the page does not hold it */
export async function loadPiece(profile: number, piece: number): Promise<Timeline> {
  await loaded;
  return joinPiece(tablesOf(profile), valueOf(timelineId(profile, piece)) as PackedTimeline);
}
