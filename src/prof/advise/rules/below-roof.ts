/** Ops that take longer than their device needs for their FLOPs and bytes: the plain distance to the roofline. */
import { boundedEntryOf } from '../../../containers/map-entry.js';
import { isNeuronInstruction } from '../../../record/neuron/neuron-cores.js';
import type { Annotated } from '../../annotate.js';
import type { Place } from '../device-times.js';
import type { Found } from '../finding.js';
import { GainTally } from '../kernel-tally.js';
import { deviceRule } from '../rule.js';
import type { RooflineBound } from '../../roofline/roofline.js';
import { many, percent, spokenName, time } from '../wording.js';
import { isMisaligned } from './alignment.js';
import { hasFasterType } from './fp32-product.js';

/** Ops that are named for each device, and ops that are summed. */
const [NAMED, MOST_OPS] = [3, 2000];

/** What helps an op, by what bounds it; the second of products, which one call already fuses. */
const ACTIONS: Readonly<Record<RooflineBound, readonly [any: string, product: string]>> = {
  memory: [
    'fuse it with its neighbours (torch.compile), or call a fused kernel, so that each tensor is read and written once',
    'give each call more rows (a larger batch), so that an operand that is read does more work, or store operands in a smaller type',
  ],
  compute: [
    'reduce the arithmetic, or look for a faster kernel of the library',
    'use larger batches or merge products of the same operand, so that the kernels run larger tiles; try another algorithm or library',
  ],
  latency: [
    'merge or batch the calls, or let torch.compile fuse them: the kernels are too small to fill the device',
    'merge or batch the products (one bmm or grouped GEMM for many mm): the kernels are too small to fill the device',
  ],
};

const PEAKS: Readonly<Record<RooflineBound, string>> = {
  memory: 'of the memory bandwidth',
  compute: 'of the peak FLOP/s',
  latency: 'of what the device can do',
};

/** Kernels of one op that the same peak bounds. */
class Op extends GainTally {
  /** Least time that the device needs for them, ns. */
  floor = 0;

  constructor(
    readonly name: string,
    readonly bound: RooflineBound,
    readonly isProduct: boolean,
  ) {
    super();
  }

  addKernel({ record }: Annotated, dur: number, floor: number): void {
    this.add(record, this.name, dur);
    this.addGain(Math.max(0, dur - floor));
    this.floor += Math.min(dur, floor);
  }
}

/** A faster type or padded extents save more, and have rules of their own. */
const hasItsRule = (row: Annotated): boolean => hasFasterType(row) || isMisaligned(row);

/** A command over the kernels of an op; a name that a shell or the filter may misread is left out. */
const commandFor = (op: string): string =>
  /^[\w.:+-]+$/.test(op)
    ? `dprof --where 'op==${op}' --by kernel,params,bound -f table FILE`
    : 'dprof --by op,bound -f table FILE';

/** How the gain of one kernel is computed. */
const HOW = 'dur − max(FLOPs / peak FLOP/s, bytes / peak bandwidth)';

const findingOf = (op: Op): Omit<Found, keyof Place> => ({
  what: `${spokenName(op.name)} runs at ${percent(op.floor / op.time)} ${PEAKS[op.bound]}: ${time(op.time)} in ${many(op.count, 'kernel')}, ${time(op.floor)} at the peak`,
  action: ACTIONS[op.bound][op.isProduct ? 1 : 0],
  ...op.facts,
  gain: op.bounded(HOW),
  evidence: { ...op.facts.evidence, leastNs: op.floor, bound: op.bound },
  see: commandFor(op.name),
});

export const belowRoof = deviceRule({
  name: 'below-roof',
  doc: 'ops that take longer than their FLOPs and bytes need at the peaks of the device',
  why: 'no kernel with known work on a device with known peaks',
  start: () => new Map<string, Op>(),
  row: (row, devices) => {
    const { record, op, placement } = row;
    const { bound, floor } = placement;
    const { dur } = record;
    if (op === null || bound === null || floor === null || dur === null || isNeuronInstruction(record)) return false;
    if (row.role === 'trial' || hasItsRule(row)) return true;
    boundedEntryOf(
      devices.of(record),
      `${op} ${bound} ${row.isProduct}`,
      MOST_OPS,
      () => new Op(op, bound, row.isProduct),
    )?.addKernel(row, dur, floor);
    return true;
  },
  findings: (ops) =>
    [...ops.values()]
      .sort((a, b) => b.gain - a.gain || (a.name < b.name ? -1 : 1))
      .slice(0, NAMED)
      .map(findingOf),
});
