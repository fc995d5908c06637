/**
 * Collects from annotated kernels the strings that the user put around launches, with the device time of each occurrence.
 * When the records have host ranges, one range is one occurrence, whichever thread launched its kernels: the backward pass
 * of a layer belongs to the range of its forward pass. Otherwise consecutive kernels of a stream under the same text are
 * one occurrence, unless their step, their direction, or a number in the text differs.
 */
import { elementAt } from '../../../containers/element.js';
import { LogHistogram } from '../../../containers/log-histogram.js';
import { boundedEntryOf, entryOf } from '../../../containers/map-entry.js';
import type { ForwardOp, KernelRecord, RangeKind, RangeRecord } from '../../../record/record.js';
import { NamedTimes, annotationName, annotationOf, contextText } from '../../by/host/range-name.js';
import { launchOf } from '../../input/device-activity.js';
import type { AnnotationTimes } from '../../summary/summary-data.js';
import { bounded } from '../bounds.js';
import type { Annotation, Bounded } from '../page-data.js';

/** Maximum number of separate strings; each keeps up to MOST_SAMPLES times. */
const MOST_TEXTS = 5000;
const MOST_SAMPLES = 2000;
const MOST_HOST_SAMPLES = 200;

/** Kinds of ranges whose occurrences are counted; layers and ops are listed when kernels ran under them. */
const COUNTED: ReadonlySet<RangeKind> = new Set(['annotation', 'layer', 'op']);

/** Maximum number of open occurrences of one string, because work of several streams and threads interleaves. */
const MOST_OPEN = 64;

class AnnotationSum {
  /** Whether the text is listed even without device time, because it is the user's. */
  isAnnotation = false;
  time = 0;
  /** The part that was launched by threads on which the text was open. */
  own = 0;
  /** Number of occurrences found only by the order of kernels. */
  guessed = 0;
  /**
   * Number of host ranges, with the sums of durations and self times; ranges inside one of the same text add no duration.
   */
  passes = 0;
  host = 0;
  hostSelf = 0;
  readonly occurrences = new ThinnedSample(MOST_SAMPLES);
  readonly hostDurations = new ThinnedSample(MOST_HOST_SAMPLES);
  /** Times of all occurrences, and durations of all ranges, if requested. */
  readonly deviceTimes: LogHistogram | null;
  readonly hostTimes: LogHistogram | null;

  constructor(
    readonly text: string,
    hasDistributions: boolean,
  ) {
    this.deviceTimes = hasDistributions ? new LogHistogram() : null;
    this.hostTimes = hasDistributions ? new LogHistogram() : null;
  }
}

type RecordUnderTexts = Pick<
  KernelRecord,
  'device' | 'stream' | 'callerRanges' | 'ranges' | 'step' | 'dir' | 'forward' | 'launch' | 'pid' | 'tid'
>;

/** A kernel, or its event in a timeline, with the strings around its launch. */
export interface KernelUnderTexts {
  readonly record: RecordUnderTexts;
  readonly layer: readonly string[];
}

interface Occurrence {
  time: number;
  /** The part that its own thread launched. */
  own: number;
  /** Number of its last kernel. */
  last: number;
  /** Identifies the occurrence of a kernel: its range, or its step, direction and full text. */
  readonly mark: string;
}

// Host ranges by thread and text: finds which of several equal ones was around a launch, or the latest before it. 56 bytes
// per range, up to a limit.

/**
 * Maximum number of ranges to keep, each under its thread and under ANY_THREAD; beyond it the earlier half of each
 * string is dropped.
 */
const MOST_RANGES = 2_000_000;

/**
 * Maximum number of strings to keep, each under its threads and under ANY_THREAD. If all strings differ, each encloses only
 * a few launches.
 */
const MOST_RANGE_TEXTS = 200_000;

/** Used in place of a thread, for tools that launch on a different thread than the one that called the op. */
export const ANY_THREAD = '*';
type ThreadId = number | null | typeof ANY_THREAD;

/** Start, end and number of each range in turn, in order of start time; ranges do not nest. */
type RangeTimes = number[];
const FIELDS = 3;
/** The ranges of a thread, by text. */
type ThreadRanges = Map<string, RangeTimes>;

