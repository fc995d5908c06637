/** Events of a trace as Perfetto's protobuf packets. */
import type { TraceElement } from '../../../prof/perfetto/trace-element.js';
import { PerfettoPackets } from '../../../write/perfetto/trace-packets.js';

/** Writes the events of a trace in a format, each as it comes. */
export interface TraceText {
  take(event: TraceElement): void;
  /** What became ready since the last call; null when it is too little to be handed on. */
  ready(): string | Uint8Array | null;
  /** The rest. */
  end(): string | Uint8Array;
}

const PIECE = 256 * 1024;

export class ProtobufTrace implements TraceText {
  readonly #packets = new PerfettoPackets();

  take(event: TraceElement): void {
    const packets = this.#packets;
    switch (event.type) {
      case 'clock':
        packets.clock(event.at);
        return;
      case 'process':
        packets.process(event.id, event.pid, event.name, event.order);
        return;
      case 'track': {
        const { id: uuid, kind, process, parent, name, tid, unit } = event;
        const parts = { uuid, parent, name };
        if (kind === 'thread') packets.thread(parts, process.pid, tid);
        else if (kind === 'counter') packets.counterTrack(parts, unit);
        else packets.track(parts);
        return;
      }
      case 'slice':
        packets.slice(event.track.id, event, event.dur);
        return;
      case 'instant':
        packets.instant(event.track.id, event);
        return;
      case 'counter':
        packets.counter(event.track.id, event, event.value);
        return;
    }
  }

  ready(): Uint8Array | null {
    return this.#packets.size < PIECE ? null : this.#packets.take();
  }

  end(): Uint8Array {
    return this.#packets.take();
  }
}
