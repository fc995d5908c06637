/**
 * Metrics of throttling for each core and each kind of throttling that was observed.
 *
 * The vendor divides the time-weighted limit by the time of all instructions although only part of it is observed, so that its
 * average is below 1 without any throttling. Our own metrics are relative to the observed time.
 */
import { PS_PER_NS } from '../../../containers/interval-union.js';
import { ratio, type MetricAmount, type Metric, type MetricSums } from '../metric.js';
import type { CoreThrottling, ThrottleWindows } from '../sums/throttling.js';

type ThrottleTemplate<Windows> = Pick<Metric, 'name' | 'unit' | 'doc' | 'formula' | 'inputs' | 'own'> & {
  readonly of: (windows: Windows, sums: MetricSums, core: number) => MetricAmount;
};

const ofTotal = (ns: number, { totalPs }: MetricSums): MetricAmount => ratio(ns * 1000, totalPs, 'total_time');

/** Share of the time until the core's last instruction ends, in whole nanoseconds as windows are. */
function ofCore(ns: number, { totalPs, lastEnds }: MetricSums, core: number): MetricAmount {
  const end = lastEnds.get(core) ?? totalPs;
  return ratio(ns, end === null ? null : Math.floor(end / PS_PER_NS), 'total_time');
}

const lost = ({ time, allowed }: ThrottleWindows): number => time - allowed;

/** `<k>`: index of the core among those of the capture, from 0. */
export const CORE_TEMPLATES: readonly ThrottleTemplate<CoreThrottling>[] = [
  {
    name: 'throttle_active_nc<k>_time_ns',
    unit: 'ns',
    doc: 'time during which the core was held below its full rate',
    formula: 'Σ duration of windows with a limit below 1',
    of: ({ limited }) => limited.time,
  },
  {
    name: 'throttle_avg_util_limit_nc<k>_percent',
    unit: 'fraction',
    doc: 'limit of the rate, weighted by time, over all of the time: below 1 also where nothing was observed',
    formula: "Σ limit · duration of windows / end of the core's last instruction, in whole ns",
    of: ({ observed }, sums, core) => ofCore(observed.allowed, sums, core),
  },
  {
    name: 'throttle_observed_time_nc<k>_percent',
    unit: 'fraction',
    own: true,
    doc: 'share of the time for which a limit, even of 1, was observed',
    formula: 'Σ duration of windows / total_time',
    inputs: ['total_time'],
    of: ({ observed }, sums) => ofTotal(observed.time, sums),
  },
  {
    name: 'throttle_observed_util_limit_nc<k>_percent',
    unit: 'fraction',
    own: true,
    doc: 'limit of the rate, weighted by time, over the time for which one was observed: 100 % is no throttling',
    formula: 'Σ limit · duration of windows / Σ duration of windows',
    of: ({ observed }) => ratio(observed.allowed, observed.time, 'the time observed'),
  },
  {
    name: 'throttle_lost_time_nc<k>_percent',
    unit: 'fraction',
    own: true,
    doc: 'share of the time that limits took away from a core that always had work',
    formula: 'Σ (1 - limit) · duration of windows / total_time',
    inputs: ['total_time'],
    of: ({ observed }, sums) => ofTotal(lost(observed), sums),
  },
];

/** `<kind>`: cause of the limit, such as `activity_1`. */
export const KIND_TEMPLATES: readonly ThrottleTemplate<ThrottleWindows>[] = [
  {
    name: 'throttle_<kind>_active_time_nc<k>_percent',
    unit: 'fraction',
    doc: 'share of the time during which this kind of throttling set the limit, even one of 1',
    formula: "Σ duration of windows of the kind / end of the core's last instruction, in whole ns",
    of: ({ time }, sums, core) => ofCore(time, sums, core),
  },
  {
    name: 'throttle_<kind>_avg_util_limit_nc<k>_percent',
    unit: 'fraction',
    doc: 'limit of the rate that this kind of throttling set, weighted by time, over its own time',
    formula: 'Σ limit · duration of windows of the kind / Σ duration of windows of the kind',
    of: ({ allowed, time }) => ratio(allowed, time, 'the time of this kind'),
  },
];

/** @param timed windows whose times the metric consists of */
const filledIn = <Windows>(
  { of, ...template }: ThrottleTemplate<Windows>,
  [kind, k, core]: readonly [kind: string, k: string, core: number],
  windows: Windows,
  { time, count }: ThrottleWindows,
): Metric => ({
  ...template,
  name: template.name.replace('<kind>', kind).replace('<k>', k),
  group: 'throttling',
  of: (sums) => of(windows, sums, core),
  measured: () => [{ ps: time * 1000, intervals: count, lost: 1000 * count }],
});

export function throttleMetrics({ throttling, machine }: MetricSums): Metric[] {
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
