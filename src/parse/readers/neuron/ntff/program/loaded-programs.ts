/** The programs of the engines as they were loaded, which a device trace holds, and what their instructions say. */
import { elementAt } from '../../../../../containers/element.js';
import { entryOf } from '../../../../../containers/map-entry.js';
import type { Diagnostics } from '../../../../../record/diagnostics.js';
import { InstructionDetails } from '../../../../../record/lines/device-lines.js';
import { NEURON_ENGINES, type NeuronEngine } from '../../../../../record/neuron/engines.js';
import type { NtffFile } from '../file/ntff-file.js';
import type { CoreProgram, InstructionBuffer, ProgramEdit } from '../file/metadata.js';
import { queueOfEngine } from '../queues.js';
import { compilerRow } from './compiler-rows.js';
import { decodeInstruction, INSTRUCTION_BYTES, updatedSemaphore } from '../../words/instruction-word.js';
import type { InstructionContext } from '../../words/word-fields.js';
import { compiledTransfer } from '../../words/transfer-operands.js';
import type { GraphInstructions } from '../../neff/graph-instructions.js';
import type { NeffProgram } from '../../neff/program.js';
import { dependencyCounters, knownFacts } from '../../profile-record.js';
import type { Dependency, Labels } from '../../../../../record/record.js';

/** Addresses in records are modulo this. */
export const ADDRESSES = 1 << 21;

/** Instructions whose opcodes are held, of all programs together: 64 MB. */
const MOST_OPCODES = 1 << 26;

/** Decoded instructions and their dependencies that are held, of a core's programs together: some 60 MB. */
const MOST_DECODED = 1 << 17;

export interface EngineProgram {
  /** Address of the first instruction, in instructions, modulo `ADDRESSES`. */
  readonly address: number;
  /** First byte of each. */
  readonly opcodes: Uint8Array;
  readonly buffer: InstructionBuffer;
  /** Null where the file does not say what the runtime changed. */
  readonly edits: readonly ProgramEdit[] | null;
  /** What the NEFF says of its instructions; null without a NEFF. */
  readonly compiled: GraphInstructions | null;
}

/** Programs of one core, by engine; an engine has one, except where several programs were loaded. */
export class LoadedPrograms {
  readonly byEngine: readonly (readonly EngineProgram[])[];
  /** Names of what updates each semaphore. */
  readonly #semaphores = new Map<number, string>();
  readonly #details = new Map<EngineProgram, Map<number, InstructionDetails>>();
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
      for (const buffer of buffers) {
        held += Math.ceil(buffer.size / INSTRUCTION_BYTES);
        const address = Number((buffer.address / BigInt(INSTRUCTION_BYTES)) % BigInt(ADDRESSES));
        const ofEngine = edits.find(({ engine }) => engine === buffer.engine)?.edits ?? null;
        const name = NEURON_ENGINES[buffer.engine];
        const opcodes = new Uint8Array(held > MOST_OPCODES || name === undefined ? 0 : trace.instructionsIn(buffer));
        const program = { address, opcodes, buffer, edits: ofEngine, compiled };
        if (name !== undefined) this.#scan(program, name, queueOfEngine(name, rings));
        programs[buffer.engine]?.push(program);
      }
    }
    this.byEngine = programs;
  }

  /** What an instruction's words say, and its program; null where the words are not in the file. */
  details(engine: number, number: number, pc: number): InstructionDetails | null {
    const program = elementAt(this.byEngine, engine)[number];
    if (program === undefined) return null;
    const found = this.#details.get(program)?.get(pc);
    if (found !== undefined) return found;
    if (!this.trace.readInstruction(program.buffer, pc, this.#word)) return null;
    const details = this.#decode(program, pc);
    this.#held += 1 + (details.after?.length ?? 0);
    if (this.#held > MOST_DECODED) {
      this.#details.clear();
      this.#held = 0;
    }
    entryOf(this.#details, program, () => new Map<number, InstructionDetails>()).set(pc, details);
    return details;
  }

  #decode({ edits, compiled, buffer }: EngineProgram, pc: number): InstructionDetails {
    const { isRuntime, row } = edits === null ? { isRuntime: null, row: null } : compilerRow(pc, edits);
    const semaphoreName = (semaphore: number): string | null => this.#semaphores.get(semaphore) ?? null;
    const context = { isRuntime, semaphoreName };
    const { operands, labels, counters } = decodeInstruction(this.#word, context);
    const loaded = { operands, counters: row === null ? counters : { ...counters, compilerPc: row }, labels };
    if (compiled === null || row === null || isRuntime) {
      return new InstructionDetails(loaded);
    }
    const { after, labels: names } = this.#compiledFacts(compiled, buffer.engine, row, context);
    return new InstructionDetails({
      operands,
      after,
      labels: { ...labels, ...names },
      counters: { ...loaded.counters, ...dependencyCounters(after) },
    });
  }

  /** Dependencies, and names of an instruction and of the variables that it moves. */
  #compiledFacts(
    compiled: GraphInstructions,
    engine: number,
    row: number,
    context: InstructionContext,
  ): { readonly after: readonly Dependency[]; readonly labels: Labels } {
    const { transfer, after, isDamaged, hasMoreDependencies, ...names } = compiled.instruction(engine, row);
    if (isDamaged) this.diagnostics.count('program-part-broken');
    if (hasMoreDependencies) this.diagnostics.count('more-dependencies');
    const moved = transfer === null ? null : compiledTransfer(transfer, context);
    const [source = null, target = null] = moved?.sides.map((side) => compiled.variableOf(side)) ?? [];
    const compiledOpcode = moved === null ? null : COMPILED_OPCODE;
    return {
      after,
      labels: knownFacts({
        ...names,
        compilerOpcode: compiledOpcode,
        compilerOperands: moved?.operands,
        source,
        dest: target,
      }),
    };
  }

  /** Fills in the opcodes of a program, and learns which semaphores its instructions update. */
  #scan({ opcodes, buffer, edits }: EngineProgram, engine: NeuronEngine, queue: string | null): void {
    let pc = 0;
    for (const word of this.trace.instructions(buffer, opcodes.length)) {
      opcodes[pc] = word[0] as number;
      const isRuntime = edits !== null && compilerRow(pc, edits).isRuntime;
      const updated = isRuntime ? null : updatedSemaphore(word);
      const name = updated?.byQueue === true ? queue : engine;
      if (updated !== null && name !== null) this.#semaphores.set(updated.semaphore, name);
      pc++;
    }
  }
}

const COMPILED_OPCODE = 'PSEUDO_DMA_DIRECT2D';
