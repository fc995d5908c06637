/** Metrics of the system on which a capture was made, and metrics that records cannot provide. */
import type { IntervalSums } from '../metric-sums.js';
import { fromVendor } from '../quantity.js';
import {
  activeTime,
  combine,
  measuredTime,
  measuredUnion,
  NO_ORDER,
  ratio,
  statedTotal,
  type Metric,
  type MetricAmount,
  type MetricSums,
} from '../metric.js';

const FACTS: readonly (readonly [name: string, fact: string, doc: string, hint?: string])[] = [
  ['instance_type', 'instanceType', 'instance type of the capture'],
  [
    'compiler_version',
    'compilerVersion',
    'version of the compiler that made the program',
    '; the program (NEFF) has it',
  ],
  ['runtime_version', 'runtimeVersion', 'version of the runtime library'],
  ['driver_version', 'driverVersion', 'version of the driver'],
  ['collectives_version', 'collectivesVersion', 'version of the collectives library'],
];

const SYSTEM: readonly Metric[] = [
  ...FACTS.map(([name, key, doc, hint = '']): Metric => ({
    name,
    group: 'system',
    unit: 'text',
    doc,
    formula: 'as in the capture',
    of: ({ profile }) => profile?.facts?.[key] ?? { unknown: `the capture lacks it${hint}` },
  })),
  {
    name: 'profiler_version',
    group: 'system',
    unit: 'text',
    doc: "version of the vendor's tool that wrote the JSON",
    formula: 'as in the JSON',
    of: ({ profile }) => {
      const tool = profile === null ? null : profile.tool;
      const version = tool === null ? undefined : /^neuron-profile (.+)$/.exec(tool)?.[1];
      return version ?? { unknown: "not written by the vendor's tool" };
    },
  },
  {
    name: 'nc_idx',
    group: 'system',
    unit: 'count',
    doc: "index of the core; for several cores their sum, as in the vendor's tool: see core_indices",
    formula: 'Σ absolute index of the cores',
    inputs: ['cores'],
    of: ({ machine: { indices } }) =>
      indices.length > 0 ? indices.reduce((sum, index) => sum + index, 0) : { unknown: 'no core in the records' },
  },
  {
    name: 'core_indices',
    group: 'system',
    unit: 'text',
    own: true,
    doc: 'absolute indices of the cores that worked together',
    formula: 'indices in order',
    of: ({ machine: { indices } }) => (indices.length > 0 ? indices.join(',') : { unknown: 'no core in the records' }),
  },
  {
    name: 'nd_idx',
    group: 'system',
    unit: 'count',
    doc: 'index of the device',
    formula:
      "index of a core / cores of a device, rounded down; for the tool's JSON, the value it states, which is the same for all cores",
    inputs: ['cores'],
    of: (sums) => deviceIndex(sums),
  },
];

function deviceIndex({ stated }: MetricSums): MetricAmount {
  const [index, ...others] = new Set(stated.get('nd_idx')?.values());
  if (index === undefined) return { unknown: 'the capture does not record its instance type' };
  return others.length === 0 ? index : { unknown: 'the cores belong to several devices' };
}

interface CollectiveSpans {
  /** Prefix of the names of their metrics. */
  readonly name: string;
  readonly what: string;
  readonly isUnderWay: string;
  /** Text about what the active time excludes; '' for nothing. */
  readonly leftOut: string;
  readonly of: (sums: MetricSums) => IntervalSums;
}

const COLLECTIVES: readonly CollectiveSpans[] = [
  {
    name: 'cc_op',
    what: 'collective operations',
    isUnderWay: 'a collective operation was under way',
    leftOut: '',
    of: ({ collectives }) => collectives,
  },
  {
    name: 'cc_cores_instruction',
    what: 'instructions of the collective cores',
    isUnderWay: 'a collective core ran an instruction other than a wait for a semaphore',
    leftOut: ', waits for semaphores left out',
    of: ({ collectiveInstructions }) => collectiveInstructions,
  },
];

