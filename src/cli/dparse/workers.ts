/**
 * Profiles parsed in worker threads. A large one has a thread of its own: parsing has room for short-lived objects
 * there, and the main thread writes meanwhile and hears signals. Several at a time go each into a temporary file, and
 * the files are copied out in the order of the inputs: the stream does not depend on the number of workers.
 */
import { EventEmitter, once, setMaxListeners } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { CaptureFiles } from '../../parse/captures.js';
import type { FoundProfile } from '../../parse/find.js';
import { atEnd } from '../../parse/input/cleanup.js';
import { removeFolders, TemporaryFile } from '../../parse/input/temporary-file.js';
import { UserError } from '../../record/errors.js';
import type { Outcome, ParsedProfile, ParseOptions } from './one.js';
import type { Write } from '../output.js';
import type { Progress } from '../progress.js';

/** Input of a worker, as `workerData`. */
export interface Job {
  readonly ordinal: number;
  readonly path: string;
  readonly name: string;
  readonly file: string;
  readonly captures: CaptureFiles;
  readonly options: ParseOptions;
  /** Number of the open file for the lines; null to send them to the main thread. */
  readonly output: number | null;
}

/** Messages of a worker: bytes of lines, then an outcome or the parts of a UserError. */
export type WorkerAnswer =
  | { readonly bytes: Uint8Array }
  | { readonly outcome: Exclude<Outcome, UserError> }
  | {
      readonly what: string;
      readonly detail: UserError['detail'];
      /** Whether lines were sent before: the stream is broken off, which ends the run. */
      readonly isBroken?: true;
    };

/** A profile in work or parsed, and the file of its lines; or an input that cannot be read. */
type Started =
  { readonly profile: FoundProfile; readonly lines: TemporaryFile; readonly outcome: Promise<Outcome> } | UserError;

/** Profiles that are parsed and wait for one before them, for each that is in work: a bound on disk. */
const WAITING = 1;

/** Several at a time, each unpacked when a worker is about to be free. */
export async function* parseMany(
  found: AsyncIterable<FoundProfile | UserError>,
  options: ParseOptions,
  jobs: number,
  write: Write,
): AsyncGenerator<ParsedProfile> {
  const stop = new AbortController();
  // One of each worker: Node takes more than ten for a leak, and says so.
  setMaxListeners(0, stop.signal);
  const queue = new Queue(jobs, stop.signal);
  const starting = startAll(found, options, queue);
  // Awaited in the end; until then a rejection must not count as unhandled.
  starting.catch(() => undefined);
  try {
    for (let first; (first = await queue.first()) !== null;) {
      yield await parsed(first, write);
      queue.shift();
    }
    await starting;
  } finally {
    stop.abort();
    await queue.dispose();
  }
}

/** What was started and is not written yet, in the order of the inputs. */
class Queue {
  readonly #started: (Started | null)[] = [];
  readonly #changes = new EventEmitter();
  #running = 0;

  constructor(
    private readonly jobs: number,
    readonly stop: AbortSignal,
  ) {
    stop.addEventListener('abort', () => {
      this.#changes.emit('change');
    });
  }

