/** Times by stack, for each profile or for all together, and their table. */
import { column, knownColumn, int, real, str, type AnyTable, type Column } from '../../table/column.js';
import { entryOf, addTo } from '../../containers/map-entry.js';
import type { ProfileRecord, CollectiveLine, KernelLine, ProfileLine } from '../../record/record.js';
import { withoutKernels, type Analysis, type Answer, type RecordTypes } from '../analysis.js';
import { countNotes, type Limits } from '../limits.js';
import type { Annotated } from '../annotate.js';
import type { KernelFilter } from '../query/kernel-query.js';
import { Annotator } from '../report/report.js';
import { framesOf, type FrameKind } from './frames.js';

/** Maximum number of characters of all distinct stacks: about 100,000 deep ones. */
export const MOST_TEXT = 64 * 1024 * 1024;

export const OTHERS = '[other stacks]';

/** A note on what has no stack of its own; none without any. @param wayOut options that make fewer stacks */
export const tooManyStacks = (count: number, noun: string, wayOut?: string): Limits[] =>
  countNotes([count, noun, ` under ${OTHERS}`, 'too many stacks', wayOut === undefined ? {} : { wayOut }]);

/** Separates frames in a key: no frame has a line end. */
const BETWEEN = '\n';

export class MergedStacks {
  /** Time in ns by stack. */
  readonly #times = new Map<string, number>();
  #text = 0;
  /** Device time of all stacks, in ns. */
  total = 0;
  /** Number of kernels whose stacks were added to the others. */
  others = 0;

  constructor(private readonly mostText = MOST_TEXT) {}

