/**
 * A NeuronCore at work, made up: engines run their instructions in order, each when what it needs is there; DMA engines
 * move packets; semaphores count what was done. All times are picoseconds from the start of the execution.
 */
import type { Moved, Operands, Semaphores } from './neuron-words.js';

export const ENGINES = ['Tensor', 'Scalar', 'GpSimd', 'Vector', 'Sync'] as const;
export type Engine = (typeof ENGINES)[number];

/** What an instruction does to the memories, by the keys of the vendor's JSON. */
export interface Work {
  /** Multiplications with their addition. */
  readonly elements?: number;
  readonly hbm_read_bytes?: number;
  readonly hbm_write_bytes?: number;
  readonly sbuf_read_bytes?: number;
  readonly sbuf_write_bytes?: number;
  readonly psum_read_bytes?: number;
  readonly psum_write_bytes?: number;
  readonly psum_read_sbuf_write_bytes?: number;
}

/** A tensor that a DMA instruction moves, in packets. */
export interface Transfer {
  readonly tensor: string;
  readonly bytes: number;
  readonly packetBytes: number;
  readonly source: 'VIRTUAL' | 'WEIGHT' | 'SB';
  readonly dest: 'VIRTUAL' | 'SB';
  readonly move: Moved;
}

/** An instruction as a program has it. */
export interface Step {
  readonly engine: Engine;
  readonly opcode: string;
  readonly ps: number;
  /** Results of others that it needs (`x`), or that must be used up before (`anti x`). */
  readonly after?: readonly string[];
  /** What others know its result by. */
  readonly gives?: string;
  /** The runtime's instructions, before the program and behind it, have none. */
  readonly layer?: string;
  readonly hlo?: string;
  readonly line?: number;
  readonly operands: Operands;
  readonly type?: 'TRANSPOSE';
  readonly activation?: string;
  readonly moves?: Transfer;
}

export interface Instruction {
  readonly step: Step;
  readonly pc: number;
  readonly start: number;
  readonly end: number;
  /** Cycles of 1.2 GHz. */
  readonly wait: number;
  readonly crcIn: number;
  readonly crcOut: number;
  readonly id: string;
  readonly semaphores: Semaphores;
  /** The compiler's number of it; null for the runtime's. */
  readonly number: number | null;
  readonly before: readonly Before[];
}

/** An instruction of the program that another needs. */
export interface Before {
  readonly id: string;
  readonly number: number;
  readonly kind: 'ORDERED' | 'ANTI_DEPENDENCE' | 'FLOW_DEPENDENCE';
}

export interface Packet {
  readonly engine: number;
  readonly queue: number;
  readonly bytes: number;
  readonly start: number;
  readonly end: number;
  readonly crc: number;
  readonly id: string;
  readonly transfer: Transfer | null;
  readonly transferId: string;
  readonly index: number;
}

export interface Update {
  readonly time: number;
  readonly semaphore: number;
  readonly value: number;
}

/** From a time on the tensor engine may use k of n cycles. */
export interface Limit {
  readonly start: number;
  readonly k: number;
  readonly n: number;
  readonly kind: number;
}

export const SOFTWARE_QUEUE = 0;
export const HARDWARE_QUEUE = 1;
export const INSTRUCTION_QUEUE = 14;

/** Names of DMA queues as the program's rings have them. */
export const QUEUE_NAMES: Readonly<Record<number, string>> = {
  [SOFTWARE_QUEUE]: 'qGpSimdDynamic',
  [HARDWARE_QUEUE]: 'qSyncDynamicHW',
  [INSTRUCTION_QUEUE]: 'qScalarTable',
};

export const QUEUE_SEMAPHORES = { [SOFTWARE_QUEUE]: 27, [HARDWARE_QUEUE]: 24 } as const;

/** Semaphores of the engines, and of the queues, by whom they are of. */
export const SEMAPHORES: Readonly<Record<number, string>> = {
  ...Object.fromEntries(ENGINES.map((engine, i) => [4 + i, engine])),
  24: 'qSyncDynamicHW',
  27: 'qGpSimdDynamic',
};

/** DMA engines of a core that the program uses, of sixteen. */
export const DMA_ENGINES = 4;
/** Bytes of the packet that raises a semaphore. */
const SEMAPHORE_BYTES = 4;

