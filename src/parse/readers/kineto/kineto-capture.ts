/**
 * A trace → the columns of a capture (`parse/capture/capture-columns.ts`), in one pass over its events.
 */
import { Diagnostics } from '../../../record/diagnostics.js';
import { UserError } from '../../../record/errors.js';
import type { Collective, HostMemory, StatementRecord } from '../../../record/record.js';
import type { Capture, CaptureHeader, CaptureNames } from '../../capture/capture.js';
import { Activities, HostCalls, KIND_CODE, type ActivityRow } from '../../capture/capture-columns.js';
import { elementAt } from '../../../containers/element.js';
import { NumericColumn } from '../../../containers/numeric-column.js';
import type { KernelContexts } from '../../capture/kernel-contexts.js';
import { demangle } from '../../names/demangle/demangle.js';
import type { LaunchJoin } from '../../capture/launches.js';
import { ThreadTable } from '../../capture/threads.js';
import { ByteTexts } from '../../json/byte-texts.js';
import { copyKind, hostMemory, syncKind } from './activity-names.js';
import { ARG, argNumber, KINETO_ARGS, pushExtent, trailingNumber } from './event-args.js';
import { categoryOf, type EventCategory, type TracedActivity } from './categories.js';
import { readCollective } from './kernel-collective.js';
import { TorchContexts } from '../../torch/torch-contexts.js';
import { devicesOfTrace } from './device-properties.js';
import { isMemoryEvent, MemoryEvents } from './memory-events.js';
import { EVENT, type TraceEvent } from '../../json/event-fields.js';
import { HostEvents } from '../../torch/host-events.js';
import { decodeValue } from '../../json/json-bytes.js';
import { nest } from '../../torch/nesting.js';
import { KinetoTexts } from './call-texts.js';
import { Ids, microsecondsAt, nanosecondsAt, numberAt } from '../../json/number-bytes.js';
import { readTrace, type TraceHeader } from '../../json/event-stream.js';

/** How much later than its parent an event may end, in ns, where times are whole microseconds. */
const ROUNDING = 1000;

/** First bytes of the phases of events: complete (`X`) and instant (`i`). */
const [COMPLETE, INSTANT] = [0x58, 0x69];

export class KinetoCapture implements Capture {
  readonly diagnostics = new Diagnostics();
  readonly threads = new ThreadTable();
  readonly hostCalls = new HostCalls();
  readonly activities = new Activities();
  readonly header: CaptureHeader;
  readonly #texts = new ByteTexts();
  readonly #events = new HostEvents(new KinetoTexts(this.#texts));
  readonly ranges = this.#events.ranges;
  readonly names: CaptureNames = this.#names();
  readonly #externalIds = NumericColumn.floats();
  readonly #collectives = new Map<number, Collective>();
  readonly #ids = new Ids();
  readonly #memory = new MemoryEvents(this.#ids);
  /** Number of complete events of categories that are not PyTorch's. */
  #skipped = 0;
  /** Categories by the number of their text; undefined where not looked up yet. */
  readonly #categories: (EventCategory | null | undefined)[] = [];
  /** Origin of the columns' times, in whole microseconds, until they are shifted to the first event. */
  #originUs = NaN;
  /** Start and end of the event being read, in ns since the origin; NaN where it has none. */
  #start = 0;
  #end = 0;
  /** Whether any time has a fraction of a microsecond. */
  #hasFractions = false;
  /** Whether any activity's external id differs from its correlation id: only then external ids are those of ops. */
  #externalIdsAreOps = false;
  /** The last thread looked up: consecutive events mostly belong to one. */
  #lastPid = NaN;
  #lastTid = NaN;
  #lastThread = 0;

