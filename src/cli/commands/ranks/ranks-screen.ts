/** The job on one screen: who is in it, what was matched, clocks, who is late and why, waiting and transferring. */
import { elementAt } from '../../../containers/element.js';
import { addTo, entryOf, groupsOf } from '../../../containers/map-entry.js';
import { shortened } from '../../../prof/advise/wording.js';
import { clockAhead } from '../../../prof/ranks/clocks/job-clocks.js';
import { MOST_DRIFT } from '../../../prof/ranks/clocks/clock-fits.js';
import type { Misfit } from '../../../prof/ranks/clocks/misfits.js';
import type { GroupReport, JobReport } from '../../../prof/ranks/job-report.js';
import { rangesText, rankName } from '../../../prof/ranks/membership.js';
import type { RankPart } from '../../../prof/ranks/part/rank-part.js';
import { groupsText, capturedText, groupName } from '../../../prof/ranks/tables/group-table.js';
import { distinguishing, hasSteps } from '../../../prof/ranks/tables/rank-table.js';
import { RANK_TABLES, type RankTableName } from '../../../prof/ranks/tables/tables.js';
import { isByKernels, type Reasons } from '../../../prof/ranks/stragglers/reasons.js';
import type { Straggler, Untested } from '../../../prof/ranks/stragglers/stragglers.js';
import type { UnitLevel } from '../../../prof/ranks/stragglers/tested-units.js';
import { escapeControls } from '../../../record/control-characters.js';
import { counted } from '../../../record/plural.js';
import { median } from '../../../record/statistics.js';
import { amountText } from '../../../record/units.js';
import { inAmounts } from '../../../table/readable.js';
import { alignedTable } from '../../../write/cell-text.js';
import { membershipLines, NAMED, ranksText } from './membership-lines.js';

const time = (ns: number | null): string => amountText(ns, 'time');

/** @param top rows of each table */
export function ranksScreen(report: JobReport, top: number): string {
  const lines = [
    ...headLines(report),
    '',
    ...SECTIONS.flatMap(([title, name]) => {
      const lines = tableLines(name, report, top);
      return lines.length > 1 ? [title, ...lines, ''] : [];
    }),
  ];
  return `${lines.map(escapeControls).join('\n').trimEnd()}\n`;
}

/** Tables of the screen. */
const SECTIONS: readonly (readonly [title: string, name: RankTableName])[] = [
  ['Ranks', 'ranks'],
  ['Operations', 'collectives'],
  ['Stages', 'stages'],
  ['Experts', 'experts'],
  ['Groups', 'groups'],
];

/**
 * One table alone.
 * @param keys of its columns; those of the screen without
 */
export const tableScreen = (name: RankTableName, report: JobReport, top: number, keys?: readonly string[]): string =>
  `${tableLines(name, report, top, keys).map(escapeControls).join('\n')}\n`;

/** What screens have in place of the values of some columns, by table and key. */
const TEXTS: Readonly<Record<string, (row: never) => string>> = {
  'collectives/groups': groupsText,
  'groups/captured': capturedText,
};

/** Rows that the rank does not tell apart have file or device beside it; where profiles state no rank, all rows about ranks. */
function screenKeys(name: RankTableName, { parts, withoutWork, membership }: JobReport): readonly string[] {
  const { screen, columns } = RANK_TABLES[name];
  const [first, ...others] = screen;
  if (first === undefined) return screen;
  const idle = withoutWork.map(({ part }) => part);
  const keys = [first, ...(name === 'ranks' ? distinguishing([...parts, ...idle]) : []), ...others];
  const isUnranked = membership.unranked.length > 0 || (name === 'ranks' && idle.some(({ rank }) => rank === null));
  const isNeeded = isUnranked && screen.includes('rank') && !keys.includes('file');
  return isNeeded && columns.some(({ key }) => key === 'file') ? [...keys, 'file'] : keys;
}

/** A header and a line a row. */
function tableLines(name: RankTableName, report: JobReport, top: number, keys?: readonly string[]): string[] {
  const { of } = RANK_TABLES[name];
  const { columns, rows } = of(report, keys ?? screenKeys(name, report));
  const shown = columns.map((column) => {
    const value = TEXTS[`${name}/${column.key}`] as ((row: unknown) => string) | undefined;
    return value === undefined ? inAmounts(column) : { ...column, type: 'str' as const, toTheRight: true, value };
  });
  const all = [...rows];
  const rest = all.length - top;
  return [...alignedTable(shown, all.slice(0, top)), ...(rest > 0 ? [`${rest} more: --top`] : [])];
}

