/**
 * memory_record.csv, operator_memory.csv and npu_module_mem.csv → samples: what allocators and modules hold over time,
 * and what ops allocated. MB are 2^20 bytes, KB 2^10: the tables MEMORY_RECORD, OP_MEMORY and NPU_MODULE_MEM of the
 * databases hold the same in bytes.
 */
import type { Diagnostics } from '../../../../record/diagnostics.js';
import { CsvTable } from './csv-file.js';
import type { Samples } from './text-samples.js';
import { microseconds, numberOf, type TraceClock } from './trace-clock.js';

const [KB, MB] = [1024, 1024 * 1024];

/** `NPU:0` → 0. */
const deviceOf = (text: string | undefined): number => Number(/\d+$/.exec((text ?? '').trim())?.[0] ?? 0);

/** @returns false when the file has another header */
export function readMemoryRecord(path: string, clock: TraceClock, samples: Samples, diagnostics: Diagnostics): boolean {
  const table = CsvTable.open(path, diagnostics);
  const [component = -1, time = -1, device = -1] = ['Component', 'Timestamp(us)', 'Device Type'].map((name) =>
    table?.column(name),
  );
  if (table === null || component === -1 || time === -1) return false;
  const metrics = ['Allocated', 'Reserved', 'Active'].map((name) => ({
    metric: `memory_${name.toLowerCase()}`,
    place: table.column(`Total ${name}(MB)`),
  }));
  for (const row of table.rows()) {
    const start = clock.ofText(row[time] ?? '');
    const labels = { component: (row[component] ?? '').trim() };
    for (const { metric, place } of metrics) {
      const value = numberOf(row[place]);
      if (Number.isNaN(value)) continue;
      samples.add({ metric, unit: 'bytes', labels, onChange: true }, start, value * MB, deviceOf(row[device]));
    }
  }
  return true;
}

/** What modules of the driver hold. @returns false when the file has another header */
export function readModuleMemory(path: string, clock: TraceClock, samples: Samples, diagnostics: Diagnostics): boolean {
  const table = CsvTable.open(path, diagnostics);
  const [module = -1, time = -1, total = -1, device = -1] = [
    'Component',
    'Timestamp(us)',
    'Total Reserved(MB)',
    'Device',
  ].map((name) => table?.column(name));
  if (table === null || module === -1 || time === -1 || total === -1) return false;
  for (const row of table.rows()) {
    const value = numberOf(row[total]);
    if (Number.isNaN(value)) continue;
    const labels = { module: (row[module] ?? '').trim() };
    const series = { metric: 'npu_module_mem', unit: 'bytes', labels, onChange: true };
    samples.add(series, clock.ofText(row[time] ?? ''), value * MB, deviceOf(row[device]));
  }
  return true;
}

/** @returns false when the file has another header */
export function readOperatorMemory(
  path: string,
  clock: TraceClock,
  samples: Samples,
  diagnostics: Diagnostics,
): boolean {
  const table = CsvTable.open(path, diagnostics);
  if (table === null) return false;
  const [name, size, time] = [table.column('Name'), table.column('Size(KB)'), table.column('Allocation Time(us)')];
  if (name === -1 || size === -1 || time === -1) return false;
  const [duration, device] = [table.column('Duration(us)'), table.column('Device Type')];
  const totals = ['Allocated', 'Reserved', 'Active'].map(
    (total) => [total.toLowerCase(), table.column(`Allocation Total ${total}(MB)`)] as const,
  );
  for (const row of table.rows()) {
    const start = clock.ofText(row[time] ?? '');
    const series = { metric: 'op_memory', unit: 'bytes', labels: { op: (row[name] ?? '').trim() }, lasting: true };
    const held = microseconds(row[duration] ?? '');
    const own = totals.map(([label, place]) => [label, numberOf(row[place]) * MB] as const);
    const told = Object.fromEntries(own.filter(([, value]) => !Number.isNaN(value)));
    samples.add(series, start, numberOf(row[size]) * KB, deviceOf(row[device]), held, told);
  }
  return true;
}
