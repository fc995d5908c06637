/** Curves of memory over time: step functions, whose values hold until the next point. */
import type { MemoryCurve } from '../../prof/html/page-data.js';

type CurvePoints = MemoryCurve['points'];

/** Whether the value is not the same throughout. */
export const changes = (points: CurvePoints): boolean => points.some(([, bytes]) => bytes !== points[0]?.[1]);

/** Bytes at a time; null before the first one. */
export const valueAt = (points: CurvePoints, time: number): number | null =>
  points.findLast(([at]) => at <= time)?.[1] ?? null;

/** The earliest and the latest of all times; [0, 1] without any. */
export function timeSpan(curves: readonly CurvePoints[], others: readonly number[]): readonly [number, number] {
  let [from, to] = [Infinity, -Infinity];
  for (const times of [others, ...curves.map((points) => points.map(([time]) => time))]) {
    for (const time of times) {
      from = Math.min(from, time);
      to = Math.max(to, time);
    }
  }
  return from > to ? [0, 1] : [from, Math.max(to, from + 1)];
}
