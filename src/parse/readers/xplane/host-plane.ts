/**
 * Planes of the host: threads with calls that launched work, annotations and steps of the program, frames of Python, what
 * XLA ran on the CPU, and the memory of allocators.
 */
import { numberOf, textOf, type EventKind, type Plane, type StatedEvent } from './xspace.js';
import type { Labels } from '../../../record/record.js';
import { withRequests } from '../../../record/serving-step.js';
import type { OnThread, TraceBuilder } from '../../trace/trace-builder.js';
import { placedEvents, type Reading } from './gpu-plane.js';
import type { NeededRanges } from './needed-ranges.js';
import { producerOf } from './tpu-plane.js';

type Thread = Required<Omit<OnThread, 'start' | 'end'>>;

/** What an event is, by its name: there are few names and many events. */
interface Role {
  readonly isNoise: boolean;
  /** Whether this noise event marks the end of another event. */
  readonly isEnd: boolean;
  readonly isMemory: boolean;
  readonly isApi: boolean;
  readonly isCopy: boolean;
  /** Text of its range. */
  readonly text: string;
}

const roles = new WeakMap<EventKind, Role>();

function roleOf(kind: EventKind): Role {
  let role = roles.get(kind);
  if (role === undefined) {
    const { name } = kind;
    const [isNoise, isEnd, isMemory] = [NOISE.test(name), name.startsWith('end'), MEMORY.test(name)];
    const [isApi, isCopy, text] = [API.test(name), /memcpy/i.test(name), name.replace(/^\$/, '')];
    roles.set(kind, (role = { isNoise, isEnd, isMemory, isApi, isCopy, text }));
  }
  return role;
}

/** Names of functions of the device's library. In older files the call has the name of the kernel. */
export const API = /^(?:hip|cuda|cu)[A-Z]\w*$/;
/** Events that only mark the work of a thread pool, or the end of another event. */
const NOISE = /^(?:end: |ThreadpoolListener::)/;
const MEMORY = /^Memory(?:All|Deall)ocation$/;
/** Largest number of a thread in Linux; larger numbers in names are hashes. */
const MOST_THREADS = 1 << 22;

/** Notes the launches of a plane, and for which of its ranges they matter. */
export function noteHostPlane(plane: Plane, reading: Reading, needed: NeededRanges): void {
  for (const line of plane.lines)
    for (const event of plane.events(line, reading.zero)) {
      const { isNoise, isMemory, isCopy } = roleOf(event.kind);
      if (event.isAggregate || isNoise || isMemory) continue;
      const corr = launchOf(event, reading);
      if (corr === null) {
        needed.range(event.start, event.end, rangeText(event), isOp(event));
      } else {
        needed.launch(event.start);
        if (isCopy) reading.copyCalls.set(corr, event.kind.name);
      }
    }
}

/** Reads the host's planes, one after another. */
export class HostPlanes {
  #threads = 0;

  /**
   * @param pid id of the process; null when the file does not state it
   * @param needed which ranges to read; null for all
   */
  constructor(
    private readonly reading: Reading,
    private readonly pid: number | null,
    private readonly needed: NeededRanges | null,
  ) {}

  read(plane: Plane): void {
    for (const line of plane.lines) {
      const take = this.line(line.name);
      for (const event of placedEvents(plane, line, this.reading)) take(event);
    }
  }

  /** Starts a line. @returns the function that takes its events */
  line(name: string): (event: StatedEvent) => void {
    const { reading, pid } = this;
    const thread: Thread = { pid, tid: threadIn(name), thread: -1 - this.#threads++ };
    const ranges = new LineRanges(thread, reading.trace, this.needed);
    return (event) => readEvent(event, thread, reading, ranges);
  }
}

/**
 * The ranges of a line. It drops ranges that are not needed, except the first, so that the thread has ranges, and those with
 * the times of a neighbour, which may be duplicates.
 */
class LineRanges {
  #start = NaN;
  #end = NaN;
  #text = '';
  #isOp = false;
  #isAdded = true;

  constructor(
    private readonly thread: Thread,
    private readonly trace: TraceBuilder,
    private readonly needed: NeededRanges | null,
  ) {}

