/**
 * Turns records into device time by step: for each device of each profile, one row per step, one for work outside of steps,
 * and one for everything. One pass over records in order of start time.
 */
import { entryOf } from '../../containers/map-entry.js';
import { UserError } from '../../record/errors.js';
import type { KernelLine, ProfileLine, ProfileRecord } from '../../record/record.js';
import { type RecordTypes, HOST_HINT, mayHaveWork, withoutTimes, type Analysis, type Answer } from '../analysis.js';
import { counted } from '../../record/plural.js';
import { countNotes, type CountNote } from '../limits.js';
import { stepTime } from './serving/served-times.js';
import { WithoutDevice } from '../input/device-activity.js';
import { namesWithoutWork } from '../ranks/membership.js';
import { stepMarks } from '../work/capture-options.js';
import { columnsOf, type StepRow } from './step-columns.js';
import { HostSteps, MOST_STEPS, stepOf } from './host-steps.js';
import { missingWorkOf, type MissingWork } from './missing-work.js';
import { DeviceIdle, StepSums } from './step-sums.js';
import { UnrecordedCopies } from './transfers.js';
import { workOf, type StepActivity, type StepWorkKind } from './step-work.js';

/** Counts over all profiles. */
interface StepCounts {
  /** Number of compute or communication activities with a time. */
  activities: number;
  /** Number of activities without a time, which are left out. */
  untimed: number;
  /** Number of activities of partial answers that came out of order. */
  late: number;
  /** Number of graph launches that were traced as a whole. */
  graphs: number;
}

const stepCounts = (): StepCounts => ({ activities: 0, untimed: 0, late: 0, graphs: 0 });

type PlainRow = Omit<StepRow, 'profile' | 'header'>;

export type StepsPart =
  | { readonly rows: readonly PlainRow[]; readonly counts: Readonly<StepCounts> }
  /** Message for too many steps. */
  | { readonly tooMany: string };

/** The row without its profile, with a field order that does not depend on the kind of row. */
function plainRow({ sums, times, kernelTimes, ...row }: StepRow): PlainRow {
  const { device, step, served, iteration, hasCopies, preparing, isLost } = row;
  return {
    ...{ device, step, iteration, preparing, hasCopies, served },
    sums: { kernels: sums.kernels, collectives: sums.collectives },
    times,
    kernelTimes: { all: kernelTimes.all, own: kernelTimes.own },
    ...(isLost === undefined ? undefined : { isLost }),
  };
}

export const STEP_TYPES: RecordTypes = new Set([
  ...(['profile', 'kernel', 'collective', 'graph', 'copy', 'set'] as const),
  ...(['sample', 'part-steps', 'end'] as const),
]);

export interface ProfileSteps {
  readonly profile: number;
  /** Null for records without a profile line. */
  readonly header: ProfileRecord | null;
  readonly rows: readonly StepRow[];
}

export class DeviceSteps {
  readonly all: StepSums;
  readonly rest: StepSums;
  readonly steps = new Map<number, StepSums>();
  /** Times in which launched work is missing. */
  readonly missing: MissingWork[] = [];
  /** Steps with work that has no duration; null for work outside of steps. */
  readonly untimed = new Set<number | null>();

  /** @param idle idle time of the device, which all regions share */
  constructor(readonly idle = new DeviceIdle()) {
    this.all = new StepSums(idle);
    this.rest = new StepSums(idle);
  }
}

class StepProfile {
  header: ProfileRecord | null = null;
  readonly host = new HostSteps();
  readonly devices = new Map<number, DeviceSteps>();
  readonly copies = new UnrecordedCopies();
  /** Steps from a partial answer, which has nothing else. */
  part: StepsPart | null = null;
}

export class Steps implements Analysis<readonly ProfileSteps[]> {
  readonly types = STEP_TYPES;
  readonly #profiles = new Map<number, StepProfile>();
  #rows = 0;
  readonly counts: StepCounts = stepCounts();

  /** @throws UserError when there are more steps than can be kept */
  take(record: ProfileLine): void {
    if (record.type === 'end') return;
    const profile = entryOf(this.#profiles, record.profile, () => new StepProfile());
    if (record.type === 'profile') profile.header = record;
    if (record.type === 'part-steps') this.#addPart(profile, record.data as StepsPart);
    profile.copies.take(record);
    const found = workOf(record);
    if (found !== null) this.#add(profile, found.work, found.record);
    const missing = found === null ? missingWorkOf(record) : null;
    if (missing !== null) entryOf(profile.devices, missing.device, () => new DeviceSteps()).missing.push(missing);
    const step = found === null ? stepOf(record) : null;
    if (step === null) return;
    this.#keep();
    profile.host.add(step);
  }

  /** Number of activities out of order; unions are then too short. */
  get late(): number {
    let { late } = this.counts;
    for (const { devices } of this.#profiles.values()) for (const { all } of devices.values()) late += all.late;
    return late;
  }

  get profiles(): ProfileSteps[] {
    return [...this.#profiles].map(([profile, collected]) => ({
      profile,
      header: collected.header,
      rows: rowsOfProfile({ profile, header: collected.header }, collected),
    }));
  }

