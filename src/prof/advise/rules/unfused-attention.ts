/**
 * Attention that is computed step by step: a batched product of queries and keys, a softmax of the scores over the keys, and
 * a batched product with the values, with pointwise kernels between them (scale, mask, dropout). A fused kernel does all of
 * it without writing the scores to memory.
 */
import { largest } from '../../../containers/element.js';
import { boundedEntryOf } from '../../../containers/map-entry.js';
import { dtypeBytes } from '../../../record/element-types.js';
import type { OpCall } from '../../../record/record.js';
import { NS_PER_S } from '../../../record/units.js';
import { numel, type Tensor } from '../../../ops/call.js';
import { inputTensors, opName } from '../../../ops/operands.js';
import type { Annotated } from '../../annotate.js';
import { ByDevice, type Place } from '../device-times.js';
import type { Found } from '../finding.js';
import { KernelTally, Ranking } from '../kernel-tally.js';
import type { Rule, RuleAnswer } from '../rule.js';
import { many, percent, ranked, rate, size, time } from '../wording.js';

const PRODUCT = /^(?:bmm|baddbmm|matmul|__matmul__)$/;
/** Families of the kernels that scale, mask, convert or drop scores. */
const BETWEEN = new Set(['pointwise', 'activation', 'dropout', 'conversion', 'copying', 'filling']);
/** Maximum number of kernels from the first product to the second: one or two for each step, and copies of values. */
const MOST_KERNELS = 16;
/** Maximum number of streams of a device to follow. */
const MOST_STREAMS = 1000;

/** Batches, rows, inner extent and columns of a batched product. */
interface Extents {
  readonly batch: number;
  readonly rows: number;
  readonly inner: number;
  readonly columns: number;
  readonly dtype: string;
}

/** Null for other ops, for products without batches, and for operands whose extents do not match. */
function productOf(call: OpCall): Extents | null {
  if (!PRODUCT.test(opName(call))) return null;
  const [left, right] = (inputTensors(call) ?? []).slice(-2);
  if (left === undefined || right === undefined || left.shape.length < 3 || right.shape.length < 3) return null;
  const [rows, inner] = left.shape.slice(-2) as [number, number];
  const [depth, columns] = right.shape.slice(-2) as [number, number];
  const batch = numel(left.shape.slice(0, -2));
  if (inner !== depth || batch !== numel(right.shape.slice(0, -2))) return null;
  return { batch, rows, inner, columns, dtype: left.dtype };
}

const elementsOf = (tensors: readonly Tensor[]): number =>
  largest(
    tensors.map(({ shape }) => numel(shape)),
    0,
  );

/** Whether the call is a softmax over the columns of scores. */
function isSoftmaxOf(call: OpCall, { batch, rows, columns }: Extents): boolean {
  const [input] = inputTensors(call) ?? [];
  if (input === undefined || !/softmax/i.test(opName(call)) || /log_?softmax|backward/i.test(opName(call)))
    return false;
  const dim = call.args.find(
    ({ name, type, value }) => name === 'dim' || (type !== 'float' && Number.isInteger(value)),
  );
  const isLast = dim === undefined || dim.value === -1 || dim.value === input.shape.length - 1;
  return isLast && input.shape.at(-1) === columns && numel(input.shape) === batch * rows * columns;
}

/** The kernels since a product that may be that of queries and keys. */
interface Candidate {
  readonly scores: Extents;
  readonly first: Annotated;
  /** The softmax and the kernels that change the scores. */
  readonly between: Annotated[];
  hasSoftmax: boolean;
  kernels: number;
}

class Attention extends KernelTally {
  attentions = 0;
  /** Time in ns of the kernels between the products. */
  between = 0;
  /** Bytes of scores that the products write and read, and the time in ns at the memory's peak. */
  bytes = 0;
  traffic = 0;
  bytesPerS: number | null = null;
  readonly places = new Ranking();