  add({ start, end }: StatedEvent, text: string, isOp: boolean): void {
    const isTwin = start === this.#start && end === this.#end && end > start;
    const isFirst = Number.isNaN(this.#start);
    const isAdded = isTwin || isFirst || this.needed === null || this.needed.has(start, end, text);
    if (isTwin && !this.#isAdded) this.#write();
    this.#start = start;
    this.#end = end;
    this.#text = text;
    this.#isOp = isOp;
    this.#isAdded = isAdded;
    if (isAdded) this.#write();
  }

  #write(): void {
    const { pid, tid, thread } = this.thread;
    const [start, end, text] = [this.#start, this.#end, this.#text];
    this.trace.range({ pid, tid, thread, start, end, text, ...(this.#isOp ? { op: { name: text } } : undefined) });
  }
}

/** The thread in a line's name. */
function threadIn(name: string): number | null {
  const number = Number(/\/(\d{1,7})$/.exec(name)?.[1] ?? NaN);
  return number > 0 && number <= MOST_THREADS ? number : null;
}

function readEvent(event: StatedEvent, { pid, tid, thread }: Thread, reading: Reading, ranges: LineRanges): void {
  const { trace } = reading;
  const { start, end, kind } = event;
  const role = roleOf(kind);
  if (role.isNoise) trace.unread(role.isEnd ? 'ends of events' : 'events of thread pools', start);
  else if (role.isMemory) readMemory(event, reading);
  else {
    const corr = launchOf(event, reading);
    if (corr === null) ranges.add(event, rangeText(event), isOp(event));
    else {
      const isStated = role.isApi || event.stat('correlation_id') === undefined;
      trace.call({ pid, tid, thread, start, end, name: isStated ? kind.name : null, corr });
    }
  }
}

/** The correlation id of a launch; null for other events. */
function launchOf(event: StatedEvent, { launches }: Reading): number | null {
  const corr = numberOf(event.stat('correlation_id')) ?? (launches.size === 0 ? null : launches.get(producerOf(event) ?? '')); // prettier-ignore
  return corr !== undefined && corr !== null && corr > 0 ? corr : null;
}

/** Whether an event is an instruction that XLA ran on the CPU. */
const isOp = (event: StatedEvent): boolean => event.stat('hlo_op') !== undefined;

/** The text of a range: an op's name, or the event's, with the number of a step. */
function rangeText(event: StatedEvent): string {
  const { name } = event.kind;
  if (isOp(event)) return textOf(event.stat('hlo_op')) ?? name;
  const step = numberOf(event.stat('step_num'));
  if (step !== null && numberOf(event.stat('_r')) === 1) return `${name}#step_num=${step}#`;
  return withRequests(roleOf(event.kind).text, event.requests);
}

/**
 * Memory of an allocator after an event. `GPU_0_bfc` is that of device 0; allocators of TPUs state their device instead, and
 * also reserve memory for programs, which XProf calls the stack.
 */
function readMemory(event: StatedEvent, { trace }: Reading): void {
  const allocator = textOf(event.stat('allocator_name')) ?? '';
  const ordinal = /^(?:GPU|TPU)_(\d+)/.exec(allocator)?.[1];
  const device = ordinal === undefined ? numberOf(event.stat('index_on_host')) : Number(ordinal);
  const [used, reserved] = [numberOf(event.stat('bytes_allocated')), numberOf(event.stat('bytes_reserved'))];
  const add = (metric: string, value: number, labels?: Labels): void =>
    trace.sample({ start: event.start, device, unit: 'bytes', metric, value, ...(labels && { labels }) });
  if (allocator === '' && used !== null && reserved !== null) {
    const parts = { heap: used, stack: reserved, Total: used + reserved };
    for (const [kind, value] of Object.entries(parts)) add('memory_allocated', value, { kind });
    return;
  }
  const labels = allocator === '' ? undefined : { allocator };
  if (used !== null) add('memory_allocated', used, labels);
  if (reserved !== null && reserved > 0) add('memory_reserved', reserved, labels);
}
