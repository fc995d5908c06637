/** The compiled program of a profile: its tensors by role, and when its layers ran. */
import type { LayerRecord, TensorRecord, TensorRole } from '../../record/record.js';

/** Maximum number of tensors of a role, and of layers, to list. */
const LISTED = 50;

export interface ProgramTensor {
  readonly name: string;
  readonly dtype: string | null;
  readonly shape: readonly number[] | null;
  readonly bytes: number | null;
}

export interface RoleTensors {
  /** Null when the profile does not state it. */
  readonly role: TensorRole | null;
  readonly count: number;
  /** Total; null when the size of any is unknown. */
  readonly bytes: number | null;
  /** The first tensors. */
  readonly listed: readonly ProgramTensor[];
}

export interface ProgramLayer {
  readonly name: string;
  readonly device: number | null;
  /** Unit: ns. */
  readonly start: number;
  /** Unit: ns; null when its duration is unknown. */
  readonly end: number | null;
}

export interface ProgramSummary {
  readonly tensors: readonly RoleTensors[];
  readonly layers: number;
  /** The first layers, in order of start time. */
  readonly listedLayers: readonly ProgramLayer[];
}

const ROLES: readonly (TensorRole | null)[] = ['input', 'output', 'weight', null];

export class ProgramSums {
  readonly #roles = new Map<TensorRole | null, { count: number; bytes: number | null; listed: ProgramTensor[] }>();
  readonly #layers: ProgramLayer[] = [];
  #layerCount = 0;

  tensor({ role, name, dtype, shape, bytes }: TensorRecord): void {
    const known = this.#roles.get(role) ?? { count: 0, bytes: 0, listed: [] };
    known.count++;
    known.bytes = known.bytes === null || bytes === null ? null : known.bytes + bytes;
    if (known.listed.length < LISTED) known.listed.push({ name, dtype, shape, bytes });
    this.#roles.set(role, known);
  }

  layer({ name, device, start, dur }: LayerRecord): void {
    this.#layerCount++;
    if (this.#layers.length < LISTED)
      this.#layers.push({ name, device, start, end: dur === null ? null : start + dur });
  }

  /** Null when the profile describes no program. */
  get result(): ProgramSummary | null {
    if (this.#roles.size === 0 && this.#layerCount === 0) return null;
    const tensors = ROLES.flatMap((role): RoleTensors[] => {
      const sums = this.#roles.get(role);
      return sums === undefined ? [] : [{ role, ...sums }];
    });
    return { tensors, layers: this.#layerCount, listedLayers: this.#layers };
  }
}
