/** Turns records into the parts of their ranks, in one pass: one part for each device of a profile that worked. */
import { entryOf, boundedEntryOf, LruCache } from '../../../containers/map-entry.js';
import type { EndRecord, KernelLine, ProfileLine, ProfileRecord } from '../../../record/record.js';
import { mayHaveWork, type Item, type RecordTypes } from '../../analysis.js';
import { Annotated } from '../../annotate.js';
import { missingReason } from '../../input/device-activity.js';
import { HostSteps, stepOf } from '../../steps/host-steps.js';
import { missingWorkOf, type MissingWork } from '../../steps/missing-work.js';
import { UnrecordedCopies } from '../../steps/transfers.js';
import { communicates, workOf, type StepActivity, type StepWorkKind } from '../../steps/step-work.js';
import {
  MESSAGES,
  OperationRows,
  WORK_KEYS,
  type ProfileWithoutWork,
  type RankPart,
  type WorkKey,
  type WorkTable,
  type StepColumns,
} from './rank-part.js';
import { statedDevice } from '../../../record/fields/stated-device.js';
import { elementAt } from '../../../containers/element.js';
import { mixedNumber } from '../../../containers/hash-index.js';
import { PicosecondUnion, PS_PER_NS } from '../../../containers/interval-union.js';
import { DeviceIdle, StepSums } from '../../steps/step-sums.js';
import { Reach } from '../../steps/work-unions.js';

/** Two hashes with different seeds, so that they are independent. */
const SEEDS = [0, 0x5bd1e995] as const;
const HEX = 16;
const DIGITS = 8;

class WorkContent {
  #first: number = SEEDS[0];
  #second: number = SEEDS[1];

  readonly #names = new LruCache<string, number>(4096);

  add(record: StepActivity): void {
    const { start, dur, stream, pid = null, corr = null } = record;
    const name = this.#names.of(nameOf(record), hashOf);
    for (const value of [start, dur ?? -1, stream ?? -1, pid ?? -1, corr ?? -1, name]) {
      this.#first = mixedNumber(this.#first, value);
      this.#second = mixedNumber(this.#second, value);
    }
  }

  get text(): string {
    return [this.#first, this.#second].map((half) => (half >>> 0).toString(HEX).padStart(DIGITS, '0')).join('');
  }
}

const nameOf = (record: StepActivity): string => ('name' in record ? record.name : record.type);

const hashOf = (text: string): number => {
  let hash = text.length;
  for (let at = 0; at < text.length; at++) hash = mixedNumber(hash, text.charCodeAt(at));
  return hash;
};

/** Maximum number of names to keep during the pass. */
const MOST_NAMES = 20_000;
/** Maximum number of cells of a table: it lists the names with most time, and fewer of them when there are many steps. */
const MOST_CELLS = 50_000;
const FEWEST_NAMES = 50;
const LISTED_NAMES = 1000;

const listed = (steps: number): number =>
  Math.max(FEWEST_NAMES, Math.min(LISTED_NAMES, Math.floor(MOST_CELLS / Math.max(1, steps))));

interface Row {
  total: number;
  readonly times: number[];
}

class WorkByStep {
  readonly #rows = new Map<string, Row>();
  /** Number of kernels whose names exceed the limit. */
  leftOut = 0;

