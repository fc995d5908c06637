/** What a DMA queue is for, as far as its number and the name of its ring tell. */
import type { Graph } from './metadata.js';

/** Engines and queues that a record can name: five bits and four. */
export const ENGINES_OF_RECORD = 32;
export const QUEUES = 16;

/** Queue through which engines fetch their instructions and tables. */
const INSTRUCTION_QUEUE = 14;

/** DMA engines of a core; numbers run on from core to core. */
const ENGINES_OF_CORE = 16;

/** Beyond any instance's; a greater number is damage. */
const MAX_ENGINE = 1 << 20;

/** Words of the vendor's tool. A queue whose descriptors the device writes as it runs is dynamic. */
function typeOf(queue: number, ring: string | undefined): string | undefined {
  if (queue === INSTRUCTION_QUEUE) return 'instruction';
  if (ring === undefined) return undefined;
  if (ring.endsWith('DynamicHW')) return 'hardware_dynamic';
  return ring.endsWith('Dynamic') ? 'software_dynamic' : undefined;
}

/** A core's DMA engines and queues, by what its records name. */
export interface CoreQueues {
  /** To add to the number that a record names. */
  readonly engineBase: number;
  /** At engine · 16 + queue, both as a record names them; undefined for a queue of which nothing is told. */
  readonly types: readonly (string | undefined)[];
}

/** A record has the low five bits of an engine's number; rings have all of it. */
export function queuesOf(core: number, graphs: readonly Graph[]): CoreQueues {
  const rings = graphs.flatMap((graph) => graph.rings);
  const first = rings.find(({ engine }) => engine < MAX_ENGINE)?.engine ?? core * ENGINES_OF_CORE;
  const names = new Map(rings.map(({ engine, queue, name }) => [(engine % ENGINES_OF_RECORD) * QUEUES + queue, name]));
  return {
    engineBase: first - (first % ENGINES_OF_RECORD),
    types: Array.from({ length: ENGINES_OF_RECORD * QUEUES }, (_, at) => typeOf(at % QUEUES, names.get(at))),
  };
}
