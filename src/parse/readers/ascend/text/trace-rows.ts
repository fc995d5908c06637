/**
 * Reads trace_view.json into columns, in one pass over its events. Events are classified by their content, not by their
 * process, whose name may come later in the file or be cut off.
 */
import type { Diagnostics } from '../../../../record/diagnostics.js';
import { HostCalls } from '../../../trace/trace-columns.js';
import { ThreadTable } from '../../../trace/threads.js';
import type { TraceClock } from '../../../trace/clocks/trace-clock.js';
import { HostEvents, type HostTexts } from '../../../torch/host-events.js';
import { ByteTexts, Ids } from '../../../json/json-bytes.js';
import { EVENT, type TraceEvent } from '../../../json/event-fields.js';
import { counterArgs } from '../../../json/json-value.js';
import { readTrace } from '../../../json/read-trace.js';
import { ARG, ASCEND_ARGS, readFrameworkArguments, readFrameworkExtents } from '../framework-arguments.js';
import { CollectiveParts, type TracedOperation } from './collective-parts.js';
import { apiLayerCode } from '../device-kinds.js';
import { counterKind, seriesOf, type CounterKind } from './counter-events.js';
import { LaunchQueue, TraceFlows, TraceMarks } from './flows.js';
import { TextSamples } from './text-samples.js';
import { TraceTasks } from './trace-tasks.js';
import type { UnreadEvents } from '../../../unread-events.js';
import type { Arg } from '../../../../record/record.js';

type HostEventKind = 'op' | 'frame' | 'annotation' | 'put' | 'taken' | 'flow' | 'mark';

/** Kinds of host events by category; events of the device have no category. */
const CATEGORIES: ReadonlyMap<string, HostEventKind> = new Map([
  ['cpu_op', 'op'],
  ['python_function', 'frame'],
  ['user_annotation', 'annotation'],
  ['GC', 'annotation'],
  ['enqueue', 'put'],
  ['dequeue', 'taken'],
  ['async_npu', 'flow'],
  ['MsTx', 'mark'],
]);

/** Rows that the profiler derives from others in its overlap analysis. */
const DERIVED: ReadonlySet<string> = new Set([
  ...['Computing', 'Communication', 'Communication(Not Overlapped)', 'Free'],
]);

/** Process ids larger than Linux allows are computed as: host process · 1024 + kind of process · 32 + device. */
const MOST_PIDS = 4_194_304;
const [PID_STEP, DEVICES] = [1024, 32];

