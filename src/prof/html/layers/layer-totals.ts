/** Annotated kernels → the tree of the user's layers, with the kernels of each. */
import { longest } from '../bounds.js';
import type { PageKernel } from '../page-kernel.js';
import type { Bounded, LayerRow, LayerReason } from '../page-data.js';
import { addTimes } from '../../../record/fields/times.js';
import { addTo, largestEntry } from '../../../containers/map-entry.js';
import type { RooflineBound } from '../../roofline/roofline.js';
import { KernelTally } from '../kernels/kernel-totals.js';

/** Kernels of one part of a layer → why they take their time: what bounds them, the matrix unit, the slowest of them. */
class ReasonSum extends KernelTally {
  /** ns of all kernels and of those with each bound: summed alike, so that a share of them is at most 1. */
  #wholeTime = 0;
  readonly #bounds = new Map<RooflineBound, number>();
  #slowest: LayerReason['slowest'] | null = null;

  /** @param time of the kernel, ns */
  add({ record, tc, bound }: PageKernel, time: number): void {
    this.tally(tc, time);
    this.#wholeTime += time;
    if (bound !== null) addTo(this.#bounds, bound, time);
    if (time > (this.#slowest?.time ?? -1))
      this.#slowest = { id: record.id, name: record.short, start: record.start, time };
  }

  /** Null where there were no kernels. */
  get reason(): LayerReason | null {
    if (this.#slowest === null) return null;
    const [bound, time] = largestEntry(this.#bounds) ?? [null, 0];
    const boundShare = bound === null || this.#wholeTime === 0 ? null : time / this.#wholeTime;
    return { bound, boundShare, tc: this.matrixUnitShare, slowest: this.#slowest };
  }
}

/** Layers that are kept apart, each of about 800 bytes; kernels of any further or deeper layer count for the layer above it. */
const MOST_LAYERS = 50_000;

/** Layers within each other that are kept apart: a row has the names of those above it. */
const MOST_DEPTH = 100;

/** By direction of a kernel. */
const PARTS: Readonly<Record<string, 'forward' | 'backward' | undefined>> = { fprop: 'forward', bprop: 'backward' };

/** All kernels of a layer, and those of each direction. */
class LayerSum extends ReasonSum {
  /** ns of kernels in no layer beneath. */
  own = 0;
  flops: number | null = null;
  bytes: number | null = null;
  ownBackward = 0;
  readonly parts: { forward: ReasonSum | null; backward: ReasonSum | null } = { forward: null, backward: null };
  /** By name; null while there is none: most layers are leaves. */
  children: Map<string, LayerSum> | null = null;

  constructor(readonly name: string) {
    super();
  }

  override add(kernel: PageKernel, time: number): void {
    super.add(kernel, time);
    const { flops, bytes } = kernel;
    if (flops !== null) this.flops = (this.flops ?? 0) + flops;
    if (bytes !== null) this.bytes = (this.bytes ?? 0) + bytes;
    const part = PARTS[kernel.record.dir ?? ''];
    if (part !== undefined) (this.parts[part] ??= new ReasonSum()).add(kernel, time);
  }

  /** For a kernel in no layer beneath. */
  addOwn({ record }: PageKernel, time: number): void {
    this.own = addTimes(this.own, time);
    if (record.dir === 'bprop') this.ownBackward = addTimes(this.ownBackward, time);
  }

  get why(): LayerRow['why'] {
    const { forward, backward } = this.parts;
    return { all: this.reason, forward: forward?.reason ?? null, backward: backward?.reason ?? null };
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
    if (at !== this.#root) at.addOwn(kernel, time);
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
      const { count, time, own, ownBackward, flops, bytes, why, parts } = layer;
      const [forward, backward] = [parts.forward?.time ?? 0, parts.backward?.time ?? 0];
      return [
        { path, count, time, own, forward, backward, ownBackward, flops, bytes, why },
        ...rowsOf(layer, shown, path),
      ];
    });
}