export class HostRanges {
  /** Ranges by process and thread. */
  readonly #threads = new Map<number | null, Map<ThreadId, ThreadRanges>>();
  #texts = 0;
  #kept = 0;
  #taken = 0;

  constructor(
    private readonly most = MOST_RANGES,
    private readonly mostTexts = MOST_RANGE_TEXTS,
  ) {}

  /** Must be called in order of start time. A range within another of the same text counts as its part. */
  take(record: RangeRecord): void {
    const { pid, tid, start, dur } = record;
    if (!Number.isFinite(start) || !(dur >= 0)) return;
    const text = contextText(record);
    const number = this.#taken++;
    for (const thread of [tid, ANY_THREAD] as const) {
      const times = this.#timesOf(pid, thread, text);
      const lastEnd = times?.at(1 - FIELDS);
      if (times === null || (lastEnd !== undefined && start < lastEnd)) continue;
      times.push(start, start + dur, number);
      if (++this.#kept > this.most) this.#dropEarlierHalf();
    }
  }

  /** Null for a new text when the limit is reached. */
  #timesOf(pid: number | null, tid: ThreadId, text: string): RangeTimes | null {
    const known = this.#threads.get(pid)?.get(tid)?.get(text);
    if (known !== undefined) return known;
    if (this.#texts >= this.mostTexts) return null;
    this.#texts++;
    const threads = entryOf(this.#threads, pid, () => new Map<ThreadId, ThreadRanges>());
    const times: RangeTimes = [];
    entryOf(threads, tid, (): ThreadRanges => new Map()).set(text, times);
    return times;
  }

  /** Number of the range with this text in which a thread of the process was at a time; null when no such range is known. */
  around(pid: number | null, tid: ThreadId, text: string, time: number): number | null {
    const latest = this.#latest(pid, tid, text, time);
    return latest !== null && time <= latest.end ? latest.number : null;
  }

  /** Number of the latest range with the text that began in the process before a time. */
  before(pid: number | null, text: string, time: number): number | null {
    return this.#latest(pid, ANY_THREAD, text, time)?.number ?? null;
  }

  #latest(
    pid: number | null,
    tid: ThreadId,
    text: string,
    time: number,
  ): { readonly end: number; readonly number: number } | null {
    const times = this.#threads.get(pid)?.get(tid)?.get(text);
    if (times === undefined) return null;
    let [from, to] = [0, times.length / FIELDS];
    while (from < to) {
      const middle = (from + to) >> 1;
      if (elementAt(times, FIELDS * middle) <= time) from = middle + 1;
      else to = middle;
    }
    if (from === 0) return null;
    const at = FIELDS * (from - 1);
    return { end: elementAt(times, at + 1), number: elementAt(times, at + 2) };
  }

  /** Ranges come before the work that was launched in them, so later work was launched in the later ranges. */
  #dropEarlierHalf(): void {
    this.#kept = this.#texts = 0;
    for (const [pid, threads] of this.#threads) {
      for (const [tid, texts] of threads) {
        for (const [text, times] of texts) {
          times.splice(0, FIELDS * Math.ceil(times.length / FIELDS / 2));
          if (times.length === 0) texts.delete(text);
          this.#kept += times.length / FIELDS;
        }
        this.#texts += texts.size;
        if (texts.size === 0) threads.delete(tid);
      }
      if (threads.size === 0) this.#threads.delete(pid);
    }
  }
}

export class AnnotationTotals {
  readonly #texts = new Map<string, AnnotationSum>();
  readonly #ranges = new HostRanges();
  readonly #hostTimes = new NamedTimes();
  /** Open occurrences with a range, by text and by range. */
  readonly #inRanges = new Map<string, Map<string, Occurrence>>();
  /** Open occurrences without a range, by stream and by the strings around its last kernel. */
  readonly #onStreams = new Map<string, Map<string, Occurrence>>();
  #kernels = 0;
  /** Time in ns under strings beyond the limit. */
  #otherTime = 0;

  constructor(
    private readonly most = MOST_TEXTS,
    private readonly hasDistributions = false,
  ) {}

  /** Totals that also collect the distribution of times. */
  static withDistributions(): AnnotationTotals {
    return new AnnotationTotals(MOST_TEXTS, true);
  }

