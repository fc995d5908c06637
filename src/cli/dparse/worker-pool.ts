/**
 * Worker threads that parse profiles, one at a time each. Starting a thread takes longer than parsing a small profile, so a
 * thread that is done takes the next one. A large profile gets a new thread with more memory, which is ended afterwards
 * because its heap would not shrink.
 */
import { statSync } from 'node:fs';
import { extname } from 'node:path';
import { Worker, type ResourceLimits } from 'node:worker_threads';
import type { CaptureFiles } from '../../parse/captures.js';
import type { FoundProfile } from '../../parse/find.js';
import { foldersRemovedAtEnd } from '../../parse/input/temporary-file.js';
import type { BlockMemory } from '../../parse/sqlite/shared-blocks.js';
import { newTermination, terminate, type Termination } from '../../parse/sqlite/termination.js';
import { UserError } from '../../record/errors.js';
import type { Outcome, ParseOptions, ProfilePart } from './one.js';

/** A profile for a worker. */
export interface Job {
  readonly ordinal: number;
  readonly path: string;
  readonly name: string;
  readonly file: string;
  readonly captures: CaptureFiles;
  readonly options: ParseOptions;
  /** File descriptor for the lines; null to send them to the main thread. */
  readonly output: number | null;
  /** The slices of a profile that several threads share; null for the whole profile. */
  readonly slices: Slices | null;
  /** Shared memory by which the thread is terminated between calls of SQLite. */
  readonly termination: Termination;
}

/** Slices of a profile; each thread takes the next one. */
export interface Slices {
  /** Activities in a slice. */
  readonly size: number;
  /** A counter in shared memory: the number of slices taken so far. */
  readonly taken: Int32Array<SharedArrayBuffer>;
  /** Shared memory for the rows of a database. */
  readonly blocks: BlockMemory;
  /** Number of this thread, from 0. */
  readonly thread: number;
  /** See `identityOf`: the threads must open the same file. */
  readonly identity: string;
}

/** Identifies a file with its content. */
export function identityOf(path: string): string {
  const { dev, ino, size, mtimeNs } = statSync(path, { bigint: true });
  return [dev, ino, size, mtimeNs].join();
}

/**
 * Messages to a worker: a profile; 'taken' when a piece of its lines was processed; 'end' when there are no more profiles.
 */
export type WorkerRequest = Job | 'taken' | 'end';

/**
 * Messages from a worker: bytes of lines, then an outcome or the parts of a UserError. If it makes slices of a profile, each
 * piece states its slice, and a message follows when the slice is complete.
 */
export type WorkerAnswer =
  | { readonly bytes: Uint8Array; readonly slice?: number }
  | { readonly complete: number }
  | { readonly outcome: Exclude<Outcome, UserError> }
  | { readonly part: ProfilePart }
  | {
      readonly what: string;
      readonly detail: UserError['detail'];
      /** Whether lines were sent before the error. If so, the stream breaks off, which ends the run. */
      readonly isBroken?: true;
    };

/** Receives the lines of a profile. */
interface Lines {
  readonly output: Job['output'];
  /** Takes a piece, and the number of its slice if several threads share the profile. */
  readonly take?: (bytes: Uint8Array, slice?: number) => Promise<void>;
  readonly stop?: AbortSignal;
}

/** Receives the lines of the slices that a thread makes. */
interface SliceLines extends Required<Pick<Lines, 'take' | 'stop'>> {
  readonly slices: Slices;
  /** Called when all pieces of a slice have been sent; some may not have been taken yet. */
  readonly onComplete: (slice: number) => Promise<void>;
}

/**
 * Size of V8's young generation in MB for a large profile whose reader states none. With V8's default of 48, a fifth of the
 * time goes into copying survivors of collections, which a larger one avoids.
 */
const YOUNG_GENERATION_MB = 192;

/** Size in bytes from which a profile is worth a separate thread, which takes about 300 ms to start. */
const LARGE = 16 * 1024 * 1024;

export const isLarge = ({ source }: FoundProfile): boolean => statSync(source.path).size >= LARGE;

export class WorkerPool {
  /** Workers that wait for a small profile. */
  readonly #free: Worker[] = [];

