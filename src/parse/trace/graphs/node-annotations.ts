/** What a file beside the profile says of the nodes of graphs. */
import { entryOf } from '../../../containers/map-entry.js';
import { NO_CONTEXT } from '../kernel-contexts.js';
import type { CapturedNode, NodeAnnotation } from './captured-graph.js';

/** Adds what is annotated to what is known of nodes otherwise; each node is made once. */
export class AnnotatedNodes {
  readonly #made = new Map<CapturedNode | null, Map<NodeAnnotation, CapturedNode>>();

  constructor(private readonly annotations: ReadonlyMap<number, NodeAnnotation>) {}

  has(id: number): boolean {
    return this.annotations.has(id);
  }

  /** @param node what is known otherwise; null for nothing */
  of(id: number, node: CapturedNode | null): CapturedNode | null {
    const annotation = this.annotations.get(id);
    if (annotation === undefined) return node;
    const made = entryOf(this.#made, node, () => new Map<NodeAnnotation, CapturedNode>());
    return entryOf(made, annotation, () => annotated(node, annotation));
  }
}

function annotated(node: CapturedNode | null, { layer, ranges }: NodeAnnotation): CapturedNode {
  const known = node ?? { kind: 'kernel', name: null, grid: null, block: null, context: NO_CONTEXT };
  const { context } = known;
  return {
    ...known,
    context: {
      ...context,
      layer: context.layer.length > 0 ? context.layer : layer,
      ranges: [...context.ranges, ...ranges.filter((text) => !context.ranges.includes(text))],
    },
  };
}
