/** `dprof advise` on a screen and in Markdown: verdicts, then findings. Names from the profiled program cannot leave their line. */
import { legible } from '../../record/control-characters.js';
import type { Adviser } from '../../prof/advise/adviser.js';
import type { Concern } from '../../prof/advise/finding.js';
import { percent, time } from '../../prof/advise/wording.js';
import { JOB_RULE } from '../../prof/advise/rule.js';
import {
  adviceGroups,
  hasOneDevice,
  profileName,
  type FindingGroup,
  type GroupGain,
} from '../../prof/advise/grouped-findings.js';
import { rangesText } from '../../prof/ranks/membership.js';
import { inDeviceWords } from '../../record/glossary.js';
import { counted, moreOf, plural } from '../../record/plural.js';
import { code, escapeMarkdown } from '../../write/markdown.js';
import { inputWord } from '../../write/shell-words.js';
import { elementAt } from '../../containers/element.js';
import { entryOf } from '../../containers/map-entry.js';
import type { ProfileVerdict } from '../../prof/advise/verdict/verdict.js';
import { labelledLine } from '../../table/readable.js';
import { profileHeading, screenText, wrapped } from './layout.js';

/** Replaces the verdict of a profile without device work. */
const WITHOUT_WORK = 'no device work with a time';

/** Up to 8 profiles get a line each; with more, up to 4 verdicts are listed, each with its profiles. */
const [FEW, MOST] = [8, 4];