  /** @throws UserError when the stream breaks off; any other error of a worker, which is a bug */
  async parse(profile: FoundProfile, options: ParseOptions, lines: Lines): Promise<Outcome> {
    const large = isLarge(profile);
    const worker = large ? startedFor(profile) : (this.#free.pop() ?? started());
    const job = jobOf(profile, options, { output: lines.output, slices: null });
    const outcome = await run<Outcome>(worker, job, lines);
    if (large) await ended(worker);
    else this.#free.push(worker);
    return outcome;
  }

  /** Ends the workers, which must all be idle. */
  async end(): Promise<void> {
    await Promise.all(this.#free.splice(0).map(ended));
  }
}

/**
 * Starts a thread that makes those slices of a large profile that no other thread has taken.
 * @throws as `WorkerPool.parse`
 */
export async function parseSlicesInWorker(
  profile: FoundProfile,
  options: ParseOptions,
  lines: SliceLines,
): Promise<ProfilePart | UserError> {
  const worker = startedFor(profile);
  const job = jobOf(profile, options, { output: null, slices: lines.slices });
  const part = await run<ProfilePart | UserError>(worker, job, lines);
  await ended(worker);
  return part;
}

function jobOf({ ordinal, source }: FoundProfile, options: ParseOptions, rest: Pick<Job, 'output' | 'slices'>): Job {
  const { path, name, file, captures } = source;
  return { ordinal, path, name, file, captures, options, termination: newTermination(), ...rest };
}

/** A worker for a large profile. */
const startedFor = ({ reader }: FoundProfile): Worker =>
  started({ maxYoungGenerationSizeMb: reader.youngGenerationMb ?? YOUNG_GENERATION_MB });

/** The worker's file is next to this one: `.ts` when sources run directly, `.js` when they are compiled or bundled. */
const started = (resourceLimits: ResourceLimits = {}): Worker =>
  new Worker(new URL(`./worker${extname(import.meta.url)}`, import.meta.url), { resourceLimits });

function ended(worker: Worker): Promise<void> {
  return new Promise((resolve) => {
    worker.once('exit', () => {
      resolve();
    });
    send(worker, 'end');
  });
}

const send = (worker: Worker, request: WorkerRequest): void => {
  worker.postMessage(request);
};

/**
 * Runs a job in a worker; the worker is terminated unless there is a result.
 * @returns the outcome, or the part of a profile that several threads share
 */
function run<Result>(worker: Worker, job: Job, { take, stop, onComplete }: Partial<SliceLines>): Promise<Result> {
  const release = foldersRemovedAtEnd();
  return new Promise((resolve, reject) => {
    // Handle one piece after the other: writing may have to wait, and the outcome comes after the last piece.
    let turn = Promise.resolve();
    const leave = (): void => {
      worker.off('message', onMessage).off('error', fail).off('exit', onExit);
      stop?.removeEventListener('abort', onStop);
      release();
    };
    const fail = (error: unknown): void => {
      leave();
      void terminate(worker, job.termination);
      reject(error instanceof Error ? error : new Error(String(error)));
    };
    const done = (result: unknown): void => {
      leave();
      resolve(result as Result);
    };
    const receive = async (answer: WorkerAnswer): Promise<void> => {
      if ('bytes' in answer) {
        await take?.(answer.bytes, answer.slice);
        send(worker, 'taken');
      } else if ('complete' in answer) await onComplete?.(answer.complete);
      else if ('outcome' in answer) done(answer.outcome);
      else if ('part' in answer) done(answer.part);
      else if (answer.isBroken === true) fail(new UserError(answer.what, answer.detail));
      else done(new UserError(answer.what, answer.detail));
    };
    const onMessage = (answer: WorkerAnswer): void => {
      turn = turn.then(() => receive(answer)).catch(fail);
    };
    // Pieces from a worker that has exited may still be in process.
    const onExit = (code: number): void => {
      void turn.then(() => {
        fail(new Error(`a worker ended with code ${code}`));
      });
    };
    const onStop = (): void => void terminate(worker, job.termination);
    worker.on('message', onMessage).on('error', fail).on('exit', onExit);
    stop?.addEventListener('abort', onStop);
    if (stop?.aborted === true) onStop();
    send(worker, job);
  });
}
