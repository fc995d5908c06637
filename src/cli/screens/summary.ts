/** `dprof summary` on a screen and in Markdown: the sections of each profile, then several profiles compared. */
import type { ProfileSummary } from '../../prof/summary/summary-data.js';
import type { Column } from '../../table/column.js';
import { aligned, cut } from '../../write/cell-text.js';
import { tableText } from '../../write/columns.js';
import { requireFormat } from '../../write/formats.js';
import { code, escapeMarkdown } from '../../write/markdown.js';
import { profileHeading, screenText } from './layout.js';
import type { Section, SummaryInput } from './summary-section.js';
import { ranksSection, sectionsOf } from './summary-sections.js';

const WIDTH = 100;

/** Each profile on a screen of its own; then several compared. */
export function summaryScreens(summaries: readonly ProfileSummary[], input: SummaryInput): string {
  const ranks = ranksSection(summaries, input);
  const screens = summaries.map((summary) => [
    profileHeading(summary.profile, summary.header),
    ...sectionsOf(summary, input).flatMap(sectionLines),
  ]);
  const all = ranks === null ? screens : [...screens, sectionLines(ranks)];
  return all.map((lines) => screenText(lines)).join('\n');
}

function sectionLines({ title, next, head, isHeaded, right, rows }: Section): string[] {
  const lines = aligned(isHeaded ? [head, ...rows] : rows, new Set(right)).map((line) => cut(line, WIDTH));
  return [`## ${title}`, ...lines, ...(next === null ? [] : [`next: ${next}`])];
}

export function summaryMarkdown(summaries: readonly ProfileSummary[], input: SummaryInput): string {
  const ranks = ranksSection(summaries, input);
  const blocks = summaries.flatMap((summary) => [
    `# ${code(profileHeading(summary.profile, summary.header).replace(/^# /, ''))}`,
    ...sectionsOf(summary, input).map(sectionMarkdown),
  ]);
  return `${[...blocks, ...(ranks === null ? [] : [sectionMarkdown(ranks)])].join('\n\n')}\n`;
}

/** Cells by their place: texts that are ready. */
const cellColumns = ({ head, right }: Section): Column<readonly string[]>[] =>
  head.map((header, i) => ({
    ...{ key: String(i), header, type: right.includes(i) ? 'int' : 'str', width: 0, doc: '' },
    value: (row) => row[i] ?? '',
  }));

function sectionMarkdown(section: Section): string {
  const { title, next, rows } = section;
  const table = [...tableText(requireFormat('markdown'), { columns: cellColumns(section), rows })].join('').trimEnd();
  const more = next === null ? [] : [`next: ${code(next)}`];
  return [`## ${escapeMarkdown(title)}`, ...(rows.length === 0 ? [] : [table]), ...more].join('\n\n');
}
