/** Who is in the job, in lines: its ranks and machines, those that are missing or there twice, profiles that say little. */
import { nameWithoutWork, rangesText, rankName } from '../../../prof/ranks/membership.js';
import type { JobReport } from '../../../prof/ranks/job-report.js';
import type { RankPart } from '../../../prof/ranks/part/rank-part.js';
import { counted } from '../../../record/plural.js';

/** Profiles, stragglers and groups that are named in full. */
export const NAMED = 8;

/** `2 ranks`: one with several devices once; `2 devices` where these stand for ranks. */
export function ranksText(parts: readonly RankPart[]): string {
  const isDevices = parts.length > 0 && parts.every(({ isDevice, rank, device }) => isDevice && rank === device);
  return counted(new Set(parts.map(rankName)).size, isDevices ? 'device' : 'rank');
}

export function membershipLines({ parts, copies, withoutWork, membership }: JobReport): string[] {
  const { worldSize, missing, doubled, unranked, nodes, nodesInferred } = membership;
  const ranks = parts.flatMap(({ rank }) => rank ?? []);
  const machines = new Set(nodes.filter((node) => node !== null)).size;
  const of = worldSize === null ? '' : ` of ${worldSize}`;
  const on = machines === 0 ? '' : ` on ${counted(machines, 'machine')}${nodesInferred ? ' (by their numbers)' : ''}`;
  const numbered = `${ranksText(parts.filter(({ rank }) => rank !== null))}${of}: ${rangesText(ranks)}`;
  const others = `${counted(unranked.length, 'profile')} that ${unranked.length === 1 ? 'states' : 'state'} no rank`;
  const who = [...(ranks.length > 0 ? [numbered] : []), ...(unranked.length > 0 ? [others] : [])].join(', and ');
  return [
    `Job         ${who}${on}`,
    // Whoever states no rank may be one of them.
    ...(missing.length === 0 || unranked.length > 0 ? [] : [`  missing   ${rangesText(missing)}`]),
    ...withoutWorkLines(withoutWork),
    ...doubled.map(({ rank, files }) => `  twice     rank ${rank}: ${files.join(', ')}`),
    ...copyLines(copies),
    ...(unranked.length === 0
      ? []
      : [`  no rank   ${unranked.slice(0, 4).join(', ')}${unranked.length > 4 ? ', …' : ''}`]),
  ];
}

/** Ranks whose profiles were read, and have nothing to compare. */
function withoutWorkLines(profiles: JobReport['withoutWork']): string[] {
  const lines = profiles.map(({ part, reason }) => {
    const why = reason === null ? '' : `: ${reason.what}`;
    return `  no work   ${nameWithoutWork(part)}: its profile has no work on a device${why}`;
  });
  return firstOf(lines, 'profiles without work');
}

function copyLines(copies: JobReport['copies']): string[] {
  const lines = copies.map(
    ({ part, of }) => `  copy      ${part.file} has the work of ${of.file} (${rankName(of)}): left out`,
  );
  // A profile of several devices is a copy once.
  return firstOf([...new Set(lines)], 'copies');
}

/** @param what the lines are about, several of them */
function firstOf(lines: readonly string[], what: string): string[] {
  const rest = lines.length - NAMED;
  return [...lines.slice(0, NAMED), ...(rest > 0 ? [`            ${rest} more ${what}: -f json`] : [])];
}
