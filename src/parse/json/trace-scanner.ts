/** The second thread that reads a large trace: finds the events, and sends them in batches to the thread that takes them. */
import { workerData } from 'node:worker_threads';
import { Diagnostics } from '../../record/diagnostics.js';
import { ByteWindow } from '../input/byte-window.js';
import { TraceEvent } from './event-fields.js';
import { TraceReading } from './event-stream.js';
import { JsonCursor } from './json-cursor.js';
import { mostRanges, ThreadChannel, writeEvent, type Batch, type ScanEnd, type ScanRequest } from './read-trace.js';

/** Batches sent but not yet taken: enough that neither thread waits for the other, and few enough to limit memory. */
const IN_FLIGHT = 4;

type ChannelToTaker = ThreadChannel<Batch | { readonly end: ScanEnd }, Batch>;

const sharedRanges = (length: number): Int32Array<SharedArrayBuffer> =>
  new Int32Array(new SharedArrayBuffer(length * Int32Array.BYTES_PER_ELEMENT));

/** A window that sends its bytes, with the events in them, when it moves on. */
class BatchWindow extends ByteWindow {
  #ranges = sharedRanges(0);
  #length = 0;
  #inFlight = 0;
  /** Memory of a batch that was taken. */
  #spare: Batch | undefined;

  constructor(
    path: string,
    step: number,
    private readonly channel: ChannelToTaker,
  ) {
    super(path, step, new SharedArrayBuffer(step));
  }

  /** Adds an event that lies in the window. */
  add(event: TraceEvent): void {
    const most = this.#length + mostRanges(event);
    if (most > this.#ranges.length) {
      const larger = sharedRanges(most * 2);
      larger.set(this.#ranges);
      this.#ranges = larger;
    }
    this.#length = writeEvent(event, this.#ranges, this.#length);
  }

  /** Sends the events that were added since the last batch. */
  send(bytes = this.bytes): void {
    if (this.#length === 0) return;
    this.channel.send({ bytes: bytes.buffer as SharedArrayBuffer, ranges: this.#ranges, length: this.#length });
    this.#inFlight++;
    this.#length = 0;
    this.#ranges = this.#spare?.ranges ?? sharedRanges(0);
  }

  protected override next(kept: number): Buffer {
    this.channel.beat();
    if (kept === this.step) throw new RangeError('a value is larger than a batch');
    if (this.#length === 0) return this.bytes;
    this.#spare = this.#inFlight < IN_FLIGHT ? this.channel.poll() : this.channel.receive();
    if (this.#spare !== undefined) this.#inFlight--;
    return Buffer.from(this.#spare?.bytes ?? new SharedArrayBuffer(this.step));
  }

  protected override leave(left: Buffer): void {
    this.send(left);
  }
}

function scan({ path, name, argKeys, step, port, signals }: ScanRequest): void {
  const channel: ChannelToTaker = new ThreadChannel(port, signals, 1);
  let end: ScanEnd = null;
  try {
    const window = new BatchWindow(path, step, channel);
    const diagnostics = new Diagnostics();
    const take = (event: TraceEvent): void => {
      window.add(event);
    };
    const event = new TraceEvent(argKeys);
    const header = new TraceReading(new JsonCursor(window), name, event, diagnostics, take).read();
    window.send();
    window.close();
    end = { header, counts: diagnostics.toJSON() };
  } catch {
    // The other thread then reads the file itself, and reports the error if the file caused it.
  }
  channel.send({ end });
}

scan(workerData as ScanRequest);
