/** Records → device time by stack, in one pass. */
import { entryOf } from '../../containers/map-entry.js';
import { column, int, str } from '../../table/column-kinds.js';
import type { CollectiveRecord, KernelLine, ProfileLine, ProfileRecord } from '../../record/record.js';
import { counted } from '../../record/plural.js';
import type { Column } from '../../table/column.js';
import { countNotes, withoutKernels, type Analysis, type Answer } from '../analysis.js';
import type { RecordTypes } from '../input/records.js';
import { Annotator } from '../report/report.js';
import { framesOf, type FrameKind } from './frames.js';
import { MergedStacks, OTHERS } from './merged.js';

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

/** Stacks of one profile, or of all. */
export interface ProfileStacks {
  readonly name: string;
  readonly stacks: MergedStacks;
}

interface StackRow {
  readonly profile: string;
  readonly frames: readonly string[];
  readonly ns: number;
}

const STACK_COLUMNS: readonly Column<StackRow>[] = [
  column('profile', 'Profile', str(20), 'file of the profile', ({ profile }) => profile),
  column('stack', 'Stack', str(0), 'frames, outermost first', ({ frames }) => frames, { separator: ';' }),
  column('ns', 'Time(ns)', int(14, 'ns'), 'time of its kernels', ({ ns }) => ns),
];

export class Stacks implements Analysis<readonly ProfileStacks[]> {
  readonly types: RecordTypes;
  readonly #annotator = new Annotator(null, false);
  readonly #profiles = new Map<number, ProfileStacks>();
  /** Kernels and collective operations in the stacks. */
  kernels = 0;
  /** Kernels without a duration, which are left out. */
  untimed = 0;

  constructor(private readonly options: StackOptions) {
    const kernels = ['profile', 'kernel', 'end'] as const;
    this.types = new Set<ProfileLine['type']>(options.collectives ? [...kernels, 'collective'] : kernels);
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
      this.#stacks(profile, row.profile).add(framesOf(row, this.options.kinds).map(this.options.safe), dur);
    }
  }

  /** @throws UserError without a kernel that has a duration */
  finish(): Answer<readonly ProfileStacks[]> {
    const { kernels, untimed, profiles } = this;
    if (kernels === 0) throw withoutKernels(untimed);
    const others = profiles.reduce((sum, { stacks }) => sum + stacks.others, 0);
    return {
      table: { columns: STACK_COLUMNS, rows: rowsOf(profiles) },
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
    return [...this.#profiles.values()];
  }

  #stacks(profile: number, header: ProfileRecord | null): MergedStacks {
    const key = this.options.apart ? profile : 0;
    const none = (): ProfileStacks => ({
      name: nameOf(profile, header),
      stacks: new MergedStacks(this.options.mostText),
    });
    return entryOf(this.#profiles, key, none).stacks;
  }
}

function* rowsOf(profiles: readonly ProfileStacks[]): Generator<StackRow> {
  for (const { name, stacks } of profiles) {
    for (const { frames, ns } of stacks.sorted()) yield { profile: name, frames, ns };
  }
}

function nameOf(profile: number, header: ProfileRecord | null): string {
  if (header === null) return `profile ${profile}`;
  return header.rank === null ? header.file : `${header.file} (rank ${header.rank})`;
}

const asIs = (record: ProfileLine): ProfileLine | null =>
  record.type === 'profile' || record.type === 'kernel' ? record : null;

/** A collective operation as if it were one kernel; its kind names it, since its own name has a number. */
function asKernel({ kind, ...record }: CollectiveRecord): KernelLine {
  return { ...record, type: 'kernel', id: 0, short: kind ?? record.name };
}
