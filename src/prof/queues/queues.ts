/**
 * `dprof queues`: turns work with its launches into the length of the queue of each stream, and the time that launch calls
 * were blocked because it was full. One pass.
 */
import { entryOf } from '../../containers/map-entry.js';
import { LogHistogram } from '../../containers/log-histogram.js';
import { addTimes } from '../../record/fields/times.js';
import type { CopyLine, KernelLine, ProfileLine, ProfileRecord, SetRecord } from '../../record/record.js';
import { column, knownColumn, int, real, type Column } from '../../table/column.js';
import { withoutDevice, type Analysis, type Answer, type RecordTypes } from '../analysis.js';
import { CallsSeen, launchOf, type LaunchCall } from '../input/device-activity.js';
import { UserError } from '../../record/errors.js';
import { CountOverTime } from './count-over-time.js';
import { StreamQueue } from './stream-queue.js';

/**
 * A queue of this length is full: the drivers of CUDA accept about 1,024 launches on a stream before a call waits for a free
 * place, and work that the profiler does not record takes some of these.
 */
export const FULL = 1000;
/** In ns. A launch call that takes longer while the queue is full waited for a place. */
export const BLOCKED = 20_000;

/** Whether a call is one of CUDA: the limits of other drivers are not known. */
const isOfCuda = ({ api }: LaunchCall): boolean => api?.startsWith('cu') === true;

/** The queue of a stream. Times are in ns. */
export interface QueueRow {
  readonly profile: number;
  readonly device: number;
  readonly stream: number | null;
  /** Kernels, copies and memsets with a known launch. */
  readonly launches: number;
  /** Distribution of the length of the queue when a launch call began. */
  readonly median: number;
  readonly p90: number;
  readonly longest: number;
  /** Launch calls that began when it was full; null, like the next two, where no call is one of CUDA. */
  readonly full: number | null;
  /** Number of these calls that were blocked, and their time. */
  readonly blocked: number | null;
  readonly blockedTime: number | null;
}

/** The mean length of the queues of a device in a stretch of time. */
export interface QueuePoint {
  readonly profile: number;
  readonly device: number;
  readonly start: number;
  readonly end: number;
  readonly mean: number;
}

const profileColumn = knownColumn('profile', 'Profile', int(4), 'number of the input, from 0', (row: QueueRow | QueuePoint) => row.profile, { narrowHeader: 'Prof' }); // prettier-ignore
const deviceColumn = knownColumn('device', 'Device', int(3), 'device', (row: QueueRow | QueuePoint) => row.device, { narrowHeader: 'Dev' }); // prettier-ignore

export const QUEUE_COLUMNS: readonly Column<QueueRow>[] = [
  profileColumn,
  deviceColumn,
  column('stream', 'Stream', int(3), 'stream', ({ stream }) => stream, { narrowHeader: 'Str' }),
  knownColumn(
    'launches',
    'Launches',
    int(8),
    'kernels, copies and memsets with a known launch',
    ({ launches }) => launches,
  ),
  knownColumn(
    'median',
    'Median',
    int(6),
    'median length of the queue when a launch call began, accurate to 1 %',
    ({ median }) => median,
  ),
  knownColumn('p90', 'P90', int(6), '90th percentile of this length, accurate to 1 %', ({ p90 }) => p90),
  knownColumn('longest', 'Longest', int(6), 'maximum of this length', ({ longest }) => longest),
  column(
    'full',
    'Full',
    int(6),
    `CUDA: launch calls that began with at least ${FULL} in the queue`,
    ({ full }) => full,
  ),
  column(
    'blocked',
    'Blocked',
    int(7),
    `calls counted in full that took more than ${BLOCKED / 1000} us`,
    ({ blocked }) => blocked,
  ),
  column(
    'blockedtime',
    'BlockedTime(ns)',
    int(12, 'ns'),
    'total time of the calls counted in blocked',
    ({ blockedTime }) => blockedTime,
    {
      narrowHeader: 'BlockTime',
    },
  ),
];

