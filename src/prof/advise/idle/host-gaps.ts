/**
 * Idle time of a device because the host launched work too late, by what delayed the host. Each gap counts once. A gap
 * before the first kernel of a step is due to the program's work between steps. A gap longer than any launch takes is
 * due to other work of the program. A gap right after a copy for which the host waited is due to that copy. All other
 * gaps are due to launches.
 */
import { entryOf, addTo } from '../../../containers/map-entry.js';
import type { ProfileLine, RangeRecord } from '../../../record/record.js';
import { LONGEST_LAUNCH, LONGEST_SWITCH, workOf, type StepActivity } from '../../steps/step-work.js';
import { calledCopies, TransferWaits } from '../../steps/transfers.js';
import { awaitedTransfer } from '../../../ops/families/hlo.js';
import { ByDevice, type Place, type Gap } from '../device-times.js';
import type { IdleCause } from './cause-names.js';
import { copyBefore, hostIn, IdleTimes, type Awaited, type HostWithin } from './idle-causes.js';
import { HostPlaces } from './host-places.js';
import type { LongestTime } from '../finding.js';
import { longerOf, Longest, Ranking, topOf } from '../kernel-tally.js';
import { operandsOf } from '../../../ops/neuron/instruction-work.js';
import { isNeuronInstruction, NEURON_ENGINES } from '../../../record/neuron/neuron-cores.js';

/** What is known about a gap. */
interface GapCause {
  readonly cause: IdleCause;
  /** The host call or range that fills most of the gap; null when none is known. Must be called before the next record. */
  readonly host: () => string | null;
}

export interface IdleGap extends GapCause {
  readonly gap: Gap;
  /** Time in ns at the start of the gap that has this cause; during the rest, work is missing from the profile. */
  readonly time: number;
}

/** Called for each gap, in order, before the work that ended it is taken. */
export type OnIdleGap = (idle: IdleGap) => void;

/** Name of PyTorch profiler ranges around fetching a batch. */
export const LOADER = /DataLoader/;
/** Name of Ascend profiler ranges for Python garbage collection. */
const COLLECTION = /^GC$/;
/** `Lazy Function Loading`, `Runtime Triggered Module Loading`, as CUPTI names them. */
const LOADS_CODE = /(?:Function|Module) Loading/i;
/** Unit: ns. Gaps shorter than this are only named after a call, because too many ranges are that short. */
const SHORTEST_NAMED = 20_000;
/** Number of ranges to keep, the latest ones: a gap overlaps only a few. */
const MOST_RANGES = 64;

/** Host ranges of one kind, by profile. */
class HostWork {
  readonly #latest = new Map<number, RangeRecord[]>();
  readonly #sums = new Map<number, { count: number; time: number }>();

  constructor(private readonly isOfSort: (record: RangeRecord) => boolean) {}

