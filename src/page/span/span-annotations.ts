/** The annotations of a span: host time of their ranges, and time of the kernels in them. Does not need a document. */
import { elementAt } from '../../containers/element.js';
import { entryOf } from '../../containers/map-entry.js';
import type { ForwardOp, RangeRecord } from '../../record/record.js';
import { annotationOf, contextText } from '../../prof/by/host/range-name.js';
import { AnnotationTotals } from '../../prof/html/annotations/annotation-times.js';
import type { Annotation, Bounded, PageProfile } from '../../prof/html/page-data.js';
import type { SummedKernel } from '../../prof/html/page-kernel.js';
import { DIRECTIONS, isHostRange } from '../../prof/html/timeline/timeline-data.js';
import { isOfFramework } from '../charts/annotation-kinds.js';
import { factText } from '../timeline/events/kernel-facts.js';
import { durOf, kindOf, laneOf, startOf, textOf, type TimelineEvents } from '../timeline/events/events.js';
import type { SelectedSpan } from '../timeline/model/view.js';
import type { InsideEvent, PartOfSpan } from './span-events.js';

/** The thread of a host event; null when unknown. */
function threadOf(events: TimelineEvents, event: number): Pick<RangeRecord, 'pid' | 'tid'> {
  const { pid = null, tid = null } = laneOf(events, event)?.ids ?? {};
  return { pid, tid };
}

/** The call that launched a kernel, as in its record; null when the events have none. */
function launchOf(events: TimelineEvents, call: number) {
  const start = events.origin + startOf(events, call);
  return { ...threadOf(events, call), launch: { api: textOf(events, 'name', call), start, dur: durOf(events, call) } };
}

const ofKernel = (events: TimelineEvents, event: number, label: string): string | null =>
  factText(events.facts, elementAt(events.factList, event), label);

export class SpanAnnotations {
  readonly #whole: readonly Annotation[];
  readonly #texts: ReadonlySet<string>;
  /** Names of layers, which graph kernels have too. */
  readonly #layers: ReadonlySet<string>;
  readonly #totals = new AnnotationTotals();
  #isOfGraphs = false;
  /** Layers with a backward kernel whose forward op is unknown, and so the occurrence to which it belongs. */
  readonly #unsure = new Set<string>();
  /** Strings around each launch of the current piece. */
  #around: ReadonlyMap<number, readonly string[]> = new Map();
  /** Launches of the forward kernels of the current piece, by sequence number. */
  #forwards: ReadonlyMap<number, ForwardOp> = new Map();

  constructor(
    { annotations, layers }: PageProfile,
    private readonly span: SelectedSpan,
  ) {
    this.#whole = annotations.shown;
    this.#texts = new Set(annotations.shown.map(({ text }) => text));
    this.#layers = new Set(layers.shown.flatMap(({ path }) => path));
  }

  /** Takes the ranges of a piece, before its kernels. */
  take({ events, from, to }: PartOfSpan): void {
    const open = new Map<string, RangeRecord[]>();
    const around = new Map<number, readonly string[]>();
    const forwards = new Map<number, ForwardOp>();
    for (let event = 0; event < events.count; event++) {
      const kind = kindOf(events, event);
      const start = events.origin + startOf(events, event);
      if (start >= to) break;
      const call = elementAt(events.arrows.launcher, event);
      if (elementAt(events.seq, event) >= 0 && elementAt(events.dir, event) === FORWARD && call !== -1)
        forwards.set(elementAt(events.seq, event), forwardOf(events, call));
      if (kind !== 'launch' && !isHostRange(kind)) continue;
      const { pid, tid } = threadOf(events, event);
      const ranges = entryOf(open, `${pid}/${tid}`, (): RangeRecord[] => []);
      while ((ranges.at(-1)?.start ?? 0) + (ranges.at(-1)?.dur ?? Infinity) <= start) ranges.pop();
      if (kind === 'launch') {
        const texts = ranges.flatMap(({ text, start: begin, dur }) => (begin + dur >= start ? text : []));
        around.set(event, [...new Set(texts)]);
      } else this.#range(events, event, ranges, from);
    }
    this.#around = around;
    this.#forwards = forwards;
  }

