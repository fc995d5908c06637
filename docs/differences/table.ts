/**
 * Where our answers differ from PyProf2's and NVIDIA PyProf's, and why. The page docs/differences-from-pyprof.md is
 * made from this table, and a test checks it against the probes: a difference that is not listed fails, and so does a
 * listed one that no probe shows.
 */
import type { Cell, Cells, Probe } from './probe.js';
import { ELEMENTWISE } from './elementwise.js';
import { MATRIX } from './matrix.js';

export interface Difference {
  readonly id: string;
  readonly title: string;
  /** What they say. */
  readonly reference: string;
  readonly ours: string;
  readonly why: string;
  readonly formula?: string;
  /** The cells that may differ. */
  readonly cells: readonly Cell[];
  readonly applies: (probe: Probe) => boolean;
  /**
   * What our cells must be, worked out from the probe's arguments by hand formulas and never by src/ops. Cells that
   * are left out may have any value; where both references aborted none may be left out (but `op`).
   */
  readonly expected?: (probe: Probe) => Partial<Cells>;
}

export const DIFFERENCES: readonly Difference[] = [...MATRIX, ...ELEMENTWISE];
