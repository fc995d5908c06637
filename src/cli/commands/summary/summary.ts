/** `dprof summary`: the totals of each profile, as text, Markdown and JSON. */
import { MetricAnalysis, type MetricAnswer } from '../../../prof/neuron/metric-analysis.js';
import { Annotator } from '../../../prof/report/report.js';
import { SummaryDetails, summaryDocuments } from '../../../prof/summary/details.js';
import type { Peaks } from '../../../prof/roofline/peaks.js';
import { SummaryAnalysis } from '../../../prof/summary/summary-analysis.js';
import { escapeControls, jsonLines } from '../../../record/control-characters.js';
import type { AnyTable, Column } from '../../../table/column.js';
import type { Write } from '../../output.js';
import { recordsCommand, withTableFormats } from '../../records-command.js';
import { printTable, runAnalysis } from '../../run-analysis.js';
import { jobLines } from '../../screens/job.js';
import { explanation, metricsScreen } from '../../screens/metrics.js';
import { SUMMARY, summaryRequest, type SummaryRequest } from './summary-options.js';
import { metricsDocument, vendorDocument, vendorJson } from './vendor-document.js';
import type { ProfileSummary } from '../../../prof/summary/summary-data.js';
import { elementAt, largest } from '../../../containers/element.js';
import { cells, shortenedTexts } from '../../../table/shortened-texts.js';
import { aligned } from '../../../write/cell-text.js';
import { tableText } from '../../../write/columns.js';
import { requireFormat } from '../../../write/formats.js';
import { code, escapeMarkdown } from '../../../write/markdown.js';
import { profileHeading, screenText, wrapped } from '../../screens/layout.js';
import { nextOver, type Section, type SummaryInput } from '../../screens/summary-section.js';
import { ranksSection, sectionsOf } from '../../screens/summary-sections.js';

// `dprof summary` on a screen and in Markdown: the sections of each profile, then several profiles compared.

/** Blanks between cells. */
const GAP = 2;

/** Maximum width of a line when the text does not go to a terminal, and minimum width of a last cell. */
const [WIDTH, LEAST] = [100, 12];

/** Each profile on a separate screen; then a comparison of several. */
function summaryScreens(summaries: readonly ProfileSummary[], input: SummaryInput): string {
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

/**
 * What to do next, and how to see every part. Advice needs device times; without them, the next step is the first part in
 * full.
 */
function nextLines(summary: ProfileSummary, input: SummaryInput): string[] {
  const over = nextOver({ file: input.file, isPartial: false });
  const more = sectionsOf(summary, input).find(({ next }) => next !== null)?.next ?? null;
  const next = summary.devices.length > 0 ? over('advise') : more;
  return [...(input.isPartial || next === null ? [] : [`next: ${next}`]), `all:  ${over('summary --all') ?? ''}`];
}

/**
 * Wraps lines of text, and cuts the last column of tables.
 * @param width width of the terminal; null for the default maximum
 */
function sectionLines(section: Section, width: number | null): string[] {
  const { title, next, head, isHeaded, right } = section;
  const command = next === null ? [] : [`next: ${next}`];
  if (head.length === 1) {
    const lines = section.rows.flatMap(([text = '']) => wrapped(text, width ?? WIDTH, '  '));
    return [`## ${title}`, ...lines, ...command];
  }
  const leftOut = width === null ? new Set<number>() : withoutRoom(section, width);
  const kept = head.flatMap((_, i) => (leftOut.has(i) ? [] : [i]));
  const rows = (isHeaded ? [head, ...section.rows] : section.rows).map((row) =>
    leftOut.size === 0 ? row : kept.map((i) => row[i] ?? ''),
  );
  // Only numeric columns are left out, so that the columns to the right stay right-aligned.
  const lines = aligned(shortened(rows, width ?? WIDTH), new Set(right.slice(0, right.length - leftOut.size)));
  const names = head.filter((_, i) => leftOut.has(i)).join(', ');
  const more = leftOut.size === 0 ? [] : [`# no room for ${names}: -f csv shows all`];
  return [`## ${title}`, ...lines, ...more, ...command];
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

function summaryMarkdown(summaries: readonly ProfileSummary[], input: SummaryInput): string {
  const ranks = ranksSection(summaries, input);
  const blocks = summaries.flatMap((summary) => [
    `# ${code(profileHeading(summary.profile, summary.header).replace(/^# /, ''))}`,
    ...sectionsOf(summary, input).map(sectionMarkdown),
  ]);
  return `${[...blocks, ...(ranks === null ? [] : [sectionMarkdown(ranks)])].join('\n\n')}\n`;
}

/** Columns of cells by index; the cells are formatted strings. */
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

async function run(request: SummaryRequest): Promise<void> {
  const metrics = new MetricAnalysis(request.metrics);
  const details = request.format === 'json' ? new SummaryDetails() : null;
  if (request.tables !== null) return vendorDocument(request, request.tables, metrics);
  if (request.isVendor) {
    return runAnalysis(request, {
      analysis: metrics,
      isDocument: isVendorDocument(request),
      print: ({ table, facts }, write) => printMetrics(request, table, facts, write),
    });
  }
  await runAnalysis(request, {
    analysis: new SummaryAnalysis(
      request.top,
      metrics,
      details,
      request.device,
      request.format === 'text' && request.file === undefined,
    ),
    annotator: new Annotator(request.device),
    print: ({ table, facts }, write) => {
      const { format, file } = request;
      if (facts.profiles === null) return printMetrics(request, table, facts.metrics, write);
      if (details !== null) return write(jsonLines(summaryDocuments(facts.profiles, details)));
      const input = {
        file,
        isPartial: facts.isPartial,
        isWhole: request.isWhole || format === 'markdown',
        width: request.width,
        measured: measuredText(request.device),
      };
      if (format === 'markdown') return write(summaryMarkdown(facts.profiles, input));
      if (format !== 'text') return printTable(table, format, write, request.width);
      const job = facts.job === null ? '' : `\n${jobLines(facts.job, request.width)}`;
      return write(`${summaryScreens(facts.profiles, input)}${job}`);
    },
  });
}

/** Device and source of measured peak rates; null for those of a vendor. */
const measuredText = (peaks: Peaks | null): string | null =>
  peaks?.isMeasured === true ? escapeControls(`${peaks.name}: ${peaks.source}`) : null;

/** Whether it is the vendor's JSON of metrics. */
const isVendorDocument = ({ metrics, format }: Pick<SummaryRequest, 'metrics' | 'format'>): boolean =>
  format === 'json' && metrics.vendor && !metrics.check;

function printMetrics(
  { metrics, format, quiet, width }: SummaryRequest,
  table: AnyTable | undefined,
  summaries: MetricAnswer,
  write: Write,
): void | Promise<void> {
  const shown = { ...metrics, quiet, width };
  if (metrics.explain !== undefined) {
    return write(
      summaries.flatMap((summary) => summary.rows.map((row) => explanation(summary, row, shown))).join('\n'),
    );
  }
  if (format === 'text') return write(summaries.map((summary) => metricsScreen(summary, shown)).join('\n'));
  if (format !== 'json') return printTable(table, format, write, width);
  if (isVendorDocument({ metrics, format })) return write(vendorJson(summaries));
  return write(summaries.map((summary) => metricsDocument(summary, shown)).join(''));
}

export const summary = recordsCommand(SUMMARY, withTableFormats('text', 'json', 'markdown'), (given, request) =>
  run(summaryRequest(given, request)),
);
