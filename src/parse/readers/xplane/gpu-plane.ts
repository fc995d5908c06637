/**
 * Planes of GPUs, from JAX and TensorFlow, on AMD and NVIDIA: a line for each stream with kernels, copies and memsets,
 * which are distinguished by the details that they have. Lines that XProf derived from them repeat them. Kernels one
 * after another that run one instruction of a program belong to one run of it, until one of their names comes again.
 */
import type { CopyKind, Device } from '../../../record/record.js';
import { STEP_METRIC } from '../../../record/record.js';
import type { Writable } from '../../../containers/writable.js';
import { entryOf, LruCache } from '../../../containers/map-entry.js';
import type { KernelRow, TraceBuilder, WorkRow } from '../../trace/trace-builder.js';
import { kernelName } from '../../amd/work-rows.js';
import { numberOf, textOf, type Plane, type StatedEvent, type XEvent, type XLine } from './xspace.js';
import type { OpFacts, OpTable } from './op-facts.js';

/** What planes share. */
export interface Reading {
  readonly trace: TraceBuilder;
  readonly ops: OpTable;
  /** The profile's time 0, which lines count from, in ns. */
  readonly zero: bigint;
  /** Name of the call that launched a copy, by correlation id. */
  readonly copyCalls: Map<number, string>;
  /** Correlation id of a launch on a TPU, by its producer. */
  readonly launches: Map<string, number>;
  /** Number of the last run of an instruction. */
  runs: number;
}

/** Name of the line of steps. */
export const STEPS = 'Steps';

/** The events of a line that have a time. Aggregates of several events have none, and are counted. */
export function* placedEvents(plane: Plane, line: XLine, { trace, zero }: Reading): Generator<XEvent> {
  for (const event of plane.events(line, zero))
    if (event.isAggregate) trace.unread('events without a known time', null);
    else yield event;
}

/** Ids of lines that XProf derived: the low 32 bits are these, also where the id is negative. */
const FIRST_DERIVED = 0xdeadbeefn;
const isDerived = ({ id }: XLine): boolean => {
  const low = BigInt.asUintN(32, BigInt(id));
  return low >= FIRST_DERIVED && low < FIRST_DERIVED + 256n;
};

/** The words `key:value` of a string of details. */
const wordsIn = (text: string): ReadonlyMap<string, string> =>
  new Map(text.split(' ').map((word) => [word.slice(0, word.indexOf(':')), word.slice(word.indexOf(':') + 1)]));

/** Three extents; null when one is not a number of blocks or threads. */
function extentsIn(text: string | undefined): number[] | null {
  const extents = (text ?? '').split(',').map(Number);
  return extents.length === 3 && extents.every((n) => Number.isInteger(n) && n > 0 && n <= 2 ** 31) ? extents : null;
}

const within = (value: number, most: number): number | null => (value >= 0 && value <= most ? value : null);
/** Maximum registers per thread, and shared memory per block in bytes. Larger numbers do not describe the device. */
const [MOST_REGISTERS, MOST_SHARED] = [1024, 1 << 20];

/** Registers and shared memory. Older builds for ROCm write other numbers under CUDA's names. */
function resourcesIn(words: ReadonlyMap<string, string>, isAmd: boolean): Pick<Shapes, 'registers' | 'sharedBytes'> {
  const numberAt = (key: string): number => Number(words.get(key) ?? NaN);
  if (isAmd) return { registers: null, sharedBytes: within(numberAt('group_mem'), MOST_SHARED) };
  const parts = numberAt('static_shared') + numberAt('dynamic_shared');
  const shared = Number.isNaN(parts) ? numberAt('shm') : parts;
  return { registers: within(numberAt('regs'), MOST_REGISTERS), sharedBytes: within(shared, MOST_SHARED) };
}

const DIRECTION = /(H|D|Host|Device|P|Peer)(?:2|to|To)(H|D|Host|Device|P|Peer)(?![a-z])/;

/** The direction in `kind:HtoD`, `MemcpyH2D`, `hipMemcpyHtoDAsync`, `CopyDeviceToDevice`; null when none is stated. */
function directionIn(...texts: readonly (string | undefined)[]): CopyKind | null {
  for (const text of texts) {
    const [, from, to] = DIRECTION.exec(text ?? '') ?? [];
    if (from !== undefined && to !== undefined) return `${from.charAt(0)}to${to.charAt(0)}` as CopyKind;
  }
  return null;
}

/**
 * The device of a plane by its statistics. AMD's collector takes all memory for HBM2, with two transfers for each clock:
 * HBM3 has four, and other memory is not known.
 */
