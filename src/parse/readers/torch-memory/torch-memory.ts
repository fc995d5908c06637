/**
 * Snapshots of PyTorch's caching allocator (`torch.cuda.memory._dump_snapshot`), read as plain data. Source:
 * torch/cuda/memory.py (Snapshot, Segment, Block, Frame, TraceEntry), torch/csrc/cuda/memory_snapshot.cpp and
 * c10/cuda/CUDACachingAllocator.cpp: events have sizes as the program asked for them.
 */
import { readFileSync, statSync } from 'node:fs';
import { entryOf } from '../../../containers/map-entry.js';
import { Diagnostics } from '../../../record/diagnostics.js';
import { UserError } from '../../../record/errors.js';
import { SCHEMA_VERSION, type Labels, type ProfileLine, type SampleRecord } from '../../../record/record.js';
import { ValueLine } from '../../../record/value-line.js';
import type { JsonObject } from '../../json/json-value.js';
import type { Probe, Reader, ReadOptions } from '../../reader.js';
import { UNKNOWN_DEVICE } from '../../trace/trace.js';
import { isDictionary, PickleError, plainPickle } from './plain-pickle.js';

export const torchMemory: Reader = {
  id: 'torch-memory',
  title: 'PyTorch memory snapshot, pickle (torch.cuda.memory._dump_snapshot)',
  reads: 'binary',
  docs: {
    profiler: 'PyTorch memory snapshot',
    input: 'pickle of `_dump_snapshot`, 2023 to today',
    made: [
      '`torch.cuda.memory._record_memory_history()`, the work, then `torch.cuda.memory._dump_snapshot("memory.pickle")`',
    ],
    read: [
      'Every allocation and release in the history as samples of `memory_allocated`, segments as `memory_reserved`, and every allocation as `op_memory` with the innermost frames of its Python stack and how long it was held (null: not released). `dprof memory` shows which stacks held the memory at its peak, which allocations were never released, and the free memory within segments.',
      'Sizes are those that the program requested; the allocator rounds them up. A block is held until the program releases it, although another stream may still use it. The history is a ring buffer. Blocks in the snapshot that were allocated before it are held from its first event on.',
      'The pickle is read as plain data: a file with an opcode that names, builds or calls anything is rejected.',
    ],
  },
  sniff: ({ head }) => isSnapshot(head),
  read: (probe, options) => read(probe, options),
};

/** Forms of the first key of a snapshot, in protocols 2 and 3 and in later ones. It is within the first bytes. */
const KEYS = ['X\x08\0\0\0segments', '\x8c\x08segments'];

function isSnapshot(head: Buffer): boolean {
  const start = head.toString('latin1', 0, 64);
  return head[0] === 0x80 && KEYS.some((key) => start.includes(key));
}

/** Largest file in bytes, because the whole pickle is in memory. */
const LARGEST = 1024 ** 3;

function snapshotOf({ path, file }: Probe): JsonObject {
  const { size } = statSync(path);
  if (size > LARGEST)
    throw new UserError('is a snapshot of more than 1 GiB', {
      where: file,
      hint: 'record fewer events: max_entries=N',
    });
  try {
    const value = plainPickle(readFileSync(path));
    if (isDictionary(value) && Array.isArray(value['segments'])) return value;
    throw new UserError('is not a PyTorch memory snapshot', {
      where: file,
      hint: 'torch.cuda.memory._dump_snapshot writes it',
    });
  } catch (error) {
    if (!(error instanceof PickleError)) throw error;
    const hint = error.isCut ? 'copy it again' : 'give the file that torch.cuda.memory._dump_snapshot wrote';
    throw new UserError(error.isCut ? 'is cut off' : `is not a pickle of plain data: ${error.message}`, {
      where: file,
      hint,
    });
  }
}

/** Frames of a stack that name an allocation, innermost first. */
const MOST_FRAMES = 4;
/** Frames of the framework and of C++, which are the same for many callers. */
const FRAMEWORK = /(?:^|[/\\])torch[/\\]|\.(?:cpp|cu|h|c|so(?:\.\d+)*)$|^(?:\?\?|<.*>)?$/;

const list = (value: unknown): readonly JsonObject[] => (Array.isArray(value) ? value.filter(isDictionary) : []);
const size = (value: unknown): number => (Number.isSafeInteger(value) && Number(value) >= 0 ? Number(value) : 0);
const textOf = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : '?';

/** Strings of stacks. Allocations at the same place in the program share their frames. */
class Stacks {
  readonly #known = new Map<unknown, Labels>();

