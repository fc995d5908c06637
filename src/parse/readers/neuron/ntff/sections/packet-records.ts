/**
 * DMA records → rows. The n-th start of a queue on an engine belongs to its n-th end: packets of a queue complete in
 * order.
 *
 * | bytes | content                                                           |
 * |-------|-------------------------------------------------------------------|
 * | 0–2   | end: bytes moved                                                  |
 * | 3     | engine, its low five bits                                         |
 * | 4     | queue (bits 4–7), phase (bits 0–3): 1 start, 5 end, 6 completion  |
 * | 6–7   | end: checksum                                                     |
 * | 8–15  | time, ps                                                          |
 */
import { PendingPackets } from './pending.js';
import { ENGINES_OF_RECORD, QUEUES } from '../queues.js';
import { KIND, rankOf, rankWithin } from '../rows/rows.js';
import { SectionRows, type SectionOutput } from './section-rows.js';
import { RECORD_WORDS, type RecordBlock } from '../file/ntff-file.js';

const START = 1;
const END = 5;
const COMPLETION = 6;

export class PacketRecords extends SectionRows {
  /** Starts without ends of each queue within the execution, by engine · 16 + queue. */
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

  /** Queues, by rank, with a packet across a bound of the execution: not as many starts as ends within it. */
  get uneven(): number[] {
    const found: number[] = [];
    this.#surplus.forEach((surplus, at) => {
      if (surplus !== 0) found.push(rankWithin(Math.floor(at / QUEUES), at % QUEUES));
    });
    return found;
  }

  /** Counts the packets that never ended. */
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