  /** Waits for a worker that is free. */
  async room(): Promise<void> {
    const isFull = (): boolean => this.#running >= this.jobs || this.#started.length >= this.jobs * (1 + WAITING);
    while (isFull() && !this.stop.aborted) await once(this.#changes, 'change');
  }

  /** @param started null after the last */
  push(started: Started | null): void {
    this.#started.push(started);
    this.#changes.emit('change');
    if (started === null || started instanceof UserError) return;
    this.#running++;
    const ended = (): void => {
      this.#running--;
      started.profile.source.dispose();
      this.#changes.emit('change');
    };
    started.outcome.then(ended, ended);
  }

  /** The first, as soon as there is one; null after the last. */
  async first(): Promise<Started | null> {
    while (this.#started.length === 0) await once(this.#changes, 'change');
    return this.#started[0] ?? null;
  }

  shift(): void {
    this.#started.shift();
    this.#changes.emit('change');
  }

  /** The number of a file is free for others only when no worker writes to it. */
  async dispose(): Promise<void> {
    for (const one of this.#started) {
      if (one === null || one instanceof UserError) continue;
      await one.outcome.catch(() => undefined);
      one.lines.dispose();
    }
  }
}

async function startAll(
  found: AsyncIterable<FoundProfile | UserError>,
  options: ParseOptions,
  queue: Queue,
): Promise<void> {
  try {
    for await (const profile of found) {
      await queue.room();
      if (queue.stop.aborted) {
        if (!(profile instanceof UserError)) profile.source.dispose();
        return;
      }
      queue.push(profile instanceof UserError ? profile : start(profile, options, queue.stop));
    }
  } finally {
    queue.push(null);
  }
}

function start(profile: FoundProfile, options: ParseOptions, stop: AbortSignal): Started {
  const lines = new TemporaryFile(profile.source.name);
  lines.unlink();
  return { profile, lines, outcome: runWorker(profile, options, { output: lines.file, stop }) };
}

/** Copies the lines of a profile out when they are complete. */
async function parsed(started: Started, write: Write): Promise<ParsedProfile> {
  if (started instanceof UserError) return { name: '', outcome: started };
  const { profile, lines } = started;
  const outcome = await started.outcome;
  if (!(outcome instanceof UserError)) for (const piece of lines.pieces()) await write(piece);
  lines.dispose();
  return { name: profile.source.name, ordinal: profile.ordinal, outcome };
}

/** One profile in a thread of its own. */
export const parseLarge = (
  profile: FoundProfile,
  options: ParseOptions,
  write: Write,
  meter: Progress,
): Promise<Outcome> => {
  let written = 0;
  const take = async (bytes: Uint8Array): Promise<void> => {
    await write(bytes);
    meter.at((written += bytes.length), null);
  };
  return runWorker(profile, options, { output: null, take });
};

/**
 * Size of V8's young generation in MB where the reader states none: at V8's default of 48 a fifth of the time goes into
 * copying the survivors of collections that a larger one does not need.
 */
const YOUNG_GENERATION_MB = 192;

interface Lines {
  readonly output: Job['output'];
  readonly take?: (bytes: Uint8Array) => Promise<void>;
  readonly stop?: AbortSignal;
}

function runWorker(profile: FoundProfile, options: ParseOptions, { output, take, stop }: Lines): Promise<Outcome> {
  const { ordinal, source, reader } = profile;
  const { path, name, file, captures } = source;
  const job: Job = { ordinal, path, name, file, captures, options, output };
  const resourceLimits = { maxYoungGenerationSizeMb: reader.youngGenerationMb ?? YOUNG_GENERATION_MB };
  const worker = new Worker(new URL('./worker.js', import.meta.url), { workerData: job, resourceLimits });
  const release = atEnd(() => removeFolders());
  return new Promise((resolve, reject) => {
    const fail = (error: unknown): void => {
      void worker.terminate();
      reject(error instanceof Error ? error : new Error(String(error)));
    };
    const onStop = (): void => void worker.terminate();
    stop?.addEventListener('abort', onStop);
    // One piece after the other: the output may ask to be waited for, and the outcome comes after the last piece.
    let turn = Promise.resolve();
    const receive = async (answer: WorkerAnswer): Promise<void> => {
      if ('bytes' in answer) {
        await take?.(answer.bytes);
        worker.postMessage('taken');
      } else if ('outcome' in answer) resolve(answer.outcome);
      else if (answer.isBroken === true) reject(new UserError(answer.what, answer.detail));
      else resolve(new UserError(answer.what, answer.detail));
    };
    worker.on('message', (answer: WorkerAnswer) => {
      turn = turn.then(() => receive(answer)).catch(fail);
    });
    worker.once('error', fail);
    // A worker ends when all is sent; what it sent may still be in turn.
    worker.once('exit', (code) => {
      release();
      stop?.removeEventListener('abort', onStop);
      void turn.then(() => reject(new Error(`a worker ended with code ${code}`)));
    });
  });
}
