/** The second thread that reads a large trace: finds the events, and sends them in batches to the thread that takes them. */
import { workerData } from 'node:worker_threads';
import { Diagnostics } from '../../record/diagnostics.js';
import { ByteWindow } from '../input/byte-window.js';
import { TraceEvent } from './event-fields.js';
import { TraceReading } from './event-stream.js';
import { JsonCursor } from './json-cursor.js';
import { mostRanges, ThreadLine, writeEvent, type Batch, type ScanEnd, type ScanRequest } from './read-trace.js';

/** Batches sent but not yet taken: enough that neither thread waits for the other, and few enough to limit memory. */
const IN_FLIGHT = 8;

/** A window that sends its bytes, with the events in them, when it moves on. */
class BatchWindow extends ByteWindow {
  #ranges = new Int32Array(this.step);
  #length = 0;
  #inFlight = 0;
  /** Memory of a batch that was taken. */
  #spare: Batch | undefined;

  constructor(
    path: string,
    step: number,
    private readonly line: ThreadLine<Batch | { readonly end: ScanEnd }, Batch>,
  ) {
    super(path, step);
  }

  /** Adds an event that lies in the window. */
  add(event: TraceEvent): void {
    const most = this.#length + mostRanges(event);
    if (most > this.#ranges.length) {
      const larger = new Int32Array(most * 2);
      larger.set(this.#ranges);
      this.#ranges = larger;
    }
    this.#length = writeEvent(event, this.#ranges, this.#length);
  }

  /** Sends the events that were added since the last batch. */
  send(bytes = this.bytes): void {
    if (this.#length === 0) return;
    const batch = { bytes: bytes.buffer, ranges: this.#ranges, length: this.#length };
    this.line.send(batch, [batch.bytes, batch.ranges.buffer]);
    this.#inFlight++;
    this.#length = 0;
    this.#ranges = this.#spare?.ranges ?? new Int32Array(this.step);
    this.#spare = undefined;
  }

  protected override next(capacity: number): Buffer<ArrayBuffer> {
    this.line.beat();
    if (this.#length === 0) return super.next(capacity);
    // A window larger than usual waits until all batches are taken, which keeps memory within bounds.
    const most = capacity > this.step ? 0 : IN_FLIGHT - 1;
    do {
      this.#spare = this.#inFlight > most ? this.line.receive() : this.line.poll();
      if (this.#spare !== undefined) this.#inFlight--;
    } while (this.#inFlight > most);
    const bytes = this.#spare?.bytes;
    return bytes !== undefined && bytes.byteLength === capacity ? Buffer.from(bytes) : Buffer.allocUnsafeSlow(capacity);
  }

  protected override leave(left: Buffer<ArrayBuffer>): void {
    this.send(left);
  }
}

function scan({ path, name, argKeys, step, port, signals }: ScanRequest): void {
  const line = new ThreadLine<Batch | { readonly end: ScanEnd }, Batch>(port, signals, 1);
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
    // The other thread reads the file itself, and meets the same error.
  }
  line.send({ end });
}

scan(workerData as ScanRequest);
