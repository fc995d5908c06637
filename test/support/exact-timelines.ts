/** Times of real traces by exact interval arithmetic over their JSON (`reference/exact-timelines.md`), as cells. */

/**
 * Of a trace with communication that the reference, which knows NCCL and RCCL alone, counts as compute: cells by column,
 * by the same arithmetic with the 73 kernels of symmetric memory (`multimem_`) as communication.
 */
const CORRECTED: Readonly<Record<string, Readonly<Record<number, string>>>> = {
  b200_rank0of8: { 1: '74', 6: '8.652', 7: '2.142', 10: '2.142', 11: '2.142' },
};

/** Cells of a trace's row after its name. */
export function exactTimes(reference: string, trace: string): string[] {
  const cells = new RegExp(`^\\| ${trace} \\| (.*) \\|$`, 'm').exec(reference)?.[1]?.split(' | ') ?? [];
  return cells.map((cell, column) => CORRECTED[trace]?.[column] ?? cell);
}
