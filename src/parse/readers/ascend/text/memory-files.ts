/**
 * memory_record.csv, operator_memory.csv and npu_module_mem.csv → samples: memory of allocators and modules over time,
 * and allocations of ops. MB are 2^20 bytes, KB 2^10, by comparison with the tables MEMORY_RECORD, OP_MEMORY and
 * NPU_MODULE_MEM of the databases, which are in bytes.
 */
import type { Diagnostics } from '../../../../record/diagnostics.js';
import { microsecondsOfCell, numberOfCell, textOfCell } from '../../../csv/csv-cells.js';
import { CsvTable } from '../../../csv/csv-table.js';
import type { TextSamples } from './text-samples.js';
import type { TraceClock } from '../../../capture/trace-clock.js';

const [KB, MB] = [1024, 1024 * 1024];

/** `NPU:0` → 0. */
function deviceOf(cell: string | undefined): number {
  const digits = /\d+$/.exec(textOfCell(cell))?.[0];
  return digits === undefined ? 0 : Number(digits);
}

/** @returns false when the file has another header */
export function readMemoryRecord(
  path: string,
  clock: TraceClock,
  samples: TextSamples,
  diagnostics: Diagnostics,
): boolean {
  const table = CsvTable.open(path, diagnostics);
  if (table === null) return false;
  const [component, time] = [table.column('Component'), table.column('Timestamp(us)')];
  const device = table.column('Device Type');
  if (component === -1 || time === -1) return false;
  const metrics = ['Allocated', 'Reserved', 'Active'].map((name) => ({
    metric: `memory_${name.toLowerCase()}`,
    index: table.column(`Total ${name}(MB)`),
  }));
  for (const row of table.rows()) {
    const start = clock.ofText(textOfCell(row[time]));
    const labels = { component: textOfCell(row[component]) };
    for (const { metric, index } of metrics) {
      const value = numberOfCell(row[index]);
      if (Number.isNaN(value)) continue;
      samples.add({ metric, unit: 'bytes', labels, onChange: true }, start, value * MB, deviceOf(row[device]));
    }
  }
  return true;
}

/** Memory of the driver's modules. @returns false when the file has another header */
export function readModuleMemory(
  path: string,
  clock: TraceClock,
  samples: TextSamples,
  diagnostics: Diagnostics,
): boolean {
  const table = CsvTable.open(path, diagnostics);
  if (table === null) return false;
  const [module, time] = [table.column('Component'), table.column('Timestamp(us)')];
  const [total, device] = [table.column('Total Reserved(MB)'), table.column('Device')];
  if (module === -1 || time === -1 || total === -1) return false;
  for (const row of table.rows()) {
    const value = numberOfCell(row[total]);
    if (Number.isNaN(value)) continue;
    const labels = { module: textOfCell(row[module]) };
    const series = { metric: 'npu_module_mem', unit: 'bytes', labels, onChange: true };
    samples.add(series, clock.ofText(textOfCell(row[time])), value * MB, deviceOf(row[device]));
  }
  return true;
}

/** @returns false when the file has another header */
export function readOperatorMemory(
  path: string,
  clock: TraceClock,
  samples: TextSamples,
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
    const start = clock.ofText(textOfCell(row[time]));
    const series = { metric: 'op_memory', unit: 'bytes', labels: { op: textOfCell(row[name]) }, lasting: true };
    const held = microsecondsOfCell(row[duration]);
    const own = totals.map(([label, index]) => [label, numberOfCell(row[index]) * MB] as const);
    const known = Object.fromEntries(own.filter(([, value]) => !Number.isNaN(value)));
    samples.add(series, start, numberOfCell(row[size]) * KB, deviceOf(row[device]), held, known);
  }
  return true;
}
