/** `dprof queues` on a screen: for each profile its streams, and the mean length over time. */
import { POINT_COLUMNS, QUEUE_COLUMNS, type QueueFacts } from '../../prof/queues/queues.js';
import { groupsOf } from '../../containers/map-entry.js';
import type { Column } from '../../table/column.js';
import { readable } from '../../table/readable.js';
import { alignedTable } from '../../write/cell-text.js';
import { fittedLines } from '../../write/fitted-table.js';
import { profileHeading, screenText } from './layout.js';

function linesOf<Row>(columns: readonly Column<Row>[], rows: readonly Row[], width: number | null): string[] {
  const shown = columns.filter(({ key }) => key !== 'profile');
  if (width !== null)
    return fittedLines(
      shown.map((column) => ({ ...column, header: column.key })),
      rows,
      width,
    );
  return alignedTable(
    shown.map((column) => readable(column, column.key)),
    rows,
  );
}

/** @param width width of the terminal, where times have units; null for any other output, where they are in us */
export function queuesScreen({ rows, points, headers }: QueueFacts, width: number | null): string {
  const times = width === null ? ', times in us' : '';
  const ofProfile = groupsOf(points, ({ profile }) => profile);
  const lines = [...groupsOf(rows, ({ profile }) => profile)].flatMap(([profile, streams]) => [
    `${profileHeading(profile, headers.get(profile) ?? null)}${times}`,
    ...linesOf(QUEUE_COLUMNS, streams, width),
    '# mean length over time, summed over all streams of a device',
    ...linesOf(POINT_COLUMNS, ofProfile.get(profile) ?? [], width),
  ]);
  return screenText(lines);
}