/** Who is in the job, what was matched, clocks, who is late: what `dprof summary` of several ranks says as well. */
export const jobLines = (report: JobReport): string => `${headLines(report).map(escapeControls).join('\n')}\n`;

const headLines = (report: JobReport): string[] => [
  ...membershipLines(report),
  ...matchingLines(report),
  ...clockLines(report),
  ...beginLines(report),
  ...stepLines(report),
  ...lateLines(report),
  ...slowLines(report),
];

const WHY: Readonly<Record<string, string>> = {
  'no-other-rank': 'no other rank of the group is there',
  'no-peer': 'messages of which the other rank is not recorded',
  'not-captured': 'the others did not capture them',
  mismatch: 'after a difference between ranks',
  'times-differ': 'as they were matched, some would end before all ranks have joined',
  'no-clock': 'of groups with ranks whose clock runs backwards',
  'no-alignment': 'order alone does not say which belong together',
};

function matchingLines(report: JobReport): string[] {
  const { groups, misfits } = report;
  const wrong = new Set(misfits.map(({ part }) => part));
  const matched = groups.reduce((sum, group) => sum + group.matched, 0);
  const reasons = new Map<string, number>();
  for (const { unmatched } of groups) for (const [why, count] of Object.entries(unmatched)) addTo(reasons, why, count);
  if (groups.length === 0) return ['Matched     no collective operations: ranks are compared without alignment'];
  const by = [...new Set(groups.flatMap((group) => group.by ?? []))].join(', ');
  return [
    `Matched     ${counted(matched, 'operation')} in ${counted(groups.filter((group) => group.matched > 0).length, 'group')}${by === '' ? '' : `, by ${by}`}`,
    ...[...reasons].map(([why, count]) => `  not       ${count}: ${WHY[why] ?? why}`),
    ...incompleteLines(report),
    ...namedGroups(groups, 'differ', ({ mismatch }) => mismatch),
    ...namedGroups(groups, 'doubtful', ({ doubt, parts }) =>
      // The rank that it is about has a line of its own.
      parts.some((part) => wrong.has(part)) ? null : doubt,
    ),
  ];
}

/** Groups in which some ranks have no profile, or one without work, and others are matched. */
function incompleteLines({ groups, withoutWork }: JobReport): string[] {
  const count = groups.filter(({ isComplete, matched }) => isComplete === false && matched > 0).length;
  const orWork = withoutWork.length > 0 ? ', or no work in it' : '';
  return count === 0
    ? []
    : [
        `  partly    ${counted(count, 'group')} with ranks that have no profile${orWork}: waits are at least, transfers at most what is shown`,
      ];
}

/** What is to be said of groups, of some of them in full. */
function namedGroups(
  groups: readonly GroupReport[],
  word: string,
  textOf: (group: GroupReport) => string | null,
): string[] {
  const lines = groups.flatMap((group) => {
    const text = textOf(group);
    const of = group.ranks === null ? '' : ` (ranks ${rangesText(group.pair ?? group.ranks)})`;
    return text === null ? [] : [`  ${word.padEnd(9)} group ${groupName(group) ?? 'unknown'}${of}: ${text}`];
  });
  const rest = lines.length - NAMED;
  return [...lines.slice(0, NAMED), ...(rest > 0 ? [`            ${rest} more groups: -t groups -f csv`] : [])];
}

const clockLines = (report: JobReport): string[] => [...setClockLines(report), ...misfitLines(report)];

function misfitLines({ parts, misfits }: JobReport): string[] {
  const lines = misfits.map(
    (misfit) => `  refuted   ${rankName(elementAt(parts, misfit.part))}: ${misfitText(misfit)}`,
  );
  const rest = lines.length - NAMED;
  return [...lines.slice(0, NAMED), ...(rest > 0 ? [`            ${rest} more ranks: -f json`] : [])];
}

const PPM = 1e6;

