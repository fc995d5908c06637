/** Turns annotated kernels into the tree of the user's layers, with the kernels of each. */
import { longest } from '../bounds.js';
import type { SummedKernel } from '../page-kernel.js';
import type { Bounded, LayerRow, LayerReason } from '../page-data.js';
import { addTimes } from '../../../record/fields/times.js';
import { entryOf, largestEntry } from '../../../containers/map-entry.js';
import type { RooflineBound } from '../../roofline/roofline.js';
import { KernelTally, knownWork, type KernelSum } from '../../tally/kernel-tally.js';

/**
 * Turns the kernels of one part of a layer into the reasons for their time: what bounds them, and the slowest of them.
 */
class ReasonSum {
  readonly #bounds = new Map<RooflineBound, number>();
  #slowest: LayerReason['slowest'] | null = null;

  /** @param time the time of the kernel, in ns */
  add({ record, placement: { bound } }: SummedKernel, time: number): void {
    if (bound !== null) this.#bounds.set(bound, addTimes(this.#bounds.get(bound) ?? 0, time));
    if (time > (this.#slowest?.time ?? -1))
      this.#slowest = { id: record.id, name: record.short, start: record.start, time };
  }

  /** Null when there are no kernels. @param sum sums of the kernels */
  reason({ time: whole, matrixUnitShare: tc }: KernelSum): LayerReason | null {
    if (this.#slowest === null) return null;
    const [bound, time] = largestEntry(this.#bounds) ?? [null, 0];
    return { bound, boundShare: bound === null || whole === 0 ? null : time / whole, tc, slowest: this.#slowest };
  }
}

/** Maximum number of separate layers, about 800 bytes each; kernels of any further or deeper layer count for its parent. */
const MOST_LAYERS = 50_000;

/** Maximum depth of separate layers, because a row has the names of all ancestors. */
const MOST_DEPTH = 100;

/** Part of the time to which the kernels of each direction belong. */
const PARTS: Readonly<Record<string, Part | undefined>> = { fprop: 'forward', bprop: 'backward' };

type Part = 'forward' | 'backward';

/** All kernels of a layer, and those of each direction. */
class LayerSum {
  /** Numbers in the tally of the kernels that are in no inner layer. */
  readonly own = new Map<Part | null, number>();
  readonly why = new Map<Part | null, ReasonSum>();
  /** Children by name; null without children, because most layers are leaves. */
  children: Map<string, LayerSum> | null = null;

  constructor(readonly name: string) {}

  add(kernel: SummedKernel, time: number): void {
    entryOf(this.why, null, () => new ReasonSum()).add(kernel, time);
    const part = partOf(kernel);
    if (part !== null) entryOf(this.why, part, () => new ReasonSum()).add(kernel, time);
  }

  /** Numbers of the kernels in the layer and all inner layers. @param part null for all */
  *keys(part: Part | null): Generator<number> {
    for (const [ownPart, key] of this.own) if (part === null || ownPart === part) yield key;
    for (const layer of this.children?.values() ?? []) yield* layer.keys(part);
  }
}

const partOf = ({ record }: SummedKernel): Part | null => PARTS[record.dir ?? ''] ?? null;

export class LayerTotals {
  readonly #root = new LayerSum('');
  readonly #tally = new KernelTally();
  /** Keys in the tally. */
  #keys = 0;
  #count = 0;

  constructor(private readonly most = MOST_LAYERS) {}

  /**
   * Ignores kernels without a layer.
   * @param time in ns
   */
  add(kernel: SummedKernel, time: number): void {
    let at = this.#root;
    for (const name of kernel.layer.slice(0, MOST_DEPTH)) {
      const next = this.#child(at, name);
      if (next === null) break;
      next.add(kernel, time);
      at = next;
    }
    if (at === this.#root) return;
    const key = entryOf(at.own, partOf(kernel), () => this.#keys++);
    this.#tally.add(key, time, kernel);
  }

  /** Sorted by appearance. The ancestors of a shown layer are also shown, because none of them takes less time. */
  rows(most: number): Bounded<LayerRow> {
    const all: { readonly layer: LayerSum; readonly alone: number; time: number }[] = [];
    /** Time in the layer and in all inner layers, in ns. */
    const collect = (layer: LayerSum): number => {
      const alone = this.#ownSum(layer).time;
      const entry = { layer, alone, time: alone };
      all.push(entry);
      for (const inner of layer.children?.values() ?? []) entry.time = addTimes(entry.time, collect(inner));
      return entry.time;
    };
    for (const layer of this.#root.children?.values() ?? []) collect(layer);
    // Sorting is stable: of layers with equal times the ancestor stays first.
    const { shown, rest } = longest(all, most);
    const restTime = rest.reduce((sum, { alone }) => sum + alone, 0);
    const rows = this.#rowsOf(this.#root, new Set(shown.map(({ layer }) => layer)), []);
    return { shown: rows, count: all.length, restTime };
  }

  /** Null when there are too many layers. */
  #child(layer: LayerSum, name: string): LayerSum | null {
    const known = layer.children?.get(name);
    if (known !== undefined) return known;
    if (this.#count === this.most) return null;
    this.#count++;
    const child = new LayerSum(name);
    (layer.children ??= new Map<string, LayerSum>()).set(name, child);
    return child;
  }

  #ownSum({ own: byPart }: LayerSum): KernelSum {
    return this.#tally.together([...byPart.values()]);
  }

  #rowsOf({ children }: LayerSum, shown: ReadonlySet<LayerSum>, above: readonly string[]): LayerRow[] {
    const layers = [...(children?.values() ?? [])].filter((layer) => shown.has(layer));
    return layers.flatMap((layer) => {
      const path = [...above, layer.name];
      return [this.#row(layer, path), ...this.#rowsOf(layer, shown, path)];
    });
  }

  #row(layer: LayerSum, path: readonly string[]): LayerRow {
    const keys = [...layer.keys(null)];
    const all = this.#tally.together(keys);
    /** Most layers run in one direction only. */
    const sumOf = (part: Part): KernelSum => {
      const some = [...layer.keys(part)];
      return some.length === keys.length ? all : this.#tally.together(some);
    };
    const [forward, backward] = [sumOf('forward'), sumOf('backward')];
    const ownBackward = layer.own.get('backward');
    return {
      ...{ path, count: all.count, time: all.time, own: this.#ownSum(layer).time },
      ...{ forward: forward.time, backward: backward.time },
      ownBackward: ownBackward === undefined ? 0 : this.#tally.of(ownBackward).time,
      ...knownWork(all),
      why: {
        all: layer.why.get(null)?.reason(all) ?? null,
        forward: layer.why.get('forward')?.reason(forward) ?? null,
        backward: layer.why.get('backward')?.reason(backward) ?? null,
      },
    };
  }
}
