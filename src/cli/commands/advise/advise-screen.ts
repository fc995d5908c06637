/** Findings as text, JSON and Markdown. Names from the profiled program cannot leave their line. */
import { escapeControls, jsonOf } from '../../../record/control-characters.js';
import type { Adviser } from '../../../prof/advise/adviser.js';
import type { Finding } from '../../../prof/advise/finding.js';
import { percent, time } from '../../../prof/advise/amount-text.js';
import { counted } from '../../../record/plural.js';
import { code, escapeMarkdown } from '../../../write/markdown.js';
import { profileHeading } from '../../run-analysis.js';

export interface Advice {
  readonly adviser: Adviser;
  readonly top: number;
  readonly minShare: number;
  /** Whether rules without a finding are listed. */
  readonly all: boolean;
}

const NOT_ADDITIVE = 'gains of several findings do not add up: one may save what another is about';

const shownOf = ({ adviser, top }: Advice): readonly Finding[] => adviser.findings.slice(0, top);

/** `profile 1, device 0`; the profile only where there are several. */
function placeOf({ profile, device }: Finding, { adviser }: Advice): string {
  const parts = [
    ...(adviser.profiles.size > 1 ? [`profile ${profile}`] : []),
    ...(device === null ? [] : [`device ${device}`]),
  ];
  return parts.length === 0 ? 'all devices' : parts.join(', ');
}

const titleOf = (finding: Finding, advice: Advice): string =>
  `${finding.rule}, ${placeOf(finding, advice)}, about ${percent(advice.adviser.shareOf(finding))} of the time`;

const gainText = ({ gain }: Finding): string | null =>
  gain === null ? null : `${gain.isBound ? 'at most' : 'about'} ${time(gain.ns)}`;

/** Label and text of each line about a finding, below what was found. */
function detailsOf(finding: Finding): (readonly [label: string, text: string, isCommand: boolean])[] {
  const { action, gain, kernels, see } = finding;
  const [first, ...others] = kernels;
  const also = others.length > 0 ? `, also ${others.join(' ')}` : '';
  return [
    ['do', action, false],
    ['gain', gain === null ? 'cannot be computed' : `${gainText(finding) ?? ''}: ${gain.how}`, false],
    ...(first === undefined ? [] : [['kernels', `dprof --explain ${first} FILE${also}`, true] as const]),
    ['see', see, true],
  ];
}

/** `--all`: which rules found nothing, and why. */
const silencesOf = ({ adviser, all }: Advice): string[] => {
  const { silences } = adviser;
  if (all) return silences.map(({ rule, why }) => `${rule}: ${why}`);
  return silences.length === 0 ? [] : [`${counted(silences.length, 'rule')} found nothing: --all says why`];
};

function summaryOf(advice: Advice): string[] {
  const { adviser, minShare } = advice;
  const found = adviser.findings.length;
  if (found === 0) return [`nothing to gain or to look at of ${percent(minShare)} of a device's time or more`];
  const more = found - shownOf(advice).length;
  return [...(more > 0 ? [`${counted(more, 'finding')} more: --top ${found}`] : [])];
}

const headings = ({ adviser }: Advice): string[] =>
  [...adviser.profiles.values()].map((header) => profileHeading(header.profile, header).replace(/^# /, ''));

export function adviceScreen(advice: Advice): string {
  const shown = shownOf(advice);
  const about = shown.filter(({ gain }) => gain !== null).length > 1 ? [NOT_ADDITIVE] : [];
  const lines = shown.flatMap((finding, i) => [
    '',
    `${i + 1}. ${titleOf(finding, advice)}`,
    `   ${finding.what}`,
    ...detailsOf(finding).map(([label, text]) => `   ${`${label}:`.padEnd(8)} ${text}`),
  ]);
  const end = [...summaryOf(advice), ...silencesOf(advice)].map((line) => `# ${line}`);
  const head = [...headings(advice), ...about].map((line) => `# ${line}`);
  return [...head, ...lines, ...(shown.length > 0 && end.length > 0 ? [''] : []), ...end]
    .map((line) => `${escapeControls(line)}\n`)
    .join('');
}

export function adviceDocuments(advice: Advice): string {
  const silences = advice.all ? advice.adviser.silences : [];
  return [...shownOf(advice), ...silences].map((line) => `${jsonOf(line)}\n`).join('');
}

export function adviceMarkdown(advice: Advice): string {
  const shown = shownOf(advice);
  const head = [...headings(advice), ...(shown.length > 1 ? [NOT_ADDITIVE] : [])].map(
    (line) => `- ${escapeMarkdown(line)}`,
  );
  const body = shown.flatMap((finding, i) => [
    '',
    `${i + 1}. **${titleOf(finding, advice)}**: ${escapeMarkdown(finding.what)}`,
    ...detailsOf(finding).map(
      ([label, text, isCommand]) => `   - ${label}: ${isCommand ? code(text) : escapeMarkdown(text)}`,
    ),
  ]);
  const end = [...summaryOf(advice), ...silencesOf(advice)].map((line) => `- ${escapeMarkdown(line)}`);
  return [...head, ...body, ...(end.length > 0 ? [''] : []), ...end].map((line) => `${line}\n`).join('');
}
