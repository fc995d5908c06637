/** `dprof summary`: what each profile adds up to, as text, Markdown and JSON. */
import { MetricAnalysis, type MetricAnswer } from '../../../prof/neuron/metric-analysis.js';
import { Annotator } from '../../../prof/report/report.js';
import { SummaryDetails, summaryDocuments } from '../../../prof/summary/details.js';
import { SummaryAnalysis } from '../../../prof/summary/summary-analysis.js';
import { jsonLines, escapeControls } from '../../../record/control-characters.js';
import type { AnyTable, Column } from '../../../table/column.js';
import type { Write } from '../../output.js';
import { recordsCommand, withTableFormats } from '../../records-command.js';
import { printTable, runAnalysis, profileHeading } from '../../run-analysis.js';
import { jobLines } from '../ranks/ranks-screen.js';
import { explanation, metricsDocument, metricsScreen, vendorJson } from './summary-metrics-screen.js';
import { SUMMARY, summaryRequest, type SummaryRequest } from './summary-options.js';
import { vendorDocument } from './vendor-document.js';
import type { ProfileSummary } from '../../../prof/summary/summary-data.js';
import { aligned, cut } from '../../../write/cell-text.js';
import { requireFormat } from '../../../write/formats.js';
import { code, escapeMarkdown } from '../../../write/markdown.js';
import { tableText } from '../../../write/columns.js';
import type { Section, SummaryInput } from './summary-section.js';
import { ranksSection, sectionsOf } from './summary-sections.js';

const WIDTH = 100;

/** Each profile on a screen of its own; then several compared. */
export function summaryScreens(summaries: readonly ProfileSummary[], input: SummaryInput): string {
  const ranks = ranksSection(summaries, input);
  const screens = summaries.map((summary) =>
    [profileHeading(summary.profile, summary.header), ...sectionsOf(summary, input).flatMap(sectionLines)].map(
      escapeControls,
    ),
  );
  const all = ranks === null ? screens : [...screens, sectionLines(ranks).map(escapeControls)];
  return all.map((lines) => `${lines.join('\n')}\n`).join('\n');
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
      const input = { file, isPartial: facts.isPartial };
      if (format === 'markdown') return write(summaryMarkdown(facts.profiles, input));
      if (format !== 'text') return printTable(table, format, write);
      const job = facts.job === null ? '' : `\n${jobLines(facts.job)}`;
      return write(`${summaryScreens(facts.profiles, input)}${job}`);
    },
  });
}

/** Whether it is the vendor's own JSON of metrics. */
const isVendorDocument = ({ metrics, format }: Pick<SummaryRequest, 'metrics' | 'format'>): boolean =>
  format === 'json' && metrics.vendor && !metrics.check;

function printMetrics(
  { metrics, format, quiet }: SummaryRequest,
  table: AnyTable | undefined,
  summaries: MetricAnswer,
  write: Write,
): void | Promise<void> {
  const shown = { ...metrics, quiet };
  if (metrics.explain !== undefined) {
    return write(
      summaries.flatMap((summary) => summary.rows.map((row) => explanation(summary, row, shown))).join('\n'),
    );
  }
  if (format === 'text') return write(summaries.map((summary) => metricsScreen(summary, shown)).join('\n'));
  if (format !== 'json') return printTable(table, format, write);
  if (isVendorDocument({ metrics, format })) return write(vendorJson(summaries));
  return write(summaries.map((summary) => metricsDocument(summary, shown)).join(''));
}

export const summary = recordsCommand(SUMMARY, withTableFormats('text', 'json', 'markdown'), (given, request) =>
  run(summaryRequest(given, request)),
);
