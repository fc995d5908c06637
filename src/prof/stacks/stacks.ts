/** Records → device time by stack, in one pass. */
import type { CollectiveLine, KernelLine, ProfileLine } from '../../record/record.js';
import { counted } from '../../record/plural.js';
import { countNotes, withoutKernels, type Analysis, type Answer } from '../analysis.js';
import type { RecordTypes } from '../input/record-types.js';
import { Annotator } from '../report/report.js';
import { framesOf, type FrameKind } from './frames.js';
import { OTHERS, StackSums, type ProfileStacks } from './stack-sums.js';

export interface StackOptions {
  /** Frames of each stack, outermost first. */
  readonly kinds: readonly FrameKind[];
  /** Makes a frame's text fit the output format; its result has no line ends. */
  readonly safe: (frame: string) => string;
  /** Whether profiles are kept apart. */
  readonly apart: boolean;
  /** Whether records of collective operations count too. */
  readonly collectives: boolean;
  readonly mostText?: number;
}

export class Stacks implements Analysis<readonly ProfileStacks[]> {
  readonly types: RecordTypes;
  readonly #annotator = new Annotator(null, false);
  readonly #sums: StackSums;
  /** Kernels and collective operations in the stacks. */
  kernels = 0;
  /** Kernels without a duration, which are left out. */
  untimed = 0;

  constructor(private readonly options: StackOptions) {
    const kernels = ['profile', 'kernel', 'end'] as const;
    this.types = new Set<ProfileLine['type']>(options.collectives ? [...kernels, 'collective'] : kernels);
    this.#sums = new StackSums(options.apart, options.mostText);
  }

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
      this.#sums.of(profile, row.profile).add(framesOf(row, this.options.kinds).map(this.options.safe), dur);
    }
  }

  /** @throws UserError without a kernel that has a duration */
  finish(): Answer<readonly ProfileStacks[]> {
    const { kernels, untimed, profiles } = this;
    if (kernels === 0) throw withoutKernels(untimed);
    const { others } = this.#sums;
    return {
      table: this.#sums.table('time of its kernels'),
      facts: profiles,
      notes: [
        ...countNotes([untimed, 'kernel', ' without a duration left out']),
        ...(others > 0
          ? [`too many stacks: ${counted(others, 'kernel')} under ${OTHERS} (--by layer,op makes fewer)`]
          : []),
      ],
    };
  }

  get profiles(): readonly ProfileStacks[] {
    return this.#sums.profiles;
  }
}

const asIs = (record: ProfileLine): ProfileLine | null =>
  record.type === 'profile' || record.type === 'kernel' ? record : null;

/** A collective operation as if it were one kernel; its kind names it, since its own name has a number. */
function asKernel({ kind, ...record }: CollectiveLine): KernelLine {
  return { ...record, type: 'kernel', id: 0, short: kind ?? record.name };
}
