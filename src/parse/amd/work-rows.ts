/** Device work as AMD's formats write it alike: kernel names, directions of copies, sizes of grids, counters. */
import type { CopyKind } from '../../record/record.js';
import { compareTexts } from '../trace/record-order.js';
import type { Value } from '../trace/trace-builder.js';

/** Suffix of a kernel's symbol, in two forms. */
const SYMBOL = /(?: \[clone \.kd\]|\.kd)$/;
/** `MEMORY_COPY_HOST_TO_DEVICE`, `CopyHostToDevice`. */
const DIRECTION = /(host|device)_?to_?(host|device)/i;

/** A kernel's name without the suffix of its symbol; null for a value that is not a name. */
export const kernelName = (cell: unknown): string | null =>
  typeof cell === 'string' && cell !== '' ? cell.replace(SYMBOL, '') : null;

/**
 * The kind of a copy.
 * @param isBetween whether source and target are two GPUs
 */
export function copyKind(direction: string, isBetween = false): CopyKind | null {
  const [, source, target] = DIRECTION.exec(direction) ?? [];
  if (source === undefined || target === undefined) return null;
  const kind = `${source.charAt(0)}to${target.charAt(0)}`.replaceAll(/[hd]/g, (letter) => letter.toUpperCase());
  return (kind === 'DtoD' && isBetween ? 'PtoP' : kind) as CopyKind;
}

/** The grid in blocks of a grid in work-items, axis by axis; NaN where either is unknown. */
export const blocksOf = (workItems: readonly Value[], block: readonly Value[]): number[] =>
  workItems.map((count, axis) => Math.ceil(Number(count) / Number(block[axis])));

/** A handle or an address such as `0x20`; null for any other value. */
export const hexOf = (cell: unknown): number | null => (/^0x[\da-f]+$/i.test(String(cell)) ? Number(cell) : null);

/** Values of a kernel's counters by name. */
export type Counters = Record<string, number>;

/** The same counters, in an order that does not depend on the order of the profile's rows. */
export const inNameOrder = <C extends Counters | undefined>(counters: C): C =>
  counters && (Object.fromEntries(Object.entries(counters).sort(([a], [b]) => compareTexts(a, b))) as C);

// Categories of events of AMD's tracers, such as `HIP_RUNTIME_API_EXT` and `MARKER_CORE_RANGE_API`.

/** Whether events of this category are roctx functions. */
export const isRoctx = (category: string | null): boolean => /^MARKER/i.test(category ?? '');

/** Whether they are roctx ranges and marks. The other roctx functions pause the tracer or name things. */
export const isRange = (category: string | null): boolean => /^MARKER_CORE/i.test(category ?? '');

/** Whether they are API calls. */
export const isApi = (category: string | null): boolean => /api/i.test(category ?? '') && !isRoctx(category);
