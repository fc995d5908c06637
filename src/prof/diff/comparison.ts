/** Compares the records of two inputs row by row. One pass over each; only sums by row and sample are kept. */
import { UserError } from '../../record/errors.js';
import { elementAt } from '../../containers/element.js';
import { entryOf } from '../../containers/map-entry.js';
import { textOf, type CellValue } from '../../table/column.js';
import type { KernelColumn, Annotated } from '../annotate.js';
import type { ProfileLine, ProfileRecord } from '../../record/record.js';
import { durationOf } from '../../record/fields/times.js';
import type { RecordTypes } from '../analysis.js';
import { OTHER_KERNELS } from '../partial/kernels/kernel-part.js';
import { PartGroups } from '../partial/kernels/part-groups.js';
import { expressionOf, joinedConditions } from '../query/conditions.js';
import { Annotator } from '../report/report.js';
import type { Peaks } from '../roofline/peaks.js';
import { commonOf, withoutCommon, type Common } from './common.js';
import { type Condition, judge, type Judged } from './fail-if.js';
import { falseDiscovery } from './mann-whitney.js';
import { InputFacts, type Pair, type Which, type Times } from './input-facts.js';
import { byChange, changeOfCalls, rowOf, type DiffRow, type Key, type Measured, type Amount } from './diff-row.js';
import { Samples, Sums, type Basis } from './input-sums.js';
import { aligned } from './tree/alignment.js';
import { changeTree, type ChangeNode, type TreeSettings } from './tree/change-tree.js';
import { TreeSums } from './tree/tree-sums.js';
import { percentOf, testSteps, type Settings } from './verdict.js';

/** Record types; partial answers are computed for their own device only. */
export const diffTypes = (device: Peaks | null | undefined): RecordTypes =>
  new Set(['profile', 'kernel', 'end', ...((device ?? null) === null ? (['part-kernels'] as const) : [])] as const);

/** Maximum number of rows of both inputs together, and of characters of their keys. */
export const MOST_ROWS = 50_000;
const MOST_TEXT = 16 * 1024 * 1024;
/** Key of the row that sums all rows beyond the limit. */
export const OTHERS = '[other rows]';

/** Default columns that identify a row. */
export const DEFAULT_BY = ['op', 'layer'] as const;

export interface DiffResult {
  readonly basis: Basis;
  readonly total: DiffRow;
  /**
   * The shift that all rows of a step have in common, removed before their tests; null with too few rows, or when it
   * was not requested.
   */
  readonly common: Common | null;
  /** Sorted by absolute change of time, largest first. */
  readonly rows: readonly DiffRow[];
  readonly conditions: readonly Judged[];
  readonly tested: number;
}

// Computes from the sums of both inputs the figures of a row of the comparison, and the times on which it is tested. Pure.

/** Minimum share of a row's time within steps for its steps to represent it. */
const LEAST_IN_STEPS = 0.5;

/** Maximum share of a row's kernels without a duration for its time to be meaningful. */
const MOST_UNTIMED = 0.01;

/**
 * Runs whose numbers of kernels differ by more than this share may not be the same work, because a capture may end at any
 * point.
 */
const UNEQUAL_RUNS = 0.01;

interface Both extends Pair<Sums> {
  readonly keys: readonly Key[];
  /** Values of the columns of `--by`; null for a row that stands for kernels with different values. */
  readonly values: readonly CellValue[] | null;
}

/** Chooses the unit: steps if both inputs have some, otherwise runs, or calls if the runs differ in length. */
function basisOf(total: Pair<Sums>, samples: Pair<Samples>): Basis {
  if (samples.base.steps > 0 && samples.new.steps > 0) return 'step';
  const base = total.base.count / Math.max(1, samples.base.runs);
  const next = total.new.count / Math.max(1, samples.new.runs);
  return Math.abs(next - base) > UNEQUAL_RUNS * Math.max(base, next) ? 'call' : 'run';
}