/** Why the times of a rank fit no clock. */
function misfitText({ isBackwards, drift, residual }: Misfit): string {
  if (isBackwards) return 'its clock runs backwards, and says nothing of the others';
  const isDrift = Math.abs(drift ?? 0) > MOST_DRIFT;
  const ppm = (Math.abs(drift ?? 0) * PPM).toFixed(0);
  const text = isDrift
    ? `against the others it runs ${ppm} ppm too ${(drift ?? 0) < 0 ? 'slow' : 'fast'}, and its ends lie ${time(residual)} off even so`
    : `its ends lie ${time(residual)} from those of the others`;
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
    if (parts.length < 2 || clocks.some(({ offset }) => offset === null)) return ['Clocks      na'];
    const isOne = clocks.every(({ source }) => source === 'reference' || source === 'profile');
    return [
      isOne
        ? "Clocks      one, the profile's"
        : 'Clocks      by the start of each profile alone: times between ranks are as good as these',
    ];
  }
  const reference = ranks.find(({ clock }) => clock.source === 'reference')?.part ?? 0;
  // Ranks that share no operation with those of the reference.
  const apart = ranks.filter(({ part, clock: { source, against } }) => source === 'start' && against === part && followed.has(part)); // prettier-ignore
  const partsWith = (isMeant: (clock: (typeof clocks)[number]) => boolean): RankPart[] =>
    ranks.flatMap(({ clock, part }) => (isMeant(clock) ? [elementAt(parts, part)] : []));
  const lone = partsWith((clock) => clock.source === 'start' && !followed.has(clock.against));
  const unknown = partsWith(({ source }) => source === 'unknown');
  return [
    `Clocks      ${againstText(report, followed.get(reference) ?? [], reference)}`,
    ...apart
      .slice(0, NAMED)
      .map(({ part }) => `  apart     ${againstText(report, followed.get(part) ?? [], part)}, which stands by the start of its profile`), // prettier-ignore
    ...(apart.length > NAMED ? [`            ${apart.length - NAMED} more sets of ranks: -f json`] : []),
    ...(lone.length === 0 ? [] : [`  not       ${ranksText(lone)}: no matched operation, by the start of the profile`]),
    ...(unknown.length === 0 ? [] : [`  not       ${ranksText(unknown)}: no matched operation, and no start`]),
  ];
}

/** The ranks whose clocks are set by that of one: how many, how far they are off, and how well it is known. */
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
  const rest = unknown > 0 ? ` (not of ${counted(unknown, 'profile')} without the time of the start)` : '';
  const who = ranksText(set.map(({ part }) => elementAt(parts, part)));
  return `${who} against ${rankName(elementAt(parts, reference))}: ${range}${rest}, residual ${time(residual)}, off by at most ${time(bound)}`;
}

/** Where profiles begin so far apart that it shows as waiting. */
function beginLines({ apart, parts }: JobReport): string[] {
  if (apart === null) return [];
  const [first, last] = [elementAt(parts, apart.first), elementAt(parts, apart.last)];
  return [
    `Begins      ${time(apart.time)} apart, ${rankName(first)} first and ${rankName(last)} last: up to that the first operations wait for profilers, not for slow ranks`,
  ];
}

/** Where profiles do not say what their steps are. */
function stepLines({ parts }: JobReport): string[] {
  const without = parts.filter((part) => !hasSteps(part));
  return without.length === 0
    ? []
    : [`Steps       none in the profiles of ${ranksText(without)}: compute, exposed and idle are of all of it`];
}

function lateLines(report: JobReport): string[] {
  const { lateness, parts, ranks } = report;
  const { stragglers, latest, tested, untested } = lateness;
  const countOf = (level: UnitLevel): number => stragglers.filter((one) => one.level === level).length;
  const of = ` of ${counted(tested, 'rank')}`;
  const found = [
    ...(['machine', 'group'] as const).flatMap((level) => (countOf(level) > 0 ? [counted(countOf(level), level)] : [])),
    ...(countOf('rank') > 0 ? [`${countOf('rank')}${of}`] : []),
  ];
  const chance = latest === null ? '' : ' beyond chance';
  const text = tested === 0 ? 'na' : found.length === 0 ? `none${of}${chance}` : found.join(', ');
  const lines = [...stragglers, ...(latest === null ? [] : [latest])]
    .slice(0, NAMED)
    .flatMap((one) => stragglerLines(one, elementAt(parts, one.part), elementAt(ranks, one.part).node));
  return [
    `Late        ${text}${latest === null ? '' : '; the latest:'}`,
    ...lines,
    ...(stragglers.length > NAMED ? [`  ${stragglers.length - NAMED} more: -t late`] : []),
    ...untestedLines(untested, parts),
    ...delayLines(report),
  ];
}

