/** Converts the records of a rank to the job's clock. */
import { elementAt } from '../../containers/element.js';
import type { ProfileLine } from '../../record/record.js';
import { jobTime, type RankClock } from './clocks/job-clocks.js';
import type { JobReport } from './job-report.js';
import type { RankPart } from './part/rank-part.js';

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
    const of = this.#clocks.get(record.profile);
    if (of === undefined) return record;
    if (record.type === 'profile') return { ...record, startUnixNs: String(this.#origin + BigInt(of.start)) };
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
    const of = this.#clocks.get(profile);
    if (of === undefined) return { start, dur };
    const at = (time: number): number => Math.round(jobTime(of.clock, time)) - of.start;
    return { start: at(start), dur: at(start + dur) - at(start) };
  }
}
