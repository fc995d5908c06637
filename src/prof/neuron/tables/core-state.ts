/** State of the cores over time: continuous spans in which an activity ran. */
import { PS_PER_NS } from '../../../containers/interval-union.js';
import { addTo } from '../../../containers/map-entry.js';
import type { CopyLine, KernelLine, Labels } from '../../../record/record.js';
import { NEURON_ENGINES, type NeuronEngine } from '../../../record/neuron/neuron-cores.js';

/** Time in ps from the profile's start. */
export interface BusySpan {
  readonly from: number;
  readonly to: number;
}

/** Continuous spans in which at least one of several activities ran, from activities in order of start time. */
class BusySpans {
  /** Spans that begin in the current nanosecond, within which records are not ordered. */
  #held: BusySpan[] = [];
  #now = -Infinity;
  #from = NaN;
  #to = -Infinity;

  /** @param onSpan called with each span when it is known to have ended */
  constructor(private readonly onSpan: (span: BusySpan) => void) {}

  add(span: BusySpan): void {
    const now = Math.floor(span.from / PS_PER_NS);
    if (now > this.#now) this.#flush();
    this.#now = now;
    this.#held.push(span);
  }

  finish(): void {
    this.#flush();
    if (this.#to >= this.#from) this.onSpan({ from: this.#from, to: this.#to });
    this.#from = NaN;
  }

  #flush(): void {
    if (this.#held.length > 1) this.#held.sort((a, b) => a.from - b.from);
    for (const { from, to } of this.#held) {
      if (from > this.#to) {
        if (this.#to >= this.#from) this.onSpan({ from: this.#from, to: this.#to });
        this.#from = from;
      }
      this.#to = Math.max(this.#to, to);
    }
    this.#held = [];
  }
}

/** Waits for a semaphore: the tool counts these instructions, but not their time. */
const WAIT = 'EVENT_SEMAPHORE';

/** Start and end of an activity in ps; null for one without a duration. */
export function spanOf({ start, dur, ps }: KernelLine | CopyLine): BusySpan | null {
  if (dur === null) return null;
  const from = start * PS_PER_NS + (ps?.[0] ?? 0);
  return { from, to: from + dur * PS_PER_NS + (ps?.[1] ?? 0) };
}

/** Instructions of one engine. */
class EngineSums {
  count = 0;
  /** Sum of durations in ps, without waits. */
  time = 0;
  /** Length of the union of the same, in ps. */
  active = 0;
  readonly busy: BusySpans;

  constructor(onBusy: (span: BusySpan) => void) {
    this.busy = new BusySpans((span) => {
      this.active += span.to - span.from;
      onBusy(span);
    });
  }
}

/** Called with each span in which an engine was busy, when it is known to have ended. */
type OnBusy = (engine: NeuronEngine, span: BusySpan) => void;

/** Instructions of a core, or of the compiled program on it. */
export class InstructionSums {
  readonly engines: ReadonlyMap<string, EngineSums>;
  /** Unit: ps; infinite without instructions of known duration. */
  from = Infinity;
  to = -Infinity;
  flops = 0;
  transposeFlops = 0;

  constructor(onBusy: OnBusy = () => undefined) {
    this.engines = new Map(NEURON_ENGINES.map((name) => [name, new EngineSums((span) => onBusy(name, span))]));
  }

  add(record: KernelLine, span: BusySpan | null): void {
    const engine = this.engines.get(record.engine ?? '');
    if (engine === undefined) return;
    engine.count++;
    const flops = 2 * (record.counters?.['elements'] ?? 0);
    this.flops += flops;
    if (record.labels?.['type'] === 'TRANSPOSE') this.transposeFlops += flops;
    if (span === null) return;
    this.from = Math.min(this.from, span.from);
    this.to = Math.max(this.to, span.to);
    if (record.name === WAIT) return;
    engine.time += span.to - span.from;
    engine.busy.add(span);
  }

  finish(): void {
    for (const { busy } of this.engines.values()) busy.finish();
  }
}

/**
 * Facts about a core that tables need in addition to a single record: its names, and sums over its instructions. One
 * pass.
 */
export class CoreState {
  subgraph: string | undefined;
  /** Numbers that the capture records for the core, by the tool's names. */
  readonly stated = new Map<string, number>();
  readonly all: InstructionSums;
  /** Instructions of the compiled program, which have a type; those of the runtime do not. */
  readonly program = new InstructionSums();
  /** Whether any instruction belongs to a known layer. */
  hasLayers = false;
  packets = 0;
  readonly #packetsOf = new Map<string, number>();
  readonly #leftOut = new Set<string>();

  constructor(onBusy: OnBusy) {
    this.all = new InstructionSums(onBusy);
  }

  /** Marks a queue whose packets the vendor's tool ignores. */
  leaveOut({ stream = '', queue = '' }: Labels): void {
    this.#leftOut.add(`${stream}/${queue}`);
  }

  instruction(record: KernelLine): void {
    const span = spanOf(record);
    this.all.add(record, span);
    if (record.labels?.['type'] !== undefined) this.program.add(record, span);
    if ((record.layer?.length ?? 0) > 0) this.hasLayers = true;
  }

  /** The packet's number within its engine and queue; null for one that the tool ignores. */
  packet({ stream, queue }: CopyLine): number | null {
    const place = `${stream}/${queue}`;
    if (this.#leftOut.has(place)) return null;
    this.packets++;
    addTo(this.#packetsOf, place, 1);
    return (this.#packetsOf.get(place) ?? 1) - 1;
  }

  finish(): void {
    this.all.finish();
    this.program.finish();
  }
}