  /** Data of one profile for a partial answer. */
  get part(): StepsPart {
    const rows = this.profiles.flatMap((profile) => profile.rows.map(plainRow));
    return { rows, counts: { ...this.counts, late: this.late } };
  }

  /** @throws UserError when no work has a time */
  finish(): Answer<readonly ProfileSteps[]> {
    const { untimed, activities, graphs } = this.counts;
    if (untimed > 0 && activities === 0) throw withoutTimes();
    const all = this.profiles;
    const profiles = all.filter(({ rows }) => rows.length > 0);
    const idle = all.flatMap(({ header, rows }) =>
      rows.length === 0 && header !== null && mayHaveWork(header.format) ? header : [],
    );
    if (activities === 0 && !profiles.some(({ rows }) => rows.some(({ device }) => device === null)))
      throw new WithoutDevice('no kernels, collectives or CPU steps', { hint: HOST_HINT });
    return {
      table: tableOf(profiles.flatMap(({ rows }) => rows)),
      facts: profiles,
      notes: countNotes(
        [idle.length, 'profile', ' without an answer', `neither device work nor steps in ${namesWithoutWork(idle)}`],
        [untimed, 'record', ' left out, so free and idle of the steps concerned are unknown', 'no time'],
        [this.late, 'record', ' whose time is undercounted', 'not in order of start time'],
        [graphs, 'graph launch', ' counted as computing', 'traced as a whole'],
        [devicesWithoutCopies(profiles), 'device', ...WITHOUT_COPIES],
        [idleServerSteps(profiles), 'step', ' with few tokens per second because the device is mostly idle', `busy for less than ${100 * LEAST_WORK} % of the step`, { wayOut: 'dprof advise says what it waits for' }], // prettier-ignore
        ...withoutSteps(profiles),
      ),
    };
  }

  #add(profile: StepProfile, work: StepWorkKind, record: StepActivity): void {
    const { start, dur, device } = record;
    if (dur === null || Number.isNaN(start + dur) || Number.isNaN(device)) {
      this.counts.untimed++;
      if (!Number.isNaN(device))
        entryOf(profile.devices, device, () => new DeviceSteps()).untimed.add(record.step ?? null);
      return;
    }
    if (work !== 'copy') this.counts.activities++;
    if (record.type === 'graph') this.counts.graphs++;
    const sums = entryOf(profile.devices, device, () => new DeviceSteps());
    const row = this.#rowOf(profile, sums, work, record);
    const isOwn = (kernel: KernelLine): boolean | null => profile.host.isOwn(kernel.step ?? NaN, kernel);
    row?.add(work, record, start, start + dur, isOwn);
    sums.all.add(work, record, start, start + dur, () => null);
  }

  /** @throws UserError when there were too many steps when the part was made */
  #addPart(profile: StepProfile, part: StepsPart): void {
    if ('tooMany' in part) throw new UserError(part.tooMany, { where: profile.header?.file ?? 'na' });
    profile.part = part;
    for (const [name, count] of Object.entries(part.counts)) this.counts[name as keyof StepCounts] += count;
  }

  /** Copies have a step only if the host's steps are known. */
  #rowOf({ host }: StepProfile, sums: DeviceSteps, work: StepWorkKind, record: StepActivity): StepSums | null {
    if (work === 'copy' && host.size === 0) return null;
    const step = record.step ?? null;
    if (step === null) return sums.rest;
    return entryOf(sums.steps, step, () => {
      this.#keep();
      return new StepSums(sums.idle);
    });
  }

  #keep(): void {
    if (++this.#rows <= MOST_STEPS) return;
    throw new UserError(`more than ${MOST_STEPS} steps, counted on each device`, {
      hint: 'pass fewer records',
    });
  }
}

/** What a note says about devices whose copies were not recorded: the effect, and why. */
export const WITHOUT_COPIES = [' whose busy and idle are unknown', 'copies are not in the profile'] as const;

const devicesWithoutCopies = (profiles: readonly ProfileSteps[]): number =>
  profiles.flatMap(({ rows }) => rows.filter(({ step, hasCopies }) => step === 'all' && !hasCopies)).length;