  /** Labels of the allocations with these frames. */
  of(frames: unknown): Labels {
    return entryOf(this.#known, frames, () => ({ op: stackText(list(frames)) }));
  }
}

function stackText(frames: readonly JsonObject[]): string {
  const ofProgram = frames.filter(({ filename }) => !FRAMEWORK.test(textOf(filename)));
  const shown = (ofProgram.length > 0 ? ofProgram : frames).slice(0, MOST_FRAMES);
  if (shown.length === 0) return 'no stack recorded';
  return shown
    .map(({ filename, line, name }) =>
      filename === '' ? textOf(name) : `${textOf(name)} ${textOf(filename).replace(/^.*[/\\]/, '')}:${textOf(line)}`,
    )
    .join(' < ');
}

interface Block {
  readonly address: unknown;
  readonly bytes: number;
  readonly frames: unknown;
}

/** The memory that a device held when the snapshot was made, from its segments. */
class FinalState {
  reserved = 0;
  readonly held: Block[] = [];
  /** Free blocks in segments that also have allocated blocks. The allocator cannot release them. */
  free = 0;
  freeBlocks = 0;
  largestFree = 0;
  segments = 0;

  add(segment: JsonObject, blocks: readonly JsonObject[]): void {
    this.segments++;
    this.reserved += size(segment['total_size']);
    const isUsed = blocks.some(({ state }) => state !== 'inactive');
    let { address } = segment;
    for (const block of blocks) {
      const blockAddress = block['address'] ?? address;
      if (block['state'] === 'active_allocated')
        this.held.push({
          address: blockAddress,
          bytes: size(block['requested_size'] ?? block['size']),
          frames: block['frames'],
        });
      else if (block['state'] === 'inactive' && isUsed) this.#addFree(size(block['size']));
      if (typeof blockAddress === 'number') address = blockAddress + size(block['size']);
    }
  }

  #addFree(bytes: number): void {
    this.free += bytes;
    this.freeBlocks++;
    this.largestFree = Math.max(this.largestFree, bytes);
  }
}

/** An allocation in the history or before it. */
interface Allocation {
  readonly start: number;
  readonly bytes: number;
  readonly frames: unknown;
  end: number | null;
}

const RESERVING: Readonly<Record<string, 1 | -1>> = {
  segment_alloc: 1,
  segment_map: 1,
  segment_free: -1,
  segment_unmap: -1,
};

/** Replays the history of a device. Times in ns. */
class History {
  readonly allocations: Allocation[] = [];
  /** Bytes that were allocated before the history. */
  before = 0;
  /** Changes of allocated bytes, in order. */
  readonly changes: (readonly [time: number, bytes: number])[] = [];
  /** Changes of reserved bytes, in order. */
  readonly reserving: (readonly [time: number, bytes: number])[] = [];
  readonly #held = new Map<unknown, Allocation>();

  constructor(private readonly diagnostics: Diagnostics) {}

  take({ action, addr, size: bytes, frames }: JsonObject, time: number): void {
    if (Number.isNaN(time)) {
      this.diagnostics.count('event-without-time');
      return;
    }
    const change = RESERVING[String(action)];
    if (change !== undefined) this.reserving.push([time, change * size(bytes)]);
    else if (action === 'alloc') this.#allocate(addr, { start: time, bytes: size(bytes), frames, end: null });
    else if (action === 'free_requested' || action === 'free') this.#release(addr, size(bytes), time);
  }

  #allocate(address: unknown, allocation: Allocation): void {
    const previous = this.#held.get(address);
    if (previous !== undefined) {
      previous.end = allocation.start;
      this.diagnostics.count('allocation-without-free');
    }
    this.#held.set(address, allocation);
    this.allocations.push(allocation);
    this.changes.push([allocation.start, allocation.bytes - (previous?.bytes ?? 0)]);
  }

  #release(address: unknown, bytes: number, time: number): void {
    const allocation = this.#held.get(address);
    if (allocation !== undefined) allocation.end = time;
    // The event has the size of a block that was allocated before the history, but not the stack of its allocation.
    else this.#addBefore({ start: 0, bytes, frames: BEFORE, end: time });
    this.#held.delete(address);
    this.changes.push([time, -(allocation?.bytes ?? bytes)]);
  }

  #addBefore(allocation: Allocation): void {
    this.allocations.push(allocation);
    this.before += allocation.bytes;
  }

  /** Adds the blocks of the snapshot that the history does not allocate. */
  addHeld(blocks: readonly Block[]): void {
    for (const { address, bytes, frames } of blocks)
      if (!this.#held.has(address)) this.#addBefore({ start: 0, bytes, frames, end: null });
  }
}

/** The stack of a block that was allocated before the history and released in it. */
const BEFORE: readonly JsonObject[] = [{ name: 'allocated before the history', filename: '', line: '' }];

