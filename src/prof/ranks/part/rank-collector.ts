/** Records → the parts of their ranks, in one pass: one part for each device of a profile that worked. */
import { entryOf } from '../../../containers/map-entry.js';
import type { EndRecord, KernelLine, ProfileLine, ProfileRecord } from '../../../record/record.js';
import { mayHaveWork, type Item } from '../../analysis.js';
import { Annotated } from '../../annotate.js';
import { missingReason } from '../../input/missing-device.js';
import type { RecordTypes } from '../../input/record-types.js';
import { HostSteps, stepOf } from '../../steps/host-steps.js';
import { missingWorkOf } from '../../steps/missing-work.js';
import { communicates, workOf, type StepActivity, type StepWorkKind } from '../../steps/step-work.js';
import { MESSAGES, OperationRows } from './operation-rows.js';
import { identifyShared } from './shared-launches.js';
import { WORK_KEYS, type ProfileWithoutWork, type RankPart, type WorkKey, type WorkTable } from './rank-part.js';
import { RankSteps } from './rank-steps.js';
import { WorkContent } from './work-content.js';
import { WorkByStep } from './work-by-step.js';
import { statedDevice } from '../../../record/fields/stated-device.js';

export const RANK_TYPES: RecordTypes = new Set([
  ...(['profile', 'kernel', 'collective', 'graph', 'copy', 'set'] as const),
  ...(['sample', 'end'] as const),
]);

/** Between the steps of a layer's path. */
const PATH_SEPARATOR = ':';

/** What kernels are compared by; null where it is not known. */
const NAMES: Readonly<Record<WorkKey, (row: Annotated) => string | null>> = {
  layer: ({ layer }) => (layer.length === 0 ? null : layer.join(PATH_SEPARATOR)),
  op: ({ op }) => op,
  kernel: ({ record }) => record.short,
};

class DeviceOfRank {
  /** Whether it did anything: memory may be in use before. */
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
    const step = stepOf(record);
    if (step !== null) profile.host.add(step);
    else if (record.type === 'sample') addMemory(profile, record);
    const missing = missingWorkOf(record);
    if (missing !== null) deviceOf(profile, missing.device).steps.missing.push(missing);
    const found = workOf(record);
    if (found !== null) addActivity(profile, found.work, found.record);
  }

  /** In order of profile and device. */
  get parts(): RankPart[] {
    return [...this.partsByProfile.values()].flat();
  }

  /** Profiles in which no device worked, in order of their numbers. */
  get withoutWork(): ProfileWithoutWork[] {
    return [...this.#profiles.values()].flatMap((profile) => withoutWorkOf(profile) ?? []);
  }

  /** Parts by the number of their profile. */
  get partsByProfile(): ReadonlyMap<number, readonly RankPart[]> {
    return new Map([...this.#profiles].map(([profile, of]) => [profile, partsOf(of)] as const));
  }
}

const deviceOf = ({ devices }: ProfileOfRanks, device: number): DeviceOfRank =>
  entryOf(devices, device, () => new DeviceOfRank());

function addActivity(profile: ProfileOfRanks, work: StepWorkKind, record: StepActivity): void {
  const { start, dur, device } = record;
  if (Number.isNaN(device)) return;
  const of = deviceOf(profile, device);
  const { steps, operations } = of;
  of.hasActivity = true;
  of.content.add(record);
  const kind = work === 'communication' ? operations.add(record as KernelLine) : null;
  const isMessage = kind !== null && MESSAGES.has(kind);
  if (dur !== null && dur >= 0 && Number.isFinite(start + dur)) steps.add(work, record, start, start + dur, isMessage);
  else steps.untimed.add(record.step ?? null);
}

function addKernel(profile: ProfileOfRanks, row: Annotated): void {
  const { dur, device } = row.record;
  if (dur === null || !(dur >= 0) || communicates(row.record)) return;
  const of = profile.devices.get(device);
  const step = of?.steps.addWork(row) ?? null;
  if (of === undefined || step === null) return;
  for (const key of WORK_KEYS) {
    const name = NAMES[key](row);
    if (name !== null) of.work[key].add(name, step, dur);
  }
}

/** Metric of the memory in use that traces of PyTorch and Ascend record. */
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
  return worked.map(([device, of]) => partOf(profile, device, of, isDevice));
}

const workedIn = ({ devices }: ProfileOfRanks): [number, DeviceOfRank][] =>
  [...devices].filter(([, { hasActivity }]) => hasActivity);

/** Null where a device worked, for a format that never has device work, and without a header. */
function withoutWorkOf(profile: ProfileOfRanks): ProfileWithoutWork | null {
  const { header, end } = profile;
  if (header === null || !mayHaveWork(header.format) || workedIn(profile).length > 0) return null;
  const part = partOf(profile, NaN, new DeviceOfRank(), false);
  return { profile: header.profile, part, reason: missingReason(new Set(Object.keys(end?.diagnostics ?? {}))) };
}

/** @param isDevice whether the device is one of several of the profile */
function partOf({ header, host }: ProfileOfRanks, device: number, of: DeviceOfRank, isDevice: boolean): RankPart {
  const { steps, operations, content, work } = of;
  const columns = steps.columns(host);
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