export function gpuOf(plane: Plane, id: number): Partial<Device> & Pick<Device, 'id'> {
  const number = (name: string): number | null => {
    const value = numberOf(plane.stats.get(name));
    return value === 0 ? null : value;
  };
  const vendor = vendorOf(plane);
  const [major, minor] = [number('compute_cap_major'), numberOf(plane.stats.get('compute_cap_minor')) ?? 0];
  const arch = major === null ? null : archOf(vendor, major, minor);
  const [clock, bandwidth] = [number('clock_rate'), number('memory_bandwidth')];
  return {
    ...{ id, vendor, name: textOf(plane.stats.get('gpu_device_name')), units: number('core_count') },
    arch,
    clockHz: clock === null ? null : clock * 1000,
    memBytesPerS:
      bandwidth === null || (vendor === 'amd' && major !== 9)
        ? null
        : arch?.startsWith('gfx') === true
          ? bandwidth * 2
          : bandwidth,
    memBytes: number('memory_size'),
  };
}

function archOf(vendor: string, major: number, minor: number): string | null {
  if (vendor === 'nvidia') return `sm${major}${minor}`;
  if (vendor !== 'amd' || major !== 9) return null;
  return minor === 4 ? 'gfx942' : minor === 5 ? 'gfx950' : null;
}

