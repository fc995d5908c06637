/**
 * Reader of the JSON of AMD's rocprofv3: one object for each process. A record states its kind and operation by
 * numbers, whose names are in the same file. Times are ns since the machine started. A file whose tables come before
 * the records, as the tool writes them, is read once, front to back; any other is read twice. Memory: the tables, and
 * the columns of the records. Source: the tool's writer in rocprofiler-sdk, and a file of ROCm 7.
 */
import { basename } from 'node:path';
import { UserError } from '../../../record/errors.js';
import type { Device } from '../../../record/record.js';
import { ByteWindow } from '../../input/byte-window.js';
import { endOfValue, OPEN_BRACE, OPEN_BRACKET } from '../../json/json-bytes.js';
import { JsonCursor } from '../../json/json-cursor.js';
import { ExactDecoder, fieldOf, isJsonObject, listOf, sizeOf, textOf } from '../../json/json-value.js';
import { MemoryCurve } from '../../memory-blocks.js';
import type { Probe, Reader } from '../../reader.js';
import { TraceBuilder, type KernelRow, type WorkRow } from '../../trace/trace-builder.js';
import { TIMES_READ, textClock } from '../../trace/clocks/trace-clock.js';
import { amdDevice, memoryIn } from '../../amd/agents.js';
import { isRange, blocksOf, copyKind, kernelName } from '../../amd/work-rows.js';
import { fullerOutput } from '../../amd/outputs.js';
import { CounterSums } from '../../amd/counter-sums.js';
import { ProcessIds } from '../../trace/threads.js';

const ROOT = 'rocprofiler-sdk-tool';
const START = new RegExp(`^\\uFEFF?\\s*\\{\\s*"${ROOT}"\\s*:\\s*\\[`);
/** Size limit of a row in bytes. The row that describes an agent has about 20 kB. */
const LARGEST_ROW = 4 * 1024 * 1024;
/** Sections that are objects of lists. */
const NESTED = /^(?:strings|callback_records|buffer_records)$/;
/** Sections that the first pass reads. From the records, it reads only the first times. */
const TABLES =
  /^(?:metadata|agents|counters|kernel_symbols|strings\.(?:buffer_records|marker_api)|callback_records\.counter_collection)$/;
const [BUFFERS, COUNTS] = ['buffer_records', 'callback_records.counter_collection'];
const KERNELS = `${BUFFERS}.kernel_dispatch`;
const RECORDS = /^(?:metadata|callback_records\.counter_collection|buffer_records\..*)$/;

export const rocprofv3Json: Reader = {
  id: 'rocprofv3-json',
  title: 'rocprofv3 JSON (rocprofv3 --sys-trace --output-format json, *_results.json)',
  reads: 'text',
  docs: {
    profiler: 'AMD rocprofv3, rocmProfileData',
    input: 'rocprofv3 JSON',
    made: ['`rocprofv3 --sys-trace --output-format json -- python train.py`: the file that ends in `_results.json`'],
    read: [
      'The same data as the rocpd database of rocprofv3: kernels and copies with the HIP call that made them, device, stream, grid in blocks, block, registers and local memory (LDS), counters; roctx ranges; memory in use over time from allocations. Several processes in one file.',
      "Times count from the machine's boot, so the Unix time of the start is unknown. The command and the host's name are not read. The file is read as a stream: 1 GB takes about 0.5 GB of memory. In a folder, a database of the same run (`X_results.db`) is read instead.",
    ],
  },
  sniff: ({ head }) => START.test(head.toString('utf8')),
  isCovered: ({ file, folder }) =>
    fullerOutput(/^(.+)_results\.json/.exec(basename(file))?.[1], '_results.json', folder) ?? false,
  read(probe, options) {
    const { trace, processes, whole } = readOnce(probe) ?? readTwice(probe);
    if (!whole) trace.diagnostics.count('truncated-input');
    const found = processes.map((each) => each.finish());
    const devices = new Map(found.flatMap(({ devices: all }) => all).map((device) => [device.id, device]));
    const dur = found.length === 1 ? (found[0]?.dur ?? null) : null;
    return trace.records({ format: rocprofv3Json.id, tool: 'rocprofv3', dur, devices: [...devices.values()] }, options);
  },
};

