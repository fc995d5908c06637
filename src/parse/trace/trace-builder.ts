/**
 * Collects the rows that a reader finds in a profile, each as a plain object, in any order. A reader is a loop over
 * rows; the builder manages columns, threads, strings, order and the profile's start.
 *
 * Cells are passed as the profile has them: null, undefined and values that are not numbers are unknown, even a number
 * as text. Times are whole ns of one clock, at most 2^52 from 0 (`DatabaseClock` for databases, `textClock` for strings).
 * A bad cell makes only that cell unknown: work without times takes the time of its launch. A call or a range without
 * times is counted as `bad-row`. Readers of the largest profiles (Nsight Systems, Kineto) fill the columns of a `Trace`
 * themselves.
 */
import { elementAt } from '../../containers/element.js';
import { entryOf } from '../../containers/map-entry.js';
import { columns, compareCells, NarrowColumn, NumericColumn } from '../../containers/numeric-column.js';
import { allRows, sortRows } from '../../containers/row-order.js';
import { Diagnostics, type DiagnosticName } from '../../record/diagnostics.js';
import type {
  CopyKind,
  Device,
  HostMemory,
  LayerRecord,
  NoticeRecord,
  OpCall,
  ProfileLine,
  SampleRecord,
  StatementRecord,
  TensorRecord,
} from '../../record/record.js';
import { demangle } from '../names/demangle/demangle.js';
import type { ReadOptions } from '../reader.js';
import { UnreadEvents } from '../unread-events.js';
import { UNKNOWN_DEVICE, UNNAMED, type ActivityDetails, type TraceHeader, type CollectiveOperation } from './trace.js';
import { Activities, HostCalls, Ranges, type ActivityRow } from './trace-columns.js';
import { isNear, shiftToFirst } from './clocks/trace-clock.js';
import { emit } from './emit.js';
import { opMarker, type Marker } from './markers/markers.js';
import { compareTexts, startOf } from './record-order.js';
import { ThreadTable } from './threads.js';
import { WorkDetails, type OpRun } from './work-details.js';

/** A cell of a database, or a value of another file. Where a number is expected, any other value means unknown. */
export type Value = number | string | Uint8Array | null | undefined;
/** A string, or the number of a string in the profile's string table; any other value is an unknown text. */
export type Text = Value;

interface Timed {
  readonly start: Value;
  readonly end: Value;
}

export interface OnThread extends Timed {
  /** Process and thread ids of the operating system. */
  readonly pid: Value;
  readonly tid: Value;
  /** Distinguishes threads whose ids are unknown. */
  readonly thread?: number;
}

/** A call of the device's runtime library. */
export interface CallRow extends OnThread {
  readonly name: Text;
  /**
   * Correlation id that joins the call to the work it launched: unique in the profile, or in a process if work states its
   * `pid`.
   */
  readonly corr?: Value;
  /** If several calls have the same `corr`, the one with the lowest value is the launch; 0 when not given. */
  readonly precedence?: number;
  /** Return code of the call, 0 for success. */
  readonly result?: Value;
}

/** A range of the program. */
export interface RangeRow extends OnThread {
  /** Null when the range is still open at the end of the profile. */
  readonly end: Value;
  readonly text: Text;
  /** NVTX domain; the default domain when not given. */
  readonly domain?: Text;
  /** The op, if the profile states it in cells; otherwise it is read from the text. */
  readonly op?: OpCall | StatedOp | null;
}

/** A PyTorch op, with the facts that profilers record. */
interface StatedOp {
  /** Null when the range is not an op. */
  readonly name: Text;
  /** Sequence number of its autograd node. */
  readonly seq?: Value;
  /** Running number of the call. */
  readonly id?: Value;
  /** Shapes of its arguments, such as `[[8, 64], [], [64, 32]]`. */
  readonly sizes?: Text;
}

