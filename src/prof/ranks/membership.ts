/** Who is in the job: ranks, the machines that they ran on, those that are missing or there twice. */
import { elementAt } from '../../containers/element.js';
import { entryOf } from '../../containers/map-entry.js';
import type { RankPart } from './part/rank-part.js';

export interface Membership {
  /** As the profiles state it; null where none does, or they differ. */
  readonly worldSize: number | null;
  /** World sizes that profiles state, where they differ: profiles of several jobs. */
  readonly worldSizes: readonly number[];
  /** Ranks below the world size, or below the highest known, without a profile. */
  readonly missing: readonly number[];
  /** Ranks with several profiles, and the files of these. */
  readonly doubled: readonly { readonly rank: number; readonly files: readonly string[] }[];
  /** Profiles without a rank. */
  readonly unranked: readonly string[];
  /** Name or number of each part's machine; null where unknown. */
  readonly nodes: readonly (string | null)[];
  /** Whether machines follow from the numbers of ranks and devices. */
  readonly nodesInferred: boolean;
}

/** @param idle parts of profiles without work, which are in the job as well */
export function membershipOf(parts: readonly RankPart[], idle: readonly RankPart[] = []): Membership {
  const all = [...parts, ...idle];
  const worldSizes = [...new Set(all.flatMap(({ worldSize }) => worldSize ?? []))].sort((a, b) => a - b);
  const worldSize = worldSizes.length === 1 ? elementAt(worldSizes, 0) : null;
  const ranks = new Map<number, RankPart[]>();
  // Devices of one process stand for its ranks, and have numbers of their machine: those between are no ranks.
  let highest = -1;
  for (const part of all) {
    if (part.rank === null) continue;
    if (!part.isDevice) highest = Math.max(highest, part.rank);
    entryOf(ranks, part.rank, () => []).push(part);
  }
  // Numbers of an edited file may be anything.
  const expected = Math.min(worldSize ?? highest + 1, MOST_RANKS);
  return {
    worldSize,
    worldSizes: worldSizes.length > 1 ? worldSizes : [],
    missing: Array.from({ length: expected }, (_, rank) => rank).filter((rank) => !ranks.has(rank)),
    doubled: [...ranks].filter(([, of]) => isDoubled(of)).map(([rank, of]) => ({ rank, files: filesOf(of) })),
    unranked: parts.filter(({ rank }) => rank === null).map(({ file }) => file),
    ...nodesOf(parts),
  };
}

const MOST_RANKS = 1_000_000;

/**
 * The host in the name of a trace, `HOST_PID.TIME.pt.trace.json`; null for other names.
 *
 * Source: `tensorboard_trace_handler` of torch/profiler/profiler.py.
 */
function hostInName(file: string): string | null {
  const name = file.slice(file.lastIndexOf('/') + 1);
  const at = name.search(/_\d{1,10}\.\d{10,20}\.pt\.trace\.json(?:\.gz)?$/);
  return at > 0 ? name.slice(0, at) : null;
}

/** Whether the parts of a rank are of several profiles: one profile may have several devices, each once. */
function isDoubled(parts: readonly RankPart[]): boolean {
  const profiles = new Set(parts.map(({ file, startUnixNs }) => `${startUnixNs ?? ''} ${file}`));
  return profiles.size > 1 || new Set(parts.map(({ device }) => device)).size < parts.length;
}

/** Names of the profiles; of copies of one name a name each. */
function filesOf(parts: readonly RankPart[]): string[] {
  const files = parts.map(({ file }) => file);
  const names = [...new Set(files)];
  return names.length > 1 ? names : files;
}

/** The machine that the profile, or the name of its file, says it ran on; null where neither does. */
export const hostOf = ({ host, file }: Pick<RankPart, 'host' | 'file'>): string | null => host ?? hostInName(file);

function nodesOf(parts: readonly RankPart[]): Pick<Membership, 'nodes' | 'nodesInferred'> {
  const hosts = parts.map(hostOf);
  if (hosts.some((host) => host !== null)) return { nodes: hosts, nodesInferred: false };
  // One process a device: the ranks of a machine follow each other, and its devices count from 0.
  const devices = parts.reduce((most, { device }) => Math.max(most, device + 1), 0);
  const fits = parts.every(({ rank, device, isDevice }) => rank !== null && !isDevice && rank % devices === device);
  const isOne = parts.every(({ isDevice }) => isDevice) && new Set(parts.map(({ file }) => file)).size === 1;
  if (isOne && parts.length > 0) return { nodes: parts.map(() => '0'), nodesInferred: true };
  if (!fits || devices < 2) return { nodes: parts.map(() => null), nodesInferred: false };
  return { nodes: parts.map(({ rank }) => String(Math.floor((rank ?? 0) / devices))), nodesInferred: true };
}

/** What a rank is called: one without a number by its file. */
export const rankName = ({ rank, file }: Pick<RankPart, 'rank' | 'file'>): string =>
  rank === null ? file : `rank ${rank}`;

interface NamedProfile {
  readonly rank: number | null;
  readonly file: string;
  readonly host?: string | null;
}

/** `rank 1 (rank1.json, machine node-001)`: all that is known of who a profile without work is of. */
export function nameWithoutWork({ rank, file, host = null }: NamedProfile): string {
  const machine = hostOf({ file, host });
  const about = [...(rank === null ? [] : [file]), ...(machine === null ? [] : [`machine ${machine}`])];
  return `${rankName({ rank, file })}${about.length === 0 ? '' : ` (${about.join(', ')})`}`;
}

/** Profiles without work that are named in full. */
const NAMED = 8;

/** The first of them by name, and how many more there are. */
export function namesWithoutWork(profiles: readonly NamedProfile[]): string {
  const rest = profiles.length - NAMED;
  return [...profiles.slice(0, NAMED).map(nameWithoutWork), ...(rest > 0 ? [`${rest} more`] : [])].join(', ');
}

/** The same for an error, which names one profile itself: undefined without another. */
export const namesOfSeveral = (profiles: readonly NamedProfile[]): string | undefined =>
  profiles.length > 1 ? namesWithoutWork(profiles) : undefined;

/** Numbers as people write them: `3-7, 12`; at most `most` of these stretches. */
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
