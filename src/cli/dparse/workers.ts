/**
 * Parses profiles in worker threads. A large profile gets its own thread, which has room for short-lived objects, while
 * the main thread writes and handles signals. When several are parsed at once, the lines of the first are written
 * directly. Each of the others goes into a temporary file. These files are copied to the output in the order of the
 * inputs. So the output does not depend on the number of workers.
 */
import { EventEmitter, once, setMaxListeners } from 'node:events';
import type { FoundProfile } from '../../parse/find.js';
import { TemporaryFile } from '../../parse/input/temporary-file.js';
import { blockMemory } from '../../parse/sqlite/shared-blocks.js';
import { UserError } from '../../record/errors.js';
import { Diagnostics } from '../../record/diagnostics.js';
import { encodeLine } from '../../record/jsonl.js';
import type { EndRecord } from '../../record/record.js';
import { outcomeOf, type Outcome, type ParsedProfile, type ParseOptions, type ProfilePart } from './one.js';
import { identityOf, parseSlicesInWorker, WorkerPool } from './worker-pool.js';
import type { Write } from '../output.js';
import { SILENT, type Progress } from '../progress.js';

/** A profile that is being parsed or is complete; or the error of an input that cannot be read. */
type Started = StartedProfile | UserError;

interface StartedProfile {
  readonly profile: FoundProfile;
  /** The temporary file with its lines; null when they are written as they come. */
  readonly lines: TemporaryFile | null;
  readonly outcome: Promise<Outcome>;
}

/** Parsed profiles that may wait for an earlier one, for each profile in progress: this limits disk usage. */
const WAITING = 1;

/** Parses several at a time; each is unpacked when a worker is about to become free. */
export async function* parseMany(
  found: AsyncIterable<FoundProfile | UserError>,
  options: ParseOptions,
  jobs: number,
  write: Write,
  meter: Progress = SILENT,
): AsyncGenerator<ParsedProfile> {
  const stop = new AbortController();
  // Each worker adds a listener, and Node warns of a leak above ten listeners.
  setMaxListeners(0, stop.signal);
  const queue = new Queue(jobs, stop.signal);
  const pool = new WorkerPool();
  const out = metered(write, meter);
  const starting = startAll(found, options, { queue, pool, out });
  // The promise is awaited later. Until then, a rejection must not count as unhandled.
  starting.catch(() => undefined);
  try {
    for (let first; (first = await queue.first()) !== null;) {
      yield await parsed(first, out);
      queue.shift();
    }
    await starting;
  } finally {
    stop.abort();
    await queue.dispose();
    await pool.end();
  }
}

/** Profiles that were started and are not written yet, in the order of the inputs. */
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

  /** Waits for a free worker. */
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

  /** Whether the queue is empty, so that the next profile started is the next one written. */
  get isEmpty(): boolean {
    return this.#started.length === 0;
  }

  /** The first profile in the queue, as soon as there is one; null after the last. */
  async first(): Promise<Started | null> {
    while (this.#started.length === 0) await once(this.#changes, 'change');
    return this.#started[0] ?? null;
  }

  shift(): void {
    this.#started.shift();
    this.#changes.emit('change');
  }

  /** A file descriptor may be reused only when no worker writes to it. */
  async dispose(): Promise<void> {
    for (const worker of this.#started) {
      if (worker === null || worker instanceof UserError) continue;
      await worker.outcome.catch(() => undefined);
      worker.lines?.dispose();
    }
  }
}

/** The options and callbacks for the profiles of a run. */
interface ParseRun {
  readonly queue: Queue;
  readonly pool: WorkerPool;
  readonly out: Take;
}

async function startAll(
  found: AsyncIterable<FoundProfile | UserError>,
  options: ParseOptions,
  run: ParseRun,
): Promise<void> {
  const { queue } = run;
  try {
    for await (const profile of found) {
      await queue.room();
      if (queue.stop.aborted) {
        if (!(profile instanceof UserError)) profile.source.dispose();
        return;
      }
      queue.push(profile instanceof UserError ? profile : start(profile, options, run));
    }
  } finally {
    queue.push(null);
  }
}

function start(profile: FoundProfile, options: ParseOptions, { queue, pool, out }: ParseRun): StartedProfile {
  const { stop } = queue;
  if (queue.isEmpty) {
    return { profile, lines: null, outcome: pool.parse(profile, options, { output: null, take: out, stop }) };
  }
  const lines = new TemporaryFile(profile.source.name);
  lines.unlink();
  return { profile, lines, outcome: pool.parse(profile, options, { output: lines.file, stop }) };
}

