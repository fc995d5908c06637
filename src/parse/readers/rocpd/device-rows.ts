/** Rows of a rocpd database about devices: kernels with their counters, copies, memory, series. */
import { entryOf } from '../../../containers/map-entry.js';
import type { Cell } from '../../sqlite/sqlite.js';
import { MemoryCurve } from '../../memory-blocks.js';
import type { TraceBuilder } from '../../trace/trace-builder.js';
import { blocksOf, copyKind, inNameOrder, kernelName, type Counters } from '../rocprofv3/amd-rows.js';
import { extra, remembered, type ProcessTables } from './process-tables.js';

/**
 * Some builds write the size of the tracer's own record instead of the size of the data. It is smaller than this, in
 * bytes.
 */
const SMALLEST_COPY = 256;

/** Reads the kernels of a run. @returns the devices that ran kernels */
export function readKernels(run: ProcessTables, trace: TraceBuilder): ReadonlySet<number | null> {
  const { database } = run;
  const names = { mangled: 'kernel_name', shown: 'display_name', full: extra('demangled_kernel_name') };
  const symbol = { ...names, registers: 'arch_vgpr_count' };
  const symbolOf = remembered(database.joined(run.name('info_kernel_symbol'), 'id', symbol));
  const countersOf = kernelCounters(run, trace);
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
  const devices = new Set<number | null>();
  for (const row of run.rows('kernel_dispatch', columns)) {
    const { mangled, shown, full, registers } = symbolOf(row.symbolId);
    const [block, device] = [[row.blockX, row.blockY, row.blockZ], run.deviceOf(row.agent)];
    devices.add(device);
    const counters = countersOf(row.event);
    const isOfGraph = row.graphId !== null && row.graphId !== 0;
    trace.kernel({
      start: row.start,
      end: row.end,
      pid: row.pid,
      device,
      stream: row.stream ?? row.queue,
      corr: row.corr,
      name: kernelName(full) ?? kernelName(shown) ?? kernelName(mangled),
      grid: blocksOf([row.x, row.y, row.z], block),
      block,
      registers,
      sharedBytes: row.sharedBytes,
      graphId: isOfGraph ? row.graphId : null,
      node: isOfGraph ? row.node : null,
      ...(counters === undefined ? undefined : { counters }),
    });
  }
  return devices;
}

/**
 * Counters of each dispatch by its event, summed over the parts of the device. Values of samples are left out, because
 * they are a series.
 */
function kernelCounters(run: ProcessTables, trace: TraceBuilder): (event: Cell) => Counters | undefined {
  const { database } = run;
  const counterOf = remembered(database.texts(run.name('info_pmc'), 'name', 'id'));
  const sums = new Map<Cell, Counters>();
  const values = { event: 'event_id', pmc: 'pmc_id', value: 'value', sample: 'sample_id' };
  for (const { event, pmc, value, sample } of database.cells(run.name('pmc_event'), values)) {
    const name = counterOf(pmc);
    if (name === null || typeof value !== 'number' || sample !== null || run.sampled.has(event)) continue;
    const counters = entryOf(sums, event, (): Counters => ({}));
    counters[name] = (counters[name] ?? 0) + value;
  }
  if (sums.size > 0) trace.bad('kernels-one-at-a-time');
  return (event) => inNameOrder(sums.get(event));
}

/**
 * @param devices that ran kernels
 * @returns the number of copies
 */
export function readCopies(run: ProcessTables, trace: TraceBuilder, devices: ReadonlySet<number | null>): number {
  const isOfRecord = hasSizesOfRecords(run);
  const [only = null] = devices.size === 1 ? devices : [];
  const columns = { nameId: 'name_id', from: 'src_agent_id', to: 'dst_agent_id', bytes: 'size' };
  let copies = 0;
  for (const { nameId, from, to, bytes, ...row } of run.rows('memory_copy', columns)) {
    const [sourceGpu, targetGpu] = [run.deviceOf(from), run.deviceOf(to)];
    const isBetween = sourceGpu !== null && targetGpu !== null && sourceGpu !== targetGpu;
    copies++;
    trace.copy({
      ...{ start: row.start, end: row.end, pid: row.pid, device: targetGpu ?? sourceGpu ?? only },
      ...{ stream: row.stream ?? row.queue, corr: row.corr },
      kind: copyKind(run.textOf(nameId) ?? '', isBetween),
      bytes: isOfRecord ? null : bytes,
    });
  }
  return copies;
}

/**
 * Whether all copies have the size of the tracer's record. They do if all have the same small size and the calls state
 * other sizes.
 */
function hasSizesOfRecords(run: ProcessTables): boolean {
  const { database } = run;
  const sizes = new Set<Cell>();
  for (const [size] of database.rows(run.name('memory_copy'), ['size'])) if (size !== undefined) sizes.add(size);
  const [size] = sizes;
  if (sizes.size !== 1 || typeof size !== 'number' || size >= SMALLEST_COPY) return false;
  for (const [name, value] of database.rows(run.name('arg'), ['name', 'value']))
    if (name === 'sizeBytes' && Number(value) !== size) return true;
  return false;
}

/** Reads memory in use; rows of other types, such as reserved memory, are counted as unread. */
export function readAllocations(run: ProcessTables, trace: TraceBuilder): void {
  const curve = new MemoryCurve(trace);
  for (const row of run.rows('memory_allocate', { type: 'type', level: 'level', bytes: 'size', address: 'address' })) {
    const place = { address: row.address, space: String(row.level).toLowerCase() };
    if (row.type === 'ALLOC') curve.allocated({ ...place, ...row, device: run.deviceOf(row.agent) });
    else if (row.type === 'FREE') curve.released({ ...place, ...row });
    else trace.unread(`memory_allocate ${String(row.type)}`, row.start);
  }
  curve.write();
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

/** Reads samples of a device over time. An event has several samples, one for each counter. Marks of roctx. */
export function readSeries(run: ProcessTables, trace: TraceBuilder): void {
  const { database } = run;
  if (run.sampled.size === 0) return;
  const counter = { name: 'name', units: 'units', agent: 'agent_id' };
  const counterOf = remembered(database.joined(run.name('info_pmc'), 'id', counter));
  const values = new Map<Cell, (ReturnType<typeof counterOf> & { readonly value: Cell })[]>();
  const columns = { event: 'event_id', pmc: 'pmc_id', value: 'value' };
  for (const { event, pmc, value } of database.cells(run.name('pmc_event'), columns))
    if (run.sampled.has(event)) entryOf(values, event, () => []).push({ ...counterOf(pmc), value });
  const nameOf = remembered(database.joined(run.name('track'), 'id', { nameId: 'name_id' }));
  const samples = { track: 'track_id', event: 'event_id', at: run.clock.since('timestamp') };
  for (const row of run.rows('sample', samples)) {
    const { event, at, pid, tid } = row;
    const name = run.textOf(nameOf(row.track).nameId) ?? 'unknown';
    const found = values.get(event)?.filter((one) => one.name === name) ?? [];
    // Marks of roctx are on a track of their own category.
    if (/^MARKER/i.test(name)) trace.range({ start: at, end: at, pid, tid, text: run.messageOf(event) });
    else if (found.length === 0) trace.unread(`sample ${name}`, at);
    for (const { units, agent, value } of found) {
      const stated = typeof units === 'string' ? units : null;
      const [metric, unit, size] = SERIES[name] ?? [name, stated, 1];
      const isKnown = typeof value === 'number' && !(metric === 'device_power' && value === NO_POWER);
      trace.sample({ start: at, device: run.deviceOf(agent), metric, unit, value: isKnown ? value * size : null });
    }
  }
}
