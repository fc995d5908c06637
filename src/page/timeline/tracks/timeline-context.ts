/**
 * Data about a profile from the page that a timeline shows too: how busy it was, gaps, advice, and remarks without a time.
 */
import type { FindingGroup } from '../../../prof/advise/grouped-findings.js';
import type { PageGap } from '../../../prof/html/idle/idle-data.js';
import type { PageProfile } from '../../../prof/html/page-data.js';
import type { Utilisation } from '../../../prof/html/utilisation/utilisation-data.js';
import { quantityText } from '../../document/units.js';

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
  const own = findings.filter(({ finding }) => finding.profile === number);
  const advice = own.map(({ what, finding }) => ({
    text: `advice ${finding.rule}: ${what}`,
    kernels: finding.kernels.flatMap((kernel) => {
      const [of, id] = kernel.split(':').map(Number);
      return of === number && id !== undefined ? [id] : [];
    }),
  }));
  const { utilisation, gaps } = profile;
  return { utilisation, gaps, advice, untimed: untimedOf(profile) };
}

const SHIFT = /^device_(\d+)_clock_shift_ns$/;

/** Warnings of the reader, shifted clocks, and warnings from the vendor's metrics. */
function untimedOf({ overview, diagnosticTexts, neuron }: PageProfile): string[] {
  const facts = overview.header?.facts ?? {};
  const clocks = Object.entries(facts).flatMap(([name, shift]) => {
    const device = SHIFT.exec(name)?.[1];
    return device === undefined ? [] : [clockText(device, shift, facts[`device_${device}_clock_bound_ns`])];
  });
  const warnings = Object.entries(overview.diagnostics).flatMap(([name, count]) => {
    const said = diagnosticTexts[name];
    return said === undefined || said.severity === 'note' ? [] : [`${said.text}: ${quantityText(count, 'count')}`];
  });
  const ofVendor = (neuron?.metrics ?? []).flatMap(({ warnings: all }) => all.map(({ text }) => text));
  return [...clocks, ...warnings, ...ofVendor];
}

function clockText(device: string, shift: string | number, bound: string | number | undefined): string {
  if (typeof shift !== 'number')
    return `the clock of device ${device} differs from the CPU's, and no launch shows by how much`;
  const off = typeof bound === 'number' ? ` (accurate to ${quantityText(bound, 'ns')})` : '';
  return `all times of device ${device} were moved ${quantityText(Math.abs(shift), 'ns')} ${shift < 0 ? 'earlier' : 'later'}, because its clock differs from the CPU's${off}`;
}
