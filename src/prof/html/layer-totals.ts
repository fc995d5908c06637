/** Annotated kernels → the tree of the user's layers, with the kernels of each. */
import { longest } from './bounds.js';
import type { PageKernel } from './page-kernel.js';
import type { Bounded, LayerRow } from './page-data.js';
import { MatrixUnitTimer } from './matrix-unit-time.js';

/** Layers that are kept apart, each of about 400 bytes; kernels of any further or deeper layer count for the layer above it. */
const MOST_LAYERS = 50_000;

/** Layers within each other that are kept apart: a row has the names of those above it. */
const MOST_DEPTH = 100;

class LayerSum {
  count = 0;
  time = 0;
  /** ns of kernels in no layer beneath. */
  own = 0;
  forward = 0;
  backward = 0;
  flops: number | null = null;
  bytes: number | null = null;
  readonly unit = new MatrixUnitTimer();
  /** By name; null while there is none: most layers are leaves. */
  children: Map<string, LayerSum> | null = null;

  constructor(readonly name: string) {}

  add({ record: { dir }, flops, bytes, tc }: PageKernel, time: number): void {
    this.count++;
    this.time += time;
    if (dir === 'fprop') this.forward += time;
    if (dir === 'bprop') this.backward += time;
    if (flops !== null) this.flops = (this.flops ?? 0) + flops;
    if (bytes !== null) this.bytes = (this.bytes ?? 0) + bytes;
    this.unit.add(tc, time);
  }
}

export class LayerTotals {
  readonly #root = new LayerSum('');
  #count = 0;

  constructor(private readonly most = MOST_LAYERS) {}

  /** Kernels without a layer are left out. @param time ns */
  add(kernel: PageKernel, time: number): void {
    let at = this.#root;
    for (const name of kernel.layer.slice(0, MOST_DEPTH)) {
      const next = this.#child(at, name);
      if (next === null) break;
      next.add(kernel, time);
      at = next;
    }
    if (at !== this.#root) at.own += time;
  }

  /** In order of appearance. The ancestors of a shown layer are shown too: none of them takes less time. */
  rows(most: number): Bounded<LayerRow> {
    const all: LayerSum[] = [];
    const collect = ({ children }: LayerSum): void => {
      for (const layer of children?.values() ?? []) {
        all.push(layer);
        collect(layer);
      }
    };
    collect(this.#root);
    // Sorting is stable: of layers with equal times the ancestor stays first.
    const { shown, rest } = longest(all, most);
    const restTime = rest.reduce((sum, { own }) => sum + own, 0);
    return { shown: rowsOf(this.#root, new Set(shown), []), count: all.length, restTime };
  }

  /** Null where there are too many layers. */
  #child(layer: LayerSum, name: string): LayerSum | null {
    const known = layer.children?.get(name);
    if (known !== undefined) return known;
    if (this.#count === this.most) return null;
    this.#count++;
    const child = new LayerSum(name);
    (layer.children ??= new Map<string, LayerSum>()).set(name, child);
    return child;
  }
}

function rowsOf({ children }: LayerSum, shown: ReadonlySet<LayerSum>, above: readonly string[]): LayerRow[] {
  return [...(children?.values() ?? [])]
    .filter((layer) => shown.has(layer))
    .flatMap((layer) => {
      const path = [...above, layer.name];
      const { count, time, own, forward, backward, flops, bytes, unit } = layer;
      return [
        { path, count, time, own, forward, backward, flops, bytes, tc: unit.share },
        ...rowsOf(layer, shown, path),
      ];
    });
}
