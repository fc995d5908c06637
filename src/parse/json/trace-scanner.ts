/** The second thread that reads a large trace: finds the events, and sends them in batches to the thread that takes them. */
import { workerData } from 'node:worker_threads';
import { Diagnostics } from '../../record/diagnostics.js';
import { ByteWindow } from '../input/byte-window.js';
import { TraceEvent } from './event-fields.js';
import { TraceReading } from './event-stream.js';
import { JsonCursor } from './json-cursor.js';
import { mostRanges, ThreadLine, writeEvent, type Batch, type ScanEnd, type ScanRequest } from './read-trace.js';

/** Batches sent but not yet taken: enough that neither thread waits for the other, and few enough to limit memory. */
const IN_FLIGHT = 4;

type LineToTaker = ThreadLine<Batch | { readonly end: ScanEnd }, Batch>;

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
    private readonly line: LineToTaker,
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
    this.line.send({ bytes: bytes.buffer as SharedArrayBuffer, ranges: this.#ranges, length: this.#length });
    this.#inFlight++;
    this.#length = 0;
    this.#ranges = this.#spare?.ranges ?? sharedRanges(0);
  }

  protected override next(kept: number): Buffer {
    this.line.beat();
    if (kept === this.step) throw new RangeError('a value is larger than a batch');
    if (this.#length === 0) return this.bytes;
    this.#spare = this.#inFlight < IN_FLIGHT ? this.line.poll() : this.line.receive();
    if (this.#spare !== undefined) this.#inFlight--;
    return Buffer.from(this.#spare?.bytes ?? new SharedArrayBuffer(this.step));
  }

  protected override leave(left: Buffer): void {
    this.send(left);
  }
}

function scan({ path, name, argKeys, step, port, signals }: ScanRequest): void {
  const line: LineToTaker = new ThreadLine(port, signals, 1);
  let end: ScanEnd = null;
  try {
    const window = new BatchWindow(path, step, line);
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
    // The other thread reads the file itself, and meets the same error, if it is one.
  }
  line.send({ end });
}

scan(workerData as ScanRequest);
