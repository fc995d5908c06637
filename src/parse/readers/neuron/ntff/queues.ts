/** Types of DMA queues, inferred from their numbers and the names of their rings. */
import type { NeuronEngine } from '../../../../record/neuron/neuron-cores.js';
import type { CoreProgram } from './file/metadata.js';

/** Engine and queue numbers in records have five and four bits. */
export const ENGINES_OF_RECORD = 32;
export const QUEUES = 16;

/** Queue through which engines fetch their instructions and tables. */
const INSTRUCTION_QUEUE = 14;

/** DMA engines of a core; they are numbered across cores. */
const ENGINES_OF_CORE = 16;

/** Greater engine numbers than any instance has are damage. */
const MAX_ENGINE = 1 << 20;

/** Engines in names of queues: the runtime's term in captures → the vendor tool's. */
const OWNERS: readonly (readonly [RegExp, string])[] = [
  [/^qAct(?=[A-Z])/, 'qScalar'],
  [/^qPool(?=[A-Z])/, 'qGpSimd'],
  [/^qSP(?=[A-Z])/, 'qSync'],
];

/** The tool's name of a queue; the runtime's for one of an unknown engine. */
export const queueName = (ring: string): string =>
  OWNERS.reduce((name, [owner, word]) => name.replace(owner, word), ring);

/** The vendor tool's type. A queue whose descriptors are written while the program runs is dynamic. */
function typeOf(queue: number, ring: string | undefined): string | undefined {
  if (queue === INSTRUCTION_QUEUE) return 'instruction';
  if (ring === undefined) return undefined;
  if (ring.endsWith('DynamicHW')) return 'hardware_dynamic';
  return ring.endsWith('Dynamic') ? 'software_dynamic' : undefined;
}

/** DMA engines and queues of a core, by the numbers in its records. */
export interface CoreQueues {
  /** Offset of an engine's number in records. */
  readonly engineBase: number;
  /** By engine · 16 + queue, both as in records; undefined for a queue of unknown type. */
  readonly types: readonly (string | undefined)[];
}

/** Records have the low five bits of an engine's number; rings have the whole number. */
export function queuesOf(core: number, graphs: readonly CoreProgram[]): CoreQueues {
  const rings = graphs.flatMap((graph) => graph.rings);
  const first = rings.find(({ engine }) => engine < MAX_ENGINE)?.engine ?? core * ENGINES_OF_CORE;
  const names = new Map(rings.map(({ engine, queue, name }) => [(engine % ENGINES_OF_RECORD) * QUEUES + queue, name]));
  return {
    engineBase: first - (first % ENGINES_OF_RECORD),
    types: Array.from({ length: ENGINES_OF_RECORD * QUEUES }, (_, at) => typeOf(at % QUEUES, names.get(at))),
  };
}

const DYNAMIC = /Dynamic(?:HW)?$/;

/** The queue for transfers that an engine starts while the program runs. */
export interface EngineQueue {
  readonly name: string;
  readonly number: number;
  /** Number of DMA engines that have it. */
  readonly rings: number;
}

/** Null where the engine has none. */
export function queueOfEngine(engine: NeuronEngine, rings: CoreProgram['rings']): EngineQueue | null {
  const own = rings.filter(({ name }) => DYNAMIC.test(name) && queueName(name).startsWith(`q${engine}`));
  const [first] = own;
  if (first === undefined) return null;
  const ofFirst = own.filter(({ queue }) => queue === first.queue);
  return { name: queueName(first.name), number: first.queue, rings: ofFirst.length };
}
