/**
 * A trace → the columns that all readers fill (see `parse/capture/capture.ts`), read in one pass over its events.
 */
import { Diagnostics } from '../../../record/diagnostics.js';
import { UserError } from '../../../record/errors.js';
import type { Collective, HostMemory, StatementRecord } from '../../../record/record.js';
import {
  Activities,
  ACTIVITY_KINDS,
  Calls,
  type ActivityKind,
  type Capture,
  type Header,
  type Names,
} from '../../capture/capture.js';
import { NumericColumn } from '../../../containers/numeric-column.js';
import type { KernelContexts } from '../../capture/context.js';
import { demangle } from '../../names/demangle/demangle.js';
import type { Launches } from '../../capture/launches.js';
import { Threads } from '../../capture/threads.js';
import { ByteTexts } from '../../json/byte-texts.js';
import { copyKind, hostMemory, syncKind } from './activity-names.js';
import { ARG, argNumber, KINETO_ARGS } from './event-args.js';
import { categoryOf, type Category } from './categories.js';
import { readCollective } from './kernel-collective.js';
import { TorchContexts } from '../../torch/contexts.js';
import { readDevices } from './device-properties.js';
import { isMemoryEvent, MemoryEvents } from './memory-events.js';
import { EVENT, type TraceEvent } from '../../json/event-fields.js';
import { HostEvents } from '../../torch/host-events.js';
import { decodeValue } from '../../json/json-bytes.js';
import { nest } from '../../torch/nesting.js';
import { OpTexts } from './call-texts.js';
import { Ids, microsecondsAt, nanosecondsAt, numberAt } from '../../json/number-bytes.js';
import { readTrace, type TraceHeader } from '../../json/event-stream.js';

const KERNEL = ACTIVITY_KINDS.indexOf('kernel');

/** How much later than its parent an event may end where times are whole microseconds, in ns. */
const ROUNDING = 1000;

/** Phases of events: complete, and instant. */
const [COMPLETE, INSTANT] = [0x58, 0x69];

