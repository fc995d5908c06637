/** `dprof overlap`: turns work of devices into the times during which two kinds of it run at once. One pass. */
import { rankOn } from '../../record/fields/stated-device.js';
import { elementAt, largest } from '../../containers/element.js';
import { PS_PER_NS } from '../../containers/interval-union.js';
import { entryOf } from '../../containers/map-entry.js';
import { UNKNOWN } from '../../record/units.js';
import { isDmaEngine, isNeuronInstruction } from '../../record/neuron/neuron-cores.js';
import { durationOf } from '../../record/fields/times.js';
import { GPU_METRICS } from '../../record/sample-metrics.js';
import { UserError } from '../../record/errors.js';
import { orNull } from '../../containers/numeric-column.js';
import type { ProfileRecord, SampleRecord } from '../../record/record.js';
import { column, knownColumn, int, real, str, textOf, type Column } from '../../table/column.js';
import { withoutDevice, type Analysis, type Answer, type Item, type RecordTypes } from '../analysis.js';
import { countNotes, limit } from '../limits.js';
import { Annotated, type KernelColumn } from '../annotate.js';
import { isCut, workOf, type StepActivity } from '../steps/step-work.js';
import { OverlapSweep, type KindTimes, type MeasuredTimes } from './overlap-sweep.js';

/** A kind of work in the answer; all times are in ns. */
export interface DeviceOverlap {
  readonly profile: number;
  /** Null for records without a profile line. */
  readonly header: ProfileRecord | null;
  readonly device: number;
  /** The kind with the longest time first; `both` has the same order. */
  readonly kinds: readonly KindTimes[];
  /** What the GPU's counters measured while only one kind ran; empty unless asked for. */
  readonly measured: readonly MeasuredTimes[];
}

/** Overlap on a device, as in JSON. Times are in ns. */
export interface OverlapDocument extends Pick<DeviceOverlap, 'profile' | 'device'> {
  /** Null for records without a profile line, like the rank. */
  readonly file: string | null;
  readonly rank: number | null;
  /** The kind with the longest time first; `both` has the time during which it ran with another kind, by the other's name. */
  readonly kinds: readonly (Omit<KindTimes, 'both'> & { readonly both: Readonly<Record<string, number>> })[];
}

/** @param most maximum number of kinds */
export function overlapDocument({ profile, header, device, kinds }: DeviceOverlap, most = Infinity): OverlapDocument {
  const shown = kinds.slice(0, most);
  return {
    ...{ profile, file: header?.file ?? null, rank: rankOn(header, device), device },
    kinds: shown.map(({ both, ...kind }) => ({
      ...kind,
      both: Object.fromEntries(shown.map(({ kind: name }, at) => [name, both[at] ?? 0])),
    })),
  };
}

/** A row: a kind of work, and another one. */
interface OverlapRow {
  readonly on: DeviceOverlap;
  readonly kind: KindTimes;
  readonly other: KindTimes;
  readonly both: number;
}

/** Part of a time in %; null when that is 0. */
export const shareOf = (part: number, whole: number): number | null => (whole > 0 ? (100 * part) / whole : null);

export const OVERLAP_COLUMNS: readonly Column<OverlapRow>[] = [
  knownColumn('profile', 'Profile', int(4), 'number of the input, from 0', ({ on }) => on.profile, {
    narrowHeader: 'Prof',
  }),
  knownColumn('device', 'Device', int(3), 'device', ({ on }) => on.device, { narrowHeader: 'Dev' }),
  knownColumn('kind', 'Kind', str(16), 'stream, category or other value of --by', ({ kind }) => kind.kind),
  knownColumn(
    'count',
    'Count',
    int(7),
    'number of kernels and other pieces of work of the kind',
    ({ kind }) => kind.count,
  ),
  knownColumn(
    'active',
    'Active(ns)',
    int(12, 'ns'),
    'time during which work of the kind ran',
    ({ kind }) => kind.active,
  ),
  knownColumn(
    'alone',
    'Alone(ns)',
    int(12, 'ns'),
    'part of the active time during which no other kind ran',
    ({ kind }) => kind.alone,
  ),
  knownColumn('other', 'Other', str(16), 'another kind', ({ other }) => other.kind),
  knownColumn('both', 'Both(ns)', int(12, 'ns'), 'time during which both ran', ({ both }) => both),
  column('share', 'Share%', real(6, 1, '%'), 'both in % of active', ({ kind, both }) => shareOf(both, kind.active)),
];