  take(record: RangeRecord): void {
    if (!this.isOfSort(record) || !Number.isFinite(record.dur)) return;
    const ranges = entryOf(this.#latest, record.profile, (): RangeRecord[] => []);
    ranges.push(record);
    if (ranges.length > MOST_RANGES) ranges.shift();
    const sum = entryOf(this.#sums, record.profile, () => ({ count: 0, time: 0 }));
    sum.count++;
    sum.time += record.dur;
  }

  /** Number and total time in ns of all ranges of a profile. */
  sumOf(profile: number): { readonly count: number; readonly time: number } {
    return this.#sums.get(profile) ?? { count: 0, time: 0 };
  }

  /** Time in ns of a gap that lies within the ranges. */
  within({ profile, start, end }: Gap): number {
    let [time, reached] = [0, start];
    // Sorted by start; time that several ranges cover counts once.
    for (const range of this.#latest.get(profile) ?? []) {
      const until = Math.min(end, range.start + range.dur);
      time += Math.max(0, until - Math.max(reached, range.start));
      reached = Math.max(reached, until);
    }
    return time;
  }
}

class Idle {
  count = 0;
  time = 0;
  longest = 0;
  /** The longest gap. */
  at: LongestTime | null = null;
  /** Part of the time that lies within ranges of loading data. */
  loading = 0;
  /** Part of the time that comes right after a copy for which the host waited. */
  afterCopies = 0;
  /** Part of the time that is before the launch of a graph. */
  beforeGraphs = 0;
  /** Part of the time in which the profiler or the driver delayed the host. */
  overhead = 0;

  add(more: Omit<Idle, 'add'>): void {
    this.count += more.count;
    this.time += more.time;
    this.longest = Math.max(this.longest, more.longest);
    this.at = longerOf(this.at, more.at);
    this.loading += more.loading;
    this.afterCopies += more.afterCopies;
    this.beforeGraphs += more.beforeGraphs;
    this.overhead += more.overhead;
  }
}

/**
 * Causes of gaps that a launch ended but did not cause: a single call is reported for itself, a launch that the profiler or
 * the driver holds up is not late, and before a transfer ends the program could not go on.
 */
const IN_TIME: ReadonlySet<IdleCause> = new Set(['call', 'overhead', 'transfer']);

/** Whether the work was launched as part of a graph. */
export const isOfGraph = (work: StepActivity): boolean =>
  work.type === 'graph' || work.graph !== undefined || work.launch?.api?.includes('GraphLaunch') === true;

const KINDS = ['launch', 'long', 'HtoD', 'DtoH'] as const;

const noIdle = () => ({ launch: new Idle(), long: new Idle(), HtoD: new Idle(), DtoH: new Idle() });

export class HostGapsOfDevice {
  readonly by = noIdle();
  readonly step = new Idle();
  /** Short gaps between kernels that were already queued, and their time by the kernel after them. */
  readonly switches = new Idle();
  readonly switchesBefore = new Ranking();
  /** Number of steps that began after such idle time, and number of all steps except the first. */
  idleSteps = 0;
  steps = 0;
  /** Idle time of the device while the host collected garbage, in ns. */
  collecting = 0;
  readonly idle = new IdleTimes();
  /** Kernels that ended a gap due to launches, those that ended one due to a single call, and first kernels of steps. */
  readonly late = new Longest();
  readonly held = new Longest();
  readonly firsts = new Longest();
  #pending = noIdle();
  #step: number | null = null;

  add(gap: Gap, within: HostWithin): IdleCause {
    const cause = this.idle.add(gap, within);
    this.collecting += within.collecting;
    if (gap.ended === 'host' && !IN_TIME.has(cause)) this.#addLate(gap, within);
    if (cause === 'queue') this.#addSwitch(gap);
    if (cause === 'call') addBefore(this.held, gap);
    return cause;
  }

  #addSwitch({ start, end, before, after }: Gap): void {
    const time = end - start;
    if (time > LONGEST_SWITCH || before.type !== 'kernel' || after.type !== 'kernel') return;
    const none = { loading: 0, afterCopies: 0, beforeGraphs: 0, overhead: 0 };
    this.switches.add({ count: 1, time, longest: time, at: { start, end }, ...none });
    this.switchesBefore.add(after.short, time);
  }

  #addLate(gap: Gap, { loading, overhead }: HostWithin): void {
    const time = gap.end - gap.start;
    const copied = copyBefore(gap);
    const kind = time > LONGEST_LAUNCH ? 'long' : (copied ?? 'launch');
    const at = { start: gap.start, end: gap.end };
    const afterCopies = copied === null ? 0 : time;
    const beforeGraphs = isOfGraph(gap.after) ? time : 0;
    this.#pending[kind].add({ count: 1, time, longest: time, at, loading, afterCopies, beforeGraphs, overhead });
    if (kind === 'launch') addBefore(this.late, gap);
  }