  addAttention({ scores, first, between }: Candidate, last: Annotated): void {
    const { batch, rows, columns, dtype } = scores;
    const { bytesPerS } = first.peaks;
    const bytes = 2 * batch * rows * columns * (dtypeBytes(dtype) ?? 0);
    const products = durOf(first) + durOf(last);
    this.attentions++;
    this.bytes += bytes;
    this.bytesPerS = bytesPerS;
    // The products take at least as long as this traffic.
    if (bytesPerS !== null) this.traffic += Math.min((bytes / bytesPerS) * NS_PER_S, products);
    for (const row of between) this.between += durOf(row);
    for (const row of [first, ...between, last]) this.add(row.record, row.op ?? row.record.short, durOf(row));
    const place = first.layer.at(-1) ?? first.record.trace.at(-1);
    if (place !== undefined) this.places.add(place, products);
  }
}

const durOf = ({ record }: Annotated): number => record.dur ?? 0;

/** Follows the kernels of one stream. */
class Stream {
  #candidate: Candidate | null = null;

  /** @returns the kernels before the second product of an attention, when this kernel is it */
  take(row: Annotated): Candidate | null {
    const call = row.described?.call;
    const candidate = this.#candidate;
    const isForward = row.record.dir === 'fprop' && row.record.dur !== null && Number.isFinite(row.record.dur);
    if (call === undefined || !isForward) return this.#begin(null);
    const product = productOf(call);
    if (product !== null) {
      const isSecond =
        candidate !== null &&
        candidate.hasSoftmax &&
        product.batch === candidate.scores.batch &&
        product.rows === candidate.scores.rows &&
        product.inner === candidate.scores.columns;
      if (!isSecond) return this.#begin({ scores: product, first: row, between: [], hasSoftmax: false, kernels: 0 });
      this.#candidate = null;
      return candidate;
    }
    if (candidate === null) return null;
    const { first, scores } = candidate;
    if (++candidate.kernels > MOST_KERNELS || (first.record.step ?? null) !== (row.record.step ?? null))
      return this.#begin(null);
    if (isSoftmaxOf(call, scores)) candidate.hasSoftmax = true;
    else if (!BETWEEN.has(row.described?.family.id ?? '')) return null;
    else if (elementsOf(inputTensors(call) ?? []) !== scores.batch * scores.rows * scores.columns) return null;
    candidate.between.push(row);
    return null;
  }

  #begin(candidate: Candidate | null): null {
    this.#candidate = candidate;
    return null;
  }
}

const finding = ({ of: tally, ...place }: Place & { readonly of: Attention }, span: number): Found => ({
  ...place,
  what: `${many(tally.attentions, 'attention')} ${tally.attentions === 1 ? 'is' : 'are'} computed step by step, ${percent(tally.stake / span)} of the time: ${ranked(tally.names, 5)}`,
  details: `the scores are written to memory and read again; the matrix products alone move ${size(tally.bytes)} of scores${tally.places.size > 0 ? `; in ${ranked(tally.places)}` : ''}`,
  action: ({ attention }) =>
    `${attention}: where mask and element type allow a fused kernel, it never writes the scores to memory`,
  ...tally.facts,
  gain: {
    ns: tally.between + tally.traffic,
    how: `time of the softmax and pointwise kernels (${time(tally.between)})${tally.bytesPerS === null ? '' : ` + bytes of the scores in the products / ${rate(tally.bytesPerS)} (${time(tally.traffic)})`}`,
    isBound: false,
  },
  evidence: {
    attentions: tally.attentions,
    ...tally.facts.evidence,
    betweenNs: tally.between,
    scoreBytes: tally.bytes,
  },
  see: "dprof --where 'op~softmax || op~bmm || op~matmul' --by op,params -f table FILE",
});

/** Attention in separate kernels, for which a fused kernel exists. */
export const unfusedAttention: Rule = {
  name: 'unfused-attention',
  doc: 'attention as two batched products around a softmax, which a fused kernel computes without writing the scores',
  watch: () => {
    const devices = new ByDevice(() => new Attention());
    const streams = new ByDevice(() => new Map<number | null, Stream>());
    let looked = false;
    return {
      row: (row) => {
        if (row.described !== null) looked = true;
        const stream = boundedEntryOf(streams.of(row.record), row.record.stream, MOST_STREAMS, () => new Stream());
        const done = stream?.take(row) ?? null;
        if (done !== null) devices.of(row.record).addAttention(done, row);
      },
      end: ({ devices: times }): RuleAnswer => {
        const found = devices.all.map((place) => finding(place, times.span(place.profile, place.device)));
        return looked ? { found } : { found, why: 'no kernel has a known op with arguments' };
      },
    };
  },
};