/** Old files of NVIDIA GPUs state no vendor: their streams are named by what they do, `Stream #134(Compute)`. */
function vendorOf(plane: Plane): string {
  const stated = textOf(plane.stats.get('device_vendor'))?.toLowerCase();
  if (stated === 'amd' || stated === 'nvidia') return stated;
  const isNvidia = plane.lines.some(({ name }) => /\((?:Compute|MemcpyH2D|MemcpyD2H)/.test(name));
  return isNvidia && plane.stats.has('compute_cap_major') ? 'nvidia' : 'unknown';
}

/** Reads a plane. @returns the number of its events that are work */
export function readGpuPlane(plane: Plane, device: number, reading: Reading): number {
  const isAmd = vendorOf(plane) === 'amd';
  const { trace } = reading;
  const steps = readSteps(plane, device, reading);
  let work = 0;
  for (const line of plane.lines) {
    if (isDerived(line)) {
      if (line.name !== STEPS) trace.unread(`line ${line.name}`, null, line.events);
      continue;
    }
    const stream = new GpuStream({ name: line.name, device, stream: streamOf(line), isAmd, steps }, reading);
    for (const event of placedEvents(plane, line, reading))
      if (stream.take(event, typeof event.stat('kernel_details') === 'string')) work++;
    stream.end();
  }
  return work;
}

interface StreamFacts {
  readonly name: string;
  readonly device: number;
  readonly stream: number | null;
  readonly isAmd: boolean;
  /** Steps by the number of their group. */
  readonly steps: ReadonlyMap<number, number>;
}

/** The work on a stream, event by event. */
export class GpuStream {
  readonly #runs: Runs;

  constructor(
    private readonly facts: StreamFacts,
    private readonly reading: Reading,
  ) {
    this.#runs = new Runs(reading);
  }

  /** @returns whether the event is work; others are counted */
  take(event: StatedEvent, isKernel: boolean): boolean {
    const { reading } = this;
    const { name, device, stream, isAmd, steps } = this.facts;
    const { start, end } = event;
    const row = { start, end, device, stream, corr: numberOf(event.stat('correlation_id')) };
    const facts = reading.ops.of(event);
    if (isKernel) {
      const step = steps.get(numberOf(event.stat('group_id')) ?? NaN) ?? null;
      readKernel(event, { row, facts, runs: this.#runs, step, isAmd });
    } else if (!readCopy(event, row, facts, reading)) {
      reading.trace.unread(`${event.kind.name === '' ? 'unknown' : 'other'} events of ${name}`, start);
      return false;
    }
    return true;
  }

  /** Call it after the last event. */
  end(): void {
    this.#runs.end();
  }
}

/** The number in a stream's name, else the id of its line. */
export const streamOf = ({ id, name }: Pick<XLine, 'id' | 'name'>): number | null =>
  /#(\d+)/.test(name) ? Number(/#(\d+)/.exec(name)?.[1]) : typeof id === 'number' ? id : null;

interface KernelFacts {
  readonly row: WorkRow;
  readonly facts: OpFacts;
  readonly runs: Runs;
  readonly step: number | null;
  readonly isAmd: boolean;
}

function readKernel(event: StatedEvent, { row, facts, runs, step, isAmd }: KernelFacts): void {
  const name = runs.nameOf(event.kind.name);
  const occupancy = numberOf(event.stat('theoretical_occupancy_pct')) ?? 0;
  const details =
    step === null && !(occupancy > 0)
      ? facts.details
      : facts.with(`${step} ${occupancy}`, (shared) => ({
          ...shared,
          ...(step === null ? undefined : { step }),
          ...(occupancy > 0 ? { counters: { theoretical_occupancy_pct: occupancy } } : undefined),
        }));
  const { start, end, device, stream, corr } = row;
  // Ids of the graph that launched the work; both are absent outside graphs.
  const [graphId, node] = [numberOf(event.stat('cuda_graph_id')), numberOf(event.stat('cuda_graph_node_id'))];
  const { grid, block, registers, sharedBytes } = shapesIn(textOf(event.stat('kernel_details')) ?? '', isAmd);
  // Field by field: a copy with `...` takes as long as all the rest.
  const kernel = {
    start,
    end,
    device,
    stream,
    corr,
    name,
    grid,
    block,
    registers,
    sharedBytes,
    details,
    ps: event.ps,
    graphId,
    node,
  };
  runs.add(kernel, facts);
}

type Shapes = Required<Pick<KernelRow, 'grid' | 'block' | 'registers' | 'sharedBytes'>>;

/** Cache of parsed details, which kernels in a loop repeat. */
const known = new LruCache<string, Shapes>(4096);

const shapesIn = (text: string, isAmd: boolean): Shapes =>
  known.of(`${isAmd} ${text}`, () => {
    const words = wordsIn(text);
    const [grid, block] = [extentsIn(words.get('grid')), extentsIn(words.get('block'))];
    return { grid, block, ...resourcesIn(words, isAmd) };
  });

function readCopy(event: StatedEvent, row: WorkRow, facts: OpFacts, { trace, copyCalls }: Reading): boolean {
  const [copy, set] = [event.stat('memcpy_details'), event.stat('memset_details')];
  const text = copy ?? set;
  if (typeof text !== 'string') return false;
  const words = wordsIn(text);
  const size = Number(words.get('size') ?? words.get('num_bytes') ?? NaN);
  const bytes = size > 0 ? size : null;
  const { labels } = facts.details;
  const details = facts.with('copy', () => (labels === undefined ? {} : { labels }));
  const work = { ...row, bytes, details, ps: event.ps };
  if (copy === undefined) trace.set(work);
  else {
    const kind = directionIn(words.get('kind'), event.kind.name, copyCalls.get(Number(row.corr)));
    trace.copy({ ...work, kind });
  }
  return true;
}

/** Assigns the kernels of one run of an instruction the number of the run and their count. */
class Runs {
  #rows: Writable<KernelRow>[] = [];
  #facts: OpFacts | null = null;
  readonly #names = new Map<string, string | null>();

  constructor(private readonly reading: Reading) {}

  add(row: KernelRow, facts: OpFacts): void {
    const isNext =
      facts === this.#facts && facts.instruction !== null && !this.#rows.some(({ name }) => name === row.name);
    if (!isNext) this.end();
    this.#facts = facts;
    this.#rows.push(row);
  }

  end(): void {
    const run = this.#facts?.instruction ? ([++this.reading.runs, this.#rows.length] as const) : undefined;
    for (const row of this.#rows) {
      if (run !== undefined) row.run = run;
      this.reading.trace.kernel(row);
    }
    this.#rows = [];
  }

  nameOf(kind: string): string | null {
    return entryOf(this.#names, kind, () => kernelName(kind));
  }
}

/** Steps by the number of their group, which kernels state, from the derived line of steps. */
export function readSteps(plane: Plane, device: number, reading: Reading): ReadonlyMap<number, number> {
  const steps = new Map<number, number>();
  for (const line of plane.lines) {
    if (line.name !== STEPS) continue;
    for (const event of placedEvents(plane, line, reading)) readStep(event, device, steps, reading.trace);
  }
  return steps;
}

/** @param steps receives the step by the number of its group */
export function readStep(event: StatedEvent, device: number, steps: Map<number, number>, trace: TraceBuilder): void {
  const [group, name] = [numberOf(event.stat('group_id')), textOf(event.stat('step_name')) ?? event.kind.name];
  const number = event.stat('step_num');
  const step = stepNumber(name, number === undefined ? group : numberOf(number));
  if (step === null) return;
  if (group !== null) steps.set(group, step);
  const { start, end } = event;
  const labels = { text: name };
  trace.sample({ start, end, device, metric: STEP_METRIC, value: step, unit: null, labels });
}

const stepNumber = (name: string, otherwise: number | null): number | null =>
  /^\d{1,12}$/.test(name) ? Number(name) : otherwise;
