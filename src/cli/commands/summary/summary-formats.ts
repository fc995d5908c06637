/** Overviews as text, Markdown and JSON. */
import type { ProfileSummary } from '../../../prof/summary/summary-data.js';
import { clean, cut } from '../../../write/cell-text.js';
import { aligned } from '../../aligned.js';
import { code } from '../diff/diff-markdown.js';
import type { Section } from './summary-section.js';
import { ranksSection, sectionsOf } from './summary-sections.js';
import { profileHeading } from '../../run-analysis.js';

/** Columns of a screen. */
const WIDTH = 100;

/** Each profile on a screen of its own; then several beside each other. */
export function overviewsText(overviews: readonly ProfileSummary[], file: string | undefined): string {
  const ranks = ranksSection(overviews, file);
  const screens = overviews.map((overview) =>
    [profileHeading(overview.profile, overview.header), ...sectionsOf(overview, file).flatMap(sectionText)].map(clean),
  );
  const all = ranks === null ? screens : [...screens, sectionText(ranks).map(clean)];
  return all.map((lines) => `${lines.join('\n')}\n`).join('\n');
}

function sectionText({ title, next, head, isHeaded, right, rows }: Section): string[] {
  const lines = aligned(isHeaded ? [head, ...rows] : rows, new Set(right)).map((line) => cut(line, WIDTH));
  return [`## ${title}`, ...lines, ...(next === null ? [] : [`next: ${next}`])];
}

export function overviewsMarkdown(overviews: readonly ProfileSummary[], file: string | undefined): string {
  const ranks = ranksSection(overviews, file);
  const blocks = overviews.flatMap((overview) => [
    `# ${code(profileHeading(overview.profile, overview.header).replace(/^# /, ''))}`,
    ...sectionsOf(overview, file).map(sectionMarkdown),
  ]);
  return `${[...blocks, ...(ranks === null ? [] : [sectionMarkdown(ranks)])].join('\n\n')}\n`;
}

/** Cells are code: nothing in them is markup. */
function sectionMarkdown({ title, next, head, right, rows }: Section): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const rule = head.map((_, i) => (right.includes(i) ? '---:' : '---'));
  const table = [line(head), line(rule), ...rows.map((row) => line(row.slice(0, head.length).map(code)))];
  const more = next === null ? [] : [`next: ${code(next)}`];
  return [`## ${escaped(title)}`, ...(rows.length === 0 ? [] : [table.join('\n')]), ...more].join('\n\n');
}

const MARKUP = /[\\`*_{}[\]<>#|!@~&]/g;

/** A title has the name of a device, which comes from the profile. */
const escaped = (text: string): string => clean(text).replace(MARKUP, (sign) => `&#${sign.charCodeAt(0)};`);

/** An object a line and profile. */
export const overviewsJson = (overviews: readonly ProfileSummary[]): string =>
  overviews.map((overview) => `${JSON.stringify(overview)}\n`).join('');
