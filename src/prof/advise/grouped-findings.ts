/** Merges the findings of one rule about several devices of a profile, or about several profiles. */
import { elementAt, largest } from '../../containers/element.js';
import { entryOf, groupsOf } from '../../containers/map-entry.js';
import { time } from './wording.js';
import type { ProfileRecord } from '../../record/record.js';
import type { Finding, Gain } from './finding.js';
import { JOB_RULE } from './rule.js';

/** Findings of one rule about one kind of work on several devices, for which the same command shows more. */
export interface FindingGroup {
  /** One line: what was found. For several devices, it has the total and the figures of the most affected device. */
  readonly what: string;
  /** One line about the most affected device; empty when there is nothing to add. */
  readonly details: string;
  /** The finding with most at stake; its figures are those of its device alone. */
  readonly finding: Finding;
  /** Devices in order; empty for a finding about all devices. */
  readonly devices: readonly number[];
  /** Numbers of the profiles that it is about, in order. */
  readonly profiles: readonly number[];
  /** Smallest and largest of the findings' shares of their device's time. */
  readonly shares: readonly [least: number, most: number];
  /** Total over all its findings. */
  readonly stake: number;
  readonly count: number;
  /** Null when the gain of any finding is unknown. */
  readonly gain: Gain | null;
}

/** Returns the name of the profile and device that a finding is about. */
type NameOf = (finding: Finding) => string;

const deviceName: NameOf = ({ device }) => `device ${device ?? 'unknown'}`;

/** The part of an adviser that `adviceGroups` uses. */
interface Advised {
  readonly findings: readonly Finding[];
  readonly profiles: ReadonlyMap<number, ProfileRecord>;
  shareOf(finding: Finding): number;
}

/** Whether all findings about a profile are about one device, so that the name of the profile is enough. */
export const hasOneDevice = (profile: number, { findings }: Pick<Advised, 'findings'>): boolean =>
  new Set(findings.flatMap((finding) => (finding.profile === profile ? (finding.device ?? []) : []))).size < 2;

/** `rank 3`; for a profile without a rank, its file; without a file, its number. */
export function profileName(profile: number, profiles: ReadonlyMap<number, ProfileRecord>): string {
  const header = profiles.get(profile);
  if (header === undefined) return `profile ${profile}`;
  return header.rank === null ? header.file : `rank ${header.rank}`;
}

/** The findings of an adviser, with the findings of one rule about several ranks or devices merged. */
export function adviceGroups(adviser: Advised): FindingGroup[] {
  const { findings, profiles } = adviser;
  const name: NameOf = ({ profile, device }) =>
    [
      profileName(profile, profiles),
      ...(device === null || hasOneDevice(profile, adviser) ? [] : [`device ${device}`]),
    ].join(', ');
  return groupedFindings(findings, (finding) => adviser.shareOf(finding), profiles.size > 1 ? name : undefined);
}

/**
 * @param findings in the order of the adviser
 * @param nameOf name of the most affected profile and device, when findings about several profiles are merged
 * @returns groups in the order of their first findings
 */
export function groupedFindings(
  findings: readonly Finding[],
  shareOf: (finding: Finding) => number,
  nameOf?: NameOf,
): FindingGroup[] {
  const groups = new Map<string, Finding[]>();
  for (const [index, finding] of findings.entries()) {
    const { rule, profile, see } = finding;
    // Causes in a job are never merged.
    const place = rule === JOB_RULE ? index : nameOf === undefined ? profile : '';
    entryOf(groups, `${rule} ${place} ${see}`, (): Finding[] => []).push(finding);
  }
  return [...groups.values()]
    .flatMap(apart)
    .sort((a, b) => findings.indexOf(elementAt(a, 0)) - findings.indexOf(elementAt(b, 0)))
    .map((group) => groupOf(group, shareOf, nameOf ?? deviceName));
}

/** Keeps several findings about one device apart: they are about different work, and their advice differs. */
function apart(group: readonly Finding[]): (readonly Finding[])[] {
  const places = new Set(group.map(({ profile, device }) => `${profile} ${device ?? ''}`));
  if (places.size === group.length) return [group];
  const parts = [...groupsOf(group, ({ action }) => action).values()];
  return parts.length === 1 ? group.map((finding) => [finding]) : parts.flatMap(apart);
}

function groupOf(group: readonly Finding[], shareOf: (finding: Finding) => number, nameOf: NameOf): FindingGroup {
  const most = largest(group.map(({ stake }) => stake));
  const finding = group.find(({ stake }) => stake === most) ?? elementAt(group, 0);
  const { what, details = '' } = finding;
  const isOne = group.length === 1;
  const stake = sumOf(group, (one) => one.stake);
  const shares = group.map(shareOf).sort((a, b) => a - b);
  const on = `on ${nameOf(finding)}: `;
  return {
    what: isOne ? what : `${time(stake)} in all, most ${on}${what}`,
    details: isOne || details === '' ? details : `${on}${details}`,
    finding,
    devices: inRising(group.flatMap((one) => one.device ?? [])),
    profiles: inRising(group.map(({ profile }) => profile)),
    shares: [shares[0] ?? 0, shares.at(-1) ?? 0],
    stake,
    count: sumOf(group, ({ count }) => count),
    gain: gainOf(group, on, nameOf === deviceName ? 'devices' : 'ranks'),
  };
}

const inRising = (numbers: readonly number[]): number[] => [...new Set(numbers)].sort((a, b) => a - b);

const sumOf = (group: readonly Finding[], of: (finding: Finding) => number): number =>
  group.reduce((sum, finding) => sum + of(finding), 0);

/** @param on the device whose figures are in the formula @param all description of what the sum includes */
function gainOf(group: readonly Finding[], on: string, all: string): Gain | null {
  const [gain = null] = group.map((finding) => finding.gain);
  if (gain === null || group.length === 1) return gain;
  if (group.some((finding) => finding.gain === null)) return null;
  const isBound = group.every((finding) => finding.gain?.isBound);
  return {
    ns: sumOf(group, (finding) => finding.gain?.ns ?? 0),
    how: `summed over the ${all}; ${on}${gain.how}`,
    isBound,
  };
}
