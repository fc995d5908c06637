/** Turns a trace into records. Each record depends on the contents of the rows only, not on their order in the database. */
import {
  SCHEMA_VERSION,
  STEP_METRIC,
  type Activity,
  type CollectiveRecord,
  type CopyRecord,
  type EndRecord,
  type Extent,
  type KernelRecord,
  type Launch,
  type ProfileLine,
  type ProfileRecord,
  type RecordedEvent,
  type SampleRecord,
  type SyncRecord,
} from '../../record/record.js';
import { type GraphNode, GRAPH_CAPTURE_FACT } from '../../record/fields/graph-node.js';
import { LruCache } from '../../containers/map-entry.js';
import type { Writable } from '../../containers/writable.js';
import { kernelNameOf, UNNAMED, type Trace, type CollectiveOperation } from './trace.js';
import { ACTIVITY_KINDS } from './trace-columns.js';
import { capturedTime, isGraphLaunch } from './graphs/graph-launches.js';
import { earlierBy } from './clocks/trace-clock.js';
import { latest } from './clocks/host-span.js';
import { Dated, startOf } from './record-order.js';
import { elementAt } from '../../containers/element.js';
import { orNull } from '../../containers/numeric-column.js';
import { replayedContext, type Origin } from './graphs/captured-graph.js';
import { missingWork, unrecordedCopies } from './graphs/missing-work.js';
import { GraphOrigins } from './graphs/graph-origins.js';
import type { KernelContexts, Step } from './launch-steps.js';
import { MarkerContexts } from './markers/marker-contexts.js';
import { slicesOf, type ReadOptions } from '../reader.js';
import { UNKNOWN } from '../../record/units.js';
import { shortName } from '../names/kernel-name.js';
import { failedCalls } from './calls.js';
import { CALLED_COPIES_FACT, waitOfCall } from '../../record/wait-calls.js';
import { apiRanges, hostRanges, LONG_CALL, separateRanges, type Skipped } from './range-records.js';
import { DoubtfulKernels } from './doubtful-work.js';
import { settled, type Settled } from './mending/settled.js';
import { believed, strayTimes } from './mending/stray-events.js';
import type { Diagnostics } from '../../record/diagnostics.js';
import { NO_ROW, PairIndex } from '../../containers/hash-index.js';

type EmitOptions = Pick<ReadOptions, 'profile' | 'file' | 'rank' | 'ranges' | 'captures' | 'share'>;

/** Fields of a collective that its format does not describe. */
const NO_OPERATION: CollectiveOperation = {
  name: 'na',
  kind: null,
  bytes: null,
  dtype: null,
  group: null,
  groupSize: null,
  ranks: null,
  algorithm: null,
  link: null,
};

interface KernelNames {
  readonly name: string;
  readonly short: string;
  readonly known: boolean;
}

/**
 * Records of a profile: its profile line, then activities in order of start time with ranges and samples among them,
 * then the end line. Time is linear in the number of rows except for sorting. Memory on top of the columns: 4 bytes for
 * each activity, call and range.
 */
export function* emit(trace: Trace, options: EmitOptions): Generator<ProfileLine> {
  try {
    yield* new Emission(trace, options).records();
  } finally {
    const { hostCalls, ranges, overhead, systemCalls, activities } = trace;
    for (const rows of [hostCalls, ranges, overhead, systemCalls?.ranges, activities]) rows?.space.close();
  }
}

/** When the host recorded the events that streams and threads wait for. */
class RecordedEvents {
  /** Calls by process and correlation id; made when the first wait states an event. */
  #calls: PairIndex | null = null;

  constructor(private readonly trace: Pick<Trace, 'activities' | 'hostCalls'>) {}

  /** The event of a wait; null when it states none, or when the call that recorded it is not in the profile. */
  of(activity: number): RecordedEvent | null {
    const { activities, hostCalls } = this.trace;
    const kindRow = activities.ownRow.at(activity);
    const stream = orNull(activities.syncs.eventStream.at(kindRow));
    const corr = activities.syncs.eventCorr.at(kindRow);
    if (stream === null || Number.isNaN(corr)) return null;
    const call = (this.#calls ??= this.#index()).get(activities.process.at(activity), corr);
    return call === NO_ROW || hostCalls.strays.has(call) ? null : { stream, recorded: hostCalls.start.at(call) };
  }

  #index(): PairIndex {
    const { process: owner, corr } = this.trace.hostCalls;
    const index = new PairIndex(
      (row) => owner.at(row),
      (row) => corr.at(row),
    );
    for (let row = 0; row < corr.length; row++) if (!Number.isNaN(corr.at(row))) index.put(row);
    return index;
  }
}