/** Cycles that the device's counter of waits holds. */
const LONGEST_WAIT = 0xffff;
const NO_CRC = 0xffff;
const NANOSECOND = 1000;

const FIRST_NUMBER = 100;

interface Result {
  readonly time: number;
  readonly id: string;
  readonly number: number | null;
  readonly semaphore: number;
  readonly value: number;
}

/** Numbers that look random, and are the same on every run. */
export class Noise {
  constructor(private state: number) {}

  between(least: number, most: number): number {
    this.state = (Math.imul(this.state, 1664525) + 1013904223) >>> 0;
    return least + Math.floor((this.state / 2 ** 32) * (most - least + 1));
  }

  /** An id beyond 2^53. */
  id(): string {
    return String((BigInt(this.between(2 ** 29, 2 ** 30 - 1)) << 32n) | BigInt(this.between(0, 2 ** 32 - 1)));
  }
}

export class CoreRun {
  readonly instructions: Instruction[] = [];
  readonly packets: Packet[] = [];
  readonly #noise: Noise;
  readonly #counts: Pick<Update, 'time' | 'semaphore'>[] = [];
  readonly #free = new Map<Engine, number>();
  readonly #dmaFree = new Map<string, number>();
  readonly #values = new Map<number, number>();
  readonly #results = new Map<string, Result>();
  readonly #last = new Map<Engine, Before>();
  /** Instructions of the program so far. */
  #program = 0;

  /**
   * @param core absolute number of the NeuronCore
   * @param start when its engines start
   */
  constructor(
    readonly core: number,
    readonly name: string,
    readonly limits: readonly Limit[],
    start: number,
    seed: number,
  ) {
    this.#noise = new Noise(seed);
    for (const engine of ENGINES) this.#free.set(engine, start + this.#noise.between(0, 60_000));
  }

  /** Number of the first DMA engine. */
  get dmaBase(): number {
    return this.core * 16;
  }

  get end(): number {
    return Math.max(...[...this.instructions, ...this.packets].map(({ end }) => end));
  }

  run(steps: readonly Step[]): void {
    for (const step of steps) this.#instruct(step);
  }

  /** Changes of semaphores in time order. */
  get updates(): Update[] {
    const values = new Map<number, number>();
    return this.#counts
      .toSorted((a, b) => a.time - b.time)
      .map(({ time, semaphore }) => {
        const value = (values.get(semaphore) ?? 0) + 1;
        values.set(semaphore, value);
        return { time, semaphore, value };
      });
  }

