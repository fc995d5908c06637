/** Merges the findings of one rule about several devices of a profile, or about several profiles. */
import { elementAt, largest } from '../../containers/element.js';
import { entryOf, groupsOf } from '../../containers/map-entry.js';
import { many, time } from './wording.js';
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
  /** What its totals include: 'summed over 4 devices'; empty when it has one finding, whose span they can be compared with. */
  readonly over: string;
  /** Null when the gain of any finding is unknown. */
  readonly gain: GroupGain | null;
}

/** The most that an action saves on any one device. Devices work at once, so a sum over them cannot be a share of a span. */
export interface GroupGain extends Gain {
  /** The device or rank that it saves most on; empty when the group has one finding. */
  readonly on: string;
  /** Total over all findings, in ns. */
  readonly sum: number;
}

/** How a group names the profile and device of a finding, and what it calls a profile; null when it names only devices. */
interface Naming {
  readonly nameOf: (finding: Finding) => string;
  readonly profileWord: 'rank' | 'profile' | null;
}

const BY_DEVICE: Naming = { nameOf: ({ device }) => `device ${device ?? 'unknown'}`, profileWord: null };

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
  const shareOf = (finding: Finding): number => adviser.shareOf(finding);
  if (profiles.size < 2) return groupedFindings(findings, shareOf);
  const nameOf: Naming['nameOf'] = ({ profile, device }) =>
    [
      profileName(profile, profiles),
      ...(device === null || hasOneDevice(profile, adviser) ? [] : [`device ${device}`]),
    ].join(', ');
  const isJob = [...profiles.values()].every(({ rank }) => rank !== null);
  return groupedFindings(findings, shareOf, { nameOf, profileWord: isJob ? 'rank' : 'profile' });
}

/**
 * @param findings in the order of the adviser
 * @param naming for findings about several profiles, which are merged then
 * @returns groups in the order of their first findings
 */
export function groupedFindings(
  findings: readonly Finding[],
  shareOf: (finding: Finding) => number,
  naming: Naming = BY_DEVICE,
): FindingGroup[] {
  const groups = new Map<string, Finding[]>();
  for (const [index, finding] of findings.entries()) {
    const { rule, profile, see } = finding;
    // Causes in a job are never merged.
    const place = rule === JOB_RULE ? index : naming.profileWord === null ? profile : '';
    entryOf(groups, `${rule} ${place} ${see}`, (): Finding[] => []).push(finding);
  }
  return [...groups.values()]
    .flatMap(apart)
    .sort((a, b) => findings.indexOf(elementAt(a, 0)) - findings.indexOf(elementAt(b, 0)))
    .map((group) => groupOf(group, shareOf, naming));
}

/** Keeps several findings about one device apart: they are about different work, and their advice differs. */
function apart(group: readonly Finding[]): (readonly Finding[])[] {
  const places = new Set(group.map(({ profile, device }) => `${profile} ${device ?? ''}`));
  if (places.size === group.length) return [group];
  const parts = [...groupsOf(group, ({ action }) => action).values()];
  return parts.length === 1 ? group.map((finding) => [finding]) : parts.flatMap(apart);
}

function groupOf(group: readonly Finding[], shareOf: (finding: Finding) => number, naming: Naming): FindingGroup {
  const most = largest(group.map(({ stake }) => stake));
  const finding = group.find(({ stake }) => stake === most) ?? elementAt(group, 0);
  const { what, details = '' } = finding;
  const isOne = group.length === 1;
  const stake = sumOf(group, ({ stake }) => stake);
  const shares = group.map(shareOf).sort((a, b) => a - b);
  const on = `on ${naming.nameOf(finding)}: `;
  const over = isOne ? '' : `summed over ${placesText(group, naming)}`;
  return {
    what: isOne ? what : `${time(stake)} ${over}, most ${on}${what}`,
    details: isOne || details === '' ? details : `${on}${details}`,
    finding,
    devices: inRising(group.flatMap(({ device }) => device ?? [])),
    profiles: inRising(group.map(({ profile }) => profile)),
    shares: [shares[0] ?? 0, shares.at(-1) ?? 0],
    stake,
    count: sumOf(group, ({ count }) => count),
    over,
    gain: gainOf(group, naming),
  };
}

/** `4 devices`; `4 ranks`; `8 devices of 4 ranks`. */
function placesText(group: readonly Finding[], { profileWord }: Naming): string {
  if (profileWord === null) return many(group.length, 'device');
  const profiles = new Set(group.map(({ profile }) => profile)).size;
  const named = many(profiles, profileWord);
  return profiles === group.length ? named : `${many(group.length, 'device')} of ${named}`;
}

const inRising = (numbers: readonly number[]): number[] => [...new Set(numbers)].sort((a, b) => a - b);

const sumOf = (group: readonly Finding[], valueOf: (finding: Finding) => number): number =>
  group.reduce((sum, finding) => sum + valueOf(finding), 0);

/** The largest gain of the group, which is that of one device; null when the gain of any finding is unknown. */
function gainOf(group: readonly Finding[], { nameOf }: Naming): GroupGain | null {
  const known = group.flatMap((finding) => (finding.gain === null ? [] : [{ finding, gain: finding.gain }]));
  if (known.length < group.length) return null;
  const { finding, gain } = known.reduce((most, next) => (next.gain.ns > most.gain.ns ? next : most));
  return {
    ns: gain.ns,
    how: gain.how,
    isBound: known.every(({ gain }) => gain.isBound),
    on: group.length === 1 ? '' : nameOf(finding),
    sum: sumOf(group, ({ gain }) => gain?.ns ?? 0),
  };
}