  #range(events: TimelineEvents, event: number, open: RangeRecord[], from: number): void {
    const text = contextText({ domain: null, text: textOf(events, 'name', event) ?? '' });
    const kind = kindOf(events, event) === 'op' ? 'op' : 'annotation';
    if (!this.#texts.has(annotationOf(text))) return;
    const record: RangeRecord = {
      ...{ type: 'range', profile: 0, kind, domain: null, text, ...threadOf(events, event) },
      ...{ start: events.origin + startOf(events, event), dur: durOf(events, event), self: 0 },
    };
    open.push(record);
    const first = Math.max(record.start, this.span.from);
    const dur = Math.min(record.start + record.dur, this.span.to) - first;
    // Earlier parts took the ranges that began before this one.
    if (first < from) return;
    this.#totals.range(record, dur > 0 ? { ...record, start: first, dur } : null);
  }

  kernel({ events, event, time }: InsideEvent, { layer, record: { dir, device } }: SummedKernel): void {
    // The ranges of a graph kernel are those of its capture.
    if (ofKernel(events, event, 'graph') !== null) this.#isOfGraphs = true;
    const call = elementAt(events.arrows.launcher, event);
    const launched = call === -1 ? { pid: null, tid: null, launch: null } : launchOf(events, call);
    const hasForward = dir === 'bprop' && ofKernel(events, event, 'forward') !== null;
    const forward = hasForward ? (this.#forwards.get(elementAt(events.seq, event)) ?? null) : null;
    if (hasForward && forward === null) for (const text of layer) this.#unsure.add(text);
    const step = elementAt(events.step, event);
    const record = {
      ...{ device, stream: laneOf(events, event)?.ids?.stream ?? null, dir, step: step < 0 ? null : step },
      ...{ ranges: this.#around.get(call) ?? [], forward, ...launched },
    };
    this.#totals.add({ record, layer: layer.filter((text) => this.#texts.has(text)) }, time);
  }

  /**
   * Annotations in the order of the whole profile. Device times and occurrences are unknown where they depend on kernels of
   * other threads, graph kernels, or a framework's backward ops, because events do not say which of these count.
   */
  get annotations(): Bounded<Annotation> {
    const { shown: found } = this.#totals.annotations(Infinity, MOST_SAMPLES);
    const inside = new Map(found.map((annotation) => [annotation.text, annotation]));
    const shown = this.#whole.flatMap((whole): Annotation[] => {
      const { text } = whole;
      const sum = inside.get(text);
      const isInEvents = whole.host !== null || this.#layers.has(text);
      if (sum === undefined) return isInEvents ? [] : [{ ...UNKNOWN, text }];
      const isKnown = (this.#layers.has(text) || !this.#isOfGraphs) && !isOfFramework(text) && isInEvents;
      const ownTime = isKnown && whole.own !== null ? sum.own : null;
      const time = whole.own === whole.time ? ownTime : null;
      const hasOccurrences = time !== null && !this.#unsure.has(text);
      const { count, guessed, samples } = hasOccurrences ? sum : UNKNOWN;
      const { passes, host, hostSamples } = whole.host === null ? UNKNOWN : sum;
      return [{ text, count, guessed, time, own: ownTime, samples, passes, host, hostSelf: null, hostSamples }];
    });
    return { shown, count: shown.length, restTime: 0 };
  }
}

/** Maximum number of samples: the same as for the whole profile. */
const MOST_SAMPLES = 2000;

const FORWARD = DIRECTIONS.indexOf('fprop');

/** What stands for the forward op of a backward kernel: the launch of its kernel. */
function forwardOf(events: TimelineEvents, call: number): ForwardOp {
  const { tid, launch } = launchOf(events, call);
  return { mod: '', op: '', tid, start: launch.start };
}

/** An annotation about which the span says nothing. */
const UNKNOWN: Omit<Annotation, 'text'> = {
  ...{ count: null, guessed: 0, time: null, own: null, samples: [] },
  ...{ passes: null, host: null, hostSelf: null, hostSamples: [] },
};
