/** Records → memory in use over time, of each device of each profile, in one pass over records in order of start. */
import { entryOf } from '../../containers/map-entry.js';
import type { KernelLine, ProfileLine, ProfileRecord, SampleRecord } from '../../record/record.js';
import { counted } from '../../record/plural.js';
import type { Analysis, Answer } from '../analysis.js';
import type { RecordTypes } from '../input/record-types.js';
import { HostSteps, stepOf } from '../steps/host-steps.js';
import { CURVE_COLUMNS, curveRows, type MemoryReport } from './memory-report.js';
import { ALLOCATION_METRIC, DeviceMemory, bufferOf, isMemory, withoutMemory } from './device-memory.js';
import { coreOfArch } from '../../record/neuron/neuron-cores.js';
import { statedDevice } from '../../record/fields/stated-device.js';

export const MEMORY_TYPES: RecordTypes = new Set(['profile', 'kernel', 'sample', 'range', 'end'] as const);

/** Points of a curve that a plot can show. */
export const CURVE_POINTS = 1000;

/** When a step's kernels were launched. */
class StepLaunches {
  readonly #steps = new Map<number, { first: number; last: number }>();

  take({ step, launch }: KernelLine): void {
    const start = launch?.start;
    if (typeof step !== 'number' || start === undefined) return;
    const times = entryOf(this.#steps, step, () => ({ first: start, last: start }));
    times.first = Math.min(times.first, start);
    times.last = Math.max(times.last, start);
  }

  /** The step among whose launches a time is; null when there is none, or several. */
  at(time: number): number | null {
    const found = [...this.#steps].filter(([, { first, last }]) => first <= time && time <= last);
    return found.length === 1 ? (found[0]?.[0] ?? null) : null;
  }
}

class MemoryProfile {
  header: ProfileRecord | null = null;
  readonly steps = new HostSteps();
  readonly launches = new StepLaunches();
  readonly devices = new Map<number | null, DeviceMemory>();
}

export class Memory implements Analysis<readonly MemoryReport[]> {
  readonly types = MEMORY_TYPES;
  readonly ranges = 'without-calls';
  readonly #profiles = new Map<number, MemoryProfile>();
  /** Samples of buffers of unknown size. */
  #unsized = 0;

  /** @param points of each curve at most */
  constructor(private readonly points = CURVE_POINTS) {}

  take(record: ProfileLine): void {
    if (record.type === 'end') return;
    const profile = entryOf(this.#profiles, record.profile, () => new MemoryProfile());
    if (record.type === 'profile') profile.header = record;
    else if (record.type === 'kernel') profile.launches.take(record);
    else if (record.type === 'sample') this.#sample(profile, record);
    const step = stepOf(record);
    if (step !== null) profile.steps.add(step);
  }

  /** @throws UserError without samples of memory */
  finish(): Answer<readonly MemoryReport[]> {
    const { reports } = this;
    if (reports.length === 0) throw withoutMemory('no samples of memory', this.#headers);
    return {
      table: { columns: CURVE_COLUMNS, rows: curveRows(reports) },
      facts: reports,
      notes: [
        ...(this.#ignored > 0 ? [`too many series of memory: ${counted(this.#ignored, 'sample')} left out`] : []),
        ...(this.#unsized > 0 ? [`buffers of unknown size: ${counted(this.#unsized, 'sample')} left out`] : []),
      ],
    };
  }

  get #headers(): ProfileRecord[] {
    return [...this.#profiles.values()].flatMap(({ header }) => header ?? []);
  }

  get #ignored(): number {
    const memories = [...this.#profiles.values()].flatMap(({ devices }) => [...devices.values()]);
    return memories.reduce((sum, { ignored }) => sum + ignored, 0);
  }

  get reports(): MemoryReport[] {
    return [...this.#profiles].flatMap(([profile, { header, steps, launches, devices }]) =>
      [...devices]
        .sort(([a], [b]) => (a ?? Infinity) - (b ?? Infinity))
        .flatMap(([device, memory]) => {
          const { peak, series } = memory;
          if (peak === null) return [];
          const { start } = peak;
          const step = start === null ? null : (steps.at(start) ?? launches.at(start));
          return [{ profile, header, device, peak, step, series }];
        }),
    );
  }

  #sample({ devices, header }: MemoryProfile, record: SampleRecord): void {
    if (!isMemory(record.metric) && record.metric !== ALLOCATION_METRIC) return;
    const inBytes = this.#inBytes(header, record);
    if (inBytes !== null) entryOf(devices, record.device, () => new DeviceMemory(this.points)).take(inBytes);
  }

  /** A share of a core's buffer in bytes; null, and counted, where the size of the buffer is not known. */
  #inBytes(header: ProfileRecord | null, record: SampleRecord): SampleRecord | null {
    const buffer = bufferOf(record.metric);
    if (buffer === null) return record;
    const arch = statedDevice(header, record.device)?.arch ?? null;
    const size = coreOfArch(arch)?.[buffer];
    const { value } = record;
    if (size !== undefined) return { ...record, labels: {}, value: value === null ? null : Math.round(value * size) };
    this.#unsized++;
    return null;
  }
}