class Emission {
  readonly #settled: Settled;
  readonly #contexts: KernelContexts;
  readonly #origins: GraphOrigins;
  readonly #events: RecordedEvents;
  readonly #doubtful: DoubtfulKernels;
  readonly #kernelNames = new LruCache<number, KernelNames>(4096);
  readonly #counts: Record<string, number> = {};
  /** Kernels so far, including those of other threads. */
  #kernels = 0;
  readonly #skipped: Skipped = { until: -Infinity };

  constructor(
    private readonly trace: Trace,
    private readonly options: EmitOptions,
  ) {
    this.#settled = settled(trace);
    const { launches } = this.#settled;
    this.#contexts = trace.contexts?.(launches) ?? new MarkerContexts(trace, launches);
    const rank = trace.header.rank ?? options.rank;
    this.#events = new RecordedEvents(trace);
    this.#doubtful = new DoubtfulKernels(trace);
    this.#origins = new GraphOrigins(trace, launches, this.#contexts, { ...options, rank });
  }

  /** The records of the slices that this thread makes, and the end line. */
  *records(): Generator<ProfileLine> {
    const { share } = this.options;
    const { order } = this.#settled;
    const { diagnostics } = this.trace;
    let others: readonly Dated<ProfileLine>[] | null = null;
    let place = 0;
    try {
      for (const { from, to, isLast } of slicesOf(share, order.length)) {
        diagnostics.isPaused = from > 0;
        if (from === 0) yield this.#header();
        others ??= this.#others();
        if (from > 0 && place === 0) diagnostics.clear();
        for (; place < from; place++) this.#skip(elementAt(order, place), others);
        diagnostics.isPaused = false;
        for (; place < to; place++) {
          const row = elementAt(order, place);
          yield* this.#upTo(this.trace.activities.start.at(row), others);
          yield this.#counted(this.#activity(row));
        }
        if (isLast) yield* this.#upTo(Infinity, others);
      }
    } finally {
      for (const records of others ?? []) records.close();
    }
    // The thread that makes the first slice reports what was counted before it.
    if (others === null) diagnostics.clear();
    share?.end(diagnostics.part);
    yield endRecord(this.options.profile, this.#counts, diagnostics);
  }

  /** Skips an activity of another thread's slice, and the records before it. */
  #skip(row: number, others: readonly Dated<ProfileLine>[]): void {
    const { activities } = this.trace;
    const time = activities.start.at(row);
    this.#skipped.until = time;
    for (const other of others) while (other.isDue(time)) other.take();
    const kind = elementAt(ACTIVITY_KINDS, activities.kind.at(row));
    if (kind === 'kernel') this.#kernels++;
    if (kind !== 'kernel' && (kind !== 'collective' || this.trace.contexts === undefined)) return;
    const call = elementAt(this.#settled.launches.callOf, row);
    if (this.#contexts.skip === undefined) this.#contexts.ofKernel(call, row);
    else this.#contexts.skip(call);
  }

  #header(): ProfileRecord {
    const { format, tool, rank, startUnixNs, dur, devices, facts: stated, job } = this.trace.header;
    const { clockFacts: aligned, lead } = this.#settled;
    const captured = capturedTime(this.trace, this.#lastEnd());
    const graphs = captured === 0 ? undefined : { [GRAPH_CAPTURE_FACT]: captured };
    const called = unrecordedCopies(this.trace, this.#settled.launches);
    const copies = called === 0 ? undefined : { [CALLED_COPIES_FACT]: called };
    const facts = { ...stated, ...aligned, ...graphs, ...copies, ...failedCalls(this.trace) };
    const { profile, file, rank: rankOfFile } = this.options;
    return {
      type: 'profile',
      v: SCHEMA_VERSION,
      profile,
      format,
      tool,
      file,
      rank: rank ?? rankOfFile,
      ...job,
      startUnixNs: startUnixNs === null || lead === 0 ? startUnixNs : String(BigInt(startUnixNs) + BigInt(lead)),
      dur: dur ?? this.#lastEnd() - lead,
      devices,
      ...(Object.keys(facts).length === 0 ? undefined : { facts }),
    };
  }

  /** The records other than those of activities, each kind in order of start time. */
  #others(): Dated<ProfileLine>[] {
    const { activities } = this.trace;
    const isIdle = activities.length === activities.syncs.kindCode.length;
    const wanted = this.options.ranges === 'without-work' ? isIdle : this.options.ranges !== false;
    const last = wanted ? this.#lastEnd() : 0;
    const { profile, ranges } = this.options;
    const skipped = this.#skipped;
    const isStray = strayTimes(this.#settled.believed);
    const { overhead, systemCalls } = this.trace;
    const least = ranges === true ? 0 : ranges === 'long-calls' ? LONG_CALL : null;
    const dated = (records: Iterable<ProfileLine>): Dated<ProfileLine> => new Dated(records, startOf);
    return [
      dated(mapped(this.#contexts.steps ?? [], (step) => this.#stepSample(step))),
      dated(wanted ? hostRanges(this.trace, this.#contexts, profile, last, skipped) : []),
      dated(wanted ? separateRanges(this.trace, overhead, { kind: 'overhead', domain: null }, profile, skipped) : []),
      dated(
        separateRanges(
          this.trace,
          systemCalls?.ranges,
          { kind: 'api', domain: systemCalls?.domain ?? null },
          profile,
          skipped,
        ),
      ),
      dated(least === null ? [] : apiRanges(this.trace, this.#settled.launches, profile, last, least, skipped)),
      dated(believed(this.trace.statements?.(profile, isStray) ?? [], isStray)),
      dated(missingWork(this.trace, this.#settled.launches, profile)),
    ];
  }

  /** The records up to a time, in order of start time. */
  *#upTo(time: number, others: readonly Dated<ProfileLine>[]): Generator<ProfileLine> {
    for (;;) {
      let first: Dated<ProfileLine> | null = null;
      for (const other of others) if (other.isDue(time) && (first === null || other.next < first.next)) first = other;
      if (first === null) return;
      yield this.#counted(first.take());
    }
  }

  #counted(record: ProfileLine): ProfileLine {
    this.#counts[record.type] = (this.#counts[record.type] ?? 0) + 1;
    const { lead } = this.#settled;
    return lead === 0 ? record : earlierBy(lead, record);
  }

  #activity(row: number): ProfileLine {
    const { activities } = this.trace;
    const { sets, syncs, graphs } = activities;
    const kindRow = activities.ownRow.at(row);
    switch (elementAt(ACTIVITY_KINDS, activities.kind.at(row))) {
      case 'kernel':
        return this.#kernel(row, kindRow);
      case 'copy':
        return this.#copy(row, kindRow);
      case 'set': {
        const [bytes, value] = [orNull(sets.bytes.at(kindRow)), orNull(sets.value.at(kindRow))];
        return {
          ...{ type: 'set', bytes, value, ...this.#common(row, null), ...this.#step(row), ...this.#cut(row) },
          ...this.trace.detailsOf?.(row),
        };
      }
      case 'sync':
        return this.#sync(row, syncs.kindCode.at(kindRow));
      case 'collective':
        return this.#collective(row);
      case 'graph': {
        this.trace.diagnostics.count('graph-launch-opaque');
        const [graphId, execId] = [orNull(graphs.graphId.at(kindRow)), orNull(graphs.execId.at(kindRow))];
        return { type: 'graph', graphId, execId, ...this.#common(row, null), ...this.#step(row) };
      }
    }
  }

  #sync(row: number, kindCode: number): SyncRecord {
    const common = this.#common(row, null);
    const kind = waitOfCall(common.launch?.api ?? null) ?? this.trace.names.syncKind(kindCode);
    const event = this.#events.of(row);
    const named = event === null ? undefined : { event };
    return { type: 'sync', kind, ...common, ...named, ...this.trace.detailsOf?.(row) };
  }

  #copy(row: number, kindRow: number): CopyRecord {
    const { activities, names } = this.trace;
    const { kindCode, bytes } = activities.copies;
    const hostMemory = this.trace.hostMemoryOf?.(row) ?? null;
    return {
      type: 'copy',
      kind: names.copyKind(kindCode.at(kindRow)),
      bytes: orNull(bytes.at(kindRow)),
      ...(hostMemory === null ? undefined : { hostMemory }),
      ...this.#common(row, null),
      ...this.#step(row),
      ...this.#cut(row),
      ...this.trace.detailsOf?.(row),
    };
  }

  #cut(row: number): { readonly cut: true } | undefined {
    return this.#settled.cut.has(row) ? { cut: true } : undefined;
  }

  /** The step of an activity that is not a kernel; undefined when it has none. */
  #step(row: number): Pick<Activity, 'step'> | undefined {
    const step = this.#contexts.stepOf?.(elementAt(this.#settled.launches.callOf, row), row) ?? null;
    return step === null ? undefined : { step };
  }

  #collective(row: number): CollectiveRecord {
    const operation = this.trace.operationOf?.(row) ?? NO_OPERATION;
    // Contexts from ranges belong to the kernels of each launch, and a collective is not one of these.
    const call = this.trace.contexts === undefined ? -1 : elementAt(this.#settled.launches.callOf, row);
    const context = this.#contexts.ofKernel(call, row);
    return {
      type: 'collective',
      ...operation,
      ...this.#common(row, null),
      ...context,
      ...this.trace.detailsOf?.(row),
    };
  }

  #kernel(row: number, kindRow: number): KernelRecord {
    const { kernels } = this.trace.activities;
    // The fields are assigned one by one, so that lines have them in this order, whichever of them a kernel has.
    const origin = this.#origins.of(row);
    const common = this.#common(row, orNull(kernels.graphId.at(kindRow)), origin);
    if (common.graph !== undefined && origin === null) this.trace.diagnostics.count('graph-kernel-by-launch');
    const launched = this.#contexts.ofKernel(elementAt(this.#settled.launches.callOf, row), row);
    const context = origin === null ? launched : replayedContext(launched, origin);
    const collective = this.trace.collectiveOf?.(row) ?? null;
    const { name, short, known } = this.#kernelNames.of(kernels.name.at(kindRow), (id) => this.#nameKernel(id));
    if (!known) this.trace.diagnostics.count('unknown-name');
    const record: Writable<KernelRecord> = {
      type: 'kernel',
      profile: common.profile,
      id: ++this.#kernels,
      name,
      short,
      start: common.start,
      dur: common.dur,
      device: common.device,
      stream: common.stream,
      grid: this.#extent(kindRow, 0) ?? origin?.node.grid ?? null,
      block: this.#extent(kindRow, 3) ?? origin?.node.block ?? null,
      pid: common.pid,
      tid: common.tid,
      corr: common.corr,
      launch: common.launch,
      dir: context.dir,
      layer: context.layer,
      trace: context.trace,
      calls: context.calls,
      mod: context.mod,
      op: context.op,
      seqMarker: context.seqMarker,
      seq: context.seq,
      altSeq: context.altSeq,
      sub: context.sub,
      repr: context.repr,
      ranges: context.ranges,
    };
    if (kernels.registers.length > 0) {
      record.registers = kernels.registers.at(kindRow) || null;
      record.sharedBytes = orNull(kernels.sharedBytes.at(kindRow));
    }
    if (kernels.scalarRegisters.length > 0) {
      record.accumRegisters = orNull(kernels.accumRegisters.at(kindRow));
      record.scalarRegisters = kernels.scalarRegisters.at(kindRow) || null;
    }
    if (this.#settled.cut.has(row)) record.cut = true;
    if (common.othersWait !== undefined) record.othersWait = common.othersWait;
    if (context.callerRanges !== undefined) record.callerRanges = context.callerRanges;
    if (context.step !== undefined) record.step = context.step;
    if (context.callIds !== undefined) record.callIds = context.callIds;
    if (context.callKernels !== undefined) record.callKernels = context.callKernels;
    if (context.forward !== undefined) record.forward = context.forward;
    if (collective !== null) record.collective = collective;
    if (common.graph !== undefined) record.graph = common.graph;
    if (origin?.node.labels !== undefined) record.labels = origin.node.labels;
    const details = this.trace.detailsOf?.(row) ?? null;
    if (details !== null) Object.assign(record, details);
    this.#doubtful.take(record);
    return record;
  }

  #nameKernel(id: number): KernelNames {
    const name = kernelNameOf(this.trace, id);
    if (name !== null) return { name, short: shortName(name), known: true };
    const number = `kernel#${id === UNNAMED ? UNKNOWN : (this.trace.names.kernelNumber?.(id) ?? id)}`;
    return { name: number, short: number, known: false };
  }

  /** Three extents, the first of them at index `from`. Each is at least 1, because 0 means unknown. */
  #extent(kernel: number, from: number): Extent | null {
    const { extents } = this.trace.activities.kernels;
    const [x, y, z] = [extents.at(kernel, from), extents.at(kernel, from + 1), extents.at(kernel, from + 2)];
    return x > 0 && y > 0 && z > 0 ? [x, y, z] : null;
  }

  /** Fields that all activities have. */
  #common(row: number, graphId: number | null, origin = this.#origins.of(row)): Activity {
    const { activities, threads, hostCalls, diagnostics } = this.trace;
    const call = elementAt(this.#settled.launches.callOf, row);
    const launch = call === -1 ? null : this.#launch(call);
    const start = activities.start.at(row);
    let dur = orNull(activities.end.at(row) - start);
    if (dur === null) diagnostics.count('row-without-time');
    else if (dur < 0) {
      diagnostics.count('negative-duration');
      dur = null;
    }
    const thread = call === -1 ? (this.trace.statedThreadOf?.(row) ?? null) : hostCalls.thread.at(call);
    const node = orNull(activities.node.at(row));
    const othersWait = this.#settled.othersWait.get(row);
    return {
      profile: this.options.profile,
      start,
      dur,
      device: activities.device.at(row),
      stream: orNull(activities.stream.at(row)),
      pid: thread === null ? null : orNull(threads.pid(threads.processOf(thread))),
      tid: thread === null ? null : orNull(threads.tid(thread)),
      corr: idOrNull(activities.corr.at(row)),
      launch,
      ...(othersWait === undefined ? undefined : { othersWait }),
      ...(node === null && !isGraphLaunch(launch?.api ?? null)
        ? undefined
        : { graph: graphNode(graphId, node, origin) }),
    };
  }

  #launch(call: number): Launch {
    const { hostCalls, names } = this.trace;
    const start = hostCalls.start.at(call);
    const domain = names.apiLayer?.(hostCalls.precedence.at(call)) ?? null;
    return {
      api: names.apiName(hostCalls.api.at(call)),
      start,
      dur: hostCalls.end.at(call) - start,
      ...(domain === null ? undefined : { domain }),
    };
  }

  #stepSample({ start, end, thread, step, text }: Step): SampleRecord {
    const { threads } = this.trace;
    const pid = thread === null ? null : orNull(threads.pid(threads.processOf(thread)));
    const tid = thread === null ? null : orNull(threads.tid(thread));
    const labels = {
      ...(text === null ? undefined : { text }),
      ...(pid === null ? undefined : { pid }),
      ...(tid === null ? undefined : { tid }),
    };
    const dur = (end === Infinity ? this.#lastEnd() : end) - start;
    const [profile, device, unit] = [this.options.profile, null, null];
    return { type: 'sample', profile, start, dur, device, metric: STEP_METRIC, value: step, unit, labels };
  }

  #last: number | null = null;

  #lastEnd(): number {
    return (this.#last ??= latest(this.trace));
  }
}

function graphNode(id: number | null, node: number | null, origin: Origin | null): GraphNode {
  if (origin === null) return { id, node };
  const { from, verified, capture } = origin;
  return { id, node, from, verified, ...(capture === null ? undefined : { capture }) };
}

function* mapped<From, To>(items: Iterable<From>, to: (item: From) => To): Generator<To> {
  for (const item of items) yield to(item);
}

/** A correlation id; negative values mark ids above 2^53, which a number cannot hold exactly. */
const idOrNull = (id: number): number | null => (id >= 0 ? id : null);

/**
 * The end line.
 * @param counts number of records of each type
 */
export const endRecord = (
  profile: number,
  counts: Readonly<Record<string, number>>,
  diagnostics: Diagnostics,
): EndRecord => ({
  type: 'end',
  profile,
  counts: Object.fromEntries(Object.entries(counts).sort(([a], [b]) => (a < b ? -1 : 1))),
  diagnostics: diagnostics.toJSON(),
});
