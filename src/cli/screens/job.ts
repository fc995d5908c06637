/**
 * The job in lines, for `dprof ranks` and `dprof summary` of several ranks: its ranks and machines, missing or
 * duplicated ranks, profiles with little data, matched operations, clocks, and which ranks are late and why.
 */
import { elementAt } from '../../containers/element.js';
import { addTo, entryOf, groupsOf } from '../../containers/map-entry.js';
import { shortened } from '../../prof/advise/wording.js';
import { unsureWaiting, waitDoubt } from '../../prof/advise/job/job-causes.js';
import { clockAhead } from '../../prof/ranks/clocks/job-clocks.js';
import { MOST_DRIFT } from '../../prof/ranks/clocks/clock-fits.js';
import type { Misfit } from '../../prof/ranks/clocks/misfits.js';
import type { GroupReport, JobReport } from '../../prof/ranks/job-report.js';
import { nameWithoutWork, rangesText, rankName } from '../../prof/ranks/membership.js';
import type { RankPart } from '../../prof/ranks/part/rank-part.js';
import { groupName } from '../../prof/ranks/tables/group-table.js';
import { hasSteps } from '../../prof/ranks/tables/rank-table.js';
import { isByKernels, type Reasons } from '../../prof/ranks/stragglers/reasons.js';
import type { Straggler, Untested } from '../../prof/ranks/stragglers/stragglers.js';
import type { UnitLevel } from '../../prof/ranks/stragglers/tested-units.js';
import { counted, moreOf } from '../../record/plural.js';
import { median } from '../../record/statistics.js';
import { amountText } from '../../record/units.js';
import { labelledLine } from '../../table/readable.js';
import { screenText } from './layout.js';

const time = (ns: number | null): string => amountText(ns, 'time');

/** Characters of the labels of a job's lines. */
const LABEL = 11;
const line = (label: string, text: string): string => labelledLine(label, text, LABEL);

/** Maximum number of profiles, stragglers and groups that are named in full. */
export const NAMED = 8;

/**
 * Counts ranks: `2 ranks`. A rank with several devices counts once. `2 devices` when devices are compared instead of
 * ranks.
 */
function ranksText(parts: readonly RankPart[]): string {
  const isDevices = parts.length > 0 && parts.every(({ isDevice, rank, device }) => isDevice && rank === device);
  return counted(new Set(parts.map(rankName)).size, isDevices ? 'device' : 'rank');
}

export function membershipLines({ parts, copies, withoutWork, membership }: JobReport): string[] {
  const { worldSize, missing, doubled, unranked, nodes, nodesInferred } = membership;
  const ranks = parts.flatMap(({ rank }) => rank ?? []);
  const machines = new Set(nodes.filter((node) => node !== null)).size;
  const outOf = worldSize === null ? '' : ` of ${worldSize}`;
  const where =
    machines === 0 ? '' : ` on ${counted(machines, 'machine')}${nodesInferred ? ' (by their numbers)' : ''}`;
  const numbered = `${ranksText(parts.filter(({ rank }) => rank !== null))}${outOf}: ${rangesText(ranks)}`;
  const others = `${counted(unranked.length, 'profile')} without a rank`;
  const who = [...(ranks.length > 0 ? [numbered] : []), ...(unranked.length > 0 ? [others] : [])].join(', and ');
  return [
    line('Job', `${who}${where}`),
    // A profile without a stated rank may be one of the missing ranks.
    ...(missing.length === 0 || unranked.length > 0 ? [] : [line('  missing', rangesText(missing))]),
    ...withoutWorkLines(withoutWork),
    ...doubled.map(({ rank, files }) => line('  twice', `rank ${rank}: ${files.join(', ')}`)),
    ...copyLines(copies),
    ...(unranked.length === 0
      ? []
      : [line('  no rank', `${unranked.slice(0, 4).join(', ')}${unranked.length > 4 ? ', …' : ''}`)]),
  ];
}

