/**
 * Reader of kernel traces of AMD's rocprofv3 in CSV: one row for each kernel, without the call that launched it or the
 * process. Times are ns since the machine started. Columns are found by name; a column that versions name differently has
 * several names. Source: the documentation of rocprofiler-sdk and its example files of 2024 and 2025.
 */
import { Diagnostics } from '../../../record/diagnostics.js';
import { UserError } from '../../../record/errors.js';
import { CsvTable, numberOfCell, type CsvCells } from '../../csv/csv-table.js';
import type { Probe, Reader } from '../../reader.js';
import { TraceBuilder } from '../../trace/trace-builder.js';
import { middleOf, TIMES_READ } from '../../trace/clocks/trace-clock.js';

/** Valid times; a time of 0 was not recorded. */
const NANOSECONDS = /^0*[1-9]\d*$/;

/**
 * Converts the text of a time to ns after one of the profile's times, so that the result is exact and near 0 even if all
 * times are large; null for a text that is not a time.
 * @param times times of the profile; several of the first are read, because one may be damaged
 */
export function textClock(times: Iterable<string>): (text: string) => number | null {
  const first: bigint[] = [];
  for (const text of times) if (NANOSECONDS.test(text) && first.push(BigInt(text)) === TIMES_READ) break;
  const base = middleOf(first) ?? 0n;
  return (text) => (NANOSECONDS.test(text) ? Number(BigInt(text) - base) : null);
}

/**
 * `rocpd convert` writes a column before the kind. Tables of counters have no kind; those of copies and memory have no
 * kernel names.
 */
const HEADER = /^\uFEFF?(?:"?guid"?,)?"?kind"?,(?=.*\bkernel_name\b).*\bstart_timestamp\b/i;

export const rocprofv3: Reader = {
  id: 'rocprofv3-csv',
  title: 'kernel trace of rocprofv3 as CSV (rocprofv3 --kernel-trace --output-format csv)',
  reads: 'text',
  fileNames: /_kernel_trace\.csv(?:\.gz)?$/,
  docs: {
    profiler: 'AMD rocprofv3, rocmProfileData',
    input: 'CSV of the kernel trace of rocprofv3',
    made: [
      '`rocprofv3 --kernel-trace --output-format csv -- python train.py`: the file that ends in `_kernel_trace.csv`',
    ],
    read: [
      'Kernels with times, device, stream (in files of 2024 the queue), grid in blocks, block, vector registers and local memory (LDS). Files of 2024 and 2025, and those that `rocpd convert` writes.',
      "The file has no launches, no ranges and no process; other tables of rocprofv3 are not read. Times count from the machine's boot, so the Unix time of the profile's start is unknown. Only the number of a device is recorded.",
    ],
  },
  sniff: ({ head }) => HEADER.test(head.toString('utf8')),
  read(probe, options) {
    const trace = new TraceBuilder();
    const timeIn = textClock(startsOf(probe));
    for (const cell of rowsOf(probe, trace.diagnostics)) {
      const numbers = (...names: readonly string[]): number[] => names.map((name) => numberOfCell(cell(name)));
      const block = numbers('Workgroup_Size_X', 'Workgroup_Size_Y', 'Workgroup_Size_Z');
      const threads = numbers('Grid_Size_X', 'Grid_Size_Y', 'Grid_Size_Z');
      trace.kernel({
        ...{ name: cell('Kernel_Name') || null, start: timeIn(cell('Start_Timestamp')), end: timeIn(cell('End_Timestamp')) },
        device: numberOfCell(cell('Agent_Id').replace(/^\D+/, '')), // 'Agent 4', 'GPU 0', or 4.
        stream: numberOfCell(cell('Stream_Id', 'Queue_Id')),
        corr: numberOfCell(cell('Correlation_Id')) || null, // ROCm 6.2.0 writes 0 for all.
        ...{ grid: threads.map((size, axis) => Math.ceil(size / Number(block[axis]))), block },
        registers: numberOfCell(cell('VGPR_Count')),
        sharedBytes: numberOfCell(cell('LDS_Block_Size', 'Group_Segment_Size')),
      }); // prettier-ignore
    }
    return trace.records({ format: rocprofv3.id, tool: 'rocprofv3', device: { vendor: 'amd' } }, options);
  },
};

/**
 * Rows of a table.
 * @throws UserError for a table without names or times of kernels
 */
function rowsOf({ path, file }: Probe, diagnostics: Diagnostics): Iterable<CsvCells> {
  const table = CsvTable.open(path, diagnostics);
  const names = table?.header.map((name) => name.toLowerCase());
  if (table !== null && names?.includes('kernel_name') && names.includes('start_timestamp')) return table.cells();
  const hint = 'give the file that ends in _kernel_trace.csv';
  throw new UserError('has no columns Kernel_Name and Start_Timestamp', { where: file, hint });
}

function* startsOf(probe: Probe): Generator<string> {
  for (const cell of rowsOf(probe, new Diagnostics())) yield cell('Start_Timestamp');
}