export class KinetoCapture implements Capture {
  readonly diagnostics = new Diagnostics();
  readonly threads = new Threads();
  readonly calls = new Calls();
  readonly activities = new Activities();
  readonly header: Header;
  readonly #texts = new ByteTexts();
  readonly #events = new HostEvents(new OpTexts(this.#texts));
  readonly ranges = this.#events.ranges;
  readonly names: Names = this.#names();
  readonly #externalIds = NumericColumn.floats();
  readonly #collectives = new Map<number, Collective>();
  readonly #ids = new Ids();
  readonly #memory = new MemoryEvents(this.#ids);
  /** Complete events of other categories than PyTorch's. */
  #passedOver = 0;
  /** By number of the category's text. */
  readonly #categories: (Category | null | undefined)[] = [];
  /** Whole microseconds at which the columns' times start, before they are moved to the first event. */
  #originUs = NaN;
  #start = 0;
  #end = 0;
  /** Whether any time has decimals. */
  #fine = false;
  /** Whether any activity's external id differs from its correlation id: only then it is an op's. */
  #trusted = false;
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
    const read = this.activities.length + this.ranges.length + this.calls.length + this.#memory.length;
    if (read === 0 && isWhole && this.#passedOver > 0) refuse(name);
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
      devices: readDevices(header.deviceProperties, new Set(this.activities.device.values)),
    };
  }

  collectiveOf(activity: number): Collective | null {
    return this.#collectives.get(activity) ?? null;
  }

  contexts(launches: Launches): KernelContexts {
    const { calls, activities, threads, diagnostics } = this;
    const { ops } = this.#events;
    const slack = this.#fine ? 0 : ROUNDING;
    const compareTies = (a: number, b: number): number => {
      const [opA, opB] = [this.#events.opOf(a), this.#events.opOf(b)];
      if (opA === -1 || opB === -1) return opA - opB || this.#compareNames(a, b);
      return ops.externalId.at(opA) - ops.externalId.at(opB) || this.#compareNames(a, b);
    };
    const isFrame = (range: number): boolean => this.#events.isFrame(range);
    const nesting = nest(this.ranges, this.#memory.after(calls), threads.count, { compareTies, slack, isFrame });
    this.#memory.place(nesting.innermost.subarray(calls.length));
    diagnostics.count('range-not-nested', nesting.unnested);
    const facts = {
      events: this.#events,
      nesting,
      threads,
      launches,
      callStart: (call: number) => calls.start.at(call),
      callThread: (call: number) => calls.thread.at(call),
      externalId: (activity: number) => this.#externalIds.at(activity),
      trusted: this.#trusted,
      slack,
    };
    return new TorchContexts(facts, kernelsOf(activities));
  }

  /** What the allocators hold over time. To be asked for after the contexts. */
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
    const phase = bytes[from[EVENT.ph] ?? 0];
    if (phase === INSTANT && isMemoryEvent(event, bytes)) this.#takeMemory(event, bytes);
    // Only complete events have a start and a duration.
    if (phase !== COMPLETE) return;
    const named = event.fields.has(EVENT.cat);
    const category = named ? this.#category(bytes, from[EVENT.cat] ?? 0, to[EVENT.cat] ?? 0) : null;
    if (category === null) {
      this.#passedOver++;
      return;
    }
    const timed = this.#readTimes(event, bytes);
    if (category.is === 'activity') {
      this.#takeActivity(category.kind, event, bytes, timed);
      return;
    }
    if (!timed || Number.isNaN(this.#end)) this.diagnostics.count('event-without-time');
    else if (this.#end < this.#start) this.diagnostics.count('negative-duration');
    else this.#takeHostEvent(category, event, bytes);
  }

  #category(bytes: Buffer, from: number, to: number): Category | null {
    const number = this.#texts.numberOf(bytes, from, to);
    const known = this.#categories[number];
    return known === undefined ? (this.#categories[number] = categoryOf(this.#texts.text(number))) : known;
  }

  /** Sets start and end. @returns whether there is a start */
  #readTimes({ fields: { from, to } }: TraceEvent, bytes: Buffer): boolean {
    const [tsFrom = -1, tsTo = -1] = [from[EVENT.ts], to[EVENT.ts]];
    this.#start = NaN;
    this.#end = NaN;
    if (tsFrom === -1) return false;
    if (Number.isNaN(this.#originUs)) this.#originUs = microsecondsAt(bytes, tsFrom, tsTo);
    this.#start = nanosecondsAt(bytes, tsFrom, tsTo, this.#originUs);
    const [durFrom = -1, durTo = -1] = [from[EVENT.dur], to[EVENT.dur]];
    if (durFrom !== -1) this.#end = this.#start + nanosecondsAt(bytes, durFrom, durTo, 0);
    if (!this.#fine && this.#start % 1000 !== 0) this.#fine = true;
    return !Number.isNaN(this.#start);
  }

  #takeHostEvent(category: Exclude<Category, { is: 'activity' }>, event: TraceEvent, bytes: Buffer): void {
    const { from, to } = event.fields;
    const thread = this.#threadOf(event, bytes);
    const nameFrom = from[EVENT.name] ?? -1;
    const name =
      nameFrom === -1 ? this.#texts.numberOf(bytes, 0, 0) : this.#texts.numberOf(bytes, nameFrom, to[EVENT.name] ?? 0);
    if (category.is === 'frame') this.#events.add('frame', this.#start, this.#end, thread, name);
    else if (category.is === 'annotation') this.#takeAnnotation(event, bytes, thread, name);
    else if (category.is === 'op') this.#takeOp(event, bytes, thread, name);
    else this.#takeCall(category.rank, event, bytes, thread, name);
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

  #takeCall(rank: number, event: TraceEvent, bytes: Buffer, thread: number, name: number): void {
    event.readArgs(bytes);
    const corr = this.#id(event, ARG.correlation, bytes);
    // A call without a correlation id cannot have launched anything.
    if (Number.isNaN(corr)) return;
    const { calls } = this;
    calls.start.push(this.#start);
    calls.end.push(this.#end);
    calls.thread.push(thread);
    calls.process.push(0);
    calls.corr.push(corr);
    calls.api.push(name);
    calls.rank.push(rank);
  }

  #takeActivity(kind: ActivityKind, event: TraceEvent, bytes: Buffer, timed: boolean): void {
    event.readArgs(bytes);
    const { activities } = this;
    const { from, to } = event.fields;
    const corr = this.#id(event, ARG.correlation, bytes);
    const externalId = this.#id(event, ARG.externalId, bytes);
    if (!Number.isNaN(externalId) && externalId !== corr) this.#trusted = true;
    const device = argNumber(event, ARG.device, bytes);
    const nameFrom = from[EVENT.name] ?? -1;
    const row = activities.length;
    activities.kind.push(ACTIVITY_KINDS.indexOf(kind));
    activities.start.push(timed ? this.#start : NaN);
    activities.end.push(this.#end);
    activities.device.push(device >= 0 ? device : this.#deviceByProcess(event, bytes));
    activities.stream.push(this.#streamOf(event, bytes));
    activities.process.push(0);
    activities.corr.push(corr);
    activities.node.push(argNumber(event, ARG.graphNode, bytes));
    activities.name.push(nameFrom === -1 ? NO_NAME : this.#texts.numberOf(bytes, nameFrom, to[EVENT.name] ?? 0));
    activities.bytes.push(argNumber(event, ARG.bytes, bytes));
    activities.value.push(kind === 'kernel' ? argNumber(event, ARG.graphId, bytes) : NaN);
    activities.extent.push(kind === 'kernel' ? activities.extents.length / 6 : 0);
    this.#externalIds.push(externalId);
    if (kind !== 'kernel') return;
    this.#pushExtent(event, ARG.grid, bytes);
    this.#pushExtent(event, ARG.block, bytes);
    if (!event.args.has(ARG.collective)) return;
    const args = decodeValue(bytes, from[EVENT.args] ?? 0, to[EVENT.args] ?? 0);
    const collective = readCollective(args);
    if (collective !== null) this.#collectives.set(row, collective);
  }

  /** `[56, 2, 1]` → three numbers; NaN where there are none. */
  #pushExtent({ args: { from, to } }: TraceEvent, key: number, bytes: Buffer): void {
    const { extents } = this.activities;
    const start = from[key] ?? -1;
    let at = start + 1;
    for (let i = 0; i < 3; i++) {
      let value = start === -1 ? NaN : 0;
      let digits = 0;
      for (; at < (to[key] ?? 0); at++) {
        const digit = (bytes[at] ?? 0) - 0x30;
        if (digit < 0 || digit > 9) {
          if (digits > 0) break;
        } else {
          value = value * 10 + digit;
          digits++;
        }
      }
      extents.push(digits === 0 ? NaN : value);
    }
  }

  #id({ args: { from, to } }: TraceEvent, key: number, bytes: Buffer): number {
    const at = from[key] ?? -1;
    return at === -1 ? NaN : this.#ids.at(bytes, at, to[key] ?? 0);
  }

  #textPlusOne({ args: { from, to } }: TraceEvent, key: number, bytes: Buffer): number {
    const at = from[key] ?? -1;
    const end = to[key] ?? 0;
    return at === -1 || end === at ? 0 : this.#texts.numberOf(bytes, at, end) + 1;
  }

  /** The stream in `args`, else the thread of the event: `7`, `stream 7`. */
  #streamOf(event: TraceEvent, bytes: Buffer): number {
    const stream = argNumber(event, ARG.stream, bytes);
    return Number.isNaN(stream) ? this.#trailingNumber(event, EVENT.tid, bytes) : stream;
  }

  /** A device's events have its number for a process. */
  #deviceByProcess(event: TraceEvent, bytes: Buffer): number {
    const pid = this.#trailingNumber(event, EVENT.pid, bytes);
    return pid >= 0 ? pid : 0;
  }

  #trailingNumber({ fields: { from, to } }: TraceEvent, key: number, bytes: Buffer): number {
    const at = from[key] ?? -1;
    if (at === -1) return NaN;
    const digits = /-?\d+$/.exec(bytes.toString('latin1', at, to[key] ?? 0))?.[0];
    return digits === undefined ? NaN : Number(digits);
  }

  #threadOf({ fields: { from, to } }: TraceEvent, bytes: Buffer): number {
    const pid = this.#hostNumber(bytes, from[EVENT.pid] ?? -1, to[EVENT.pid] ?? 0);
    const tid = this.#hostNumber(bytes, from[EVENT.tid] ?? -1, to[EVENT.tid] ?? 0);
    if (pid === this.#lastPid && tid === this.#lastTid) return this.#lastThread;
    this.#lastPid = pid;
    this.#lastTid = tid;
    return (this.#lastThread = this.threads.thread(this.threads.process(pid, pid), tid));
  }

  #hostNumber(bytes: Buffer, from: number, to: number): number {
    return from === -1 ? NaN : numberAt(bytes, from, to);
  }

  /** Moves all times so that the first event starts at 0. */
  #moveToFirstEvent(): void {
    const starts = [this.ranges.start, this.calls.start, this.activities.start, this.#memory.start];
    let first = Infinity;
    for (const { values } of starts) {
      for (let row = 0; row < values.length; row++) if ((values[row] as number) < first) first = values[row] as number;
    }
    if (first === Infinity) first = 0;
    this.#start = first;
    for (const column of [...starts, this.ranges.end, this.calls.end, this.activities.end]) {
      const { values } = column;
      for (let row = 0; row < values.length; row++) values[row] = (values[row] ?? NaN) - first;
    }
  }

  /** Unix time of the first event: times are relative to a base that traces since 2024 name, else to 1970. */
  #startUnixNs({ baseTimeNanoseconds }: TraceHeader): string | null {
    if (!Number.isFinite(this.#originUs)) return null;
    const ns = BigInt(this.#originUs) * 1000n + BigInt(Math.round(this.#start)) + BigInt(baseTimeNanoseconds ?? 0);
    return ns < EARLIEST_UNIX_NS ? null : String(ns);
  }

  /** Most names come demangled; those of AMD's libraries do not. */
  #demangled(name: string): string {
    const demangled = demangle(name);
    if (demangled === null) this.diagnostics.count('name-not-demangled');
    return demangled ?? name;
  }

  hostMemoryOf(activity: number): HostMemory | null {
    const code = this.activities.name.at(activity);
    return code === NO_NAME ? null : hostMemory(this.#texts.text(code));
  }

  #names(): Names {
    const texts = this.#texts;
    return {
      kernelName: (name) => (name === NO_NAME ? null : this.#demangled(texts.text(name))),
      apiName: (api) => texts.text(api),
      rangeText: (text) => this.#events.nameText(text),
      domainName: () => null,
      kindName: (kind, code) => {
        if (code === NO_NAME) return null;
        return kind === 'copy' ? copyKind(texts.text(code)) : syncKind(texts.text(code));
      },
    };
  }
}

/** 2000-01-01: earlier times are relative to a base that the trace does not tell. */
const EARLIEST_UNIX_NS = 946_684_800_000_000_000n;

/** Kernel name of rows that have none. */
const NO_NAME = 4294967295;

function* kernelsOf({ kind }: Activities): Generator<number> {
  for (let row = 0; row < kind.length; row++) if (kind.at(row) === KERNEL) yield row;
}

/** Many programs write the same JSON with other events. */
function refuse(where: string): never {
  const hint = 'dparse reads PyTorch traces of NVIDIA, AMD and Ascend devices';
  throw new UserError("is a trace without PyTorch's events", { where, hint });
}

function rankOf(distributedInfo: unknown): number | null {
  if (typeof distributedInfo !== 'object' || distributedInfo === null || !('rank' in distributedInfo)) return null;
  const { rank } = distributedInfo;
  return typeof rank === 'number' && Number.isSafeInteger(rank) && rank >= 0 ? rank : null;
}
