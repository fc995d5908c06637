/**
 * The collective operation of a kernel, from its `args`.
 * Source: torch/csrc/profiler/util.cpp (metadata of `record_param_comms`).
 */
import type { Collective } from '../../../record/record.js';
import { fieldOf, parseJson, shapeOf, sizeOf, textOf } from '../../json/json-value.js';
import { scalarType } from '../../torch/scalar-types.js';

/** `[0, 1, 2]`, as a list or as text; null for a list that is abbreviated (`[0, 1, ...]`), and for an empty one. */
function ranksOf(value: unknown): number[] | null {
  const ranks = shapeOf(typeof value === 'string' ? parseJson(Buffer.from(value)) : value);
  return ranks === null || ranks.length === 0 ? null : ranks;
}

const product = (a: number | null, b: number | null): number | null => (a === null || b === null ? null : a * b);

/** The collective operation in a kernel's `args`; null when there is none. Sizes in bytes. */
export function readCollective(args: unknown): Collective | null {
  const field = (name: string): unknown => fieldOf(args, name);
  const op = textOf(field('Collective name'));
  if (op === null) return null;
  const name = textOf(field('dtype'));
  const type = name === null ? null : scalarType(name);
  const size = type?.bytes ?? null;
  return {
    op,
    bytesIn: product(sizeOf(field('In msg nelems')), size),
    bytesOut: product(sizeOf(field('Out msg nelems')), size),
    dtype: type?.dtype ?? null,
    group: textOf(field('Process Group Name')),
    groupSize: sizeOf(field('Group size')),
    ranks: ranksOf(field('Process Group Ranks')),
  };
}
