/**
 * Counters of Nsight Compute given to the kernels of a profile of the same program: the nth launch of a name, grid and
 * block has the counters of the nth such launch in the report.
 */
import { entryOf } from '../../../containers/map-entry.js';
import type { Diagnostics } from '../../../record/diagnostics.js';
import type { EndRecord, Extent, KernelLine, ProfileLine } from '../../../record/record.js';
import { shortName } from '../../names/kernel-name.js';
import type { NcuLaunch } from './launches.js';

/** Casts that one demangler writes before the values of template arguments, and another does not. */
const CASTS = /\((?:bool|char|short|int|long|unsigned int|unsigned long)\)(?=-?\d)/g;

/** A demangled name without what differs between demanglers. */
const plainName = (name: string): string => name.replace(CASTS, '').replace(/\s+/g, '');
const isWhole = (name: string): boolean => /[<(]/.test(name);

const keyOf = (name: string, grid: Extent | null, block: Extent | null): string =>
  `${name}\0${String(grid)}\0${String(block)}`;

class Queue {
  next = 0;
  readonly launches: NcuLaunch[] = [];
}

export class CounterJoin {
  readonly #queues = new Map<string, Queue>();
  #without = 0;

  /**
   * @param launches of the report, in its order
   * @param diagnostics of reading it, which count as those of the profile
   */
  constructor(
    launches: readonly NcuLaunch[],
    private readonly diagnostics: Diagnostics,
  ) {
    for (const launch of launches) {
      if (launch.afterLost) {
        diagnostics.count('counters-not-placed');
        continue;
      }
      const { name, grid, block } = launch;
      const key = keyOf(isWhole(name) ? plainName(name) : shortName(name), grid, block);
      entryOf(this.#queues, key, () => new Queue()).launches.push(launch);
    }
  }

  /** The record; a kernel gets its counters in addition to those that it has. */
  take(record: ProfileLine): ProfileLine {
    if (record.type === 'kernel') return this.#kernel(record);
    return record.type === 'end' ? this.#end(record) : record;
  }

  #kernel(kernel: KernelLine): KernelLine {
    const { name, short, grid = null, block = null } = kernel;
    const queue = this.#queues.get(keyOf(plainName(name), grid, block)) ?? this.#queues.get(keyOf(short, grid, block));
    const launch = queue?.launches[queue.next++];
    if (launch === undefined) {
      this.#without++;
      return kernel;
    }
    return { ...kernel, counters: { ...kernel.counters, ...launch.counters } };
  }

  #end(end: EndRecord): EndRecord {
    let unmatched = 0;
    for (const { next, launches } of this.#queues.values()) unmatched += Math.max(0, launches.length - next);
    this.diagnostics.count('kernel-without-counters', this.#without);
    this.diagnostics.count('counters-without-kernel', unmatched);
    return { ...end, diagnostics: this.diagnostics.addedTo(end.diagnostics) };
  }
}
