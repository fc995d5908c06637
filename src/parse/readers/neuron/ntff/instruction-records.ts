/**
 * Converts instruction records to rows. Every instruction has two records: a start with its wait time, and an end with
 * checksums.
 *
 * | bytes | content                                                                             |
 * |-------|-------------------------------------------------------------------------------------|
 * | 0–2   | address of the instruction in the device's memory, in instructions, modulo 2^21     |
 * | 3     | 0x80, engine counted from 1 (bits 2–6), phase (bits 0–1): 0 start, 1 end            |
 * | 4–5   | end: checksum of the inputs; 0xFFFF for none                                        |
 * | 6–7   | start: wait in cycles, at most 0xFFFF; end: checksum of the outputs                 |
 * | 8–15  | time, ps                                                                            |
 */
import { elementAt } from '../../../../containers/element.js';
import { NEURON_ENGINES } from '../../../../record/neuron/neuron-cores.js';
import { ADDRESSES, type EngineProgram } from './loaded-programs.js';
import { KIND, rankWithin, rankOf } from './rows.js';
import { SectionRows, type SectionOutput } from './section-rows.js';
import { RECORD_WORDS, type RecordBlock } from './ntff-file.js';

/**
 * The vendor tool's name of each instruction, by its first byte. From the tool's output for Trainium2 captures;
 * incomplete.
 */
const NAMES: Readonly<Record<number, string>> = {
  0x01: 'LDWEIGHTS',
  0x02: 'MATMUL',
  0x21: 'ACTIVATE',
  0x23: 'ACT_TABLE_LOAD',
  0x42: 'TENSOR_REDUCE',
  0x43: 'TENSOR_SCALAR',
  0x46: 'COPY',
  0x47: 'CAST',
  0x48: 'RECIPROCAL',
  0xa0: 'EVENT_SEMAPHORE',
  0xa2: 'DRAIN',
  0xa4: 'NOP',
  0xa5: 'WRITE',
  0xa6: 'NOTIFY',
  0xa9: 'COMPARE_BRANCH',
  0xaa: 'TENSOR_LOAD',
  0xb0: 'EVENT_SEMAPHORE_RANGE_CLEAR',
  0xb1: 'SET_ORDERING_MODE',
  0xb8: 'DMA_DIRECT2D',
};

/** Codes for an instruction that is not in the file, and for one whose engine has no program in the file. */
export const NO_OPCODE = 256;
export const NO_PROGRAM = 257;

const hexadecimal = (byte: number): string => `0x${byte.toString(16).toUpperCase().padStart(2, '0')}`;

/** Name of every opcode: `0x3F` for an unknown one, `na` for `NO_OPCODE` and `NO_PROGRAM`. */
export const OPCODE_NAMES: readonly string[] = [
  ...Array.from({ length: NO_OPCODE }, (_, byte) => NAMES[byte] ?? hexadecimal(byte)),
  'na',
  'na',
];

export const isKnownOpcode = (opcode: number): boolean => opcode in NAMES;

/**
 * Maximum number of concurrent instructions of an engine, and of later instructions that may end before an earlier one.
 * In captures, two run at a time, and 40 instructions overtook one that waited in the tensor engine while matrix
 * products continued.
 */
const MOST_UNDER_WAY = 256;

/**
 * Instructions of one engine that have not ended. An end belongs to the oldest start at the same address. Engines run
 * nearly in order. If many later instructions have ended before an instruction, its end record is lost. Its start is
 * then dropped, so that it is not joined to the end of the loop's next iteration.
 */
class PendingInstructions {
  count = 0;
  /** Start time of the instruction that `end` found last. */
  time = 0;
  wait = 0;
  readonly #places = new Int32Array(MOST_UNDER_WAY);
  readonly #times = new Float64Array(MOST_UNDER_WAY);
  readonly #waits = new Uint16Array(MOST_UNDER_WAY);
  /** For each start: the number of instructions that had ended before it. */
  readonly #ages = new Float64Array(MOST_UNDER_WAY);
  #ended = 0;

