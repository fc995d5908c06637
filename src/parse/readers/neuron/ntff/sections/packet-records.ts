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
  /** Queues, by rank, with a packet that was under way when the execution began. */
  readonly early = new Set<number>();
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
      const pending = (this.#pending[engine * QUEUES + queue] ??= new PendingPackets());
      const time = clock.since(words[at + 2] as number, words[at + 3] as number);
      if (phase === START) this.diagnostics.count('record-without-end', pending.start(time));
      else if (pending.count === 0) this.diagnostics.count('record-without-start');
      else this.#add(rankWithin(engine, queue), pending.end(), time, head & 0xffffff, values >>> 16);
    }
  }

  /** Counts the packets that never ended. */
  override finish(): void {
    for (const pending of this.#pending) {
      if (pending !== null) this.diagnostics.count('record-without-end', pending.count);
    }
  }

  #add(rank: number, start: number, end: number, bytes: number, checksum: number): void {
    if (start < 0 && end >= 0) this.early.add(rank);
    if (this.isOutside(start, end)) return;
    this.rows.add(start, this.durationOf(start, end), this.rank | rank, bytes, checksum, 0);
  }
}