  /** @param frames outermost first, without line ends */
  add(frames: readonly string[], ns: number): void {
    this.total += ns;
    const stack = frames.join(BETWEEN);
    const known = this.#times.get(stack);
    if (known !== undefined) this.#times.set(stack, known + ns);
    else if (this.#text + stack.length <= this.mostText) {
      this.#text += stack.length;
      this.#times.set(stack, ns);
    } else {
      this.others++;
      addTo(this.#times, OTHERS, ns);
    }
  }

  /** Sorted by the stacks' strings. */
  *sorted(): Generator<{ readonly frames: readonly string[]; readonly ns: number }> {
    const sorted = [...this.#times].sort(([a], [b]) => (a < b ? -1 : 1));
    for (const [stack, ns] of sorted) yield { frames: stack.split(BETWEEN), ns };
  }
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

/** What the stacks of a table add up: nanoseconds, or CPU samples. */
export type StackUnit = 'ns' | 'samples';

/** A time, or a number of samples. */
const amount = (unit: StackUnit, doc: string): Column<StackRow> =>
  unit === 'ns'
    ? knownColumn('ns', 'Time(ns)', int(14, 'ns'), doc, ({ ns }) => ns)
    : knownColumn('samples', 'Samples', int(9), doc, ({ ns }) => ns);

const stackColumns = (ofTime: string, unit: StackUnit = 'ns'): readonly Column<StackRow>[] => [
  knownColumn('profile', 'Profile', str(20), 'file of the profile', ({ profile }) => profile),
  knownColumn('stack', 'Stack', str(0), 'frames, outermost first', ({ frames }) => frames, {
    list: 'str',
    separator: ';',
  }),
  amount(unit, ofTime),
];

/** Columns of the table of stacks. */
export const STACK_COLUMNS = stackColumns('time');
export const SAMPLED_STACK_COLUMNS = stackColumns('number of CPU samples', 'samples');

export class StackSums {
  readonly #profiles = new Map<number, ProfileStacks>();

  /** @param apart whether profiles are kept separate */
  constructor(
    private readonly apart: boolean,
    private readonly mostText: number | undefined,
  ) {}

  of(profile: number, header: ProfileRecord | null): MergedStacks {
    const none = (): ProfileStacks => ({ name: nameOf(profile, header), stacks: new MergedStacks(this.mostText) });
    return entryOf(this.#profiles, this.apart ? profile : 0, none).stacks;
  }

  get profiles(): readonly ProfileStacks[] {
    return [...this.#profiles.values()];
  }

  /** Number of durations that are not in a separate stack because there were too many stacks. */
  get others(): number {
    return this.profiles.reduce((sum, { stacks }) => sum + stacks.others, 0);
  }

  /** @param ofTime meaning of the times, for the column's help */
  table(
    ofTime: string,
    unit: StackUnit = 'ns',
  ): { readonly columns: readonly Column<StackRow>[]; readonly rows: Iterable<StackRow> } {
    return { columns: stackColumns(ofTime, unit), rows: rowsOf(this.profiles) };
  }
}

/** The stacks of all profiles in readable form: longest first, each from the innermost frame outwards. */
export function shownStacks(profiles: readonly ProfileStacks[], unit: StackUnit = 'ns'): AnyTable {
  const rows = [...rowsOf(profiles)].sort((a, b) => b.ns - a.ns);
  const whole = rows.reduce((sum, { ns }) => sum + ns, 0);
  const columns: readonly Column<StackRow>[] = [
    amount(unit, unit === 'ns' ? 'time' : 'CPU samples'),
    column('share', 'Share%', real(6, 1, '%'), 'share of the total', ({ ns }) =>
      whole > 0 ? (100 * ns) / whole : null,
    ),
    knownColumn('stack', 'Stack, innermost first', str(0), 'frames', ({ frames }) => frames.toReversed().join(' < ')),
    knownColumn('profile', 'Profile', str(20), 'file of the profile', ({ profile }) => profile),
  ];
  return { columns: profiles.length > 1 ? columns : columns.slice(0, -1), rows };
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

export interface StackOptions {
  /** Kinds of frames of each stack, outermost first. */
  readonly kinds: readonly FrameKind[];
  /** Adapts a frame's text to the output format; its result has no line ends. */
  readonly safe: (frame: string) => string;
  /** Whether profiles are kept separate. */
  readonly apart: boolean;
  /** Whether records of collective operations also count. */
  readonly collectives: boolean;
  /** Selects kernels; all when absent. */
  readonly where?: KernelFilter | undefined;
  readonly mostText?: number;
}

/** Turns records into device time by stack, in one pass. */
export class Stacks implements Analysis<readonly ProfileStacks[]> {
  readonly types: RecordTypes;
  readonly #annotator: Annotator;
  readonly #sums: StackSums;
  /** Number of kernels and collective operations in the stacks. */
  kernels = 0;
  /** Number of kernels without a duration, which are left out. */
  untimed = 0;

  constructor(private readonly options: StackOptions) {
    const kernels = ['profile', 'kernel', 'end'] as const;
    this.types = new Set<ProfileLine['type']>(options.collectives ? [...kernels, 'collective'] : kernels);
    this.#annotator = new Annotator(null, options.where !== undefined);
    this.#sums = new StackSums(options.apart, options.mostText);
  }

  take(record: ProfileLine): void {
    const kernel = record.type === 'collective' ? (this.options.collectives ? asKernel(record) : null) : asIs(record);
    if (kernel === null) return;
    for (const row of this.#annotator.take(kernel)) this.#add(row);
  }

  #add(row: Annotated): void {
    if (this.options.where?.(row) === false) return;
    const { profile, dur } = row.record;
    if (dur === null || !Number.isFinite(dur)) {
      this.untimed++;
      return;
    }
    this.kernels++;
    this.#sums.of(profile, row.profile).add(framesOf(row, this.options.kinds).map(this.options.safe), dur);
  }

  /** @throws UserError when no kernel has a duration */
  finish(): Answer<readonly ProfileStacks[]> {
    for (const row of this.#annotator.rest()) this.#add(row);
    const { kernels, untimed, profiles } = this;
    if (kernels === 0) throw withoutKernels(untimed);
    const { others } = this.#sums;
    return {
      table: this.#sums.table('total time of its kernels'),
      facts: profiles,
      notes: [
        ...countNotes([untimed, 'kernel', ' left out', 'no duration']),
        ...tooManyStacks(others, 'kernel', '--by layer,op makes fewer'),
      ],
    };
  }

  get profiles(): readonly ProfileStacks[] {
    return this.#sums.profiles;
  }
}

const asIs = (record: ProfileLine): ProfileLine | null =>
  record.type === 'profile' || record.type === 'kernel' ? record : null;

/** A collective operation as if it were one kernel, named by its kind because its own name contains a number. */
function asKernel({ kind, ...record }: CollectiveLine): KernelLine {
  return { ...record, type: 'kernel', id: 0, short: kind ?? record.name };
}
