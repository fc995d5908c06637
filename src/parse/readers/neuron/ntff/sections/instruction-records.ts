/**
 * Instruction records → rows. Every instruction has two records: a start with the time that it waited, and an end with
 * checksums.
 *
 * | bytes | content                                                                             |
 * |-------|-------------------------------------------------------------------------------------|
 * | 0–2   | address of the instruction in the device's memory, in instructions, modulo 2^21     |
 * | 3     | 0x80, engine from 1 on (bits 2–6), phase (bits 0–1): 0 start, 1 end                 |
 * | 4–5   | end: checksum of the inputs; 0xFFFF for none                                        |
 * | 6–7   | start: wait in cycles, at most 0xFFFF; end: checksum of the outputs                 |
 * | 8–15  | time, ps                                                                            |
 */
import { elementAt } from '../../../../../containers/element.js';
import { NEURON_ENGINES } from '../../../../../record/neuron/neuron-cores.js';
import { NO_OPCODE, NO_PROGRAM } from '../opcodes.js';
import { ADDRESSES, type EngineProgram } from '../program/loaded-programs.js';
import { PendingInstructions } from './pending.js';
import { KIND, rankOf, rankWithin } from '../rows/rows.js';
import { SectionRows, type SectionOutput } from './section-rows.js';
import { RECORD_WORDS, type RecordBlock } from '../file/ntff-file.js';

const START = 0;
const END = 1;

const LONGEST_WAIT = 0xffff;

export class InstructionRecords extends SectionRows {
  readonly #pending = NEURON_ENGINES.map(() => new PendingInstructions());
  /** Latest end of an instruction, ps; 0 when there is none. */
  lastEnd = 0;

  /** @param programs by engine number; usually one for each */
  constructor(
    device: number,
    private readonly programs: readonly (readonly EngineProgram[])[],
    output: SectionOutput,
  ) {
    super(rankOf(KIND.instruction, device), output);
  }

  read({ words, count }: RecordBlock): void {
    const { clock } = this;
    for (let at = 0; at < count * RECORD_WORDS; at += RECORD_WORDS) {
      const head = words[at] as number;
      const engine = ((head >>> 26) & 31) - 1;
      const pending = this.#pending[engine];
      const phase = (head >>> 24) & 3;
      if (pending === undefined || phase > END) {
        this.diagnostics.count('unknown-record');
        continue;
      }
      const address = head & (ADDRESSES - 1);
      const time = clock.since(words[at + 2] as number, words[at + 3] as number);
      const values = words[at + 1] as number;
      if (phase === START) {
        this.diagnostics.count('record-without-end', pending.start(address, time, values >>> 16));
      } else if (pending.end(address)) this.#add(engine, address, pending, time, values);
      else this.diagnostics.count('record-without-start');
    }
  }

  /** Counts the instructions that never ended. */
  override finish(): void {
    for (const pending of this.#pending) this.diagnostics.count('record-without-end', pending.count);
  }

  #add(
    engine: number,
    address: number,
    { time: start, wait }: PendingInstructions,
    end: number,
    checksums: number,
  ): void {
    if (this.isOutside(start, end)) return;
    if (wait === LONGEST_WAIT) this.diagnostics.count('saturated-wait');
    if (end > this.lastEnd) this.lastEnd = end;
    const duration = this.durationOf(start, end);
    const number = this.#programOf(engine, address);
    const program = elementAt(this.programs, engine)[number];
    const pc = program === undefined ? 0 : pcOf(program, address);
    const opcode = program === undefined ? NO_PROGRAM : (program.opcodes[pc] ?? NO_OPCODE);
    const rest = instructionRest(Math.min(number, MOST_PROGRAMS), opcode, wait);
    this.rows.add(start, duration, this.rank | rankWithin(engine, 0), pc, checksums, rest);
  }

  /** Number of the program that contains the address, or else the engine's first. */
  #programOf(engine: number, address: number): number {
    const programs = elementAt(this.programs, engine);
    if (programs.length < 2) return 0;
    return Math.max(
      0,
      programs.findIndex((program) => pcOf(program, address) < program.opcodes.length),
    );
  }
}

const pcOf = ({ address: first }: EngineProgram, address: number): number => (address - first) & (ADDRESSES - 1);

const WAIT_BITS = 16;
const OPCODE_BITS = 9;
/** Programs of an engine whose instructions are decoded; those of later ones keep their names alone. */
const MOST_PROGRAMS = 127;

/** The rest of an instruction's row: number of its engine's program, opcode, cycles of its wait. */
const instructionRest = (program: number, opcode: number, wait: number): number =>
  ((program << (WAIT_BITS + OPCODE_BITS)) | (opcode << WAIT_BITS) | wait) >>> 0;

export const waitOf = (rest: number): number => rest & ((1 << WAIT_BITS) - 1);
export const opcodeOf = (rest: number): number => (rest >>> WAIT_BITS) & ((1 << OPCODE_BITS) - 1);
/** Null for a program whose instructions are not decoded. */
export const programOf = (rest: number): number | null => {
  const number = rest >>> (WAIT_BITS + OPCODE_BITS);
  return number < MOST_PROGRAMS ? number : null;
};
