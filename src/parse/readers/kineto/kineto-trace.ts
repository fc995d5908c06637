/** Reads a trace into the columns of a profile (`parse/trace/trace-columns.ts`), in one pass over its events. */
import { Diagnostics } from '../../../record/diagnostics.js';
import { UserError } from '../../../record/errors.js';
import type { HostMemory, StatementRecord } from '../../../record/record.js';
import type { Collective } from '../../../record/fields/collective.js';
import { UNNAMED, type ActivityDetails, type Trace, type TraceHeader, type TraceNames } from '../../trace/trace.js';
import { Activities, HostCalls, type ActivityRow } from '../../trace/trace-columns.js';
import { LruCache, entryOf } from '../../../containers/map-entry.js';
import { NumericColumn, type NumberColumn } from '../../../containers/numeric-column.js';
import type { KernelContexts } from '../../trace/launch-steps.js';
import { demangle } from '../../names/demangle/demangle.js';
import { merged, startOf } from '../../trace/record-order.js';
import type { LaunchJoin } from '../../trace/launches.js';
import { ThreadTable } from '../../trace/threads.js';
import { TraceClock } from '../../trace/clocks/trace-clock.js';
import { ByteTexts, Ids } from '../../json/json-bytes.js';
import { ARG, KINETO_ARGS, pushExtent, trailingNumber, GeneratedSources, KinetoTexts } from './call-arguments.js';
import { Collectives } from './collectives.js';
import {
  categoryOf,
  vendorOfCategory,
  SKIPPED,
  copyKind,
  hostMemory,
  syncKind,
  workKind,
  type EventCategory,
  type TracedActivity,
} from './categories.js';
import { TorchContexts, type TorchFacts } from '../../torch/torch-contexts.js';
import type { CapturedGraph } from '../../trace/graphs/captured-graph.js';
import { capturedGraphs, LaunchArguments, type CapturedPlace } from './captured-graphs.js';
import { devicesOfTrace, MergedRanks, withRanks, hostOfName } from './devices.js';
import { isMemoryEvent, MemoryEvents } from './memory-events.js';
import { CounterSamples, RangeCounters } from './counters.js';
import { UnreadEvents } from '../../unread-events.js';
import { EVENT, type TraceEvent, type Fields } from '../../json/event-fields.js';
import { NO_OP } from '../../torch/forward-ops.js';
import { HostEvents } from '../../torch/host-events.js';
import { fieldOf, sizeOf, listOf } from '../../json/json-value.js';
import { nestEvents, type Nesting } from '../../torch/nesting.js';
import { readTrace } from '../../json/read-trace.js';

/** How much later than its parent an event may end, in ns, in traces with whole microseconds. */
const ROUNDING = 1000;

/** First bytes of event phases: complete (`X`), instant (`i`) and counter (`C`). */
const [COMPLETE, INSTANT, COUNTER] = [0x58, 0x69, 0x43];

type HostCategory = Exclude<EventCategory, { readonly is: 'activity' | 'counters' | 'skipped' }>;

type Scopes = Required<Pick<ActivityDetails, 'ranges'>>;

/**
 * Scopes around kernels, as Proton states them for each: from `ROOT` to the name of the kernel. Source: TraceData.cpp of
 * Triton's Proton. Memory: an entry for each such kernel.
 */
class KernelScopes {
  readonly #ofKernels = new Map<number, Scopes>();
  /** Kernels of one place share the object. */
  readonly #shared = new Map<string, Scopes>();

  /** Takes a kernel whose args have been read. */
  take(activity: number, args: Fields): void {
    if (!args.has(ARG.scopes)) return;
    const names = listOf(args.value(ARG.scopes)).filter((name) => typeof name === 'string');
    const ranges = names.slice(names[0] === 'ROOT' ? 1 : 0, -1);
    this.#ofKernels.set(
      activity,
      entryOf(this.#shared, JSON.stringify(ranges), () => ({ ranges })),
    );
  }

  of(activity: number): Scopes | null {
    return this.#ofKernels.get(activity) ?? null;
  }
}

