/**
 * Collects from annotated kernels the texts that the user put around launches, with the device time of each occurrence.
 * When the records have host ranges, one range is one occurrence, whichever thread launched its kernels: the backward pass
 * of a layer belongs to the range of its forward pass. Otherwise consecutive kernels of a stream under the same text are
 * one occurrence, unless their step, their direction, or a number in the text differs.
 */
import { elementAt } from '../../../containers/element.js';
import { LogHistogram } from '../../../containers/log-histogram.js';
import { boundedEntryOf, entryOf } from '../../../containers/map-entry.js';
import type { ForwardOp, KernelRecord, RangeKind, RangeRecord } from '../../../record/record.js';
import { NamedTimes, annotationName, annotationOf } from '../../by/host/range-name.js';
import { launchOf } from '../../input/device-activity.js';
import type { AnnotationTimes } from '../../summary/summary-data.js';
import { bounded } from '../bounds.js';
import type { Annotation, Bounded } from '../page-data.js';
import { ANY_THREAD, HostRanges } from './host-ranges.js';

/** Maximum number of separate texts; each keeps up to MOST_SAMPLES times. */
const MOST_TEXTS = 5000;
const MOST_SAMPLES = 2000;
const MOST_HOST_SAMPLES = 200;

/** Kinds of ranges whose occurrences are counted; layers and ops are listed when kernels ran under them. */
const COUNTED: ReadonlySet<RangeKind> = new Set(['annotation', 'layer', 'op']);

/** Maximum number of open occurrences of one text, because work of several streams and threads interleaves. */
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

/** A kernel, or its event in a timeline, with the texts around its launch. */
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

export class AnnotationTotals {
  readonly #texts = new Map<string, AnnotationSum>();
  readonly #ranges = new HostRanges();
  readonly #hostTimes = new NamedTimes();
  /** Open occurrences with a range, by text and by range. */
  readonly #inRanges = new Map<string, Map<string, Occurrence>>();
  /** Open occurrences without a range, by stream and by the texts around its last kernel. */
  readonly #onStreams = new Map<string, Map<string, Occurrence>>();
  #kernels = 0;
  /** Time in ns under texts beyond the limit. */
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
   * Must be called in order of start, before the kernels that were launched in the range.
   * @param inside the part of it whose host time counts; null for none
   */
  range(record: RangeRecord, inside: RangeRecord | null = record): void {
    this.#ranges.take(record);
    if (inside === null) return;
    const { kind = 'annotation', self } = inside;
    if (self !== undefined && COUNTED.has(kind)) this.#addHost(inside, self);
  }

  /**
   * Must be called in order of start.
   * @param time in ns
   */
  add({ record, layer }: KernelUnderTexts, time: number): void {
    const { device, stream, callerRanges = [], ranges, step, dir } = record;
    const open = entryOf(this.#onStreams, `${device}/${stream ?? ''}`, () => new Map<string, Occurrence>());
    const number = ++this.#kernels;
    const add = (text: string, range: number | null, mark: string, own = time): void => {
      if (range === null) this.#addOnStream(open, text, { time, own, last: number, mark });
      else this.#addInRange(text, { time, own, last: number, mark: String(range) });
    };
    for (const text of layer)
      add(text, this.#rangeOfLayer(record, text), `${step ?? ''}/${dir === 'bprop' ? 'backward' : ''}`);
    const addRange = (full: string, own: number): void => {
      const text = annotationOf(full);
      add(text, this.#rangeAround(record, full), `${step ?? ''}/${full === text ? '' : full}`, own);
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
      shown: shown.map(({ text, time, own, guessed, passes, host, hostSelf, occurrences, hostDurations }) => ({
        ...{ text, count: occurrences.count, guessed, time, own, samples: occurrences.upTo(samples) },
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
    for (const [text, open] of this.#inRanges) for (const one of open.values()) this.#close(text, one, false);
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
   * Adds a kernel to the occurrence of the previous kernel on its stream. A text that encloses a kernel twice counts
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
      for (const one of occurrences.values()) this.#close(text, one, false);
      this.#inRanges.delete(text);
      return;
    }
  }

  #close(text: string, { time, own }: Occurrence, isGuessed: boolean): void {
    const known = this.#sumOf(text);
    if (known === null) {
      this.#otherTime += time;
      return;
    }
    known.time += time;
    known.own += own;
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