/** Ranks that could not be tested, by the reason. */
function untestedLines(untested: readonly Untested[], parts: readonly RankPart[]): string[] {
  const reasons = new Map<string, RankPart[]>();
  for (const { part, why } of untested) entryOf(reasons, why, (): RankPart[] => []).push(elementAt(parts, part));
  return [...reasons].map(([why, of]) => `  not       ${namesOf(of)}: ${why}`);
}

/** Ranks with a number as ranges, others by their files. */
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

/** `, by host gaps 8.0 ms`: most of what a rank is late by. */
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
        : `; ${counted(waits.waiters, 'rank')} waited ${time(waits.waited)} in all`;
    const by = `${byText(reasons)}${delayed.length > 1 && byText(reasons) !== '' ? ' a step' : ''}`;
    return `  ${rankName(elementAt(parts, part))}${onMachine(elementAt(ranks, part).node)}: ${time(late)} in ${when}, q ${qText(q)}${by}${who}`;
  });
  return [
    `Delays      ${counted(delays.length, 'rank')} in some steps`,
    ...lines,
    ...(delays.length > NAMED ? [`  ${delays.length - NAMED} more: -t delays`] : []),
  ];
}

function stragglerLines(straggler: Straggler, part: RankPart, machine: string | null): string[] {
  const { level, name: of, members, late, share, q, reasons } = straggler;
  const { slowdown, flopsRatio, work } = reasons;
  const name =
    level === 'rank'
      ? `${rankName(part)}${onMachine(machine)}`
      : `${level} ${of ?? ''} (${counted(members.length, 'rank')} of the same work)`;
  return [
    `  ${name}: ${time(late)} a step, ${amountText(share, 'share')}, ${whenText(straggler)}, q ${qText(q)}${byText(reasons)}`,
    ...(slowdown === null ? [] : [`    all kernels ${amountText(slowdown - 1, 'share')} slower alike: a lower clock?`]),
    ...(flopsRatio !== null && Math.abs(flopsRatio - 1) > MORE_WORK
      ? [`    FLOPs ${flopsRatio.toFixed(3)} of its peers'`]
      : []),
    ...Object.entries(isByKernels(reasons) ? work : {}).flatMap(([key, rows]) =>
      rows.slice(0, 1).map(({ name: what, excess, peers }) => {
        const more = peers > 0 ? ` (${amountText(excess / peers, 'share')})` : '';
        return `    ${key} ${shortened(what)}: ${time(excess)} more${more}`;
      }),
    ),
  ];
}

/** Less than this is not known so exactly. */
const LEAST_Q = 1e-12;

const qText = (q: number): string => (q < LEAST_Q ? `< ${LEAST_Q}` : q.toPrecision(2));

/** In how many of the steps it was late, and which they are where they are not all. */
function whenText({ since, until, steps, lateIn }: Straggler): string {
  const stretch = since !== null ? ` from step ${since} on` : until !== null ? ` up to step ${until}` : '';
  return `late in ${lateIn} of ${counted(steps, 'step')}${stretch}`;
}

/** FLOPs that differ by more are other work. */
const MORE_WORK = 0.005;

function slowLines({ slowGroups, groups }: JobReport): string[] {
  return slowGroups.slice(0, NAMED).map(({ group, kind, bytes, time: own, others, q }) => {
    const of = elementAt(groups, group);
    const ranks = of.ranks === null ? '' : ` (ranks ${rangesText(of.pair ?? of.ranks)})`;
    const size = bytes === null ? '' : ` of ${amountText(bytes, 'transfer')}`;
    return `Slow link   group ${groupName(of) ?? 'unknown'}${ranks}: ${kind ?? 'operation'}${size} takes ${time(own)}, elsewhere ${time(others)}, q ${qText(q)}`;
  });
}
