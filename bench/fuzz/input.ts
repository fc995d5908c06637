/** What is damaged, and what becomes of it: the words that all parts of the harness share. */
import type { Random } from './random.js';

/** A row of the table: the id of a reader, or the name of a form of its files that is read another way. */
export type ReaderName = string;

/** Bytes by file name, which may have folders in it. */
export type Files = Readonly<Record<string, Buffer>>;

/** A real input, intact. */
export interface Base {
  readonly reader: ReaderName;
  readonly name: string;
  readonly files: Files;
  /** The file that is given to the tools; '' for the folder with all of them. */
  readonly input: string;
  /** Options that it is read with: names of its files stand for their paths. */
  readonly options?: readonly string[];
}

/** How many kernels a damaged input may have less and more than the intact one. */
export interface KernelBounds {
  readonly lost: number;
  readonly added: number;
}

/** Damaged bytes. Without bounds nothing is known of the kernels that are left. */
export interface Mutated {
  readonly bytes: Buffer;
  readonly kernels?: KernelBounds;
}

/** Never changes the bytes that it is given; null where it does not apply to them. */
export type Mutation = (bytes: Buffer, random: Random) => Mutated | null;

/** An input to be read. */
export interface Damaged {
  readonly base: Base;
  readonly files: Files;
  readonly mutation: string;
  readonly kernels?: KernelBounds;
  /** Files that are damaged. */
  readonly damaged: readonly string[];
  /** Those of them whose damage may cost kernels without a word: a line that is gone, a cell of another value. */
  readonly unnoticed: readonly string[];
  /** Chooses how the input is read. */
  readonly random: Random;
  /** Arguments of the harness that make the same input again. */
  readonly repeat: string;
}
