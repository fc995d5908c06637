/**
 * Reads a trace. For a large one, a second thread (`trace-scanner.ts`) reads the file and finds the events, ahead of
 * the thread that takes them. Both ways find events only through `TraceReading`.
 */
import { existsSync, statSync } from 'node:fs';
import { extname } from 'node:path';
import { MessageChannel, receiveMessageOnPort, Worker, type MessagePort } from 'node:worker_threads';
import type { DiagnosticName, Diagnostics } from '../../record/diagnostics.js';
import { usableCores } from '../files.js';
import { ByteWindow } from '../input/byte-window.js';
import { TraceEvent } from './event-fields.js';
import { TraceReading, type TakeEvent, type TraceHeader } from './event-stream.js';
import { JsonCursor } from './json-cursor.js';

/** Size in bytes from which a trace is worth a second thread, which takes about 50 ms to start. */
const LARGE = 64 * 1024 * 1024;

/** Bytes that the second thread reads at a time. */
const SCANNED_STEP = 2 * 1024 * 1024;

/**
 * Time in ms after which a silent second thread counts as dead. Its exit event cannot arrive while this thread blocks.
 */
const SILENCE_MS = 10_000;

/** Young generation of the second thread in MB: it creates hardly any objects. */
const YOUNG_GENERATION_MB = 4;

/** How a trace is read. */
interface Reading {
  /** Bytes read at a time. */
  readonly step?: number;
  /** Whether a second thread finds the events. */
  readonly isAhead?: boolean;
}

/** A trace file, and the function that takes its events. */
interface TraceFile {
  readonly path: string;
  readonly name: string;
  readonly diagnostics: Diagnostics;
  readonly take: TakeEvent;
  readonly step: number | undefined;
}

/**
 * Reads the events of a trace and returns its header.
 * @param argKeys keys of the events' `args` that are read
 * @throws UserError when the file is not a trace
 */
export function readTrace(
  path: string,
  name: string,
  argKeys: readonly string[],
  diagnostics: Diagnostics,
  take: TakeEvent,
  { step, isAhead = usableCores() > 1 && statSync(path).size >= LARGE }: Reading = {},
): TraceHeader {
  const event = new ScannedEvent(argKeys);
  const end = isAhead ? readAhead({ path, name, argKeys, step: step ?? SCANNED_STEP }, event, take) : null;
  if (end === null) return readOn(event, new TraceEvent(argKeys), { path, name, diagnostics, take, step });
  for (const [counter, count] of Object.entries(end.counts)) diagnostics.count(counter as DiagnosticName, count);
  diagnostics.count('repeated-key', event.repeatedKeys);
  diagnostics.count('not-json', event.notJson);
  return end.header;
}

/**
 * Reads a trace in this thread, and skips the events that were taken before the second thread ended. If an error in the
 * file ended that thread, this reading meets it too.
 */
function readOn(
  last: ScannedEvent,
  event: TraceEvent,
  { path, name, diagnostics, take, step }: TraceFile,
): TraceHeader {
  event.repeatedKeys = last.repeatedKeys;
  event.notJson = last.notJson;
  let { taken } = last;
  const takeRest: TakeEvent = (found) => (taken > 0 ? taken-- : take(found));
  const window = new ByteWindow(path, step);
  try {
    return new TraceReading(new JsonCursor(window), name, event, diagnostics, taken > 0 ? takeRest : take).read();
  } finally {
    window.close();
  }
}

/** What the second thread reads, and its port to the first thread. */
export interface ScanRequest {
  readonly path: string;
  readonly name: string;
  readonly argKeys: readonly string[];
  readonly step: number;
  readonly port: MessagePort;
  readonly signals: Int32Array<SharedArrayBuffer>;
}

/**
 * A batch of events: bytes of the file, and the positions of the values in the format of `writeEvent`. The threads
 * share the memory instead of transferring it, because after a transfer V8 reads all typed arrays of the thread 20 %
 * more slowly.
 */
export interface Batch {
  readonly bytes: SharedArrayBuffer;
  readonly ranges: Int32Array<SharedArrayBuffer>;
  /** How much of `ranges` is in use. */
  readonly length: number;
}

/** What the second thread returns in the end, apart from events; null when it has not read the whole file. */
export type ScanEnd = { readonly header: TraceHeader; readonly counts: Readonly<Record<string, number>> } | null;

/** One end of a channel between two threads that wait for each other by blocking, not in an event loop. */
export class ThreadChannel<Sent, Received> {
  /**
   * @param signals one counter per end, of messages and signs of life
   * @param end which end this is
   */
  constructor(
    private readonly port: MessagePort,
    private readonly signals: Int32Array<SharedArrayBuffer>,
    private readonly end: 0 | 1,
  ) {}

