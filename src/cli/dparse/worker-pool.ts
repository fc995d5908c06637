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
import { UserError } from '../../record/errors.js';
import type { Outcome, ParseOptions } from './one.js';

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
}

/**
 * Messages to a worker: a profile; 'taken' when a piece of its lines was processed; 'end' when there are no more profiles.
 */
export type WorkerRequest = Job | 'taken' | 'end';

/** Messages from a worker: bytes of lines, then an outcome or the parts of a UserError. */
export type WorkerAnswer =
  | { readonly bytes: Uint8Array }
  | { readonly outcome: Exclude<Outcome, UserError> }
  | {
      readonly what: string;
      readonly detail: UserError['detail'];
      /** Whether lines were sent before the error. If so, the stream breaks off, which ends the run. */
      readonly isBroken?: true;
    };

/** Receives the lines of a profile. */
interface Lines {
  readonly output: Job['output'];
  readonly take?: (bytes: Uint8Array) => Promise<void>;
  readonly stop?: AbortSignal;
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
    const { ordinal, source, reader } = profile;
    const { path, name, file, captures } = source;
    const large = isLarge(profile);
    const worker = large
      ? started({ maxYoungGenerationSizeMb: reader.youngGenerationMb ?? YOUNG_GENERATION_MB })
      : (this.#free.pop() ?? started());
    const outcome = await run(worker, { ordinal, path, name, file, captures, options, output: lines.output }, lines);
    if (large) await ended(worker);
    else this.#free.push(worker);
    return outcome;
  }

  /** Ends the workers, which must all be idle. */
  async end(): Promise<void> {
    await Promise.all(this.#free.splice(0).map(ended));
  }
}

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

/** Parses one profile in a worker; the worker is terminated unless there is an outcome. */
function run(worker: Worker, job: Job, { take, stop }: Lines): Promise<Outcome> {
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
      void worker.terminate();
      reject(error instanceof Error ? error : new Error(String(error)));
    };
    const done = (outcome: Outcome): void => {
      leave();
      resolve(outcome);
    };
    const receive = async (answer: WorkerAnswer): Promise<void> => {
      if ('bytes' in answer) {
        await take?.(answer.bytes);
        send(worker, 'taken');
      } else if ('outcome' in answer) done(answer.outcome);
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
    const onStop = (): void => void worker.terminate();
    worker.on('message', onMessage).on('error', fail).on('exit', onExit);
    stop?.addEventListener('abort', onStop);
    if (stop?.aborted === true) onStop();
    send(worker, job);
  });
}
