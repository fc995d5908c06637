/** Converts rows to records. */
import {
  InstructionLine,
  PacketLine,
  SemaphoreLine,
  type Counters,
  type RunCounters,
} from '../../../../record/lines/device-lines.js';
import type { Diagnostics } from '../../../../record/diagnostics.js';
import { dmaEngineName, NEURON_ENGINES, type NeuronEngine } from '../../../../record/neuron/neuron-cores.js';
import type { CopyLine, KernelLine, ProfileLine, SampleRecord } from '../../../../record/record.js';
import {
  isKnownOpcode,
  NO_OPCODE,
  NO_PROGRAM,
  OPCODE_NAMES,
  opcodeOf,
  programOf,
  waitOf,
} from './instruction-records.js';
import type { InstructionFacts, LoadedPrograms } from './loaded-programs.js';
import { TransferQueues, ENGINES_OF_RECORD, QUEUES, type CoreQueues } from './queues.js';
import {
  deviceOf,
  KIND,
  kindOf,
  NO_DURATION,
  PS_PER_NS,
  queueOf,
  CELL,
  ROW_DOUBLES,
  ROW_WORDS,
  SAMPLE,
  streamOf,
  nanoseconds,
  type RowCursor,
} from './rows.js';
import { limitOf } from './section-reader.js';

/** Stands for a checksum that was not computed. */
const NO_CHECKSUM = 0xffff;

const UNKNOWN_FACTS = { details: null, transfer: null } as const;

export interface NeuronCoreFacts {
  readonly id: number;
  readonly queues: CoreQueues;
  readonly programs: LoadedPrograms;
}

export class RecordLines {
  kernels = 0;
  copies = 0;
  samples = 0;
  /** Kernels before the next one, including those of other threads. */
  #kernelsBefore = 0;
  readonly #engineNames: readonly (readonly string[])[];
  readonly #transfers: readonly TransferQueues[];

