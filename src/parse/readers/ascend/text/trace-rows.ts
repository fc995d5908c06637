/**
 * trace_view.json → columns, in one pass over its events. Events are classified by their content, not by their process,
 * whose name may come later in the file or be cut off.
 */
import type { Diagnostics } from '../../../../record/diagnostics.js';
import { HostCalls } from '../../../capture/capture-columns.js';
import { decodeValue } from '../../../json/json-bytes.js';
import { ThreadTable } from '../../../capture/threads.js';
import { HostEvents } from '../../../torch/host-events.js';
import { ByteTexts } from '../../../json/byte-texts.js';
import { EVENT, type TraceEvent } from '../../../json/event-fields.js';
import { Ids, nanosecondsAt, numberAt } from '../../../json/number-bytes.js';
import { readTrace } from '../../../json/event-stream.js';
import { ARG, ASCEND_ARGS } from './trace-args.js';
import { CollectiveParts, type TracedOperation } from './collective-parts.js';
import { counterKind, counterValue, type CounterKind } from './counter-events.js';
import { LaunchQueue, TraceFlows } from './flows.js';
import { AscendTexts } from './op-texts.js';
import { TextSamples } from './text-samples.js';
import { TraceTasks } from './trace-tasks.js';
import type { TextClock } from './trace-clock.js';

type HostEventKind = 'op' | 'frame' | 'range' | 'put' | 'taken' | 'flow';

/** Kinds of host events by category; events of the device have no category. */
const CATEGORIES: ReadonlyMap<string, HostEventKind> = new Map([
  ['cpu_op', 'op'],
  ['python_function', 'frame'],
  ['user_annotation', 'range'],
  ['GC', 'range'],
  ['enqueue', 'put'],
  ['dequeue', 'taken'],
  ['async_npu', 'flow'],
]);

/** Layers of the driver library, in order of preference for a task's launch: see `Calls.rank`. */
const LEVELS: ReadonlyMap<string, number> = new Map([
  ['node', 0],
  ['hccl', 1],
  ['communication', 1],
  ['acl', 2],
  ['runtime', 3],
  ['model', 4],
]);
const OTHER_LEVEL = 5;

/** Process ids above Linux's maximum are composed: host process · 1024 + kind of process · 32 + device. */
const MOST_PIDS = 4_194_304;
const [PID_STEP, DEVICES] = [1024, 32];

/** Phases of events. */
const [COMPLETE, COUNTER, METADATA, FLOW_START, FLOW_END] = [0x58, 0x43, 0x4d, 0x73, 0x66];

/** A collective operation of a trace. */
export interface TracedCollective extends TracedOperation {
  readonly start: number;
  readonly end: number;
  readonly lane: number;
  readonly pid: number;
  readonly tid: number;
  readonly connection: number;
}

export class AscendTrace {
  readonly threads = new ThreadTable();
  readonly calls = new HostCalls();
  readonly texts = new ByteTexts();
  readonly host = new HostEvents(new AscendTexts(this.texts));
  readonly tasks = new TraceTasks();
  readonly collectives: TracedCollective[] = [];
  readonly parts = new CollectiveParts();
  readonly flows = new TraceFlows();
  readonly queue = new LaunchQueue();
  readonly samples = new TextSamples();
  /** Threads of the device's processes. */
  readonly #lanes = new ThreadTable();
  /** Devices of processes by their labels. */
  readonly #devices = new Map<number, number>();
  /** Kinds of categories and of counters, by text number. */
  readonly #categories: (HostEventKind | null | undefined)[] = [];
  readonly #counters: (CounterKind | null | undefined)[] = [];
  readonly #ids = new Ids();
  #hostPid = NaN;
  #start = 0;
  #end = 0;