/** Work on a device. */
export interface WorkRow extends Timed, Pick<ActivityDetails, 'engine' | 'labels' | 'short'> {
  readonly counters?: ActivityDetails['counters'] | undefined;
  /** Work on an unknown device is counted as `bad-row` and assigned to device 0. */
  readonly device: Value;
  readonly stream?: Value;
  /** The context in which streams are numbered. */
  readonly context?: Value;
  /** The process that `corr` belongs to; negative for no process. Give it for all work or for none. */
  readonly pid?: Value;
  /** The thread that launched the work, where the row states it; work without a call in the profile is then on it. */
  readonly tid?: Value;
  readonly corr?: Value;
  /** Node of the graph that launched the work. */
  readonly node?: Value;
  /** Further fields of its record; rows of one op share the object. */
  readonly details?: ActivityDetails | undefined;
  readonly run?: OpRun;
  /** Picoseconds of its start and of its duration beyond whole nanoseconds. */
  readonly ps?: readonly [start: number, dur: number];
}

export interface KernelRow extends WorkRow {
  readonly name: Text;
  /** Number of blocks in the grid, and of threads in a block; null when unknown. */
  readonly grid?: readonly Value[] | null;
  readonly block?: readonly Value[] | null;
  /** Registers for each thread, and shared memory for each block. Give them for all kernels or for none. */
  readonly registers?: Value;
  readonly sharedBytes?: Value;
  /** AMD: accumulation registers for each thread, and scalar registers for each wave; for all kernels or for none. */
  readonly accumRegisters?: Value;
  readonly scalarRegisters?: Value;
  readonly graphId?: Value;
}

export interface CopyRow extends WorkRow {
  readonly kind: CopyKind | null;
  readonly bytes?: Value;
  readonly hostMemory?: HostMemory | null;
}

export type SampleRow = Pick<SampleRecord, 'metric' | 'unit' | 'labels' | 'text'> &
  Readonly<Record<'value', Value> & Partial<Record<'start' | 'end' | 'device', Value>>>;

/** Facts of a profile, other than work, host events and samples. */
type Statement = Omit<NoticeRecord, 'profile'> | Omit<TensorRecord, 'profile'> | Omit<LayerRecord, 'profile'>;

/** Facts that a profile states about itself. */
export interface TraceFacts extends Pick<TraceHeader, 'format' | 'job' | 'facts'> {
  /** Name and version of the profiler; null when the file does not state it. */
  readonly tool: string | null;
  /** Facts about every device with work. If absent, devices that are not described are left out. */
  readonly device?: Partial<Device> & Pick<Device, 'vendor'>;
  readonly rank?: number | null;
  /** Length of the session in ns; the end of the last event when not given. */
  readonly dur?: number | null;
  /** Devices that the profile describes. */
  readonly devices?: readonly (Partial<Device> & Pick<Device, 'id'>)[];
}

export class TraceBuilder {
  readonly diagnostics = new Diagnostics();
  readonly #unread = new UnreadEvents();
  readonly #threads = new ThreadTable();
  readonly #calls = new HostCalls();
  readonly #ranges = new Ranges();
  readonly #overhead = new Ranges();
  readonly #activities = new Activities();
  readonly #apis = new Numbered<Text>();
  readonly #kernels = new Numbered<Text>();
  readonly #kinds = new Numbered<Text>();
  readonly #memories = new Numbered<HostMemory>(['pageable', 'pinned', 'managed']);
  readonly #domains = new Numbered<Text>();
  /** Strings of ranges. A number stands for the text with that number in the profile's string table. */
  readonly #texts = new Numbered<Text>();
  readonly #markers: Marker[] = [];
  /** Numbers of the markers of ops without further facts, by name and text: they share a marker. */
  readonly #named = new Map<string, number>();
  /** Number of a range's marker, from 1; 0 for none. */
  readonly #marker = NarrowColumn.counts();
  readonly #details = new WorkDetails();
  /** The thread that each row of work states; NONE where it does not. */
  readonly #stated = NumericColumn.int32();
  readonly #operations = new Map<number, CollectiveOperation>();
  readonly #statements: Statement[] = [];
  readonly #samples = new Samples();
  /** Times of rows that are not read, because the profile may start with one of them. */
  readonly #otherTimes = NumericColumn.floats();
  /** Copies within the host's memory that state no device. */
  readonly #hostCopies: CopyRow[] = [];
  /** Whether any work was given without a process. */
  #isProcessUnknown = false;
  #origin: bigint | null = null;

