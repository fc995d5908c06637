/** Records → device time by stack, in one pass. */
import type { CollectiveRecord, KernelLine, ProfileLine } from '../../record/record.js';
import { Annotator } from '../report.js';
import { framesOf, type FrameKind } from './frames.js';
import { MergedStacks } from './merged.js';

export interface StackOptions {
  /** Frames of each stack, outermost first. */
  readonly kinds: readonly FrameKind[];
  /** Makes a frame's text fit the output: at least without line ends. */
  readonly safe: (frame: string) => string;
  /** Whether profiles are kept apart. */
  readonly apart: boolean;
  /** Whether collective operations that are reported as such count too. */
  readonly collectives: boolean;
  readonly mostText?: number;
}

/** Stacks of one profile, or of all. */
export interface ProfileStacks {
  readonly name: string;
  readonly stacks: MergedStacks;
}

export class Stacks {
  readonly #annotator = new Annotator(null, false);
  readonly #profiles = new Map<number, { name: string; readonly stacks: MergedStacks }>();
  /** Kernels that count. */
  kernels = 0;
  /** Kernels without a duration, which are left out. */
  untimed = 0;

  constructor(private readonly options: StackOptions) {}

  take(record: ProfileLine): void {
    const kernel = record.type === 'collective' ? (this.options.collectives ? asKernel(record) : null) : asIs(record);
    if (kernel === null) return;
    for (const row of this.#annotator.take(kernel)) {
      const { profile, dur } = row.record;
      if (dur === null || !Number.isFinite(dur)) {
        this.untimed++;
        continue;
      }
      this.kernels++;
      const header = row.profile;
      const name = header === null ? `profile ${profile}` : `${header.file}${header.rank === null ? '' : ` (rank ${header.rank})`}`; // prettier-ignore
      this.#stacks(profile, name).add(framesOf(row, this.options.kinds).map(this.options.safe), dur);
    }
  }

  get profiles(): readonly ProfileStacks[] {
    return [...this.#profiles.values()];
  }

  #stacks(profile: number, name: string): MergedStacks {
    const key = this.options.apart ? profile : 0;
    let found = this.#profiles.get(key);
    if (found === undefined) {
      this.#profiles.set(key, (found = { name, stacks: new MergedStacks(this.options.mostText) }));
    }
    return found.stacks;
  }
}

const asIs = (record: ProfileLine): ProfileLine | null =>
  record.type === 'profile' || record.type === 'kernel' ? record : null;

/** A collective operation as if it were one kernel. Its own name has a number, its kind has none. */
function asKernel({ kind, ...record }: CollectiveRecord): KernelLine {
  return { ...record, type: 'kernel', id: 0, short: kind ?? record.name };
}
