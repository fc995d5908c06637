/**
 * Host activity by name: annotations, ops, or calls of the device's library, with the device work that they caused. Memory:
 * each name, and 12 bytes per range.
 */
import { entryOf } from '../../../containers/map-entry.js';
import { orNull } from '../../../containers/numeric-column.js';
import { UserError } from '../../../record/errors.js';
import { isCubeClass } from '../../../record/neuron/neuron-cores.js';
import type {
  CollectiveLine,
  Context,
  KernelLine,
  ProfileLine,
  RangeKind,
  RangeRecord,
} from '../../../record/record.js';
import { spreadOf, type Spread } from '../../../record/statistics.js';
import { isDeviceActivity } from '../../input/device-activity.js';
import { GroupDurations } from '../group-durations.js';
import { NamedTimes, hostRangeName, rangeAmong } from './range-name.js';

/** The kind of rows of a table. */
export interface HostTableKind {
  /** Header of the column of names. */
  readonly header: string;
  /** Name of the rows, for the message that there are none. */
  readonly what: string;
  readonly ranges: ReadonlySet<RangeKind>;
  /** Header of the column with the number of pieces of work, and whether it counts all work or only kernels. */
  readonly launched: string;
  readonly isAllWork: boolean;
  /** Names of the rows to which a piece of device work belongs. */
  readonly namesOf: (record: ProfileLine) => ReadonlySet<string>;
  /** The innermost of these names; absent when names do not determine it. */
  readonly innermostOf?: (record: ProfileLine) => string | null;
}

const NOTHING: ReadonlySet<string> = new Set();

/** A piece of work counts once per name, however often a range of that name is open. */
function distinct(...lists: readonly (readonly string[])[]): ReadonlySet<string> {
  const names = new Set<string>();
  for (const list of lists) for (const name of list) names.add(name);
  return names;
}

const isWork = (record: ProfileLine): record is KernelLine | CollectiveLine =>
  record.type === 'kernel' || record.type === 'collective';

const ENGINE_RANGE = 'autograd::engine::evaluate_function: ';

const markedOp = (text: string): string => hostRangeName({ kind: 'op', domain: null, text });

const ofKernel =
  (namesOf: (kernel: Partial<Context>) => ReadonlySet<string>): HostTableKind['namesOf'] =>
  (record) =>
    isWork(record) ? namesOf(record) : NOTHING;

/** A communication operation is not a kernel, though its time counts. */
const KERNELS = { launched: 'Kernels', isAllWork: false } as const;

export const HOST_TABLES: Readonly<Record<string, HostTableKind>> = {
  range: {
    header: 'Range',
    what: 'annotations or layers on the CPU',
    ranges: new Set(['annotation', 'layer']),
    ...KERNELS,
    namesOf: ofKernel(({ ranges = [], callerRanges = [], layer = [] }) => distinct(ranges, callerRanges, layer)),
  },
  hostop: {
    header: 'HostOp',
    what: 'CPU ops',
    ranges: new Set(['op']),
    ...KERNELS,
    namesOf: ofKernel(({ calls = [], seqMarker = [] }) =>
      distinct(
        calls.map(({ op }) => op),
        seqMarker.map(markedOp),
        // In some profiles the engine's range around a node has no sequence number, and therefore no marker.
        seqMarker.map((text) => `${ENGINE_RANGE}${markedOp(text)}`),
      ),
    ),
    innermostOf: (record) => {
      if (!isWork(record)) return null;
      const [call, marker] = [record.calls?.at(-1), record.seqMarker?.at(-1)];
      // Calls that PyProf describes enclose dispatcher ops. Recorded calls may be of either kind, but markers
      // describe only dispatcher ops.
      const isInner = marker !== undefined && call?.from === undefined;
      return isInner ? markedOp(marker) : (call?.op ?? null);
    },
  },
  api: {
    header: 'Api',
    what: 'calls to the device runtime and to system libraries',
    ranges: new Set(['api']),
    launched: 'Launched',
    isAllWork: true,
    namesOf: (record) => {
      const launch = isDeviceActivity(record) && record.type !== 'sync' ? (record.launch ?? null) : null;
      if (launch === null || launch.api === null) return NOTHING;
      return new Set([hostRangeName({ kind: 'api', domain: launch.domain ?? null, text: launch.api })]);
    },
  },
};

interface Work {
  count: number;
  /** Unit: ns; NaN when one of the durations is unknown. */
  time: number;
  /** The part of this time, in ns, for work that no inner op launched. */
  self: number;
  /** Time of kernels on AI Cores, and the `self` part of it, in ns; NaN when the core of a kernel is unknown. */
  cube: number;
  cubeSelf: number;
}