function* rowsOf(devices: readonly DeviceOverlap[]): Generator<OverlapRow> {
  for (const on of devices)
    for (const kind of on.kinds)
      for (const [at, other] of on.kinds.entries())
        if (other !== kind) yield { on, kind, other, both: kind.both[at] ?? 0 };
}

/** What work other than kernels counts as, where the kind is not its stream. Kernels that copy have the category `copy`. */
const WORDS = { collective: 'communication', graph: 'graphs', copy: 'memcpy', set: 'memset' } as const;

/** The number of a stream, or the name of the engine that has it on a NeuronCore. */
const streamName = ({ engine, stream }: StepActivity): string =>
  engine !== undefined && isDmaEngine(engine) ? `DMA ${engine}` : String(stream ?? UNKNOWN);

interface Waiting {
  readonly kind: string;
  readonly from: number;
  readonly to: number;
  /** For a period of measurement, which has no kind. */
  readonly values?: Float64Array;
}

/** Metrics of the GPU's counters, in order of the values of a period. */
const MEASURED = Object.keys(GPU_METRICS);

/** The work of a device. Work that starts in the same ns is held, so that it is swept in order of ps. */
class DeviceSweep {
  readonly #sweep = new OverlapSweep();
  #held: Waiting[] = [];
  #now = -Infinity;

  add(kind: string, start: number, ps: number, duration: number): void {
    if (start > this.#now) this.#release();
    this.#now = start;
    const from = start * PS_PER_NS + ps;
    this.#held.push({ kind, from, to: from + Math.round(duration * PS_PER_NS) });
  }

  #release(): void {
    for (const { kind, from, to, values } of this.#held.sort((a, b) => a.from - b.from)) {
      if (values === undefined) this.#sweep.add(kind, from, to);
      else this.#sweep.measure(from, to, values);
    }
    this.#held = [];
  }

  /** Adds one metric of a period. */
  measure(metric: number, start: number, dur: number, value: number): void {
    if (start > this.#now) this.#release();
    this.#now = start;
    const from = start * PS_PER_NS;
    const to = from + dur * PS_PER_NS;
    const known = this.#held.find((other) => other.values !== undefined && other.to === to)?.values;
    const values = known ?? new Float64Array(MEASURED.length).fill(NaN);
    values[metric] = value;
    if (known === undefined) this.#held.push({ kind: '', from, to, values });
  }

  /** Must be called after `kinds`. */
  get measured(): readonly MeasuredTimes[] {
    const inNs = (value: number): number => value / PS_PER_NS;
    return this.#sweep.measured.map((row) => ({ ...row, times: row.times.map(inNs), sums: row.sums.map(inNs) }));
  }

  get kinds(): KindTimes[] {
    this.#release();
    const { times } = this.#sweep;
    const order = times.map((_, at) => at).sort((a, b) => (times[b]?.active ?? 0) - (times[a]?.active ?? 0));
    return order
      .flatMap((at) => times[at] ?? [])
      .map(({ active, alone, both, ...kind }) => ({
        ...kind,
        ...{ active: active / PS_PER_NS, alone: alone / PS_PER_NS },
        both: order.map((at) => (both[at] ?? 0) / PS_PER_NS),
      }));
  }
}

/** A row: what the GPU's counters measured while only work of one kind ran. */
interface MeasuredRow {
  readonly on: DeviceOverlap;
  readonly times: MeasuredTimes;
}

const measured = (metric: keyof typeof GPU_METRICS, header: string, doc: string): Column<MeasuredRow> =>
  column(
    metric.slice('gpu_'.length),
    header,
    real(9, 2, '%'),
    `${doc}, in % of the peak`,
    ({ times: { sums, times } }) => {
      const at = MEASURED.indexOf(metric);
      return orNull(elementAt(sums, at) / elementAt(times, at));
    },
  );

export const MEASURED_COLUMNS: readonly Column<MeasuredRow>[] = [
  knownColumn('profile', 'Profile', int(4), 'number of the input, from 0', ({ on }) => on.profile, {
    narrowHeader: 'Prof',
  }),
  knownColumn('device', 'Device', int(3), 'device', ({ on }) => on.device, { narrowHeader: 'Dev' }),
  knownColumn(
    'kind',
    'Kind',
    str(16),
    'the only kind of work in the periods, or (idle)',
    ({ times }) => times.kind ?? '(idle)',
  ),
  knownColumn('periods', 'Periods', int(8), 'number of periods of a metric; the highest if they differ', ({ times }) =>
    largest(times.periods),
  ),
  knownColumn(
    'time',
    'Time(ns)',
    int(12, 'ns'),
    'sum of the periods of a metric; the highest if they differ',
    ({ times }) => largest(times.times),
  ),
  measured('gpu_sm_active', 'SM%', 'active SMs'),
  measured('gpu_tensor_active', 'Tensor%', 'active tensor cores'),
  measured('gpu_dram_read', 'Read%', 'reads of device memory'),
  measured('gpu_dram_write', 'Write%', 'writes to device memory'),
];

/** Says that the reading of counters has not been compared with a real export. */
const NOT_SEEN = limit(
  'GPU counters may be misread',
  'they are read by the published schema of Nsight Systems, which no real export was available to check',
);

const WORK_TYPES = ['profile', 'kernel', 'copy', 'set', 'graph', 'collective', 'end'] as const;

export class Overlap implements Analysis<readonly DeviceOverlap[]> {
  readonly types: RecordTypes;
  readonly derived?: true;
  readonly #headers = new Map<number, ProfileRecord>();
  readonly #devices = new Map<
    string,
    { readonly profile: number; readonly device: number; readonly sweep: DeviceSweep }
  >();
  #untimed = 0;