  /** @throws UserError when the file is no trace */
  constructor(path: string, name: string, format: string) {
    this.threads.process(NaN, NaN);
    const header = readTrace(path, name, KINETO_ARGS, this.diagnostics, (event, bytes) => {
      this.#take(event, bytes);
    });
    const isWhole = this.diagnostics.get('truncated-input') === 0;
    const read = this.activities.length + this.ranges.length + this.hostCalls.length + this.#memory.length;
    if (read === 0 && isWhole && this.#skipped > 0) refuse(name);
    this.diagnostics.count('large-id', this.#ids.large);
    this.diagnostics.count('control-character', this.#texts.withControls);
    if (this.activities.length === 0) this.diagnostics.count('no-device-activity');
    this.#moveToFirstEvent();
    this.header = {
      format,
      tool: 'PyTorch Profiler',
      rank: rankOf(header.distributedInfo),
      startUnixNs: this.#startUnixNs(header),
      dur: null,
      devices: devicesOfTrace(header.deviceProperties, new Set(this.activities.device.values)),
    };
  }

  collectiveOf(activity: number): Collective | null {
    return this.#collectives.get(activity) ?? null;
  }

  contexts(launches: LaunchJoin): KernelContexts {
    const { hostCalls, activities, threads, diagnostics } = this;
    const { ops } = this.#events;
    const slack = this.#hasFractions ? 0 : ROUNDING;
    const compareTies = (a: number, b: number): number => {
      const [opA, opB] = [this.#events.opOf(a), this.#events.opOf(b)];
      if (opA === -1 || opB === -1) return opA - opB || this.#compareNames(a, b);
      return ops.externalId.at(opA) - ops.externalId.at(opB) || this.#compareNames(a, b);
    };
    const isFrame = (range: number): boolean => this.#events.isFrame(range);
    const nesting = nest(this.ranges, this.#memory.after(hostCalls), threads.count, { compareTies, slack, isFrame });
    this.#memory.setRanges(nesting.innermost.subarray(hostCalls.length));
    diagnostics.count('range-not-nested', nesting.unnested);
    const facts = {
      events: this.#events,
      nesting,
      threads,
      launches,
      callStart: (call: number) => hostCalls.start.at(call),
      callThread: (call: number) => hostCalls.thread.at(call),
      externalId: (activity: number) => this.#externalIds.at(activity),
      externalIdsAreOps: this.#externalIdsAreOps,
      slack,
    };
    return new TorchContexts(facts, kernelsOf(activities));
  }

  /** Samples of the allocators. To be called after `contexts`, which finds the op of each allocation. */
  statements(profile: number): Iterable<StatementRecord> {
    return this.#memory.records(profile, this.diagnostics, this.#events);
  }

  #compareNames(a: number, b: number): number {
    const { text } = this.ranges;
    const [nameA, nameB] = [this.#events.nameText(text.at(a)), this.#events.nameText(text.at(b))];
    return nameA < nameB ? -1 : Number(nameA > nameB);
  }

  #take(event: TraceEvent, bytes: Buffer): void {
    const { from, to } = event.fields;
    const phase = bytes[elementAt(from, EVENT.ph)];
    if (phase === INSTANT && isMemoryEvent(event, bytes)) this.#takeMemory(event, bytes);
    // Only complete events have a start and a duration.
    if (phase !== COMPLETE) return;
    const named = event.fields.has(EVENT.cat);
    const category = named ? this.#category(bytes, elementAt(from, EVENT.cat), elementAt(to, EVENT.cat)) : null;
    if (category === null) {
      this.#skipped++;
      return;
    }
    const isTimed = this.#readTimes(event, bytes);
    if (category.is === 'activity') {
      this.#takeActivity(category.kind, event, bytes, isTimed);
      return;
    }
    if (!isTimed || Number.isNaN(this.#end)) this.diagnostics.count('event-without-time');
    else if (this.#end < this.#start) this.diagnostics.count('negative-duration');
    else this.#takeHostEvent(category, event, bytes);
  }

  #category(bytes: Buffer, from: number, to: number): EventCategory | null {
    const number = this.#texts.numberOf(bytes, from, to);
    const known = this.#categories[number];
    return known === undefined ? (this.#categories[number] = categoryOf(this.#texts.text(number))) : known;
  }

  /** Reads start and end into the fields. @returns whether there is a start */
  #readTimes({ fields: { from, to } }: TraceEvent, bytes: Buffer): boolean {
    const [tsFrom, tsTo] = [elementAt(from, EVENT.ts), elementAt(to, EVENT.ts)];
    this.#start = NaN;
    this.#end = NaN;
    if (tsFrom === -1) return false;
    if (Number.isNaN(this.#originUs)) this.#originUs = microsecondsAt(bytes, tsFrom, tsTo);
    this.#start = nanosecondsAt(bytes, tsFrom, tsTo, this.#originUs);
    const [durFrom, durTo] = [elementAt(from, EVENT.dur), elementAt(to, EVENT.dur)];
    if (durFrom !== -1) this.#end = this.#start + nanosecondsAt(bytes, durFrom, durTo, 0);
    if (!this.#hasFractions && this.#start % 1000 !== 0) this.#hasFractions = true;
    return !Number.isNaN(this.#start);
  }

  #takeHostEvent(category: Exclude<EventCategory, { is: 'activity' }>, event: TraceEvent, bytes: Buffer): void {
    const thread = this.#threadOf(event, bytes);
    const name = this.#nameOf(event, bytes) ?? this.#texts.numberOf(bytes, 0, 0);
    if (category.is === 'frame') this.#events.add('frame', this.#start, this.#end, thread, name);
    else if (category.is === 'annotation') this.#takeAnnotation(event, bytes, thread, name);
    else if (category.is === 'op') this.#takeOp(event, bytes, thread, name);
    else this.#takeCall(category.precedence, event, bytes, thread, name);
  }

  /** Number of the text of an event's name; null when it has none. */
  #nameOf({ fields: { from, to } }: TraceEvent, bytes: Buffer): number | null {
    const start = elementAt(from, EVENT.name);
    return start === -1 ? null : this.#texts.numberOf(bytes, start, elementAt(to, EVENT.name));
  }

  /** The profiler writes collectives (`nccl:all_reduce`) as annotations, with the arguments of an op. */
  #takeAnnotation(event: TraceEvent, bytes: Buffer, thread: number, name: number): void {
    event.readArgs(bytes);
    if (event.args.has(ARG.dims)) this.#takeOp(event, bytes, thread, name);
    else this.#events.add('annotation', this.#start, this.#end, thread, name);
  }

  #takeOp(event: TraceEvent, bytes: Buffer, thread: number, name: number): void {
    this.#events.addOp(this.#start, this.#end, thread, name);
    event.readArgs(bytes);
    const { ops } = this.#events;
    ops.externalId.push(this.#id(event, ARG.externalId, bytes));
    ops.sequence.push(argNumber(event, ARG.sequence, bytes));
    const forwardThread = argNumber(event, ARG.forwardThread, bytes);
    ops.forwardThread.push(forwardThread > 0 ? forwardThread : 0);
    ops.dims.push(this.#textPlusOne(event, ARG.dims, bytes));
    ops.types.push(this.#textPlusOne(event, ARG.types, bytes));
    ops.concrete.push(this.#textPlusOne(event, ARG.concrete, bytes));
    ops.callStack.push(this.#textPlusOne(event, ARG.callStack, bytes));
  }

  #takeMemory(event: TraceEvent, bytes: Buffer): void {
    if (!this.#readTimes(event, bytes)) this.diagnostics.count('event-without-time');
    else this.#memory.take(event, bytes, this.#start, this.#threadOf(event, bytes));
  }

  #takeCall(precedence: number, event: TraceEvent, bytes: Buffer, thread: number, name: number): void {
    event.readArgs(bytes);
    const corr = this.#id(event, ARG.correlation, bytes);
    // A call without a correlation id cannot have launched anything.
    if (Number.isNaN(corr)) return;
    const { hostCalls } = this;
    hostCalls.start.push(this.#start);
    hostCalls.end.push(this.#end);
    hostCalls.thread.push(thread);
    hostCalls.process.push(0);
    hostCalls.corr.push(corr);
    hostCalls.api.push(name);
    hostCalls.precedence.push(precedence);
  }

  #takeActivity(kind: TracedActivity, event: TraceEvent, bytes: Buffer, isTimed: boolean): void {
    event.readArgs(bytes);
    const { activities } = this;
    const corr = this.#id(event, ARG.correlation, bytes);
    const externalId = this.#id(event, ARG.externalId, bytes);
    if (!Number.isNaN(externalId) && externalId !== corr) this.#externalIdsAreOps = true;
    const device = argNumber(event, ARG.device, bytes);
    const row: ActivityRow = {
      start: isTimed ? this.#start : NaN,
      end: this.#end,
      device: device >= 0 ? device : this.#deviceByProcess(event, bytes),
      stream: this.#streamOf(event, bytes),
      process: 0,
      corr,
      node: argNumber(event, ARG.graphNode, bytes),
    };
    const name = this.#nameOf(event, bytes) ?? NO_NAME;
    this.#externalIds.push(externalId);
    switch (kind) {
      case 'kernel':
        activities.addKernel(row, name, argNumber(event, ARG.graphId, bytes));
        this.#addKernelFields(event, bytes);
        break;
      case 'copy':
        activities.addCopy(row, name, argNumber(event, ARG.bytes, bytes), NaN);
        break;
      case 'set':
        activities.addSet(row, argNumber(event, ARG.bytes, bytes), NaN);
        break;
      case 'sync':
        activities.addSync(row, name);
    }
  }

  /** Grid, block and collective operation of the kernel added last. */
  #addKernelFields(event: TraceEvent, bytes: Buffer): void {
    const { extents } = this.activities.kernels;
    pushExtent(event, ARG.grid, bytes, extents);
    pushExtent(event, ARG.block, bytes, extents);
    if (!event.args.has(ARG.collective)) return;
    const { from, to } = event.fields;
    const args = decodeValue(bytes, elementAt(from, EVENT.args), elementAt(to, EVENT.args));
    const collective = readCollective(args);
    if (collective !== null) this.#collectives.set(this.activities.length - 1, collective);
  }

  /** An id of the event's `args`; NaN when it has none. */
  #id({ args: { from, to } }: TraceEvent, key: number, bytes: Buffer): number {
    const at = elementAt(from, key);
    return at === -1 ? NaN : this.#ids.at(bytes, at, elementAt(to, key));
  }

  /** Number plus one of the text of an arg; 0 when the event has none. */
  #textPlusOne({ args: { from, to } }: TraceEvent, key: number, bytes: Buffer): number {
    const at = elementAt(from, key);
    const end = elementAt(to, key);
    return at === -1 || end === at ? 0 : this.#texts.numberOf(bytes, at, end) + 1;
  }

  /** The stream in `args`, else the thread of the event: `7`, `stream 7`. */
  #streamOf(event: TraceEvent, bytes: Buffer): number {
    const stream = argNumber(event, ARG.stream, bytes);
    return Number.isNaN(stream) ? trailingNumber(event, EVENT.tid, bytes) : stream;
  }

  /** Device id of events without one in `args`: their pid is the device's id. */
  #deviceByProcess(event: TraceEvent, bytes: Buffer): number {
    const pid = trailingNumber(event, EVENT.pid, bytes);
    return pid >= 0 ? pid : 0;
  }

  #threadOf({ fields: { from, to } }: TraceEvent, bytes: Buffer): number {
    const pid = this.#hostNumber(bytes, elementAt(from, EVENT.pid), elementAt(to, EVENT.pid));
    const tid = this.#hostNumber(bytes, elementAt(from, EVENT.tid), elementAt(to, EVENT.tid));
    if (pid === this.#lastPid && tid === this.#lastTid) return this.#lastThread;
    this.#lastPid = pid;
    this.#lastTid = tid;
    return (this.#lastThread = this.threads.thread(this.threads.process(pid, pid), tid));
  }

  #hostNumber(bytes: Buffer, from: number, to: number): number {
    return from === -1 ? NaN : numberAt(bytes, from, to);
  }

  /** Shifts all times so that the first event starts at 0. */
  #moveToFirstEvent(): void {
    const starts = [this.ranges.start, this.hostCalls.start, this.activities.start, this.#memory.start];
    let first = Infinity;
    for (const { values } of starts) {
      for (const value of values) if (value < first) first = value;
    }
    if (first === Infinity) first = 0;
    this.#start = first;
    for (const column of [...starts, this.ranges.end, this.hostCalls.end, this.activities.end]) {
      const { values } = column;
      for (let row = 0; row < values.length; row++) values[row] = elementAt(values, row) - first;
    }
  }

  /** Unix time of the first event in ns: times are relative to a base that traces since 2024 state, else to 1970. */
  #startUnixNs({ baseTimeNanoseconds }: TraceHeader): string | null {
    if (!Number.isFinite(this.#originUs)) return null;
    const ns = BigInt(this.#originUs) * 1000n + BigInt(Math.round(this.#start)) + BigInt(baseTimeNanoseconds ?? 0);
    return ns < EARLIEST_UNIX_NS ? null : String(ns);
  }

  /** Demangles a kernel's name: most are demangled in the trace, those of AMD's libraries are not. */
  #demangled(name: string): string {
    const demangled = demangle(name);
    if (demangled === null) this.diagnostics.count('name-not-demangled');
    return demangled ?? name;
  }

  hostMemoryOf(activity: number): HostMemory | null {
    const { copies, ownRow } = this.activities;
    const code = copies.kindCode.at(ownRow.at(activity));
    return code === NO_NAME ? null : hostMemory(this.#texts.text(code));
  }

  #names(): CaptureNames {
    const texts = this.#texts;
    return {
      kernelName: (name) => (name === NO_NAME ? null : this.#demangled(texts.text(name))),
      apiName: (api) => texts.text(api),
      rangeText: (text) => this.#events.nameText(text),
      domainName: () => null,
      copyKind: (code) => (code === NO_NAME ? null : copyKind(texts.text(code))),
      syncKind: (code) => (code === NO_NAME ? null : syncKind(texts.text(code))),
    };
  }
}

/** 2000-01-01: earlier times are relative to a base that the trace does not state. */
const EARLIEST_UNIX_NS = 946_684_800_000_000_000n;

/** Number of the name of activities that have none. */
const NO_NAME = 4294967295;

function* kernelsOf({ kind }: Activities): Generator<number> {
  for (let row = 0; row < kind.length; row++) if (kind.at(row) === KIND_CODE.kernel) yield row;
}

/** Refuses a trace of another program: many write the same JSON with other events. */
function refuse(where: string): never {
  const hint = 'dparse reads PyTorch traces of NVIDIA, AMD and Ascend devices';
  throw new UserError("is a trace without PyTorch's events", { where, hint });
}

function rankOf(distributedInfo: unknown): number | null {
  if (typeof distributedInfo !== 'object' || distributedInfo === null || !('rank' in distributedInfo)) return null;
  const { rank } = distributedInfo;
  return typeof rank === 'number' && Number.isSafeInteger(rank) && rank >= 0 ? rank : null;
}