interface Sums {
  readonly group: number;
  /** Sum over threads of the time in which the thread was in one of the ranges. */
  host: number;
  self: number;
}

export interface HostTableRow {
  readonly name: string;
  /** Time in ns that threads were in the ranges; a range within another of the same name does not count twice. */
  readonly host: number;
  /** Spread of the durations in ns, which are sorted. */
  readonly spread: Spread;
  readonly durations: Float64Array;
  /** Time without inner ranges; null when the records have none. */
  readonly self: number | null;
  /** Sum of `host` over all rows. */
  readonly whole: number;
  /** Device work within the ranges or, for calls, work that they launched. Values that no record has are NaN. */
  readonly work: Readonly<Work>;
}

const MOST_NAMES = 300_000;
/** Maximum number of characters of all names. */
const MOST_TEXT = 64 * 1024 * 1024;
const noWork = (): Work => ({ count: 0, time: 0, self: 0, cube: 0, cubeSelf: 0 });

export class HostTable {
  readonly #names = new Map<string, Sums>();
  readonly #work = new Map<string, Work>();
  readonly #durations = new GroupDurations();
  readonly #times = new NamedTimes();
  #whole = 0;
  /** Whether any kernel has the kind of core that it ran on. */
  #hasCores = false;
  #text = 0;
  /** Number of ranges without known times. No row contains them. */
  untimed = 0;

  constructor(private readonly kind: HostTableKind) {}

  get isEmpty(): boolean {
    return this.#names.size === 0;
  }

  /** @throws UserError when there are too many names */
  take(record: ProfileLine): void {
    if (record.type === 'range') {
      this.#addRange(record);
      return;
    }
    if (!('dur' in record)) return;
    const { isAllWork, namesOf, innermostOf } = this.kind;
    const innermost = innermostOf?.(record) ?? null;
    const dur = record.dur ?? NaN;
    const cube = this.#cubeTime(record, dur);
    for (const name of namesOf(record)) {
      const work = entryOf(this.#work, name, noWork);
      if (isAllWork || record.type === 'kernel') work.count++;
      work.time += dur;
      work.cube += cube;
      if (name !== innermost) continue;
      work.self += dur;
      work.cubeSelf += cube;
    }
  }

  /** Time on an AI Core; NaN for a kernel on an unknown kind of core. */
  #cubeTime(record: ProfileLine, dur: number): number {
    if (record.type !== 'kernel') return 0;
    const { engine } = record;
    if (engine === undefined) return NaN;
    this.#hasCores = true;
    return isCubeClass(engine) ? dur : 0;
  }

  #addRange(found: RangeRecord): void {
    const record = rangeAmong(this.kind.ranges, found);
    if (record === null) return;
    const { dur, self = NaN } = record;
    if (!Number.isFinite(dur)) {
      this.untimed++;
      return;
    }
    const name = hostRangeName(record);
    const sums = this.#sumsOf(name);
    sums.self += self;
    const { added, isAgain } = this.#times.take(record, name);
    if (isAgain) return;
    this.#durations.add(sums.group, dur);
    sums.host += added;
    this.#whole += added;
  }

  #sumsOf(name: string): Sums {
    return entryOf(this.#names, name, () => {
      this.#text += name.length;
      if (this.#names.size < MOST_NAMES && this.#text <= MOST_TEXT)
        return { group: this.#names.size, host: 0, self: 0 };
      throw new UserError(`too many distinct CPU range names: more than ${this.#names.size}`);
    });
  }

  #stated(work: Work): Work {
    const hasSelf = this.kind.innermostOf !== undefined;
    const cube = this.#hasCores ? work.cube : NaN;
    const cubeSelf = this.#hasCores && hasSelf ? work.cubeSelf : NaN;
    return { ...work, self: hasSelf ? work.self : NaN, cube, cubeSelf };
  }

  *rows(): Generator<HostTableRow> {
    const { durations, begins } = this.#durations.inOrder(Uint32Array.from({ length: this.#names.size }, (_, i) => i));
    for (const [name, { group, host, self }] of this.#names) {
      const groupDurations = durations.slice(begins[group], begins[group + 1]);
      yield {
        name,
        host,
        spread: spreadOf(groupDurations),
        durations: groupDurations,
        self: orNull(self),
        whole: this.#whole,
        work: this.#stated(this.#work.get(name) ?? noWork()),
      };
    }
  }
}
