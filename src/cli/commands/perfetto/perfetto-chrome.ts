/**
 * Events of a trace as protobuf packets for Perfetto, and as JSON for chrome://tracing. In JSON, times are us with all
 * digits. Readers store them as 64-bit floating-point numbers, which cannot represent Unix time to the ns. So times are
 * relative to midnight of the day before the first profile, which `otherData` states.
 *
 * Source: "Trace Event Format" of the Chromium project.
 */
import { jsonOf } from '../../../record/control-characters.js';
import type {
  ArrowKind,
  TraceArg,
  TraceElement,
  TraceInstant,
  TraceSlice,
  TraceTime,
  TraceTrack,
  TraceZero,
} from '../../../prof/perfetto/trace-element.js';
import { PerfettoPackets } from '../../../write/perfetto/trace-packets.js';

/** Writes the events of a trace in one format, each as it comes. */
export interface TraceText {
  take(event: TraceElement): void;
  /** Text that became ready since the last call; null while there is too little to write. */
  ready(): string | Uint8Array | null;
  /** The rest of the trace. */
  end(): string | Uint8Array;
}

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

const PIECE = 256 * 1024;
const DAY = 86_400n * 1_000_000_000n;
/** A lone half of a surrogate pair, which readers reject, escaped or not. */
const LONE_SURROGATE = /\p{Surrogate}/gu;

const quoted = (text: string): string => jsonOf(text.replace(LONE_SURROGATE, '\ufffd'));

/** Time in us, with up to three decimals. */
function microseconds(ns: number): string {
  const size = Math.abs(ns);
  const rest = size % 1000;
  const whole = `${ns < 0 ? '-' : ''}${(size - rest) / 1000}`;
  return rest === 0 ? whole : `${whole}.${String(rest).padStart(3, '0')}`;
}

/** Microseconds of a time that is too large for a number: a hundred days or more from `zero`. */
function bigMicroseconds(ns: bigint): string {
  const size = ns < 0n ? -ns : ns;
  const rest = String(size % 1000n).padStart(3, '0');
  const whole = `${ns < 0n ? '-' : ''}${size / 1000n}`;
  return rest === '000' ? whole : `${whole}.${rest}`;
}

const argsText = (args: readonly TraceArg[]): string =>
  args.map(([name, value]) => `${quoted(name)}:${typeof value === 'number' ? value : quoted(value)}`).join(',');

/** Both ends of an arrow must have the same name and category. */
const arrow = (kind: ArrowKind): string => `"name":"${kind}","cat":"${kind}"`;

const place = ({ process, tid }: TraceTrack): string => `"pid":${process.pid},"tid":${tid}`;

export class ChromeTrace implements TraceText {
  #parts: string[] = [];
  #size = 0;
  #any = false;
  /** Unix time in ns to which times are relative. */
  #zero = 0n;
  /** The zero time of the last profile, and its offset from `zero`. */
  #profileZero: TraceZero | null = null;
  #fromZero = 0n;
  /** Number of lanes that each track has so far. */
  readonly #lanes = new Map<number, number>();

  take(event: TraceElement): void {
    switch (event.type) {
      case 'clock':
        this.#zero = event.at < 2n * DAY ? 0n : event.at - (event.at % DAY) - DAY;
        return;
      case 'process':
        this.#about('process_name', `"pid":${event.pid}`, `"name":${quoted(event.name)}`);
        this.#about('process_sort_index', `"pid":${event.pid}`, `"sort_index":${event.order}`);
        return;
      case 'track':
        this.#track(event);
        return;
      case 'slice':
        this.#onTrack(event, `"ph":"X","dur":${microseconds(event.dur)}`);
        return;
      case 'instant':
        this.#onTrack(event, '"ph":"i","s":"t"');
        return;
      case 'counter': {
        const { track, value } = event;
        const name = track.unit === null ? track.name : `${track.name} (${track.unit})`;
        this.#add(`"name":${quoted(name)},"ph":"C",${place(track)},${this.#time(event)},"args":{"value":${value}}`);
        return;
      }
    }
  }

  ready(): string | null {
    return this.#size < PIECE ? null : this.#take();
  }

  end(): string {
    const start = this.#zero === 0n ? '' : `"timeZeroUnixNs":"${this.#zero}",`;
    const head = this.#any ? '' : '{"traceEvents":[';
    return `${head}${this.#take()}\n],"displayTimeUnit":"ns","otherData":{${start}"producer":"dprof"}}\n`;
  }

  /** Counters have no thread; their names identify them. */
  #track(track: TraceTrack): void {
    if (track.kind === 'counter') return;
    const { id, of: owner, name } = track;
    const lane = (this.#lanes.get(owner ?? id) ?? 0) + 1;
    this.#lanes.set(owner ?? id, lane);
    this.#about('thread_name', place(track), `"name":${quoted(lane === 1 ? name : `${name} (${lane})`)}`);
    this.#about('thread_sort_index', place(track), `"sort_index":${owner ?? id}`);
  }

  #onTrack(event: TraceSlice | TraceInstant, kind: string): void {
    const { track, name, category, args, arrows, flows, endsFlows, launchFlow } = event;
    const when = `${place(track)},${this.#time(event)}`;
    this.#add(`"name":${quoted(name)},"cat":${quoted(category)},${kind},${when},"args":{${argsText(args)}}`);
    for (const flow of flows) this.#add(`${arrow(arrows)},"ph":"s","id":${flow},${when}`);
    const end = (kind: ArrowKind, flow: number): void =>
      this.#add(`${arrow(kind)},"ph":"f","bp":"e","id":${flow},${when}`);
    if (launchFlow !== null) end('launch', launchFlow);
    for (const flow of endsFlows) end(arrows, flow);
    if (event.type === 'slice') this.#late(event);
  }

  /** Arrows to the end of a slice point to its last nanosecond, which viewers still count as inside it. */
  #late({ track, zero, start, dur, arrows, endsLateFlows = [] }: TraceSlice): void {
    if (endsLateFlows.length === 0) return;
    const when = `${place(track)},${this.#time({ zero, start: start + dur - 1 })}`;
    for (const flow of endsLateFlows) this.#add(`${arrow(arrows)},"ph":"f","bp":"e","id":${flow},${when}`);
  }

  #about(name: string, where: string, args: string): void {
    this.#add(`"name":"${name}","ph":"M",${where},"args":{${args}}`);
  }

  #time({ zero, start }: TraceTime): string {
    if (zero !== this.#profileZero) {
      this.#profileZero = zero;
      this.#fromZero = zero.ns - this.#zero;
    }
    const from = Number(this.#fromZero) + start;
    return `"ts":${Number.isSafeInteger(from) ? microseconds(from) : bigMicroseconds(this.#fromZero + BigInt(start))}`;
  }

  #add(members: string): void {
    const text = `${this.#any ? ',' : '{"traceEvents":['}\n{${members}}`;
    this.#any = true;
    this.#parts.push(text);
    this.#size += text.length;
  }

  #take(): string {
    const text = this.#parts.join('');
    this.#parts = [];
    this.#size = 0;
    return text;
  }
}