export class KinetoTrace implements Trace {
  readonly diagnostics = new Diagnostics();
  readonly threads = new ThreadTable();
  readonly hostCalls = new HostCalls();
  readonly activities = new Activities();
  readonly header: TraceHeader;
  readonly #texts = new ByteTexts();
  readonly #events = new HostEvents(new KinetoTexts(this.#texts));
  readonly ranges = this.#events.ranges;
  readonly names: TraceNames = this.#names();
  readonly #externalIds = NumericColumn.floats();
  readonly #collectives = new Collectives();
  readonly #mergedRanks = new MergedRanks();
  readonly #ids = new Ids();
  readonly #clock: TraceClock;
  readonly #memory = new MemoryEvents(this.#ids);
  readonly #counters = new RangeCounters(this.#texts);
  readonly #samples = new CounterSamples(this.#texts);
  readonly #workKinds = new LruCache<number, TracedActivity>(4096);
  readonly #launchArgs = new LaunchArguments(this.#texts);
  readonly #sources = new GeneratedSources(this.#texts);
  readonly #scopes = new KernelScopes();
  #contexts: TorchContexts | null = null;
  /** Number of complete events that were skipped. */
  #skipped = 0;
  readonly #unread = new UnreadEvents();
  /** Categories by the number of their text; undefined for a string that is not yet looked up. */
  readonly #categories: (EventCategory | null | undefined)[] = [];
  /** Whether any time has a fraction of a microsecond. */
  #hasFractions = false;
  /** Whether any activity's external id differs from its correlation id. Only then are external ids those of ops. */
  #externalIdsAreOps = false;
  /**
   * @param isBusy see `ReadOptions`
   * @throws UserError when the file is not a trace
   */
  constructor(path: string, name: string, format: string, isBusy = false) {
    this.threads.process(NaN, NaN);
    this.#clock = TraceClock.ofTrace(path);
    const header = readTrace(
      path,
      name,
      KINETO_ARGS,
      this.diagnostics,
      (event) => this.#take(event),
      isBusy ? { isAhead: false } : {},
    );
    const isWhole = this.diagnostics.get('truncated-input') === 0;
    const host = this.ranges.length + this.hostCalls.length + this.#memory.length;
    const read = this.activities.length + host + this.#counters.length + this.#samples.length;
    if (read === 0 && isWhole && this.#skipped > 0) refuse(name);
    this.diagnostics.count('large-id', this.#ids.large);
    this.diagnostics.count('control-character', this.#texts.withControls);
    if (this.activities.length === 0) this.diagnostics.count('no-device-activity');
    this.#clock.settleDevices(this.activities.start, this.activities.end);
    this.#clock.moveToFirst(
      [this.ranges.start, this.hostCalls.start, this.activities.start, this.#memory.start, this.#samples.start],
      [this.ranges.end, this.hostCalls.end, this.activities.end],
    );
    const rank = sizeOf(fieldOf(header.distributedInfo, 'rank'));
    const ranks = rank === null ? this.#mergedRanks.settle(this.activities.device) : new Map<number, number>();
    const used = new Set(this.activities.device);
    this.header = {
      format,
      tool: 'PyTorch Profiler',
      rank,
      job: { ...hostOfName(name, this.threads), ...this.#collectives.job(header.distributedInfo) },
      startUnixNs: this.#clock.startUnixNs(header.baseTimeNanoseconds),
      dur: null,
      devices: withRanks(devicesOfTrace(header.deviceProperties, used, header.vendor ?? this.#vendor()), ranks),
      facts: { ...header.options, ...this.#unread.facts(this.diagnostics) },
    };
  }

  /** The vendor of the devices, from the first category that only one vendor uses. */
  #vendor(): string | undefined {
    return this.#categories.flatMap((_, number) => vendorOfCategory(this.#texts.text(number)) ?? [])[0];
  }

  collectiveOf(activity: number): Collective | null {
    return this.#collectives.of(activity);
  }

  capturedGraphs(launches: LaunchJoin): readonly CapturedGraph[] {
    const placesOf = (calls: readonly number[]): CapturedPlace[] => {
      const facts = this.#contextFacts(launches);
      const joined = { callOf: Int32Array.from(calls), kernelCounts: new Uint32Array(0) };
      const kernelName = (node: number): number => this.#launchArgs.of(calls[node] ?? -1).kernel ?? UNNAMED;
      const nodes = { ...facts, launches: joined, externalId: () => NaN, kernelName };
      const contexts = new TorchContexts(nodes, calls.keys());
      return calls.map((call, node) => {
        const labels = this.#sources.labelsOf(contexts.opOf(node));
        return { context: contexts.ofKernel(call, node), ...(labels === null ? undefined : { labels }) };
      });
    };
    return capturedGraphs({ capture: this, launches, args: this.#launchArgs, placesOf });
  }

  contexts(launches: LaunchJoin): KernelContexts {
    return (this.#contexts = new TorchContexts(this.#contextFacts(launches), this.activities.rowsOf('kernel')));
  }

  #contextFacts(launches: LaunchJoin): TorchFacts {
    const { hostCalls, threads } = this;
    const { kernels, ownRow } = this.activities;
    return {
      events: this.#events,
      nesting: this.#nested,
      threads,
      launches,
      callStart: (call: number) => hostCalls.start.at(call),
      callThread: (call: number) => hostCalls.thread.at(call),
      externalId: (activity: number) => this.#externalIds.at(activity),
      externalIdsAreOps: this.#externalIdsAreOps,
      slack: this.#slack,
      kernelName: (activity: number) => kernels.name.at(ownRow.at(activity)),
    };
  }

  #nesting: Nesting | null = null;

  get #slack(): number {
    return this.#hasFractions ? 0 : ROUNDING;
  }

  get #nested(): Nesting {
    if (this.#nesting !== null) return this.#nesting;
    const { hostCalls, threads, diagnostics } = this;
    const nesting = nestEvents(this.#events, this.#memory.after(hostCalls), threads.count, this.#slack, diagnostics);
    this.#memory.setRanges(nesting.innermost.subarray(hostCalls.length));
    return (this.#nesting = nesting);
  }

  /** The source of a kernel that torch.compile generated, or scopes that Proton states. Call it after `contexts`. */
  detailsOf(activity: number): ActivityDetails | null {
    const labels = this.#sources.labelsOf(this.#contexts?.opOf(activity) ?? NO_OP);
    return labels === null ? this.#scopes.of(activity) : { labels };
  }

  /** Counters, and samples of the allocators. Call this after `contexts`, which finds the op of each allocation. */
  *statements(profile: number): Generator<StatementRecord> {
    const devices = new Set(this.header.devices.map(({ id }) => id));
    yield* this.#counters.records(profile);
    const memory = this.#memory.records(profile, this.diagnostics, this.#events);
    yield* merged<StatementRecord>(startOf, memory, this.#samples.records(profile, devices));
  }

  statementTimes(): readonly NumberColumn[] {
    return [this.#memory.start, this.#samples.start];
  }

  #take(event: TraceEvent): void {
    const phase = event.fields.firstByte(EVENT.ph);
    if (phase === COUNTER) this.#takeCounter(event);
    else if (phase === INSTANT && isMemoryEvent(event)) this.#takeMemory(event);
    else if (phase !== COMPLETE) this.#unread.countPhase(event);
    // Only complete events have a start and a duration.
    if (phase !== COMPLETE) return;
    const category = this.#category(event);
    if (category.is === 'skipped') {
      this.#skipped++;
      return;
    }
    if (category.is === 'counters') {
      this.#counters.take(event, this.#deviceByProcess(event));
      return;
    }
    const isTimed = this.#readTimes(event);
    if (category.is === 'activity') {
      this.#takeActivity(category.kind, event);
      return;
    }
    const { start, end } = this.#clock;
    if (!isTimed || Number.isNaN(end)) this.diagnostics.count('event-without-time');
    else if (end < start) this.diagnostics.count('negative-duration');
    else this.#takeHostEvent(category, event);
  }

  /** What an event becomes. An event of an unknown category is counted, and the category is named. */
  #category({ fields }: TraceEvent): EventCategory {
    const number = fields.text(EVENT.cat, this.#texts);
    if (number === null) {
      this.#unread.count('no category');
      return SKIPPED;
    }
    let category = this.#categories[number];
    if (category === undefined) {
      const name = this.#texts.text(number);
      category = this.#categories[number] = categoryOf(name);
    }
    if (category === null) this.#unread.count(this.#texts.text(number));
    return category ?? SKIPPED;
  }

  /**
   * Reads start and end.
   * @returns whether the event has a start
   */
  #readTimes(event: TraceEvent): boolean {
    const isTimed = this.#clock.read(event);
    if (event.fields.has(EVENT.ts) && this.#clock.start % 1000 !== 0) this.#hasFractions = true;
    return isTimed;
  }

  #takeHostEvent(category: HostCategory, event: TraceEvent): void {
    const { start, end } = this.#clock;
    const thread = this.#threadOf(event);
    const name = event.fields.text(EVENT.name, this.#texts) ?? this.#texts.numberOf(event.fields.bytes, 0, 0);
    if (category.is === 'frame') this.#takeFrame(event, thread, name);
    else if (category.is === 'overhead') this.#events.add('overhead', start, end, thread, name);
    else if (category.is === 'annotation') this.#takeAnnotation(event, thread, name);
    else if (category.is === 'op') this.#takeOp(event, thread, name);
    else this.#takeCall(category.precedence, event, thread, name);
  }

  #takeFrame(event: TraceEvent, thread: number, name: number): void {
    event.readArgs();
    const id = event.args.number(ARG.frame);
    if (!Number.isNaN(id))
      this.#events.callers.push({ range: this.ranges.length, id, caller: event.args.number(ARG.caller) });
    this.#events.add('frame', this.#clock.start, this.#clock.end, thread, name);
  }

  /**
   * Takes an annotation. The profiler also writes collectives (`nccl:all_reduce`) as annotations, with the arguments of an
   * op.
   */
  #takeAnnotation(event: TraceEvent, thread: number, name: number): void {
    event.readArgs();
    if (event.args.has(ARG.dims)) this.#takeOp(event, thread, name);
    else this.#events.add('annotation', this.#clock.start, this.#clock.end, thread, name);
  }

  #takeOp(event: TraceEvent, thread: number, name: number): void {
    event.readArgs();
    const { args } = event;
    const [start, end, texts] = [this.#clock.start, this.#clock.end, this.#texts];
    this.#events.addOp(start, end, thread, {
      name,
      externalId: args.id(ARG.externalId, this.#ids),
      sequence: args.number(ARG.sequence),
      forwardThread: args.number(ARG.forwardThread),
      dims: args.textPlusOne(ARG.dims, texts),
      types: args.textPlusOne(ARG.types, texts),
      concrete: args.textPlusOne(ARG.concrete, texts),
      strides: args.textPlusOne(ARG.strides, texts),
      callStack: args.textPlusOne(ARG.callStack, texts),
    });
    this.#sources.take(this.#events.ops.length - 1, event.args);
  }

  #takeCounter(event: TraceEvent): void {
    if (!this.#readTimes(event)) this.diagnostics.count('event-without-time');
    else if (!this.#samples.take(event, this.#clock.start)) this.#unread.countPhase(event);
  }

  #takeMemory(event: TraceEvent): void {
    if (!this.#readTimes(event)) this.diagnostics.count('event-without-time');
    else this.#memory.take(event, this.#clock.start, this.#threadOf(event));
  }

  #takeCall(precedence: number, event: TraceEvent, thread: number, name: number): void {
    event.readArgs();
    const corr = event.args.id(ARG.correlation, this.#ids);
    this.hostCalls.pushCells(this.#clock.start, this.#clock.end, thread, 0, corr, name, precedence);
    this.#launchArgs.take(this.hostCalls.length - 1, event.args);
  }

  #takeActivity(kind: TracedActivity, event: TraceEvent): void {
    event.readArgs();
    const { activities } = this;
    const corr = event.args.id(ARG.correlation, this.#ids);
    const externalId = event.args.id(ARG.externalId, this.#ids);
    if (!Number.isNaN(externalId) && externalId !== corr) this.#externalIdsAreOps = true;
    const device = event.args.number(ARG.device);
    const row: ActivityRow = {
      start: this.#clock.deviceStart,
      end: this.#clock.deviceEnd,
      device: device >= 0 ? device : this.#deviceByProcess(event),
      stream: this.#streamOf(event),
      context: event.args.number(ARG.context),
      process: 0,
      corr,
      node: event.args.number(ARG.graphNode),
    };
    const name = event.fields.text(EVENT.name, this.#texts) ?? UNNAMED;
    this.#externalIds.push(externalId);
    this.#mergedRanks.take(activities.length, event.args.number(ARG.rank));
    switch (kind === 'kernel' ? this.#workKinds.of(name, () => workKind(this.#texts.text(name))) : kind) {
      case 'kernel':
        activities.addKernel(row, name, event.args.number(ARG.graphId));
        this.#addKernelFields(event);
        break;
      case 'copy':
        activities.addCopy(row, name, event.args.number(ARG.bytes), NaN);
        break;
      case 'set':
        activities.addSet(row, event.args.number(ARG.bytes), NaN);
        break;
      case 'sync':
        activities.addSync(row, name, ...this.#eventOf(event));
    }
  }

  /** Stream and correlation id of the event that a wait is for; NaN when it states none, or -1. */
  #eventOf({ args }: TraceEvent): [stream: number, corr: number] {
    const stream = args.number(ARG.eventStream);
    const corr = args.number(ARG.eventCorrelation);
    return stream >= 0 && corr >= 0 ? [stream, args.id(ARG.eventCorrelation, this.#ids)] : [NaN, NaN];
  }

  /** Adds grid, block, resources and collective operation of the last added kernel. */
  #addKernelFields({ fields, args }: TraceEvent): void {
    const { extents, registers, sharedBytes } = this.activities.kernels;
    pushExtent(args, ARG.grid, extents);
    pushExtent(args, ARG.block, extents);
    registers.push(args.number(ARG.registers));
    sharedBytes.push(args.number(ARG.sharedBytes));
    this.#scopes.take(this.activities.length - 1, args);
    if (args.has(ARG.collective)) this.#collectives.take(this.activities.length - 1, fields.value(EVENT.args));
  }

  /** The stream stated in `args`, otherwise the event's thread: `7`, `stream 7`. */
  #streamOf({ fields, args }: TraceEvent): number {
    const stream = args.number(ARG.stream);
    return Number.isNaN(stream) ? trailingNumber(fields, EVENT.tid) : stream;
  }

  /** Device id of events without one in `args`: the pid. */
  #deviceByProcess({ fields }: TraceEvent): number {
    const pid = trailingNumber(fields, EVENT.pid);
    return pid >= 0 ? pid : 0;
  }

  #threadOf({ fields }: TraceEvent): number {
    return this.threads.threadOf(fields.number(EVENT.pid), fields.number(EVENT.tid));
  }

  /** Demangles a kernel's name. Most names are already demangled in the trace, but those of AMD's libraries are not. */
  #demangled(name: string): string {
    const demangled = demangle(name);
    if (demangled === null) this.diagnostics.countText('name-not-demangled', name);
    return demangled ?? name;
  }

  hostMemoryOf(activity: number): HostMemory | null {
    const { copies, ownRow } = this.activities;
    const code = copies.kindCode.at(ownRow.at(activity));
    return code === UNNAMED ? null : hostMemory(this.#texts.text(code));
  }

  #names(): TraceNames {
    const texts = this.#texts;
    return {
      kernelName: (name) => (name === UNNAMED ? null : this.#demangled(texts.text(name))),
      apiName: (api) => texts.text(api),
      rangeText: (text) => this.#events.nameText(text),
      domainName: () => null,
      copyKind: (code) => (code === UNNAMED ? null : copyKind(texts.text(code))),
      syncKind: (code) => (code === UNNAMED ? null : syncKind(texts.text(code))),
    };
  }
}

/** Rejects the trace of another program. Many programs write the same JSON with other events. */
function refuse(where: string): never {
  // The name that JAX and TensorFlow give to the trace next to a profile.
  const isOfXPlane = /(?<!\.pt)\.trace\.json(?:\.gz)?$/.test(where);
  const hint = isOfXPlane
    ? 'if JAX or TensorFlow wrote it, give the .xplane.pb of the same run, which has more data'
    : 'dparse reads PyTorch traces of NVIDIA, AMD and Ascend devices';
  throw new UserError('is a trace without PyTorch events', { where, hint });
}