/** Receives a row of a section such as `buffer_records.hip_api`; `index` counts processes from 0. */
type TakeRow = (index: number, section: string, row: unknown) => void;
/** Whether the rows of a section are read. Other sections are skipped. */
type IsWanted = (index: number, section: string) => boolean;

/**
 * Reads the rows of sections.
 * @returns whether the file is complete
 * @throws UserError for another file
 */
function readSections({ path, file }: Probe, isWanted: IsWanted, take: TakeRow): boolean {
  const window = new ByteWindow(path);
  const [cursor, decoder] = [new JsonCursor(window), new ExactDecoder()];
  let index = -1;
  const row = (section: string): boolean => {
    if (!isWanted(index, section)) return cursor.passValue();
    const span = cursor.whole(endOfValue);
    if (span === null || span.to === span.from) return false;
    take(
      index,
      section,
      span.to - span.from > LARGEST_ROW ? undefined : decoder.decode(span.bytes, span.from, span.to),
    );
    cursor.pass(span.to - span.from);
    return true;
  };
  const section = (name: string): boolean => {
    const first = cursor.next();
    if (first === OPEN_BRACE && NESTED.test(name)) return cursor.members((key) => section(`${name}.${key}`));
    if (!isWanted(index, name)) return cursor.passValue();
    return first === OPEN_BRACKET ? cursor.items(() => row(name)) : row(name);
  };
  const process = (first: number): boolean => {
    index++;
    return first === OPEN_BRACE ? cursor.members(section) : cursor.passValue();
  };
  const member = (name: string): boolean =>
    name === ROOT && cursor.next() === OPEN_BRACKET ? cursor.items(process) : cursor.passValue();
  try {
    if (cursor.next() === OPEN_BRACE) return cursor.members(member);
    throw new UserError('is not JSON of rocprofv3', { where: file, hint: 'give the file that ends in _results.json' });
  } finally {
    window.close();
  }
}

/** The tables of a process, as rows of the file. */
interface ProcessTables {
  metadata: unknown;
  readonly agents: unknown[];
  /** Names of kinds by number, each with the names of its operations by number. */
  readonly kinds: unknown[];
  readonly counterNames: Map<unknown, string>;
  readonly symbols: Map<unknown, Pick<KernelRow, 'name' | 'registers' | 'accumRegisters' | 'scalarRegisters'>>;
  /** Strings of roctx by correlation id. */
  readonly texts: Map<unknown, string | null>;
  /** Values of counters, by the handle of the counter. */
  readonly counted: CounterSums<unknown>;
  hasKernels: boolean;
  /** Whether kernels are among the counters. */
  hasCounts: boolean;
}

const NO_TABLES = { metadata: null, hasKernels: false, hasCounts: false };
const newTables = (): ProcessTables => ({
  ...{ ...NO_TABLES, agents: [], kinds: [], counterNames: new Map(), symbols: new Map(), texts: new Map() },
  counted: new CounterSums<unknown>(),
});

/** What is in a file. */
interface FoundRows {
  readonly trace: TraceBuilder;
  readonly processes: readonly ProcessReading[];
  /** Whether the file is complete. */
  readonly whole: boolean;
}

type Clock = ReturnType<typeof textClock>;

/** Rows that may wait for the first times of the file. */
const MOST_WAITING = 1000;

/**
 * Reads a file front to back, once: the tool writes the tables of each process before its records.
 * @returns null for a file in another order, and for one whose kernels are among the counters
 */
