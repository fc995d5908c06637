/** The records of a job's trace: which of them are selected, and their times on the job's clock. */
import type { ProfileLine } from '../../record/record.js';
import type { JobReport } from '../ranks/job-report.js';
import type { RankPart } from '../ranks/part/rank-part.js';
import { MemberArrows } from './arrows.js';
import { elementAt } from '../../containers/element.js';
import { jobTime, type RankClock } from '../ranks/clocks/job-clocks.js';

/** A job with its parts by the number of their profile. */
export interface JobOfProfiles {
  readonly report: JobReport;
  readonly profiles: ReadonlyMap<number, readonly RankPart[]>;
}

/** The selection; null for all. */
export interface Chosen {
  readonly ranks: ReadonlySet<number> | null;
  readonly steps: ReadonlySet<number> | null;
}

interface Span {
  readonly from: number;
  readonly to: number;
}

/** Selects records: those of selected ranks, and those in the time of selected steps. */
export class TraceWindow {
  /** Whether each profile belongs to a selected rank. */
  readonly #isChosen = new Map<number, boolean>();
  /** Time of the selected steps by profile. Empty when all steps are selected. */
  readonly #spans = new Map<number, Span>();

  /** @param job needed only for steps */
  constructor(
    private readonly chosen: Chosen,
    job: JobOfProfiles | null,
  ) {
    if (chosen.steps === null || job === null) return;
    for (const [profile, parts] of job.profiles) this.#spans.set(profile, spanOf(parts, chosen.steps));
  }

  /** Whether ranks or steps are selected. */
  get isPart(): boolean {
    return this.chosen.ranks !== null || this.chosen.steps !== null;
  }

  shown(record: ProfileLine): boolean {
    const { ranks } = this.chosen;
    if (ranks !== null && record.type === 'profile')
      this.#isChosen.set(record.profile, record.rank === null || ranks.has(record.rank));
    if (this.#isChosen.get(record.profile) === false) return false;
    if (!('start' in record) || record.start === null) return true;
    return this.isInSteps(record.profile, record.start);
  }

  /** Whether a time is in the selected steps. */
  isInSteps(profile: number, time: number): boolean {
    return isWithin(this.#spans.get(profile), time);
  }

  /** Arrows between operations of the selected ranks in the time of the selected steps, which differs from rank to rank. */
  arrows({ report, profiles }: JobOfProfiles, nextFlow: () => number): MemberArrows {
    const { ranks } = this.chosen;
    const spans = new Map(
      [...profiles].flatMap(([profile, parts]) => parts.map((part) => [part, this.#spans.get(profile)] as const)),
    );
    const isShown = (part: RankPart, start: number): boolean =>
      (ranks === null || part.rank === null || ranks.has(part.rank)) && isWithin(spans.get(part), start);
    return new MemberArrows(report, profiles, isShown, nextFlow);
  }
}

/** @param span undefined for the whole time */
const isWithin = (span: Span | undefined, start: number): boolean =>
  span === undefined || (start >= span.from && start <= span.to);

/**
 * Time from the start of the first selected step on the host, or from its first work, to the end of the last step;
 * empty when there is none.
 */
function spanOf(parts: readonly RankPart[], steps: ReadonlySet<number>): Span {
  let [from, to] = [Infinity, -Infinity];
  for (const { steps: columns } of parts)
    for (const [index, step] of columns.step.entries()) {
      if (step === null || !steps.has(step)) continue;
      from = Math.min(from, (columns.start[index] ?? Infinity) - Math.max(0, columns.preparing[index] ?? 0));
      to = Math.max(to, columns.end[index] ?? -Infinity);
    }
  return { from, to };
}

/** Converts the records of a rank to the job's clock. */
export class JobTimes {
  /** Clocks by profile number. */
  readonly #clocks = new Map<number, { readonly clock: RankClock; readonly start: number }>();
  readonly #origin: bigint;

  /** @param profiles parts by the number of their profile */
  constructor({ parts, ranks }: JobReport, profiles: ReadonlyMap<number, readonly RankPart[]>) {
    const clockOf = new Map(ranks.map(({ part, clock }) => [elementAt(parts, part), clock] as const));
    for (const [profile, [first]] of profiles) {
      const clock = first === undefined ? undefined : clockOf.get(first);
      if (clock !== undefined) this.#clocks.set(profile, { clock, start: Math.round(jobTime(clock, 0)) });
    }
    const starts = parts.flatMap(({ startUnixNs }) => (startUnixNs === null ? [] : [BigInt(startUnixNs)]));
    const earliest = starts.reduce((least, start) => (start < least ? start : least), starts[0] ?? 0n);
    // No time may be negative.
    const least = [...this.#clocks.values()].reduce((all, { start }) => Math.min(all, start), 0);
    this.#origin = earliest + BigInt(least) < 0n ? BigInt(-least) : earliest;
  }

  /** The same record with times on the job's clock; unchanged when its profile has no clock. */
  retimed(record: ProfileLine): ProfileLine {
    const timing = this.#clocks.get(record.profile);
    if (timing === undefined) return record;
    if (record.type === 'profile') return { ...record, startUnixNs: String(this.#origin + BigInt(timing.start)) };
    if (!('start' in record) || record.start === null) return record;
    const { profile, start, dur = null } = record as { profile: number; start: number; dur?: number | null };
    const times = dur === null ? { start: this.spanOf(profile, start, 0).start } : this.spanOf(profile, start, dur);
    const launch = 'launch' in record ? record.launch : undefined;
    if (launch === null || launch === undefined) return { ...record, ...times };
    return {
      ...record,
      ...times,
      launch: { ...launch, ...this.spanOf(profile, launch.start, launch.dur) },
    } as ProfileLine;
  }

  /** A time of a profile on the job's clock; unchanged when the profile has no clock. */
  spanOf(profile: number, start: number, dur: number): { readonly start: number; readonly dur: number } {
    const timing = this.#clocks.get(profile);
    if (timing === undefined) return { start, dur };
    const at = (time: number): number => Math.round(jobTime(timing.clock, time)) - timing.start;
    return { start: at(start), dur: at(start + dur) - at(start) };
  }
}