function* read(probe: Probe, { profile, file, rank }: ReadOptions): Generator<ProfileLine> {
  const snapshot = snapshotOf(probe);
  const diagnostics = new Diagnostics();
  const elements = elementsOf(statSync(probe.path).size, probe.file);
  const states = new Map<number, FinalState>();
  for (const segment of elements(snapshot['segments'])) {
    const state = entryOf(states, size(segment['device']), () => new FinalState());
    state.add(segment, elements(segment['blocks']));
  }
  const traces = (Array.isArray(snapshot['device_traces']) ? snapshot['device_traces'] : []).map(elements);
  const span = new Span();
  for (const trace of traces) for (const { time_us: time } of trace) span.add(time);
  const traced = traces.flatMap((trace, id) => (trace.length > 0 ? [id] : []));
  const ids = [...new Set([...states.keys(), ...traced])].sort((a, b) => a - b);
  yield {
    ...({
      type: 'profile',
      v: SCHEMA_VERSION,
      profile,
      format: torchMemory.id,
      tool: 'PyTorch memory snapshot',
    } as const),
    ...{ file, rank, startUnixNs: span.startUnixNs, dur: span.dur },
    devices: ids.map((id) => ({ id, ...UNKNOWN_DEVICE })),
  };
  const lines = ids.flatMap((id) => {
    const history = new History(diagnostics);
    for (const event of traces[id] ?? []) history.take(event, span.timeOf(event['time_us']));
    return [...linesOf(profile, id, history, states.get(id) ?? new FinalState())];
  });
  yield* lines.sort((a, b) => a.start - b.start);
  const ends = ids.flatMap((id) => wholeLines(profile, id, states.get(id)));
  yield* ends;
  const samples = lines.length + ends.length;
  yield { type: 'end', profile, counts: samples === 0 ? {} : { sample: samples }, diagnostics: diagnostics.toJSON() };
}

/**
 * Reads lists of dictionaries. A pickle may refer to one list many times, so that a small file expands to any amount of
 * data. Lists with more elements than the file has bytes are therefore rejected.
 */
function elementsOf(bytes: number, file: string): (value: unknown) => readonly JsonObject[] {
  let left = bytes;
  return (value) => {
    left -= Array.isArray(value) ? value.length : 0;
    if (left < 0) throw new UserError('has lists that contain each other', { where: file, hint: 'record it again' });
    return list(value);
  };
}

const isTime = (value: unknown): value is number => Number.isSafeInteger(value);

/** The time of the history, from times in microseconds. */
class Span {
  #first = Infinity;
  #last = -Infinity;

  add(time: unknown): void {
    if (!isTime(time)) return;
    this.#first = Math.min(this.#first, time);
    this.#last = Math.max(this.#last, time);
  }

  get startUnixNs(): string | null {
    return Number.isFinite(this.#first) ? String(BigInt(this.#first) * 1000n) : null;
  }

  /** Unit: ns. */
  get dur(): number | null {
    return Number.isFinite(this.#first) ? (this.#last - this.#first) * 1000 : null;
  }

  /** Time in ns since the first event; NaN for an event without a time, as in snapshots before 2024. */
  timeOf(time: unknown): number {
    return isTime(time) ? (time - this.#first) * 1000 : NaN;
  }
}

/** Allocations and the sums of allocated and reserved bytes over time. */
function* linesOf(profile: number, device: number, history: History, state: FinalState): Generator<ValueLine> {
  const stacks = new Stacks();
  const line = (time: number, metric: string, value: number): ValueLine =>
    new ValueLine(profile, time, device, metric, value, 'bytes', null);
  history.addHeld(state.held);
  for (const { start, end, bytes, frames } of history.allocations) {
    const dur = end === null ? null : end - start;
    yield new ValueLine(profile, start, device, 'op_memory', bytes, 'bytes', stacks.of(frames), dur);
  }
  let allocated = history.before;
  yield line(0, 'memory_allocated', allocated);
  for (const [time, bytes] of history.changes) yield line(time, 'memory_allocated', (allocated += bytes));
  let reserved = history.reserving.reduce((sum, [, bytes]) => sum - bytes, state.reserved);
  yield line(0, 'memory_reserved', reserved);
  for (const [time, bytes] of history.reserving) yield line(time, 'memory_reserved', (reserved += bytes));
}

/** The memory that a device held when the snapshot was made, as values of the whole profile. */
function wholeLines(profile: number, device: number, state: FinalState | undefined): SampleRecord[] {
  if (state === undefined) return [];
  const { reserved, free, freeBlocks, largestFree, segments, held } = state;
  const values: readonly (readonly [metric: string, value: number, unit: string])[] = [
    ['segments', segments, 'count'],
    ['segment_bytes', reserved, 'bytes'],
    ['segment_held', held.reduce((sum, { bytes }) => sum + bytes, 0), 'bytes'],
    ['segment_free', free, 'bytes'],
    ['segment_free_blocks', freeBlocks, 'count'],
    ['segment_free_largest', largestFree, 'bytes'],
  ];
  return values.map(([metric, value, unit]) => ({ type: 'sample', profile, start: null, device, metric, value, unit }));
}
