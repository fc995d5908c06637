/**
 * The table of metrics that `dprof summary --vendor-metrics` prints and `dprof terms` explains; metrics of engines and of
 * throttling are described here.
 */
import { DMA_METRICS } from './dma-metrics.js';
import {
  METRIC_GROUPS,
  activeTime,
  counted,
  measuredTime,
  measuredUnion,
  ratio,
  type MetricGroup,
  type Metric,
  type MetricSums,
  type MetricAmount,
} from '../metric.js';
import { OTHER_METRICS } from './system-metrics.js';
import { WORK_METRICS } from './work-metrics.js';
import { NEURON_ENGINES } from '../../../record/neuron/neuron-cores.js';
import { IntervalSums } from '../metric-sums.js';
import { PS_PER_NS } from '../../../containers/interval-union.js';
import type { CoreThrottling, ThrottleWindows } from '../sums/stated-values.js';

type ThrottleTemplate<Windows> = Pick<Metric, 'name' | 'unit' | 'doc' | 'formula' | 'inputs' | 'own'> & {
  readonly of: (windows: Windows, sums: MetricSums, core: number) => MetricAmount;
};

const ofTotal = (ns: number, { totalPs }: MetricSums): MetricAmount => ratio(ns * 1000, totalPs, 'total_time');

/**
 * Share of the time until the end of the core's last instruction. The time is in whole nanoseconds, like the windows.
 */
function ofCore(ns: number, { totalPs, lastEnds }: MetricSums, core: number): MetricAmount {
  const end = lastEnds.get(core) ?? totalPs;
  return ratio(ns, end === null ? null : Math.floor(end / PS_PER_NS), 'total_time');
}

const lost = ({ time, allowed }: ThrottleWindows): number => time - allowed;

/** `<k>`: index of the core among those of the capture, from 0. */
const CORE_TEMPLATES: readonly ThrottleTemplate<CoreThrottling>[] = [
  {
    name: 'throttle_active_nc<k>_time_ns',
    unit: 'ns',
    doc: 'time during which the core was throttled below its full rate',
    formula: 'Σ duration of windows with a limit below 1',
    of: ({ limited }) => limited.time,
  },
  {
    name: 'throttle_avg_util_limit_nc<k>_percent',
    unit: 'fraction',
    doc: 'time-weighted rate limit over the whole time; below 1 even if no throttling was observed',
    formula: "Σ limit · duration of windows / end of the core's last instruction, in whole ns",
    of: ({ observed }, sums, core) => ofCore(observed.allowed, sums, core),
  },
  {
    name: 'throttle_observed_time_nc<k>_percent',
    unit: 'fraction',
    own: true,
    doc: 'share of the time with an observed limit (1 included)',
    formula: 'Σ duration of windows / total_time',
    inputs: ['total_time'],
    of: ({ observed }, sums) => ofTotal(observed.time, sums),
  },
  {
    name: 'throttle_observed_util_limit_nc<k>_percent',
    unit: 'fraction',
    own: true,
    doc: 'time-weighted rate limit over the observed time; 100 % means no throttling',
    formula: 'Σ limit · duration of windows / Σ duration of windows',
    of: ({ observed }) => ratio(observed.allowed, observed.time, 'the time observed'),
  },
  {
    name: 'throttle_lost_time_nc<k>_percent',
    unit: 'fraction',
    own: true,
    doc: 'share of the time lost to limits, if the core always had work',
    formula: 'Σ (1 - limit) · duration of windows / total_time',
    inputs: ['total_time'],
    of: ({ observed }, sums) => ofTotal(lost(observed), sums),
  },
];

/** `<kind>`: cause of the limit, such as `activity_1`. */
const KIND_TEMPLATES: readonly ThrottleTemplate<ThrottleWindows>[] = [
  {
    name: 'throttle_<kind>_active_time_nc<k>_percent',
    unit: 'fraction',
    doc: 'fraction of the run in which this kind of throttling set the limit, including a limit of 1 (not slowed)',
    formula: "Σ duration of windows of the kind / end of the core's last instruction, in whole ns",
    of: ({ time }, sums, core) => ofCore(time, sums, core),
  },
  {
    name: 'throttle_<kind>_avg_util_limit_nc<k>_percent',
    unit: 'fraction',
    doc: 'time-weighted rate limit set by this kind of throttling, over the time that it set the limit',
    formula: 'Σ limit · duration of windows of the kind / Σ duration of windows of the kind',
    of: ({ allowed, time }) => ratio(allowed, time, 'the time of this kind'),
  },
];

/** @param timed throttling windows whose times the metric consists of */
const filledIn = <Windows>(
  { of: amountOf, ...template }: ThrottleTemplate<Windows>,
  [kind, k, core]: readonly [kind: string, k: string, core: number],
  windows: Windows,
  { time, count }: ThrottleWindows,
): Metric => ({
  ...template,
  name: template.name.replace('<kind>', kind).replace('<k>', k),
  group: 'throttling',
  of: (sums) => amountOf(windows, sums, core),
  measured: () => [{ ps: time * 1000, intervals: count, lost: 1000 * count }],
});

/**
 * Metrics of throttling for each core and each observed kind of throttling.
 *
 * The vendor divides the time-weighted limit by the time of all instructions although only part of it is observed, so that
 * its average is below 1 even without throttling. Our own metrics are relative to the observed time.
 */
