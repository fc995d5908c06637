/** The ranges of the host of one profile that are passes of regions, and in which of them a time of a thread lies. */
import { elementAt } from '../../containers/element.js';
import { entryOf } from '../../containers/map-entry.js';
import { countUpTo } from '../../containers/row-order.js';
import { threadKey } from '../by/host/range-name.js';
import type { RangeRecord } from '../../record/record.js';

/** A pass of a region: one range of the host with its name. */
export interface Pass {
  readonly region: string;
  /** Position among the passes of the region, from 0. */
  readonly number: number;
  readonly start: number;
  readonly end: number;
  /** The passes of any region in which it begins on its thread; null for none. */
  readonly outer: OpenPasses | null;
}

/** Passes that had not ended at a time, innermost first. */
interface OpenPasses {
  readonly pass: Pass;
  readonly outer: OpenPasses | null;
}

/** Passes of a profile, added in order of start. */
export class RegionPasses {
  readonly #threads = new Map<string, Pass[]>();
  readonly #counts = new Map<string, number>();

  /** Adds a range; null for one within a range of the same name, which is a part of that pass. */
  add(region: string, range: RangeRecord): Pass | null {
    const passes = entryOf(this.#threads, threadKey(range), () => [] as Pass[]);
    const { start, dur } = range;
    const last = passes.at(-1);
    const outer = last === undefined ? null : openAt({ pass: last, outer: last.outer }, start);
    for (let open = outer; open !== null; open = open.outer) if (open.pass.region === region) return null;
    const number = this.#counts.get(region) ?? 0;
    this.#counts.set(region, number + 1);
    const added = { region, number, start, end: start + dur, outer };
    passes.push(added);
    return added;
  }

  /** The passes around a time of a thread, innermost first. */
  around(thread: Parameters<typeof threadKey>[0], time: number): Pass[] {
    const passes = this.#threads.get(threadKey(thread)) ?? [];
    const begun = countUpTo(passes.length, (index) => elementAt(passes, index).start, time);
    const last = passes[begun - 1];
    if (last === undefined) return [];
    const found = [last];
    for (let { outer } = last; outer !== null; outer = outer.outer) found.push(outer.pass);
    return found.filter(({ end }) => time <= end);
  }
}

/** Those that have not ended: ranges that overlap without one inside the other would leave all earlier ones in the list. */
function openAt(passes: OpenPasses, time: number): OpenPasses | null {
  const open: OpenPasses[] = [];
  for (let at: OpenPasses | null = passes; at !== null; at = at.outer) if (at.pass.end > time) open.push(at);
  let outer: OpenPasses | null = null;
  for (const one of open.reverse()) outer = one.outer === outer ? one : { pass: one.pass, outer };
  return outer;
}
