/**
 * Data about a profile from the page that a timeline shows too: how busy it was, gaps, advice, and remarks without a time.
 */
import type { FindingGroup } from '../../../prof/advise/grouped-findings.js';
import type { PageGap } from '../../../prof/html/idle/idle-data.js';
import type { PageProfile } from '../../../prof/html/page-data.js';
import type { Utilisation } from '../../../prof/html/utilisation/utilisation-data.js';

/** A finding, and some of the kernels that it concerns. */
export interface KernelAdvice {
  readonly text: string;
  readonly kernels: readonly number[];
}

export interface TimelineContext {
  readonly utilisation: Utilisation | null;
  readonly gaps: readonly PageGap[];
  readonly advice: readonly KernelAdvice[];
  /** Remarks, one line each. */
  readonly untimed: readonly string[];
}

/** @param profile its index on the page */
export type ContextOfProfile = (profile: number) => Promise<TimelineContext>;

export const NO_CONTEXT: TimelineContext = { utilisation: null, gaps: [], advice: [], untimed: [] };

export function contextOf(profile: PageProfile, findings: readonly FindingGroup[]): TimelineContext {
  const number = profile.overview.profile;
  const groups = findings.filter(({ finding }) => finding.profile === number);
  const advice = groups.map(({ what, finding }) => ({
    text: `advice ${finding.rule}: ${what}`,
    kernels: finding.kernels.flatMap((kernel) => {
      const [owner, id] = kernel.split(':').map(Number);
      return owner === number && id !== undefined ? [id] : [];
    }),
  }));
  const { utilisation, gaps } = profile;
  return { utilisation, gaps, advice, untimed: untimedOf(profile) };
}

/** Losses and doubts of the profile, as in `dprof check`, and warnings from the vendor's metrics. */
function untimedOf({ check, neuron }: PageProfile): string[] {
  const faults = check.reasons.filter(({ level }) => level !== 'limit').map(({ what }) => what);
  const ofVendor = (neuron?.metrics ?? []).flatMap(({ warnings: all }) => all.map(({ text }) => text));
  return [...faults, ...ofVendor];
}