  send(message: Sent): void {
    this.port.postMessage(message);
    this.beat();
    Atomics.notify(this.signals, this.end);
  }

  /** Shows the other end that this one is alive. */
  beat(): void {
    Atomics.add(this.signals, this.end, 1);
  }

  /** The next message that has arrived; undefined when there is none. */
  poll(): Received | undefined {
    return receiveMessageOnPort(this.port)?.message as Received | undefined;
  }

  /** Waits for the next message; undefined when the other end shows no sign of life for `silence` ms. */
  receive(silence = Infinity): Received | undefined {
    const other = 1 - this.end;
    for (;;) {
      const seen = Atomics.load(this.signals, other);
      const message = this.poll();
      if (message !== undefined) return message;
      const woken = Atomics.wait(this.signals, other, seen, silence);
      if (woken === 'timed-out' && Atomics.load(this.signals, other) === seen) return undefined;
    }
  }
}

/**
 * Count of numbers before an event's ranges: where its fields end, where its args end, whether the args are complete,
 * and two oddity counts.
 */
const HEAD = 5;

/** Maximum count of numbers that an event takes in `ranges`. */
export const mostRanges = ({ fields, args }: TraceEvent): number => HEAD + 3 * (fields.from.length + args.from.length);

/**
 * Writes where the values of an event and of its `args` are. Oddities of the `args` are counted only when the args are
 * read.
 * @returns the index after them
 */
export function writeEvent(event: TraceEvent, ranges: Int32Array, at: number): number {
  const { repeatedKeys, notJson } = event;
  const isWhole = event.readArgs();
  const endOfFields = event.fields.writeRanges(ranges, at + HEAD);
  const end = event.args.writeRanges(ranges, endOfFields);
  ranges[at] = endOfFields;
  ranges[at + 1] = end;
  ranges[at + 2] = Number(isWhole);
  ranges[at + 3] = event.repeatedKeys - repeatedKeys;
  ranges[at + 4] = event.notJson - notJson;
  event.repeatedKeys = repeatedKeys;
  event.notJson = notJson;
  return end;
}

/** An event whose values the second thread has found. */
class ScannedEvent extends TraceEvent {
  /** Number of events that were taken. */
  taken = 0;
  #ranges: Int32Array = new Int32Array(0);
  #at = 0;

  /**
   * Takes the event that `writeEvent` wrote.
   * @returns the index after it
   */
  set(bytes: Buffer, ranges: Int32Array, at: number): number {
    this.taken++;
    this.#ranges = ranges;
    this.#at = at;
    this.fields.takeRanges(bytes, ranges, at + HEAD, ranges[at] as number);
    return ranges[at + 1] as number;
  }

  override readArgs(): boolean {
    const ranges = this.#ranges;
    const at = this.#at;
    this.args.takeRanges(this.fields.bytes, ranges, ranges[at] as number, ranges[at + 1] as number);
    this.repeatedKeys += ranges[at + 3] as number;
    this.notJson += ranges[at + 4] as number;
    return ranges[at + 2] === 1;
  }
}

/** Takes the events that a second thread finds. @returns null when that thread has not read the whole file */
function readAhead(request: Omit<ScanRequest, 'port' | 'signals'>, event: ScannedEvent, take: TakeEvent): ScanEnd {
  // The program is next to this file: `.ts` when sources run directly, `.js` when they are compiled or bundled.
  const program = new URL(`./trace-scanner${extname(import.meta.url)}`, import.meta.url);
  // An application's bundler may have left it out.
  if (!existsSync(program)) return null;
  const { port1, port2: port } = new MessageChannel();
  const signals = new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT));
  const scanner = new Worker(program, {
    workerData: { ...request, port, signals } satisfies ScanRequest,
    transferList: [port],
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
  });
  scanner.unref();
  // Without a listener, the error would end the process; this thread detects the failure by the silence instead.
  scanner.on('error', () => undefined);
  const channel = new ThreadChannel<Batch, Batch | { readonly end: ScanEnd }>(port1, signals, 0);
  let isEnded = false;
  try {
    for (;;) {
      const message = channel.receive(SILENCE_MS);
      isEnded = message !== undefined && 'end' in message;
      if (message === undefined) return null;
      if ('end' in message) return message.end;
      takeBatch(message, event, take);
      channel.send(message);
    }
  } finally {
    port1.close();
    if (!isEnded) void scanner.terminate();
  }
}

function takeBatch({ bytes, ranges, length }: Batch, event: ScannedEvent, take: TakeEvent): void {
  const buffer = Buffer.from(bytes);
  for (let at = 0; at < length;) {
    at = event.set(buffer, ranges, at);
    take(event);
  }
}
