/** Rows of a rocpd database about devices: kernels with their counters, copies, memory, series. */
import { entryOf } from '../../../containers/map-entry.js';
import type { CopyKind } from '../../../record/record.js';
import type { Cell } from '../../sqlite/sqlite.js';
import type { TraceBuilder } from '../../trace/trace-builder.js';
import { compareTexts } from '../../trace/record-order.js';
import { extra, type ProcessTables } from './process-tables.js';

/** Ending of a kernel's symbol, in two forms. */
const SYMBOL = /(?: \[clone \.kd\]|\.kd)$/;
const COPY = /(HOST|DEVICE)_TO_(HOST|DEVICE)$/;
/** The record of the tracer that some builds write the size of in place of the data's is smaller, in bytes. */
const SMALLEST_COPY = 256;

/** @returns the number of kernels */
export function readKernels(run: ProcessTables, trace: TraceBuilder): number {
  const { database } = run;
  const symbolOf = database.joined(run.name('info_kernel_symbol'), 'id', {
    ...{
      mangled: 'kernel_name',
      shown: 'display_name',
      full: extra('demangled_kernel_name'),
      registers: 'arch_vgpr_count',
    },
  });
  const countersOf = kernelCounters(run);
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
  let kernels = 0;
  for (const { symbolId, event, graphId, node, x, y, z, blockX, blockY, blockZ, ...row } of run.rows(
    'kernel_dispatch',
    columns,
  )) {
    const { mangled, shown, full, registers } = symbolOf(symbolId);
    const counters = countersOf(event);
    const block = [blockX, blockY, blockZ];
    kernels++;
    trace.kernel({
      ...{
        start: row.start,
        end: row.end,
        pid: row.pid,
        device: run.deviceOf(row.agent),
        stream: row.stream ?? row.queue,
      },
      ...{ corr: run.eventOf(event).corr },
      name: nameOf(full) ?? nameOf(shown) ?? nameOf(mangled),
      grid: [x, y, z].map((count, axis) => Math.ceil(Number(count) / Number(block[axis]))),
      ...{ block, registers, sharedBytes: row.sharedBytes },
      ...(counters === undefined ? undefined : { counters }),
      ...(graphId === null || graphId === 0 ? undefined : { graphId, node }),
    });
  }
  return kernels;
}

const nameOf = (cell: Cell): string | null =>
  typeof cell === 'string' && cell !== '' ? cell.replace(SYMBOL, '') : null;

/** Sums of the counters of a dispatch over the parts of the device, by its event. A sample's values are a series instead. */
function kernelCounters(run: ProcessTables): (event: Cell) => Record<string, number> | undefined {
  const { database } = run;
  const samples = new Set<Cell>();
  for (const [event] of database.rows(run.name('sample'), ['event_id'])) if (event !== undefined) samples.add(event);
  const counterOf = database.texts(run.name('info_pmc'), 'name', 'id');
  const sums = new Map<Cell, Record<string, number>>();
  const values = { event: 'event_id', pmc: 'pmc_id', value: 'value', sample: 'sample_id' };
  for (const { event, pmc, value, sample } of database.cells(run.name('pmc_event'), values)) {
    const name = counterOf(pmc);
    if (name === null || typeof value !== 'number' || sample !== null || samples.has(event)) continue;
    const counters = entryOf(sums, event, (): Record<string, number> => ({}));
    counters[name] = (counters[name] ?? 0) + value;
  }
  return (event) => {
    const counters = sums.get(event);
    if (counters === undefined) return undefined;
    return Object.fromEntries(Object.entries(counters).sort(([a], [b]) => compareTexts(a, b)));
  };
}

/** @returns the number of copies */
export function readCopies(run: ProcessTables, trace: TraceBuilder): number {
  const isOfRecord = hasSizesOfRecords(run);
  const kernelDevices = new Set(devicesOfKernels(run));
  const [only = null] = kernelDevices.size === 1 ? kernelDevices : [];
  const columns = { nameId: 'name_id', from: 'src_agent_id', to: 'dst_agent_id', bytes: 'size', event: 'event_id' };
  let copies = 0;
  for (const { nameId, from, to, bytes, event, ...row } of run.rows('memory_copy', columns)) {
    const [, source, target] = COPY.exec(run.textOf(nameId) ?? '') ?? [];
    const [sourceGpu, targetGpu] = [run.deviceOf(from), run.deviceOf(to)];
    const isBetween = sourceGpu !== null && targetGpu !== null && sourceGpu !== targetGpu;
    const kind = source === undefined || target === undefined ? null : `${source.charAt(0)}to${target.charAt(0)}`;
    copies++;
    trace.copy({
      ...{ start: row.start, end: row.end, pid: row.pid, device: targetGpu ?? sourceGpu ?? only },
      ...{ stream: row.stream ?? row.queue, corr: run.eventOf(event).corr },
      kind: (kind === 'DtoD' && isBetween ? 'PtoP' : kind) as CopyKind | null,
      bytes: isOfRecord ? null : bytes,
    });
  }
  return copies;
}

