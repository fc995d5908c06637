/** Kernels of which no op is known, and why. */
import { isNeuronInstruction } from '../../record/engines.js';
import { whyWithoutCall, type Annotated } from '../annotate.js';
import type { Pairing } from '../work/forward-pairing.js';

/** Reasons that would else name the kernel's own numbers. */
const BY_PAIRING: Readonly<Partial<Record<Pairing['kind'], string>>> = {
  ambiguous: 'several threads have a forward kernel with its sequence id',
  'no-forward': 'no earlier forward kernel with its sequence id',
  paired: 'no op call around its forward kernel',
};

/** Why no op is known; null when one is. A known op without a formula is none of these. */
export function whyUnattributed(row: Annotated): string | null {
  if (row.calls.length > 0 || row.op !== null) return null;
  const { record, pairing, profile } = row;
  if (isNeuronInstruction(record)) return "the profile lacks the instruction's op";
  return BY_PAIRING[pairing.kind] ?? whyWithoutCall(pairing, record, profile !== null);
}