  /** @param step index of the step */
  add(name: string, step: number, time: number): void {
    const row = boundedEntryOf(this.#rows, name, MOST_NAMES, () => ({ total: 0, times: [] }));
    if (row === null) {
      this.leftOut++;
      return;
    }
    row.total += time;
    while (row.times.length <= step) row.times.push(0);
    row.times[step] = elementAt(row.times, step) + time;
  }

  /** @param order indices of the table's steps, in its order */
  table(order: readonly number[]): WorkTable {
    const rows = [...this.#rows]
      .sort(([a, { total: timeA }], [b, { total: timeB }]) => timeB - timeA || (a < b ? -1 : 1))
      .slice(0, listed(order.length));
    return {
      names: rows.map(([name]) => name),
      times: rows.map(([, { times }]) => order.map((step) => times[step] ?? 0)),
    };
  }

  /** Number of names that a table with that many steps leaves out, and number of kernels beyond the limit of names. */
  beyond(steps: number): number {
    return Math.max(0, this.#rows.size - listed(steps)) + this.leftOut;
  }
}

export const RANK_TYPES: RecordTypes = new Set([
  ...(['profile', 'kernel', 'collective', 'graph', 'copy', 'set'] as const),
  ...(['sample', 'end'] as const),
]);

/** Separates the parts of a layer's path. */
const PATH_SEPARATOR = ':';

/** Property by which kernels are compared; null if unknown. */
const NAMES: Readonly<Record<WorkKey, (row: Annotated) => string | null>> = {
  layer: ({ layer }) => (layer.length === 0 ? null : layer.join(PATH_SEPARATOR)),
  op: ({ op }) => op,
  kernel: ({ record }) => record.short,
};

/** Maximum number of steps of a device to keep. */
const MOST_STEPS = 1000;

/** Work outside of steps is used only when there are no steps. */
type StepKey = number | null;

interface KeptStep {
  /** Sorted by first work. */
  readonly index: number;
  readonly sums: StepSums;
  readonly reach: Reach;
  /** Compute, and communication except messages between two ranks. */
  readonly withoutMessages: PicosecondUnion;
  flops: number | null;
  memory: number | null;
}

/** Steps of one device of a rank, in one pass over records in order of start time. */
class RankSteps {
  readonly #steps = new Map<StepKey, KeptStep>();
  readonly #idle = new DeviceIdle();
  /** Number of pieces of work in steps beyond the limit. */
  leftOut = 0;
  /** Times in which launched work is missing, and steps with work without a duration; their idle time is unknown. */
  readonly missing: MissingWork[] = [];
  readonly untimed = new Set<StepKey>();

  /** @param isMessage whether it only sends or receives */
  add(work: StepWorkKind, record: StepActivity, start: number, end: number, isMessage: boolean): void {
    const kept = this.#at(record.step ?? null);
    if (kept === null) return;
    kept.sums.add(work, record, start, end, () => null);
    kept.reach.add(start, end);
    if (isMessage || work === 'copy') return;
    const [rest, more] = record.ps ?? [0, 0];
    const from = start * PS_PER_NS + rest;
    kept.withoutMessages.add(from, from + (end - start) * PS_PER_NS + more);
  }

  /**
   * Adds the FLOPs of a kernel.
   * @returns the index of its step; null when it is in no kept step
   */
  addWork({ record, flops }: Annotated): number | null {
    const kept = this.#at(record.step ?? null);
    if (kept === null) return null;
    if (flops !== null) kept.flops = (kept.flops ?? 0) + flops;
    return kept.index;
  }

  /** Records memory in use in bytes, while the host was in a step. */
  addMemory(step: StepKey, bytes: number): void {
    const kept = this.#at(step);
    if (kept !== null) kept.memory = Math.max(bytes, kept.memory ?? 0);
  }

  /** Steps with work, in order of their numbers; work outside of steps when there are no others. */
  get #kept(): (readonly [StepKey, KeptStep])[] {
    const worked = [...this.#steps].filter(([, { reach }]) => reach.to >= reach.from);
    const numbered = worked.filter(([step]) => step !== null);
    return (numbered.length > 0 ? numbered : worked).sort(([a], [b]) => Number(a) - Number(b));
  }

  /** Indices of the steps in the order of the columns. */
  get order(): number[] {
    return this.#kept.map(([, { index }]) => index);
  }

  /** @param hasCopies whether the profile has the device's copies, without which idle time is unknown */
  columns(host: HostSteps, hasCopies: boolean): StepColumns {
    const kept = this.#kept;
    const times = kept.map(([, { sums }]) => sums.times);
    const at = (index: number) => elementAt(times, index);
    const missing = new Set([...this.untimed, ...this.missing.flatMap(({ start, end }) => host.within(start, end))]);
    const isUnknown = (step: StepKey): boolean => !hasCopies || (step === null ? missing.size > 0 : missing.has(step));
    const each = <Value>(valueOf: (step: KeptStep, number: StepKey, index: number) => Value): Value[] =>
      kept.map(([number, step], index) => valueOf(step, number, index));
    return {
      step: each((_, number) => number),
      start: each(({ reach }) => reach.from),
      end: each(({ reach }) => reach.to),
      compute: each((_, __, index) => Math.round(at(index).computing)),
      communication: each((_, __, index) => Math.round(at(index).communication)),
      exposed: each((_, __, index) => Math.round(at(index).exposed)),
      messages: each(({ withoutMessages }, _, index) =>
        Math.round(at(index).computing + at(index).exposed - withoutMessages.total / PS_PER_NS),
      ),
      copies: each((_, __, index) => Math.round(at(index).copies)),
      idle: each((_, number, index) => (isUnknown(number) ? null : Math.round(at(index).idle))),
      preparing: each(({ reach }, number) => {
        const begin = number === null ? null : host.startOf(number);
        return begin === null ? null : reach.from - begin;
      }),
      flops: each(({ flops }) => flops),
      tokens: each(({ sums }) => sums.served?.step?.tokens ?? null),
      memory: each(({ memory }) => memory),
    };
  }

  #at(step: StepKey): KeptStep | null {
    const make = (): KeptStep => ({
      ...{ index: this.#steps.size, sums: new StepSums(this.#idle), reach: new Reach() },
      withoutMessages: new PicosecondUnion(),
      ...{ flops: null, memory: null },
    });
    const kept = boundedEntryOf(this.#steps, step, MOST_STEPS, make);
    if (kept === null) this.leftOut++;
    return kept;
  }
}

class DeviceOfRank {
  /** Whether the device did anything; memory may be in use before. */
  hasActivity = false;
  readonly steps = new RankSteps();
  readonly operations = new OperationRows();
  readonly content = new WorkContent();
  readonly work: Readonly<Record<WorkKey, WorkByStep>> = {
    layer: new WorkByStep(),
    op: new WorkByStep(),
    kernel: new WorkByStep(),
  };
}

class ProfileOfRanks {
  header: ProfileRecord | null = null;
  end: EndRecord | null = null;
  readonly host = new HostSteps();
  readonly copies = new UnrecordedCopies();
  readonly devices = new Map<number, DeviceOfRank>();
}

export class RankCollector {
  readonly #profiles = new Map<number, ProfileOfRanks>();

  take(item: Item): void {
    if (item instanceof Annotated) {
      const profile = this.#profiles.get(item.record.profile);
      if (profile !== undefined) addKernel(profile, item);
    } else this.#takeRecord(item);
  }

  #takeRecord(record: ProfileLine): void {
    const profile = entryOf(this.#profiles, record.profile, () => new ProfileOfRanks());
    if (record.type === 'profile') profile.header = record;
    else if (record.type === 'end') profile.end = record;
    profile.copies.take(record);
    const step = stepOf(record);
    if (step !== null) profile.host.add(step);
    else if (record.type === 'sample') addMemory(profile, record);
    const missing = missingWorkOf(record);
    if (missing !== null) deviceOf(profile, missing.device).steps.missing.push(missing);
    const found = workOf(record);
    if (found !== null) addActivity(profile, found.work, found.record);
  }

  /** Sorted by profile and device. */
  get parts(): RankPart[] {
    return [...this.partsByProfile.values()].flat();
  }

  /** Profiles in which no device worked, in order of their numbers. */
  get withoutWork(): ProfileWithoutWork[] {
    return [...this.#profiles.values()].flatMap((profile) => withoutWorkOf(profile) ?? []);
  }

  /** Parts by profile number. */
  get partsByProfile(): ReadonlyMap<number, readonly RankPart[]> {
    return new Map([...this.#profiles].map(([profile, collected]) => [profile, partsOf(collected)] as const));
  }
}

const deviceOf = ({ devices }: ProfileOfRanks, device: number): DeviceOfRank =>
  entryOf(devices, device, () => new DeviceOfRank());

function addActivity(profile: ProfileOfRanks, work: StepWorkKind, record: StepActivity): void {
  const { start, dur, device } = record;
  if (Number.isNaN(device)) return;
  const collected = deviceOf(profile, device);
  const { steps, operations } = collected;
  collected.hasActivity = true;
  collected.content.add(record);
  const kind = work === 'communication' ? operations.add(record as KernelLine) : null;
  const isMessage = kind !== null && MESSAGES.has(kind);
  if (dur !== null && dur >= 0 && Number.isFinite(start + dur)) steps.add(work, record, start, start + dur, isMessage);
  else steps.untimed.add(record.step ?? null);
}

function addKernel(profile: ProfileOfRanks, row: Annotated): void {
  const { dur, device } = row.record;
  if (dur === null || !(dur >= 0) || communicates(row.record)) return;
  const collected = profile.devices.get(device);
  const step = collected?.steps.addWork(row) ?? null;
  if (collected === undefined || step === null) return;
  for (const key of WORK_KEYS) {
    const name = NAMES[key](row);
    if (name !== null) collected.work[key].add(name, step, dur);
  }
}

/** Name of the metric for memory in use, which traces of PyTorch and Ascend record. */
const MEMORY_METRIC = 'memory_allocated';

function addMemory(profile: ProfileOfRanks, record: ProfileLine): void {
  if (record.type !== 'sample' || record.metric !== MEMORY_METRIC) return;
  const { device, start, value } = record;
  if (device === null || start === null || value === null) return;
  deviceOf(profile, device).steps.addMemory(profile.host.at(start), value);
}

function partsOf(profile: ProfileOfRanks): RankPart[] {
  const worked = workedIn(profile).sort(([a], [b]) => a - b);
  const isDevice = (profile.header?.rank ?? null) === null && worked.length > 1;
  if (isDevice) identifyShared(new Map(worked.map(([device, { operations }]) => [device, operations])));
  return worked.map(([device, collected]) => partOf(profile, device, collected, isDevice));
}

const workedIn = ({ devices }: ProfileOfRanks): [number, DeviceOfRank][] =>
  [...devices].filter(([, { hasActivity }]) => hasActivity);

/** Null when a device worked, for a format without device work, and without a profile line. */
function withoutWorkOf(profile: ProfileOfRanks): ProfileWithoutWork | null {
  const { header, end } = profile;
  if (header === null || !mayHaveWork(header.format) || workedIn(profile).length > 0) return null;
  const part = partOf(profile, NaN, new DeviceOfRank(), false);
  return { profile: header.profile, part, reason: missingReason(new Set(Object.keys(end?.diagnostics ?? {}))) };
}

/** @param isDevice whether the device is one of several in the profile */
function partOf(
  { header, host, copies }: ProfileOfRanks,
  device: number,
  collected: DeviceOfRank,
  isDevice: boolean,
): RankPart {
  const { steps, operations, content, work } = collected;
  const columns = steps.columns(host, !copies.has(device));
  const { order } = steps;
  const stated = statedDevice(header, device);
  const tables = Object.entries(work).map(([key, rows]) => [key, rows.table(order)]);
  return {
    file: header?.file ?? 'na',
    rank: isDevice ? (stated?.rank ?? device) : (header?.rank ?? null),
    isDevice,
    device,
    deviceName: stated?.name ?? null,
    worldSize: header?.worldSize ?? null,
    host: header?.host ?? null,
    startUnixNs: header?.startUnixNs ?? null,
    processGroups: header?.groups ?? [],
    operations: operations.columns,
    steps: columns,
    work: Object.fromEntries(tables) as Record<WorkKey, WorkTable>,
    content: content.text,
    leftOut: {
      operations: operations.leftOut,
      steps: steps.leftOut,
      names: WORK_KEYS.reduce((sum, key) => sum + work[key].beyond(order.length), 0),
    },
  };
}

/**
 * An operation that one call launched on several devices of a process, as NCCL does for a group of its communicators: the
 * kernels share one correlation id, and are one operation of the group of these devices.
 */
interface Place {
  readonly device: number;
  readonly rows: OperationRows;
  readonly at: number;
}

/**
 * Gives these operations a group and an ordinal.
 * @param devices operations of each device of one profile
 */
function identifyShared(devices: ReadonlyMap<number, OperationRows>): void {
  const launches = new Map<number, Place[]>();
  for (const [device, rows] of devices)
    for (const [at, launch] of rows.launches.entries())
      if (launch !== null && !rows.hasGroup(at))
        entryOf(launches, launch, (): Place[] => []).push({ device, rows, at });
  for (const [launch, places] of launches) {
    const ranks = [...new Set(places.map(({ device }) => device))].sort((a, b) => a - b);
    // Several kernels on one device are not a collective.
    if (ranks.length < 2 || ranks.length < places.length) continue;
    for (const { rows, at } of places) rows.identify(at, ranks, launch);
  }
}