function measuring(
  total: Pair<Sums>,
  samples: Pair<Samples>,
  basis: Basis,
): (row: Both, where: string | null) => Measured {
  const units = basis === 'step' ? 'steps' : 'runs';
  const tested = { base: samples.base.tested(basis), new: samples.new.tested(basis) };
  const runs = { base: samples.base[units], new: samples.new[units] };
  const isUntimed = ({ count, untimed }: Sums): boolean => untimed > MOST_UNTIMED * (count + untimed);
  const isCovered = (sums: Sums): boolean =>
    sums.count > 0 && !isUntimed(sums) && (basis !== 'step' || sums.timeInSteps >= LEAST_IN_STEPS * sums.time);
  const amount = (which: Which, sums: Sums): Amount => {
    const { count, time } = sums;
    const all = total[which].time;
    const mean = Math.max(1, runs[which]);
    return {
      count,
      time,
      share: all > 0 ? (100 * time) / all : null,
      each: time / mean,
      calls: count / mean,
      perCall: count > 0 ? time / count : null,
      samples: tested[which].length,
      isUntimed: isUntimed(sums),
    };
  };
  const timesOf = (which: Which, sums: Sums): Float64Array =>
    basis === 'call' ? sums.timesOfCalls(tested[which], samples[which]) : sums.timesOf(tested[which]);
  return (row, where) => ({
    ...{ keys: row.keys, where },
    base: amount('base', row.base),
    new: amount('new', row.new),
    times:
      isCovered(row.base) && isCovered(row.new)
        ? { base: timesOf('base', row.base), new: timesOf('new', row.new) }
        : null,
  });
}

/** Time of BASE's calls in each run of either input, from the rows that every run has. Null without such rows. */
function timesOfSameCalls(rows: readonly Measured[]): Times | null {
  const complete = rows.filter(
    ({ times, base, new: next }) => times?.base.length === base.samples && times.new.length === next.samples,
  );
  const [first] = complete;
  if (first === undefined) return null;
  const sums = (which: Which): Float64Array =>
    Float64Array.from({ length: first[which].samples }, (_, run) =>
      complete.reduce(
        (sum, { times, base }) => sum + (times === null ? 0 : elementAt(times[which], run) * base.calls),
        0,
      ),
    );
  return { base: sums('base'), new: sums('new') };
}

const both = (keys: readonly Key[] = [], values: Both['values'] = null): Both => ({
  ...{ keys, values },
  ...{ base: new Sums(), new: new Sums() },
});

class Side {
  readonly facts = new InputFacts();
  readonly headers = new Map<number, ProfileRecord>();
  /** Number of kernels in partial answers that are in one group because there were too many groups. */
  ungrouped = 0;
  readonly annotator: Annotator;
  readonly tree = new TreeSums();

  constructor(
    readonly samples: Samples,
    derived: boolean,
    device: Peaks | null,
  ) {
    this.annotator = new Annotator(device, derived);
  }
}

export interface ComparisonOptions {
  readonly by: readonly KernelColumn[];
  /** Whether the kernels are also compared as a tree of layers and ops. */
  readonly isTree?: boolean;
  readonly conditions: readonly Condition[];
  readonly settings: Settings;
  /** Peak rates for every device of both inputs; null for the devices' own. */
  readonly device?: Peaks | null;
  /** Selects the kernels to compare, or a part of them; all when absent. Null for a kernel that is left out. */
  readonly select?: ((which: Which, row: Annotated) => Annotated | null) | undefined;
  /** The selection as an expression for `--where`; undefined for none. */
  readonly where?: string | undefined;
  readonly mostRows?: number;
  readonly mostSums?: number;
}

export class Comparison {
  readonly sides: Pair<Side>;
  readonly total = both();
  /** Number of kernels in the rest row. */
  others = 0;
  readonly #rows = new Map<string, Both>();
  readonly #watched: readonly Both[];
  #text = 0;

  constructor(private readonly options: ComparisonOptions) {
    const { by, conditions, mostSums, isTree = false } = options;
    const derived =
      isTree || options.select !== undefined || [...by, ...conditions].some((item) => item.derived === true);
    const side = (): Side => new Side(new Samples(mostSums), derived, options.device ?? null);
    this.sides = { base: side(), new: side() };
    this.#watched = conditions.map(() => both());
  }

