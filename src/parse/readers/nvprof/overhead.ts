/**
 * What CUPTI did for itself, and the driver's compiler: time of the host that is none of the program's.
 * Source: CUpti_ActivityOverheadKind and CUpti_ActivityOverhead of CUPTI's cupti_activity.h.
 */
import type { Diagnostics } from '../../../record/diagnostics.js';
import type { NumericColumn } from '../../../containers/numeric-column.js';
import { Ranges } from '../../capture/capture-columns.js';
import { numberOf, type Selection, type SqliteRow } from '../../sqlite/sqlite.js';
import type { UnreadEvents } from '../../unread-events.js';
import { OBJECT, readObjectId } from './nvprof-objects.js';
import { timeOf } from './nvprof-times.js';

export const OVERHEAD_TABLE = 'CUPTI_ACTIVITY_KIND_OVERHEAD';

/** Behind the start and the end. */
export const OVERHEAD_COLUMNS: readonly Selection[] = [
  'overheadKind',
  'objectKind',
  { needs: ['objectId'], sql: 'hex(objectId)' },
];

/** As PyTorch's traces name them. */
const NAMES: ReadonlyMap<number, string> = new Map([
  [1, 'Driver Compiler'],
  [1 << 16, 'Buffer Flush'],
  [2 << 16, 'Instrumentation'],
  [3 << 16, 'Resource'],
]);

/** Numbers of texts below zero: those of the profile's own are from 0. */
const textOf = (kind: number): number => -1 - kind;

/** The text of a range of overhead; null for another range. */
export const overheadText = (text: number): string | null =>
  text < 0 ? (NAMES.get(textOf(text)) ?? `overhead ${textOf(text)}`) : null;

interface OverheadSink {
  readonly diagnostics: Diagnostics;
  readonly unread: UnreadEvents;
  /** Gets the starts of rows that are not read. */
  readonly unreadTimes: NumericColumn;
  /** NaN: a thread that is not known. */
  readonly thread: (pid: number, tid: number) => number;
}

/** Overhead of a process or a thread; that of a device is no time of the host. */
export function readOverhead(rows: Iterable<SqliteRow>, sink: OverheadSink): Ranges {
  const { diagnostics, unread, unreadTimes, thread } = sink;
  const ranges = new Ranges();
  let others = 0;
  for (const [startCell, endCell, kindCell, objectKind, object] of rows) {
    const [start, end, kind] = [timeOf(startCell), timeOf(endCell), numberOf(kindCell)];
    if (!(start <= end) || !(kind >= 0)) diagnostics.count('bad-row');
    else if (objectKind !== OBJECT.process && objectKind !== OBJECT.thread) others++;
    else {
      const [pid, tid] = readObjectId(String(object));
      ranges.add(start, end, thread(pid, objectKind === OBJECT.thread ? tid : NaN), textOf(kind), 0);
      continue;
    }
    unreadTimes.push(start);
  }
  if (others > 0) unread.count(`overhead of other objects than threads in ${OVERHEAD_TABLE}`, others);
  return ranges;
}
