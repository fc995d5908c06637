/** Records of a device trace without a time: the profile line, and memory use. */
import { entryOf } from '../../../../containers/map-entry.js';
import { coreOfInstance, type NeuronCore } from '../../../../record/neuron/neuron-cores.js';
import { neuronDevice, knownFacts, profileRecord } from '../profile-record.js';
import { UNEVEN_QUEUE_METRIC } from '../../../../record/sample-metrics.js';
import { queueOf, streamOf, nanoseconds } from './rows.js';
import type { Labels, ProfileRecord, SampleRecord } from '../../../../record/record.js';
import type { ReadOptions } from '../../../reader.js';
import { fileNameOf } from '../../../files.js';
import type { NeffProgram } from '../neff/program.js';
import type { DeviceClock } from './section-rows.js';
import type { CoreProgram, Metadata, QueueRing } from './metadata.js';
import { queueName } from './queues.js';
import { VERSION } from './ntff-file.js';

export function profileLine(
  format: string,
  options: ReadOptions,
  metadata: Metadata,
  cores: readonly number[],
  clock: DeviceClock,
  program: NeffProgram | null,
): ProfileRecord {
  const core = coreOfInstance(metadata.instanceType);
  return profileRecord(format, options, {
    tool: null,
    dur: nanoseconds(clock.length),
    devices: cores.map((id) => neuronDevice(id, core)),
    facts: factsOf(metadata, cores, clock, program),
  });
}

function factsOf(
  metadata: Metadata,
  cores: readonly number[],
  clock: DeviceClock,
  program: NeffProgram | null,
): Labels {
  const core = coreOfInstance(metadata.instanceType);
  return knownFacts({
    instanceType: metadata.instanceType,
    runtimeVersion: metadata.runtimeVersion,
    driverVersion: metadata.driverVersion,
    collectivesVersion: metadata.collectivesVersion,
    ...program?.facts,
    totalTimePs: clock.length,
    peRows: core?.peRows,
    peCols: core?.peCols,
    peClockHz: core?.peClockHz,
    clockHz: core?.clockHz,
    dmaBytesPerS: core?.dmaBytesPerS,
    hbmBytesPerS: core?.hbmBytesPerS,
    cores: cores.length,
    // Only the base name, because paths of the machine must not be written.
    model: metadata.modelFile === null ? null : fileNameOf(metadata.modelFile),
    uuid: metadata.uuid,
    ntffVersion: VERSION,
    executions: metadata.windows.length > 1 ? metadata.windows.length : null,
  });
}

/** Memory of one core by use, and the total, as the vendor's tool shows them. */
export function* memoryLines(profile: number, core: number, graphs: readonly CoreProgram[]): Generator<SampleRecord> {
  const uses = graphs.flatMap((graph) => graph.memory);
  if (uses.length === 0) return;
  const total = uses.reduce((sum, { bytes }) => sum + bytes, 0);
  for (const { name, bytes } of [...uses, { name: TOTAL, bytes: total }]) {
    yield {
      type: 'sample',
      profile,
      start: null,
      device: core,
      metric: 'memory',
      value: bytes,
      unit: 'bytes',
      labels: { kind: memoryKind(name) },
    };
  }
}

/** Totals over the records of one core's sections. */
export interface CoreCounts {
  /** Null when the capture has no section with events. */
  readonly events: number | null;
  /** Whether the capture has sections of the collective cores, and all of them are empty. */
  readonly hasNoCollectives: boolean;
}

/**
 * Number of the device, events, collective-core instructions and DMA queues of one core, as the vendor's tool counts them,
 * and the names of the queues.
 */
export function* countLines(
  profile: number,
  core: number,
  graphs: readonly CoreProgram[],
  { events, hasNoCollectives }: CoreCounts,
  chip: NeuronCore | null,
): Generator<SampleRecord> {
  const rings = graphs.flatMap((graph) => graph.rings);
  const line = (metric: string, value: number, unit: string | null, labels: Labels): SampleRecord => ({
    ...{ type: 'sample', profile, start: null, device: core, metric, value, unit, labels },
  });
  const subgraph = graphs.find(({ name }) => name !== null)?.name ?? null;
  const labels = { from: 'trace', ...(subgraph === null ? undefined : { subgraph }) };
  if (chip !== null) yield line('nd_idx', Math.floor(core / chip.coresPerDevice), null, labels);
  if (events !== null) yield line('event_count', events, 'count', labels);
  if (hasNoCollectives) yield line('cc_cores_instruction_count', 0, 'count', labels);
  if (graphs.length > 0) yield line('dma_queue_count', rings.length, 'count', labels);
  const queues = new Map<string, { count: number; last: QueueRing }>();
  for (const ring of rings) {
    const queue = entryOf(queues, `${ring.queue} ${ring.name}`, () => ({ count: 0, last: ring }));
    queue.count++;
    queue.last = ring;
  }
  for (const { count, last } of queues.values()) yield line('dma_queue', last.queue, null, queueLabels(last, count));
}

const WEIGHTS = 2;

const queueLabels = ({ name, kind, engine, dramChannel, event }: QueueRing, engines: number): Labels =>
  knownFacts({
    name: queueName(name),
    engines,
    type: kind === WEIGHTS ? 'weights' : null,
    lastEngine: engine,
    dramChannel,
    eventId: event,
  });

/**
 * Queues with a packet that crosses a boundary of the execution. The vendor's tool leaves out all packets of such a
 * queue, because it first cuts records to the execution, and the numbers of starts and ends then differ.
 * @param engineBase offset of engine numbers in records
 * @param ranks engine and queue of each, as `rankWithin` makes them
 */
export function* unevenQueueLines(
  profile: number,
  core: number,
  engineBase: number,
  ranks: Iterable<number>,
): Generator<SampleRecord> {
  for (const rank of [...ranks].sort((a, b) => a - b)) {
    const labels = { stream: engineBase + streamOf(rank), queue: queueOf(rank) };
    yield { ...{ type: 'sample', profile, start: null, device: core, metric: UNEVEN_QUEUE_METRIC }, value: 1, unit: 'count', labels }; // prettier-ignore
  }
}

/** Uses of device memory: the runtime's name in captures, and the vendor tool's. */
const TOOL_NAMES: ReadonlyMap<string, string> = new Map([
  ['generic', 'Generic'],
  ['pe', 'Tensor Instructions'],
  ['act', 'Scalar Instructions'],
  ['pool', 'GpSimd Instructions'],
  ['dve', 'Vector Instructions'],
  ['sp', 'Sync Instructions'],
  ['io', 'IO'],
  ['spill', 'DRAM Spill'],
  ['weight', 'Weights'],
  ['profiler buffers', 'Profiler Buffers'],
  ['act table', 'Scalar Table'],
  ['shared scratchpad', 'Shared Scratchpad'],
  ['tensor', 'Tensors'],
  ['ucode', 'Ucode lib'],
  ['pool stdio', 'GpSimd STDIO'],
  ['collectives', 'Collectives'],
  ['scratchpad', 'Scratchpad'],
  ['xt cc', 'XT CC (unused)'],
  ['dma rings runtime', 'DMA Rings Runtime'],
  ['dma rings spill', 'DMA Rings Spill'],
  ['dma rings io', 'DMA Rings IO'],
  ['dma rings collectives', 'DMA Rings Collectives'],
]);

/** Use under which the sum of all uses on a core is written. */
const TOTAL = 'Total';

/** The tool's name of a use; the runtime's name when the tool has none. */
const memoryKind = (name: string): string => TOOL_NAMES.get(name) ?? name;