  take(which: Which, record: ProfileLine): void {
    const side = this.sides[which];
    if (record.type === 'profile') {
      side.facts.take(record);
      side.samples.open(record.profile, record.rank);
      side.headers.set(record.profile, record);
    }
    if (record.type === 'end') side.facts.collectives += record.counts['collective'] ?? 0;
    const header = side.headers.get(record.profile);
    if (record.type === 'part-kernels' && this.options.select !== undefined)
      throw new UserError('contains only sums of whole profiles', {
        hint: '--where needs a profile or records',
      });
    if (record.type === 'part-kernels' && header !== undefined) this.#addPart(which, new PartGroups(record, header));
    for (const row of side.annotator.take(record)) this.#add(which, row);
  }

  /** Processes kernels that still wait for later records, at the end of an input. */
  end(which: Which): void {
    for (const row of this.sides[which].annotator.rest()) this.#add(which, row);
  }

  #add(which: Which, all: Annotated): void {
    const { select } = this.options;
    const row = select === undefined ? all : select(which, all);
    if (row === null) return;
    const { samples } = this.sides[which];
    const { profile, step } = row.record;
    const dur = durationOf(row.record);
    const sums = [
      this.total[which],
      this.#rowOf(
        this.options.by.map((column) => column.value(row)),
        1,
      )[which],
      ...this.#watchedBy(which, (subject) => subject.matches(subject.column.value(row))),
    ];
    if (dur === null || dur < 0) {
      for (const sum of sums) sum.untimed++;
      return;
    }
    const sample = samples.at(profile, step ?? null);
    for (const sum of sums) sum.add(dur, sample, samples);
    if (this.options.isTree === true)
      this.sides[which].tree.add(row, dur, { number: sample, isStep: samples.isStep(sample) });
  }

  /** Sums for the conditions that apply to these kernels. */
  #watchedBy(which: Which, matches: (subject: Subject, condition: number) => boolean): Sums[] {
    return this.options.conditions.flatMap(({ subject }, i) =>
      subject !== null && matches(subject, i) ? [elementAt(this.#watched, i)[which]] : [],
    );
  }

  /**
   * Adds the groups of a partial answer.
   * @throws UserError when these lack a column
   */
  #addPart(which: Which, groups: PartGroups): void {
    const side = this.sides[which];
    const { samples } = side;
    const { steps, summedSteps, others } = groups.part;
    side.ungrouped += others;
    if (this.options.isTree === true) side.tree.addPart(groups);
    const numbers = steps.map((step) => samples.at(groups.profile, step));
    if (summedSteps < steps.length) samples.cutAt(elementAt(numbers, summedSteps));
    const { by, conditions } = this.options;
    const getters = by.map((column) => groups.getter(column));
    const subjects = conditions.map(({ subject }) => (subject === null ? null : groups.getter(subject.column)));
    for (const group of groups.groups) {
      const untimed = (group.odd?.untimed ?? 0) + (group.odd?.negative ?? []).length;
      const times = [...groups.stepTimes(group)];
      const kernels = times.reduce((sum, time) => sum + time.kernels, 0);
      const sums = [
        this.total[which],
        this.#rowOf(
          getters.map((valueOf) => valueOf(group)),
          kernels + untimed,
        )[which],
        ...this.#watchedBy(which, (subject, i) => subject.matches(subjects[i]?.(group) ?? null)),
      ];
      for (const sum of sums) sum.untimed += untimed;
      for (const { place, kernels: count, time } of times) {
        for (const sum of sums) sum.add(time, elementAt(numbers, place), samples, count);
      }
    }
  }

  /** @param kernels number of kernels that are added to the row */
  #rowOf(values: readonly CellValue[], kernels: number): Both {
    const keys = this.options.by.map((column, i): Key => {
      const value = values[i] ?? null;
      return value === null ? null : textOf(column, value);
    });
    const name = keys.map((key) => key ?? '\u0001').join('\u0000');
    const known = this.#rows.get(name);
    if (known !== undefined) return known;
    const { mostRows = MOST_ROWS, by } = this.options;
    if (this.#rows.size >= mostRows || this.#text + name.length > MOST_TEXT) {
      this.others += kernels;
      return entryOf(this.#rows, OTHERS, () => both(by.map(() => OTHERS)));
    }
    this.#text += name.length;
    const isRest = keys.every((key) => key === OTHER_KERNELS);
    return entryOf(this.#rows, name, () => both(keys, isRest ? null : values));
  }

  get settings(): Settings {
    return this.options.settings;
  }

  /** Number of collectives of both inputs that are not kernels and so not compared; 0 when kernels are selected. */
  get collectives(): number {
    const { base, new: next } = this.sides;
    return this.options.select === undefined ? base.facts.collectives + next.facts.collectives : 0;
  }

  /** Columns that identify a row. */
  get by(): readonly KernelColumn[] {
    return this.options.by;
  }

  /** The tree of layers and ops, if it was requested; call when both inputs were taken. */
  get tree(): { readonly top: ChangeNode; readonly settings: TreeSettings } | null {
    if (this.options.isTree !== true) return null;
    const { base, new: next } = this.sides;
    const isOfSteps = base.samples.steps > 0 && next.samples.steps > 0;
    const count = ({ samples }: Side): number => Math.max(1, isOfSteps ? samples.steps : samples.runs);
    const settings = { steps: { base: count(base), new: count(next) }, minEffect: this.settings.minEffect };
    return { top: changeTree(aligned({ base: base.tree.places, new: next.tree.places }), settings), settings };
  }

  /** The comparison; call when both inputs were taken. */
  get result(): DiffResult {
    const { settings } = this.options;
    const samples = { base: this.sides.base.samples, new: this.sides.new.samples };
    const basis = basisOf(this.total, samples);
    const measure = measuring(this.total, samples, basis);
    const { by, where } = this.options;
    const measured = [...this.#rows.values()]
      .filter(hasTimes)
      .map((row) => measure(row, row.values === null ? null : expressionOf(by, row.values, where)));
    const testable = measured.flatMap(({ times }) => (times === null ? [] : [times]));
    const common = settings.asIs ? null : commonOf(testable, settings);
    const tests = measured.map(({ times }) =>
      times === null ? null : testSteps(common === null ? times : withoutCommon(times, common), settings),
    );
    const qs = falseDiscovery(tests.map((test) => test?.pBeyond ?? null));
    const tested = qs.filter((q) => q !== null).length;
    const judging = { rate: settings.rate, basis, tested };
    const rows = measured.map((entry, i) => rowOf(entry, tests[i] ?? null, qs[i] ?? null, judging)).sort(byChange);
    const all = measure(this.total, where ?? null);
    const total =
      basis === 'call'
        ? ofSameCalls(single({ ...all, times: timesOfSameCalls(measured) }, settings, basis), rows)
        : single(all, settings, basis);
    const conditions = this.options.conditions.map((condition, i) => {
      const watched = this.#watched[i] ?? both();
      const { subject } = condition;
      if (subject === null) return judge(condition, total, rows);
      const selects = subject.where === null ? null : joinedConditions([subject.where], where);
      return judge(condition, single(measure(watched, selects), settings, basis), rows);
    });
    return { basis, total, common, rows, conditions, tested };
  }
}

type Subject = NonNullable<Condition['subject']>;

/** Kernels that have no duration in either input cannot be compared. */
const hasTimes = (row: Both): boolean => row.base.count + row.new.count > 0;

/** The result for a single row. It has no change in common with others, and needs no adjustment for multiple tests. */
function single(measured: Measured, settings: Settings, basis: Basis): DiffRow {
  const test = measured.times === null ? null : testSteps(measured.times, settings);
  return rowOf(measured, test, test?.pBeyond ?? null, { rate: settings.rate, basis, tested: 1 });
}

/** The totals of unequal runs, with the change for the calls of BASE, from the rows that both have. */
function ofSameCalls(total: DiffRow, rows: readonly DiffRow[]): DiffRow {
  const changes = rows.flatMap((row) => {
    const change = changeOfCalls(row);
    return change === null ? [] : [{ ns: change.ns, base: row.base.each }];
  });
  const ns = changes.reduce((sum, change) => sum + change.ns, 0);
  const base = changes.reduce((sum, change) => sum + change.base, 0);
  const percent = percentOf(base, base + ns);
  return { ...total, callPercent: percent, comparable: { ns, percent } };
}
