/** `dprof check` on a screen: a verdict for each profile, and its reasons. */
import type { CheckedProfile } from '../../prof/check/profile-check.js';
import { LEVELS, type Reason } from '../../prof/check/reason.js';
import { legible } from '../../record/control-characters.js';
import { counted } from '../../record/plural.js';
import { labelledLine } from '../../table/readable.js';
import { profileHeading, screenText } from './layout.js';

/** Characters of the labels of a reason's lines. */
const LABEL = 8;

const countsText = (reasons: readonly Reason[]): string =>
  LEVELS.flatMap((level) => {
    const count = reasons.filter((reason) => reason.level === level).length;
    return count === 0 ? [] : [counted(count, level)];
  }).join(', ');

function reasonLines({ check, level, what, affects, remedy }: Reason): string[] {
  return [
    `${level}: ${what} [${check}]`,
    `  ${labelledLine('affects:', affects, LABEL)}`,
    ...(remedy === null ? [] : [`  ${labelledLine('remedy:', remedy, LABEL)}`]),
  ];
}

/** @param width width of the terminal; null for any other output */
export function checkScreen(profiles: readonly CheckedProfile[], width: number | null): string {
  const lines = profiles.flatMap(({ profile, header, verdict, reasons }) => [
    profileHeading(profile, header),
    reasons.length === 0 ? verdict : `${verdict}: ${countsText(reasons)}`,
    ...reasons.flatMap(reasonLines),
  ]);
  return screenText(lines, legible, width);
}