  /** Instructions and tables that the device fetches before the program runs. */
  fetch(sizes: readonly number[]): void {
    const id = this.#noise.id();
    sizes.forEach((bytes, i) => this.#packet(this.dmaBase + (i % 2), INSTRUCTION_QUEUE, bytes, 4000, null, id, i));
  }

  #instruct(step: Step): void {
    const { engine, ps, after = [], gives, moves } = step;
    const free = (this.#free.get(engine) ?? 0) + this.#noise.between(1200, 4900);
    const needed = after.map((name) => this.#result(name.replace(/^anti /, '')));
    const ready = Math.max(0, ...needed.map(({ time }) => time + this.#noise.between(18_000, 34_000)));
    const start = Math.max(free, ready);
    const end = start + ps + this.#noise.between(0, 7999);
    const id = this.#noise.id();
    const isProduct = step.opcode === 'MATMUL' || step.opcode === 'LDWEIGHTS';
    const number = step.layer === undefined ? null : FIRST_NUMBER + this.#program++;
    const own = 4 + ENGINES.indexOf(engine);
    this.instructions.push({
      step,
      pc: this.instructions.filter((other) => other.step.engine === engine).length,
      start,
      end,
      wait: Math.min(LONGEST_WAIT, Math.floor(((start - free) * 6) / (5 * NANOSECOND))),
      crcIn: isProduct ? this.#noise.between(0, NO_CRC - 1) : NO_CRC,
      crcOut: step.opcode === 'MATMUL' ? this.#noise.between(0, NO_CRC - 1) : NO_CRC,
      id,
      semaphores: {
        wait: waitFor(needed, own),
        update: gives === undefined || moves !== undefined ? null : own,
      },
      number,
      before: number === null ? [] : this.#before(engine, after),
    });
    this.#free.set(engine, end);
    if (number !== null) this.#last.set(engine, { id, number, kind: 'ORDERED' });
    const done = moves === undefined ? end : this.#move(engine, end, moves);
    const semaphore = moves === undefined ? own : QUEUE_SEMAPHORES[queueOf(engine)];
    // Packets count for themselves.
    if (gives !== undefined && moves === undefined) this.#count(semaphore, end);
    if (gives !== undefined)
      this.#results.set(gives, { time: done, id, number, semaphore, value: this.#values.get(semaphore) ?? 0 });
  }

  /** The instruction before it on its engine, and those whose results it needs. */
  #before(engine: Engine, after: readonly string[]): Before[] {
    const last = this.#last.get(engine);
    const needed = after.flatMap((name): Before[] => {
      const { id, number } = this.#result(name.replace(/^anti /, ''));
      const kind = name.startsWith('anti ') ? 'ANTI_DEPENDENCE' : 'FLOW_DEPENDENCE';
      return number === null ? [] : [{ id, number, kind }];
    });
    return last === undefined ? needed : [last, ...needed];
  }

  #result(name: string): Result {
    const result = this.#results.get(name);
    if (result === undefined) throw new Error(`nothing gives ${name}`);
    return result;
  }

  /** @returns when the last packet has arrived */
  #move(engine: Engine, from: number, transfer: Transfer): number {
    const queue = queueOf(engine);
    const id = this.#noise.id();
    const count = Math.ceil(transfer.bytes / transfer.packetBytes);
    let last = 0;
    for (let i = 0; i < count; i++) {
      const bytes = Math.min(transfer.packetBytes, transfer.bytes - i * transfer.packetBytes);
      const end = this.#packet(
        this.dmaBase + (i % DMA_ENGINES),
        queue,
        bytes,
        from + this.#noise.between(1_150_000, 1_240_000),
        transfer,
        id,
        i,
      );
      last = Math.max(last, end);
    }
    // Each DMA engine raises the semaphore by a packet of its own.
    for (let i = 0; i < DMA_ENGINES; i++) {
      const end = this.#packet(this.dmaBase + i, queue, SEMAPHORE_BYTES, from, null, id, count + i);
      this.#count(QUEUE_SEMAPHORES[queue], end);
      last = Math.max(last, end);
    }
    return last;
  }

  /** About 20 GB/s an engine, and a fixed time for each packet. */
  #packet(
    engine: number,
    queue: number,
    bytes: number,
    earliest: number,
    transfer: Transfer | null,
    transferId: string,
    index: number,
  ): number {
    const key = `${engine}/${queue}`;
    const start = Math.max(earliest, (this.#dmaFree.get(key) ?? 0) + this.#noise.between(2000, 9000));
    const end = start + 30_000 + bytes * 48 + this.#noise.between(0, 12_999);
    const crc = this.#noise.between(0, NO_CRC);
    this.packets.push({ engine, queue, bytes, start, end, crc, id: this.#noise.id(), transfer, transferId, index });
    this.#dmaFree.set(key, end);
    return end;
  }

  #count(semaphore: number, time: number): void {
    const value = (this.#values.get(semaphore) ?? 0) + 1;
    this.#values.set(semaphore, value);
    this.#counts.push({ time, semaphore });
  }
}

/** An engine runs its own instructions in order; an instruction waits for one semaphore of others. */
function waitFor(needed: readonly Result[], own: number): Semaphores['wait'] {
  const others = needed.filter(({ semaphore }) => semaphore !== own);
  const last = others.toSorted((a, b) => b.value - a.value)[0];
  if (others.some(({ semaphore }) => semaphore !== last?.semaphore)) throw new Error('waits for two semaphores');
  return last === undefined ? null : { semaphore: last.semaphore, value: last.value };
}

/** The hardware writes descriptors for the sync engine, GpSimd writes its own. */
export const queueOf = (engine: Engine): keyof typeof QUEUE_SEMAPHORES =>
  engine === 'GpSimd' ? SOFTWARE_QUEUE : HARDWARE_QUEUE;

/** A program on all cores of a logical one. */
export interface NeuronRun {
  readonly cores: readonly CoreRun[];
  /** Length of the execution. */
  readonly length: number;
}
