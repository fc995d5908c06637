/**
 * Reader of the CSV tables of AMD's rocprofv3: kernels, copies, calls, roctx ranges, allocations, counters, devices.
 * The tables of one process have the same prefix in their names, and are one profile. Times are ns since the machine
 * started. Columns are found by name, and some have different names in different versions. Source: the documentation of
 * rocprofiler-sdk and its example files from 2024 and 2025.
 */
import { basename, join } from 'node:path';
import { entryOf } from '../../../containers/map-entry.js';
import { Diagnostics } from '../../../record/diagnostics.js';
import { UserError } from '../../../record/errors.js';
import type { Device } from '../../../record/record.js';
import { CsvTable, numberOfCell, type CsvCells } from '../../csv/csv-table.js';
import { firstBytes, isFile, namesIn } from '../../files.js';
import { MemoryCurve } from '../../memory-blocks.js';
import type { Probe, Reader } from '../../reader.js';
import { TraceBuilder } from '../../trace/trace-builder.js';
import { textClock } from '../../trace/clocks/trace-clock.js';
import { agentNumber, amdDevice } from '../../amd/agents.js';
import { isRange, isRoctx, blocksOf, copyKind, hexOf, kernelName, type Counters } from '../../amd/work-rows.js';
import { fullerOutput } from '../../amd/outputs.js';
import { ProcessIds } from '../../trace/threads.js';
import { CounterSums } from '../../amd/counter-sums.js';

/** Kinds of tables by their header; they are read in this order. */
const HEADERS = {
  agents: /^(?=.*\bagent_type\b).*\bnode_id\b/i,
  calls: /^(?=.*\bfunction\b)(?=.*\bdomain\b).*\bstart_timestamp\b/i,
  kernels: /^(?=.*\bkind\b)(?=.*\bkernel_name\b).*\bstart_timestamp\b/i,
  counters: /^(?=.*\bkernel_name\b)(?=.*\bcounter_name\b).*\bcounter_value\b/i,
  copies: /^(?=.*\bkind\b)(?=.*\bdirection\b).*\bstart_timestamp\b/i,
  allocations: /^(?=.*\boperation\b)(?=.*\ballocation_size\b).*\baddress\b/i,
  unread: /^(?:(?=.*\balloc_flags\b).*\bstart_timestamp\b|.*\bsample_timestamp\b.*\bexec_mask\b)/i,
} as const;
type Kind = keyof typeof HEADERS;
const KINDS = Object.keys(HEADERS) as readonly Kind[];
/** Kinds of tables that are not a profile without others. */
const ASIDE: readonly (Kind | undefined)[] = ['agents', 'unread', undefined];

/** Names of the tables of one process: the prefix, then the name of the table. */
const NAME =
  /^(.+)_(kernel_trace|counter_collection|memory_(?:copy|allocation)_trace|scratch_memory_trace|pc_sampling_\w+|(?:hip|hsa|marker|rccl|rocdecode|rocjpeg)(?:_\w+)?_trace|agent_info)\.csv$/;
/** The table that stands for the others in a folder: the first that there is. */
const FIRST = ['kernel_trace', 'counter_collection', 'memory_copy_trace'];

