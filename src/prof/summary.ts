/** What a report could not compute, counted, for one line on stderr. */
import type { Annotated } from './annotate.js';

export class Tally {
  /** Kernels read, and of these the ones that the filter let through. */
  seen = 0;
  kernels = 0;
  withoutOp = 0;
  unknownFlops = 0;
  ambiguousForward = 0;
  withoutForward = 0;
  /** Forward kernels forgotten to stay within the memory budget. */
  evicted = 0;

  /** @param derived whether the report shows anything derived of ops: only then is it worth computing */
  constructor(private readonly derived = true) {}

  count(row: Annotated): void {
    this.kernels++;
    if (row.calls.length === 0 && row.op === null) this.withoutOp++;
    else if (this.derived && row.flops === null) this.unknownFlops++;
    if (row.pairing.kind === 'ambiguous') this.ambiguousForward++;
    if (row.pairing.kind === 'no-forward') this.withoutForward++;
  }
}

const number = (n: number): string => n.toLocaleString('en-US');

/** The line; null when there is nothing to say. */
export function summaryLine(tally: Tally): string | null {
  if (tally.kernels === 0) return null;
  const parts = [
    [tally.withoutOp, 'without op'],
    [tally.unknownFlops, 'with unknown FLOPs'],
    [tally.withoutForward, 'backward without a forward kernel'],
    [tally.ambiguousForward, 'backward with several possible forward kernels'],
  ] as const;
  const said = parts.filter(([n]) => n > 0).map(([n, what]) => `${number(n)} ${what}`);
  if (said.length === 0) return null;
  const lost =
    tally.withoutForward > 0 && tally.evicted > 0 ? ` (${number(tally.evicted)} forward kernels forgotten)` : '';
  const kernels = `${number(tally.kernels)} kernel${tally.kernels === 1 ? '' : 's'}`;
  return `${kernels}: ${said.join(', ')}${lost}; run with --explain ID for reasons`;
}
