/**
 * Device time by stack, equal stacks merged. Memory is bounded: once the stacks' texts are too long together, new stacks
 * are added up in one called `[other stacks]`.
 */
import { addTo } from '../../containers/map-entry.js';

/** Most characters of all different stacks together: some 100,000 deep ones. */
export const MOST_TEXT = 64 * 1024 * 1024;

export const OTHERS = '[other stacks]';

/** Between frames in a key: no frame has a line end. */
const BETWEEN = '\n';

export class MergedStacks {
  /** ns by stack. */
  readonly #times = new Map<string, number>();
  #text = 0;
  /** Device time of all stacks, ns. */
  total = 0;
  /** Kernels whose stacks were added to the others. */
  others = 0;

  constructor(private readonly mostText = MOST_TEXT) {}

  /** @param frames outermost first, without line ends */
  add(frames: readonly string[], ns: number): void {
    this.total += ns;
    const stack = frames.join(BETWEEN);
    const known = this.#times.get(stack);
    if (known !== undefined) this.#times.set(stack, known + ns);
    else if (this.#text + stack.length <= this.mostText) {
      this.#text += stack.length;
      this.#times.set(stack, ns);
    } else {
      this.others++;
      addTo(this.#times, OTHERS, ns);
    }
  }

  /** In order of the stacks' texts. */
  *sorted(): Generator<{ readonly frames: readonly string[]; readonly ns: number }> {
    const sorted = [...this.#times].sort(([a], [b]) => (a < b ? -1 : 1));
    for (const [stack, ns] of sorted) yield { frames: stack.split(BETWEEN), ns };
  }
}