  /** @param lookup the profile's string table, by number; null for a number that it does not contain */
  constructor(private readonly lookup: (id: number) => string | null = () => null) {
    const { space } = this.#activities;
    for (const rows of [this.#samples, this.#details]) rows.waitIn(space);
  }

  /** The text in a cell, or the text whose number is in the cell; null when unknown. */
  textOf(text: Text): string | null {
    return typeof text === 'number' ? this.lookup(text) : typeof text === 'string' ? text : null;
  }

  /**
   * Sets the Unix time, in ns, to which all times are relative. If it is not set, the profile's Unix time is unknown.
   */
  origin(unixNs: bigint | null): void {
    this.#origin = unixNs;
  }

  call(row: CallRow): void {
    const [start, end, thread] = [timeOf(row.start), timeOf(row.end), this.#thread(row)];
    if (!(start <= end)) this.bad('bad-row', row.start);
    else {
      const [corr, api, precedence] = [valueOf(row.corr), this.#apis.of(row.name), row.precedence ?? 0];
      this.#calls.push({ start, end, thread, process: 0, corr, api, precedence });
      this.#calls.setResult(valueOf(row.result));
    }
  }

  range(row: RangeRow): void {
    const [start, isOpen] = [timeOf(row.start), row.end === null || row.end === undefined];
    const end = isOpen ? Infinity : timeOf(row.end);
    if (!(start <= end)) {
      this.bad(end < start ? 'negative-duration' : 'bad-row', row.start);
      return;
    }
    if (isOpen) this.bad('open-range');
    const marker = this.#markerOf(row);
    if (marker !== 0) {
      while (this.#marker.length < this.#ranges.length) this.#marker.push(0);
      this.#marker.push(marker);
    }
    const domain = this.textOf(row.domain) === null ? NONE : this.#domains.of(row.domain);
    this.#ranges.push({ start, end, thread: this.#thread(row), text: this.#rangeText(row.text) });
    this.#ranges.domain.push(domain + 1);
  }

  /** Adds the profiler's own overhead: host time that is not the program's. */
  overhead(row: OnThread & Readonly<Record<'text', Text>>): void {
    const [start, end] = [timeOf(row.start), timeOf(row.end)];
    if (!(start <= end)) this.bad('bad-row', row.start);
    else this.#overhead.push({ start, end, thread: this.#thread(row), text: this.#rangeText(row.text) });
  }

  kernel(row: KernelRow): void {
    const { kernels } = this.#activities;
    this.#addDetails(row);
    const name = this.#kernels.of(row.name);
    this.#activities.addKernel(this.#work(row), name === NONE ? UNNAMED : name, valueOf(row.graphId));
    for (const extents of [row.grid, row.block])
      for (const axis of [0, 1, 2]) kernels.extents.push(extentOf(extents?.[axis]));
    this.#addOptional(kernels.registers, row.registers, row.sharedBytes);
    this.#addOptional(kernels.sharedBytes, row.sharedBytes, row.registers);
    this.#addOptional(kernels.accumRegisters, row.accumRegisters, row.scalarRegisters);
    this.#addOptional(kernels.scalarRegisters, row.scalarRegisters, row.accumRegisters);
  }

  /**
   * Adds a cell of the last kernel that formats may lack. The column stays empty until a kernel has it or its counterpart;
   * kernels before that one get unknown cells.
   */
  #addOptional(column: NarrowColumn, cell: Value, counterpart: Value): void {
    if (column.length === 0 && cell === undefined && counterpart === undefined) return;
    const before = this.#activities.kernels.name.length - 1;
    while (column.length < before) column.push(NaN);
    column.push(valueOf(cell));
  }

  copy(row: CopyRow): void {
    if (row.kind === 'HtoH' && Number.isNaN(valueOf(row.device))) {
      this.#hostCopies.push(row);
      return;
    }
    this.#addDetails(row);
    const memory = this.#memories.of(row.hostMemory);
    const kind = this.#kinds.of(row.kind);
    this.#activities.addCopy(this.#work(row), kind, valueOf(row.bytes), memory === NONE ? NaN : memory);
  }

  /** Adds memory that is set to a value. */
  set(row: WorkRow & Readonly<Partial<Record<'bytes' | 'value', Value>>>): void {
    this.#addDetails(row);
    this.#activities.addSet(this.#work(row), valueOf(row.bytes), valueOf(row.value));
  }

  /** Adds a wait for `kind`: event, stream, context … */
  sync(row: WorkRow & Readonly<Record<'kind', Text>>): void {
    this.#addDetails(row);
    this.#activities.addSync(this.#work(row), this.#kinds.of(row.kind));
  }

  /** Adds the launch of a graph that is traced as a whole. */
  graph(row: WorkRow & Readonly<Record<'graphId' | 'execId', Value>>): void {
    this.#activities.addGraph(this.#work(row), valueOf(row.graphId), valueOf(row.execId));
  }

  collective(row: WorkRow & Readonly<Record<'operation', CollectiveOperation>>): void {
    this.#addDetails(row);
    this.#operations.set(this.#activities.length, row.operation);
    this.#activities.addCollective(this.#work(row));
  }

  /** Adds a value at a time, over a span of time, or for the whole profile. */
  sample(row: SampleRow): void {
    const [start, end] = [timeOf(row.start), timeOf(row.end)];
    this.#samples.add(row, start, end);
  }

  /** A notice, a tensor or a layer; its times are in ns on the clock of the other rows. */
  state(statement: Statement): void {
    this.#statements.push(statement);
  }

  /** Statements and samples in order of start time. @param zero start of the profile on the clock of the rows */
  *#allStatements(profile: number, zero: number): Generator<StatementRecord> {
    const stated = this.#statements
      .map((statement): StatementRecord =>
        statement.type === 'layer'
          ? { ...statement, profile, start: statement.start - zero }
          : { ...statement, profile },
      )
      .sort((a, b) => startOf(a) - startOf(b) || 0);
    let next = 0;
    for (const sample of this.#samples.records(profile)) {
      for (
        let statement = stated[next];
        statement !== undefined && startOf(statement) <= startOf(sample);
        statement = stated[++next]
      )
        yield statement;
      yield sample;
    }
    yield* stated.slice(next);
  }

  /**
   * Counts a problem with a row.
   * @param start time of the row, because the profile may start with it
   */
  bad(what: DiagnosticName, start?: Value): void {
    this.diagnostics.count(what);
    this.seen(start);
  }

  /**
   * Counts rows of an event that the reader does not read.
   * @param kind name of the event in the profile
   */
  unread(kind: string, start?: Value, rows = 1): void {
    this.#unread.count(kind, rows);
    this.seen(start);
  }

  /** Adds a time of the profile, which may be its first. */
  seen(start: Value): void {
    const time = timeOf(start);
    if (!Number.isNaN(time)) this.#otherTimes.push(time);
  }

  /** Records of all rows. Call this once, after the last row. */
  records(about: TraceFacts, options: ReadOptions): Generator<ProfileLine> {
    this.#placeHostCopies();
    const [calls, ranges, overhead, activities] = [this.#calls, this.#ranges, this.#overhead, this.#activities];
    this.#joinProcesses();
    const apiOf = this.#apis.sorted((api) => this.textOf(api) ?? '');
    for (let call = 0; call < calls.length; call++) calls.api.set(call, apiOf(calls.api.at(call)));
    const statements = [this.#samples.start, this.#otherTimes];
    const starts = [...[calls, ranges, overhead, activities].map(({ start }) => start), ...statements];
    const first = shiftToFirst(starts, [calls, ranges, overhead, activities].map(({ end }) => end)); // prettier-ignore
    const isTimed = this.#samples.isTimed;
    const isDated = isTimed || starts.some((times) => times !== this.#samples.start && times.length > 0);
    const { format, tool, rank = null, dur = null, job, facts } = about;
    const header: TraceHeader = {
      ...{ format, tool, rank, ...(job === undefined ? undefined : { job }) },
      startUnixNs: this.#origin === null || !isDated ? null : String(this.#origin + BigInt(first)),
      ...{ dur, devices: this.#devices(about), facts: { ...facts, ...this.#unread.facts(this.diagnostics) } },
    };
    const lookup = (names: Numbered<Text>) => (number: number) => this.textOf(names.at(number));
    const { ownRow, copies } = activities;
    return emit(
      {
        ...{ header, threads: this.#threads, hostCalls: calls, ranges, activities, diagnostics: this.diagnostics },
        ...(overhead.length === 0 ? undefined : { overhead }),
        names: {
          kernelName: (number) => this.#demangled(this.textOf(this.#kernels.at(number))),
          kernelNumber: (number) => known(valueOf(this.#kernels.at(number))) ?? number,
          apiName: lookup(this.#apis),
          rangeText: (number) => this.textOf(number < 0 ? this.#texts.at(-1 - number) : number),
          domainName: (domain) => lookup(this.#domains)(domain - 1),
          copyKind: (code) => (this.#kinds.at(code) ?? null) as CopyKind | null,
          syncKind: lookup(this.#kinds),
        },
        markerOf: (range) => this.#markers[this.#marker.at(range) - 1] ?? null,
        operationOf: (row) => this.#operations.get(row) as CollectiveOperation,
        hostMemoryOf: (row) => this.#memories.at(copies.hostMemoryCode.at(ownRow.at(row))) ?? null,
        detailsOf: (row) => this.#details.of(row),
        statedThreadOf: (row) => (this.#stated.at(row) >= 0 ? this.#stated.at(row) : null),
        statements: (profile) => this.#allStatements(profile, first),
        statementTimes: () => statements,
      },
      options,
    );
  }

  #thread({ pid, tid, thread }: Omit<OnThread, 'start' | 'end'>): number {
    return this.#threads.thread(this.#process(valueOf(pid)), valueOf(tid), thread);
  }

  #process(pid: number): number {
    return this.#threads.process(Number.isNaN(pid) ? -1 : pid, pid);
  }

  #work(row: WorkRow): ActivityRow {
    const [start, pid, device] = [timeOf(row.start), valueOf(row.pid), valueOf(row.device)];
    // A record must state a device: work without one is assigned to the first device, and counted.
    if (Number.isNaN(device)) this.bad('bad-row');
    if (Number.isNaN(pid)) this.#isProcessUnknown = true;
    this.#addThread(row);
    return {
      ...{ start, end: Number.isNaN(start) ? NaN : timeOf(row.end), device },
      ...{ stream: valueOf(row.stream), context: valueOf(row.context), process: this.#process(pid) },
      ...{ corr: valueOf(row.corr), node: valueOf(row.node) },
    };
  }

  /** Keeps the thread that a row states. */
  #addThread({ pid, tid }: WorkRow): void {
    if (Number.isNaN(valueOf(tid))) return;
    while (this.#stated.length < this.#activities.length) this.#stated.push(NONE);
    this.#stated.push(this.#thread({ pid: Number(pid) < 0 ? null : pid, tid }));
  }

  #addDetails({ engine, counters, labels, short, details = NO_DETAILS, run, ps }: WorkRow): void {
    const hasMore = (engine ?? labels ?? short ?? null) !== null;
    if (details === NO_DETAILS && ps === undefined && !hasMore && (counters ?? null) === null) return;
    const parts = { engine, counters: counters && {}, labels, short };
    const stated = Object.entries(parts).filter(([, value]) => value !== undefined);
    const all = hasMore ? { ...details, ...Object.fromEntries(stated) } : details;
    this.#details.add(this.#activities.length, all, run, ps, counters);
  }

  /** Gives copies within the host's memory to the device that did all other work; if several did, they are not read. */
  #placeHostCopies(): void {
    const devices = new Set(this.#activities.device);
    const [device] = devices.size === 1 ? devices : [];
    for (const row of this.#hostCopies)
      if (device === undefined) this.unread('copies within host memory', row.start);
      else this.copy({ ...row, device });
  }

  /** Makes correlation ids unique in a process instead of in the profile if all work states its process. */
  #joinProcesses(): void {
    const { process: processes, length } = this.#activities;
    const { process: callProcesses, thread, length: calls } = this.#calls;
    const isShared = this.#isProcessUnknown || length === 0;
    const all = this.#process(NaN);
    for (let row = 0; isShared && row < length; row++) processes.set(row, all);
    for (let row = 0; row < calls; row++)
      callProcesses.set(row, isShared ? all : this.#threads.processOf(thread.at(row)));
  }

  #rangeText(text: Text): number {
    return Number.isSafeInteger(text) && (text as number) >= 0 ? (text as number) : -1 - this.#texts.of(text ?? '');
  }

  /** The number of a range's marker, from 1; 0 when the range states no op. */
  #markerOf({ op, text }: RangeRow): number {
    if (op === null || op === undefined) return 0;
    if ('mod' in op) return this.#markers.push({ kind: 'call', call: op });
    const [name, sizes] = [this.textOf(op.name), this.textOf(op.sizes)];
    if (name === null) return 0;
    const shapes = sizes?.startsWith('[[') === true ? sizes.slice(1, -1) : sizes;
    const facts = { seq: known(valueOf(op.seq)), opId: known(valueOf(op.id)), sizes: shapes === '' ? null : shapes };
    const shown = this.textOf(text) ?? name;
    const add = (): number => this.#markers.push(opMarker(name, { text: shown, ...facts }));
    const isNamed = Object.values(facts).every((fact) => fact === null);
    return isNamed ? entryOf(this.#named, `${name}\0${shown}`, add) : add();
  }

  #demangled(name: string | null): string | null {
    const demangled = name === null ? null : demangle(name);
    if (name !== null && demangled === null) this.diagnostics.countText('name-not-demangled', name);
    return demangled ?? name;
  }

  #devices({ devices = [], device }: TraceFacts): Device[] {
    const described = new Map(devices.map((device) => [device.id, device]));
    const ids = new Set([...described.keys(), ...(device === undefined ? [] : this.#activities.device)]);
    return [...ids].sort((a, b) => a - b).map((id) => ({ id, ...UNKNOWN_DEVICE, ...device, ...described.get(id) }));
  }
}

/** Used instead of the number of an unknown value. */
const NONE = -1;

/** Details of all rows that have none. */
const NO_DETAILS: ActivityDetails = {};

/** Distinct values, numbered from 0 in the order in which they were added. */
class Numbered<T> {
  readonly #numbers = new Map<T, number>();
  readonly #values: T[] = [];

  constructor(first: readonly T[] = []) {
    for (const value of first) this.of(value);
  }

  of(value: T | null | undefined): number {
    if (value === null || value === undefined) return NONE;
    const number = this.#numbers.get(value);
    if (number !== undefined) return number;
    this.#numbers.set(value, this.#values.length);
    return this.#values.push(value) - 1;
  }

  at(number: number): T | undefined {
    return this.#values[number];
  }

  /**
   * Renumbers values in the order of their strings, so that the result does not depend on the order of rows.
   * @returns the new number for a number
   */
  sorted(textOf: (value: T) => string): (number: number) => number {
    const order = this.#values
      .map((value) => [value, textOf(value)] as const)
      .sort(([, a], [, b]) => compareTexts(a, b));
    const before = [...this.#values];
    this.#numbers.clear();
    this.#values.length = 0;
    for (const [value] of order) this.of(value);
    return (number) => this.of(before[number]);
  }
}

/** A finite number; NaN for any other value. */
const valueOf = (value: Value): number => (Number.isFinite(value) ? (value as number) : NaN);

/** A time in ns; NaN for any other value. */
export const timeOf = (value: Value): number =>
  Number.isInteger(value) && isNear(value as number) ? (value as number) : NaN;

/** A number of blocks or threads, which is at least 1; 0 when unknown. */
const extentOf = (value: Value): number =>
  Number.isInteger(value) && (value as number) > 0 && (value as number) < UNNAMED ? (value as number) : 0;

const known = (value: number): number | null => (Number.isNaN(value) ? null : value);

/** What samples of one kind share. */
interface SampleKind extends Pick<SampleRow, 'metric' | 'unit' | 'labels' | 'text'> {
  /** Whether they are over a span of time. */
  readonly isSpan: boolean;
}

/** Samples in any order. Memory: 30 bytes for each, and the metrics, labels and strings that differ. */
class Samples extends columns({ start: 'time', dur: 'id', device: 'id', value: 'id', kind: 'count' }) {
  readonly #kinds: SampleKind[] = [];
  readonly #numbers = new Map<string, number>();

  add(row: SampleRow, start: number, end: number): void {
    const dur = end >= start ? end - start : NaN;
    this.pushCells(start, dur, valueOf(row.device), valueOf(row.value), this.#kindOf(row));
  }

  /** Whether any sample has a time. */
  get isTimed(): boolean {
    for (const time of this.start) if (!Number.isNaN(time)) return true;
    return false;
  }

  /** The records in order of start time, those without a time first. */
  *records(profile: number): Generator<SampleRecord> {
    const rows = allRows(this.length);
    sortRows(rows, (a, b) => this.#compare(a, b));
    for (const row of rows) yield { type: 'sample', profile, ...this.#at(row) };
  }

  #kindOf({ metric, unit, labels, text, end }: SampleRow): number {
    const isSpan = end !== undefined;
    const key = JSON.stringify([isSpan, labels, unit, metric, text]);
    return entryOf(this.#numbers, key, () => {
      const given = {
        ...(text === undefined ? undefined : { text }),
        ...(labels === undefined ? undefined : { labels }),
      };
      return this.#kinds.push({ metric, unit, ...given, isSpan }) - 1;
    });
  }

  #at(row: number): Omit<SampleRecord, 'type' | 'profile'> {
    const { metric, unit, labels, text, isSpan } = elementAt(this.#kinds, this.kind.at(row));
    return {
      start: known(this.start.at(row)),
      ...(isSpan ? { dur: known(this.dur.at(row)) } : undefined),
      ...{ device: known(this.device.at(row)), metric, value: known(this.value.at(row)) },
      ...(text === undefined ? undefined : { text }),
      ...{ unit, ...(labels === undefined ? undefined : { labels }) },
    };
  }

  /** Compares by start, with unknown times first, then by the other fields. */
  #compare(a: number, b: number): number {
    const byStart = -compareCells(-this.start.at(a), -this.start.at(b));
    return byStart === 0 ? compareTexts(JSON.stringify(this.#at(a)), JSON.stringify(this.#at(b))) : byStart;
  }
}
