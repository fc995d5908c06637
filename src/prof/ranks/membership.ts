/** Members of the job: ranks, their machines, and ranks that are missing or duplicated. */
import { elementAt } from '../../containers/element.js';
import { entryOf } from '../../containers/map-entry.js';
import { plural } from '../../record/plural.js';
import type { ProfileRecord } from '../../record/record.js';
import { limit, type Limits } from '../limits.js';
import type { RankPart } from './part/rank-part.js';

export interface Membership {
  /** World size in the profiles; null when none has it, or they differ. */
  readonly worldSize: number | null;
  /** World sizes in the profiles when they differ, which means profiles of several jobs. */
  readonly worldSizes: readonly number[];
  /** Ranks below the world size (or below the highest known rank) without a profile. */
  readonly missing: readonly number[];
  /** Ranks with several profiles, and the files of these. */
  readonly doubled: readonly { readonly rank: number; readonly files: readonly string[] }[];
  /** Profiles without a rank. */
  readonly unranked: readonly string[];
  /** Name or number of each part's machine; null when unknown. */
  readonly nodes: readonly (string | null)[];
  /** Whether machines were inferred from the numbers of ranks and devices. */
  readonly nodesInferred: boolean;
}

/** @param idle parts of profiles without work, which are also in the job */
export function membershipOf(parts: readonly RankPart[], idle: readonly RankPart[] = []): Membership {
  const all = [...parts, ...idle];
  const worldSizes = [...new Set(all.flatMap(({ worldSize }) => worldSize ?? []))].sort((a, b) => a - b);
  const worldSize = worldSizes.length === 1 ? elementAt(worldSizes, 0) : null;
  const ranks = new Map<number, RankPart[]>();
  // The devices of one process represent ranks but are numbered within their machine, so numbers in between are not
  // missing ranks.
  let highest = -1;
  for (const part of all) {
    if (part.rank === null) continue;
    if (!part.isDevice) highest = Math.max(highest, part.rank);
    entryOf(ranks, part.rank, () => []).push(part);
  }
  return {
    worldSize,
    worldSizes: worldSizes.length > 1 ? worldSizes : [],
    missing: missingRanks(ranks, worldSize ?? highest + 1),
    doubled: [...ranks]
      .filter(([, holders]) => isDoubled(holders))
      .map(([rank, holders]) => ({ rank, files: filesOf(holders) })),
    unranked: parts.filter(({ rank }) => rank === null).map(({ file }) => file),
    ...nodesOf(parts),
  };
}

const MOST_RANKS = 1_000_000;

/** Ranks below a number that are not among the known ones. The numbers in an edited file may have any value. */
const missingRanks = (known: Pick<ReadonlySet<number>, 'has'>, below: number): number[] =>
  Array.from({ length: Math.min(below, MOST_RANKS) }, (_, rank) => rank).filter((rank) => !known.has(rank));

/** A note on the ranks of a job whose profiles are missing, where several ranks are given; null where all are given. */
export function missingRanksNote(headers: readonly Pick<ProfileRecord, 'rank' | 'worldSize'>[]): Limits | null {
  const ranks = new Set(headers.flatMap(({ rank }) => rank ?? []));
  const [size, ...others] = new Set(headers.flatMap(({ worldSize }) => worldSize ?? []));
  if (ranks.size < 2 || size === undefined || others.length > 0) return null;
  const missing = missingRanks(ranks, size);
  if (missing.length === 0) return null;
  const names = `${plural(missing.length, 'rank')} ${rangesText(missing)}`;
  return limit(`${names} of the job`, `profiles of ${ranks.size} of its ${size} ranks are given`, {
    wayOut: 'give the profiles of all ranks',
    line: `${ranks.size} of the ${size} ranks of the job are given; missing: ${names}`,
  });
}

/**
 * The host in the file name of a trace, `HOST_PID.TIME.pt.trace.json`; null for other names.
 *
 * Source: `tensorboard_trace_handler` of torch/profiler/profiler.py.
 */
