/** Work of a stream that is launched and has not begun, in one pass. Memory: the latest starts. */
import { elementAt } from '../../containers/element.js';
import { countUpTo } from '../../containers/row-order.js';

/** Maximum number of starts to keep: no driver queues as many launches. */
const MOST_STARTS = 4096;

export class StreamQueue {
  /** The latest starts of work, in order. */
  readonly #starts: number[] = [];

  /**
   * Adds work in order of start.
   * @param launched when its launch call began
   * @returns how much work that was launched earlier had not begun then
   */
  add(start: number, launched: number): number {
    const starts = this.#starts;
    const length = starts.length - countUpTo(starts.length, (at) => elementAt(starts, at), launched);
    if (start >= (starts.at(-1) ?? -Infinity)) starts.push(start);
    if (starts.length > 2 * MOST_STARTS) starts.splice(0, MOST_STARTS);
    return length;
  }
}