/** @param manyOf returns the names of several profiles */
function verdictLines(adviser: Adviser, manyOf: (profiles: readonly number[]) => string): string[] {
  const verdicts = new Map(adviser.verdicts.map((verdict) => [verdict.profile, verdict]));
  const without = adviser.withoutWork;
  if (adviser.profiles.size <= FEW) {
    return [...adviser.profiles.values()].flatMap((header) => {
      const verdict = verdicts.get(header.profile);
      const heading = profileHeading(header.profile, header).replace(/^# /, '');
      const text = without.includes(header.profile) ? WITHOUT_WORK : verdict?.text;
      return text === undefined ? [heading] : [heading, text];
    });
  }
  const groups = profilesByVerdict([...verdicts.values()]);
  const [shown, others] = [groups.slice(0, MOST), groups.slice(MOST)];
  const numbersOf = (group: readonly ProfileVerdict[]): string => manyOf(group.map(({ profile }) => profile));
  return [
    counted(adviser.profiles.size, 'profile'),
    ...shown.map((group) => {
      const { profile, text } = middleOf(group);
      const figures = group.length > 1 ? `, figures of ${manyOf([profile])}` : '';
      return `${numbersOf(group)}${figures}: ${text}`;
    }),
    ...(others.length === 0
      ? []
      : [`${numbersOf(others.flat())}: ${counted(others.length, 'other verdict')}: -f json`]),
    ...(without.length === 0 ? [] : [`${manyOf(without)}: ${WITHOUT_WORK}`]),
  ];
}

/** Matches a number with its unit that is not part of a name. */
const AMOUNT = /(?<![\w.])\d[\d.]*(?!\w)( (?:%|[num]?s|[kKMGT]?i?B(?:\/s)?)(?!\w))?/g;

/** Groups verdicts that differ only in their amounts; the group with the most profiles comes first. */
function profilesByVerdict(verdicts: readonly ProfileVerdict[]): ProfileVerdict[][] {
  const groups = new Map<string, ProfileVerdict[]>();
  for (const verdict of verdicts) entryOf(groups, verdict.text.replace(AMOUNT, '#'), () => []).push(verdict);
  return [...groups.values()].sort((a, b) => b.length - a.length);
}

/** The verdict whose largest part has the median share of the time. */
function middleOf(group: readonly ProfileVerdict[]): ProfileVerdict {
  const shareOf = ({ parts: [first], span }: ProfileVerdict): number => (first?.time ?? 0) / Math.max(1, span);
  const sorted = group.toSorted((a, b) => shareOf(a) - shareOf(b) || a.profile - b.profile);
  return elementAt(sorted, Math.floor((sorted.length - 1) / 2));
}

export interface Advice {
  readonly adviser: Adviser;
  readonly top: number;
  readonly minShare: number;
  /** Whether rules without a finding are listed. */
  readonly all: boolean;
  /** File names as the user gave them. */
  readonly files: readonly string[];
  /** Width of the terminal; null for any other output. */
  readonly width: number | null;
}

const NOT_ADDITIVE = 'gains do not add up: several findings may concern the same time';

const nameOf = (profile: number, { adviser }: Advice): string => profileName(profile, adviser.profiles);

/** Where a finding applies: `ranks 0-7`, `rank 1, device 0`; the profile is named only when there are several. */
function placeOf({ profiles, devices }: FindingGroup, advice: Advice): string {
  const isJob = advice.adviser.profiles.size > 1;
  const [profile = 0] = profiles;
  const named = namesOf(profiles, advice);
  const isShort = devices.length === 0 || (isJob && (profiles.length > 1 || hasOneDevice(profile, advice.adviser)));
  const parts = [
    ...(isJob ? [named] : []),
    ...(isShort ? [] : [`${plural(devices.length, 'device')} ${devices.join(' ')}`]),
  ];
  return parts.length === 0 ? 'all devices' : parts.join(', ');
}

const namesOf = (profiles: readonly number[], advice: Advice): string =>
  profiles.length === 1 ? nameOf(profiles[0] ?? 0, advice) : manyOf(profiles, advice);

function manyOf(profiles: readonly number[], { adviser }: Advice): string {
  const ranks = profiles.flatMap((profile) => adviser.profiles.get(profile)?.rank ?? []);
  return ranks.length === profiles.length ? `ranks ${rangesText(ranks)}` : counted(profiles.length, 'profile');
}

function titleOf(group: FindingGroup, advice: Advice): string {
  const [least, most] = [percent(group.shares[0]), percent(group.shares[1])];
  const share = least === most ? most : `${least} to ${most}`;
  return `${group.finding.rule}, ${placeOf(group, advice)}, about ${share} of the time`;
}

/** `at most 76.1 s on device 2 (304 s summed over 4 devices): time of the waits`. */
function gainText({ ns, how, isBound, on, sum }: GroupGain, over: string): string {
  const where = on === '' ? '' : ` on ${on} (${time(sum)} ${over})`;
  return `${isBound ? 'at most' : 'about'} ${time(ns)}${where}: ${how}`;
}

/** The command that a finding suggests, with the input's name in it. */
function commandOf(text: string, { files }: Advice): string {
  // With several inputs, profiles are numbered across all of them.
  const word = inputWord(files.length === 1 ? files[0] : undefined);
  return text.replace(/\bFILE\b/, () => word);
}

/** Label and text of each detail line below a finding. */
function detailsOf(
  { finding, gain, details, over }: FindingGroup,
  advice: Advice,
): (readonly [label: string, text: string, isCommand: boolean])[] {
  const { action, kernels, see } = finding;
  const [first, ...others] = kernels;
  const label = inDeviceWords('kernels', advice.adviser.profiles.get(finding.profile) ?? null);
  const also = others.length > 0 ? `, also ${others.join(' ')}` : '';
  const commandText = (text: string): string => commandOf(text, advice);
  return [
    ...(details === '' ? [] : [['more', details, false] as const]),
    ['do', action, false],
    ['gain', gain === null ? 'unknown' : gainText(gain, over), false],
    ...(first === undefined ? [] : [[label, `${commandText(`dprof --explain ${first} FILE`)}${also}`, true] as const]),
    ['see', commandText(see), true],
  ];
}

/** For `--all`: the rules without findings, and why they have none. */
const silencesOf = ({ adviser, all }: Advice): string[] => {
  const { silences } = adviser;
  if (all) return silences.map(({ rule, why }) => `${rule}: ${why}`);
  return silences.length === 0 ? [] : [`${counted(silences.length, 'rule')} found nothing: --all says why`];
};

function summaryOf({ minShare, top }: Advice, groups: readonly FindingGroup[]): string[] {
  const found = groups.length;
  if (found === 0) return [`no finding is worth ${percent(minShare)} of a device's time or more`];
  const more = found - top;
  return [...(more > 0 ? [`${moreOf(more, 'finding')}: --top ${found}`] : [])];
}

/** One line about what delays the job and how long its ranks waited, then lines about each profile. */
function headings(advice: Advice): string[] {
  const { findings, job } = advice.adviser;
  const who =
    findings.find(({ rule }) => rule === JOB_RULE)?.what ?? (typeof job?.waits === 'string' ? job.who : undefined);
  const ofJob = [who, job?.waits].filter((text) => typeof text === 'string').join('; ');
  return [
    ...(ofJob === '' ? [] : [`job: ${ofJob}`]),
    ...verdictLines(advice.adviser, (profiles) => namesOf(profiles, advice)),
  ];
}

/** Headings of the two lists. */
const LISTS: readonly (readonly [about: Concern, heading: string])[] = [
  ['program', 'What to do'],
  ['profile', 'About this profile'],
];

/** The lists that are not empty. Items are numbered consecutively across lists. */
function listsOf(
  { top }: Advice,
  groups: readonly FindingGroup[],
): { heading: string; items: { number: number; group: FindingGroup }[] }[] {
  const items = groups.slice(0, top).map((group, i) => ({ number: i + 1, group }));
  return LISTS.map(([about, heading]) => ({
    heading,
    items: items.filter(({ group }) => group.finding.about === about),
  })).filter((list) => list.items.length > 0);
}

/** Whether gains of several items are shown, which a reader might add up. */
const hasGains = (items: readonly { group: FindingGroup }[]): boolean =>
  items.filter(({ group }) => group.gain !== null).length > 1;

/** Indentation of the text of a finding, and width of its labels. */
const [TEXT, LABEL] = ['   ', 8];

export function adviceScreen(advice: Advice): string {
  const { width } = advice;
  const fit = (line: string, indent: string): string[] => (width === null ? [line] : wrapped(line, width, indent));
  const groups = adviceGroups(advice.adviser);
  const lists = listsOf(advice, groups);
  const shown = lists.flatMap(({ items }) => items);
  const lines = lists.flatMap(({ heading, items }) => [
    ...['', `${heading}:`],
    ...items.flatMap(({ number, group }, i) => [
      ...(i === 0 ? [] : ['']),
      ...fit(`${number}. ${titleOf(group, advice)}`, TEXT),
      ...fit(`   ${group.what}`, TEXT),
      ...detailsOf(group, advice).flatMap(([label, text, isCommand]) => {
        const line = `   ${labelledLine(`${label}:`, text, LABEL)}`;
        // A command is not broken into lines, so that it can be copied.
        return isCommand ? [line] : fit(line, TEXT + ' '.repeat(LABEL + 1));
      }),
    ]),
  ]);
  const end = [...summaryOf(advice, groups), ...silencesOf(advice)].flatMap((line) => fit(`# ${line}`, '# '));
  const head = [...headings(advice), ...(hasGains(shown) ? [NOT_ADDITIVE] : [])].flatMap((line) =>
    fit(`# ${line}`, '# '),
  );
  return screenText([...head, ...lines, ...(shown.length > 0 && end.length > 0 ? [''] : []), ...end], legible);
}

export function adviceMarkdown(advice: Advice): string {
  const groups = adviceGroups(advice.adviser);
  const lists = listsOf(advice, groups);
  const several = lists.flatMap(({ items }) => items).length > 1;
  const head = [...headings(advice), ...(several ? [NOT_ADDITIVE] : [])].map((line) => `- ${escapeMarkdown(line)}`);
  const body = lists.flatMap(({ heading, items }) => [
    ...['', `### ${heading}`],
    ...items.flatMap(({ number, group }) => [
      '',
      `${number}. **${titleOf(group, advice)}**: ${escapeMarkdown(group.what)}`,
      ...detailsOf(group, advice).map(
        ([label, text, isCommand]) => `   - ${label}: ${isCommand ? code(text) : escapeMarkdown(text)}`,
      ),
    ]),
  ]);
  const end = [...summaryOf(advice, groups), ...silencesOf(advice)].map((line) => `- ${escapeMarkdown(line)}`);
  return [...head, ...body, ...(end.length > 0 ? [''] : []), ...end].map((line) => `${line}\n`).join('');
}
