/**
 * memory_record.csv, operator_memory.csv and npu_module_mem.csv → samples: memory of allocators and modules over time,
 * and allocations of ops. MB are 2^20 bytes, KB 2^10, by comparison with the tables MEMORY_RECORD, OP_MEMORY and
 * NPU_MODULE_MEM of the databases, which are in bytes.
 */
import type { Diagnostics } from '../../../../record/diagnostics.js';
import { microsecondsOfCell, numberOfCell, textOfCell, cellsOf } from '../../../csv/csv-table.js';
import type { TextSamples } from './text-samples.js';
import type { TraceClock } from '../../../capture/clocks/trace-clock.js';

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

export const readMemoryRecord: ReadMemory = (path, clock, samples, diagnostics) => {
  const columns = ['Device Type', ...TOTALS.map((name) => `Total ${name}(MB)`)];
  const rows = cellsOf(path, diagnostics, ['Component', 'Timestamp(us)'], columns);
  if (rows === null) return false;
  for (const [component, time, device, ...totals] of rows) {
    const start = timeOf(time, clock, diagnostics);
    const labels = { component: textOfCell(component) };
    TOTALS.forEach((name, i) => {
      const value = numberOfCell(totals[i]);
      const series = { metric: `memory_${name.toLowerCase()}`, unit: 'bytes', labels, onChange: true };
      if (!Number.isNaN(value)) samples.add(series, start, value * MB, deviceOf(device));
    });
  }
  return true;
};

/** Memory of the driver's modules. */
export const readModuleMemory: ReadMemory = (path, clock, samples, diagnostics) => {
  const rows = cellsOf(path, diagnostics, ['Component', 'Timestamp(us)', 'Total Reserved(MB)'], ['Device']);
  if (rows === null) return false;
  for (const [module, time, total, device] of rows) {
    const value = numberOfCell(total);
    if (Number.isNaN(value)) continue;
    const labels = { module: textOfCell(module) };
    const series = { metric: 'npu_module_mem', unit: 'bytes', labels, onChange: true };
    samples.add(series, timeOf(time, clock, diagnostics), value * MB, deviceOf(device));
  }
  return true;
};

export const readOperatorMemory: ReadMemory = (path, clock, samples, diagnostics) => {
  const columns = ['Duration(us)', 'Device Type', ...TOTALS.map((name) => `Allocation Total ${name}(MB)`)];
  const rows = cellsOf(path, diagnostics, ['Name', 'Size(KB)', 'Allocation Time(us)'], columns);
  if (rows === null) return false;
  for (const [name, size, time, duration, device, ...totals] of rows) {
    const start = timeOf(time, clock, diagnostics);
    const series = { metric: 'op_memory', unit: 'bytes', labels: { op: textOfCell(name) }, lasting: true };
    const own = TOTALS.map((total, i) => [total.toLowerCase(), numberOfCell(totals[i]) * MB] as const);
    const known = Object.fromEntries(own.filter(([, value]) => !Number.isNaN(value)));
    samples.add(series, start, numberOfCell(size) * KB, deviceOf(device), microsecondsOfCell(duration), known);
  }
  return true;
};