  /** Gaps belong to the step of the kernel after them. */
  kernel(record: { readonly profile: number; readonly id: number; readonly step?: number | null }): void {
    const step = typeof record.step === 'number' ? record.step : null;
    const isNext = step !== null && this.#step !== null && step !== this.#step;
    if (step !== null) this.#step = step;
    if (!isNext) this.settle();
    else {
      const before = this.step.time;
      for (const kind of KINDS) moved(this.#pending[kind], this.step);
      const time = this.step.time - before;
      this.steps++;
      if (time === 0) return;
      this.idleSteps++;
      this.firsts.add({ profile: record.profile, id: record.id, dur: time });
    }
  }

  /** The gaps since the last kernel are not between steps. */
  settle(): void {
    for (const kind of KINDS) moved(this.#pending[kind], this.by[kind]);
  }
}

/** Adds the kernel that ended a gap; the longest are those before which the device waited longest. */
function addBefore(kernels: Longest, { profile, start, end, after }: Gap): void {
  if (after.type === 'kernel') kernels.add({ profile, id: after.id, dur: end - start });
}

function moved(from: Idle, to: Idle): void {
  if (from.count === 0) return;
  to.add(from);
  Object.assign(from, new Idle());
}

function settled<Of extends { readonly of: HostGapsOfDevice }>(devices: readonly Of[]): readonly Of[] {
  for (const { of: hostGaps } of devices) hostGaps.settle();
  return devices;
}

/** A time in which an engine executes an instruction that only waits. */
interface EngineWait {
  readonly stream: number | null;
  readonly start: number;
  readonly end: number;
  readonly awaited: string;
}

/** Number of waits to keep for each core, the latest ones. */
const MOST_WAITS = 32;
/** Minimum average number of engines that wait during a gap for their waits to be its cause. */
const MOST_ENGINES = NEURON_ENGINES.length / 2;

/**
 * `Scalar (S[4])`, `DMA queue qSyncDynamicHW (S[24])`, `each other (barrier $S[2])`; null when the instruction waits for no
 * semaphore. At a barrier, each engine waits for its turn to change the same semaphore.
 */
function awaitedIn(operands: string): string | null {
  const all = operandsOf(operands);
  const wait = all.find(({ kind }) => kind === 'wait');
  if (wait === undefined) return null;
  const { name, owner } = wait;
  if (owner !== '') return `${owner.startsWith('q') ? 'DMA queue ' : ''}${owner} (${name})`;
  return all.some((other) => other.kind === 'update' && other.name === name)
    ? `each other (barrier ${name})`
    : `semaphore ${name}`;
}

/**
 * What the engines of a NeuronCore wait for while the whole core is idle, from the semaphores in their instructions. An
 * instruction names the semaphore that it waits for, and usually the engine or DMA queue that updates it.
 */
class EngineWaits {
  readonly #latest = new ByDevice((): EngineWait[] => []);

  take(record: ProfileLine): void {
    if (record.type !== 'kernel' || !isNeuronInstruction(record) || workOf(record) !== null || record.dur === null)
      return;
    const { start, dur, stream, operands = '' } = record;
    const awaited = awaitedIn(operands);
    if (awaited === null) return;
    const waits = this.#latest.of(record);
    waits.push({ stream, start, end: start + dur, awaited });
    if (waits.length > MOST_WAITS) waits.shift();
  }

  /**
   * What the work after the gap waited for, from its operands, or else from the last wait of its engine during the gap;
   * or else what most engines waited for. Null when the instructions do not show it.
   */
  within({ profile, device, start, end, after }: Gap): string | null {
    const isInstruction = after.type === 'kernel' && isNeuronInstruction(after);
    const itself = isInstruction ? awaitedIn(after.operands ?? '') : null;
    const waits = (this.#latest.get(profile, device) ?? []).filter((wait) => wait.start < end && wait.end > start);
    const before = isInstruction ? waits.findLast(({ stream }) => stream === after.stream) : undefined;
    if (itself !== null || before !== undefined) return itself ?? before?.awaited ?? null;
    const times = new Map<string, number>();
    for (const wait of waits) addTo(times, wait.awaited, Math.min(end, wait.end) - Math.max(start, wait.start));
    const all = [...times.values()].reduce((sum, time) => sum + time, 0);
    return all > MOST_ENGINES * (end - start) ? (topOf(times)?.[0] ?? null) : null;
  }
}

export class HostGaps {
  readonly #devices = new ByDevice(() => new HostGapsOfDevice());
  readonly #loading = new HostWork(({ text }) => LOADER.test(text));
  /** Garbage collections. */
  readonly collecting = new HostWork(({ text }) => COLLECTION.test(text));
  readonly #overhead = new HostWork(({ kind }) => kind === 'overhead');
  readonly #firstUse = new HostWork(({ kind, text }) => kind === 'overhead' && LOADS_CODE.test(text));
  readonly places = new HostPlaces(LONGEST_LAUNCH);
  readonly #engines = new EngineWaits();
  readonly #transfers = new ByDevice(() => new TransferWaits());
  /** For the names of shorter gaps; no cause depends on it. */
  readonly #shortPlaces = new HostPlaces(SHORTEST_NAMED);
  /** Profiles that lack the copies that the CPU issued. A copy may fill a gap, so the gap's end does not show a cause. */
  readonly #withoutCopies = new Set<number>();

  take(record: ProfileLine): void {
    if (record.type === 'profile' && calledCopies(record) > 0) this.#withoutCopies.add(record.profile);
    const work = workOf(record)?.record;
    if (work !== undefined) this.#devices.of(work).idle.work(work);
    else this.#takeWait(record);
    if (record.type === 'kernel') this.#devices.of(record).kernel(record);
    else if (record.type === 'range') {
      this.#loading.take(record);
      this.collecting.take(record);
      this.#overhead.take(record);
      this.#firstUse.take(record);
      this.places.take(record);
      this.#shortPlaces.take(record);
    }
  }

  #takeWait(record: ProfileLine): void {
    this.#engines.take(record);
    const awaited = awaitedTransfer(record);
    if (awaited === null) return;
    const { start, dur } = awaited.wait;
    if (dur !== null && Number.isFinite(start + dur))
      this.#transfers.of(awaited.wait).add(start, start + dur, awaited.name);
  }

  #awaited(gap: Gap): Awaited | null {
    const transfer = this.#transfers.get(gap.profile, gap.device)?.filling(gap.start, gap.end) ?? null;
    if (transfer !== null) return { cause: 'transfer', name: transfer };
    const name = this.#engines.within(gap);
    return name === null ? null : { cause: 'semaphore', name };
  }

  /** @returns what is known about its cause */
  gap(gap: Gap): GapCause {
    const time = gap.end - gap.start;
    const place = time > LONGEST_LAUNCH ? this.places.of(gap) : null;
    const awaited = this.#awaited(gap);
    const ended = this.#withoutCopies.has(gap.profile) ? null : gap.ended;
    const cause = this.#devices.of(gap).add(
      { ...gap, ended },
      {
        loading: this.#loading.within(gap),
        collecting: this.collecting.within(gap),
        overhead: this.#overhead.within(gap),
        firstUse: this.#firstUse.within(gap),
        ...{ place, awaited },
      },
    );
    return {
      cause,
      host: () => awaited?.name ?? hostIn(gap, place ?? (time > SHORTEST_NAMED ? this.#shortPlaces.of(gap) : null)),
    };
  }

  /** @param time in ns at the start of a gap, before the host launched work that the profile lacks */
  beforeMissing(gap: Gap, time: number): GapCause {
    return { cause: this.#devices.of(gap).idle.addLate(time), host: () => null };
  }

  get all(): readonly (Place & { readonly of: HostGapsOfDevice })[] {
    return settled(this.#devices.all);
  }

  ofProfile(profile: number): readonly (Place & { readonly of: HostGapsOfDevice })[] {
    return settled(this.#devices.ofProfile(profile));
  }
}
