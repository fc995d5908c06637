/**
 * Turns records and their annotated kernels into a summary of each profile, in one pass over records in order of start
 * time. Memory: names of kernels and a union for each step, both within bounds.
 */
import { addTo, boundedEntryOf, entryOf } from '../../containers/map-entry.js';
import { algorithmBytes } from '../../ops/collective-bytes.js';
import { awaitedTransfer } from '../../ops/families/hlo.js';
import type { KernelLine, ProfileLine, ProfileRecord, SyncRecord } from '../../record/record.js';
import { isNeuronInstruction } from '../../record/neuron/neuron-cores.js';
import { durationOf } from '../../record/fields/times.js';
import type { Transfer } from '../../record/fields/collective.js';
import type { Item, RecordTypes } from '../analysis.js';
import { Annotated } from '../annotate.js';
import { HostSteps, MOST_STEPS, stepOf } from '../steps/host-steps.js';
import { launchedAt, isCut, workOf, type StepActivity, operationName } from '../steps/step-work.js';
import { UnrecordedCopies } from '../steps/transfers.js';
import { missingWorkOf } from '../steps/missing-work.js';
import { PS_PER_NS, PicosecondUnion } from '../../containers/interval-union.js';
import { CpuSums, HostSums } from './host-sums.js';
import { DeviceSums, type Stretch } from './device-sums.js';
import { KernelSums } from './kernel-sums.js';
import { tensorWorkOf } from '../neuron/flops.js';
import { isOfNeuronDevice, workingDevices } from '../neuron/machine.js';
import { isOfProgram } from '../../ops/neuron/instruction-work.js';
import { withMachine } from '../neuron/metric.js';
import { ProfileSums } from '../neuron/metric-sums.js';
import type { DeviceTime, ProfileSummary, WorkKind, WorkTime, StepSummary } from './summary-data.js';
import { ProgramSums } from './program-sums.js';
import { OperationSums, Tallies } from './tallies.js';
import { statedDevice } from '../../record/fields/stated-device.js';
import { lengthSpread } from '../../record/statistics.js';
import { ServedTimes, stepTime } from '../steps/serving/served-times.js';
import { phasesOf, servedStep } from '../steps/serving/serving-summary.js';
import { KernelTimes } from '../steps/step-sums.js';

export const SUMMARY_TYPES: RecordTypes = new Set([
  'profile',
  'kernel',
  'collective',
  'graph',
  'copy',
  'set',
  'sync',
  'sample',
  'range',
  'tensor',
  'layer',
  'notice',
  'end',
] as const);

/** Maximum number of devices of a profile to sum separately. */
const MOST_DEVICES = 1024;

/** Matches the notices of the vendor's tool that are about copies. */
const ABOUT_DMA = /\bDMA\b/;

/** Default number of kernel names to list. */
const LISTED_NAMES = 50;

/** Anomalies of the records themselves, by name in `diagnostics`. */
type Odd =
  | 'record-out-of-order'
  | 'record-without-time'
  | 'record-ends-before-start'
  | 'record-of-device-left-out'
  | 'step-left-out';

interface StepSpan {
  readonly step: number;
  readonly device: number;
  from: number;
  to: number;
  readonly busy: PicosecondUnion;
  readonly kernels: KernelTimes;
  readonly served: ServedTimes;
}

/**
 * How long each step took, and how busy each device was with the work that it launched, in one pass over work in
 * order of start time.
 */
class StepSpans {
  readonly #steps = new Map<number, Map<number, StepSpan>>();
  #kept = 0;
  /** Number of activities of steps beyond the maximum. */
  leftOut = 0;

  /**
   * @param kernel null for other work
   * @param isOwn whether a thread of the step itself launched a kernel; null when unknown
   */
  add(
    step: number,
    device: number,
    { from, to }: Stretch,
    kernel: KernelLine | null,
    isOwn: (kernel: KernelLine) => boolean | null,
  ): void {
    const span = this.#spanOf(step, device);
    if (span === null) {
      this.leftOut++;
      return;
    }
    span.from = Math.min(span.from, from);
    span.to = Math.max(span.to, to);
    span.busy.add(from, to);
    if (kernel === null) return;
    span.kernels.add(to - from, isOwn(kernel));
    span.served.add(kernel, to - from);
  }