/** Share of a server's step that the device must work for the rate of tokens to describe the device. */
const LEAST_WORK = 0.1;

/** Steps of a server that mostly wait, such as a first one that waits for work from before the profile. */
const idleServerSteps = (profiles: readonly ProfileSteps[]): number =>
  profiles.reduce((sum, { rows }) => {
    const idle = rows.filter(({ served, iteration, hasCopies, times }) => {
      const time = stepTime(iteration, times.busy);
      const isKnown = hasCopies && times.idle !== null && time !== null && (served?.step?.tokens ?? null) !== null;
      return isKnown && times.busy < LEAST_WORK * time;
    });
    return sum + new Set(idle.map(({ step }) => step)).size;
  }, 0);

/** Profiles without a known step although their profiler can mark steps, by the way in which it marks them. */
function withoutSteps(profiles: readonly ProfileSteps[]): CountNote[] {
  const counts = new Map<string, number>();
  for (const { header, rows } of profiles) {
    const marks = rows.some(({ step }) => step !== 'all') ? null : stepMarks(header);
    if (marks !== null) counts.set(marks, (counts.get(marks) ?? 0) + 1);
  }
  return [...counts].map(([marks, count]) => [count, 'profile', ' without steps', 'no steps are marked', { wayOut: marks, line: `${counted(count, 'profile')} without steps: ${marks} (docs/guide/record.md)` }]); // prettier-ignore
}

/** Figures of work of several steps, or outside of steps. */
function figuresOfMany(sums: StepSums, isMissing: boolean): ReturnType<typeof figuresOf> {
  const { served, ...figures } = figuresOf(sums, isMissing);
  return { ...figures, served: served === null ? null : { ...served, step: null } };
}

const tableOf = (rows: readonly StepRow[]) => ({ columns: columnsOf(rows), rows });

/** Time without work is unknown when work, or its duration, is missing. */
const figuresOf = (sums: StepSums, isMissing = false): Pick<StepRow, 'sums' | 'times' | 'kernelTimes' | 'served'> => ({
  sums,
  times: isMissing ? { ...sums.times, free: null, idle: null } : sums.times,
  kernelTimes: sums.kernelTimes,
  served: sums.served,
});

/** @param isRecorded whether the profile has the copies that the device started */
export function rowsOf(
  place: Pick<StepRow, 'profile' | 'header' | 'device'>,
  { all, rest, steps, missing: times, untimed }: Omit<DeviceSteps, 'idle'>,
  host: HostSteps,
  isRecorded: boolean,
): StepRow[] {
  const hasCopies = isRecorded && host.haveEnds;
  const common = { ...place, preparing: null, iteration: null };
  const missing = new Set([...untimed, ...times.flatMap(({ start, end }) => host.within(start, end))]);
  const lost = [...missing].filter((step) => step !== null && !steps.has(step)) as number[];
  const rows: StepRow[] = [...steps, ...lost.map((step) => [step, new StepSums()] as const)]
    .sort(([a], [b]) => a - b)
    .map(([step, sums]) => {
      const start = host.startOf(step);
      const preparing = start === null || sums.first === null ? null : sums.first - start;
      return {
        ...common,
        ...figuresOf(sums, missing.has(step)),
        step,
        ...(steps.has(step) ? undefined : { isLost: true as const }),
        hasCopies,
        preparing,
        iteration: host.lengthOf(step),
      };
    });
  if (steps.size > 0 && rest.first !== null)
    rows.push({ ...common, ...figuresOfMany(rest, missing.has(null)), step: '-', hasCopies });
  return [...rows, { ...common, ...figuresOfMany(all, missing.size > 0), step: 'all', hasCopies: isRecorded }];
}

function rowsOfProfile(
  place: Pick<StepRow, 'profile' | 'header'>,
  { host, devices, copies, part }: StepProfile,
): StepRow[] {
  if (part !== null) return 'rows' in part ? part.rows.map((row) => ({ ...place, ...row })) : [];
  if (devices.size === 0) return hostRows(place, host);
  return [...devices]
    .sort(([a], [b]) => a - b)
    .flatMap(([device, sums]) => rowsOf({ ...place, device }, sums, host, !copies.has(device)));
}

/** The host's steps, for a profile without device work. */
function hostRows(place: Pick<StepRow, 'profile' | 'header'>, host: HostSteps): StepRow[] {
  const nothing = figuresOf(new StepSums());
  return host.numbers.map((step) => ({
    ...{ ...place, ...nothing, device: null, step, hasCopies: false, preparing: null },
    iteration: host.lengthOf(step),
  }));
}