function* devicesOfKernels(run: ProcessTables): Generator<number> {
  for (const { agent } of run.rows('kernel_dispatch', {})) {
    const device = run.deviceOf(agent);
    if (device !== null) yield device;
  }
}

/** Whether all copies have the size of the tracer's record: one small size, while calls say others. */
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

/** Memory in use after each allocation and release. A release states no size: it is that of the address. */
export function readAllocations(run: ProcessTables, trace: TraceBuilder): void {
  const address = { needs: ['address'], sql: 'CAST(address AS TEXT)' };
  const events: {
    readonly at: number;
    readonly bytes: number;
    readonly key: string;
    readonly device: number | null;
    readonly level: string;
  }[] = [];
  for (const row of run.rows('memory_allocate', { type: 'type', level: 'level', bytes: 'size', address })) {
    const level = String(row.level).toLowerCase();
    const [at, bytes] = row.type === 'ALLOC' ? [row.end, Number(row.bytes)] : [row.start, -1];
    if (row.type !== 'ALLOC' && row.type !== 'FREE') trace.unread(`memory_allocate ${String(row.type)}`, row.start);
    else if (typeof at !== 'number') trace.bad('bad-row');
    else events.push({ at, bytes, key: `${level} ${String(row.address)}`, device: run.deviceOf(row.agent), level });
  }
  const held = new Map<string, { readonly bytes: number; readonly device: number | null }>();
  const sums = new Map<string, number>();
  for (const { at, bytes, key, device, level } of events.sort(
    (a, b) => a.at - b.at || a.bytes - b.bytes || compareTexts(a.key, b.key),
  )) {
    const block = held.get(key);
    if (bytes < 0 && block === undefined) {
      trace.bad('free-without-allocation', at);
      continue;
    }
    const change = bytes < 0 ? { bytes: -(block?.bytes ?? 0), device: block?.device ?? null } : { bytes, device };
    if (bytes < 0) held.delete(key);
    else held.set(key, change);
    const series = `${level} ${change.device}`;
    const value = (sums.get(series) ?? 0) + change.bytes;
    sums.set(series, value);
    trace.sample({
      start: at,
      device: change.device,
      metric: 'memory_allocated',
      unit: 'bytes',
      value,
      labels: { level },
    });
  }
}

/** Metrics of rocprof-sys: the record's name, its unit, and the size of the tracer's unit in it. */
const SERIES: Readonly<Record<string, readonly [metric: string, unit: string, size: number]>> = {
  device_busy_mm: ['device_busy', '%', 1],
  device_busy_gfx: ['device_busy', '%', 1],
  device_power: ['device_power', 'W', 1],
  device_temp: ['device_temp', '°C', 1],
  device_memory_usage: ['memory_used', 'bytes', 1e6],
};
/** The tracer's value for a power that the device does not state. */
const NO_POWER = 65_535;

/** Samples of a device over time: one event has several, each with the value of its own counter. */
export function readSeries(run: ProcessTables, trace: TraceBuilder): void {
  const { database } = run;
  const counterOf = database.joined(run.name('info_pmc'), 'id', {
    name: 'name',
    units: 'units',
    agent: 'agent_id',
  });
  const values = new Map<
    Cell,
    { readonly name: Cell; readonly units: Cell; readonly agent: Cell; readonly value: Cell }[]
  >();
  for (const { event, pmc, value } of database.cells(run.name('pmc_event'), {
    event: 'event_id',
    pmc: 'pmc_id',
    value: 'value',
  }))
    entryOf(values, event, () => []).push({ ...counterOf(pmc), value });
  const trackOf = database.joined(run.name('track'), 'id', { nameId: 'name_id' });
  const samples = { track: 'track_id', event: 'event_id', at: run.clock.since('timestamp') };
  for (const { track, event, at } of database.cells(run.name('sample'), samples)) {
    const name = run.textOf(trackOf(track).nameId);
    const found = values.get(event)?.filter((one) => one.name === name) ?? [];
    if (found.length === 0) trace.unread(`sample ${name ?? 'unknown'}`, at);
    for (const { units, agent, value } of found) {
      const [metric, unit, size] = SERIES[name ?? ''] ?? [
        name ?? 'unknown',
        typeof units === 'string' ? units : null,
        1,
      ];
      const known = typeof value === 'number' && !(metric === 'device_power' && value === NO_POWER);
      trace.sample({ start: at, device: run.deviceOf(agent), metric, unit, value: known ? value * size : null });
    }
  }
}
