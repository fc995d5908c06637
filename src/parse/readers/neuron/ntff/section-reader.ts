/** Reads the sections of a device trace into rows: instructions, packets, and samples of semaphores and throttling. */
import { elementAt } from '../../../../containers/element.js';
import { addTo } from '../../../../containers/map-entry.js';
import { InstructionRecords, PendingPackets } from './instruction-records.js';
import type { LoadedPrograms } from './loaded-programs.js';
import { COLLECTIVE_CORES, SECTION, type TraceSection } from './metadata.js';
import { SectionRows, type SectionOutput } from './section-rows.js';
import { RECORD_WORDS, type NtffFile, type RecordBlock } from './ntff-file.js';
import { ENGINES_OF_RECORD, QUEUES } from './queues.js';
import { KIND, rankWithin, SAMPLE, rankOf } from './rows.js';

const VALUE = 1;

/**
 * Converts semaphore and throttling records to rows.
 *
 * | bytes | semaphore                          | throttling                                          |
 * |-------|------------------------------------|-----------------------------------------------------|
 * | 0     | semaphore                          |                                                     |
 * | 1     | 1 for a value; others are ignored  |                                                     |
 * | 2     |                                    | n: the tensor engine may use k of n cycles          |
 * | 4     | value (bytes 4–7)                  | k                                                   |
 * | 5     |                                    | cause of the limit                                  |
 * | 8–15  | time, ps                           | time, ps; valid until the core's next record        |
 */
class SemaphoreRecords extends SectionRows {
  /** Number of records within the execution, whatever they describe. */
  events = 0;

  constructor(device: number, output: SectionOutput) {
    super(rankOf(KIND.sample, device) | rankWithin(SAMPLE.semaphore, 0), output);
  }

  read({ words, count }: RecordBlock): void {
    const { clock } = this;
    for (let at = 0; at < count * RECORD_WORDS; at += RECORD_WORDS) {
      const head = words[at] as number;
      const time = clock.since(words[at + 2] as number, words[at + 3] as number);
      if (time >= 0 && time <= clock.length) this.events++;
      if (((head >>> 8) & 0xff) !== VALUE) this.diagnostics.count('unknown-record');
      else if (!this.isOutside(time, time)) this.rows.add(time, 0, this.rank, head & 0xff, words[at + 1] as number, 0);
    }
  }
}

class ThrottleRecords extends SectionRows {
  /** Start and limit of the last record, which applies until the next one. */
  #start: number | null = null;
  #limit = 0;

  constructor(device: number, output: SectionOutput) {
    super(rankOf(KIND.sample, device) | rankWithin(SAMPLE.throttle, 0), output);
  }

  read({ words, count }: RecordBlock): void {
    for (let at = 0; at < count * RECORD_WORDS; at += RECORD_WORDS) {
      const time = this.clock.since(words[at + 2] as number, words[at + 3] as number);
      const values = words[at + 1] as number;
      this.#endAt(time);
      this.#start = time;
      this.#limit = packLimit(values & 0xff, ((words[at] as number) >>> 16) & 0xff, (values >>> 8) & 0xff);
    }
  }

  /** Ends the last record at the end of the core's last instruction. */
  end(lastEnd: number): void {
    this.#endAt(lastEnd);
    this.#start = null;
  }

