/**
 * Turns thread scheduling (`nsys profile --cpuctxsw`) and CPU samples (`--sample`) into samples: how long threads of
 * each process ran on each core, how often they were scheduled there, how many CPU samples hit them, and how many cores
 * were busy over time. Memory: the threads, and the cores of each process. CPU samples alone do not say how busy a core
 * was, because their period has no known unit.
 *
 * Source: NVIDIA Nsight Systems documentation, "SQLite Schema Reference": SCHED_EVENTS, COMPOSITE_EVENTS. `cpuCycles`
 * of samples is not read, because it is 1 in every real export seen.
 */
import { entryOf } from '../../../containers/map-entry.js';
import { CPU_METRICS, CPU_BUSY_METRIC } from '../../../record/sample-metrics.js';
import type { Diagnostics } from '../../../record/diagnostics.js';
import type { SampleRecord } from '../../../record/record.js';
import { isNear } from '../../trace/clocks/trace-clock.js';
import { ThreadTable } from '../../trace/threads.js';
import { numberOf, type Selection, type SqliteFile } from '../../sqlite/sqlite.js';
import { ValueLine } from '../../../record/value-line.js';

/** Maximum number of bins in which a thread ran. */
const MOST_BINS = 1000;

/**
 * Counts busy cores over time, in bins, from the spans in which threads ran. Spans may come in any order, and those of
 * several cores add up. Memory: a fixed number of bins, whatever the length of the profile.
 */
class BusyCores {
  /** Width of a bin in ns: a power of two, so that wider bins contain whole narrower ones. */
  #width = 1;
  /** Time that threads ran in each bin, in ns. The number of a bin is its start divided by the width. */
  #bins = new Map<number, number>();

  constructor(private readonly most = MOST_BINS) {}