function hostInName(file: string): string | null {
  const name = file.slice(file.lastIndexOf('/') + 1);
  const at = name.search(/_\d{1,10}\.\d{10,20}\.pt\.trace\.json(?:\.gz)?$/);
  return at > 0 ? name.slice(0, at) : null;
}

/** Whether the parts of a rank come from several profiles; one profile may have several devices, each once. */
function isDoubled(parts: readonly RankPart[]): boolean {
  const profiles = new Set(parts.map(({ file, startUnixNs }) => `${startUnixNs ?? ''} ${file}`));
  return profiles.size > 1 || new Set(parts.map(({ device }) => device)).size < parts.length;
}

/** Names of the profiles; each copy with the same name is listed. */
function filesOf(parts: readonly RankPart[]): string[] {
  const files = parts.map(({ file }) => file);
  const names = [...new Set(files)];
  return names.length > 1 ? names : files;
}

/** The machine according to the profile or to its file name; null when neither has it. */
export const hostOf = ({ host, file }: Pick<RankPart, 'host' | 'file'>): string | null => host ?? hostInName(file);

function nodesOf(parts: readonly RankPart[]): Pick<Membership, 'nodes' | 'nodesInferred'> {
  const hosts = parts.map(hostOf);
  if (hosts.some((host) => host !== null)) return { nodes: hosts, nodesInferred: false };
  // One process per device: the ranks of a machine are consecutive, and its devices count from 0.
  const devices = parts.reduce((most, { device }) => Math.max(most, device + 1), 0);
  const fits = parts.every(({ rank, device, isDevice }) => rank !== null && !isDevice && rank % devices === device);
  const isOne = parts.every(({ isDevice }) => isDevice) && new Set(parts.map(({ file }) => file)).size === 1;
  if (isOne && parts.length > 0) return { nodes: parts.map(() => '0'), nodesInferred: true };
  if (!fits || devices < 2) return { nodes: parts.map(() => null), nodesInferred: false };
  return { nodes: parts.map(({ rank }) => String(Math.floor((rank ?? 0) / devices))), nodesInferred: true };
}

/** Name of a rank; a rank without a number is named by its file. */
export const rankName = ({ rank, file }: Pick<RankPart, 'rank' | 'file'>): string =>
  rank === null ? file : `rank ${rank}`;

interface NamedProfile {
  readonly rank: number | null;
  readonly file: string;
  readonly host?: string | null;
}

/** Everything that is known about the origin of a profile without work: `rank 1 (rank1.json, machine node-001)`. */
export function nameWithoutWork({ rank, file, host = null }: NamedProfile): string {
  const machine = hostOf({ file, host });
  const about = [...(rank === null ? [] : [file]), ...(machine === null ? [] : [`machine ${machine}`])];
  return `${rankName({ rank, file })}${about.length === 0 ? '' : ` (${about.join(', ')})`}`;
}

/** Maximum number of profiles without work to name. */
const NAMED = 8;

/** Names of the first profiles, and how many more there are. */
export function namesWithoutWork(profiles: readonly NamedProfile[]): string {
  const rest = profiles.length - NAMED;
  return [...profiles.slice(0, NAMED).map(nameWithoutWork), ...(rest > 0 ? [`${rest} more`] : [])].join(', ');
}

/** The same for an error that already names one profile; undefined when there is no other profile. */
export const namesOfSeveral = (profiles: readonly NamedProfile[]): string | undefined =>
  profiles.length > 1 ? namesWithoutWork(profiles) : undefined;

/** Numbers as ranges, `3-7, 12`; at most `most` of them. */
export function rangesText(numbers: readonly number[], most = 8): string {
  const stretches: [number, number][] = [];
  for (const number of [...new Set(numbers)].sort((a, b) => a - b)) {
    const last = stretches.at(-1);
    if (last !== undefined && number === last[1] + 1) last[1] = number;
    else stretches.push([number, number]);
  }
  const texts = stretches.slice(0, most).map(([from, to]) => (from === to ? String(from) : `${from}-${to}`));
  return `${texts.join(', ')}${stretches.length > most ? ', …' : ''}`;
}
