/** Rows → the tree of the user's layers, with the kernels of each. */
import { longest } from './bounds.js';
import type { PageKernel } from './page-kernel.js';
import type { Bounded, LayerRow } from './page-data.js';
import { MatrixUnitTime } from './matrix-unit-time.js';

/** Layers that are told apart, each of about 400 bytes; what lies beneath more is added to the layer above. */
const MOST_LAYERS = 50_000;

class LayerSum {
  count = 0;
  time = 0;
  own = 0;
  forward = 0;
  backward = 0;
  flops: number | null = null;
  bytes: number | null = null;
  readonly unit = new MatrixUnitTime();
  /** Null while there is nothing: most layers are leaves. */
  beneath: Map<string, LayerSum> | null = null;

  constructor(
    readonly name: string,
    readonly level: number,
  ) {}

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
  readonly #root = new LayerSum('', 0);
  #count = 0;

  constructor(private readonly most = MOST_LAYERS) {}

  /**
   * A kernel without a layer is in none.
   * @param time ns
   */
  add(kernel: PageKernel, time: number): void {
    let at = this.#root;
    for (const name of kernel.layer) {
      const next = this.#beneath(at, name);
      if (next === null) break;
      next.add(kernel, time);
      at = next;
    }
    if (at !== this.#root) at.own += time;
  }

  /** In order of appearance. A layer that is shown has all above it shown: none of them takes less time. */
  rows(most: number): Bounded<LayerRow> {
    const all: LayerSum[] = [];
    const collect = ({ beneath }: LayerSum): void => {
      for (const layer of beneath?.values() ?? []) {
        all.push(layer);
        collect(layer);
      }
    };
    collect(this.#root);
    // Sorting is stable: of equal ones, the one above came first.
    const { shown, rest } = longest(all, most);
    const restTime = rest.reduce((sum, { own }) => sum + own, 0);
    return { shown: rowsOf(this.#root, new Set(shown), []), count: all.length, restTime };
  }

  #beneath(layer: LayerSum, name: string): LayerSum | null {
    const known = layer.beneath?.get(name);
    if (known !== undefined) return known;
    if (this.#count === this.most) return null;
    this.#count++;
    const made = new LayerSum(name, layer.level + 1);
    (layer.beneath ??= new Map<string, LayerSum>()).set(name, made);
    return made;
  }
}

function rowsOf({ beneath }: LayerSum, shown: ReadonlySet<LayerSum>, above: readonly string[]): LayerRow[] {
  return [...(beneath?.values() ?? [])]
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