function throttleMetrics({ throttling, machine }: MetricSums): Metric[] {
  const cores = [...throttling.cores].sort(([a], [b]) => a - b);
  return cores.flatMap(([core, found]) => {
    const position = machine.indices.indexOf(core);
    const k = String(position === -1 ? core : position);
    const kinds = [...found.kinds].sort(([a], [b]) => (a < b ? -1 : 1));
    return [
      ...CORE_TEMPLATES.map((template) => filledIn(template, ['', k, core], found, found.observed)),
      ...kinds.flatMap(([kind, windows]) =>
        KIND_TEMPLATES.map((template) => filledIn(template, [kind, k, core], windows, windows)),
      ),
    ];
  });
}

const TIMES = 'EVENT_SEMAPHORE left out';

function ofEngine(engine: string): Metric[] {
  const group = `${engine.toLowerCase()}_engine` as MetricGroup;
  const spans = (sums: MetricSums): IntervalSums => sums.engines.get(engine) ?? new IntervalSums();
  return [
    {
      name: `${group}_instruction_count`,
      group,
      unit: 'count',
      doc: `instructions that the ${engine} engines of all cores ran`,
      formula: `number of instructions of ${engine}`,
      of: (sums) => counted(sums, spans(sums).count),
      differs: 'the tool counts an instruction that it does not list',
    },
    {
      name: `${group}_instruction_time`,
      group,
      unit: 'ps',
      doc: `total duration of the ${engine} engines' instructions, overlapping or not, without waits for semaphores`,
      formula: `Σ duration of instructions of ${engine}, ${TIMES}`,
      of: (sums) => counted(sums, spans(sums).time),
      measured: (sums) => [measuredTime(spans(sums))],
    },
    {
      name: `${group}_active_time`,
      group,
      unit: 'ps',
      doc: `time during which the ${engine} engine of at least one core ran an instruction`,
      formula: `length of the union of instructions of ${engine} over all cores, ${TIMES}`,
      inputs: ['cores'],
      of: (sums) => activeTime(sums, spans(sums)),
      measured: (sums) => [measuredUnion(spans(sums))],
    },
    {
      name: `${group}_active_time_percent`,
      group,
      unit: 'fraction',
      doc: `share of the time during which a ${engine} engine ran an instruction`,
      formula: `${group}_active_time / total_time`,
      inputs: ['total_time', `${group}_active_time`],
      of: (sums) => ratio(activeTime(sums, spans(sums)), sums.totalPs, 'total_time'),
      measured: (sums) => [measuredUnion(spans(sums))],
    },
  ];
}

/**
 * Metrics of each engine: number of instructions, their time, and the time during which at least one ran on any core.
 *
 * Source: definitions in AWS Neuron's profile schema. Waits for semaphores are counted, but their time is not. This
 * gives the same numbers as the vendor's tool for Trainium2 captures.
 */
const ENGINE_METRICS: readonly Metric[] = [
  ...NEURON_ENGINES.flatMap(ofEngine),
  {
    name: 'matmul_instruction_count',
    group: 'tensor_engine',
    unit: 'count',
    doc: 'matrix products that the tensor engines ran, including transposes',
    formula: 'number of MATMUL instructions',
    of: (sums) => counted(sums, sums.matmul.count),
  },
  {
    name: 'activate_instruction_count',
    group: 'scalar_engine',
    unit: 'count',
    doc: 'activation functions that the scalar engines ran',
    formula: 'number of ACTIVATE and ACTIVATE_QUANTIZE instructions',
    of: (sums) => counted(sums, sums.activate.count),
  },
  {
    name: 'activate_instruction_time',
    group: 'scalar_engine',
    unit: 'ps',
    doc: 'total duration of activation functions, overlapping or not',
    formula: 'Σ duration of ACTIVATE and ACTIVATE_QUANTIZE instructions',
    of: (sums) => counted(sums, sums.activate.time),
    measured: (sums) => [measuredTime(sums.activate)],
  },
];

const METRICS: readonly Metric[] = [...OTHER_METRICS, ...WORK_METRICS, ...ENGINE_METRICS, ...DMA_METRICS];

/** Description of a metric; names of throttling metrics contain `<kind>` and `<k>`. */
export type MetricText = Pick<Metric, 'name' | 'group' | 'unit' | 'doc' | 'formula' | 'own'>;

export const METRIC_TEXTS: readonly MetricText[] = [
  ...METRICS,
  ...[...CORE_TEMPLATES, ...KIND_TEMPLATES].map((template) => ({ ...template, group: 'throttling' as const })),
];

const ORDER = Object.keys(METRIC_GROUPS);
export const byGroup = (a: { readonly group: MetricGroup }, b: { readonly group: MetricGroup }): number =>
  ORDER.indexOf(a.group) - ORDER.indexOf(b.group);

export const metricsOf = (sums: MetricSums): Metric[] => [...METRICS, ...throttleMetrics(sums)].sort(byGroup);

/** The description of a metric by name or by template: `throttle_activity_0_active_time_nc1_percent`. */
export const textOf = (name: string): MetricText | null =>
  METRIC_TEXTS.find((text) => text.name === name) ??
  METRIC_TEXTS.find((text) => patternOf(text.name)?.test(name)) ??
  null;

function patternOf(template: string): RegExp | null {
  if (!template.includes('<')) return null;
  return new RegExp(`^${template.replace('<kind>', '(?:[a-z]+(?:_\\d+)?)').replace('<k>', '\\d+')}$`);
}
