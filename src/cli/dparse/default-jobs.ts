/** How many profiles `dparse` parses at a time where `-j` does not say. */
import { statfsSync } from 'node:fs';
import { availableParallelism, freemem, tmpdir } from 'node:os';
import { largest } from '../../containers/lists.js';
import { isSystemError } from '../../record/errors.js';
import { statOf } from '../guard.js';

/** Bytes of inputs for which one more thread is worth its start. */
const PER_THREAD = 16 * 1024 * 1024;

/** Memory of a thread besides what grows with its profile, in bytes: see the notes of the help. */
const OF_A_THREAD = 400 * 1024 * 1024;

/** Bytes of a trace for one of it compressed, mostly. */
const INFLATED = 10;

/** Bytes of lines for one of a profile, at most mostly: of NTFF. */
const LINES = 5;

/** Profiles for each thread whose lines wait in the temporary folder for those of a profile before. */
const WAITING = 2;

const MOST_THREADS = 8;

interface InputSize {
  readonly bytes: number;
  readonly isCompressed: boolean;
}

interface Machine {
  readonly cores: number;
  /** Bytes that are free, and may be used. */
  readonly memory: number;
  /** Bytes that are free in the temporary folder. */
  readonly disk: number;
}

/**
 * A thread for each 16 MB of inputs, at most one for each input and core, and as many as half of the memory and of the
 * temporary folder has room for. What a profile takes of memory grows with its rows, which take more bytes in its file.
 */
export function jobsFor(inputs: readonly InputSize[], { cores, memory, disk }: Machine): number {
  const all = inputs.reduce((sum, { bytes }) => sum + bytes, 0);
  const longest = largest(
    inputs.map(({ bytes, isCompressed }) => bytes * (isCompressed ? INFLATED : 1)),
    0,
  );
  const inMemory = memory / 2 / (OF_A_THREAD + longest);
  const onDisk = longest === 0 ? 1 : disk / 2 / (WAITING * LINES * longest);
  return Math.max(1, Math.floor(Math.min(all / PER_THREAD, inputs.length, cores, inMemory, onDisk, MOST_THREADS)));
}

/** @param paths of all inputs */
export function defaultJobs(paths: readonly string[]): number {
  const memory = Math.min(freemem(), process.constrainedMemory() || Infinity);
  const disk = orNone(() => {
    const { bavail, bsize } = statfsSync(tmpdir());
    return bavail * bsize;
  });
  return jobsFor(paths.map(sizeOf), { cores: availableParallelism(), memory, disk });
}

const sizeOf = (path: string): InputSize => ({
  bytes: orNone(() => statOf(path)?.size ?? 0),
  isCompressed: path.endsWith('.gz'),
});

/** 0 where the system refuses to say: that an input cannot be read is said in its turn. */
function orNone(bytes: () => number): number {
  try {
    return bytes();
  } catch (error) {
    if (!isSystemError(error)) throw error;
    return 0;
  }
}