function readOnce(probe: Probe): FoundRows | null {
  const [trace, pids] = [new TraceBuilder(), new ProcessIds()];
  const [tables, processes, times]: [ProcessTables[], ProcessReading[], string[]] = [[], [], []];
  const waiting: Parameters<TakeRow>[] = [];
  const state = { timeIn: null as Clock | null, isInOrder: true };
  const processAt = (index: number, clock: Clock): ProcessReading =>
    (processes[index] ??= new ProcessReading((tables[index] ??= newTables()), trace, clock, pids));
  const readWaiting = (): void => {
    const clock = (state.timeIn ??= textClock(times));
    for (const [index, section, row] of waiting.splice(0)) processAt(index, clock).read(section, row);
  };
  const begun = new Set<number>();
  const isWanted: IsWanted = (_, section) => state.isInOrder && (TABLES.test(section) || RECORDS.test(section));
  const whole = readSections(probe, isWanted, (index, section, row) => {
    const table = (tables[index] ??= newTables());
    const isRecord = section.startsWith(BUFFERS);
    addTime(times, row);
    addTable(table, section, row);
    state.isInOrder &&= isRecord || !begun.has(index);
    if (isRecord) begun.add(index);
    // Counters are only added here, and kernels among them make the file one that is read twice.
    if (isRecord || section === 'metadata' || (section === COUNTS && !isJsonObject(row))) {
      if (state.timeIn !== null && begun.has(index)) processAt(index, state.timeIn).read(section, row);
      else waiting.push([index, section, row]);
    }
    if (times.length === TIMES_READ && begun.has(index) && waiting.length > 0) readWaiting();
    state.isInOrder &&= waiting.length <= MOST_WAITING;
  });
  if (!state.isInOrder || tables.some(({ hasCounts, hasKernels }) => hasCounts && !hasKernels)) return null;
  readWaiting();
  for (const index of tables.keys()) processAt(index, textClock(times));
  return { trace, processes, whole };
}

/** Reads a file in any order: first the tables, then the records. */
function readTwice(probe: Probe): FoundRows {
  const [trace, pids] = [new TraceBuilder(), new ProcessIds()];
  const { tables, times } = readTables(probe);
  const timeIn = textClock(times);
  const processes = tables.map((each) => new ProcessReading(each, trace, timeIn, pids));
  const isWanted: IsWanted = (_, section) => RECORDS.test(section);
  const whole = readSections(probe, isWanted, (index, section, row) => processes[index]?.read(section, row));
  return { trace, processes, whole };
}

/** The tables of each process, and the first times of the file. */
function readTables(probe: Probe): Readonly<{ tables: readonly ProcessTables[]; times: readonly string[] }> {
  const tables: ProcessTables[] = [];
  const times: string[] = [];
  const isWanted: IsWanted = (index, section) => {
    if (!section.startsWith(BUFFERS)) return TABLES.test(section);
    return times.length < TIMES_READ || (section === KERNELS && tables[index]?.hasKernels !== true);
  };
  readSections(probe, isWanted, (index, section, row) => {
    addTime(times, row);
    addTable((tables[index] ??= newTables()), section, row);
  });
  return { tables, times };
}

/** Adds the start of a row to the first times of the file. */
function addTime(times: string[], row: unknown): void {
  if (times.length === TIMES_READ) return;
  const start = fieldOf(row, 'start_timestamp') ?? fieldOf(fieldOf(row, 'dispatch_data'), 'start_timestamp');
  if (start !== undefined) times.push(digitsOf(start));
}

function addTable(tables: ProcessTables, section: string, row: unknown): void {
  if (section === KERNELS) tables.hasKernels = true;
  else if (section.startsWith(BUFFERS)) return;
  else if (section === 'metadata') tables.metadata = row;
  else if (section === 'agents') tables.agents.push(row);
  else if (section === 'strings.buffer_records') tables.kinds.push(row);
  else if (section === 'strings.marker_api') tables.texts.set(fieldOf(row, 'key'), textOf(fieldOf(row, 'value')));
  else if (section === 'counters') tables.counterNames.set(handleOf(row, 'id'), String(fieldOf(row, 'name')));
  else if (section === 'kernel_symbols') addSymbol(tables, row);
  else if (section === COUNTS) addCounters(tables, row);
}

function addSymbol({ symbols }: ProcessTables, row: unknown): void {
  const names = ['demangled_kernel_name', 'formatted_kernel_name', 'kernel_name'];
  const name = names.map((key) => kernelName(fieldOf(row, key))).find((text) => text !== null) ?? null;
  const [registers, accumRegisters] = [numberIn(row, 'arch_vgpr_count'), numberIn(row, 'accum_vgpr_count')];
  const scalarRegisters = numberIn(row, 'sgpr_count');
  symbols.set(fieldOf(row, 'kernel_id') ?? symbols.size, { name, registers, accumRegisters, scalarRegisters });
}

