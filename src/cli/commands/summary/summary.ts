/** `dprof summary`: the totals of each profile, as text, Markdown and JSON. */
import { MetricAnalysis, type MetricAnswer } from '../../../prof/neuron/metric-analysis.js';
import { Annotator } from '../../../prof/report/report.js';
import { SummaryDetails, summaryDocuments } from '../../../prof/summary/details.js';
import { SummaryAnalysis } from '../../../prof/summary/summary-analysis.js';
import { jsonLines } from '../../../record/control-characters.js';
import type { AnyTable } from '../../../table/column.js';
import type { Write } from '../../output.js';
import { recordsCommand, withTableFormats } from '../../records-command.js';
import { printTable, runAnalysis } from '../../run-analysis.js';
import { jobLines } from '../../screens/job.js';
import { explanation, metricsScreen } from '../../screens/metrics.js';
import { summaryMarkdown, summaryScreens } from '../../screens/summary.js';
import { SUMMARY, summaryRequest, type SummaryRequest } from './summary-options.js';
import { metricsDocument, vendorDocument, vendorJson } from './vendor-document.js';

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
      };
      if (format === 'markdown') return write(summaryMarkdown(facts.profiles, input));
      if (format !== 'text') return printTable(table, format, write, request.width);
      const job = facts.job === null ? '' : `\n${jobLines(facts.job, request.width)}`;
      return write(`${summaryScreens(facts.profiles, input)}${job}`);
    },
  });
}

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