/** Computed from the records of operations; without records, as reported by the tool. */
function metricsOfCollectives({ name, what, isUnderWay, leftOut, of: spansOf }: CollectiveSpans): Metric[] {
  const metric = (
    [key, unit]: readonly [key: string, unit: Metric['unit']],
    [doc, formula, ...inputs]: readonly [doc: string, formula: string, ...inputs: string[]],
    amount: Metric['of'],
    measured?: Metric['measured'],
  ): Metric => ({
    ...{ name: `${name}_${key}`, group: 'cc_engine', unit, doc },
    formula: `${formula}; if the trace has no records of ${what}, ${WITHOUT_RECORDS}`,
    inputs: [...inputs, 'cores'],
    of: (sums) => (spansOf(sums).count > 0 ? amount(sums) : withoutCollectives(sums, `${name}_${key}`, unit)),
    ...(measured === undefined ? undefined : { measured }),
  });
  const union: Metric['measured'] = (sums) => [measuredUnion(spansOf(sums))];
  const active: Metric['of'] = (sums) => {
    const { union: intervals } = spansOf(sums);
    return intervals.outOfOrder > 0 ? { unknown: NO_ORDER } : intervals.total;
  };
  return [
    metric(['count', 'count'], [what, `number of ${what}`], (sums) => spansOf(sums).count),
    metric(
      ['time', 'ps'],
      [`total duration of ${what}`, `Σ duration of ${what}`],
      (sums) => spansOf(sums).time,
      (sums) => [measuredTime(spansOf(sums))],
    ),
    metric(
      ['active_time', 'ps'],
      [`time during which ${isUnderWay}`, `length of the union of ${what}${leftOut}`],
      active,
      union,
    ),
    metric(
      ['active_time_percent', 'fraction'],
      [
        `share of the time during which ${isUnderWay}`,
        `${name}_active_time / total_time`,
        'total_time',
        `${name}_active_time`,
      ],
      (sums) => ratio(active(sums), sums.totalPs, 'total_time'),
      union,
    ),
  ];
}

const WITHOUT_RECORDS =
  "the value that the tool reports, or 0 if the trace's sections of the collective cores are all empty";

/** Dedicated cores execute all collective operations. If they ran nothing, there were no such operations. */
function withoutCollectives(sums: MetricSums, name: string, unit: Metric['unit']): MetricAmount {
  const value = sums.reported.get('')?.get(name)?.value;
  // Times in the tool's summary are in seconds.
  if (typeof value === 'number') return fromVendor(value, unit);
  return statedTotal(sums, 'cc_cores_instruction_count') === 0
    ? 0
    : { unknown: 'the capture has no records of collective operations, and does not state that there were none' };
}

export const OTHER_METRICS: readonly Metric[] = [
  {
    name: 'total_active_time',
    group: 'summary',
    unit: 'ps',
    doc: 'time during which an engine ran an instruction, or a DMA packet or a collective operation ran',
    formula: 'length of the union of instructions (EVENT_SEMAPHORE left out), packets and collective operations',
    of: (sums) => activeTime(sums, { union: sums.active }),
    measured: (sums) => [measuredUnion({ union: sums.active })],
    ofPackets: true,
  },
  {
    name: 'total_active_time_percent',
    group: 'summary',
    unit: 'fraction',
    doc: 'share of the time during which anything ran',
    formula: 'total_active_time / total_time',
    inputs: ['total_active_time', 'total_time'],
    of: (sums) => ratio(activeTime(sums, { union: sums.active }), sums.totalPs, 'total_time'),
    measured: (sums) => [measuredUnion({ union: sums.active })],
    ofPackets: true,
  },
  {
    name: 'event_count',
    group: 'overall_stats',
    unit: 'count',
    doc: 'notifications other than of instructions and packets: updates of semaphores, and events',
    formula: "Σ over cores of the records in the trace's sections of events; for the tool's JSON, the value it states",
    inputs: ['cores'],
    of: (sums) => statedTotal(sums, 'event_count'),
  },
  {
    name: 'trace_count',
    group: 'overall_stats',
    unit: 'count',
    doc: 'notifications of all kinds',
    formula: 'event_count + instructions + packets',
    inputs: ['event_count'],
    of: (sums) =>
      combine([statedTotal(sums, 'event_count')], (events) => events + sums.instructions + sums.packets.count),
    ofPackets: true,
  },
  ...COLLECTIVES.flatMap(metricsOfCollectives),
  ...SYSTEM,
];
