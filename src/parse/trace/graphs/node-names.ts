/**
 * Numbers for what two nodes are compared by: a kernel's name, or that one is a copy or a set. HIP copies and fills by
 * kernels of its own in a replay.
 */
import type { CapturedNode } from './captured-graph.js';

/** What has no name to be compared by. */
export const NAMELESS = 0;
export const [COPY, SET] = [1, 2];
const FIRST = 3;

const RUNTIME_KERNELS: readonly (readonly [beginning: string, number: number])[] = [
  ['__amd_rocclr_copyBuffer', COPY],
  ['__amd_rocclr_fillBuffer', SET],
];

export class NodeNames {
  readonly #numbers = new Map<string, number>();

  /** Nodes of equal number may be the same one. */
  numberOf(kind: CapturedNode['kind'], name: string | null): number {
    if (kind === 'copy') return COPY;
    if (kind === 'set') return SET;
    if (name === null || kind === 'graph') return NAMELESS;
    const own = RUNTIME_KERNELS.find(([beginning]) => name.startsWith(beginning));
    if (own !== undefined) return own[1];
    let number = this.#numbers.get(name);
    if (number === undefined) this.#numbers.set(name, (number = FIRST + this.#numbers.size));
    return number;
  }
}