  /** @throws UserError when the file is no trace */
  constructor(
    path: string,
    name: string,
    private readonly clock: TextClock,
    private readonly diagnostics: Diagnostics,
  ) {
    this.threads.process(NaN, NaN);
    readTrace(path, name, ASCEND_ARGS, diagnostics, (event, bytes) => {
      this.#take(event, bytes);
    });
    diagnostics.count('large-id', this.#ids.large);
    diagnostics.count('control-character', this.texts.withControls);
  }

  /** The device of a lane. */
  deviceOf(lane: number): number {
    return this.#deviceOfProcess(this.#lanes.pid(this.#lanes.processOf(lane)));
  }

  #deviceOfProcess(pid: number): number {
    return this.#devices.get(pid) ?? (pid > MOST_PIDS ? pid % DEVICES : 0);
  }

  #take(event: TraceEvent, bytes: Buffer): void {
    switch (phaseOf(event, bytes)) {
      case COMPLETE:
        this.#takeComplete(event, bytes);
        break;
      case COUNTER:
        this.#takeCounter(event, bytes);
        break;
      case METADATA:
        this.#takeMetadata(event, bytes);
        break;
      case FLOW_START:
      case FLOW_END:
        this.#takeFlow(event, bytes);
    }
  }

  #takeComplete(event: TraceEvent, bytes: Buffer): void {
    const category = this.#category(event, bytes);
    const timed = this.#readTimes(event, bytes);
    const whole = timed && !Number.isNaN(this.#end);
    if (category === undefined) {
      if (event.readArgs(bytes)) this.#takeOwn(event, bytes, timed, whole);
      return;
    }
    if (category === null) return;
    if (!whole) this.diagnostics.count('event-without-time');
    else if (this.#end < this.#start) this.diagnostics.count('negative-duration');
    else this.#takeHostEvent(category, event, bytes);
  }

  /** Kind of the event's category; null for one that is ignored, undefined without a category. */
  #category({ fields }: TraceEvent, bytes: Buffer): HostEventKind | null | undefined {
    if (!fields.has(EVENT.cat)) return undefined;
    const number = this.texts.numberOf(bytes, fields.from[EVENT.cat] as number, fields.to[EVENT.cat] as number);
    const known = this.#categories[number];
    if (known !== undefined) return known;
    return (this.#categories[number] = CATEGORIES.get(this.texts.text(number)) ?? null);
  }

  #takeHostEvent(category: HostEventKind, event: TraceEvent, bytes: Buffer): void {
    const pid = this.#field(event, EVENT.pid, bytes);
    if (Number.isNaN(this.#hostPid)) this.#hostPid = pid;
    const thread = this.#threadOf(pid, this.#field(event, EVENT.tid, bytes));
    switch (category) {
      case 'op':
        this.#takeOp(event, bytes, thread);
        break;
      case 'frame':
        this.host.add('frame', this.#start, this.#end, thread, this.#name(event, bytes));
        break;
      case 'range':
        this.host.add('annotation', this.#start, this.#end, thread, this.#name(event, bytes));
        break;
      default: {
        event.readArgs(bytes);
        const entry = this.#arg(event, ARG.queued, bytes);
        if (Number.isNaN(entry)) return;
        if (category === 'put') this.queue.addPut(this.#start, this.#end, thread, entry);
        else if (category === 'taken') this.queue.addTaken(this.#start, this.#end, thread, entry);
      }
    }
  }

  #takeOp(event: TraceEvent, bytes: Buffer, thread: number): void {
    this.host.addOp(this.#start, this.#end, thread, this.#name(event, bytes));
    event.readArgs(bytes);
    const { ops } = this.host;
    const sequence = this.#arg(event, ARG.sequence, bytes);
    const forwardThread = this.#arg(event, ARG.forwardThread, bytes);
    ops.externalId.push(NaN);
    ops.sequence.push(sequence >= 0 ? sequence : NaN);
    ops.forwardThread.push(forwardThread > 0 ? forwardThread : 0);
    ops.dims.push(this.#textPlusOne(event, ARG.dims, bytes));
    ops.types.push(this.#textPlusOne(event, ARG.types, bytes));
    ops.concrete.push(0);
    ops.callStack.push(this.#textPlusOne(event, ARG.callStack, bytes));
  }

  /** Events of CANN and of the device. */
  #takeOwn(event: TraceEvent, bytes: Buffer, timed: boolean, whole: boolean): void {
    const { args } = event;
    const pid = this.#field(event, EVENT.pid, bytes);
    const tid = this.#field(event, EVENT.tid, bytes);
    if (args.has(ARG.link) || args.has(ARG.notify)) {
      const { from, to } = args;
      const link = args.has(ARG.link) ? bytes.toString('latin1', from[ARG.link], to[ARG.link]) : 'N/A';
      if (timed) this.parts.add(this.#start, pid, tid, link);
    } else if (args.has(ARG.taskType)) this.#takeTask(event, bytes, pid, tid, timed);
    else if (args.has(ARG.level)) this.#takeCall(event, bytes, pid, tid, whole);
    else if (args.has(ARG.connection) && timed) this.#takeCollective(event, bytes, pid, tid);
  }

  #takeTask(event: TraceEvent, bytes: Buffer, pid: number, tid: number, timed: boolean): void {
    if (!timed) {
      this.diagnostics.count('row-passed-over');
      return;
    }
    const { tasks } = this;
    const stream = this.#arg(event, event.args.has(ARG.stream) ? ARG.stream : ARG.oldStream, bytes);
    tasks.start.push(this.#start);
    tasks.end.push(this.#end);
    tasks.lane.push(this.#laneOf(pid, tid));
    tasks.stream.push(Number.isNaN(stream) ? tid : stream);
    tasks.connection.push(this.#connection(event, bytes));
    tasks.name.push(this.#name(event, bytes));
    tasks.type.push(this.#textPlusOne(event, ARG.taskType, bytes));
    tasks.task.push(this.#arg(event, ARG.task, bytes));
    tasks.batch.push(this.#arg(event, ARG.batch, bytes));
    tasks.subtask.push(this.#arg(event, ARG.subtask, bytes));
  }

  #takeCall(event: TraceEvent, bytes: Buffer, pid: number, tid: number, whole: boolean): void {
    const connection = this.#connection(event, bytes);
    // A call without a connection cannot have launched anything.
    if (Number.isNaN(connection) || !whole) return;
    const { from, to } = event.args;
    const level = bytes.toString('latin1', from[ARG.level], to[ARG.level]).toLowerCase();
    const { calls } = this;
    calls.start.push(this.#start);
    calls.end.push(this.#end);
    calls.thread.push(this.#threadOf(this.#hostOf(pid), tid));
    calls.process.push(0);
    calls.corr.push(connection);
    calls.api.push(this.#name(event, bytes));
    calls.precedence.push(LEVELS.get(level) ?? OTHER_LEVEL);
  }

  #takeCollective(event: TraceEvent, bytes: Buffer, pid: number, tid: number): void {
    const text = (key: number): string | null => {
      const number = this.#textPlusOne(event, key, bytes);
      return number === 0 ? null : this.texts.text(number - 1);
    };
    const count = this.#arg(event, ARG.count, bytes);
    this.collectives.push({
      start: this.#start,
      end: this.#end,
      lane: this.#laneOf(pid, tid),
      pid,
      tid,
      connection: this.#connection(event, bytes),
      name: this.texts.text(this.#name(event, bytes)),
      dataType: text(ARG.dataType),
      algorithm: text(ARG.algorithm),
      count: count >= 0 ? count : null,
    });
  }

  #takeCounter(event: TraceEvent, bytes: Buffer): void {
    const name = this.#name(event, bytes);
    const known = this.#counters[name];
    const kind = known === undefined ? (this.#counters[name] = counterKind(this.texts.text(name))) : known;
    if (kind === null || !this.#readTimes(event, bytes)) return;
    const { fields } = event;
    const [from, to] = [fields.from[EVENT.args] as number, fields.to[EVENT.args] as number];
    const value = fields.has(EVENT.args) ? counterValue(decodeValue(bytes, from, to)) : NaN;
    const device = this.#deviceOfProcess(this.#field(event, EVENT.pid, bytes));
    this.samples.add(kind.series, this.#start, value * kind.factor, device);
  }

  /** `NPU 1` labels a process of device 1; the device of one labelled `NPU` follows from its id. */
  #takeMetadata(event: TraceEvent, bytes: Buffer): void {
    if (!event.readArgs(bytes) || !event.args.has(ARG.labels)) return;
    const { from, to } = event.args;
    const device = /^NPU (\d{1,4})$/.exec(bytes.toString('latin1', from[ARG.labels], to[ARG.labels]))?.[1];
    if (device !== undefined) this.#devices.set(this.#field(event, EVENT.pid, bytes), Number(device));
  }

  #takeFlow(event: TraceEvent, bytes: Buffer): void {
    if (this.#category(event, bytes) !== 'flow' || !event.fields.has(EVENT.id)) return;
    if (!this.#readTimes(event, bytes)) return;
    const { from, to } = event.fields;
    const [idFrom, idTo] = [from[EVENT.id] as number, to[EVENT.id] as number];
    const pid = this.#field(event, EVENT.pid, bytes);
    const tid = this.#field(event, EVENT.tid, bytes);
    if (phaseOf(event, bytes) === FLOW_START)
      this.flows.addStart(bytes, idFrom, idTo, this.#threadOf(pid, tid), this.#start);
    else this.flows.addEnd(bytes, idFrom, idTo, this.#laneOf(pid, tid), this.#start);
  }

  /** Sets start and end. @returns whether there is a start */
  #readTimes({ fields }: TraceEvent, bytes: Buffer): boolean {
    const { from, to } = fields;
    this.#start = fields.has(EVENT.ts) ? this.clock.at(bytes, from[EVENT.ts] as number, to[EVENT.ts] as number) : NaN;
    this.#end = fields.has(EVENT.dur)
      ? this.#start + nanosecondsAt(bytes, from[EVENT.dur] as number, to[EVENT.dur] as number, 0)
      : NaN;
    return !Number.isNaN(this.#start);
  }

  /** The program's process behind a process of CANN. */
  #hostOf(pid: number): number {
    if (pid > MOST_PIDS) return Math.floor(pid / PID_STEP);
    return Number.isNaN(this.#hostPid) ? pid : this.#hostPid;
  }

  #threadOf(pid: number, tid: number): number {
    return this.threads.thread(this.threads.process(pid, pid), tid);
  }

  #laneOf(pid: number, tid: number): number {
    return this.#lanes.thread(this.#lanes.process(pid, pid), tid);
  }

  #field({ fields }: TraceEvent, key: number, bytes: Buffer): number {
    return numberUnder(fields, key, bytes);
  }

  #arg({ args }: TraceEvent, key: number, bytes: Buffer): number {
    return numberUnder(args, key, bytes);
  }

  /** Connection id; NaN for 4294967295 and -1, which mean none. */
  #connection({ args }: TraceEvent, bytes: Buffer): number {
    if (!args.has(ARG.connection)) return NaN;
    const id = this.#ids.at(bytes, args.from[ARG.connection] as number, args.to[ARG.connection] as number);
    return id === 4294967295 || id === -1 ? NaN : id;
  }

  /** Text number of the event's name; that of '' when it has none. */
  #name({ fields }: TraceEvent, bytes: Buffer): number {
    if (!fields.has(EVENT.name)) return this.texts.numberOf(bytes, 0, 0);
    return this.texts.numberOf(bytes, fields.from[EVENT.name] as number, fields.to[EVENT.name] as number);
  }

  /** Text number plus one of an argument; 0 when it is missing or empty. */
  #textPlusOne({ args }: TraceEvent, key: number, bytes: Buffer): number {
    const [from, to] = [args.from[key] as number, args.to[key] as number];
    return !args.has(key) || from === to ? 0 : this.texts.numberOf(bytes, from, to) + 1;
  }
}

/** First byte of the event's phase. */
const phaseOf = ({ fields }: TraceEvent, bytes: Buffer): number | undefined =>
  fields.has(EVENT.ph) ? bytes[fields.from[EVENT.ph] as number] : undefined;

/** The number under a key; NaN when the key is missing or its value is no number. */
const numberUnder = (fields: TraceEvent['fields'], key: number, bytes: Buffer): number =>
  fields.has(key) ? numberAt(bytes, fields.from[key] as number, fields.to[key] as number) : NaN;
