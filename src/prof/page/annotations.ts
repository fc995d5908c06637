/**
 * Rows → the texts that the user put around launches, and how long the device worked each time. Records do not number
 * the times: kernels that follow each other on a stream under the same text are one.
 */
import { bounded } from './bounds.js';
import type { KernelFacts } from './kernel-facts.js';
import type { Annotation, Bounded } from './page-data.js';
import { Samples } from './samples.js';

/** Texts that are told apart; each keeps up to MOST_SAMPLES times. */
const MOST_TEXTS = 5000;
const MOST_SAMPLES = 2000;

/** PyTorch numbers its steps and the calls of its ops: one annotation all the same. */
const NUMBERS = /(?<=^ProfilerStep#)\d+$|, (?:seq|op_id) = \d+/g;

class Text {
  time = 0;
  readonly occurrences = new Samples(MOST_SAMPLES);
  constructor(readonly text: string) {}
}

interface Occurrence {
  time: number;
  /** Number of the last kernel in it. */
  last: number;
}

export class Annotations {
  readonly #texts = new Map<string, Text>();
  /** By stream: the texts around its last kernel. */
  readonly #open = new Map<string, Map<string, Occurrence>>();
  #kernels = 0;
  /** ns under texts that came too late to be told apart. */
  #others = 0;

  constructor(private readonly most = MOST_TEXTS) {}

  /**
   * To be called in order of start.
   * @param time ns
   */
  add({ record, layer }: KernelFacts, time: number): void {
    const { device, stream, ranges } = record;
    const open = this.#stream(`${device}/${stream ?? ''}`);
    const number = ++this.#kernels;
    for (const text of layer) this.#enter(open, text, number, time);
    for (const text of ranges) this.#enter(open, text.replace(NUMBERS, ''), number, time);
    for (const [text, occurrence] of open) {
      if (occurrence.last === number) continue;
      this.#end(text, occurrence);
      open.delete(text);
    }
  }

  annotations(most: number, samples: number): Bounded<Annotation> {
    for (const open of this.#open.values()) {
      for (const [text, occurrence] of open) this.#end(text, occurrence);
      open.clear();
    }
    const { shown, ...rest } = bounded([...this.#texts.values()], most, this.#others);
    return {
      shown: shown.map(({ text, time, occurrences }) => ({
        ...{ text, count: occurrences.seen, time, samples: occurrences.upTo(samples) },
      })),
      ...rest,
    };
  }

  /** A text twice around a kernel is around it once. */
  #enter(open: Map<string, Occurrence>, text: string, number: number, time: number): void {
    const known = open.get(text);
    if (known === undefined) open.set(text, { time, last: number });
    else if (known.last !== number) {
      known.last = number;
      known.time += time;
    }
  }

  #end(text: string, { time }: Occurrence): void {
    let known = this.#texts.get(text);
    if (known === undefined) {
      if (this.#texts.size === this.most) {
        this.#others += time;
        return;
      }
      this.#texts.set(text, (known = new Text(text)));
    }
    known.time += time;
    known.occurrences.add(time);
  }

  #stream(key: string): Map<string, Occurrence> {
    let open = this.#open.get(key);
    if (open === undefined) this.#open.set(key, (open = new Map<string, Occurrence>()));
    return open;
  }
}
