/** Rows of a rocpd database about devices: kernels with their counters, copies, memory, series. */
import { elementAt } from '../../../containers/element.js';
import { entryOf } from '../../../containers/map-entry.js';
import { columns } from '../../../containers/numeric-column.js';
import type { Cell } from '../../sqlite/sqlite.js';
import type { MemoryCurve } from '../../memory-blocks.js';
import type { TraceBuilder } from '../../trace/trace-builder.js';
import { CounterSums } from '../../amd/counter-sums.js';
import { NumberIndex } from '../../trace/trace-columns.js';
import { blocksOf, copyKind, kernelName, isApi, isRoctx } from '../../amd/work-rows.js';
import { extra, remembered, type ProcessTables, jsonOf } from './process-tables.js';
import type { StreamUse } from './waits.js';
import { fieldOf, isJsonObject, textOf } from '../../json/json-value.js';
import type { ActivityDetails } from '../../trace/trace.js';

/**
 * Some builds write the size of the tracer's own record instead of the size of the data. It is smaller than this, in
 * bytes.
 */
const SMALLEST_COPY = 256;

/** A derived counter that is a percentage, such as `100*reduce(SQ_BUSY_CYCLES,sum)/reduce(GRBM_COUNT,max)`. */
const PERCENTAGE = /^[\s(]*100\s*\*/;

type Stack = Required<Pick<ActivityDetails, 'trace'>>;

/** Deeper frames are left out. */
const DEEPEST = 512;

/**
 * Call stacks of events: since schema 4.1 as a row for each frame, the innermost first; until schema 4 as JSON in the event.
 * No source states the form of that JSON. A single frame is read, as AMD's viewer of these databases does; lists, whose order
 * is unknown, and all other forms are counted.
 */
class CallStacks {
  readonly #ofEvents = new Map<Cell, Stack>();
  /** Event by the id that joins work to its call. */
  readonly #events = new Map<Cell, Cell>();
  /** Equal stacks share the object. */
  readonly #shared = new Map<string, Stack>();
  readonly #used = new Set<Cell>();

  constructor(
    private readonly run: ProcessTables,
    private readonly trace: TraceBuilder,
  ) {
    this.#readTexts();
    this.#readRows();
  }

  /** The stack of work: its own, else that of the call that launched it. Undefined when there is none. */
  of(event: Cell, corr: Cell): Stack | undefined {
    const known = this.#ofEvents.has(event) ? event : (this.#events.get(corr) ?? null);
    this.#used.add(known);
    return this.#ofEvents.get(known);
  }

  /** Counts the stacks that no work has. Call it after the last work. */
  countUnused(): void {
    const unused = [...this.#ofEvents.keys()].filter((event) => !this.#used.has(event)).length;
    if (unused > 0) this.trace.unread('call stacks of events without kernels', null, unused);
  }

  #readTexts(): void {
    const { database } = this.run;
    const table = this.run.name('event');
    if (!database.hasColumn(table, 'call_stack')) return;
    const columns = { event: 'id', corr: 'stack_id', frames: 'call_stack', line: 'line_info' };
    const filter = [{ needs: ['call_stack'], sql: "call_stack NOT IN ('{}', '[]', '')" }];
    for (const { event, corr, frames, line } of database.cells(table, columns, filter)) {
      const frame = frameIn(jsonOf(frames), jsonOf(line));
      if (frame === null) this.trace.unread('call stacks in another form');
      else this.#add(event, corr, [frame]);
    }
  }

  #readRows(): void {
    const { database } = this.run;
    const place = { fn: 'function', file: 'file', line: 'line' };
    const placeOf = remembered(database.joined(this.run.name('info_pc'), 'id', place));
    const corrOf = database.joined(this.run.name('event'), 'id', { corr: 'stack_id' });
    const table = this.run.name('call_stack');
    const stacks = new Map<Cell, string[]>();
    for (const { event, pc, depth } of database.cells(table, { event: 'event_id', pc: 'pc_id', depth: 'depth' })) {
      const frame = frameOf(placeOf(pc));
      const isInside = typeof depth === 'number' && depth >= 0 && depth < DEEPEST;
      if (frame === null || !isInside) this.trace.unread('rocpd_call_stack');
      else entryOf(stacks, event, (): string[] => [])[depth] = frame;
    }
    for (const [event, frames] of stacks) this.#add(event, corrOf(event).corr, frames);
  }

  /** @param frames the innermost first */
  #add(event: Cell, corr: Cell, frames: readonly string[]): void {
    // Depths may be missing.
    const trace = Object.values(frames).reverse();
    const stack = entryOf(this.#shared, JSON.stringify(trace), () => ({ trace }));
    this.#ofEvents.set(event, stack);
    if (corr !== null && corr !== 0 && !this.#events.has(corr)) this.#events.set(corr, event);
  }
}

/** The frame in JSON, whose line may be apart; null for any other form. */
function frameIn(frame: unknown, place: unknown): string | null {
  if (!isJsonObject(frame)) return null;
  const { name, file, line = fieldOf(place, 'line') ?? 0 } = frame;
  const isKnown = [name, file].every((cell) => cell === undefined || typeof cell === 'string');
  return isKnown && typeof line === 'number' ? frameOf({ fn: name, file, line }) : null;
}

/** `FILE:LINE`, or the function where the line is not known. */
function frameOf({ fn, file, line }: Readonly<Record<'fn' | 'file' | 'line', unknown>>): string | null {
  const isPlaced = typeof file === 'string' && file !== '' && Number(line) > 0;
  if (isPlaced) return `${file}:${Number(line)}`;
  return typeof fn === 'string' && fn !== '' ? fn : null;
}

/** @returns the streams that had kernels, by their numbers; none without kernels */
export function readKernels(run: ProcessTables, trace: TraceBuilder): ReadonlyMap<Cell, StreamUse> {
  const { database } = run;
  const names = { mangled: 'kernel_name', shown: 'display_name', full: extra('demangled_kernel_name') };
  const counts = { registers: 'arch_vgpr_count', accumRegisters: 'accum_vgpr_count', scalarRegisters: 'sgpr_count' };
  const symbolOf = remembered(database.joined(run.name('info_kernel_symbol'), 'id', { ...names, ...counts }));
  const counters = kernelCounters(run, trace);
  const stacks = new CallStacks(run, trace);
  const threads = { x: 'grid_size_x', y: 'grid_size_y', z: 'grid_size_z' };
  const sizes = { blockX: 'workgroup_size_x', blockY: 'workgroup_size_y', blockZ: 'workgroup_size_z' };
  const graph = { graphId: 'graph_exec_id', node: 'graph_node_id' };
  const columns = {
    symbolId: 'kernel_id',
    event: 'event_id',
    sharedBytes: 'group_segment_size',
    ...threads,
    ...sizes,
    ...graph,
  };
  const streams = new Map<Cell, StreamUse>();
  for (const row of run.rows('kernel_dispatch', columns)) {
    const { mangled, shown, full, registers, accumRegisters, scalarRegisters } = symbolOf(row.symbolId);
    const [block, device] = [[row.blockX, row.blockY, row.blockZ], run.deviceOf(row.agent)];
    const stream = row.stream ?? row.queue;
    const use = entryOf(streams, stream, () => ({ device, corr: row.corr }));
    if (use.device !== device) use.device = null;
    const isOfGraph = row.graphId !== null && row.graphId !== 0;
    trace.kernel({
      start: row.start,
      end: row.end,
      pid: row.pid,
      tid: row.tid,
      device,
      stream,
      corr: row.corr,
      name: kernelName(full) ?? kernelName(shown) ?? kernelName(mangled),
      grid: blocksOf([row.x, row.y, row.z], block),
      block,
      registers,
      accumRegisters,
      scalarRegisters,
      sharedBytes: row.sharedBytes,
      graphId: isOfGraph ? row.graphId : null,
      node: isOfGraph ? row.node : null,
      counters: counters.of(row.event),
      details: stacks.of(row.event, row.corr),
    });
  }
  counters.report(trace);
  stacks.countUnused();
  return streams;
}

/**
 * Counters of a dispatch by its event: amounts are added up over the parts of the device, percentages averaged. A sample's
 * values are a series instead.
 */
function kernelCounters(run: ProcessTables, trace: TraceBuilder): CounterSums {
  const { database } = run;
  const about = { name: 'name', type: 'value_type', units: 'units', formula: 'expression' };
  const counterOf = remembered(database.joined(run.name('info_pmc'), 'id', about));
  const sums = new CounterSums();
  const values = { event: 'event_id', pmc: 'pmc_id', value: 'value', sample: 'sample_id' };
  for (const { event, pmc, value, sample } of database.cells(run.name('pmc_event'), values)) {
    if (run.sampled.has(event)) continue;
    if (sample !== null && sample !== 0) {
      trace.unread('counter values sampled over time');
      continue;
    }
    const { name, type, units, formula } = counterOf(pmc);
    const isMean = type === 'RELATIVE' || units === '%' || PERCENTAGE.test(String(formula));
    sums.add(event, textOf(name), value, isMean);
  }
  return sums;
}

/**
 * @param devices devices that ran kernels
 * @returns the number of copies
 */
export function readCopies(run: ProcessTables, trace: TraceBuilder, devices: ReadonlySet<number | null>): number {
  const isOfRecord = hasSizesOfRecords(run);
  const [only = null] = devices.size === 1 ? devices : [];
  const columns = { nameId: 'name_id', from: 'src_agent_id', to: 'dst_agent_id', bytes: 'size', node: 'graph_node_id' };
  let copies = 0;
  for (const { nameId, from, to, bytes, node, ...row } of run.rows('memory_copy', columns)) {
    const [sourceGpu, targetGpu] = [run.deviceOf(from), run.deviceOf(to)];
    const isBetween = sourceGpu !== null && targetGpu !== null && sourceGpu !== targetGpu;
    copies++;
    trace.copy({
      ...{ start: row.start, end: row.end, pid: row.pid, tid: row.tid, device: targetGpu ?? sourceGpu ?? only },
      ...{ stream: row.stream ?? row.queue, corr: row.corr },
      kind: copyKind(run.textOf(nameId) ?? '', isBetween),
      bytes: isOfRecord ? null : bytes,
      node: node === 0 ? null : node,
    });
  }
  return copies;
}

/**
 * Whether all copies have the size of the tracer's record: one small size that differs from the sizes in the calls that
 * made them. If no call is joined to a copy, the sizes of all copy calls are compared.
 */
function hasSizesOfRecords(run: ProcessTables): boolean {
  const { database } = run;
  const sizes = new Set<Cell>();
  const copied = new Set<Cell>();
  for (const { bytes, corr } of run.rows('memory_copy', { bytes: 'size' })) {
    sizes.add(bytes);
    copied.add(corr);
  }
  const [size] = sizes;
  if (sizes.size !== 1 || typeof size !== 'number' || size >= SMALLEST_COPY) return false;
  const [joined, others] = [new Set<Cell>(), new Set<Cell>()];
  for (const { nameId, event, corr, category } of run.rows('region', { nameId: 'name_id', event: 'event_id' })) {
    if (!isApi(run.categoryOf(category))) continue;
    if (corr !== null && copied.has(corr)) joined.add(event);
    else if (/Memcpy/.test(run.textOf(nameId) ?? '')) others.add(event);
  }
  const calls = joined.size > 0 ? joined : others;
  for (const { event, name, value } of database.cells(run.name('arg'), {
    event: 'event_id',
    name: 'name',
    value: 'value',
  }))
    if (name === 'sizeBytes' && calls.has(event) && Number(value) !== size) return true;
  return false;
}

/** Allocations and releases of memory. */
export function readAllocations(run: ProcessTables, trace: TraceBuilder, curve: MemoryCurve): void {
  for (const row of run.rows('memory_allocate', { type: 'type', level: 'level', bytes: 'size', address: 'address' })) {
    // Scratch memory belongs to a queue, may have no address, and is released when it is reclaimed.
    const isScratch = row.level === 'SCRATCH';
    const address = isScratch && !row.address ? -1 - Number(row.queue) : row.address;
    const place = { address, space: String(row.level).toLowerCase() };
    if (row.type === 'ALLOC') curve.allocated({ ...row, ...place, device: run.deviceOf(row.agent) });
    else if (row.type === 'FREE' || (isScratch && row.type === 'RECLAIM')) curve.released({ ...row, ...place });
    else trace.unread(`memory_allocate ${String(row.type)}`, row.start);
  }
}

/** Metrics of rocprof-sys: name and unit in records, and the factor from the tracer's unit. */
const SERIES: Readonly<Record<string, readonly [metric: string, unit: string, size: number]>> = {
  device_busy_mm: ['device_busy', '%', 1],
  device_busy_gfx: ['device_busy', '%', 1],
  device_power: ['device_power', 'W', 1],
  device_temp: ['device_temp', '°C', 1],
  device_memory_usage: ['memory_used', 'bytes', 1e6],
};
/** The tracer writes this value when the device does not report its power. */
const NO_POWER = 65_535;

/** Values of samples, in columns, linked by their event. Memory: 25 to 40 bytes for each. */
class SampledValues extends columns({
  event: 'id',
  /** Number of the counter. */
  counter: 'count',
  value: 'f64',
  /** The row before of the same event; negative for none. */
  previous: 'i32',
  /** 1 when a sample has been given this value. */
  isGiven: 'u8',
}) {
  readonly #last = new NumberIndex(this.event);

  add(event: number, counter: number, value: number): void {
    this.pushCells(event, counter, value, this.#last.get(event), 0);
    this.#last.put(this.length - 1);
  }

  *rowsOf(event: Cell): Generator<number> {
    if (typeof event !== 'number') return;
    for (let row = this.#last.get(event); row >= 0; row = this.previous.at(row)) yield row;
  }
}

/** Reads samples of a device over time. An event has several samples, one for each counter. Marks of roctx. */
export function readSeries(run: ProcessTables, trace: TraceBuilder): void {
  const { database } = run;
  if (run.sampled.size === 0) return;
  const counter = { name: 'name', units: 'units', agent: 'agent_id' };
  const counterOf = database.joined(run.name('info_pmc'), 'id', counter);
  const counters: ReturnType<typeof counterOf>[] = [];
  const numbers = new Map<Cell, number>();
  const values = new SampledValues();
  const cells = { event: 'event_id', pmc: 'pmc_id', value: 'value' };
  for (const { event, pmc, value } of database.cells(run.name('pmc_event'), cells)) {
    if (typeof event !== 'number' || !run.sampled.has(event)) continue;
    const number = entryOf(numbers, pmc, () => counters.push(counterOf(pmc)) - 1);
    values.add(event, number, typeof value === 'number' ? value : NaN);
  }
  const nameOf = remembered(database.joined(run.name('track'), 'id', { nameId: 'name_id' }));
  const samples = { track: 'track_id', event: 'event_id', own: 'name_id', at: run.clock.since('timestamp') };
  // Tracks of several devices have one name, and their samples may share an event: each value is given once.
  for (const row of run.rows('sample', samples)) {
    const { event, at, pid, tid } = row;
    const name = run.textOf(row.own) ?? run.textOf(nameOf(row.track).nameId) ?? 'unknown';
    const counterAt = (found: number): ReturnType<typeof counterOf> => elementAt(counters, values.counter.at(found));
    const found = [...values.rowsOf(event)].filter((each) => counterAt(each).name === name);
    // Marks of roctx are on a track of their own category.
    if (isRoctx(name)) trace.range({ start: at, end: at, pid, tid, text: run.messageOf(event) });
    else if (found.length === 0) trace.unread(`sample ${name}`, at);
    for (const each of found) {
      if (values.isGiven.at(each) === 1) continue;
      values.isGiven.set(each, 1);
      const [{ units, agent }, value] = [counterAt(each), values.value.at(each)];
      const stated = typeof units === 'string' ? units : null;
      const [metric, unit, size] = SERIES[name] ?? [name, stated, 1];
      const isKnown = !Number.isNaN(value) && !(metric === 'device_power' && value === NO_POWER);
      trace.sample({ start: at, device: run.deviceOf(agent), metric, unit, value: isKnown ? value * size : null });
    }
  }
  const left = values.length - values.isGiven.values.reduce((sum, isGiven) => sum + isGiven, 0);
  if (left > 0) trace.unread('counter values without a sample', null, left);
}
