/**
 * Facts about one input of a comparison, which are shown before the numbers. Bounded: only the first few distinct values
 * are kept.
 */
import type { ProfileRecord } from '../../record/record.js';

/** The two inputs of a comparison. */
export interface Pair<T> {
  readonly base: T;
  readonly new: T;
}
export type Which = keyof Pair<unknown>;

/** Names of the inputs for messages. */
export const NAMES = { base: 'BASE', new: 'NEW' } as const;

/** Times of some kernels by sample, in ns. */
export type Times = Pair<Float64Array>;

const MOST_KEPT = 16;

export class InputFacts {
  readonly files = new Set<string>();
  readonly formats = new Set<string>();
  readonly vendors = new Set<string>();
  /** Product names of the devices, or if unknown, their architectures or vendors. */
  readonly devices = new Set<string>();
  profiles = 0;
  /** Number of collectives that are not kernels. */
  collectives = 0;

  take({ file, format, devices }: ProfileRecord): void {
    this.profiles++;
    keep(this.files, file);
    keep(this.formats, format);
    for (const { vendor, name, arch } of devices) {
      keep(this.vendors, vendor);
      keep(this.devices, name ?? arch ?? vendor);
    }
  }
}

function keep(set: Set<string>, text: string | undefined): void {
  if (text !== undefined && set.size < MOST_KEPT) set.add(text);
}

/** Whether both are known and differ. */
export const differ = (a: ReadonlySet<string>, b: ReadonlySet<string>): boolean =>
  a.size > 0 && b.size > 0 && (a.size !== b.size || [...a].some((text) => !b.has(text)));