/** Ranks whose profiles were read but contain nothing to compare. */
function withoutWorkLines(profiles: JobReport['withoutWork']): string[] {
  const lines = profiles.map(({ part, reason }) => {
    const why = reason === null ? '' : `: ${reason.what}`;
    return line('  no work', `${nameWithoutWork(part)}: its profile has no device work${why}`);
  });
  return firstOf(lines, 'profiles without device work: see -f json');
}

function copyLines(copies: JobReport['copies']): string[] {
  const lines = copies.map(({ part, of: original }) =>
    line('  copy', `${part.file} is a copy of ${original.file} (${rankName(original)}): left out`),
  );
  // A copied profile with several devices counts once.
  return firstOf([...new Set(lines)], 'copies: -f json');
}

/** @param others plural of what the lines are about, and the command that shows all */
function firstOf(lines: readonly string[], others: string): string[] {
  const rest = lines.length - NAMED;
  return [...lines.slice(0, NAMED), ...(rest > 0 ? [line('', `${rest} more ${others}`)] : [])];
}

/**
 * Members, matched operations, clocks and stragglers of the job; `dprof summary` of several ranks shows these lines too.
 */
export const jobLines = (report: JobReport, width: number | null = null): string =>
  screenText(headLines(report), undefined, width);

export const headLines = (report: JobReport): string[] => [
  ...membershipLines(report),
  ...matchingLines(report),
  ...clockLines(report),
  ...beginLines(report),
  ...stepLines(report),
  ...lateLines(report),
  ...slowLines(report),
];

const WHY: Readonly<Record<string, string>> = {
  'no-other-rank': 'no other rank of the group has a profile',
  'no-peer': 'messages whose other rank is not recorded',
  'not-captured': 'the others did not capture them',
  mismatch: 'after a difference between ranks',
  'times-differ': 'by this match, some would end before all ranks have joined',
  'no-clock': 'in groups with ranks whose clock runs backwards',
  'no-alignment': 'order alone does not determine which belong together',
};

function matchingLines(report: JobReport): string[] {
  const { groups, misfits } = report;
  const wrong = new Set(misfits.map(({ part }) => part));
  const matched = groups.reduce((sum, group) => sum + group.matched, 0);
  const reasons = new Map<string, number>();
  for (const { unmatched } of groups) for (const [why, count] of Object.entries(unmatched)) addTo(reasons, why, count);
  if (groups.length === 0) return [line('Matched', 'no collective operations: ranks are compared without alignment')];
  const ways = [...new Set(groups.flatMap((group) => group.by ?? []))].join(', ');
  const by = ways === '' ? '' : `, by ${ways}`;
  const inGroups = counted(groups.filter((group) => group.matched > 0).length, 'group');
  return [
    line('Matched', `${counted(matched, 'operation')} in ${inGroups}${by}`),
    ...[...reasons].map(([why, count]) => line('  not', `${count}: ${WHY[why] ?? why}`)),
    ...incompleteLines(report),
    ...namedGroups(groups, 'differ', ({ mismatch }) => mismatch),
    ...namedGroups(groups, 'doubtful', ({ doubt, parts }) =>
      // The affected rank has a separate line.
      parts.some((part) => wrong.has(part)) ? null : doubt,
    ),
  ];
}

/** Groups in which some ranks have no profile, or one without work, while others are matched. */
function incompleteLines({ groups, withoutWork }: JobReport): string[] {
  const count = groups.filter(({ isComplete, matched }) => isComplete === false && matched > 0).length;
  const orWork = withoutWork.length > 0 ? ', or no work in it' : '';
  return count === 0
    ? []
    : [
        line(
          '  partly',
          `${counted(count, 'group')} with ranks that have no profile${orWork}: waits are lower bounds, transfers upper bounds`,
        ),
      ];
}

/** Lines about groups, some of them in full. */
function namedGroups(
  groups: readonly GroupReport[],
  word: string,
  textOf: (group: GroupReport) => string | null,
): string[] {
  const lines = groups.flatMap((group) => {
    const text = textOf(group);
    return text === null ? [] : [line(`  ${word}`, `${groupText(group)}: ${text}`)];
  });
  return firstOf(lines, 'groups: -t groups -f csv');
}