  /** Adds the last record, cut to the execution. */
  #endAt(time: number): void {
    if (this.#start === null) return;
    const start = Math.max(0, this.#start);
    const end = Math.min(time, this.clock.length);
    if (end < start) this.diagnostics.count('outside-execution');
    else this.rows.add(start, end - start, this.rank, 0, 0, this.#limit);
  }
}

const packLimit = (k: number, n: number, kind: number): number => k | (n << 8) | (kind << 16);

/** The limit: k of n cycles, and the code of its cause. */
export const limitOf = (rest: number): { readonly k: number; readonly n: number; readonly kind: number } => ({
  k: rest & 0xff,
  n: (rest >>> 8) & 0xff,
  kind: (rest >>> 16) & 0xff,
});

const START = 1;
const END = 5;
const COMPLETION = 6;

/**
 * Converts DMA records to rows. The n-th start of a queue on an engine belongs to its n-th end, because the packets of a
 * queue complete in order.
 *
 * | bytes | content                                                           |
 * |-------|-------------------------------------------------------------------|
 * | 0–2   | end: bytes moved                                                  |
 * | 3     | engine, its low five bits                                         |
 * | 4     | queue (bits 4–7), phase (bits 0–3): 1 start, 5 end, 6 completion  |
 * | 6–7   | end: checksum                                                     |
 * | 8–15  | time, ps                                                          |
 */
class PacketRecords extends SectionRows {
  /** Starts minus ends of each queue within the execution, by engine · 16 + queue. */
  readonly #surplus = new Int32Array(ENGINES_OF_RECORD * QUEUES);
  readonly #pending = Array.from({ length: ENGINES_OF_RECORD * QUEUES }, () => null as PendingPackets | null);

  constructor(device: number, output: SectionOutput) {
    super(rankOf(KIND.packet, device), output);
  }

  read({ words, count }: RecordBlock): void {
    const { clock } = this;
    for (let at = 0; at < count * RECORD_WORDS; at += RECORD_WORDS) {
      const head = words[at] as number;
      const values = words[at + 1] as number;
      const phase = values & 15;
      if (phase === COMPLETION) continue;
      if (phase !== START && phase !== END) {
        this.diagnostics.count('unknown-record');
        continue;
      }
      const engine = (head >>> 24) & (ENGINES_OF_RECORD - 1);
      const queue = (values >>> 4) & (QUEUES - 1);
      const slot = engine * QUEUES + queue;
      const pending = (this.#pending[slot] ??= new PendingPackets());
      const time = clock.since(words[at + 2] as number, words[at + 3] as number);
      if (time >= 0 && time <= clock.length)
        this.#surplus[slot] = (this.#surplus[slot] as number) + (phase === START ? 1 : -1);
      if (phase === START) this.diagnostics.count('record-without-end', pending.start(time));
      else if (pending.count === 0) this.diagnostics.count('record-without-start');
      else this.#add(rankWithin(engine, queue), pending.end(), time, head & 0xffffff, values >>> 16);
    }
  }

  /**
   * Ranks of queues with a packet that crosses a boundary of the execution. Within the execution, such a queue has more
   * starts than ends, or more ends than starts.
   */
  get uneven(): number[] {
    const found: number[] = [];
    this.#surplus.forEach((surplus, at) => {
      if (surplus !== 0) found.push(rankWithin(Math.floor(at / QUEUES), at % QUEUES));
    });
    return found;
  }

  /** Counts the packets that did not end. */
  override finish(): void {
    for (const pending of this.#pending) {
      if (pending !== null) this.diagnostics.count('record-without-end', pending.count);
    }
  }

  #add(rank: number, start: number, end: number, bytes: number, checksum: number): void {
    if (this.isOutside(start, end)) return;
    this.rows.add(start, this.durationOf(start, end), this.rank | rank, bytes, checksum, 0);
  }
}

export class SectionReader {
  readonly #throttling = new Map<number, ThrottleRecords>();
  /** Latest end of an instruction on each core, in ps. */
  readonly #lastEnds = new Map<number, number>();
  /** Events by core: all records except those of instructions, packets and throttling. */
  readonly events = new Map<number, number>();
  /** Queues of each core, by engine and queue as in records, with a packet that crosses a boundary of the execution. */
  readonly uneven = new Map<number, ReadonlySet<number>>();
  /** Number of sections with data that are not read. */
  unread = 0;

  /**
   * @param cores numbers of the cores; rows use their indices as devices
   * @param programs programs of each core
   */
  constructor(
    private readonly trace: NtffFile,
    private readonly cores: readonly number[],
    private readonly programs: readonly LoadedPrograms[],
    private readonly output: SectionOutput,
  ) {}

  read(sections: readonly TraceSection[]): void {
    for (const section of sections) {
      const device = this.cores.indexOf(section.core);
      const reader = device === -1 ? null : this.#readerOf(section, device);
      if (reader === null) {
        this.output.diagnostics.count('unread-section');
        this.unread++;
        continue;
      }
      for (const block of this.trace.records(section)) reader.read(block);
      reader.finish();
      if (reader instanceof PacketRecords) {
        this.uneven.set(section.core, new Set([...(this.uneven.get(section.core) ?? []), ...reader.uneven]));
      }
      if (reader instanceof SemaphoreRecords) addTo(this.events, section.core, reader.events);
      if (reader instanceof InstructionRecords && reader.lastEnd > 0) this.#lastEnds.set(section.core, reader.lastEnd);
    }
    for (const [core, throttling] of this.#throttling)
      throttling.end(this.#lastEnds.get(core) ?? this.output.clock.length);
  }

  #readerOf({ kind, group, core }: TraceSection, device: number): SectionRows | null {
    if (group === COLLECTIVE_CORES) return null;
    const { output } = this;
    switch (kind) {
      case SECTION.instructions:
        return new InstructionRecords(device, elementAt(this.programs, device).byEngine, output);
      case SECTION.semaphores:
        return new SemaphoreRecords(device, output);
      case SECTION.dma:
        return new PacketRecords(device, output);
      case SECTION.throttle: {
        const throttling = this.#throttling.get(core) ?? new ThrottleRecords(device, output);
        this.#throttling.set(core, throttling);
        return throttling;
      }
      default:
        return null;
    }
  }
}
