/** How many profiles `dparse` parses at a time where `-j` does not say. */
import { statSync } from 'node:fs';
import { availableParallelism, freemem } from 'node:os';
import { largest } from '../../containers/lists.js';

/** Bytes of inputs for which one more thread is worth its start. */
const PER_THREAD = 16 * 1024 * 1024;

/** Memory of a thread besides what grows with its profile, in bytes: see the notes of the help. */
const OF_A_THREAD = 400 * 1024 * 1024;

/** Bytes of a trace for one of it compressed, mostly. */
const INFLATED = 10;

/** Lines that wait for those of a profile before are in the temporary folder: of up to two profiles for each thread. */
const MOST_THREADS = 8;

interface InputSize {
  readonly bytes: number;
  readonly isCompressed: boolean;
}

interface Machine {
  readonly cores: number;
  /** Bytes that are free, and may be used. */
  readonly memory: number;
}

/**
 * A thread for each 16 MB of inputs, at most one for each input and core, and as many as half of the memory has room for.
 * What a profile takes of it grows with its rows, which take more bytes in its file.
 */
export function jobsFor(inputs: readonly InputSize[], { cores, memory }: Machine): number {
  const all = inputs.reduce((sum, { bytes }) => sum + bytes, 0);
  const longest = largest(
    inputs.map(({ bytes, isCompressed }) => bytes * (isCompressed ? INFLATED : 1)),
    0,
  );
  const room = memory / 2 / (OF_A_THREAD + longest);
  return Math.max(1, Math.floor(Math.min(all / PER_THREAD, inputs.length, cores, room, MOST_THREADS)));
}

/** @param paths of all inputs */
export function defaultJobs(paths: readonly string[]): number {
  const memory = Math.min(freemem(), process.constrainedMemory() || Infinity);
  return jobsFor(paths.map(sizeOf), { cores: availableParallelism(), memory });
}

const sizeOf = (path: string): InputSize => ({
  bytes: statSync(path, { throwIfNoEntry: false })?.size ?? 0,
  isCompressed: path.endsWith('.gz'),
});
