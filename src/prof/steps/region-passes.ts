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
  /** The pass of any region in which it begins on its thread; null for none. */
  readonly outer: Pass | null;
}

/** Passes of a profile, added in order of start. */
export class RegionPasses {
  readonly #threads = new Map<string, Pass[]>();
  readonly #counts = new Map<string, number>();

  /** Adds a range; null for one within a range of the same name, which is a part of that pass. */
  add(region: string, range: RangeRecord): Pass | null {
    const passes = entryOf(this.#threads, threadKey(range), () => [] as Pass[]);
    const { start, dur } = range;
    const outer = openAt(passes.at(-1) ?? null, start);
    for (let pass = outer; pass !== null; pass = pass.outer)
      if (pass.region === region && start < pass.end) return null;
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
    const found: Pass[] = [];
    for (let pass = passes[begun - 1] ?? null; pass !== null; pass = pass.outer) if (time <= pass.end) found.push(pass);
    return found;
  }
}

/** The innermost of a pass and those around it that has not ended. */
function openAt(last: Pass | null, time: number): Pass | null {
  let pass = last;
  while (pass !== null && pass.end <= time) pass = pass.outer;
  return pass;
}