/** `group dp (ranks 0-3)`. */
function groupText(group: GroupReport): string {
  const ranks = group.ranks === null ? '' : ` (ranks ${rangesText(group.pair ?? group.ranks)})`;
  return `group ${groupName(group) ?? 'unknown'}${ranks}`;
}

const clockLines = (report: JobReport): string[] => [
  ...setClockLines(report),
  ...unsureLines(report),
  ...misfitLines(report),
];

/** Waits that could be clock error, because they do not exceed the possible error of the clocks. */
function unsureLines(report: JobReport): string[] {
  const text = unsureWaiting(report);
  return text === null ? [] : [line('  waits', text)];
}

function misfitLines({ parts, misfits }: JobReport): string[] {
  const lines = misfits.map((misfit) =>
    line('  refuted', `${rankName(elementAt(parts, misfit.part))}: ${misfitText(misfit)}`),
  );
  return firstOf(lines, 'ranks: -f json');
}

const PPM = 1e6;

/** Why the times of a rank do not fit any clock. */
function misfitText({ isBackwards, drift, residual }: Misfit): string {
  if (isBackwards) return 'its clock runs backwards, so it cannot be compared with the others';
  const isDrift = Math.abs(drift ?? 0) > MOST_DRIFT;
  const ppm = (Math.abs(drift ?? 0) * PPM).toFixed(0);
  const text = isDrift
    ? `it runs ${ppm} ppm too ${(drift ?? 0) < 0 ? 'slow' : 'fast'}, and its operations still end ${time(residual)} off`
    : `its operations end ${time(residual)} away from those of the others`;
  return `${text}: a wrong clock, or a profile of another run?`;
}

function setClockLines(report: JobReport): string[] {
  const { ranks, parts } = report;
  const clocks = ranks.map(({ clock }) => clock);
  const followed = groupsOf(
    ranks.filter(({ clock }) => clock.source === 'operations'),
    ({ clock }) => clock.against,
  );
  if (followed.size === 0) {
    if (parts.length < 2 || clocks.some(({ offset }) => offset === null)) return [line('Clocks', 'na')];
    const isOne = clocks.every(({ source }) => source === 'reference' || source === 'profile');
    return [
      isOne
        ? line('Clocks', "the profile's clock for all ranks")
        : line(
            'Clocks',
            'aligned only by the start of each profile, so times between ranks are no more accurate than that',
          ),
    ];
  }
  const reference = ranks.find(({ clock }) => clock.source === 'reference')?.part ?? 0;
  // Ranks that share no operation with the reference's ranks.
  const apart = ranks.filter(({ part, clock: { source, against } }) => source === 'start' && against === part && followed.has(part)); // prettier-ignore
  const partsWith = (isMeant: (clock: (typeof clocks)[number]) => boolean): RankPart[] =>
    ranks.flatMap(({ clock, part }) => (isMeant(clock) ? [elementAt(parts, part)] : []));
  const lone = partsWith((clock) => clock.source === 'start' && !followed.has(clock.against));
  const unknown = partsWith(({ source }) => source === 'unknown');
  return [
    line('Clocks', againstText(report, followed.get(reference) ?? [], reference)),
    ...firstOf(
      apart.map(({ part }) => {
        const set = againstText(report, followed.get(part) ?? [], part);
        return line('  apart', `${set}, placed by the start of its profile`);
      }),
      'sets of ranks: -f json',
    ),
    ...(lone.length === 0
      ? []
      : [line('  unaligned', `${ranksText(lone)}: no matched operation, placed by the start of the profile`)]),
    ...(unknown.length === 0
      ? []
      : [line('  unaligned', `${ranksText(unknown)}: no matched operation and no known start time`)]),
  ];
}