  /**
   * @param by column whose values are the kinds of work
   * @param measures whether the answer is what the GPU's counters measured
   */
  constructor(
    private readonly by: KernelColumn,
    private readonly measures = false,
  ) {
    this.types = new Set(measures ? [...WORK_TYPES, 'sample' as const] : WORK_TYPES);
    if (measures) this.derived = true;
  }

  take(item: Item): void {
    if (item instanceof Annotated) this.#add(item.record, this.#kindOf(item));
    else if (item.type === 'profile') this.#headers.set(item.profile, item);
    else if (item.type === 'sample') this.#measure(item);
    else if (item.type === 'copy' || item.type === 'set' || item.type === 'graph' || item.type === 'collective')
      this.#add(item, this.by.key === 'stream' ? streamName(item) : WORDS[item.type]);
  }

  #kindOf(item: Annotated): string {
    const { record } = item;
    const isOfEngine = this.by.key === 'stream' && isNeuronInstruction(record);
    return isOfEngine ? record.engine : textOf(this.by, this.by.value(item));
  }

  #add(record: StepActivity, kind: string): void {
    if (workOf(record) === null) return;
    const { profile, device, start, ps } = record;
    const duration = durationOf(record);
    if (duration === null || !Number.isFinite(start) || isCut(record)) {
      this.#untimed++;
      return;
    }
    this.#sweepOf(profile, device).add(kind, start, ps?.[0] ?? 0, duration);
  }

  #measure({ profile, device, metric, start, dur = null, value }: SampleRecord): void {
    const number = MEASURED.indexOf(metric);
    if (number !== -1 && device !== null && start !== null && dur !== null && value !== null)
      this.#sweepOf(profile, device).measure(number, start, dur, value);
  }

  #sweepOf(profile: number, device: number): DeviceSweep {
    const none = () => ({ profile, device, sweep: new DeviceSweep() });
    return entryOf(this.#devices, `${profile}/${device}`, none).sweep;
  }

  /** @throws UserError when no work of a device has a time */
  finish(): Answer<readonly DeviceOverlap[]> {
    const devices = [...this.#devices.values()].map(({ profile, device, sweep }) => ({
      ...{ profile, device, header: this.#headers.get(profile) ?? null, kinds: sweep.kinds },
      measured: sweep.measured,
    }));
    if (devices.length === 0) throw withoutDevice();
    if (this.measures) return measuredAnswer(devices);
    return {
      table: { columns: OVERLAP_COLUMNS, rows: rowsOf(devices) },
      facts: devices,
      notes: countNotes([this.#untimed, 'activity', ' left out', 'no start, no duration or no plausible end']),
    };
  }
}

/** @throws UserError when the GPU's counters were not recorded */
function measuredAnswer(devices: readonly DeviceOverlap[]): Answer<readonly DeviceOverlap[]> {
  const rows = devices.flatMap((on) => on.measured.map((times) => ({ on, times })));
  if (rows.length > 0) return { table: { columns: MEASURED_COLUMNS, rows }, facts: devices, notes: [NOT_SEEN] };
  throw new UserError('no GPU counters', {
    hint: 'nsys profile --gpu-metrics-devices=all records them; dparse --derived writes them to records',
  });
}
