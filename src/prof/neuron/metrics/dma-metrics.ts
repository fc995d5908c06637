/**
 * Metrics of DMA, by what wrote the packets' descriptors: the compiler (static), or an engine's software or dedicated
 * hardware while the program ran (dynamic).
 *
 * Source: definitions in AWS Neuron's profile schema; the denominators were derived by comparing the tool's numbers with
 * its own tables.
 */
import {
  activeTime,
  combine,
  counted,
  measuredTime,
  measuredUnion,
  ratio,
  statedTotal,
  type MetricAmount,
  type MetricGroup,
  type Metric,
  type MetricSums,
} from '../metric.js';
import { DYNAMIC, type PacketSpans } from '../metric-sums.js';

const NOT_GROUPED = 'records do not show which packets form one tensor transfer';
const UNSIZED = 'some packets have no size';

const bytesOf = (sums: MetricSums, { bytes, unsized }: PacketSpans): MetricAmount =>
  unsized > 0 ? { unknown: UNSIZED } : counted(sums, bytes);

const STATIC = 'static';

const KINDS: readonly (readonly [prefix: string, group: MetricGroup, what: string])[] = [
  ['software_dynamic', 'software_data_movement', 'packets whose descriptors an engine wrote while the program ran'],
  [
    'hardware_dynamic',
    'hardware_data_movement',
    'packets whose descriptors dedicated hardware wrote while the program ran',
  ],
  [STATIC, 'data_movement', 'packets prepared before the program ran, instruction fetches included'],
];

function ofKind([prefix, group, what]: (typeof KINDS)[number]): Metric[] {
  const packets = (sums: MetricSums): PacketSpans => (prefix === STATIC ? sums.static : sums.queue(prefix));
  const measured = (sums: MetricSums) => [measuredUnion(packets(sums))];
  const time = `${prefix}_dma_active_time`;
  return [
    {
      name: `${prefix}_dma_packet_count`,
      group,
      unit: 'count',
      doc: what,
      formula: `number of ${what}`,
      of: (sums) => counted(sums, packets(sums).count),
      ofPackets: true,
    },
    {
      name: `${prefix}_dma_packet_percent`,
      group,
      unit: 'fraction',
      doc: `share of ${what} among all packets`,
      formula: `${prefix}_dma_packet_count / all packets`,
      inputs: [`${prefix}_dma_packet_count`],
      of: (sums) => ratio(counted(sums, packets(sums).count), sums.packets.count, 'the number of packets'),
      ofPackets: true,
    },
    {
      name: `${prefix}_dma_size`,
      group,
      unit: 'bytes',
      doc: `size of ${what}`,
      formula: `Σ size of ${what}`,
      of: (sums) => bytesOf(sums, packets(sums)),
      ofPackets: true,
    },
    {
      name: `${prefix}_dma_size_percent`,
      group,
      unit: 'fraction',
      doc: `share of all bytes in ${what}`,
      formula: `${prefix}_dma_size / Σ size of all packets`,
      inputs: [`${prefix}_dma_size`],
      of: (sums) => ratio(bytesOf(sums, packets(sums)), bytesOf(sums, sums.packets), 'the size of all packets'),
      ofPackets: true,
    },
    {
      name: time,
      group,
      unit: 'ps',
      doc: `time with at least one packet in flight, among the ${what}`,
      formula: `length of the union of ${what}`,
      of: (sums) => activeTime(sums, packets(sums)),
      measured,
      ofPackets: true,
    },
    {
      name: `${time}_percent`,
      group,
      unit: 'fraction',
      doc: `share of dma_active_time (not of total_time) during which ${what} were in flight`,
      formula: `${time} / dma_active_time`,
      inputs: ['dma_active_time', time],
      of: (sums) => ratio(activeTime(sums, packets(sums)), activeTime(sums, sums.packets), 'dma_active_time'),
      measured: (sums) => [...measured(sums), measuredUnion(sums.packets)],
      ofPackets: true,
    },
  ];
}

/** Packets of both kinds that are not static. */
const dynamicBytes = (sums: MetricSums): MetricAmount =>
  combine([bytesOf(sums, sums.packets), bytesOf(sums, sums.static)], (all, fixed) => all - fixed);

const QUEUES: readonly (readonly [name: string, type: string, what: string])[] = [
  ['input_queue_bytes', 'input', 'inputs into the state buffer'],
  ['output_queue_bytes', 'output', 'outputs from the state buffer to memory'],
  ['weight_queue_bytes', 'data', 'weights, counted each time they are loaded'],
];

const TRANSFERS: readonly (readonly [name: string, unit: Metric['unit'], doc: string])[] = [
  ['dma_transfer_count', 'count', 'number of tensor transfers, each made of many packets'],
  ['dma_transfer_time', 'ps', 'total duration of tensor transfers'],
  ['dma_transfer_total_bytes', 'bytes', 'total size of tensor transfers'],
  ['dma_transfer_average_bytes', 'bytes', 'bytes of all packets per tensor transfer'],
];

