/** The engines' programs as they were loaded, which a device trace contains, and the facts in their instructions. */
import { elementAt } from '../../../../containers/element.js';
import { entryOf } from '../../../../containers/map-entry.js';
import type { Diagnostics } from '../../../../record/diagnostics.js';
import { InstructionDetails, type InstructionNames } from '../../../../record/lines/device-lines.js';
import { NEURON_ENGINES, type NeuronEngine } from '../../../../record/neuron/neuron-cores.js';
import type { NtffFile } from './ntff-file.js';
import type { CoreProgram, InstructionBuffer, ProgramEdit } from './metadata.js';
import { queueName, queueOfEngine, type EngineQueue, type QueuedTransfer } from './queues.js';
import { decodeInstruction, INSTRUCTION_BYTES, updatedSemaphore } from '../words/instruction-word.js';
import type { InstructionContext, MovedBytes, NeuronMemory } from '../words/word-fields.js';
import type { Variable } from '../neff/definition.js';
import { compiledTransfer, type CompiledTransfer } from '../words/engine-operands.js';
import type { GraphInstructions } from '../neff/graph-instructions.js';
import type { NeffProgram } from '../neff/program.js';
import { dependencyCounters, knownFacts } from '../profile-record.js';
import type { Dependency, Labels } from '../../../../record/record.js';

/** Addresses in records are modulo this number. */
export const ADDRESSES = 1 << 21;

/** Maximum number of instructions whose opcodes are kept, over all programs: 64 MB. */
const MOST_OPCODES = 1 << 26;

/** Maximum number of decoded instructions and dependencies that are kept for the programs of a core: about 60 MB. */
const MOST_DECODED = 1 << 17;

export interface EngineProgram {
  /** Address of the first instruction, in instructions, modulo `ADDRESSES`. */
  readonly address: number;
  /** First byte of each instruction. */
  readonly opcodes: Uint8Array;
  readonly buffer: InstructionBuffer;
  /** Changes that the runtime made; null when the file does not state them. */
  readonly edits: readonly ProgramEdit[] | null;
  /** Facts about its instructions from the NEFF; null when there is no NEFF. */
  readonly compiled: GraphInstructions | null;
  readonly queue: EngineQueue | null;
}

/** Facts in an instruction's words, and its program. */
export interface InstructionFacts {
  readonly details: InstructionDetails;
  /** The transfer that it starts, and its queue; null for an instruction that is not a transfer. */
  readonly transfer: { readonly queue: EngineQueue; readonly moves: QueuedTransfer } | null;
}

/** Programs of one core, by engine. An engine has one program, unless several were loaded. */
export class LoadedPrograms {
  readonly byEngine: readonly (readonly EngineProgram[])[];
  /** Name of the engine or queue that updates each semaphore. */
  readonly #semaphores = new Map<number, string>();
  readonly #facts = new Map<EngineProgram, Map<number, InstructionFacts>>();
  #held = 0;
  readonly #word = Buffer.alloc(INSTRUCTION_BYTES);

  constructor(
    private readonly trace: NtffFile,
    graphs: readonly CoreProgram[],
    neff: NeffProgram | null,
    private readonly diagnostics: Diagnostics,
  ) {
    const programs: EngineProgram[][] = NEURON_ENGINES.map(() => []);
    let held = 0;
    for (const { name: graph, buffers, edits, rings } of graphs) {
      const compiled = (graph === null ? null : neff?.graphs.get(graph)) ?? null;
      for (const [semaphore, owner] of compiled?.semaphores ?? []) this.#semaphores.set(semaphore, queueName(owner));
      for (const buffer of buffers) {
        held += Math.ceil(buffer.size / INSTRUCTION_BYTES);
        const address = Number((buffer.address / BigInt(INSTRUCTION_BYTES)) % BigInt(ADDRESSES));
        const ofEngine = edits.find(({ engine }) => engine === buffer.engine)?.edits ?? null;
        const name = NEURON_ENGINES[buffer.engine];
        const opcodes = new Uint8Array(held > MOST_OPCODES || name === undefined ? 0 : trace.instructionsIn(buffer));
        const queue = name === undefined ? null : queueOfEngine(name, rings);
        const program = { address, opcodes, buffer, edits: ofEngine, compiled, queue };
        if (name !== undefined) this.#scan(program, name);
        programs[buffer.engine]?.push(program);
      }
    }
    this.byEngine = programs;
  }

