/** `dprof summary`: records → what each profile adds up to. */
import { Summaries } from '../../prof/neuron/metric-summary.js';
import type { ProfileSummary } from '../../prof/summary/summary-data.js';
import { SUMMARY_TYPES, ProfileSummaries } from '../../prof/summary/summaries.js';
import { Annotator } from '../../prof/report.js';
import { UsageError, UserError } from '../../record/errors.js';
import type { ProfileLine } from '../../record/record.js';
import type { Command } from '../commands.js';
import { overviewsJson, overviewsMarkdown, overviewsText } from './summary/summary-formats.js';
import { allMetrics, METRIC_TYPES, metricsNotes, metricsText, monitorReports, type MetricsRequest } from './summary/summary-metrics.js'; // prettier-ignore
import { readSummaryArguments, SUMMARY, summaryHelp, type SummaryFormat, type SummaryRequest } from './summary/summary-options.js'; // prettier-ignore
import { runAnalysis, type Pass } from '../run-analysis.js';
import { withOutput } from '../output.js';

async function run(args: readonly string[]): Promise<void> {
  const request = readSummaryArguments(args);
  if (request.help) return withOutput(undefined, [], async (write) => write(summaryHelp()));
  await runAnalysis(request, request.metrics === null ? overviewPass(request) : metricsPass(request, request.metrics));
}

function metricsPass({ format }: SummaryRequest, asked: MetricsRequest): Pass {
  const summaries = new Summaries();
  const known = metricsFormat(format);
  return {
    types: METRIC_TYPES,
    take: (record) => {
      summaries.take(record);
    },
    end: (write) => write(metricsText(summaries, known, asked)),
    notes: () => metricsNotes(summaries, known, asked),
  };
}

/** @throws UsageError for a format that metrics are not written in */
function metricsFormat(format: SummaryFormat): Exclude<SummaryFormat, 'markdown'> {
  if (format !== 'markdown') return format;
  throw new UsageError("a vendor's metrics are not written as markdown", 'known: text, json, csv');
}

/** Formats without an activity: nothing but the vendor's metrics can be told of them. */
const ONLY_METRICS: ReadonlySet<string> = new Set(['neuron-summary', 'neff']);

/** The summary of any vendor, and of profiles that have nothing but metrics these. */
function overviewPass(request: SummaryRequest): Pass {
  const [annotator, overviews, summaries] = [new Annotator(), new ProfileSummaries(request.top), new Summaries()];
  const metricsAlone = new Set<number>();
  const asked = allMetrics(request.quiet);
  const take = (record: ProfileLine): void => {
    if (record.type === 'profile' && ONLY_METRICS.has(record.format)) metricsAlone.add(record.profile);
    if (metricsAlone.has(record.profile)) summaries.take(record);
    else overviews.take(record, annotator.take(record));
  };
  let found: readonly ProfileSummary[] = [];
  return {
    types: new Set([...SUMMARY_TYPES, ...METRIC_TYPES]),
    take,
    end: (write) => {
      overviews.rest(annotator.rest());
      found = overviews.all;
      if (found.some(hasWork)) return write(textOf(found, request));
      if (summaries.all.length > 0) return write(metricsText(summaries, metricsFormat(request.format), asked));
      throw nothing(found);
    },
    notes: () => (found.length > 0 ? notesOf(metricsAlone) : []),
  };
}

function textOf(found: readonly ProfileSummary[], { format, file }: SummaryRequest): string {
  if (format === 'csv') throw new UsageError('only --vendor-metrics are written as csv', 'dprof --by KEYS --csv FILE');
  if (format === 'json') return overviewsJson(found);
  return format === 'markdown' ? overviewsMarkdown(found, file) : overviewsText(found, file);
}

/** Whether anything with a time ran. */
const hasWork = ({ devices, kernels, memory, syncs, collectives }: ProfileSummary): boolean =>
  devices.length > 0 ||
  (kernels !== null && kernels.untimed < kernels.count) ||
  [...memory, ...syncs, ...collectives].some(({ time }) => time > 0);

function nothing(found: readonly ProfileSummary[]): UserError {
  if (found.some(({ header }) => header?.format === 'neuron-monitor')) return monitorReports();
  const odd = found.some(({ diagnostics }) => Object.keys(diagnostics).some((name) => name.startsWith('record-')));
  if (!odd) return new UserError('no kernels, and no other work of a device');
  return new UserError('no record tells how long it took', {
    hint: 'some profilers have no times, some captures no ends: run dparse on the profile itself',
  });
}

function notesOf(metricsAlone: ReadonlySet<number>): string[] {
  return [...metricsAlone].map((profile) => `profile ${profile} has nothing but metrics: --vendor-metrics shows them`);
}

export const summary: Command = {
  tool: SUMMARY,
  helpText: summaryHelp,
  run,
};