  /** @returns number of instructions that were dropped to make room */
  start(place: number, time: number, wait: number): number {
    const isStale = this.count > 0 && this.#ended - (this.#ages[0] as number) >= MOST_UNDER_WAY;
    const givenUp = isStale || this.count === MOST_UNDER_WAY ? 1 : 0;
    if (givenUp === 1) this.#remove(0);
    this.#places[this.count] = place;
    this.#times[this.count] = time;
    this.#waits[this.count] = wait;
    this.#ages[this.count] = this.#ended;
    this.count++;
    return givenUp;
  }

  /** Ends the oldest instruction at an address; false when there is none. */
  end(place: number): boolean {
    for (let at = 0; at < this.count; at++) {
      if (this.#places[at] === place) {
        this.time = this.#times[at] as number;
        this.wait = this.#waits[at] as number;
        this.#ended++;
        this.#remove(at);
        return true;
      }
    }
    return false;
  }

  #remove(at: number): void {
    this.count--;
    for (let i = at; i < this.count; i++) {
      this.#places[i] = this.#places[i + 1] as number;
      this.#times[i] = this.#times[i + 1] as number;
      this.#waits[i] = this.#waits[i + 1] as number;
      this.#ages[i] = this.#ages[i + 1] as number;
    }
  }
}

/** Maximum number of concurrent packets of a queue. With this limit, the 512 queues of a core need at most 32 MB. */
const MOST_PACKETS = 1 << 13;
const FIRST_PACKETS = 1 << 4;

/** FIFO of the start times of a queue's packets. */
export class PendingPackets {
  count = 0;
  #times = new Float64Array(FIRST_PACKETS);
  #first = 0;

  /** @returns number of packets that were dropped to make room */
  start(time: number): number {
    if (this.count === this.#times.length) this.#grow();
    const isFull = this.count === this.#times.length;
    if (isFull) this.end();
    this.#times[(this.#first + this.count) & (this.#times.length - 1)] = time;
    this.count++;
    return isFull ? 1 : 0;
  }

  /** Removes the oldest packet and returns its start; there must be one. */
  end(): number {
    const time = this.#times[this.#first] as number;
    this.#first = (this.#first + 1) & (this.#times.length - 1);
    this.count--;
    return time;
  }

  #grow(): void {
    if (this.#times.length === MOST_PACKETS) return;
    const larger = new Float64Array(this.#times.length * 2);
    for (let i = 0; i < this.count; i++)
      larger[i] = this.#times[(this.#first + i) & (this.#times.length - 1)] as number;
    this.#times = larger;
    this.#first = 0;
  }
}

const START = 0;
const END = 1;

const LONGEST_WAIT = 0xffff;

export class InstructionRecords extends SectionRows {
  readonly #pending = NEURON_ENGINES.map(() => new PendingInstructions());
  /** Latest end of an instruction, in ps; 0 when there is none. */
  lastEnd = 0;

  /** @param programs programs by engine number; an engine usually has one */
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

  /** Counts the instructions that did not end. */
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

  /** Number of the program that contains the address; if none does, the engine's first program. */
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
/**
 * Maximum number of programs of an engine whose instructions are decoded. Instructions of later programs have only
 * names.
 */
const MOST_PROGRAMS = 127;

/** The last word of an instruction's row: number of the program of its engine, opcode, and wait in cycles. */
const instructionRest = (program: number, opcode: number, wait: number): number =>
  ((program << (WAIT_BITS + OPCODE_BITS)) | (opcode << WAIT_BITS) | wait) >>> 0;

export const waitOf = (rest: number): number => rest & ((1 << WAIT_BITS) - 1);
export const opcodeOf = (rest: number): number => (rest >>> WAIT_BITS) & ((1 << OPCODE_BITS) - 1);
/** Number of the program; null for a program whose instructions are not decoded. */
export const programOf = (rest: number): number | null => {
  const number = rest >>> (WAIT_BITS + OPCODE_BITS);
  return number < MOST_PROGRAMS ? number : null;
};