/** The ranks whose clocks are aligned to one reference: their number, their offsets, and the accuracy of these. */
function againstText({ parts }: JobReport, set: JobReport['ranks'], reference: number): string {
  const clocks = set.map(({ clock }) => clock);
  const offsets = set.flatMap(({ clock, part }) => clockAhead(clock, elementAt(parts, part), parts) ?? []);
  const unknown = clocks.length - offsets.length;
  const least = offsets.reduce((low, offset) => Math.min(low, offset), 0);
  const most = offsets.reduce((high, offset) => Math.max(high, offset), 0);
  const residual = median(clocks.flatMap((clock) => clock.residual ?? []));
  const bound = clocks.reduce(
    (worst: number | null, clock) => (worst === null || clock.bound === null ? null : Math.max(worst, clock.bound)),
    0,
  );
  const range = offsets.length === 0 ? 'offsets na' : `offsets ${time(least)} to ${time(most)}`;
  const rest = unknown > 0 ? ` (without ${counted(unknown, 'profile')} with an unknown start time)` : '';
  const who = ranksText(set.map(({ part }) => elementAt(parts, part)));
  return `${who} against ${rankName(elementAt(parts, reference))}: ${range}${rest}, residual ${time(residual)}, off by at most ${time(bound)}`;
}

/** Profiles that begin so far apart that the difference appears as waiting. */
function beginLines({ apart, parts }: JobReport): string[] {
  if (apart === null) return [];
  const [first, last] = [elementAt(parts, apart.first), elementAt(parts, apart.last)];
  return [
    line(
      'Begins',
      `${time(apart.time)} apart, ${rankName(first)} first and ${rankName(last)} last: the first operations may wait that long for profilers, not for slow ranks`,
    ),
  ];
}

/** Profiles that do not record steps. */
function stepLines({ parts }: JobReport): string[] {
  const without = parts.filter((part) => !hasSteps(part));
  return without.length === 0
    ? []
    : [
        line(
          'Steps',
          `none in the profiles of ${ranksText(without)}: compute, exposed and idle cover the whole profile`,
        ),
      ];
}

function lateLines(report: JobReport): string[] {
  const { lateness, parts, ranks } = report;
  const { stragglers, latest, tested, untested } = lateness;
  const countOf = (level: UnitLevel): number => stragglers.filter((straggler) => straggler.level === level).length;
  const outOf = ` of ${counted(tested, 'rank')}`;
  const found = [
    ...(['machine', 'group'] as const).flatMap((level) => (countOf(level) > 0 ? [counted(countOf(level), level)] : [])),
    ...(countOf('rank') > 0 ? [`${countOf('rank')}${outOf}`] : []),
  ];
  const chance = latest === null ? '' : ' beyond chance';
  const none = tested === 0 ? 'na' : `none${outOf}${chance}`;
  const text = found.length === 0 ? none : found.join(', ');
  const lines = [...stragglers, ...(latest === null ? [] : [latest])]
    .slice(0, NAMED)
    .flatMap((straggler) =>
      stragglerLines(straggler, elementAt(parts, straggler.part), elementAt(ranks, straggler.part).node),
    );
  return [
    line('Late', `${text}${latest === null ? '' : '; the latest:'}`),
    ...lines,
    ...(stragglers.length > NAMED ? [`  ${moreOf(stragglers.length - NAMED, 'straggler')}: -t late`] : []),
    ...untestedLines(untested, parts),
    ...delayLines(report),
  ];
}

/** Ranks that could not be tested, by reason. */
function untestedLines(untested: readonly Untested[], parts: readonly RankPart[]): string[] {
  const reasons = new Map<string, RankPart[]>();
  for (const { part, why } of untested) entryOf(reasons, why, (): RankPart[] => []).push(elementAt(parts, part));
  return [...reasons].map(([why, untestedParts]) => line('  not', `${namesOf(untestedParts)}: ${why}`));
}

/** Names ranks by number, as ranges, and ranks without a number by file name. */
function namesOf(parts: readonly RankPart[]): string {
  const ranks = parts.flatMap(({ rank }) => rank ?? []);
  const files = parts.flatMap(({ rank, file }) => (rank === null ? [file] : []));
  const some = files.length > NAMED ? [...files.slice(0, NAMED), '…'] : files;
  return [
    ...(ranks.length === 0 ? [] : [`${ranks.length === 1 ? 'rank' : 'ranks'} ${rangesText(ranks)}`]),
    ...some,
  ].join(', ');
}

const onMachine = (machine: string | null): string => (machine === null ? '' : ` (machine ${machine})`);

