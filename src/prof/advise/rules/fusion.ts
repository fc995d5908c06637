/**
 * Chains of memory-bound pointwise kernels, where each kernel reads a tensor like the one that the previous kernel wrote.
 * If it is the same tensor, which no profile records, one fused kernel would neither write nor read the intermediate
 * tensors.
 */
import { boundedEntryOf, LruCache } from '../../../containers/map-entry.js';
import { NS_PER_S } from '../../../record/units.js';
import { dtypeShort } from '../../../record/element-types.js';
import { numel, tensorBytes } from '../../../ops/call.js';
import { inputTensors } from '../../../ops/operands.js';
import type { OpCall } from '../../../record/record.js';
import type { Annotated } from '../../annotate.js';
import { ByDevice, type Place } from '../device-times.js';
import type { Found } from '../finding.js';
import { KernelTally } from '../kernel-tally.js';
import type { RuleAnswer, Rule } from '../rule.js';
import { grouped, many, ranked, rate, size } from '../wording.js';

/** Families whose kernels compute each element of the result from the same element of the operands. */
const POINTWISE = new Set(['pointwise', 'activation', 'activation-gradients', 'dropout']);
/** Ops whose result has another type than their operands. */
const COMPARES = /^(eq|ne|lt|le|gt|ge|isnan|isinf|isfinite|logical_|bitwise_|sign)/;
/** Maximum time in ns between two kernels of a chain; an eager framework launches the next op within that time. */
const ADJACENT = 50_000;
/** Maximum number of streams to follow, over all devices. */
const MOST_STREAMS = 10_000;

/**
 * If the same op on the same extents ran within this many kernels of the stream, it is the same computation on another
 * tensor (queries, then keys), which does not read the result of the previous one.
 */
const AGAIN = 6;

/**
 * The tensors that a call reads, and the one that it probably writes: as many elements as its largest operand, in the
 * type that it computes in.
 */
interface Flow {
  readonly reads: ReadonlySet<string>;
  readonly shape: string | null;
  readonly elements: number;
  /** Op and extents of all operands. */
  readonly text: string;
}

const flows = new LruCache<OpCall, Flow>(4096);

function flowOf(call: OpCall): Flow {
  const tensors = inputTensors(call) ?? [];
  const largest = tensors.reduce<(typeof tensors)[number] | null>(
    (best, tensor) => (best === null || numel(tensor.shape) > numel(best.shape) ? tensor : best),
    null,
  );
  return {
    reads: new Set(tensors.map(({ shape, dtype }) => `${shape.join(',')}/${dtypeShort(dtype)}`)),
    shape: largest?.shape.join(',') ?? null,
    elements: largest === null ? 0 : numel(largest.shape),
    text: `${call.op} ${tensors.map(({ shape }) => shape.join('x')).join(' ')}`,
  };
}

interface Link {
  readonly row: Annotated;
  readonly dur: number;
  readonly bytes: number;
  readonly bytesPerS: number;
  readonly flow: Flow;
  /** 'shape/type' of the result; null when its type is unknown. */
  readonly writes: string | null;
  /** Size of the result in bytes. */
  readonly size: number;
}

function linkOf(row: Annotated): Link | null {
  const { described, record, bytes, peaks, unitUse } = row;
  if (described === null || record.dur === null || bytes === null || peaks.bytesPerS === null) return null;
  if (!POINTWISE.has(described.family.id) || described.work.role !== 'main' || row.placement.bound !== 'memory')
    return null;
  const { call, index } = described;
  // A Python call also describes its backward kernels, but without their operands.
  if ((call.from === undefined && record.dir === 'bprop') || (record.callKernels?.[index] ?? 1) > 1) return null;
  const flow = flows.of(call, flowOf);
  const dtype = COMPARES.test(call.op) ? null : (unitUse?.dtype ?? null);
  const whole = (inputTensors(call) ?? []).find(
    (tensor) => numel(tensor.shape) === flow.elements && dtypeShort(tensor.dtype) === dtype,
  );
  const written = whole === undefined ? null : tensorBytes(whole);
  const writes = dtype === null || flow.shape === null || written === null ? null : `${flow.shape}/${dtype}`;
  return { row, dur: record.dur, bytes, bytesPerS: peaks.bytesPerS, flow, writes, size: written ?? 0 };
}

/**
 * Whether two kernels read the same operand and not each other's result: gradients of one product, or one op on several
 * tensors.
 */
function areSiblings({ row: a }: Link, { row: b }: Link): boolean {
  const [node] = a.record.seq;
  const inOneNode = a.record.dir === 'bprop' && node !== undefined && b.record.seq[0] === node;
  return inOneNode || a.described?.call.op === b.described?.call.op;
}