  /** Adds a span in which one thread ran, in ns. */
  add(from: number, to: number): void {
    while ((to - from) / this.#width > this.most) this.#widen();
    let at = from;
    while (at < to) {
      const bin = Math.floor(at / this.#width);
      const next = Math.min(to, (bin + 1) * this.#width);
      this.#bins.set(bin, (this.#bins.get(bin) ?? 0) + next - at);
      at = next;
    }
    while (this.#bins.size > this.most) this.#widen();
  }

  /**
   * The mean number of busy cores in each bin, with equal neighbours merged and 0 between bins, in order of start time.
   * Value times `dur`, in whole ns, is the time that threads ran; added up, these are the sum of all spans.
   * @param from start of the covered time, in ns: the first scheduling event; `to` is the last
   */
  *records(profile: number, from: number, to: number): Generator<ValueLine> {
    let [start, end, cores] = [from, from, 0];
    const record = (): ValueLine =>
      new ValueLine(profile, start, null, CPU_BUSY_METRIC, cores, 'count', null, end - start);
    for (const [binStart, binEnd, ns] of this.#covered(from, to)) {
      const value = ns / (binEnd - binStart);
      if (value !== cores) {
        if (end > start) yield record();
        [start, cores] = [binStart, value];
      }
      end = binEnd;
    }
    if (end > start) yield record();
  }

  /** The bins from one time to another, and the gaps between them. */
  *#covered(from: number, to: number): Generator<readonly [start: number, end: number, ns: number]> {
    let at = from;
    for (const [bin, ns] of [...this.#bins].sort(([a], [b]) => a - b)) {
      const start = Math.max(from, bin * this.#width);
      if (start > at) yield [at, start, 0];
      at = Math.min(to, (bin + 1) * this.#width);
      yield [start, at, ns];
    }
    if (to > at) yield [at, to, 0];
  }

  #widen(): void {
    this.#width *= 2;
    const wider = new Map<number, number>();
    for (const [bin, ns] of this.#bins) {
      const half = Math.floor(bin / 2);
      wider.set(half, (wider.get(half) ?? 0) + ns);
    }
    this.#bins = wider;
  }
}

export const CPU_TABLES = ['SCHED_EVENTS', 'COMPOSITE_EVENTS'] as const;
const [SCHEDULING, SAMPLES] = CPU_TABLES;

/** Columns with a thread's process and tid: see `THREAD` of the reader. */
type ThreadSelection = readonly Selection[];

/** Scheduling time and CPU samples of one process on one core. */
interface CoreUsage {
  readonly cpu: number;
  readonly pid: number;
  time: number;
  switches: number;
  samples: number;
}

export class CpuUsage {
  readonly #usage = new Map<string, CoreUsage>();
  readonly #runs: ThreadRuns;
  #hasSamples = false;

  constructor(
    private readonly database: SqliteFile,
    private readonly thread: ThreadSelection,
    private readonly diagnostics: Diagnostics,
  ) {
    this.#runs = this.#readScheduling();
    this.#readSamples();
  }

  *records(profile: number): Generator<SampleRecord> {
    const sample = (metric: string, value: number, unit: string, labels?: SampleRecord['labels']): SampleRecord => ({
      ...{ type: 'sample', profile, start: null, device: null, metric, value, unit },
      ...(labels === undefined ? undefined : { labels }),
    });
    const { traced } = this.#runs;
    if (traced !== null) yield sample(CPU_METRICS.traced, traced, 'ns');
    const usages = [...this.#usage.values()].sort((a, b) => a.cpu - b.cpu || a.pid - b.pid);
    for (const { cpu, pid, time, switches, samples } of usages) {
      const labels = { cpu, pid };
      if (traced !== null) {
        yield sample(CPU_METRICS.time, time, 'ns', labels);
        yield sample(CPU_METRICS.switches, switches, 'count', labels);
      }
      if (this.#hasSamples) yield sample(CPU_METRICS.samples, samples, 'count', labels);
    }
  }

  /** The number of busy cores over time, in order of start time; empty when there are no scheduling events. */
  busy(profile: number): Iterable<SampleRecord> {
    const { busy, traced, first, last } = this.#runs;
    return traced === null ? [] : busy.records(profile, first, last);
  }

  #readScheduling(): ThreadRuns {
    const runs = new ThreadRuns();
    const columns = ['start', ...this.thread, 'cpu', 'isSchedIn'];
    let bad = 0;
    const take = ([start = NaN, process = NaN, tid = NaN, cpu = NaN, isIn = NaN]: readonly number[]): void => {
      if (!isNear(start) || [process, tid, cpu, isIn].some(Number.isNaN)) bad++;
      else runs.take(start, process, tid, cpu, isIn !== 0);
    };
    this.database.eachNumbers(SCHEDULING, columns, take);
    if (!runs.isInOrder) {
      runs.reset();
      bad = 0;
      for (const row of this.database.rows(SCHEDULING, columns, [], true)) take(row.map(numberOf));
    }
    runs.end();
    this.diagnostics.count('bad-row', bad);
    this.diagnostics.count('scheduling-not-paired', runs.unpaired);
    for (const { cpu, pid, time, switches } of runs.cores.values()) {
      const usage = this.#usageOf(cpu, pid);
      usage.time += time;
      usage.switches += switches;
    }
    return runs;
  }

  #readSamples(): void {
    this.database.eachNumbers(SAMPLES, ['cpu', ...this.thread], ([cpu = NaN, process = NaN]) => {
      if (Number.isNaN(cpu) || Number.isNaN(process)) {
        this.diagnostics.count('bad-row');
        return;
      }
      this.#hasSamples = true;
      this.#usageOf(cpu, pidOf(process)).samples++;
    });
  }

  #usageOf(cpu: number, pid: number): CoreUsage {
    return entryOf(this.#usage, `${cpu}/${pid}`, () => ({ cpu, pid, time: 0, switches: 0, samples: 0 }));
  }
}

const pidOf = (process: number): number => process % 0x1000000;

/**
 * Derives how long each thread ran on which core from its scheduling events, which must be in time order for each
 * thread.
 */
class ThreadRuns {
  readonly cores = new Map<string, { readonly cpu: number; readonly pid: number; time: number; switches: number }>();
  /** Number of events whose counterpart is missing. The time of their thread is then unknown, and is not counted. */
  unpaired = 0;
  isInOrder = true;
  #threads = new ThreadTable();
  /** For each thread: the time of its last event, and since when it has been running, NaN while it is not. */
  readonly #last: number[] = [];
  readonly #since: number[] = [];
  readonly #cpu: number[] = [];
  busy = new BusyCores();
  /** First and last event, in ns. */
  first = Infinity;
  last = -Infinity;

  /** Time from the first to the last event, in ns; null when there are no events. */
  get traced(): number | null {
    return this.last >= this.first ? this.last - this.first : null;
  }

  take(time: number, process: number, tid: number, cpu: number, isIn: boolean): void {
    const pid = pidOf(process);
    const thread = this.#threads.thread(this.#threads.process(process, pid), tid);
    if (time <= (this.#last[thread] ?? -Infinity)) this.isInOrder = false;
    this.#last[thread] = time;
    this.first = Math.min(this.first, time);
    this.last = Math.max(this.last, time);
    const since = this.#since[thread] ?? NaN;
    const core = entryOf(this.cores, `${cpu}/${pid}`, () => ({ cpu, pid, time: 0, switches: 0 }));
    const isPaired = isIn === Number.isNaN(since) && (isIn || this.#cpu[thread] === cpu);
    if (!isPaired) this.unpaired++;
    else if (!isIn) {
      core.time += time - since;
      this.busy.add(since, time);
    }
    if (isIn) core.switches++;
    this.#cpu[thread] = cpu;
    this.#since[thread] = isIn ? time : NaN;
  }

  /** Call this after the last event: threads that are still running have no end. */
  end(): void {
    this.unpaired += this.#since.filter((since) => !Number.isNaN(since)).length;
  }

  reset(): void {
    this.cores.clear();
    this.unpaired = 0;
    this.#threads = new ThreadTable();
    for (const column of [this.#last, this.#since, this.#cpu]) column.length = 0;
    [this.first, this.last] = [Infinity, -Infinity];
    this.busy = new BusyCores();
  }
}
