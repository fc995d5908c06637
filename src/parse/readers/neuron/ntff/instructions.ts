/**
 * Instruction records → rows. Every instruction has two records: one as it starts, with the time that it waited, and
 * one as it ends, with checksums.
 *
 * | bytes | content                                                                             |
 * |-------|-------------------------------------------------------------------------------------|
 * | 0–2   | place of the instruction in the device's memory, in instructions, modulo 2^21       |
 * | 3     | 0x80, engine from 1 on (bits 2–6), phase (bits 0–1): 0 start, 1 end                 |
 * | 4–5   | end: checksum of what went in; 0xFFFF for none                                      |
 * | 6–7   | start: wait in cycles, at most 0xFFFF; end: checksum of what came out               |
 * | 8–15  | time, ps                                                                            |
 */
import type { Diagnostics } from '../../../../record/diagnostics.js';
import { NEURON_ENGINES } from '../../../../record/engines.js';
import type { Clock } from './timestamp-clock.js';
import type { InstructionBuffer } from './metadata.js';
import { NO_OPCODE, NO_PROGRAM } from './opcodes.js';
import { PendingInstructions } from './pending.js';
import type { RowChunks } from './row-chunks.js';
import { KIND, NO_DURATION, rankOf, rankWithin } from './rows.js';
import { INSTRUCTION_BYTES, RECORD_WORDS, type RecordBlock } from './ntff-file.js';

/** Places count modulo this. */
const PLACES = 1 << 21;
const START = 0;
const END = 1;

/** Cycles of a wait that was too long to count. */
export const LONGEST_WAIT = 0xffff;

/** An engine's instructions. */
export interface EngineProgram {
  /** Place of the first, modulo `PLACES`. */
  readonly place: number;
  /** First byte of each. */
  readonly opcodes: Uint8Array;
}

export const engineProgram = ({ address }: InstructionBuffer, opcodes: Uint8Array): EngineProgram => ({
  place: Number((address / BigInt(INSTRUCTION_BYTES)) % BigInt(PLACES)),
  opcodes,
});

/** Instructions of one core: of its section of records. */
export class Instructions {
  readonly #pending = NEURON_ENGINES.map(() => new PendingInstructions());
  readonly #rank: number;
  /** Latest end of an instruction, ps; 0 when there is none. */
  lastEnd = 0;

  /** @param programs of each engine, by its number; usually one */
  constructor(
    device: number,
    private readonly programs: readonly (readonly EngineProgram[])[],
    private readonly clock: Clock,
    private readonly rows: RowChunks,
    private readonly diagnostics: Diagnostics,
  ) {
    this.#rank = rankOf(KIND.instruction, device);
  }

  read({ words, count }: RecordBlock): void {
    const { clock } = this;
    for (let at = 0; at < count * RECORD_WORDS; at += RECORD_WORDS) {
      const head = words[at] ?? 0;
      const engine = ((head >>> 26) & 31) - 1;
      const pending = this.#pending[engine];
      const phase = (head >>> 24) & 3;
      if (pending === undefined || phase > END) {
        this.diagnostics.count('unknown-record');
        continue;
      }
      const place = head & (PLACES - 1);
      const time = clock.since(words[at + 2] ?? 0, words[at + 3] ?? 0);
      const values = words[at + 1] ?? 0;
      if (phase === START) {
        this.diagnostics.count('record-without-end', pending.start(place, time, values >>> 16));
      } else if (pending.end(place)) this.#add(engine, place, pending, time, values);
      else this.diagnostics.count('record-without-start');
    }
  }

  /** No records are left. */
  finish(): void {
    for (const pending of this.#pending) this.diagnostics.count('record-without-end', pending.count);
  }

  #add(
    engine: number,
    place: number,
    { time: start, wait }: PendingInstructions,
    end: number,
    checksums: number,
  ): void {
    if (start < 0 || Math.max(start, end) > this.clock.length) {
      this.diagnostics.count('outside-execution');
      return;
    }
    if (wait === LONGEST_WAIT) this.diagnostics.count('saturated-wait');
    if (end < start) this.diagnostics.count('negative-duration');
    if (end > this.lastEnd) this.lastEnd = end;
    const duration = end < start ? NO_DURATION : end - start;
    const program = this.#programOf(engine, place);
    const pc = program === null ? 0 : pcOf(program, place);
    const opcode = program === null ? NO_PROGRAM : (program.opcodes[pc] ?? NO_OPCODE);
    const rest = ((opcode << 16) | wait) >>> 0;
    this.rows.add(start, duration, this.#rank | rankWithin(engine, 0), pc, checksums, rest);
  }

  /** The program that holds the place, or else the engine's first. */
  #programOf(engine: number, place: number): EngineProgram | null {
    const programs = this.programs[engine] ?? [];
    const [first = null] = programs;
    if (programs.length < 2) return first;
    return programs.find((program) => pcOf(program, place) < program.opcodes.length) ?? first;
  }
}

const pcOf = ({ place: first }: EngineProgram, place: number): number => (place - first) & (PLACES - 1);
