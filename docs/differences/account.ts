/**
 * Which answer agrees with a reference, and which difference explains each that does not.
 */
import { renderParams } from '../../src/ops/family.js';
import { resolveWork } from '../../src/ops/resolve-work.js';
import { matrixUnitCell } from '../../src/ops/kernels/tensor-core.js';
import { CELLS, type Cell, type Cells, type Probe } from './probe.js';
import { DIFFERENCES, type Difference } from './table.js';

/** A cell that neither a reference nor a difference accounts for. */
interface Unaccounted {
  readonly probe: string;
  readonly cell: Cell;
  readonly ours: Cells[Cell];
  readonly pyprof2: Cells[Cell] | undefined;
  readonly nvidia: Cells[Cell] | undefined;
  readonly reason: string;
}

export interface Account {
  readonly probes: number;
  /** Probes of which every cell is PyProf2's. */
  readonly equalToPyprof2: number;
  /** Of the rest, those of which every cell is NVIDIA PyProf's. */
  readonly equalToNvidia: number;
  /** Of the rest, those of which every cell is one of the two's. */
  readonly equalToEither: number;
  /** Of the rest, those whose other cells are covered by differences. */
  readonly explained: number;
  /** Probes in which a difference covers at least one cell, by its id; 0 for one that covers none. */
  readonly byDifference: ReadonlyMap<string, number>;
  readonly unaccounted: readonly Unaccounted[];
}

/** Our row for a probe, by PyProf's conventions. */
function answerTo(probe: Probe): Cells {
  const described = resolveWork([probe.call], { ...probe.kernel, convention: 'pyprof' });
  const work = described?.work ?? null;
  return {
    op: work?.label ?? probe.call.op,
    flops: work?.flops ?? null,
    bytes: work?.bytes ?? null,
    tc: matrixUnitCell(work, probe.kernel.name),
    params: work === null ? 'na' : renderParams(work.params),
  };
}

interface Verdict {
  /** The differences that cover the cell; empty when it equals a reference. */
  readonly covering: readonly Difference[];
  readonly reason: string | null;
}

/** Accounts for one cell: by a reference, by differences, or not (a reason). */
function judge(probe: Probe, ours: Cells, cell: Cell, applicable: readonly Difference[]): Verdict {
  const expectations = applicable
    .filter((difference) => difference.cells.includes(cell))
    .map((difference) => ({ difference, expected: difference.expected?.(probe)[cell] }));
  const contradicting = expectations.find(({ expected }) => expected !== undefined && expected !== ours[cell]);
  if (contradicting !== undefined) {
    const { difference, expected } = contradicting;
    return { covering: [], reason: `${difference.id} expects ${String(expected)}` };
  }
  const aborted = probe.pyprof2 === null && probe.nvidia === null;
  if (aborted && cell === 'op' && ours.op === probe.call.op) return { covering: [], reason: null };
  if (probe.pyprof2?.[cell] === ours[cell] || probe.nvidia?.[cell] === ours[cell])
    return { covering: [], reason: null };
  const covering = expectations.filter(({ expected }) => expected !== undefined || !aborted);
  if (covering.length > 0) return { covering: covering.map(({ difference }) => difference), reason: null };
  return {
    covering: [],
    reason: aborted ? 'both aborted and no difference expects a value' : 'no difference covers it',
  };
}

const sameRow = (ours: Cells, theirs: Cells | null): boolean =>
  theirs !== null && CELLS.every((cell) => ours[cell] === theirs[cell]);

/** Every cell of every probe, held against both references and the table of differences. */
export function accountFor(probes: readonly Probe[], differences: readonly Difference[] = DIFFERENCES): Account {
  const totals = { equalToPyprof2: 0, equalToNvidia: 0, equalToEither: 0, explained: 0 };
  const byDifference = new Map(differences.map(({ id }) => [id, 0]));
  const unaccounted: Unaccounted[] = [];
  for (const probe of probes) {
    const ours = answerTo(probe);
    const applicable = differences.filter((difference) => difference.applies(probe));
    const covering = new Set<Difference>();
    const open = unaccounted.length;
    for (const cell of CELLS) {
      const verdict = judge(probe, ours, cell, applicable);
      verdict.covering.forEach((difference) => covering.add(difference));
      if (verdict.reason === null) continue;
      const theirs = { pyprof2: probe.pyprof2?.[cell], nvidia: probe.nvidia?.[cell] };
      unaccounted.push({ probe: probe.title, cell, ours: ours[cell], ...theirs, reason: verdict.reason });
    }
    for (const { id } of covering) byDifference.set(id, (byDifference.get(id) ?? 0) + 1);
    if (unaccounted.length > open) continue;
    if (sameRow(ours, probe.pyprof2)) totals.equalToPyprof2++;
    else if (sameRow(ours, probe.nvidia)) totals.equalToNvidia++;
    else if (covering.size === 0) totals.equalToEither++;
    else totals.explained++;
  }
  return { probes: probes.length, ...totals, byDifference, unaccounted };
}
