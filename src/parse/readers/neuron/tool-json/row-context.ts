/** Context for reading the rows of a file: the clock of its tables, and the core of each subgraph. */
import type { Diagnostics } from '../../../../record/diagnostics.js';
import { isNear } from '../../../trace/clocks/trace-clock.js';
import { least } from '../../../../containers/element.js';
import { numberOf, rawTextOf, type ToolRow } from './json-tables.js';
import type { ToolFile } from './table-scan.js';

/** Converts table times to nanoseconds since the capture's start. */
export interface TableClock {
  /** Number of nanoseconds in one unit of the table. */
  readonly scale: number;
  /** Time of the capture's start, in the table's unit. */
  readonly origin: number;
  /** Whether the unit could not be inferred. */
  readonly isAssumed: boolean;
}

/** Units per second, for s, ms, µs, ns and ps. */
const PER_SECOND = [1, 1e3, 1e6, 1e9, 1e12] as const;

/** Lengths that differ by less than this factor have the same unit. */
const AGREEMENT = 10;

/**
 * Infers the unit of table times. No file states it: known versions write nanoseconds, and others are reported to use other
 * units. The unit follows from the capture's length in seconds, which the summary or the metadata's dates contain, and the
 * same length in the unit of the tables.
 * @param metadata the only row of the table with that name
 * @param totalSeconds length of the capture, from the summary; null when unknown
 * @param range first and last start of all rows, in the unit; infinite when there are no rows
 */
export function clockOf(
  metadata: ToolRow,
  totalSeconds: number | null,
  [earliest, latest]: readonly [earliest: number, latest: number],
): TableClock {
  const first = numberOf(metadata['first_hw_timestamp']);
  const last = numberOf(metadata['last_hw_timestamp']);
  const hasRows = latest >= earliest;
  // If rows start before the first timestamp, times are already relative to the capture's start. This does not apply
  // when only a damaged row starts earlier. The last row is then nearer to the last timestamp than to the length.
  const isLate = first !== null && last !== null && Math.abs(latest - last) < Math.abs(latest - (last - first));
  const origin = first !== null && (!hasRows || earliest >= first || isLate) ? first : 0;
  const seconds = totalSeconds ?? secondsBetween(metadata['first_ts'], metadata['last_ts']);
  // The metadata's timestamps are preferred, because the last row is only near the end of the capture.
  const length = last !== null ? last - (first ?? 0) : hasRows ? latest - origin : null;
  const perSecond =
    seconds !== null && length !== null && seconds > 0 && length > 0
      ? PER_SECOND.find((unit) => Math.abs(Math.log10(length / seconds / unit)) < Math.log10(AGREEMENT))
      : undefined;
  return { scale: 1e9 / (perSecond ?? 1e9), origin, isAssumed: perSecond === undefined && hasRows };
}

/** Whole nanoseconds, rounded down after correcting the rounding error of decimal times. */
export const nanoseconds = (clock: TableClock, value: number): number => Math.floor(value * clock.scale + 1e-4);

/** A time between two events in ns; null when it is negative, or longer than any event can last. */
export function durationIn(clock: TableClock, value: number): number | null {
  const duration = nanoseconds(clock, value);
  return duration >= 0 && isNear(duration) ? duration : null;
}

const DATE = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,12}))?Z$/;

/** Seconds between two dates with up to twelve decimals; null when one is invalid. */
function secondsBetween(from: unknown, to: unknown): number | null {
  const [start, end] = [from, to].map((cell) => {
    const match = DATE.exec(rawTextOf(cell) ?? '');
    const whole = Date.parse(`${match?.[1] ?? ''}Z`);
    return Number.isNaN(whole) ? null : { whole: whole / 1000, part: Number(`0.${match?.[2] ?? '0'}`) };
  });
  if (!start || !end) return null;
  return end.whole - start.whole + (end.part - start.part);
}

/** Cores that run collective operations (CC-cores) by the id of their stream, lowest core first. */
export type CollectiveStreams = ReadonlyMap<number, readonly number[]>;

export interface TableContext {
  readonly profile: number;
  /** Rank of the capture; null when unknown. */
  readonly rank: number | null;
  readonly clock: TableClock;
  readonly cores: SubgraphCores;
  readonly streams: CollectiveStreams;
  readonly diagnostics: Diagnostics;
}

/**
 * Duration of a row in ns; null when it has no valid one.
 * @param start start of the row, which may state its end instead of a duration
 */
export function durationOf(row: ToolRow, start: number, { clock, diagnostics }: TableContext): number | null {
  const end = numberOf(row['end_ts']);
  const cell = row['duration'] ?? row['duration_ns'] ?? (end === null ? row['end_ts'] : end - start);
  const value = numberOf(cell);
  if (value === null) {
    if (cell !== undefined && cell !== null) diagnostics.count('bad-row');
    return null;
  }
  if (value < 0) diagnostics.count('negative-duration');
  return durationIn(clock, value);
}

/** NeuronCores by subgraph: rows name subgraphs, and a table lists the core on which each was loaded. */
export class SubgraphCores {
  readonly #byName = new Map<string, number>();
  readonly #known: ReadonlySet<number>;
  readonly #only: number;

  constructor(file: ToolFile) {
    for (const row of file.rows('model_info')) {
      const name = rawTextOf(row['sg_name']);
      const core = numberOf(row['nc_idx']);
      if (name !== null && core !== null && !this.#byName.has(name)) this.#byName.set(name, core);
    }
    // Without that table, the core of a single subgraph is in the summary, and several subgraphs are numbered.
    const left = file.subgraphs.filter((name) => !this.#byName.has(name));
    const inSummary = left.length === 1 && this.#byName.size === 0 ? numberOf(file.row('summary')['nc_idx']) : null;
    left.sort().forEach((name, i) => this.#byName.set(name, inSummary ?? numberIn(name) ?? i));
    this.#known = new Set(this.#byName.values());
    this.#only = this.#known.size === 0 ? 0 : least(this.#known);
  }

  get all(): readonly number[] {
    return [...this.#known].sort((a, b) => a - b);
  }

  /** Core of a subgraph; null when unknown. */
  of(subgraph: string): number | null {
    return this.#byName.get(subgraph) ?? null;
  }

  /** Core of a row; the lowest one when the row names no subgraph. */
  ofRow(row: ToolRow): number {
    const name = rawTextOf(row['subgraph']) ?? subgraphOf(row['fully_qualified_subgraph']);
    return (name === null ? null : this.of(name)) ?? this.#only;
  }
}

/** The subgraph at the beginning of a path such as `/sg00/layer`; null when there is none. */
export function subgraphOf(path: unknown): string | null {
  return rawTextOf(path)?.replace(/^\//, '').split('/')[0] ?? null;
}

/** Number at the end of a subgraph's name: 1 for `sg01`. */
function numberIn(name: string): number | null {
  const digits = /\d{1,4}$/.exec(name)?.[0];
  return digits === undefined ? null : Number(digits);
}
