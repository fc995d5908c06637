/**
 * memory_record.csv, operator_memory.csv and npu_module_mem.csv → samples: memory of allocators and modules over time,
 * and allocations of ops. MB are 2^20 bytes, KB 2^10, by comparison with the tables MEMORY_RECORD, OP_MEMORY and
 * NPU_MODULE_MEM of the databases, which are in bytes. msprof's tables have totals in KB, and `Device` for `Device Type`.
 */
import { elementAt } from '../../../../containers/element.js';
import type { Diagnostics } from '../../../../record/diagnostics.js';
import { microsecondsOfCell, numberOfCell, textOfCell, cellsOf } from '../../../csv/csv-table.js';
import type { TextSamples } from './text-samples.js';
import type { TraceClock } from '../../../trace/clocks/trace-clock.js';

const [KB, MB] = [1024, 1024 * 1024];

/** Totals of an allocator, as columns name them. */
const TOTALS = ['Allocated', 'Reserved', 'Active'] as const;

/** `NPU:0` → 0. */
function deviceOf(cell: string | undefined): number {
  const digits = /(?<!\d)\d+$/.exec(textOfCell(cell))?.[0];
  return digits === undefined ? 0 : Number(digits);
}

/** Time of a row; NaN, which is counted, where it has none, or one of another epoch. */
function timeOf(cell: string | undefined, clock: TraceClock, diagnostics: Diagnostics): number {
  const text = textOfCell(cell);
  const time = clock.ofText(text);
  if (Number.isNaN(time)) diagnostics.count(/^\d/.test(text) ? 'time-of-another-epoch' : 'row-passed-over');
  return time;
}

/** Reads one of the files. @returns false when it has another header */
type ReadMemory = (path: string, clock: TraceClock, samples: TextSamples, diagnostics: Diagnostics) => boolean;

/** Columns of totals, in MB and, of msprof, in KB. */
const inUnits = (names: readonly string[]): string[] =>
  ['MB', 'KB'].flatMap((unit) => names.map((name) => `${name}(${unit})`));

/** Columns of the device: of the framework's profiler, and of msprof. */
const DEVICE = ['Device Type', 'Device'] as const;

/** Bytes of totals in MB, or of those in KB, which follow; NaN where there are neither. */
const bytesOf = (totals: readonly (string | undefined)[]): number[] => {
  const half = totals.length / 2;
  return totals.slice(0, half).map((mb, i) => {
    const bytes = numberOfCell(mb) * MB;
    return Number.isNaN(bytes) ? numberOfCell(totals[half + i]) * KB : bytes;
  });
};

export const readMemoryRecord: ReadMemory = (path, clock, samples, diagnostics) => {
  const columns = [...DEVICE, ...inUnits(TOTALS.map((name) => `Total ${name}`))];
  const rows = cellsOf(path, diagnostics, ['Component', 'Timestamp(us)'], columns);
  if (rows === null) return false;
  for (const [component, time, type, device, ...totals] of rows) {
    const start = timeOf(time, clock, diagnostics);
    const labels = { component: textOfCell(component) };
    bytesOf(totals).forEach((value, i) => {
      const series = { metric: `memory_${elementAt(TOTALS, i).toLowerCase()}`, unit: 'bytes', labels, onChange: true };
      if (!Number.isNaN(value)) samples.add(series, start, value, deviceOf(type ?? device));
    });
  }
  return true;
};

/** Memory of the driver's modules. */
export const readModuleMemory: ReadMemory = (path, clock, samples, diagnostics) => {
  const columns = ['Device', ...inUnits(['Total Reserved'])];
  const rows = cellsOf(path, diagnostics, ['Component', 'Timestamp(us)'], columns);
  if (rows === null) return false;
  for (const [module, time, device, ...totals] of rows) {
    const [value = NaN] = bytesOf(totals);
    if (Number.isNaN(value)) continue;
    const labels = { module: textOfCell(module) };
    const series = { metric: 'npu_module_mem', unit: 'bytes', labels, onChange: true };
    samples.add(series, timeOf(time, clock, diagnostics), value, deviceOf(device));
  }
  return true;
};

export const readOperatorMemory: ReadMemory = (path, clock, samples, diagnostics) => {
  const columns = ['Duration(us)', ...DEVICE, ...inUnits(TOTALS.map((name) => `Allocation Total ${name}`))];
  const rows = cellsOf(path, diagnostics, ['Name', 'Size(KB)', 'Allocation Time(us)'], columns);
  if (rows === null) return false;
  for (const [name, size, time, duration, type, device, ...totals] of rows) {
    const start = timeOf(time, clock, diagnostics);
    const series = { metric: 'op_memory', unit: 'bytes', labels: { op: textOfCell(name) }, lasting: true };
    const own = bytesOf(totals).map((value, i) => [elementAt(TOTALS, i).toLowerCase(), value] as const);
    const known = Object.fromEntries(own.filter(([, value]) => !Number.isNaN(value)));
    samples.add(series, start, numberOfCell(size) * KB, deviceOf(type ?? device), microsecondsOfCell(duration), known);
  }
  return true;
};