  /**
   * Must be called in order of start time, before the kernels that were launched in the range.
   * @param inside the part whose host time counts; null for none
   */
  range(record: RangeRecord, inside: RangeRecord | null = record): void {
    this.#ranges.take(record);
    if (inside === null) return;
    const { kind = 'annotation', self } = inside;
    if (self !== undefined && COUNTED.has(kind)) this.#addHost(inside, self);
  }

  /**
   * Must be called in order of start time.
   * @param time in ns
   */
  add({ record, layer }: KernelUnderTexts, time: number): void {
    const { device, stream, callerRanges = [], ranges, step, dir } = record;
    const open = entryOf(this.#onStreams, `${device}/${stream ?? ''}`, () => new Map<string, Occurrence>());
    const number = ++this.#kernels;
    const add = (text: string, range: number | null, mark: string, ownTime = time): void => {
      if (range === null) this.#addOnStream(open, text, { time, own: ownTime, last: number, mark });
      else this.#addInRange(text, { time, own: ownTime, last: number, mark: String(range) });
    };
    for (const text of layer)
      add(text, this.#rangeOfLayer(record, text), `${step ?? ''}/${dir === 'bprop' ? 'backward' : ''}`);
    const addRange = (full: string, ownTime: number): void => {
      const text = annotationOf(full);
      add(text, this.#rangeAround(record, full), `${step ?? ''}/${full === text ? '' : full}`, ownTime);
    };
    for (const full of ranges) addRange(full, time);
    for (const full of callerRanges) addRange(full, 0);
    for (const [text, occurrence] of open) {
      if (occurrence.last === number) continue;
      this.#close(text, occurrence, true);
      open.delete(text);
    }
  }

  /** The range with the text around the launch, on its thread or on the thread of its caller. */
  #rangeAround(record: RecordUnderTexts, text: string): number | null {
    const launch = launchOf(record);
    if (launch === null) return null;
    const { pid, tid, start } = launch;
    return this.#ranges.around(pid, tid, text, start) ?? this.#ranges.around(pid, ANY_THREAD, text, start);
  }

  /**
   * For a backward kernel, the range of its forward op. Queues and recomputation launch after the pass; in that case,
   * the latest range before the launch is used.
   */
  #rangeOfLayer(record: RecordUnderTexts, text: string): number | null {
    const { forward, pid } = record;
    const launch = launchOf(record);
    const ofForward = isForward(forward) ? this.#ranges.around(pid, forward.tid, text, forward.start) : null;
    const found = ofForward ?? this.#rangeAround(record, text);
    return found ?? (launch === null ? null : this.#ranges.before(pid, text, launch.start));
  }

  annotations(most: number, samples: number): Bounded<Annotation> {
    this.#closeAll();
    const { shown, ...rest } = bounded(byHostTime(this.#listed), most, this.#otherTime);
    return {
      shown: shown.map(({ text, time, own: ownTime, guessed, passes, host, hostSelf, occurrences, hostDurations }) => ({
        ...{ text, count: occurrences.count, guessed, time, own: ownTime, samples: occurrences.upTo(samples) },
        hostSamples: hostDurations.upTo(Math.min(samples, MOST_HOST_SAMPLES)),
        ...(passes === 0 ? { passes: null, host: null, hostSelf: null } : { passes, host, hostSelf }),
      })),
      ...rest,
    };
  }

  /** Distributions of the annotations' times, largest device time first, then largest host time. */
  distributions(most: number): AnnotationTimes[] {
    this.#closeAll();
    const { shown } = bounded(byHostTime(this.#listed), most, this.#otherTime);
    return shown.map(({ text, deviceTimes, hostTimes }) => ({
      ...{ text, device: deviceTimes?.distribution ?? null, host: hostTimes?.distribution ?? null },
    }));
  }

  get #listed(): AnnotationSum[] {
    return [...this.#texts.values()].filter(({ isAnnotation, occurrences }) => isAnnotation || occurrences.count > 0);
  }

  #closeAll(): void {
    for (const [text, open] of this.#inRanges)
      for (const occurrence of open.values()) this.#close(text, occurrence, false);
    this.#inRanges.clear();
    for (const open of this.#onStreams.values()) {
      for (const [text, occurrence] of open) this.#close(text, occurrence, true);
      open.clear();
    }
  }

  #sumOf(text: string): AnnotationSum | null {
    return boundedEntryOf(this.#texts, text, this.most, () => new AnnotationSum(text, this.hasDistributions));
  }

  #addHost(record: RangeRecord, self: number): void {
    const { kind = 'annotation', dur } = record;
    const name = annotationName(record);
    const sum = this.#sumOf(name);
    if (sum === null) return;
    sum.isAnnotation ||= kind === 'annotation';
    sum.hostSelf += self;
    const { added, isWithin, isAgain } = this.#hostTimes.take(record, name);
    // An op is sometimes recorded again inside an op of the same name. Such a pair counts as one call.
    if (!isAgain) sum.passes++;
    if (isWithin) return;
    sum.host += added;
    sum.hostTimes?.add(dur);
    sum.hostDurations.add(dur);
  }

  /**
   * Adds a kernel to the occurrence of the previous kernel on its stream. A string that encloses a kernel twice counts
   * once.
   */
  #addOnStream(open: Map<string, Occurrence>, text: string, now: Occurrence): void {
    const known = open.get(text);
    if (known?.last === now.last) return;
    if (known !== undefined && known.mark === now.mark) {
      known.last = now.last;
      known.time += now.time;
      known.own += now.own;
      return;
    }
    if (known !== undefined) this.#close(text, known, true);
    open.set(text, now);
  }

  #addInRange(text: string, now: Occurrence): void {
    if (this.#inRanges.size === this.most && !this.#inRanges.has(text)) this.#closeOldest();
    const occurrences = entryOf(this.#inRanges, text, () => new Map<string, Occurrence>());
    const known = occurrences.get(now.mark);
    if (known?.last === now.last) return;
    if (known !== undefined) {
      known.last = now.last;
      known.time += now.time;
      known.own += now.own;
      return;
    }
    occurrences.set(now.mark, now);
    if (occurrences.size <= MOST_OPEN) return;
    for (const [mark, oldest] of occurrences) {
      this.#close(text, oldest, false);
      occurrences.delete(mark);
      return;
    }
  }

  /** Closes the occurrences of the text that came first. */
  #closeOldest(): void {
    for (const [text, occurrences] of this.#inRanges) {
      for (const occurrence of occurrences.values()) this.#close(text, occurrence, false);
      this.#inRanges.delete(text);
      return;
    }
  }

  #close(text: string, { time, own: ownTime }: Occurrence, isGuessed: boolean): void {
    const known = this.#sumOf(text);
    if (known === null) {
      this.#otherTime += time;
      return;
    }
    known.time += time;
    known.own += ownTime;
    if (isGuessed) known.guessed++;
    known.occurrences.add(time);
    known.deviceTimes?.add(time);
  }
}

/** Annotations without device time are shown in this order, after the others. */
const byHostTime = (sums: readonly AnnotationSum[]): AnnotationSum[] => sums.toSorted((a, b) => b.host - a.host);

/** Lines may have been edited: a forward op without a start is treated as unknown. */
const isForward = (forward: ForwardOp | null | undefined): forward is ForwardOp =>
  typeof forward === 'object' && forward !== null && Number.isFinite(forward.start);

/**
 * Keeps every number, then every 2nd, 4th, 8th …, so that their count stays within a limit and they are evenly spread.
 */
export class ThinnedSample {
  readonly #kept: number[] = [];
  #every = 1;
  /** Number of values that were added, including those not kept. */
  count = 0;

  constructor(private readonly most: number) {}

  add(number: number): void {
    if (this.count++ % this.#every !== 0) return;
    if (this.#kept.length === this.most) {
      this.#every *= 2;
      halve(this.#kept);
      if ((this.count - 1) % this.#every !== 0) return;
    }
    this.#kept.push(number);
  }

  /** At most `most` of the kept numbers, in the order in which they were added. */
  upTo(most: number): number[] {
    const some = [...this.#kept];
    while (some.length > Math.max(1, most)) halve(some);
    return some;
  }
}

function halve(numbers: number[]): void {
  const half = Math.ceil(numbers.length / 2);
  for (let i = 0; i < half; i++) numbers[i] = elementAt(numbers, 2 * i);
  numbers.length = half;
}