function kindOf(head: Buffer): Kind | undefined {
  const [header = ''] = head.toString('utf8').split('\n');
  // Matches only column names, so that JSON or SQL on one line is not taken for a header.
  return /^\uFEFF?[\w", ]+\r?$/.test(header) ? KINDS.find((kind) => HEADERS[kind].test(header)) : undefined;
}

interface Table {
  readonly path: string;
  readonly kind: Kind;
}

/** The tables of the input's process, including the input. Compressed tables are separate profiles. */
function tablesOf({ path, file, folder, head }: Probe): Table[] {
  const kind = kindOf(head);
  const alone = kind === undefined ? [] : [{ path, kind }];
  const prefix = NAME.exec(basename(file))?.[1];
  if (folder === null || prefix === undefined) return alone;
  const tables = namesIn(folder, NAME).flatMap((name): Table[] => {
    const sibling = join(folder, name);
    if (NAME.exec(name)?.[1] !== prefix || !isFile(sibling)) return [];
    const found = kindOf(firstBytes(sibling, 4096));
    return found === undefined ? [] : [{ path: sibling, kind: found }];
  });
  return tables.length === 0 ? alone : tables;
}

/** Whether another output states more about the run, or the profile in a folder begins with another table of the process. */
function isCovered(probe: Probe): boolean | string {
  const name = basename(probe.file);
  const fuller = fullerOutput(NAME.exec(name)?.[1], '_kernel_trace.csv', probe.folder);
  if (fuller !== null) return fuller;
  const rankOf = (table: string): number => (FIRST.indexOf(NAME.exec(table)?.[2] ?? '') + FIRST.length + 1) % (FIRST.length + 1); // prettier-ignore
  const others = tablesOf(probe).flatMap(({ path, kind }) => (ASIDE.includes(kind) ? [] : [basename(path)]));
  return others.some((other) => rankOf(other) < rankOf(name) || (rankOf(other) === rankOf(name) && other < name));
}

export const rocprofv3: Reader = {
  id: 'rocprofv3-csv',
  title: 'rocprofv3 CSV tables (rocprofv3 --sys-trace --output-format csv, *_kernel_trace.csv)',
  reads: 'text',
  fileNames: /_kernel_trace\.csv(?:\.gz)?$/,
  docs: {
    profiler: 'AMD rocprofv3, rocmProfileData',
    input: 'rocprofv3 CSV tables',
    made: [
      '`rocprofv3 --sys-trace --output-format csv -- python train.py`: the folder, or the file that ends in `_kernel_trace.csv`, which is read with the other tables of its process',
    ],
    read: [
      'Kernels with times, device, stream (the queue in files from 2024, which have no streams), grid in blocks, block, vector registers and local memory (LDS); copies; HIP, HSA and RCCL calls, and which of them launched a kernel; roctx ranges; memory in use over time from allocations; counters; names, clocks and compute units of devices from `_agent_info.csv`. Files from ROCm 6.2 to 7, and those that `rocpd convert` writes.',
      'Tables with the same name prefix (`1234_kernel_trace.csv`, `1234_hip_api_trace.csv`) are one process and one profile. Devices have the numbers of `rocm-smi` if `_agent_info.csv` is there, and otherwise those of the tool, which count CPUs too. In a folder, the database or the JSON of the same run (`1234_results.db`, `1234_results.json`) is read instead. A table of counters without its kernel trace is a profile too; its kernels ran one at a time, so gaps between them mean nothing.',
      "Copies have no sizes. Times count from the machine's start, so the Unix time of the profile's start is unknown.",
    ],
  },
  sidecars: (folder) => namesIn(folder, NAME).map((name) => join(folder, name)),
  sniff: ({ head }) => !ASIDE.includes(kindOf(head)),
  isCovered,
  read(probe, options) {
    const tables = tablesOf(probe);
    if (tables.length === 0) {
      const hint = 'give the file that ends in _kernel_trace.csv';
      throw new UserError('is not a table of a rocprofv3 trace', { where: probe.file, hint });
    }
    const trace = new TraceBuilder();
    const profile = new TableReading(trace, tables);
    for (const kind of KINDS) for (const table of tables) if (table.kind === kind) profile.read(table);
    return trace.records(
      { ...profile.facts(), format: rocprofv3.id, tool: 'rocprofv3', device: { vendor: 'amd' } },
      options,
    );
  },
};

/** Rows of a table; none when it is empty. */
const rowsOf = (path: string, diagnostics: Diagnostics): Iterable<CsvCells> =>
  CsvTable.open(path, diagnostics)?.cells() ?? [];

function* startsOf(tables: readonly Table[]): Generator<string> {
  for (const { path } of tables) for (const cell of rowsOf(path, new Diagnostics())) yield cell('Start_Timestamp');
}

/** A label that counts agents of a type, `GPU 0`; other labels count all agents of the machine. */
const OF_TYPE = /^(?:GPU|CPU)/i;
const numbersIn = (cell: CsvCells, ...names: readonly string[]): number[] =>
  names.map((name) => numberOfCell(cell(name)));

class TableReading {
  readonly #timeIn: (text: string) => number | null;
  /** When calls began, by run, then by correlation id. */
  readonly #calls = new Map<string, Map<number, number>>();
  /** GPUs with work. */
  readonly #gpus = new Set<number | null>();
  /** GPUs in the table of agents, in the order of their numbers, which count CPUs too. */
  readonly #agents: Device[] = [];
  /** Processes of the runs that `rocpd convert` has put into one table. */
  readonly #pids = new ProcessIds();
  readonly #pidOfRun = new Map<string, number>();
  /** A row in the tables of counters for each dispatch, in the order of their numbers in `#counters`. */
  readonly #counted = new Map<string, readonly [number: number, cell: CsvCells]>();
  readonly #counters = new CounterSums();
  #hasWork = false;

  constructor(
    private readonly trace: TraceBuilder,
    private readonly tables: readonly Table[],
  ) {
    this.#timeIn = textClock(startsOf(tables));
    this.#readCounters();
  }

  read({ path, kind }: Table): void {
    const curve = new MemoryCurve(this.trace);
    const isTraced = this.tables.some((table) => table.kind === 'kernels');
    if (kind === 'counters') {
      // A trace of the same process has the kernels already.
      if (!isTraced) for (const [number, cell] of this.#counted.values()) this.#kernel(cell, this.#counters.of(number));
      return;
    }
    for (const cell of rowsOf(path, this.trace.diagnostics)) {
      if (kind === 'agents') this.#agent(cell);
      else if (kind === 'unread') this.trace.unread(NAME.exec(basename(path))?.[2] ?? 'other table');
      else if (kind === 'calls') this.#call(cell);
      else if (kind === 'kernels') this.#kernel(cell, this.#counters.of(this.#counted.get(dispatchOf(cell))?.[0]));
      else if (kind === 'copies') this.#copy(cell);
      else this.#allocation(cell, curve);
    }
    this.#agents.sort((a, b) => a.id - b.id);
    curve.write();
  }

  /** Facts about the profile from the rows read so far. */
  facts(): { readonly devices: readonly Device[] } {
    if (this.#calls.size > 0 && !this.#hasWork) this.trace.bad('work-not-recorded');
    this.#counters.report(this.trace);
    return { devices: this.#agents.map((agent, id) => ({ ...agent, id })) };
  }

  #span(cell: CsvCells): Readonly<Record<'start' | 'end', number | null>> {
    return { start: this.#timeIn(cell('Start_Timestamp')), end: this.#timeIn(cell('End_Timestamp')) };
  }

  /**
   * The id of the call that launched work; null for 0, and when the call with this id is later than the work, because
   * it then belongs to another run.
   */
  #corr(cell: CsvCells, end: number | null): number | null {
    const corr = numberOfCell(cell('Correlation_Id')) || null;
    return corr !== null && end !== null && (this.#calls.get(cell('Guid'))?.get(corr) ?? end) > end ? null : corr;
  }

  /**
   * The process and thread of work. Tables of counters state the process; otherwise it is that of the calls of the same run. A
   * run without calls has a number that no process has.
   */
  #threadOf(cell: CsvCells): Readonly<Record<'pid' | 'tid', number | null>> {
    const [run, process, tid] = [
      cell('Guid'),
      numberOfCell(cell('Process_Id')),
      numberOfCell(cell('Thread_Id')) || null,
    ];
    if (process > 0) return { pid: this.#pids.of(run, process), tid };
    if (run === '') return { pid: null, tid };
    const pid = entryOf(this.#pidOfRun, run, () => -1 - this.#pidOfRun.size);
    return { pid, tid: pid < 0 ? null : tid };
  }

  #agent(cell: CsvCells): void {
    if (!/gpu/i.test(cell('Agent_Type'))) return;
    const id = numberOfCell(cell('Node_Id'));
    if (Number.isNaN(id)) return;
    const [units, megahertz] = numbersIn(cell, 'Cu_Count', 'Max_Engine_Clk_Fcompute');
    const facts = { product: cell('Product_Name'), arch: cell('Name'), units, megahertz, memory: null };
    this.#agents.push(amdDevice({ id, ...facts }));
  }

  #call(cell: CsvCells): void {
    const [row, [process = NaN, tid, corr = NaN]] = [
      this.#span(cell),
      numbersIn(cell, 'Process_Id', 'Thread_Id', 'Correlation_Id'),
    ];
    const [run, domain] = [cell('Guid'), cell('Domain')];
    const pid = this.#pids.of(run, Number.isNaN(process) ? null : process);
    if (run !== '' && pid !== null) this.#pidOfRun.set(run, pid);
    if (isRange(domain)) {
      // Ranges of the process instead of a thread have 0.
      this.trace.range({ ...row, pid, tid: tid === 0 ? null : tid, text: cell('Function') });
      return;
    }
    if (isRoctx(domain)) {
      this.trace.unread(domain, row.start);
      return;
    }
    this.trace.call({ ...row, pid, tid, corr: corr === 0 ? null : corr, name: cell('Function') || null });
    if (corr > 0 && row.start !== null) entryOf(this.#calls, run, () => new Map<number, number>()).set(corr, row.start);
  }

  #kernel(cell: CsvCells, counters: Counters | undefined): void {
    const row = this.#span(cell);
    const block = numbersIn(cell, 'Workgroup_Size_X', 'Workgroup_Size_Y', 'Workgroup_Size_Z');
    this.trace.kernel({
      ...{ ...row, name: kernelName(cell('Kernel_Name')), device: this.#gpu(cell('Agent_Id')) },
      ...{
        stream: numberOfCell(cell('Stream_Id', 'Queue_Id')),
        corr: this.#corr(cell, row.end),
        ...this.#threadOf(cell),
      },
      ...{ grid: blocksOf(numbersIn(cell, 'Grid_Size_X', 'Grid_Size_Y', 'Grid_Size_Z'), block), block },
      registers: numberOfCell(cell('VGPR_Count')),
      accumRegisters: numberOfCell(cell('Accum_VGPR_Count')),
      scalarRegisters: numberOfCell(cell('SGPR_Count')),
      sharedBytes: numberOfCell(cell('LDS_Block_Size', 'Group_Segment_Size')),
      counters,
    });
  }

  #copy(cell: CsvCells): void {
    const row = this.#span(cell);
    const [direction, source, target] = [cell('Direction'), cell('Source_Agent_Id'), cell('Destination_Agent_Id')];
    const kind = copyKind(direction, source !== target);
    const device = kind === 'HtoH' || kind === null ? null : this.#gpu(kind === 'DtoH' ? source : target);
    const stream = numberOfCell(cell('Stream_Id'));
    this.trace.copy({ ...row, kind, device, stream, corr: this.#corr(cell, row.end), ...this.#threadOf(cell) });
    this.#hasWork = true;
  }

  #allocation(cell: CsvCells, curve: MemoryCurve): void {
    const [row, operation] = [this.#span(cell), cell('Operation')];
    const space = /vmem/i.test(operation) ? 'virtual' : 'real';
    const event = { ...row, space, address: hexOf(cell('Address')), pid: this.#threadOf(cell).pid };
    if (/free$/i.test(operation)) curve.released(event);
    else if (/alloc\w*$/i.test(operation))
      curve.allocated({
        ...event,
        bytes: numberOfCell(cell('Allocation_Size')),
        device: this.#memoryOf(cell('Agent_Id')),
      });
    else this.trace.unread(operation, row.start);
  }

  /**
   * The number of a GPU. As in other outputs, it counts the GPUs in the table of agents. Without this table, it is the number
   * in the label, which counts the machine's CPUs too. Null for an agent other than a GPU.
   */
  #deviceOf(label: string): number | null {
    const number = /^CPU/i.test(label) ? null : agentNumber(label);
    if (OF_TYPE.test(label) || this.#agents.length === 0) return number;
    const place = this.#agents.findIndex(({ id }) => id === number);
    return place === -1 ? null : place;
  }

  /** The GPU that runs work. */
  #gpu(label: string): number | null {
    const device = this.#deviceOf(label);
    this.#gpus.add(device);
    this.#hasWork = true;
    return device;
  }

  /** The GPU whose memory an agent's allocation takes; null for a CPU, and for an agent that may be one. */
  #memoryOf(label: string): number | null {
    const device = this.#deviceOf(label);
    const isGpu = OF_TYPE.test(label) || this.#agents.length > 0 || this.#gpus.has(device);
    return isGpu ? device : null;
  }

  /**
   * Counters of each dispatch. Another run with the same prefix may use the same dispatch numbers, but on other
   * threads.
   */
  #readCounters(): void {
    for (const { path, kind } of this.tables)
      for (const cell of kind === 'counters' ? rowsOf(path, this.trace.diagnostics) : []) {
        const isKnown = !Number.isNaN(numberOfCell(cell('Dispatch_Id')));
        const number = isKnown
          ? entryOf(this.#counted, dispatchOf(cell), () => [this.#counted.size, cell] as const)[0]
          : null;
        this.#counters.add(number, cell('Counter_Name'), numberOfCell(cell('Counter_Value')));
      }
  }
}

const dispatchOf = (cell: CsvCells): string =>
  JSON.stringify(['Guid', 'Dispatch_Id', 'Thread_Id', 'Kernel_Name'].map((name) => cell(name)));