/** Copies the lines of a profile to the output when they are complete. */
async function parsed(started: Started, out: Take): Promise<ParsedProfile> {
  if (started instanceof UserError) return { name: '', outcome: started };
  const { profile, lines } = started;
  const outcome = await started.outcome;
  if (lines !== null && !(outcome instanceof UserError)) for (const piece of lines.pieces()) await out(piece);
  lines?.dispose();
  return { name: profile.source.name, ordinal: profile.ordinal, outcome };
}

type Take = (bytes: Uint8Array) => Promise<void>;

/** Writes data, and shows progress. */
function metered(write: Write, meter: Progress): Take {
  let written = 0;
  return async (bytes) => {
    await write(bytes);
    meter.at((written += bytes.length), null);
  };
}

/** Parses one large profile in a separate thread. */
export async function parseLarge(
  profile: FoundProfile,
  options: ParseOptions,
  write: Write,
  meter: Progress,
): Promise<Outcome> {
  const pool = new WorkerPool();
  try {
    return await pool.parse(profile, options, { output: null, take: metered(write, meter) });
  } finally {
    await pool.end();
  }
}

/** Activities per slice. Their lines take a few MB, and wait in memory until the previous slice is written. */
const SLICE = 4096;

/**
 * Parses one large profile in several threads. Each reads the profile, and repeatedly makes the next slice that no other
 * thread has taken. Slices are written in order, so the output does not depend on the number of threads.
 */
export async function parseShared(
  profile: FoundProfile,
  options: ParseOptions,
  threads: number,
  write: Write,
  meter: Progress,
): Promise<Outcome> {
  const out = metered(write, meter);
  const stop = new AbortController();
  setMaxListeners(0, stop.signal);
  const order = new SliceOrder(stop.signal);
  const written = { pieces: 0 };
  const taken = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const slices = { size: SLICE, taken, blocks: blockMemory(threads), identity: identityOf(profile.source.path) };
  const lines = {
    stop: stop.signal,
    take: async (bytes: Uint8Array, slice = 0) => {
      await order.reached(slice);
      written.pieces++;
      await out(bytes);
    },
    onComplete: (slice: number) => order.complete(slice),
  };
  const part = async (_: unknown, thread: number): Promise<ProfilePart> => {
    const made = await parseSlicesInWorker(profile, options, { ...lines, slices: { ...slices, thread } });
    // Throw, to stop the other threads: they may be waiting for lines of this one.
    if (made instanceof UserError) throw made;
    return made;
  };
  try {
    const parts = await Promise.all(Array.from({ length: threads }, part));
    const end = joinedEnd(parts);
    if (end !== null) await out(Buffer.from(encodeLine(end)));
    const rank = parts.map((each) => each.rank).find((each) => each !== null) ?? null;
    return outcomeOf(end, rank, profile.source.name);
  } catch (error) {
    if (error instanceof UserError && written.pieces === 0) return error;
    throw error;
  } finally {
    stop.abort();
  }
}

/** The slices whose lines are being written, one after the other. */
class SliceOrder {
  #current = 0;
  readonly #changes = new EventEmitter().setMaxListeners(0);

  constructor(private readonly stop: AbortSignal) {}

  /**
   * Waits until all lines of the slices before this one are written.
   * @throws AbortError when the threads are stopped
   */
  async reached(slice: number): Promise<void> {
    while (this.#current < slice) await once(this.#changes, 'change', { signal: this.stop });
  }

  /** Waits for a slice's turn, then ends it. */
  async complete(slice: number): Promise<void> {
    await this.reached(slice);
    this.#current++;
    this.#changes.emit('change');
  }
}

/** The end line of a profile that several threads have read; null when it has none. */
function joinedEnd(parts: readonly ProfilePart[]): EndRecord | null {
  const ends = parts.flatMap(({ end }) => end ?? []);
  const [first] = ends;
  if (first === undefined) return null;
  const sums = new Map<string, number>();
  for (const { counts } of ends)
    for (const [type, n] of Object.entries(counts)) sums.set(type, (sums.get(type) ?? 0) + n);
  const counts = Object.fromEntries([...sums].sort(([a], [b]) => (a < b ? -1 : 1)));
  return { ...first, counts, diagnostics: Diagnostics.joined(parts.flatMap(({ counted }) => counted)) };
}