export const POINT_COLUMNS: readonly Column<QueuePoint>[] = [
  profileColumn,
  deviceColumn,
  knownColumn(
    'start',
    'Start(ns)',
    int(14, 'ns'),
    "start of the interval, from the profile's start",
    ({ start }) => start,
  ),
  knownColumn('end', 'End(ns)', int(14, 'ns'), "end of the interval, from the profile's start", ({ end }) => end),
  knownColumn(
    'mean',
    'Mean',
    real(10, 3),
    'mean number of launched kernels, copies and memsets that wait',
    ({ mean }) => mean,
  ),
];

class StreamSums {
  readonly #queue = new StreamQueue();
  readonly #calls = new CallsSeen();
  readonly #lengths = new LogHistogram();
  #isLimited = false;
  #full = 0;
  #blocked = 0;
  #blockedTime = 0;

  constructor(readonly place: Pick<QueueRow, 'profile' | 'device' | 'stream'>) {}

  /** Adds work in order of start time. */
  add(start: number, launch: LaunchCall): void {
    const length = this.#queue.add(start, launch.start);
    this.#lengths.add(length);
    this.#isLimited ||= isOfCuda(launch);
    if (length < FULL || !isOfCuda(launch) || !this.#calls.isNew(launch)) return;
    this.#full++;
    if (launch.dur === null || launch.dur <= BLOCKED) return;
    this.#blocked++;
    this.#blockedTime = addTimes(this.#blockedTime, launch.dur);
  }

  get row(): QueueRow {
    const { count = 0, p50 = 0, p90 = 0, max = 0 } = this.#lengths.distribution ?? {};
    return {
      ...this.place,
      ...{ launches: count, median: p50, p90, longest: max },
      ...(this.#isLimited
        ? { full: this.#full, blocked: this.#blocked, blockedTime: this.#blockedTime }
        : { full: null, blocked: null, blockedTime: null }),
    };
  }
}

export interface QueueFacts {
  readonly rows: readonly QueueRow[];
  readonly points: readonly QueuePoint[];
  readonly headers: ReadonlyMap<number, ProfileRecord>;
}

export class Queues implements Analysis<QueueFacts> {
  readonly types: RecordTypes = new Set(['profile', 'kernel', 'copy', 'set', 'end'] as const);
  readonly #headers = new Map<number, ProfileRecord>();
  readonly #streams = new Map<string, StreamSums>();
  readonly #devices = new Map<
    string,
    { readonly profile: number; readonly device: number; readonly waiting: CountOverTime }
  >();
  #activities = 0;

  /**
   * @param most maximum number of points of a device
   * @param isOverTime whether the table has these points instead of the streams
   */
  constructor(
    private readonly most: number,
    private readonly isOverTime: boolean,
  ) {}

  take(record: ProfileLine): void {
    if (record.type === 'profile') this.#headers.set(record.profile, record);
    if (record.type === 'kernel' || record.type === 'copy' || record.type === 'set') this.#add(record);
  }

  #add(record: KernelLine | CopyLine | SetRecord): void {
    this.#activities++;
    const launch = launchOf(record);
    const { profile, device, start } = record;
    const isOfGraph = record.type === 'kernel' && record.graph !== undefined;
    if (launch === null || isOfGraph || !Number.isFinite(start)) return;
    const stream = record.stream ?? null;
    const sums = entryOf(this.#streams, `${profile}/${device}/${stream ?? ''}`, () => new StreamSums({ profile, device, stream })); // prettier-ignore
    sums.add(start, launch);
    const { waiting } = entryOf(this.#devices, `${profile}/${device}`, () => ({
      profile,
      device,
      waiting: new CountOverTime(),
    }));
    waiting.add(Math.min(start, launch.start + (launch.dur ?? 0)), start);
  }

  /** @throws UserError when no launch of any work is known */
  finish(): Answer<QueueFacts> {
    if (this.#activities === 0) throw withoutDevice();
    if (this.#streams.size === 0) throw new UserError('no launches of kernels, copies or memsets');
    const rows = [...this.#streams.values()].map(({ row }) => row);
    const points = [...this.#devices.values()].flatMap(({ waiting, ...place }) =>
      waiting.means(this.most).map((point) => ({ ...place, ...point })),
    );
    const table = this.isOverTime ? { columns: POINT_COLUMNS, rows: points } : { columns: QUEUE_COLUMNS, rows };
    return { table, facts: { rows, points, headers: this.#headers } };
  }
}
