/** Findings of one rule about several devices of a profile as one. */
import { entryOf } from '../../containers/map-entry.js';
import type { Finding } from './finding.js';

/** Of one rule, and about one kind of work: what shows more of it is one command. */
export interface FindingGroup {
  /** That of which most is at stake. */
  readonly finding: Finding;
  /** In order; empty for one about all devices. */
  readonly devices: readonly number[];
  /** Least and most of the findings' shares of their device's time. */
  readonly shares: readonly [least: number, most: number];
}

/** @param findings most at stake first; groups are in that order too */
export function groupedFindings(findings: readonly Finding[], shareOf: (finding: Finding) => number): FindingGroup[] {
  const groups = new Map<string, Finding[]>();
  for (const finding of findings) {
    const { rule, profile, see } = finding;
    entryOf(groups, `${rule} ${profile} ${see}`, (): Finding[] => []).push(finding);
  }
  return [...groups.values()].flatMap((group) => {
    const [finding] = group;
    if (finding === undefined) return [];
    const shares = group.map(shareOf).sort((a, b) => a - b);
    const devices = group.flatMap(({ device }) => (device === null ? [] : [device])).sort((a, b) => a - b);
    return [{ finding, devices, shares: [shares[0] ?? 0, shares.at(-1) ?? 0] as const }];
  });
}
