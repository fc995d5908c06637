/** Metrics of the system that a capture was made on, and metrics that records cannot provide. */
import { fromVendor } from '../quantity.js';
import {
  activeTime,
  combine,
  measuredUnion,
  ratio,
  statedTotal,
  type Metric,
  type MetricAmount,
  type MetricSums,
} from '../metric.js';

const FACTS: readonly (readonly [name: string, fact: string, doc: string, hint?: string])[] = [
  ['instance_type', 'instanceType', 'type of the instance that the capture was made on'],
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
      return version ?? { unknown: "not written by a tool of the vendor's" };
    },
  },
  {
    name: 'nc_idx',
    group: 'system',
    unit: 'count',
    doc: 'index of the core; of several, their indices added up, as the vendor has it: see core_indices',
    formula: 'Σ absolute index of the cores',
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
    formula: 'index of a core / cores of a device, rounded down; as in the JSON, where all cores have the same',
    of: (sums) => deviceIndex(sums),
  },
];

function deviceIndex({ stated }: MetricSums): MetricAmount {
  const [index, ...others] = new Set(stated.get('nd_idx')?.values());
  if (index === undefined) return { unknown: 'the capture does not state the type of its instance' };
  return others.length === 0 ? index : { unknown: 'the cores are of several devices' };
}

const COLLECTIVES: readonly (readonly [name: string, unit: Metric['unit'], doc: string])[] = [
  ['cc_op_count', 'count', 'collective operations'],
  ['cc_op_time', 'ps', 'durations of collective operations added up'],
  ['cc_op_active_time', 'ps', 'time during which a collective operation was under way'],
  ['cc_op_active_time_percent', 'fraction', 'share of the time during which a collective operation was under way'],
  ['cc_cores_instruction_count', 'count', 'instructions of the cores for collectives'],
  ['cc_cores_instruction_time', 'ps', 'durations of instructions of the cores for collectives added up'],
  ['cc_cores_instruction_active_time', 'ps', 'time during which a core for collectives ran an instruction'],
  [
    'cc_cores_instruction_active_time_percent',
    'fraction',
    'share of the time during which a core for collectives ran an instruction',
  ],
];

/** Cores of their own carry out all collective operations: where they ran nothing, there were none. */
function noCollectives(sums: MetricSums): MetricAmount {
  return statedTotal(sums, 'cc_cores_instruction_count') === 0
    ? 0
    : { unknown: 'the capture does not say that there were none, and how they are recorded is not known' };
}

export const OTHER_METRICS: readonly Metric[] = [
  {
    name: 'total_active_time',
    group: 'summary',
    unit: 'ps',
    doc: 'time during which an engine ran an instruction or a DMA packet was under way',
    formula: 'length of the union of instructions (EVENT_SEMAPHORE left out) and packets',
    of: (sums) => activeTime(sums, { union: sums.active }),
    measured: (sums) => [measuredUnion({ union: sums.active })],
    ofPackets: true,
  },
  {
    name: 'total_active_time_percent',
    group: 'summary',
    unit: 'fraction',
    doc: 'share of the time during which anything at all was under way',
    formula: 'total_active_time / total_time',
    of: (sums) => ratio(activeTime(sums, { union: sums.active }), sums.totalPs, 'total_time'),
    measured: (sums) => [measuredUnion({ union: sums.active })],
    ofPackets: true,
  },
  {
    name: 'event_count',
    group: 'overall_stats',
    unit: 'count',
    doc: 'notifications other than of instructions and packets: updates of semaphores, and events',
    formula: "Σ over cores: records of the trace's sections of events; as in the JSON",
    of: (sums) => statedTotal(sums, 'event_count'),
  },
  {
    name: 'trace_count',
    group: 'overall_stats',
    unit: 'count',
    doc: 'notifications of all kinds',
    formula: 'event_count + instructions + packets',
    of: (sums) =>
      combine([statedTotal(sums, 'event_count')], (events) => events + sums.instructions + sums.packets.count),
    ofPackets: true,
  },
  ...COLLECTIVES.map(([name, unit, doc]): Metric => ({
    name,
    group: 'cc_engine',
    unit,
    doc,
    formula: "as the tool reports it; 0 where the trace's sections of the cores for collectives are all empty",
    of: (sums) => {
      const value = sums.reported.get('')?.get(name)?.value;
      // Times are seconds in the tool's summary.
      return typeof value === 'number' ? fromVendor(value, unit) : noCollectives(sums);
    },
  })),
  ...SYSTEM,
];