/** Fields that all metrics of packets share. */
const OF_ALL = { group: 'data_movement', ofPackets: true } as const;

export const DMA_METRICS: readonly Metric[] = [
  {
    ...OF_ALL,
    name: 'dma_active_time',
    unit: 'ps',
    doc: 'time during which at least one DMA packet was in flight',
    formula: 'length of the union of all packets',
    of: (sums) => activeTime(sums, sums.packets),
    measured: (sums) => [measuredUnion(sums.packets)],
  },
  {
    ...OF_ALL,
    name: 'dma_active_time_percent',
    unit: 'fraction',
    doc: 'share of the time during which at least one DMA packet was in flight',
    formula: 'dma_active_time / total_time',
    inputs: ['total_time', 'dma_active_time'],
    of: (sums) => ratio(activeTime(sums, sums.packets), sums.totalPs, 'total_time'),
    measured: (sums) => [measuredUnion(sums.packets)],
  },
  {
    ...OF_ALL,
    name: 'dma_active_cycles',
    unit: 'cycles',
    doc: 'dma_active_time in cycles of the core, not of the tensor engine',
    formula: 'floor(dma_active_time · clock)',
    inputs: ['dma_active_time', 'clock'],
    of: (sums) =>
      combine([activeTime(sums, sums.packets), sums.machine.clockHz], (ps, hz) => Math.floor((ps * hz) / 1e12)),
    measured: (sums) => [measuredUnion(sums.packets)],
  },
  {
    ...OF_ALL,
    name: 'dma_packet_time',
    unit: 'ps',
    doc: 'total duration of all packets on all DMA engines, overlapping or not',
    formula: 'Σ duration of packets',
    of: (sums) => counted(sums, sums.packets.time),
    measured: (sums) => [measuredTime(sums.packets)],
  },
  {
    ...OF_ALL,
    name: 'dynamic_dma_packet_percent',
    unit: 'fraction',
    doc: 'share of the packets whose descriptors were written while the program ran',
    formula: '(software and hardware dynamic packets) / all packets',
    of: (sums) =>
      ratio(counted(sums, sums.packets.count - sums.static.count), sums.packets.count, 'the number of packets'),
  },
  {
    ...OF_ALL,
    name: 'dynamic_dma_size_percent',
    unit: 'fraction',
    doc: 'share of the bytes moved by packets whose descriptors were written while the program ran',
    formula: '(software_dynamic_dma_size + hardware_dynamic_dma_size) / Σ size of all packets',
    inputs: ['software_dynamic_dma_size', 'hardware_dynamic_dma_size'],
    of: (sums) => ratio(dynamicBytes(sums), bytesOf(sums, sums.packets), 'the size of all packets'),
  },
  {
    ...OF_ALL,
    name: 'dynamic_dma_active_time_percent',
    unit: 'fraction',
    doc: 'time of dynamic packets as a share of dma_active_time, not of total_time; time with both kinds in flight counts twice',
    formula: '(software_dynamic_dma_active_time + hardware_dynamic_dma_active_time) / dma_active_time',
    inputs: ['dma_active_time', 'software_dynamic_dma_active_time', 'hardware_dynamic_dma_active_time'],
    of: (sums) =>
      ratio(
        combine(
          DYNAMIC.map((type) => activeTime(sums, sums.queue(type))),
          (software, hardware) => software + hardware,
        ),
        activeTime(sums, sums.packets),
        'dma_active_time',
      ),
    measured: (sums) => [...DYNAMIC.map((type) => sums.queue(type)), sums.packets].map(measuredUnion),
  },
  ...KINDS.flatMap(ofKind),
  ...QUEUES.map(([name, type, what]): Metric => ({
    name,
    group: 'data_movement',
    unit: 'bytes',
    doc: `bytes through queues that the compiler made for ${what}`,
    formula: `Σ size of packets of queues of type '${type}'`,
    of: (sums) => bytesOf(sums, sums.queue(type)),
    ofPackets: true,
  })),
  ...TRANSFERS.map(([name, unit, doc]): Metric => ({
    name,
    group: 'data_movement',
    unit,
    doc,
    formula: 'not computed: packets are not grouped by transfer',
    of: () => ({ unknown: NOT_GROUPED }),
    differs: 'the tool writes 0 where it had no descriptor notifications',
  })),
  {
    name: 'dma_queue_count',
    group: 'data_movement',
    unit: 'count',
    doc: 'DMA queues that the program declares, counted once for each DMA engine that serves the queue',
    formula: "Σ over cores of the rings in the trace's metadata; for the tool's JSON, the value it states",
    inputs: ['cores'],
    of: (sums) => statedTotal(sums, 'dma_queue_count'),
  },
];