  /**
   * `cores` has the cores by the device number in rows; `waits` is null when the clock of the wait counter is unknown; for
   * `onlyWritten`, see `ReadOptions`.
   */
  constructor(
    private readonly profile: number,
    private readonly cores: readonly NeuronCoreFacts[],
    private readonly waits: WaitClock | null,
    private readonly diagnostics: Diagnostics,
    private readonly onlyWritten = false,
  ) {
    this.#transfers = cores.map(() => new TransferQueues());
    this.#engineNames = cores.map(({ queues }) =>
      Array.from({ length: ENGINES_OF_RECORD }, (_, engine) => dmaEngineName(queues.engineBase + engine)),
    );
  }

  at({ view: { doubles, words }, row }: RowCursor): ProfileLine {
    const start = doubles[row * ROW_DOUBLES + CELL.start] as number;
    const duration = doubles[row * ROW_DOUBLES + CELL.duration] as number;
    const word = row * ROW_WORDS;
    const rank = words[word + CELL.rank] as number;
    const detail = words[word + CELL.detail] as number;
    const value = words[word + CELL.value] as number;
    const rest = words[word + CELL.rest] as number;
    switch (kindOf(rank)) {
      case KIND.instruction:
        return this.#instruction(start, duration, rank, detail, value, rest);
      case KIND.packet:
        return this.#packet(start, duration, rank, detail, value);
      default:
        this.samples++;
        return streamOf(rank) === SAMPLE.semaphore
          ? this.#semaphore(start, rank, value, detail)
          : this.#throttle(start, duration, rank, rest);
    }
  }

  /** Skips a row whose record another thread makes, with the same effect on later records as `at`. */
  skip({ view: { words }, row }: RowCursor): void {
    const word = row * ROW_WORDS;
    const rank = words[word + CELL.rank] as number;
    const [detail, rest] = [words[word + CELL.detail] as number, words[word + CELL.rest] as number];
    if (kindOf(rank) === KIND.instruction) {
      this.#kernelsBefore++;
      this.#startInstruction(rank, detail, rest);
    } else if (kindOf(rank) === KIND.packet)
      this.#transfers[deviceOf(rank)]?.placeOf(queueOf(rank), streamOf(rank), detail);
  }

  /** Finds the facts of an instruction, and starts its transfer if it has one. */
  #startInstruction(rank: number, pc: number, rest: number): InstructionFacts | typeof UNKNOWN_FACTS {
    const [opcode, program] = [opcodeOf(rest), programOf(rest)];
    const { programs } = this.#core(rank);
    const facts =
      (opcode >= NO_OPCODE || program === null ? null : programs.facts(streamOf(rank), program, pc)) ?? UNKNOWN_FACTS;
    if (facts.transfer !== null) this.#transfers[deviceOf(rank)]?.start(facts.transfer.queue, facts.transfer.moves);
    return facts;
  }

  #core(rank: number): NeuronCoreFacts {
    return this.cores[deviceOf(rank)] as NeuronCoreFacts;
  }

  #instruction(start: number, duration: number, rank: number, pc: number, checksums: number, rest: number): KernelLine {
    const opcode = opcodeOf(rest);
    if (!isKnownOpcode(opcode)) this.diagnostics.count('unknown-opcode');
    const { profile } = this;
    this.kernels++;
    const id = ++this.#kernelsBefore;
    const name = OPCODE_NAMES[opcode] as string;
    const { id: device } = this.#core(rank);
    const stream = streamOf(rank);
    const engine = NEURON_ENGINES[stream] as NeuronEngine;
    const { details } = this.#startInstruction(rank, pc, rest);
    const run = this.#runCounters(opcode === NO_PROGRAM ? null : pc, waitOf(rest), checksums);
    // The bytes of a line already contain its counters, so they need not be merged.
    const isMerged = details !== null && !(this.onlyWritten && duration !== NO_DURATION);
    const counters = isMerged ? details.countersOf(run) : (run as Counters);
    if (details?.isUnknown === true && isKnownOpcode(opcode)) this.diagnostics.count('operands-not-known');
    const startNs = nanoseconds(start);
    if (duration === NO_DURATION) {
      const names = { name, short: name };
      const { operands, after, labels } = details ?? {};
      return {
        ...{ type: 'kernel', profile, id, ...names, start: startNs, dur: null, device, stream, engine, counters },
        ...details?.names,
        ...(operands === undefined ? undefined : { operands }),
        ...(after === undefined ? undefined : { after }),
        ...(labels === undefined ? undefined : { labels }),
      };
    }
    const durNs = nanoseconds(duration);
    const ps = [start - startNs * PS_PER_NS, duration - durNs * PS_PER_NS] as const;
    return new InstructionLine(profile, id, name, startNs, durNs, device, stream, engine, ps, counters, details);
  }

  /**
   * Nearly all instructions have one of these combinations. They are object literals, because adding properties is
   * slow.
   */
  #runCounters(pc: number | null, wait: number, checksums: number): RunCounters {
    const waitNs = this.waits?.nanoseconds(wait);
    const crcIn = checksums & 0xffff;
    const crcOut = checksums >>> 16;
    if (pc !== null && waitNs !== undefined) {
      if (crcIn === NO_CHECKSUM) return crcOut === NO_CHECKSUM ? { pc, waitNs } : { pc, waitNs, crcOut };
      return crcOut === NO_CHECKSUM ? { pc, waitNs, crcIn } : { pc, waitNs, crcIn, crcOut };
    }
    return {
      ...(pc === null ? undefined : { pc }),
      ...(waitNs === undefined ? undefined : { waitNs }),
      ...(crcIn === NO_CHECKSUM ? undefined : { crcIn }),
      ...(crcOut === NO_CHECKSUM ? undefined : { crcOut }),
    };
  }

  #packet(start: number, duration: number, rank: number, bytes: number, crc: number): CopyLine {
    this.copies++;
    const { profile } = this;
    const { id: device, queues } = this.#core(rank);
    const number = streamOf(rank);
    const queue = queueOf(rank);
    const stream = queues.engineBase + number;
    const engine = (this.#engineNames[deviceOf(rank)] as readonly string[])[number] as string;
    const queueType = queues.types[number * QUEUES + queue];
    const place = this.#transfers[deviceOf(rank)]?.placeOf(queue, number, bytes) ?? null;
    const details = place === null ? null : place.raisesSemaphore ? place.transfer.raising : place.transfer.moving;
    const startNs = nanoseconds(start);
    if (duration === NO_DURATION) {
      const labels = details?.labels === undefined ? {} : { labels: details.labels };
      const placement = { device, stream, engine, queue, ...(queueType === undefined ? undefined : { queueType }) };
      return {
        type: 'copy',
        profile,
        kind: 'DMA',
        bytes,
        start: startNs,
        dur: null,
        ...placement,
        counters: { crc },
        ...labels,
      };
    }
    const durNs = nanoseconds(duration);
    const ps = [start - startNs * PS_PER_NS, duration - durNs * PS_PER_NS] as const;
    return new PacketLine(
      profile,
      bytes,
      startNs,
      durNs,
      device,
      stream,
      engine,
      queue,
      queueType,
      ps,
      { crc },
      details,
    );
  }

  #semaphore(start: number, rank: number, value: number, semaphore: number): SampleRecord {
    const { id, programs } = this.#core(rank);
    return new SemaphoreLine(
      this.profile,
      nanoseconds(start),
      id,
      value,
      semaphore,
      programs.semaphoreName(semaphore) ?? undefined,
    );
  }

  #throttle(start: number, duration: number, rank: number, rest: number): SampleRecord {
    const { k, n, kind } = limitOf(rest);
    return {
      type: 'sample',
      profile: this.profile,
      start: nanoseconds(start),
      dur: nanoseconds(duration),
      device: this.#core(rank).id,
      metric: 'throttle',
      value: n === 0 ? null : k / n,
      unit: 'fraction',
      labels: { kind: `activity_${kind}`, k, n },
    };
  }
}

/**
 * Converts an instruction's wait cycles to nanoseconds. Like the vendor's tool, it computes in single precision through
 * truncated picoseconds, so that results are identical.
 */
export class WaitClock {
  readonly #gigahertz: number;

  /** @param clockHz frequency of the wait counter */
  constructor(clockHz: number) {
    this.#gigahertz = Math.fround(clockHz / 1e9);
  }

  nanoseconds(cycles: number): number {
    const picoseconds = Math.trunc(Math.fround(Math.fround(cycles * PS_PER_NS) / this.#gigahertz));
    return Math.floor(picoseconds / PS_PER_NS);
  }
}
