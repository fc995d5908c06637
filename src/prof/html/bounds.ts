/** Maximum numbers of entries in the lists of a page. */
import type { Bounded } from './page-data.js';

/** Maximum numbers of entries that a page shows of one profile. */
export interface Bounds {
  readonly kernels: number;
  readonly ops: number;
  /** Frames of the call stack tree. */
  readonly stacks: number;
  readonly annotations: number;
  /** Samples of each annotation. */
  readonly samples: number;
  readonly points: number;
  /** Regions with their histograms. */
  readonly regions: number;
  readonly sequences: number;
  readonly layers: number;
  readonly curves: number;
  /** Bars of steps, and gaps in addition to the longest ones overall. */
  readonly steps: number;
  readonly collectives: number;
  /** All events of its timeline. */
  readonly events: number;
  /** Bars of the whole profile, when its events are merged. */
  readonly bars: number;
  /** Points of all tracks of its timeline. */
  readonly trackPoints: number;
}

/** Default number of events in the timelines of all profiles together. */
export const EVENTS = 2_000_000;

const OF_ONE_PROFILE: Bounds = {
  kernels: 1000,
  ops: 300,
  stacks: 3000,
  annotations: 400,
  samples: 2000,
  points: 2000,
  regions: 200,
  sequences: 20,
  layers: 5000,
  curves: 64,
  steps: 200,
  collectives: 200,
  events: EVENTS,
  bars: 50_000,
  trackPoints: 200_000,
};

/** Small enough for a page of a thousand ranks to open, and large enough to show the largest entries of each rank. */
const LEAST: Bounds = {
  kernels: 50,
  ops: 30,
  stacks: 100,
  annotations: 20,
  samples: 100,
  points: 50,
  regions: 10,
  sequences: 5,
  layers: 200,
  curves: 8,
  steps: 16,
  collectives: 20,
  events: 1000,
  bars: 500,
  trackPoints: 2000,
};

/**
 * Share of the page's events that are kept in memory while it is unknown which profiles the page holds, because the
 * events of all profiles must wait.
 */
const WAITING = 0.25;

/**
 * Profiles of one page share the limits of a single one, but each has a minimum number of entries.
 * @param held maximum number of profiles in a page
 */
export const boundsOfHeld = (profiles: number, held: number, events: number): Bounds =>
  profiles <= held ? boundsOf(profiles, events) : boundsOf(held, Math.ceil(events * WAITING));

function boundsOf(profiles: number, events: number): Bounds {
  const part = (most: number, least: number): number => Math.max(Math.min(most, least), Math.floor(most / profiles));
  const boundOf = (list: keyof Bounds): number => part(list === 'events' ? events : OF_ONE_PROFILE[list], LEAST[list]);
  const lists = Object.keys(LEAST) as (keyof Bounds)[];
  return Object.fromEntries(lists.map((list) => [list, boundOf(list)])) as Record<keyof Bounds, number>;
}

/** The entries with the largest times (of equal ones the first), and the others. */
export function longest<T extends { readonly time: number | null }>(
  entries: readonly T[],
  most: number,
): { readonly shown: T[]; readonly rest: T[] } {
  const sorted = entries.toSorted((a, b) => (b.time ?? 0) - (a.time ?? 0));
  return { shown: sorted.slice(0, most), rest: sorted.slice(most) };
}

/** The entries with the largest times; `restTime` is time in ns that belongs to no entry. */
export function bounded<T extends { readonly time: number }>(
  entries: readonly T[],
  most: number,
  restTime: number,
): Bounded<T> {
  const { shown, rest } = longest(entries, most);
  return { shown, count: entries.length, restTime: rest.reduce((sum, { time }) => sum + time, restTime) };
}
