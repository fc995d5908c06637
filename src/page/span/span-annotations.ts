/** The annotations of a span: host time of their ranges, and time of the kernels in them. Does not need a document. */
import { elementAt } from '../../containers/element.js';
import { entryOf } from '../../containers/map-entry.js';
import { addTimes } from '../../record/fields/times.js';
import type { Annotation, Bounded, PageProfile } from '../../prof/html/page-data.js';
import { isHostRange } from '../../prof/html/timeline/timeline-data.js';
import { isOfFramework } from '../charts/annotation-kinds.js';
import { factText } from '../timeline/events/kernel-facts.js';
import { endOf, kindOf, laneOf, startOf, tableNameOf, type TimelineEvents } from '../timeline/events/events.js';
import type { SelectedSpan } from '../timeline/model/view.js';
import type { InsideEvent, PartOfSpan } from './span-events.js';

interface AnnotationSum {
  passes: number;
  host: number;
  own: number;
}

/** A range of a thread, in ns from the profile's start. */
interface OpenRange {
  readonly text: string;
  readonly to: number;
}

const threadOf = (events: TimelineEvents, event: number): string => {
  const { pid = null, tid = null } = laneOf(events, event)?.ids ?? {};
  return `${pid ?? ''}/${tid ?? ''}`;
};

export class SpanAnnotations {
  readonly #whole: readonly Annotation[];
  /** Names of layers, which kernels of graphs have too. */
  readonly #layers: ReadonlySet<string>;
  #isOfGraphs = false;
  readonly #sums = new Map<string, AnnotationSum>();
  /** End of the ranges so far, by thread and text: a range in another of its text adds no time. */
  readonly #reach = new Map<string, number>();
  /** Texts of the ranges around each launch of the current piece. */
  #around: ReadonlyMap<number, ReadonlySet<string>> = new Map();

  constructor(
    { annotations, layers }: PageProfile,
    private readonly span: SelectedSpan,
  ) {
    this.#whole = annotations.shown;
    this.#layers = new Set(layers.shown.flatMap(({ path }) => path));
    for (const { text } of annotations.shown) this.#sums.set(text, { passes: 0, host: 0, own: 0 });
  }

  /** Takes the ranges of a piece, before its kernels. */
  take({ events, from, to }: PartOfSpan): void {
    const open = new Map<string, OpenRange[]>();
    const around = new Map<number, ReadonlySet<string>>();
    for (let event = 0; event < events.count; event++) {
      const kind = kindOf(events, event);
      const start = events.origin + startOf(events, event);
      if (start >= to) break;
      if (kind !== 'launch' && !isHostRange(kind)) continue;
      const ranges = entryOf(open, threadOf(events, event), (): OpenRange[] => []);
      while ((ranges.at(-1)?.to ?? Infinity) <= start) ranges.pop();
      if (kind === 'launch') around.set(event, new Set(ranges.flatMap((one) => (one.to >= start ? one.text : []))));
      else this.#range(events, event, ranges, from);
    }
    this.#around = around;
  }

  #range(events: TimelineEvents, event: number, open: OpenRange[], from: number): void {
    const text = tableNameOf(events, event) ?? '';
    const sum = this.#sums.get(text);
    if (sum === undefined) return;
    const [start, end] = [events.origin + startOf(events, event), events.origin + endOf(events, event)];
    open.push({ text, to: end });
    const [first, last] = [Math.max(start, this.span.from), Math.min(end, this.span.to)];
    if (last <= first || first < from) return;
    const key = `${threadOf(events, event)}/${text}`;
    const reach = this.#reach.get(key) ?? -Infinity;
    const isAgain = kindOf(events, event) === 'op' && start < reach && end <= reach;
    if (!isAgain) sum.passes++;
    sum.host += Math.max(0, last - Math.max(first, reach));
    this.#reach.set(key, Math.max(reach, end));
  }

  /** @param layer names of the layers of a kernel, from the top */
  kernel({ events, event, time }: InsideEvent, layer: readonly string[]): void {
    // The ranges of a graph kernel are those of its capture.
    if (factText(events.facts, elementAt(events.factList, event), 'graph') !== null) this.#isOfGraphs = true;
    const around = this.#around.get(elementAt(events.arrows.launcher, event)) ?? [];
    for (const text of new Set([...around, ...layer])) {
      const sum = this.#sums.get(text);
      if (sum !== undefined) sum.own = addTimes(sum.own, time);
    }
  }

  /**
   * In the order of the whole profile. Events do not say which kernels of other threads count, and which of graphs, nor how
   * frameworks name their backward ops: device times are unknown then.
   */
  get annotations(): Bounded<Annotation> {
    const shown = this.#whole.flatMap((annotation): Annotation[] => {
      const sum = this.#sums.get(annotation.text);
      if (sum === undefined || (sum.passes === 0 && sum.own === 0)) return [];
      const isHost = annotation.host !== null;
      const isInEvents = this.#layers.has(annotation.text) || !this.#isOfGraphs;
      const isKnown = annotation.own !== null && isInEvents && !isOfFramework(annotation.text);
      const own = isKnown ? sum.own : null;
      return [
        {
          ...{ text: annotation.text, count: null, guessed: 0, own, samples: [], hostSamples: [] },
          time: annotation.own === annotation.time ? own : null,
          ...{ passes: isHost ? sum.passes : null, host: isHost ? sum.host : null, hostSelf: null },
        },
      ];
    });
    return { shown, count: shown.length, restTime: 0 };
  }
}
