/** Where launches are in the program, and what the framework calls its groups: what records and traces say alike. */
import type { ProcessGroup } from '../../../src/record/fields/collective.js';
import type { Slot } from './messages.js';
import type { GroupKind } from './options.js';
import type { JobOp } from './program.js';
import type { RankView } from './rank-view.js';

/** What the format of the profiles has. */
export interface FormatOptions {
  /** Ordinals and peers of messages; true by default. */
  readonly ordinals?: boolean;
  /** What the program calls its groups, true by default; without it their kinds follow from their ranks alone. */
  readonly descriptions?: boolean;
}

/** The kind of group behind each slot. */
export const KIND_OF_SLOT: Readonly<Record<Slot, GroupKind>> = {
  tensor: 'tensor',
  data: 'data',
  world: 'world',
  toNext: 'pipeline',
  fromPrevious: 'pipeline',
  toPrevious: 'pipeline',
  fromNext: 'pipeline',
};

/** Longer lists of ranks are cut off by the framework in what it says of an operation. */
export const MOST_LISTED_RANKS = 30;

/** Grid and block of NCCL's kernels. */
export const MESSAGE_EXTENTS = { grid: [24, 1, 1], block: [544, 1, 1] } as const;

export const ENGINE = 'autograd::engine::evaluate_function: ';
export const ACCUMULATE = 'torch::autograd::AccumulateGrad';
export const OPTIMIZER = 'Optimizer.step#AdamW.step';

/** Base name of the trace of a rank. */
export const traceName = (rank: number): string => `rank_${rank}.pt.trace.json.gz`;

/** Process groups of a rank, in the order in which they were made. */
export function groupsOf({ job, rank }: RankView, descriptions: boolean): ProcessGroup[] {
  return Object.values(rank.groups)
    .sort((a, b) => a - b)
    .flatMap((id) => job.groups[id] ?? [])
    .map(({ name, description, ranks }) => ({
      name,
      description: descriptions ? description : null,
      size: ranks.length,
      ranks,
    }));
}

/** Modules around a piece of work, outermost first. */
export const layerOf = ({ part }: JobOp): string[] =>
  part === null ? [] : [`TransformerLayer_${part.layer}`, `${part.module}_${part.layer}`];