function addCounters(tables: ProcessTables, row: unknown): void {
  const { counted } = tables;
  tables.hasCounts = true;
  const dispatch = fieldOf(fieldOf(fieldOf(row, 'dispatch_data'), 'dispatch_info'), 'dispatch_id');
  for (const record of listOf(fieldOf(row, 'records')))
    counted.add(dispatch, handleOf(record, 'counter_id') ?? null, fieldOf(record, 'value'));
}

/** An integer as text; '' for any other value. */
const digitsOf = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : '';

/** The number in a member such as `{"agent_id": {"handle": 7}}`; a string above 2^53. */
const handleOf = (row: unknown, key: string): unknown => fieldOf(fieldOf(row, key), 'handle');
const numberIn = (row: unknown, key: string): number | null => sizeOf(fieldOf(row, key));
const axesOf = (row: unknown): (number | null)[] => ['x', 'y', 'z'].map((axis) => numberIn(row, axis));

class ProcessReading {
  /** GPUs by handle. */
  readonly #gpus = new Map<unknown, Device>();
  readonly #curve: MemoryCurve;
  #calls = 0;
  #work = 0;

  constructor(
    private readonly tables: ProcessTables,
    private readonly trace: TraceBuilder,
    private readonly timeIn: (text: string) => number | null,
    private readonly pids: ProcessIds,
  ) {
    this.#curve = new MemoryCurve(trace);
    for (const agent of tables.agents) {
      if (!/^(?:2|.*gpu)$/i.test(String(fieldOf(agent, 'type')))) continue;
      const id = numberIn(agent, 'logical_node_type_id') ?? numberIn(agent, 'gpu_index') ?? this.#gpus.size;
      const [product, arch] = [fieldOf(agent, 'product_name'), fieldOf(agent, 'name')];
      const [units, megahertz] = [numberIn(agent, 'cu_count'), numberIn(agent, 'max_engine_clk_fcompute')];
      const memory = memoryIn(fieldOf(agent, 'mem_banks'), arch);
      this.#gpus.set(handleOf(agent, 'id'), amdDevice({ id, product, arch, units, megahertz, ...memory }));
    }
  }

