/** Values over time by name, in a bounded number of curves. */
import { boundedEntryOf } from '../../../containers/map-entry.js';
import { Curve } from '../../memory/bounded-curve.js';
import type { CurveGroup } from './neuron-data.js';

const MOST_CURVES = 32;
const MOST_POINTS = 200;

export class CurveGroupBuilder {
  readonly #curves = new Map<string, Curve>();
  readonly #leftOut = new Set<string>();

  constructor(
    private readonly title: string,
    private readonly unit: string,
  ) {}

  add(name: string, at: number, value: number): void {
    const curve = boundedEntryOf(this.#curves, name, MOST_CURVES, () => new Curve(MOST_POINTS));
    if (curve !== null) curve.add(at, value);
    else if (this.#leftOut.size < MOST_POINTS) this.#leftOut.add(name);
  }

  /** Null without values. */
  get group(): CurveGroup | null {
    if (this.#curves.size === 0) return null;
    const curves = [...this.#curves].map(([name, { points }]) => ({
      name,
      points: points.map(({ at, value }) => [at, value] as const),
    }));
    return { title: this.title, unit: this.unit, curves, leftOut: this.#leftOut.size };
  }
}
