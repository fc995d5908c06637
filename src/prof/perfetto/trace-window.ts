/** Selects the records of a job's trace: those of selected ranks, and those in the time of selected steps. */
import type { ProfileLine } from '../../record/record.js';
import type { JobReport } from '../ranks/job-report.js';
import type { RankPart } from '../ranks/part/rank-part.js';
import { MemberArrows } from './arrows.js';

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
