/** Findings of one rule about several devices of a profile as one. */
import { entryOf } from '../../containers/map-entry.js';
import { time } from './amount-text.js';
import type { Finding, Gain } from './finding.js';

/** Of one rule, and about one kind of work: what shows more of it is one command. */
export interface FindingGroup {
  /** One line: what was found; of several devices how much on all, and what on that with most. */
  readonly what: string;
  /** One line, of the device with most; empty where there is no more to say. */
  readonly details: string;
  /** That of which most is at stake: its figures are those of its device alone. */
  readonly finding: Finding;
  /** In order; empty for one about all devices. */
  readonly devices: readonly number[];
  /** Least and most of the findings' shares of their device's time. */
  readonly shares: readonly [least: number, most: number];
  /** Of all its findings. */
  readonly stake: number;
  readonly count: number;
  /** Null where that of any is not known. */
  readonly gain: Gain | null;
}

/** @param findings most at stake first. @returns most at stake first */
export function groupedFindings(findings: readonly Finding[], shareOf: (finding: Finding) => number): FindingGroup[] {
  const groups = new Map<string, Finding[]>();
  for (const finding of findings) {
    const { rule, profile, see } = finding;
    entryOf(groups, `${rule} ${profile} ${see}`, (): Finding[] => []).push(finding);
  }
  return [...groups.values()].flatMap((group) => groupOf(group, shareOf)).sort((a, b) => b.stake - a.stake);
}

function groupOf(group: readonly Finding[], shareOf: (finding: Finding) => number): FindingGroup[] {
  const [finding] = group;
  if (finding === undefined) return [];
  const { what, details = '', device } = finding;
  const isOne = group.length === 1;
  const stake = sumOf(group, (one) => one.stake);
  const shares = group.map(shareOf).sort((a, b) => a - b);
  const on = `on device ${device ?? 'unknown'}: `;
  return [
    {
      what: isOne ? what : `${time(stake)} in all, most ${on}${what}`,
      details: isOne || details === '' ? details : `${on}${details}`,
      finding,
      devices: group.flatMap((one) => one.device ?? []).sort((a, b) => a - b),
      shares: [shares[0] ?? 0, shares.at(-1) ?? 0],
      ...{ stake, count: sumOf(group, ({ count }) => count), gain: gainOf(group, on) },
    },
  ];
}

const sumOf = (group: readonly Finding[], of: (finding: Finding) => number): number =>
  group.reduce((sum, finding) => sum + of(finding), 0);

/** @param on the device that the formula has the figures of */
function gainOf(group: readonly Finding[], on: string): Gain | null {
  const [gain = null] = group.map((finding) => finding.gain);
  if (gain === null || group.length === 1) return gain;
  if (group.some((finding) => finding.gain === null)) return null;
  const isBound = group.every((finding) => finding.gain?.isBound);
  return {
    ns: sumOf(group, (finding) => finding.gain?.ns ?? 0),
    how: `summed over the devices; ${on}${gain.how}`,
    isBound,
  };
}
