/** Profiles and their verdicts in lines: each where there are few, else one line for all with the same verdict. */
import { elementAt } from '../../../containers/element.js';
import { entryOf } from '../../../containers/map-entry.js';
import type { Adviser } from '../../../prof/advise/adviser.js';
import type { ProfileVerdict } from '../../../prof/advise/verdict/verdict.js';
import { counted } from '../../../record/plural.js';
import { profileHeading } from '../../run-analysis.js';

/** In place of a verdict. */
const WITHOUT_WORK = 'no work of a device with a time';

/** Profiles that have lines of their own, and verdicts that several have. */
const [FEW, MOST] = [8, 4];

/** @param manyOf names of several profiles */
export function verdictLines(adviser: Adviser, manyOf: (profiles: readonly number[]) => string): string[] {
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
  const groups = groupsOf([...verdicts.values()]);
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

/** A number with its unit, that is no part of a name. */
const AMOUNT = /(?<![\w.])\d[\d.]*(?!\w)( (?:%|[num]?s|[kKMGT]?i?B(?:\/s)?)(?!\w))?/g;

/** Verdicts that are the same but for their amounts, those of most profiles first. */
function groupsOf(verdicts: readonly ProfileVerdict[]): ProfileVerdict[][] {
  const groups = new Map<string, ProfileVerdict[]>();
  for (const verdict of verdicts) entryOf(groups, verdict.text.replace(AMOUNT, '#'), () => []).push(verdict);
  return [...groups.values()].sort((a, b) => b.length - a.length);
}

/** The one whose largest part has the median share of its time. */
function middleOf(group: readonly ProfileVerdict[]): ProfileVerdict {
  const shareOf = ({ parts: [first], span }: ProfileVerdict): number => (first?.time ?? 0) / Math.max(1, span);
  const sorted = group.toSorted((a, b) => shareOf(a) - shareOf(b) || a.profile - b.profile);
  return elementAt(sorted, Math.floor((sorted.length - 1) / 2));
}
