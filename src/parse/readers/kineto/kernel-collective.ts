/**
 * The collective operation of a kernel, from its `args`.
 * Source: torch/csrc/profiler/util.cpp (metadata of `record_param_comms`).
 */
import type { Collective } from '../../../record/record.js';
import { scalarType } from '../../torch/scalar-types.js';

const text = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);
const count = (value: unknown): number | null =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null;

/** `[0, 1, 2]`, as a list or as text; null for a list that is abbreviated (`[0, 1, ...]`). */
function ranksOf(value: unknown): number[] | null {
  let list = value;
  if (typeof value === 'string') {
    try {
      list = JSON.parse(value) as unknown;
    } catch {
      return null;
    }
  }
  if (!Array.isArray(list)) return null;
  const ranks = list.map(count).filter((rank) => rank !== null);
  return ranks.length === list.length && ranks.length > 0 ? ranks : null;
}

const product = (a: number | null, b: number | null): number | null => (a === null || b === null ? null : a * b);

/** The collective operation in a kernel's `args`; null when there is none. Sizes in bytes. */
export function readCollective(args: unknown): Collective | null {
  if (typeof args !== 'object' || args === null) return null;
  const fields = args as Readonly<Record<string, unknown>>;
  const op = text(fields['Collective name']);
  if (op === null) return null;
  const type = scalarType(text(fields['dtype']) ?? '');
  const size = type?.bytes ?? null;
  return {
    op,
    bytesIn: product(count(fields['In msg nelems']), size),
    bytesOut: product(count(fields['Out msg nelems']), size),
    dtype: type?.dtype ?? null,
    group: text(fields['Process Group Name']),
    groupSize: count(fields['Group size']),
    ranks: ranksOf(fields['Process Group Ranks']),
  };
}