  read(section: string, row: unknown): void {
    const kind = section.slice(section.indexOf('.') + 1);
    if (section === 'metadata') this.trace.seen(this.#time(row, 'init_time'));
    else if (!isJsonObject(row)) this.trace.bad('malformed-event');
    else if (kind === 'kernel_dispatch') this.#kernel(row, row);
    else if (kind === 'counter_collection') {
      // The kernels are already in a trace of the same process.
      if (!this.tables.hasKernels) this.#kernel(row, fieldOf(row, 'dispatch_data'));
    } else if (kind === 'memory_copy') this.#copy(row);
    else if (kind === 'memory_allocation') this.#allocation(row);
    else if (kind === 'marker_api') {
      const category = this.#kindOf(row);
      if (category === null || isRange(category)) this.trace.range({ ...this.#onThread(row), text: this.#textOf(row) });
      else this.trace.unread(category, this.#time(row, 'start_timestamp'));
    } else if (kind.endsWith('_api')) {
      this.#calls++;
      this.trace.call({ ...this.#onThread(row), name: this.#operation(row), corr: corrOf(row) });
    } else this.trace.unread(kind, this.#time(row, 'start_timestamp'));
  }

  /** GPUs, and how long the tracer ran in ns. Call this once, after the last row. */
  finish(): { readonly devices: readonly Device[]; readonly dur: number | null } {
    this.#curve.write();
    this.tables.counted.report(this.trace);
    if (this.#calls > 0 && this.#work === 0) this.trace.bad('work-not-recorded');
    const [init, fini] = ['init_time', 'fini_time'].map((key) => this.#time(this.tables.metadata, key));
    const dur = typeof init === 'number' && typeof fini === 'number' && fini >= init ? fini - init : null;
    return { devices: [...this.#gpus.values()], dur };
  }

  #time(row: unknown, key: string): number | null {
    return this.timeIn(digitsOf(fieldOf(row, key)));
  }

  #span(row: unknown): Readonly<Record<'start' | 'end', number | null>> {
    return { start: this.#time(row, 'start_timestamp'), end: this.#time(row, 'end_timestamp') };
  }

  get #pid(): number | null {
    return this.pids.of(this, numberIn(this.tables.metadata, 'pid'));
  }

  /** The process, and the thread in the first of some rows that has one. */
  #threadOf(...rows: readonly unknown[]): Readonly<Record<'pid' | 'tid', number | null>> {
    const tid = rows.map((row) => numberIn(row, 'thread_id')).find((id) => id !== null) ?? null;
    return { pid: this.#pid, tid };
  }

  #onThread(row: unknown): Readonly<Record<'start' | 'end' | 'pid' | 'tid', number | null>> {
    return { ...this.#span(row), ...this.#threadOf(row) };
  }

  #kindOf(row: unknown): string | null {
    return textOf(fieldOf(this.tables.kinds[numberIn(row, 'kind') ?? -1], 'kind'));
  }

  #operation(row: unknown): string | null {
    const operations = listOf(fieldOf(this.tables.kinds[numberIn(row, 'kind') ?? -1], 'operations'));
    return textOf(operations[numberIn(row, 'operation') ?? -1]);
  }

  /** The text of a range, or its operation when the file has no text. */
  #textOf(row: unknown): string | null {
    return this.tables.texts.get(corrOf(row)) ?? this.#operation(row);
  }

  /** Cells that rows of kernels and copies share. */
  #workOf(row: unknown, timed: unknown, device: number | null): WorkRow {
    this.#work++;
    const stream = handleOf(row, 'stream_id') ?? handleOf(fieldOf(timed, 'dispatch_info'), 'queue_id');
    return { ...this.#span(timed), device, stream: sizeOf(stream), corr: corrOf(timed), ...this.#threadOf(timed, row) };
  }

  #kernel(row: unknown, timed: unknown): void {
    const info = fieldOf(timed, 'dispatch_info');
    const [id, dispatch] = [fieldOf(info, 'kernel_id'), fieldOf(info, 'dispatch_id')];
    const symbol = this.tables.symbols.get(id);
    const { registers = null, accumRegisters = null, scalarRegisters = null } = symbol ?? {};
    const block = axesOf(fieldOf(info, 'workgroup_size'));
    this.trace.kernel({
      ...this.#workOf(row, timed, this.#gpus.get(handleOf(info, 'agent_id'))?.id ?? null),
      ...{ name: symbol?.name ?? sizeOf(id), registers, accumRegisters, scalarRegisters },
      ...{ sharedBytes: numberIn(info, 'group_segment_size') },
      ...{ grid: blocksOf(axesOf(fieldOf(info, 'grid_size')), block), block },
      counters: this.tables.counted.of(
        dispatch,
        (counter) => this.tables.counterNames.get(counter) ?? `counter#${String(counter)}`,
      ),
    });
  }

  #copy(row: unknown): void {
    const [source, target] = ['src_agent_id', 'dst_agent_id'].map((key) => this.#gpus.get(handleOf(row, key))?.id);
    const isBetween = source !== undefined && target !== undefined && source !== target;
    const kind = copyKind(this.#operation(row) ?? '', isBetween);
    this.trace.copy({ ...this.#workOf(row, row, target ?? source ?? null), kind, bytes: numberIn(row, 'bytes') });
  }

  #allocation(row: unknown): void {
    const [operation, text] = [this.#operation(row) ?? '', digitsOf(fieldOf(row, 'address'))];
    const address = /^(?:0x[\da-f]+|\d+)$/i.test(text) ? Number(text) : null;
    const event = { ...this.#span(row), pid: this.#pid, address, space: /vmem/i.test(operation) ? 'virtual' : 'real' };
    const device = this.#gpus.get(handleOf(row, 'agent_id'))?.id ?? null;
    if (operation.endsWith('FREE')) this.#curve.released(event);
    else if (operation.endsWith('ALLOCATE'))
      this.#curve.allocated({ ...event, device, bytes: numberIn(row, 'allocation_size') });
    else this.trace.unread(`memory_allocation ${operation}`, event.start);
  }
}

/** The id that joins work to the call that launched it; 0 joins nothing. */
const corrOf = (row: unknown): number | null => (numberIn(fieldOf(row, 'correlation_id'), 'internal') ?? 0) || null;
