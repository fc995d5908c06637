/**
 * Planes of the host: threads with calls that launched work, annotations and steps of the program, frames of Python, what
 * XLA ran on the CPU, and the memory of allocators.
 */
import { numberOf, textOf, type EventKind, type Plane, type XEvent, type XLine } from './xspace.js';
import { AGGREGATES, statOf, type Reading } from './gpu-plane.js';
import { producerOf } from './tpu-plane.js';
import type { OnThread } from '../../trace/trace-builder.js';

type Thread = Required<Omit<OnThread, 'start' | 'end'>>;

/** What an event is by its name: kinds of events are few, and events many. */
interface Role {
  readonly isNoise: boolean;
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
    const [isNoise, isMemory, isApi] = [NOISE.test(name), MEMORY.test(name), API.test(name)];
    roles.set(kind, (role = { isNoise, isMemory, isApi, isCopy: /memcpy/i.test(name), text: name.replace(/^\$/, '') }));
  }
  return role;
}

/** Names of functions of the device's library. In older files the call has the name of the kernel. */
const API = /^(?:hip|cuda|cu)[A-Z]\w*$/;
/** Events that only mark the work of a thread pool, or the end of another event. */
const NOISE = /^(?:end: |ThreadpoolListener::)/;
const MEMORY = /^Memory(?:All|Deall)ocation$/;
/** Largest number of a thread in Linux; larger numbers in names are hashes. */
const MOST_THREADS = 1 << 22;

/** @param pid of the process; null when the file does not state it */
export function readHostPlane(plane: Plane, pid: number | null, reading: Reading, threads: { count: number }): void {
  for (const line of plane.lines) {
    const thread: Thread = { pid, tid: threadIn(line), thread: -1 - threads.count++ };
    for (const event of plane.events(line, reading.zero)) readEvent(event, thread, reading);
  }
}

function threadIn({ name }: XLine): number | null {
  const number = Number(/\/(\d{1,7})$/.exec(name)?.[1] ?? NaN);
  return number > 0 && number <= MOST_THREADS ? number : null;
}

function readEvent(event: XEvent, thread: Thread, reading: Reading): void {
  const [{ trace, launches, copyCalls }, stat] = [reading, statOf(event)];
  const { start, dur, kind } = event;
  const { name } = kind;
  const role = roleOf(kind);
  const [{ pid, tid, thread: key }, end] = [thread, start + dur];
  const corr =
    numberOf(stat('correlation_id')) ?? (launches.size === 0 ? null : (launches.get(producerOf(stat) ?? '') ?? null));
  if (event.isAggregate) trace.unread(AGGREGATES, null);
  else if (role.isNoise) trace.unread(name.startsWith('end') ? 'ends of events' : 'events of thread pools', start);
  else if (role.isMemory) readMemory(event, reading);
  else if (corr !== null && corr > 0) {
    if (role.isCopy) copyCalls.set(corr, name);
    const isStated = role.isApi || stat('correlation_id') === undefined;
    trace.call({ pid, tid, thread: key, start, end, name: isStated ? name : null, corr });
  } else if (stat('hlo_op') !== undefined) {
    const op = textOf(stat('hlo_op'));
    trace.range({ pid, tid, thread: key, start, end, text: op ?? name, op: { name: op } });
  } else {
    const step = numberOf(stat('step_num'));
    const isStep = step !== null && numberOf(stat('_r')) === 1;
    const text = isStep ? `${name}#step_num=${step}#` : role.text;
    trace.range({ pid, tid, thread: key, start, end, text });
  }
}

/**
 * Memory of an allocator after an event. `GPU_0_bfc` is that of device 0; allocators of TPUs state their device instead, and
 * set memory aside for programs beside what they allocate: the stack, in the words of XProf.
 */
function readMemory(event: XEvent, { trace }: Reading): void {
  const stat = statOf(event);
  const allocator = textOf(stat('allocator_name')) ?? '';
  const ordinal = /^(?:GPU|TPU)_(\d+)/.exec(allocator)?.[1];
  const index = numberOf(stat('index_on_host'));
  const [used, reserved] = [numberOf(stat('bytes_allocated')), numberOf(stat('bytes_reserved'))];
  const device = ordinal === undefined ? index : Number(ordinal);
  const add = (metric: string, value: number, labels?: Record<string, string>): void =>
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
