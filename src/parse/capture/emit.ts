/**
 * Capture → records: the profile line, device activities in order of start, the end line. The order, and with it
 * every record, depends on the rows' contents alone, not on the order in which the database holds them.
 */
import {
  SCHEMA_VERSION,
  type Activity,
  type CollectiveRecord,
  type CopyKind,
  type CopyRecord,
  type EndRecord,
  type Extent,
  type KernelRecord,
  type Launch,
  type ProfileLine,
  type ProfileRecord,
  type RangeRecord,
  type StatementRecord,
} from '../../record/record.js';
import { LruCache } from '../../containers/lru-cache.js';
import { ACTIVITY_KINDS, type Capture, type Operation } from './capture.js';
import { compareCells, orNull } from '../../containers/numeric-column.js';
import { Contexts, type KernelContexts } from './context.js';
import { shortName } from '../names/kernel-name.js';
import { joinLaunches, type Launches } from './launches.js';
import { allRows, sortRows } from '../../containers/row-order.js';

export interface EmitOptions {
  /** Ordinal of the profile in the stream. */
  readonly profile: number;
  /** Base name of the input, for the profile line. */
  readonly file: string;
  /** Rank that the file name tells, when the profile itself does not. */
  readonly rank: number | null;
  /** Whether to write host ranges too. */
  readonly ranges: boolean;
}

const KERNEL = ACTIVITY_KINDS.indexOf('kernel');

/** `cudaGraphLaunch_v10000`, `cuGraphLaunch`, `hipGraphLaunch`: one call for all work of a graph. */
const isGraphLaunch = (launch: Launch | null): boolean => launch?.api?.includes('GraphLaunch') === true;

/** Of a collective that its format says nothing of. */
const NO_OPERATION: Operation = {
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

/** Records in order of start, those without a time first, given out when their time has come. */
class PeekableIterator {
  readonly #records: Iterator<StatementRecord>;
  #next: StatementRecord | null = null;
  #start = Infinity;

  constructor(records: Iterable<StatementRecord>) {
    this.#records = records[Symbol.iterator]();
    this.#advance();
  }

  isDue(time: number): boolean {
    return this.#next !== null && this.#start <= time;
  }

  /** The next record; to be called when one is due. */
  take(): StatementRecord {
    const record = this.#next as StatementRecord;
    this.#advance();
    return record;
  }

  #advance(): void {
    const result: IteratorResult<StatementRecord, unknown> = this.#records.next();
    this.#next = result.done === true ? null : result.value;
    this.#start = this.#next === null ? Infinity : startOf(this.#next);
  }
}

const startOf = (record: StatementRecord): number => ('start' in record ? (record.start ?? -Infinity) : -Infinity);

interface KernelNames {
  readonly name: string;
  readonly short: string;
  readonly known: boolean;
}

export function* emit(capture: Capture, options: EmitOptions): Generator<ProfileLine> {
  const emission = new Emission(capture, options);
  yield emission.header();
  yield* emission.activities();
  yield emission.end();
}

class Emission {
  readonly #launches: Launches;
  readonly #contexts: KernelContexts;
  readonly #kernelNames = new LruCache<number, KernelNames>(4096);
  readonly #counts: Record<string, number> = {};

  constructor(
    private readonly capture: Capture,
    private readonly options: EmitOptions,
  ) {
    this.#launches = joinLaunches(capture.calls, capture.activities, capture.threads, capture.diagnostics);
    this.#contexts = capture.contexts?.(this.#launches) ?? new Contexts(capture, this.#launches);
  }

  header(): ProfileRecord {
    const { format, tool, rank, startUnixNs, dur, devices, facts } = this.capture.header;
    const { profile, file, rank: rankOfFile } = this.options;
    return {
      type: 'profile',
      v: SCHEMA_VERSION,
      profile,
      format,
      tool,
      file,
      rank: rank ?? rankOfFile,
      startUnixNs,
      dur: dur ?? this.#lastEnd(),
      devices,
      ...(facts === undefined ? undefined : { facts }),
    };
  }

  *activities(): Generator<ProfileLine> {
    const ranges = this.options.ranges ? this.#rangesInOrder() : new Uint32Array();
    let next = 0;
    const rangeStart = (): number => this.capture.ranges.start.at(ranges[next] ?? 0);
    const statements = new PeekableIterator(this.capture.statements?.(this.options.profile) ?? []);
    while (statements.isDue(-Infinity)) yield this.#counted(statements.take());
    for (const row of this.#activitiesInOrder()) {
      const start = this.capture.activities.start.at(row);
      while (next < ranges.length && rangeStart() <= start) yield this.#counted(this.#range(ranges[next++] ?? 0));
      while (statements.isDue(start)) yield this.#counted(statements.take());
      yield this.#counted(this.#activity(row));
    }
    while (next < ranges.length) yield this.#counted(this.#range(ranges[next++] ?? 0));
    while (statements.isDue(Infinity)) yield this.#counted(statements.take());
  }

