/** Instructions of a loaded program → those that the compiler wrote: the runtime puts its own around and among them. */
import { INSTRUCTION_BYTES } from '../../words/instruction-word.js';
import type { ProgramEdit } from '../file/metadata.js';

export interface CompilerRow {
  /** Whether the runtime put the instruction there. */
  readonly isRuntime: boolean;
  /** Row in the compiler's program; null for an instruction that stands for none. */
  readonly row: number | null;
}

/**
 * The row of an instruction, by its place in the loaded program. Equal to the vendor tool's `compiler_pc` in all
 * instructions of five captures. Instructions that replace others stand for the first of these.
 * @param edits of the engine, in order
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
