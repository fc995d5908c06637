/** Ops that take longer than the roofline of their device predicts from their FLOPs and bytes. */
import { boundedEntryOf } from '../../../containers/map-entry.js';
import { numel, type Tensor } from '../../../ops/call.js';
import { inputTensors } from '../../../ops/operands.js';
import { isNeuronInstruction } from '../../../record/neuron/neuron-cores.js';
import type { OpCall } from '../../../record/record.js';
import type { Annotated } from '../../annotate.js';
import type { Place } from '../device-times.js';
import type { Found } from '../finding.js';
import type { Action } from '../framework-words.js';
import { GainTally } from '../kernel-tally.js';
import { productKind } from '../product-extents.js';
import { deviceRule } from '../rule.js';
import type { RooflineBound } from '../../roofline/roofline.js';
import { many, percent, spokenName, time } from '../wording.js';
import { isMisaligned } from './alignment.js';
import { hasFasterType } from './fp32-product.js';

/** Ops that are named for each device, and ops that are summed. */
const [NAMED, MOST_OPS] = [3, 2000];

/**
 * Kinds of ops by how their FLOPs per byte can grow. `shared`: all rows use the same weights, so more rows help.
 * `batched`: each product of the batch has separate operands. `attention`: keys and values belong to the sequence.
 * `instruction`: an instruction of the compiled program of a NeuronCore.
 */
type Kind = 'any' | 'shared' | 'batched' | 'attention' | 'instruction';

/** What helps an op, by what bounds it and by its kind; `any` where the kind has no action. */
const ACTIONS: Readonly<Record<RooflineBound, Readonly<Partial<Record<Kind, Action>> & { any: Action }>>> = {
  memory: {
    any: ({ fuseNext }) => `${fuseNext}, so that each tensor is read and written once`,
    shared:
      'give each call more rows (a larger batch), so that each weight that is read does more work, or store operands in a smaller type',
    batched:
      'fuse it with its neighbours (attention in one kernel), or store operands in a smaller type; a larger batch does not help, because each product has its own operands',
    attention:
      'try another attention kernel (FlashAttention, cuDNN), share keys and values among heads (grouped queries), or store them in a smaller type; a larger batch does not help, because each sequence has its own keys and values',
  },
  compute: {
    any: 'reduce the arithmetic, or look for a faster kernel of the library',
    shared:
      'use larger batches or merge products of the same operand, so that the kernels run larger tiles; try another algorithm or library',
    batched: 'try another algorithm or library: tiles grow with the dimensions of each product, not with the batch',
    attention: 'try another attention kernel (FlashAttention, cuDNN)',
    instruction:
      'fill the array: 128 rows and columns of weights, 512 moving columns, and several multiplications for each load of weights',
  },
  latency: {
    any: ({ fuseCalls }) => `${fuseCalls}: the kernels are too small to fill the device`,
    shared: ({ batchProducts }) => `${batchProducts}: the kernels are too small to fill the device`,
    batched: 'merge the calls into fewer with a larger batch: the kernels are too small to fill the device',
    attention: 'give several sequences to one call (a larger batch): the kernels are too small to fill the device',
  },
};

/** Whether both operands have a matrix for each product of the batch. */
function isBatched(call: OpCall): boolean {
  const operands = (inputTensors(call) ?? []).filter(({ shape }) => shape.length >= 2).slice(-2);
  const batchOf = ({ shape }: Tensor): number => numel(shape.slice(0, -2));
  return operands.length === 2 && operands.every((operand) => batchOf(operand) > 1);
}

function kindOf(row: Annotated): Kind {
  const { record, described, isProduct } = row;
  if (isNeuronInstruction(record)) return 'instruction';
  if (!isProduct) return 'any';
  if (described === null || productKind(row) === 'convolution') return 'shared';
  if (described.family.id.includes('attention')) return 'attention';
  return isBatched(described.call) ? 'batched' : 'shared';
}

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
    readonly kind: Kind,
  ) {
    super();
  }

  addKernel({ record }: Annotated, dur: number, floor: number): void {
    this.add(record, this.name, dur);
    this.addGain(dur, Math.max(0, dur - floor));
    this.floor += Math.min(dur, floor);
  }
}

/** A faster type or padded extents save more, and have rules of their own. */
const hasItsRule = (row: Annotated): boolean => hasFasterType(row) || isMisaligned(row);

/** A command that shows the kernels of an op. A name that a shell or the filter may misread is left out. */
function commandFor({ name, kind }: Op): string {
  if (kind === 'instruction') return `dprof --where 'kernel==${name}' --by kernel,dtype,bound -f table FILE`;
  return /^[\w.:+-]+$/.test(name)
    ? `dprof --where 'op==${name}' --by kernel,params,bound -f table FILE`
    : 'dprof --by op,bound -f table FILE';
}

/** Formula for the gain of one kernel. */
const HOW = 'dur − max(FLOPs / peak FLOP/s, bytes / peak bandwidth)';

/** Distinguishes the batched products of an op from its other products that the same peak bounds. */
const whichOf = (op: Op, all: readonly Op[]): string =>
  op.kind === 'batched' &&
  all.some(({ name, bound, kind }) => name === op.name && bound === op.bound && kind !== op.kind)
    ? ', batched,'
    : '';

const findingOf = (op: Op, all: readonly Op[]): Omit<Found, keyof Place> => ({
  what: `${spokenName(op.name)}${whichOf(op, all)} runs at ${percent(op.floor / op.time)} ${PEAKS[op.bound]}: ${op.timeText} in ${many(op.count, 'kernel')}, ${time(op.floor)} at the peak`,
  action: ACTIONS[op.bound][op.kind] ?? ACTIONS[op.bound].any,
  ...op.facts,
  gain: op.bounded(HOW),
  evidence: { ...op.facts.evidence, leastNs: op.floor, bound: op.bound },
  see: commandFor(op),
});

export const belowRoof = deviceRule({
  name: 'below-roof',
  doc: 'ops that take longer than their FLOPs and bytes need at the peaks of the device',
  why: 'no kernel with known FLOPs or bytes on a device with known peaks',
  start: () => new Map<string, Op>(),
  row: (row, devices) => {
    const { record, placement } = row;
    const { bound, floor } = placement;
    const { dur } = record;
    // Of the engines of a NeuronCore, only the tensor engine has a known peak.
    const op = isNeuronInstruction(record) ? (row.isProduct ? record.name : null) : row.op;
    if (op === null || bound === null || floor === null || dur === null) return false;
    if (row.role === 'trial' || hasItsRule(row)) return true;
    const kind = kindOf(row);
    boundedEntryOf(devices.of(record), `${op} ${bound} ${kind}`, MOST_OPS, () => new Op(op, bound, kind))?.addKernel(
      row,
      dur,
      floor,
    );
    return true;
  },
  findings: (ops) =>
    [...ops.values()]
      .sort((a, b) => b.gain - a.gain || (a.name < b.name ? -1 : 1))
      .slice(0, NAMED)
      .map((op) => findingOf(op, [...ops.values()])),
});