  /** The facts in an instruction's words, and its program; null when the words are not in the file. */
  facts(engine: number, number: number, pc: number): InstructionFacts | null {
    const program = elementAt(this.byEngine, engine)[number];
    if (program === undefined) return null;
    const found = this.#facts.get(program)?.get(pc);
    if (found !== undefined) return found;
    if (!this.trace.readInstruction(program.buffer, pc, this.#word)) return null;
    const facts = this.#decode(program, pc);
    this.#held += 1 + (facts.details.after?.length ?? 0);
    if (this.#held > MOST_DECODED) {
      this.#facts.clear();
      this.#held = 0;
    }
    entryOf(this.#facts, program, () => new Map<number, InstructionFacts>()).set(pc, facts);
    return facts;
  }

  /** Name of the engine or queue that updates a semaphore; null when none in the program does. */
  semaphoreName(semaphore: number): string | null {
    return this.#semaphores.get(semaphore) ?? null;
  }

  #decode({ edits, compiled, buffer, queue }: EngineProgram, pc: number): InstructionFacts {
    const { isRuntime, row } = edits === null ? { isRuntime: null, row: null } : compilerRow(pc, edits);
    const context = { isRuntime, semaphoreName: (semaphore: number) => this.semaphoreName(semaphore) };
    const { operands, labels, counters, moves } = decodeInstruction(this.#word, context);
    const isCompiled = compiled !== null && row !== null && !isRuntime;
    const known = isCompiled ? this.#compiledFacts(compiled, buffer.engine, row, context) : NOTHING_KNOWN;
    const details = new InstructionDetails({
      names: known.names,
      operands,
      after: known.after,
      labels: { ...labels, ...known.labels },
      counters: {
        ...counters,
        ...(row === null ? undefined : { compilerPc: row }),
        ...dependencyCounters(known.after),
      },
    });
    return {
      details,
      transfer: queue === null || moves === undefined ? null : { queue, moves: transferOf(moves, known) },
    };
  }

  #compiledFacts(compiled: GraphInstructions, engine: number, row: number, context: InstructionContext): CompiledFacts {
    const { transfer, after, isDamaged, hasMoreDependencies, layer, op, source, ...names } = compiled.instruction(
      engine,
      row,
    );
    if (isDamaged) this.diagnostics.count('program-part-broken');
    if (hasMoreDependencies) this.diagnostics.count('more-dependencies');
    const moved = transfer === null ? null : compiledTransfer(transfer, context);
    const sideOf = (side: CompiledTransfer['sides'][0] | undefined): Variable | null =>
      side === undefined ? null : compiled.variableOf(side);
    const sides = [sideOf(moved?.sides[0]), sideOf(moved?.sides[1])] as const;
    const compilerOpcode = moved === null ? null : COMPILED_OPCODE;
    const variables = { source: tensorName(sides[0]), dest: tensorName(sides[1]) };
    return {
      names: {
        ...(layer.length === 0 ? undefined : { layer }),
        ...(op === null ? undefined : { op: [op] }),
        ...(source === null ? undefined : { trace: [source] }),
      },
      after,
      labels: knownFacts({ ...names, compilerOpcode, compilerOperands: moved?.operands, ...variables }),
      sides,
    };
  }

  /** Fills in the opcodes of a program, and finds the semaphores that its instructions update. */
  #scan({ opcodes, buffer, edits, queue }: EngineProgram, engine: NeuronEngine): void {
    let pc = 0;
    for (const word of this.trace.instructions(buffer, opcodes.length)) {
      opcodes[pc] = word[0] as number;
      const isRuntime = edits !== null && compilerRow(pc, edits).isRuntime;
      const updated = isRuntime ? null : updatedSemaphore(word);
      const name = updated?.byQueue === true ? queue?.name : engine;
      if (updated !== null && name !== undefined) this.#semaphores.set(updated.semaphore, name);
      pc++;
    }
  }
}

/** Dependencies and names of an instruction, and names of the variables that it moves. */
interface CompiledFacts {
  readonly names: InstructionNames;
  readonly after: readonly Dependency[];
  readonly labels: Labels;
  readonly sides: readonly [source: Variable | null, destination: Variable | null];
}

const NOTHING_KNOWN: CompiledFacts = { names: {}, after: [], labels: {}, sides: [null, null] };

const COMPILED_OPCODE = 'PSEUDO_DMA_DIRECT2D';

/**
 * Name of a variable. A variable on the chip is named after its memory, which adds no information, so no name is
 * written.
 */
const tensorName = (variable: Variable | null): string | null =>
  variable?.memory === 'SB' ? null : (variable?.name ?? null);

/** Memories as the vendor's tool names them, used when the program does not state the variable. */
const MEMORY_NAMES: Readonly<Record<NeuronMemory, string>> = { hbm: 'HBM', sbuf: 'SB', psum: 'PSUM' };

function transferOf({ bytes, memories, semaphore }: MovedBytes, { labels, sides }: CompiledFacts): QueuedTransfer {
  const [source, dest] = sides.map((side, i) => {
    const memory = memories[i] ?? null;
    return side?.memory ?? (memory === null ? null : MEMORY_NAMES[memory]);
  });
  const variable = tensorName(sides[0]) ?? tensorName(sides[1]);
  const transfer = knownFacts({ transfer: labels['id'] });
  const packets = (packetLabels: Labels): InstructionDetails =>
    new InstructionDetails({ operands: '', labels: packetLabels, counters: {} });
  return {
    bytes,
    moving: packets({ ...knownFacts({ variable }), ...transfer, ...knownFacts({ source, dest }) }),
    raising: packets({ ...transfer, semaphore: String(semaphore) }),
  };
}

export interface CompilerRow {
  /** Whether the runtime inserted the instruction. */
  readonly isRuntime: boolean;
  /** Row in the compiler's program; null when the instruction is not in that program. */
  readonly row: number | null;
}

/**
 * The compiler's row of an instruction, from its position in the loaded program: the runtime inserts instructions
 * around the compiler's and between them. Equal to the vendor tool's `compiler_pc` for all instructions of five
 * captures. Instructions that replace others count as the first of these.
 * @param edits edits of the engine's program, in order
 */
export function compilerRow(pc: number, edits: readonly ProgramEdit[]): CompilerRow {
  let shift = 0;
  for (const { offset, inserted, removed } of edits) {
    const place = offset / INSTRUCTION_BYTES;
    if (removed > 0) {
      if (pc >= place - inserted && pc < place) return { isRuntime: true, row: pc - shift };
      if (pc < place) break;
    } else {
      if (pc < place) break;
      if (pc < place + inserted) return { isRuntime: true, row: null };
    }
    shift += inserted - removed;
  }
  return { isRuntime: false, row: pc - shift };
}
