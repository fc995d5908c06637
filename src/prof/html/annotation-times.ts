/**
 * Rows → the texts that the user put around launches, and how long the device worked each time. Where the records have
 * ranges of the host, the range around its launch tells a kernel's time. Elsewhere kernels that follow each other on a
 * stream under the same text are one, unless their step, their direction, or a number in the text differs.
 */
import type { ForwardOp, RangeRecord } from '../../record/record.js';
import { bounded } from './bounds.js';
import type { PageKernel } from './page-kernel.js';
import type { Annotation, Bounded } from './page-data.js';
import { ANY_THREAD, HostRanges } from './host-ranges.js';
import { ThinnedSample } from './thinned-sample.js';
import { launchOf } from './timed-activity.js';

/** Texts that are told apart; each keeps up to MOST_SAMPLES times. */
const MOST_TEXTS = 5000;
const MOST_SAMPLES = 2000;

/** PyTorch numbers its steps and the calls of its ops: one annotation all the same. */
const NUMBERS = /(?<=^ProfilerStep#)\d+$|, (?:seq|op_id) = \d+/g;

/** Times of one text that kernels are still added to: work of several streams and threads interleaves. */
const MOST_OPEN = 64;

class AnnotationSum {
  time = 0;
  /** Times that only the order of kernels tells. */
  guessed = 0;
  readonly occurrences = new ThinnedSample(MOST_SAMPLES);
  constructor(readonly text: string) {}
}

interface Occurrence {
  time: number;
  /** Number of the last kernel in it. */
  last: number;
  /** What the kernels of one occurrence have in common. */
  readonly mark: string;
}

/** Where the host was when it launched a kernel; the layers of a backward kernel may be those of its forward op. */
interface HostMoment {
  readonly tid: number | null | typeof ANY_THREAD;
  readonly time: number;
  readonly mark: string;
}

export class AnnotationTotals {
  readonly #texts = new Map<string, AnnotationSum>();
  readonly #ranges = new HostRanges();
  /** By text, then by the range that tells them. */
  readonly #told = new Map<string, Map<string, Occurrence>>();
  /** By stream: the texts around its last kernel, where no range tells them. */
  readonly #open = new Map<string, Map<string, Occurrence>>();
  #kernels = 0;
  /** ns under texts that came too late to be told apart. */
  #others = 0;

  constructor(private readonly most = MOST_TEXTS) {}

  /** To be called in order of start, before the kernels that were launched in it. */
  range(record: RangeRecord): void {
    this.#ranges.take(record);
  }

  /**
   * To be called in order of start.
   * @param time ns
   */
  add({ record, layer }: PageKernel, time: number): void {
    const { device, stream, ranges, step, dir } = record;
    const open = this.#stream(`${device}/${stream ?? ''}`);
    const number = ++this.#kernels;
    const launch = launchOf(record);
    const own = launch === null ? [] : [{ tid: launch.tid, time: launch.start, mark: '' }];
    const ofLayer = isForward(record.forward) ? [...own, { tid: record.forward.tid, time: record.forward.start, mark: 'backward' }] : own; // prettier-ignore
    const enter = (places: readonly HostMoment[], text: string, full: string, mark: string): void => {
      for (const { tid, time: at, mark: how } of places) {
        const start = this.#ranges.startOf(record.pid, tid, full, at);
        if (start === null) continue;
        this.#add(text, { time, last: number, mark: `${record.pid ?? ''}/${tid ?? ''}/${start}/${how}` });
        return;
      }
      this.#enter(open, text, { time, last: number, mark });
    };
    for (const text of layer) enter(ofLayer, text, text, `${step ?? ''}/${dir === 'bprop' ? 'backward' : ''}`);
    for (const full of ranges) {
      const text = full.replace(NUMBERS, '');
      enter(
        launch === null ? [] : [...own, { tid: ANY_THREAD, time: launch.start, mark: '' }],
        text,
        full,
        `${step ?? ''}/${full === text ? '' : full}`,
      );
    }
    for (const [text, occurrence] of open) {
      if (occurrence.last === number) continue;
      this.#end(text, occurrence, true);
      open.delete(text);
    }
  }

  annotations(most: number, samples: number): Bounded<Annotation> {
    for (const [text, occurrences] of this.#told) for (const one of occurrences.values()) this.#end(text, one, false);
    this.#told.clear();
    for (const open of this.#open.values()) {
      for (const [text, occurrence] of open) this.#end(text, occurrence, true);
      open.clear();
    }
    const { shown, ...rest } = bounded([...this.#texts.values()], most, this.#others);
    return {
      shown: shown.map(({ text, time, guessed, occurrences }) => ({
        ...{ text, count: occurrences.count, guessed, time, samples: occurrences.upTo(samples) },
      })),
      ...rest,
    };
  }

  /** A text twice around a kernel is around it once. */
  #enter(open: Map<string, Occurrence>, text: string, now: Occurrence): void {
    const known = open.get(text);
    if (known?.last === now.last) return;
    if (known !== undefined && known.mark === now.mark) {
      known.last = now.last;
      known.time += now.time;
      return;
    }
    if (known !== undefined) this.#end(text, known, true);
    open.set(text, now);
  }

  /** Adds a kernel to the occurrence that its range tells. */
  #add(text: string, now: Occurrence): void {
    let occurrences = this.#told.get(text);
    if (occurrences === undefined) {
      if (this.#told.size === this.most) this.#endOldest();
      this.#told.set(text, (occurrences = new Map<string, Occurrence>()));
    }
    const known = occurrences.get(now.mark);
    if (known?.last === now.last) return;
    if (known !== undefined) {
      known.last = now.last;
      known.time += now.time;
      return;
    }
    occurrences.set(now.mark, now);
    if (occurrences.size <= MOST_OPEN) return;
    for (const [mark, oldest] of occurrences) {
      this.#end(text, oldest, false);
      occurrences.delete(mark);
      return;
    }
  }

  /** Makes room: of the text that came first. */
  #endOldest(): void {
    for (const [text, occurrences] of this.#told) {
      for (const one of occurrences.values()) this.#end(text, one, false);
      this.#told.delete(text);
      return;
    }
  }

  #end(text: string, { time }: Occurrence, isGuessed: boolean): void {
    let known = this.#texts.get(text);
    if (known === undefined) {
      if (this.#texts.size === this.most) {
        this.#others += time;
        return;
      }
      this.#texts.set(text, (known = new AnnotationSum(text)));
    }
    known.time += time;
    if (isGuessed) known.guessed++;
    known.occurrences.add(time);
  }

  #stream(key: string): Map<string, Occurrence> {
    let open = this.#open.get(key);
    if (open === undefined) this.#open.set(key, (open = new Map<string, Occurrence>()));
    return open;
  }
}

/** Lines may have been edited. */
const isForward = (forward: ForwardOp | null | undefined): forward is ForwardOp =>
  typeof forward === 'object' && forward !== null && Number.isFinite(forward.start);