const [COMPLETE, COUNTER, METADATA, FLOW_START, FLOW_END] = [0x58, 0x43, 0x4d, 0x73, 0x66];

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
  readonly marks = new TraceMarks();
  readonly queue = new LaunchQueue();
  readonly samples = new TextSamples();
  /** Threads of the device's processes. */
  readonly #lanes = new ThreadTable();
  /** Devices of processes, from the processes' labels. */
  readonly #devices = new Map<number, number>();
  /** Kinds of categories and counters, by text number. */
  readonly #categories: (HostEventKind | null | undefined)[] = [];
  readonly #counters: (CounterKind | null | undefined)[] = [];
  readonly #ids = new Ids();
  #hostPid = NaN;

  /** @throws UserError when the file is not a trace */
  constructor(
    path: string,
    name: string,
    private readonly clock: TraceClock,
    private readonly diagnostics: Diagnostics,
    private readonly unread: UnreadEvents,
  ) {
    this.threads.process(NaN, NaN);
    readTrace(path, name, ASCEND_ARGS, diagnostics, (event) => this.#take(event));
    diagnostics.count('large-id', this.#ids.large);
    diagnostics.count('control-character', this.texts.withControls);
  }

  deviceOf(lane: number): number {
    return this.#deviceOfProcess(this.#lanes.pid(this.#lanes.processOf(lane)));
  }

  #deviceOfProcess(pid: number): number {
    return this.#devices.get(pid) ?? (pid > MOST_PIDS ? pid % DEVICES : 0);
  }

  #take(event: TraceEvent): void {
    switch (event.fields.firstByte(EVENT.ph)) {
      case COMPLETE:
        this.#takeComplete(event);
        break;
      case COUNTER:
        this.#takeCounter(event);
        break;
      case METADATA:
        this.#takeMetadata(event);
        break;
      case FLOW_START:
      case FLOW_END:
        this.#takeFlow(event);
        break;
      default:
        this.unread.countPhase(event);
    }
  }

  #takeComplete(event: TraceEvent): void {
    const category = this.#category(event);
    const timed = this.clock.read(event);
    const whole = timed && !Number.isNaN(this.clock.end);
    if (category === undefined) {
      if (event.readArgs()) this.#takeOwn(event, timed, whole);
      return;
    }
    if (category === null) {
      this.unread.count(event.fields.latin1(EVENT.cat) ?? '');
      return;
    }
    if (!whole) this.diagnostics.count('event-without-time');
    else if (this.clock.end < this.clock.start) this.diagnostics.count('negative-duration');
    else this.#takeHostEvent(category, event);
  }

  /** Kind of the event's category; null for an ignored category, undefined without a category. */
  #category({ fields }: TraceEvent): HostEventKind | null | undefined {
    const number = fields.text(EVENT.cat, this.texts);
    if (number === null) return undefined;
    const known = this.#categories[number];
    if (known !== undefined) return known;
    return (this.#categories[number] = CATEGORIES.get(this.texts.text(number)) ?? null);
  }

  #takeHostEvent(category: HostEventKind, event: TraceEvent): void {
    const { start, end } = this.clock;
    const pid = event.fields.number(EVENT.pid);
    if (Number.isNaN(this.#hostPid)) this.#hostPid = pid;
    const thread = this.threads.threadOf(pid, event.fields.number(EVENT.tid));
    switch (category) {
      case 'op':
        this.#takeOp(event, thread);
        break;
      case 'frame':
      case 'annotation':
        this.host.add(category, start, end, thread, this.#name(event));
        break;
      default: {
        event.readArgs();
        const entry = event.args.number(ARG.queued);
        if (Number.isNaN(entry)) this.unread.count(event.fields.latin1(EVENT.cat) ?? '');
        else if (category === 'put') this.queue.put.push({ start, end, thread, entry });
        else if (category === 'taken') this.queue.taken.push({ start, end, thread, text: entry });
      }
    }
  }

  #takeOp(event: TraceEvent, thread: number): void {
    event.readArgs();
    const { args } = event;
    this.host.addOp(this.clock.start, this.clock.end, thread, {
      name: this.#name(event),
      sequence: args.number(ARG.sequence),
      forwardThread: args.number(ARG.forwardThread),
      dims: args.textPlusOne(ARG.dims, this.texts),
      types: args.textPlusOne(ARG.types, this.texts),
      callStack: args.textPlusOne(ARG.callStack, this.texts),
    });
  }

  /** Takes an event of CANN or of the device. */
  #takeOwn(event: TraceEvent, timed: boolean, whole: boolean): void {
    const { args } = event;
    const pid = event.fields.number(EVENT.pid);
    const tid = event.fields.number(EVENT.tid);
    if (args.has(ARG.link) || args.has(ARG.notify)) this.#takePart(event, pid, tid, timed, whole);
    else if (args.has(ARG.taskType)) this.#takeTask(event, pid, tid, timed);
    else if (args.has(ARG.eventType) || args.has(ARG.stream)) this.#takeMark(event, pid, tid, whole);
    else if (args.has(ARG.level)) this.#takeCall(event, pid, tid, whole);
    else if (args.has(ARG.connection)) this.#takeCollective(event, pid, tid, timed);
    else if (!DERIVED.has(event.fields.latin1(EVENT.name) ?? '')) this.unread.count('no category');
  }

  #takePart({ args }: TraceEvent, pid: number, tid: number, timed: boolean, whole: boolean): void {
    if (!timed) {
      this.diagnostics.count('row-passed-over');
      return;
    }
    const isOverNetwork = args.latin1(ARG.transport) === 'RDMA';
    this.parts.add(this.clock.start, pid, tid, {
      link: args.latin1(ARG.link) ?? 'N/A',
      src: args.number(ARG.source),
      dst: args.number(ARG.destination),
      size: args.number(ARG.size),
      dur: whole && !isOverNetwork ? this.clock.end - this.clock.start : NaN,
    });
  }

  #takeTask(event: TraceEvent, pid: number, tid: number, timed: boolean): void {
    if (!timed) {
      this.diagnostics.count('row-passed-over');
      return;
    }
    const { args } = event;
    const stream = args.number(args.has(ARG.stream) ? ARG.stream : ARG.oldStream);
    this.tasks.push({
      ...{ start: this.clock.start, end: this.clock.end, lane: this.#lanes.threadOf(pid, tid) },
      ...{ stream: Number.isNaN(stream) ? tid : stream, connection: this.#connection(event), name: this.#name(event) },
      ...{ type: args.textPlusOne(ARG.taskType, this.texts), task: args.number(ARG.task) },
      ...{ batch: args.number(ARG.batch), subtask: args.number(ARG.subtask) },
    });
  }

  /** Takes a range of msprof_tx. A range on a device has a stream, but unlike a task has no type. */
  #takeMark(event: TraceEvent, pid: number, tid: number, whole: boolean): void {
    const { start, end } = this.clock;
    if (!whole) this.diagnostics.count('event-without-time');
    else if (end < start) this.diagnostics.count('negative-duration');
    else if (event.args.has(ARG.eventType)) {
      const thread = this.threads.threadOf(this.#hostOf(pid), tid);
      this.marks.addHost({ start, end, thread, name: this.#name(event), domain: event.args.latin1(ARG.domain) });
    } else {
      const lane = this.#lanes.threadOf(pid, tid);
      const stream = event.args.number(ARG.stream);
      this.marks.addDevice({ start, end, lane, stream, name: this.#name(event) });
    }
  }

  #takeCall(event: TraceEvent, pid: number, tid: number, whole: boolean): void {
    if (!whole) {
      this.diagnostics.count('event-without-time');
      return;
    }
    if (this.clock.end < this.clock.start) {
      this.diagnostics.count('negative-duration');
      return;
    }
    const layer = apiLayerCode(event.args.latin1(ARG.level) ?? '');
    const thread = this.threads.threadOf(this.#hostOf(pid), tid);
    const [corr, api] = [this.#connection(event), this.#name(event)];
    const { start, end } = this.clock;
    this.calls.push({ start, end, thread, process: 0, corr, api, precedence: layer });
  }

  #takeCollective(event: TraceEvent, pid: number, tid: number, timed: boolean): void {
    if (!timed) {
      this.diagnostics.count('row-passed-over');
      return;
    }
    const text = (key: number): string | null => {
      const number = event.args.textPlusOne(key, this.texts);
      return number === 0 ? null : this.texts.text(number - 1);
    };
    const count = event.args.number(ARG.count);
    this.collectives.push({
      start: this.clock.start,
      end: this.clock.end,
      lane: this.#lanes.threadOf(pid, tid),
      pid,
      tid,
      connection: this.#connection(event),
      name: this.texts.text(this.#name(event)),
      dataType: text(ARG.dataType),
      algorithm: text(ARG.algorithm),
      count: count >= 0 ? count : null,
    });
  }

  #takeCounter(event: TraceEvent): void {
    const name = this.#name(event);
    const known = this.#counters[name];
    const kind = known === undefined ? (this.#counters[name] = counterKind(this.texts.text(name))) : known;
    if (kind === null) return;
    if (!this.clock.read(event)) {
      this.diagnostics.count('row-passed-over');
      return;
    }
    const args = event.fields.value(EVENT.args);
    const { values, device: stated, process } = counterArgs(args);
    const [, value] = values.find(([key]) => key !== kind.numbered?.key) ?? [];
    if (value === undefined) {
      this.unread.countPhase(event);
      return;
    }
    const owner = Number.isNaN(process) ? event.fields.number(EVENT.pid) : process;
    const device = Number.isNaN(stated) ? this.#deviceOfProcess(owner) : stated;
    this.samples.add(seriesOf(kind, args), this.clock.start, value * kind.factor, device);
  }

  /**
   * Takes metadata. The label `NPU 1` means that a process belongs to device 1; if the label is only `NPU`, the device
   * follows from the process id.
   */
  #takeMetadata(event: TraceEvent): void {
    if (!event.readArgs()) return;
    const device = /^NPU (\d{1,4})$/.exec(event.args.latin1(ARG.labels) ?? '')?.[1];
    if (device !== undefined) this.#devices.set(event.fields.number(EVENT.pid), Number(device));
  }

  #takeFlow(event: TraceEvent): void {
    const category = this.#category(event);
    if ((category !== 'flow' && category !== 'mark') || !event.fields.has(EVENT.id)) return;
    if (!this.clock.read(event)) return;
    const { fields } = event;
    const { start } = this.clock;
    const [pid, tid] = [fields.number(EVENT.pid), fields.number(EVENT.tid)];
    const isStart = fields.firstByte(EVENT.ph) === FLOW_START;
    if (category === 'mark') {
      const id = fields.latin1(EVENT.id);
      if (isStart) this.marks.addBegin(id, this.threads.threadOf(this.#hostOf(pid), tid), start);
      else this.marks.addEnd(id, this.#lanes.threadOf(pid, tid), start);
    } else if (isStart) this.flows.addStart(fields, this.threads.threadOf(pid, tid), start);
    else this.flows.addEnd(fields, this.#lanes.threadOf(pid, tid), start);
  }

  /** The program's process that belongs to a process of CANN. */
  #hostOf(pid: number): number {
    if (pid > MOST_PIDS) return Math.floor(pid / PID_STEP);
    return Number.isNaN(this.#hostPid) ? pid : this.#hostPid;
  }

  /** Connection id; NaN for 4294967295 and -1, which mean "none". */
  #connection({ args }: TraceEvent): number {
    const id = args.id(ARG.connection, this.#ids);
    return id === 4294967295 || id === -1 ? NaN : id;
  }

  /** Text number of the event's name; the number of '' when it has none. */
  #name({ fields }: TraceEvent): number {
    return fields.text(EVENT.name, this.texts) ?? this.texts.numberOf(fields.bytes, 0, 0);
  }
}

/** Strings of the host events of a trace, and arguments in this profiler's notation. */
export class AscendTexts implements HostTexts {
  constructor(private readonly texts: ByteTexts) {}

  text(number: number): string {
    return this.texts.text(number);
  }

  readArguments(dims: number, types: number): Arg[] | null {
    if (dims === 0 && types === 0) return null;
    return readFrameworkArguments(this.#textOrNone(dims), this.#textOrNone(types));
  }

  readExtents(dims: number): number[][] | null {
    return readFrameworkExtents(this.#textOrNone(dims));
  }

  /** The text with a number plus one; '' for 0. */
  #textOrNone(number: number): string {
    return number === 0 ? '' : this.texts.text(number - 1);
  }
}