/** The main reason why a rank is late: `, by host gaps 8.0 ms`. */
function byText({ parts: [first] }: Reasons): string {
  return first === undefined || !(first.excess > 0) ? '' : `, by ${first.name} ${time(first.excess)}`;
}

function delayLines({ lateness: { delays }, parts, ranks, delayWaits }: JobReport): string[] {
  if (delays.length === 0) return [];
  const lines = delays.slice(0, NAMED).map(({ part, delayed, steps, since, late, q, reasons }, index) => {
    const numbers = rangesText(delayed.flatMap(({ step }) => step ?? []));
    const several = `${delayed.length} of ${counted(steps, 'step')} (${since === null ? numbers : `all since step ${since}`})`;
    const when = delayed.length > 1 ? several : `step ${numbers}`;
    const waits = delayWaits[index] ?? null;
    const who =
      waits === null || waits.waiters === 0
        ? ''
        : `; ${counted(waits.waiters, 'rank')} waited ${time(waits.waited)} in all${waitDoubt(waits)}`;
    const by = `${byText(reasons)}${delayed.length > 1 && byText(reasons) !== '' ? ' a step' : ''}`;
    return `  ${rankName(elementAt(parts, part))}${onMachine(elementAt(ranks, part).node)}: ${time(late)} in ${when}, q ${qText(q)}${by}${who}`;
  });
  return [
    line('Delays', `${counted(delays.length, 'rank')} in some steps`),
    ...lines,
    ...(delays.length > NAMED ? [`  ${moreOf(delays.length - NAMED, 'delayed rank')}: -t delays`] : []),
  ];
}

function stragglerLines(straggler: Straggler, part: RankPart, machine: string | null): string[] {
  const { level, name: unit, members, late, share, q, reasons } = straggler;
  const { slowdown, flopsRatio, work } = reasons;
  const name =
    level === 'rank'
      ? `${rankName(part)}${onMachine(machine)}`
      : `${level} ${unit ?? ''} (${counted(members.length, 'rank')} with the same work)`;
  return [
    `  ${name}: ${time(late)} a step, ${amountText(share, 'share')}, ${whenText(straggler)}, q ${qText(q)}${byText(reasons)}`,
    ...(slowdown === null
      ? []
      : [`    all kernels are ${amountText(slowdown - 1, 'share')} slower: is the clock lower?`]),
    ...(flopsRatio !== null && Math.abs(flopsRatio - 1) > MORE_WORK
      ? [`    FLOPs ${flopsRatio.toFixed(3)} times its peers'`]
      : []),
    ...Object.entries(isByKernels(reasons) ? work : {}).flatMap(([key, rows]) =>
      rows.slice(0, 1).map(({ name: kernel, excess, peers }) => {
        const more = peers > 0 ? ` (${amountText(excess / peers, 'share')})` : '';
        return `    ${key} ${shortened(kernel)}: ${time(excess)} more${more}`;
      }),
    ),
  ];
}

/** Below this, the exact value of q is unknown. */
const LEAST_Q = 1e-12;

const qText = (q: number): string => (q < LEAST_Q ? `< ${LEAST_Q}` : q.toPrecision(2));

/** The number of steps in which it was late, and which ones, if not all. */
function whenText({ since, until, steps, lateIn }: Straggler): string {
  const stretch = since !== null ? ` from step ${since} on` : until !== null ? ` up to step ${until}` : '';
  return `late in ${lateIn} of ${counted(steps, 'step')}${stretch}`;
}

/** A larger relative difference in FLOPs means different work. */
const MORE_WORK = 0.005;

function slowLines({ slowGroups, groups }: JobReport): string[] {
  return slowGroups.slice(0, NAMED).map(({ group, kind, bytes, time: taken, others, q }) => {
    const size = bytes === null ? '' : ` of ${amountText(bytes, 'transfer')}`;
    const times = `takes ${time(taken)}, elsewhere ${time(others)}, q ${qText(q)}`;
    return line('Slow link', `${groupText(elementAt(groups, group))}: ${kind ?? 'operation'}${size} ${times}`);
  });
}
