/** How much of everything a page holds. */
import type { Bounded } from './page-data.js';

/** Entries of each list that a page shows of one profile. */
export interface Bounds {
  readonly kernels: number;
  readonly annotations: number;
  /** Of each annotation. */
  readonly samples: number;
  readonly points: number;
  readonly layers: number;
  readonly curves: number;
  readonly events: number;
}

const ONE: Bounds = {
  kernels: 1000,
  annotations: 200,
  samples: 2000,
  points: 2000,
  layers: 5000,
  curves: 64,
  events: 200_000,
};

/** So few that a page of a thousand ranks opens; so many that the largest of each is seen. */
const LEAST: Bounds = { kernels: 50, annotations: 20, samples: 100, points: 50, layers: 200, curves: 8, events: 1000 };

/** A page of many profiles shows less of each: together as much as of one. */
export function boundsOf(profiles: number, events = ONE.events): Bounds {
  const part = (most: number, least: number): number => Math.max(Math.min(most, least), Math.floor(most / profiles));
  return {
    kernels: part(ONE.kernels, LEAST.kernels),
    annotations: part(ONE.annotations, LEAST.annotations),
    samples: part(ONE.samples, LEAST.samples),
    points: part(ONE.points, LEAST.points),
    layers: part(ONE.layers, LEAST.layers),
    curves: part(ONE.curves, LEAST.curves),
    events: part(events, LEAST.events),
  };
}

/** The entries that take most time; of equal ones those that came first. */
export function longest<T extends { readonly time: number }>(
  entries: readonly T[],
  most: number,
): { readonly shown: T[]; readonly rest: T[] } {
  const sorted = entries.toSorted((a, b) => b.time - a.time);
  return { shown: sorted.slice(0, most), rest: sorted.slice(most) };
}

/**
 * The entries that take most time, and what the others add up to.
 * @param restTime ns of what is not among the entries at all
 */
export function bounded<T extends { readonly time: number }>(
  entries: readonly T[],
  most: number,
  restTime: number,
): Bounded<T> {
  const { shown, rest } = longest(entries, most);
  return { shown, count: entries.length, restTime: rest.reduce((sum, { time }) => sum + time, restTime) };
}