  /**
   * In order of device and step; null without steps.
   * @param iterationOf duration of a step's iteration on the host in ns; null when unknown
   */
  result(iterationOf: (step: number) => number | null): StepSummary | null {
    const list = [...this.#steps]
      .sort(([a], [b]) => a - b)
      .flatMap(([, steps]) => [...steps.values()].sort((a, b) => a.step - b.step))
      .map(({ step, device, from, to, busy, kernels, served: { result: served } }) => {
        const [iteration, busyTime] = [iterationOf(step), busy.total / PS_PER_NS];
        return {
          step,
          device,
          iteration,
          span: (to - from) / PS_PER_NS,
          busy: busyTime,
          kernelTime: kernels.all,
          ownKernelTime: kernels.own,
          ...(served === null ? {} : { served: servedStep(served, stepTime(iteration, busyTime)) }),
        };
      });
    // A step on several devices is one iteration.
    const iterations = new Map(list.map(({ step, iteration }) => [step, iteration]));
    const serving = phasesOf(list);
    const device = lengthSpread(list.map(({ span }) => span));
    if (device === null) return null;
    return {
      ...{ count: iterations.size, list, device },
      host: lengthSpread([...iterations.values()].flatMap((iteration) => iteration ?? [])),
      ...(serving.length === 0 ? {} : { serving }),
    };
  }

  #spanOf(step: number, device: number): StepSpan | null {
    const steps = entryOf(this.#steps, device, () => new Map<number, StepSpan>());
    const known = steps.get(step);
    if (known !== undefined) return known;
    if (this.#kept >= MOST_STEPS) return null;
    this.#kept++;
    const span = {
      step,
      device,
      from: Infinity,
      to: -Infinity,
      busy: new PicosecondUnion(),
      kernels: new KernelTimes(),
      served: new ServedTimes(),
    };
    steps.set(step, span);
    return span;
  }
}

class SummedProfile {
  /** Whether a device did anything other than wait. */
  hasWork = false;
  header: ProfileRecord | null = null;
  readonly devices = new Map<number, DeviceSums>();
  readonly kernels = new KernelSums();
  readonly memory = new OperationSums();
  readonly copies = new UnrecordedCopies();
  readonly collectives = new OperationSums();
  readonly links = new OperationSums();
  readonly syncs = new Tallies();
  readonly steps = new StepSpans();
  readonly hostSteps = new HostSteps();
  readonly host = new HostSums();
  readonly cpu = new CpuSums();
  readonly program = new ProgramSums();
  /** Products of the tensor engines of a Neuron device; null for other devices. */
  products: ProfileSums | null = null;
  readonly notices = new Set<string>();
  reported: Readonly<Record<string, number>> = {};
  readonly odd = new Map<Odd, number>();
  /** Summary from a partial answer, which has nothing else. */
  part: SummaryPart | null = null;
}

export class ProfileSummaries {
  readonly #profiles = new Map<number, SummedProfile>();

  /** @param names number of kernel names in each list */
  constructor(private readonly names = LISTED_NAMES) {}

  take(item: Item): void {
    if (item instanceof Annotated) {
      const { record } = item;
      const { kernels } = this.#profile(record.profile);
      // An instruction that only waits is not work.
      if (workOf(record) === null) kernels.addWait(timeOf(record));
      else kernels.add(item, timeOf(record));
    } else this.#listen(this.#profile(item.profile), item);
  }

  /** Sorted by profile; call when all records were taken. */
  get all(): ProfileSummary[] {
    return [...this.#profiles.keys()].sort((a, b) => a - b).flatMap((profile) => this.of(profile) ?? []);
  }

  /** Call when all records of the profile were taken; null for a profile without any. */
  of(profile: number): ProfileSummary | null {
    const sums = this.#profiles.get(profile);
    if (sums === undefined) return null;
    if (sums.part !== null) return summaryOf(sums.part, profile, sums.header, this.names);
    const devices = devicesOf(sums);
    const kernels = sums.kernels.result(
      this.names,
      devices.some(({ missing }) => missing !== null) ? 0 : devices.reduce((all, device) => all + device.span, 0),
    );
    return {
      profile,
      header: sums.header,
      devices,
      kernels: kernels && { ...kernels, work: asVendorCounts(kernels.work, sums.products) },
      memory: sums.memory.memory,
      syncs: sums.syncs.byTime(this.names),
      collectives: sums.collectives.collectives,
      links: sums.links.memory,
      steps: sums.steps.result((step) => sums.hostSteps.lengthOf(step)),
      host: sums.hasWork ? null : sums.host.result(sums.hostSteps, this.names),
      cpu: sums.cpu.result,
      program: sums.program.result,
      notices: [...sums.notices],
      diagnostics: diagnosticsOf(sums),
    };
  }

  #listen(sums: SummedProfile, record: ProfileLine): void {
    addProduct(sums, record);
    sums.copies.take(record);
    if (record.type === 'profile') sums.header = record;
    else if (record.type === 'part-summary') sums.part = record.data as SummaryPart;
    else if (record.type === 'end') sums.reported = record.diagnostics;
    else if (record.type === 'range') !sums.hasWork && sums.host.add(record);
    else if (record.type === 'sync') addWait(sums, record);
    else if (record.type === 'tensor') sums.program.tensor(record);
    else if (record.type === 'layer') sums.program.layer(record);
    else if (record.type === 'notice') ABOUT_DMA.test(record.text) && sums.notices.add(record.text);
    else if (record.type === 'sample') {
      addHostStep(sums, record);
      const missing = missingWorkOf(record);
      if (missing !== null) deviceOf(sums, missing.device)?.addMissing(missing);
      sums.cpu.add(record);
    } else {
      const found = workOf(record);
      if (found !== null) addWork(sums, found.record, kindOf(found));
      else if (record.type === 'kernel') addWait(sums, record);
    }
  }

  #profile(number: number): SummedProfile {
    return entryOf(this.#profiles, number, () => new SummedProfile());
  }
}

function kindOf({ work, record }: NonNullable<ReturnType<typeof workOf>>): WorkKind {
  if (record.type === 'graph') return 'graphs';
  if (work === 'copy') return record.type === 'set' ? 'sets' : 'copies';
  return work === 'communication' ? 'communications' : 'kernels';
}

/**
 * For a Neuron device, only the data that its FLOPs need: products, and the FLOPs of the model as the vendor's tool
 * reports them.
 */
function addProduct(sums: SummedProfile, record: ProfileLine): void {
  if (record.type === 'profile') {
    sums.products = isOfNeuronDevice(record) ? new ProfileSums() : null;
    sums.products?.take(record);
  } else if (record.type === 'kernel' ? record.counters?.['elements'] !== undefined : isReported(record))
    sums.products?.take(record);
}

const isReported = (record: ProfileLine): boolean => record.type === 'sample' && record.labels?.['from'] === 'summary';

/** MFU has only one meaning here: the vendor's, if the vendor defines it. */
function asVendorCounts(work: WorkTime, products: ProfileSums | null): WorkTime {
  if (products === null) return work;
  const tensor = tensorWorkOf(withMachine(products));
  return { ...work, mfu: tensor.mfu, tensor };
}

type Spent = StepActivity | SyncRecord;

/** In ns, with a fraction when the clock has picoseconds; null if unknown. */
function timeOf(spent: Pick<Spent, 'dur' | 'ps'>): number | null {
  const time = durationOf(spent);
  return time === null || time < 0 ? null : time;
}

function stretchOf(record: Spent): Stretch | null {
  const { start, dur, ps } = record;
  if (dur === null || dur < 0 || !Number.isFinite(start + dur)) return null;
  const [rest, more] = ps ?? [0, 0];
  const from = start * PS_PER_NS + rest;
  const launched = launchedAt(record);
  return { from, to: from + dur * PS_PER_NS + more, launched: launched === null ? null : launched * PS_PER_NS };
}

/** The device's sums, and when the work ran; work without a known time is counted but otherwise ignored. */
function onDevice(sums: SummedProfile, record: Spent, work: WorkKind): Stretch | null {
  const device = deviceOf(sums, record.device);
  const stretch = stretchOf(record);
  if (stretch !== null) device?.add(work, stretch, record.type === 'kernel');
  device?.count(work, record, stretch !== null);
  if (device !== null && work !== 'syncs' && isOfProgram(record)) device.works = true;
  if (device === null && !Number.isNaN(record.device)) addTo(sums.odd, 'record-of-device-left-out', 1);
  if (stretch === null) {
    const isBackwards = record.dur !== null && record.dur < 0;
    addTo(sums.odd, isBackwards ? 'record-ends-before-start' : 'record-without-time', 1);
  }
  return device === null ? null : stretch;
}

function addWork(sums: SummedProfile, record: StepActivity, work: WorkKind): void {
  sums.hasWork = true;
  const stretch = onDevice(sums, record, work);
  const time = timeOf(record);
  if (record.type === 'copy' || record.type === 'set') {
    const kind = record.type === 'set' ? 'set' : (record.kind ?? 'copy');
    const at = { device: record.device, start: record.start + (record.ps?.[0] ?? 0) / PS_PER_NS };
    sums.memory.add(kind, { time, bytes: record.bytes, at, isCut: isCut(record) });
  }
  if (record.type === 'collective') {
    sums.collectives.add(operationName(record), { time, bytes: record.bytes, group: record.group });
    addTransfers(sums.links, record.transfers ?? []);
  }
  if (record.type === 'kernel' && stretch !== null && isNeuronInstruction(record))
    deviceOf(sums, record.device)?.addInstruction(record.engine, stretch);
  if (record.type === 'kernel') addCollective(sums.collectives, record, work, time);
  const { step = null } = record;
  if (stretch === null || step === null) return;
  const kernel = record.type === 'kernel' ? record : null;
  sums.steps.add(step, record.device, stretch, kernel, (line) => sums.hostSteps.isOwn(step, line));
}

/** Each message counts for its link, and for the two ranks if they are known. */
function addTransfers(links: OperationSums, transfers: readonly Transfer[]): void {
  for (const { link, src, dst, bytes, count, dur } of transfers) {
    const names = src === null || dst === null ? [link] : [link, `${link} ${src}>${dst}`];
    for (const name of names) links.add(name, { time: dur, bytes: bytes * count, count });
  }
}

function addCollective(sums: OperationSums, record: KernelLine, work: WorkKind, time: number | null): void {
  const { collective } = record;
  if (collective === undefined && work !== 'communications') return;
  const bytes = collective === undefined ? null : algorithmBytes(collective);
  sums.add(operationName(record), { time, bytes, isCut: isCut(record), group: collective?.group ?? null });
}

function addHostStep({ hostSteps }: SummedProfile, record: ProfileLine): void {
  const step = stepOf(record);
  if (step !== null && hostSteps.size < MOST_STEPS) hostSteps.add(step);
}

function addWait(sums: SummedProfile, record: SyncRecord | KernelLine): void {
  const [stretch, awaited] = [onDevice(sums, record, 'syncs'), awaitedTransfer(record)];
  if (stretch !== null && awaited !== null) deviceOf(sums, record.device)?.addTransferWait(stretch, awaited.name);
  sums.syncs.add((record.type === 'sync' ? record.kind : record.short) ?? 'unknown', timeOf(record));
}

/** Null for an unknown device, or one beyond the maximum. */
const deviceOf = ({ devices }: SummedProfile, number: number): DeviceSums | null =>
  Number.isNaN(number) ? null : boundedEntryOf(devices, number, MOST_DEVICES, () => new DeviceSums());

/** Devices with work, in order of id, without idle cores if other cores work. */
function devicesOf({ devices, header, copies }: SummedProfile): DeviceTime[] {
  const nameOf = (device: number): string | null => statedDevice(header, device)?.name ?? null;
  const active = [...devices].filter(([, device]) => !device.isEmpty);
  return workingDevices(active, ([, { works }]) => works)
    .toSorted(([a], [b]) => a - b)
    .map(([device, sums]) => sums.result(device, nameOf(device), !copies.has(device)));
}

function diagnosticsOf({ reported, odd, devices, steps }: SummedProfile): ProfileSummary['diagnostics'] {
  const late = [...devices.values()].reduce((sum, device) => sum + device.late, 0);
  const all: [Odd, number][] = [...odd, ['record-out-of-order', late], ['step-left-out', steps.leftOut]];
  return {
    ...reported,
    ...Object.fromEntries(all.filter(([, count]) => count > 0).sort(([a], [b]) => (a < b ? -1 : 1))),
  };
}

/** Number of names in each list of a partial answer: no command lists more by default. */
export const PART_NAMES = 100;

type SummaryPart = Omit<ProfileSummary, 'profile' | 'header'>;

export function summaryPartOf(summary: ProfileSummary): SummaryPart {
  const { devices, kernels, memory, syncs, collectives, links, steps, host, cpu, program, notices, diagnostics } =
    summary;
  return { devices, kernels, memory, syncs, collectives, links, steps, host, cpu, program, notices, diagnostics };
}

/** @param names number of names in each list; a partial answer may have fewer */
function summaryOf(part: SummaryPart, profile: number, header: ProfileRecord | null, names: number): ProfileSummary {
  const { kernels, syncs, host } = part;
  const first = <Row>(list: readonly Row[]): readonly Row[] => list.slice(0, names);
  return {
    profile,
    header,
    ...part,
    kernels: kernels && { ...kernels, byTime: first(kernels.byTime), byCount: first(kernels.byCount) },
    syncs: first(syncs),
    host: host && {
      ...host,
      ...{ ops: first(host.ops), annotations: first(host.annotations), layers: first(host.layers) },
    },
  };
}