function follows(before: Link, after: Link): boolean {
  const [a, b] = [before.row.record, after.row.record];
  const between = b.start - (a.start + before.dur);
  return (
    before.writes !== null &&
    after.flow.reads.has(before.writes) &&
    !areSiblings(before, after) &&
    between >= 0 &&
    between <= ADJACENT &&
    a.tid === b.tid &&
    (a.step ?? null) === (b.step ?? null)
  );
}

/** Chains of one device, named by their ops. */
class Chains extends KernelTally {
  chains = 0;
  gain = 0;
  bytes = 0;
  bytesPerS = 0;

  addChain(chain: readonly Link[]): void {
    if (chain.length < 2) return;
    const sum = (amountOf: (link: Link) => number): number => chain.reduce((all, link) => all + amountOf(link), 0);
    const dur = sum((link) => link.dur);
    const ops = chain.map(({ row }) => row.described?.call.op ?? '').join('>');
    const saved = chain.slice(0, -1).reduce((all, link) => all + 2 * link.size, 0);
    const [{ bytesPerS }] = chain as readonly [Link];
    // The fused kernel is limited by the remaining traffic at the memory's peak bandwidth.
    const left = dur - ((sum((link) => link.bytes) - saved) / bytesPerS) * NS_PER_S;
    this.chains++;
    this.bytes += saved;
    this.bytesPerS = bytesPerS;
    this.gain += Math.max(0, Math.min((saved / bytesPerS) * NS_PER_S, left));
    for (const link of chain) this.add(link.row.record, ops, link.dur);
  }
}

const finding = ({ of: tally, ...place }: Place & { readonly of: Chains }): Found => ({
  ...place,
  what: `${grouped(tally.count)} memory-bound pointwise kernels in ${many(tally.chains, 'chain')} could be fused, ${tally.timeText}: ${ranked(tally.names)}`,
  details: `in each chain, every kernel after the first seems to read what the previous one wrote (same shape and type; profiles do not record addresses); writing these results and reading them back moves ${size(tally.bytes)} in total`,
  action: ({ fuseChains }) => fuseChains,
  ...tally.facts,
  gain: {
    ns: tally.gain,
    how: `if so, sum over chains of min(bytes written and read in between / ${rate(tally.bytesPerS)}, dur − other bytes / ${rate(tally.bytesPerS)})`,
    // The saving is larger for kernels below the peak bandwidth and smaller for bytes that stay in the cache.
    isBound: false,
  },
  evidence: { chains: tally.chains, ...tally.facts.evidence, savedBytes: tally.bytes, bytesPerS: tally.bytesPerS },
  see: "dprof --where 'bound==memory' -c idx,stream,start,sil,op,params,gbps -f table FILE",
});

/** The latest kernels of a stream. */
class Stream {
  chain: Link[] = [];
  #count = 0;
  #done: { readonly text: string; readonly at: number }[] = [];

  /** Whether a kernel repeats the computation of a few kernels ago; records the kernel. */
  beginsAgain(link: Link | null): boolean {
    const at = ++this.#count;
    this.#done = this.#done.filter((entry) => entry.at >= at - AGAIN - 1);
    if (link === null) return false;
    const { text } = link.flow;
    const earlier = this.#done.find((entry) => entry.text === text);
    const before = this.#textAt(at - 1);
    this.#done.push({ text, at });
    // If the previous kernel was part of that repetition, the chain continues.
    return earlier !== undefined && (before === undefined || before !== this.#textAt(earlier.at - 1));
  }

  #textAt(at: number): string | undefined {
    return this.#done.find((entry) => entry.at === at)?.text;
  }
}

export const fusion: Rule = {
  name: 'fusion',
  doc: 'chains of memory-bound pointwise kernels that could be one kernel',
  watch: () => {
    const devices = new ByDevice(() => new Chains());
    const streams = new Map<string, Stream>();
    let looked = 0;
    const close = (stream: Stream): void => {
      const [first] = stream.chain;
      if (first !== undefined) devices.of(first.row.record).addChain(stream.chain);
      stream.chain = [];
    };
    return {
      row: (row) => {
        const { profile, device, stream: number } = row.record;
        if (row.placement.bound !== null) looked++;
        const key = `${profile}:${device}:${number ?? ''}`;
        const stream = boundedEntryOf(streams, key, MOST_STREAMS, () => new Stream());
        if (stream === null) return;
        const link = linkOf(row);
        const last = stream.chain.at(-1);
        const isNext = !stream.beginsAgain(link) && link !== null && last !== undefined && follows(last, link);
        if (!isNext) close(stream);
        if (link !== null) stream.chain.push(link);
      },
      end: (): RuleAnswer => {
        for (const stream of streams.values()) close(stream);
        const found = devices.all.filter(({ of: tally }) => tally.chains > 0).map(finding);
        return looked > 0
          ? { found }
          : { found, why: 'no kernel with known FLOPs or bytes on a device with known peaks' };
      },
    };
  },
};
