/** Turns records of a Neuron capture into its metrics, the activity of its engines, and its values over time. One pass. */
import { entryOf } from '../../../containers/map-entry.js';
import { TimeBins, type BinCoverage } from '../../../containers/time-bins.js';
import { isNeuronInstruction } from '../../../record/neuron/neuron-cores.js';
import type { KernelLine, ProfileLine, ProfileRecord, SampleRecord } from '../../../record/record.js';
import { metricTitle } from '../../../record/sample-metrics.js';
import { isOfNeuronDevice } from '../../neuron/machine.js';
import { exactValue } from '../../neuron/metric-analysis.js';
import { MetricSummaries } from '../../neuron/metric-summary.js';
import { workOf } from '../../steps/step-work.js';
import { CurveGroupBuilder } from './monitor-charts.js';
import type { PageNeuron } from './neuron-data.js';

const BINS = 200;

/** Metrics of samples that are drawn over time, with their units. */
const DRAWN: Readonly<Record<string, string>> = {
  dma_transfer_rate: 'bytes/s',
  pending_dma: 'count',
  sb_usage: 'fraction',
  psum_usage: 'fraction',
  throttle: 'fraction',
};

interface EngineCoverage {
  readonly device: number;
  readonly engine: string;
  readonly coverage: BinCoverage;
}

/** Whether a profile is of a Neuron device or program, and not of its monitor. */
export const isNeuronCapture = (header: ProfileRecord): boolean =>
  header.format !== 'neuron-monitor' && (/^(?:ntff|neff|neuron)/.test(header.format) || isOfNeuronDevice(header));

export class NeuronCapture {
  readonly #summaries = new MetricSummaries();
  readonly #bins = new TimeBins(BINS);
  readonly #engines = new Map<string, EngineCoverage>();
  readonly #curves = new Map<string, CurveGroupBuilder>();

  take(record: ProfileLine): void {
    if (record.type === 'range') return;
    this.#summaries.take(record);
    if (record.type === 'kernel') this.#instruction(record);
    if (record.type === 'sample') this.#sample(record);
  }

  #instruction(record: KernelLine): void {
    const { start, dur, device, engine } = record;
    if (engine === undefined || !isNeuronInstruction(record) || workOf(record) === null) return;
    if (dur === null || !Number.isFinite(start + dur)) return;
    const { coverage } = entryOf(this.#engines, `${device}/${engine}`, () => ({
      ...{ device, engine, coverage: this.#bins.addCoverage() },
    }));
    this.#bins.extend(start, start + dur);
    this.#bins.cover(coverage, start, start + dur);
  }

  #sample({ metric, start, value, device, labels }: SampleRecord): void {
    const unit = DRAWN[metric];
    if (unit === undefined || start === null || value === null) return;
    // `activity_0` and `activity_1` are states of one limit.
    const kind = labels?.['kind'] === undefined ? undefined : String(labels['kind']).replace(/_\d+$/, '');
    const name = [device === null ? 'unknown core' : `core ${device}`, ...(kind === undefined ? [] : [kind])].join(' ');
    entryOf(this.#curves, metric, () => new CurveGroupBuilder(metricTitle(metric), unit)).add(name, start, value);
  }

  get result(): PageNeuron {
    const engines = [...this.#engines.values()].sort((a, b) => a.device - b.device || (a.engine < b.engine ? -1 : 1));
    return {
      metrics: this.#summaries.all.map(({ node, rows, warnings }) => ({
        node,
        rows: rows.map((row) => ({
          ...{ name: row.name, group: row.group, why: row.why, of: row.of },
          ...exactValue(row, row.value, false),
        })),
        warnings: warnings.map(({ rule, text }) => ({ rule, text })),
      })),
      engines:
        engines.length === 0
          ? null
          : {
              ...{ start: this.#bins.begin ?? 0, width: this.#bins.width },
              rows: engines.map(({ device, engine, coverage }) => ({
                ...{ device, engine, shares: this.#bins.sharesOf(coverage) },
              })),
            },
      curves: Object.keys(DRAWN).flatMap((metric) => this.#curves.get(metric)?.group ?? []),
    };
  }
}