  end(): EndRecord {
    const counts = Object.fromEntries(Object.entries(this.#counts).sort(([a], [b]) => (a < b ? -1 : 1)));
    return {
      type: 'end',
      profile: this.options.profile,
      counts,
      diagnostics: this.capture.diagnostics.toJSON(),
    };
  }

  #counted<R extends ProfileLine>(record: R): R {
    this.#counts[record.type] = (this.#counts[record.type] ?? 0) + 1;
    return record;
  }

  #activity(row: number): ProfileLine {
    const { activities, names } = this.capture;
    const kind = ACTIVITY_KINDS[activities.kind.at(row)] ?? 'kernel';
    const bytes = orNull(activities.bytes.at(row));
    const value = orNull(activities.value.at(row));
    const code = activities.name.at(row);
    switch (kind) {
      case 'kernel':
        return this.#kernel(row);
      case 'copy':
        return this.#copy(row, names.kindName(kind, code) as CopyKind | null, bytes);
      case 'set':
        return { type: 'set', bytes, value, ...this.#common(row) };
      case 'sync':
        return { type: 'sync', kind: names.kindName(kind, code), ...this.#common(row) };
      case 'collective':
        return this.#collective(row);
      case 'graph':
        this.capture.diagnostics.count('graph-launch-opaque');
        return { type: 'graph', graphId: value, execId: bytes, ...this.#common(row) };
    }
  }

  #copy(row: number, kind: CopyKind | null, bytes: number | null): CopyRecord {
    const hostMemory = this.capture.hostMemoryOf?.(row) ?? null;
    return { type: 'copy', kind, bytes, ...(hostMemory === null ? undefined : { hostMemory }), ...this.#common(row) };
  }

  #collective(row: number): CollectiveRecord {
    const operation = this.capture.operationOf?.(row) ?? NO_OPERATION;
    const context = this.#contexts.ofKernel(this.#launches.callOf[row] ?? -1, row);
    return { type: 'collective', ...operation, ...this.#common(row), ...context, ...this.capture.detailsOf?.(row) };
  }

  #kernel(row: number): KernelRecord {
    const { activities } = this.capture;
    // Member by member, in the order of the record: copying with `...` costs as much as all the rest.
    const common = this.#common(row);
    if (common.graph !== undefined) this.capture.diagnostics.count('graph-kernel-by-launch');
    const context = this.#contexts.ofKernel(this.#launches.callOf[row] ?? -1, row);
    const collective = this.capture.collectiveOf?.(row) ?? null;
    const { name, short, known } = this.#kernelNames.of(activities.name.at(row), (id) => this.#nameKernel(id));
    if (!known) this.capture.diagnostics.count('unknown-name');
    const extent = activities.extent.at(row) * 6;
    return {
      type: 'kernel',
      profile: common.profile,
      id: (this.#counts['kernel'] ?? 0) + 1,
      name,
      short,
      start: common.start,
      dur: common.dur,
      device: common.device,
      stream: common.stream,
      grid: this.#extent(extent),
      block: this.#extent(extent + 3),
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
      ...(context.step === undefined ? undefined : { step: context.step }),
      ...(context.callIds === undefined ? undefined : { callIds: context.callIds }),
      ...(context.callKernels === undefined ? undefined : { callKernels: context.callKernels }),
      ...(context.forward === undefined ? undefined : { forward: context.forward }),
      ...(collective === null ? undefined : { collective }),
      ...(common.graph === undefined ? undefined : { graph: common.graph }),
      ...this.capture.detailsOf?.(row),
    };
  }

  #nameKernel(id: number): KernelNames {
    const name = this.capture.names.kernelName(id);
    if (name === null) return { name: `kernel#${id}`, short: `kernel#${id}`, known: false };
    return { name, short: shortName(name), known: true };
  }

  /** Three extents; every one is at least 1, so that 0 stands for a cell that is not known. */
  #extent(at: number): Extent | null {
    const { extents } = this.capture.activities;
    const [x, y, z] = [extents.at(at), extents.at(at + 1), extents.at(at + 2)];
    return x > 0 && y > 0 && z > 0 ? [x, y, z] : null;
  }

  #common(row: number): Activity {
    const { activities, threads, calls, diagnostics } = this.capture;
    const call = this.#launches.callOf[row] ?? -1;
    const launch = call === -1 ? null : this.#launch(call);
    const start = activities.start.at(row);
    let dur = orNull(activities.end.at(row) - start);
    if (dur === null) diagnostics.count('row-without-time');
    else if (dur < 0) {
      diagnostics.count('negative-duration');
      dur = null;
    }
    const thread = call === -1 ? null : calls.thread.at(call);
    const node = orNull(activities.node.at(row));
    const graphId = activities.kind.at(row) === KERNEL ? orNull(activities.value.at(row)) : null;
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
      ...(node === null && !isGraphLaunch(launch) ? undefined : { graph: { id: graphId, node } }),
    };
  }

  #launch(call: number): Launch {
    const { calls, names } = this.capture;
    const start = calls.start.at(call);
    return { api: names.apiName(calls.api.at(call)), start, dur: calls.end.at(call) - start };
  }

  #range(row: number): RangeRecord {
    const { ranges, threads, names } = this.capture;
    const [start, end, thread, domain] = [
      ranges.start.at(row),
      ranges.end.at(row),
      ranges.thread.at(row),
      ranges.domainOf(row),
    ];
    return {
      type: 'range',
      profile: this.options.profile,
      start,
      dur: (end === Infinity ? this.#lastEnd() : end) - start,
      pid: orNull(threads.pid(threads.processOf(thread))),
      tid: orNull(threads.tid(thread)),
      domain: domain === 0 ? null : (names.domainName(domain) ?? `domain#${domain}`),
      text: names.rangeText(ranges.text.at(row)) ?? '',
    };
  }

  #activitiesInOrder(): Uint32Array {
    const { kind, start, end, device, stream, corr, process, node, bytes, value } = this.capture.activities;
    const { threads } = this.capture;
    const tieBreakers = [end, kind, device, stream, corr, node, bytes, value];
    const rows = allRows(start.length);
    sortRows(rows, (a, b) => {
      const byStart = start.at(a) - start.at(b);
      if (byStart !== 0) return byStart;
      for (const column of tieBreakers) {
        const difference = compareCells(column.at(a), column.at(b));
        if (difference !== 0) return difference;
      }
      return (
        threads.compareProcesses(process.at(a), process.at(b)) || this.#compareNames(a, b) || this.#compareExtents(a, b)
      );
    });
    return rows;
  }

  /** Rows of one kind, by what is written: the numbers of names may depend on the order of rows. */
  #compareNames(a: number, b: number): number {
    const { kind, name } = this.capture.activities;
    if (name.at(a) === name.at(b)) return 0;
    const textOf = (row: number): string => {
      const of = ACTIVITY_KINDS[kind.at(row)] ?? 'kernel';
      const { names } = this.capture;
      const text = of === 'kernel' ? names.kernelName(name.at(row)) : names.kindName(of, name.at(row));
      return `${text ?? ''}${of === 'copy' ? (this.capture.hostMemoryOf?.(row) ?? '') : ''}`;
    };
    return textOf(a) < textOf(b) ? -1 : Number(textOf(a) > textOf(b));
  }

  /** Rows of one kind; only kernels have extents. */
  #compareExtents(a: number, b: number): number {
    const { extent, extents } = this.capture.activities;
    for (let i = 0; i < 6; i++) {
      const difference = compareCells(extents.at(extent.at(a) * 6 + i), extents.at(extent.at(b) * 6 + i));
      if (difference !== 0) return difference;
    }
    return 0;
  }

  #rangesInOrder(): Uint32Array {
    const { ranges, threads, names } = this.capture;
    const { start, end, thread, text } = ranges;
    const rows = allRows(ranges.length);
    const textOf = (row: number): string =>
      `${names.rangeText(text.at(row)) ?? ''}\0${names.domainName(ranges.domainOf(row)) ?? ''}`;
    sortRows(rows, (a, b) => {
      const byTime = start.at(a) - start.at(b) || (end.at(a) === end.at(b) ? 0 : end.at(b) - end.at(a));
      return (
        byTime ||
        threads.compare(thread.at(a), thread.at(b)) ||
        (textOf(a) < textOf(b) ? -1 : Number(textOf(a) > textOf(b)))
      );
    });
    return rows;
  }

  #last: number | null = null;

  /** End of the last event. */
  #lastEnd(): number {
    if (this.#last !== null) return this.#last;
    const { activities, calls, ranges } = this.capture;
    let last = 0;
    for (const { values } of [activities.end, calls.end, ranges.start, ranges.end]) {
      for (let row = 0; row < values.length; row++) {
        const value = values[row] as number;
        if (value > last && value !== Infinity) last = value;
      }
    }
    return (this.#last = last);
  }
}

/** Ids are never negative: those below 0 stand for ids that a number cannot hold. */
const idOrNull = (id: number): number | null => (id >= 0 ? id : null);
