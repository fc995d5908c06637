/** `dprof summary` on a screen and in Markdown: the sections of each profile, then several profiles compared. */
import type { ProfileSummary } from '../../prof/summary/summary-data.js';
import type { Column } from '../../table/column.js';
import { elementAt, largest } from '../../containers/element.js';
import { cells, shortenedTexts } from '../../table/shortened-texts.js';
import { aligned } from '../../write/cell-text.js';
import { tableText } from '../../write/columns.js';
import { requireFormat } from '../../write/formats.js';
import { code, escapeMarkdown } from '../../write/markdown.js';
import { profileHeading, screenText } from './layout.js';
import { nextOver, type Section, type SummaryInput } from './summary-section.js';
import { ranksSection, sectionsOf } from './summary-sections.js';

/** Blanks between cells. */
const GAP = 2;

/** Maximum width of a line when the text does not go to a terminal, and minimum width of a last cell. */
const [WIDTH, LEAST] = [100, 12];

/** Each profile on a separate screen; then a comparison of several. */
export function summaryScreens(summaries: readonly ProfileSummary[], input: SummaryInput): string {
  const ranks = ranksSection(summaries, input);
  const width = input.width ?? null;
  const screens = summaries.map((summary) => [
    profileHeading(summary.profile, summary.header),
    ...shownSections(summary, input).flatMap((section) => sectionLines(section, width)),
    ...(input.isWhole ? [] : nextLines(summary, input)),
  ]);
  const all = ranks === null ? screens : [...screens, sectionLines(ranks, width)];
  return all.map((lines) => screenText(lines, undefined, width)).join('\n');
}

/** The most important sections, on one screen, without the command of each section. */
function shownSections(summary: ProfileSummary, input: SummaryInput): Section[] {
  const sections = sectionsOf(summary, input);
  if (input.isWhole) return sections;
  return sections.filter(({ isDetail }) => isDetail !== true).map((section) => ({ ...section, next: null }));
}

/** What to do next, and how to see every part. Advice is about the times of devices; without any, more of the first part. */
function nextLines(summary: ProfileSummary, input: SummaryInput): string[] {
  const over = nextOver({ file: input.file, isPartial: false });
  const more = sectionsOf(summary, input).find(({ next }) => next !== null)?.next ?? null;
  const next = summary.devices.length > 0 ? over('advise') : more;
  return [...(input.isPartial || next === null ? [] : [`next: ${next}`]), `all:  ${over('summary --all') ?? ''}`];
}

/** @param width width of the terminal; null for the default maximum */
function sectionLines(section: Section, width: number | null): string[] {
  const { title, next, head, isHeaded, right } = section;
  const leftOut = width === null ? new Set<number>() : withoutRoom(section, width);
  const kept = head.flatMap((_, i) => (leftOut.has(i) ? [] : [i]));
  const rows = (isHeaded ? [head, ...section.rows] : section.rows).map((row) =>
    leftOut.size === 0 ? row : kept.map((i) => row[i] ?? ''),
  );
  // Only columns of numbers are left out, so that the columns to the right stay right-aligned.
  const lines = aligned(shortened(rows, width ?? WIDTH), new Set(right.slice(0, right.length - leftOut.size)));
  const names = head.filter((_, i) => leftOut.has(i)).join(', ');
  const more = leftOut.size === 0 ? [] : [`# no room for ${names}: -f csv shows all`];
  return [`## ${title}`, ...lines, ...more, ...(next === null ? [] : [`next: ${next}`])];
}

/** Columns that a screen leaves out so that the last one has some room. */
function withoutRoom({ head, rows, optional = [] }: Section, width: number): Set<number> {
  const sizes = head.map((name, i) => GAP + largest([name, ...rows.map((row) => row[i] ?? '')].map(cells), 0));
  let used = sizes.slice(0, -1).reduce((sum, size) => sum + size, LEAST);
  const leftOut = new Set<number>();
  for (const i of optional) {
    if (used <= width) break;
    leftOut.add(i);
    used -= elementAt(sizes, i);
  }
  return leftOut;
}

/** Cuts the last cells of rows, which are names and remarks, so that no line is wider than the width. */
function shortened(rows: readonly (readonly string[])[], width: number): (readonly string[])[] {
  const before = rows.map((row) => row.slice(0, -1));
  const count = largest(
    before.map((row) => row.length),
    0,
  );
  const taken = Array.from(
    { length: count },
    (_, i) =>
      largest(
        before.map((row) => cells(row[i] ?? '')),
        0,
      ) + GAP,
  );
  const room = Math.max(LEAST, width - taken.reduce((sum, size) => sum + size, 0));
  const last = shortenedTexts(
    rows.map((row) => row.at(-1) ?? ''),
    room,
  );
  return before.map((row, i) => [...row, elementAt(last, i)]);
}

export function summaryMarkdown(summaries: readonly ProfileSummary[], input: SummaryInput): string {
  const ranks = ranksSection(summaries, input);
  const blocks = summaries.flatMap((summary) => [
    `# ${code(profileHeading(summary.profile, summary.header).replace(/^# /, ''))}`,
    ...sectionsOf(summary, input).map(sectionMarkdown),
  ]);
  return `${[...blocks, ...(ranks === null ? [] : [sectionMarkdown(ranks)])].join('\n\n')}\n`;
}

/** Columns of cells by index; the cells are formatted texts. */
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
