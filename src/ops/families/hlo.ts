/**
 * Instructions of HLO, the programs of XLA, by their shapes: products, convolutions and library calls for them, fusions
 * by their contents, reductions, elementwise operations, movement. The call has the operands, and the result as `out`.
 * A product also has the extents that are `summed`. A fusion has its `body`: for each opcode the number of elements
 * that it computes, and for products also the number of terms of each sum and the type of the factors.
 */
import { isTransferStart, isTransferWait } from '../../record/wait-calls.js';
import type { Arg, KernelLine, KernelRecord, OpCall, ProfileLine } from '../../record/record.js';
import { numel, type Tensor } from '../call.js';
import type { Category } from '../category.js';
import type { Family, OpCost, Param, Work } from '../family.js';
import { allTensors, integers } from '../operands.js';
import { dtypeParams, workUnlessHelper } from '../product.js';
import { helperWork, showShape, total, workOf } from '../work.js';

const SOURCE = "shapes in the profile's HLO";

const PRODUCTS = 'dot convolution custom-call';
const FUSIONS = 'fusion call async-start';
/** One operation for each element of the result. */
const MAPS =
  'abs add and atan2 cbrt ceil clamp compare complex cosine divide erf exponential exponential-minus-one floor imag is-finite log log-plus-one logistic maximum minimum multiply negate not or popcnt power real remainder round-nearest-afz round-nearest-even rsqrt select shift-left shift-right-arithmetic shift-right-logical sign sine sqrt stochastic-convert subtract tan tanh xor map';
/** One operation for each element of the operand. */
const REDUCTIONS = 'reduce reduce-window';
const MOVES =
  'bitcast bitcast-convert broadcast concatenate constant convert copy gather get-tuple-element iota pad parameter reshape reverse slice transpose tuple dynamic-slice';
const UPDATES = 'dynamic-update-slice scatter';
const WAITS =
  'after-all copy-start copy-done async-update async-done send send-done recv recv-done all-reduce-done all-gather-done collective-permute-done';
const OTHERS = 'sort rng rng-bit-generator rng-get-and-update-state fft cholesky triangular-solve while conditional select-and-scatter infeed outfeed batch-norm-training batch-norm-inference batch-norm-grad reduce-precision'; // prettier-ignore

const words = (text: string): string[] => text.split(' ');
const setOf = (text: string): ReadonlySet<string> => new Set(words(text));
const [isMap, isReduction, isMove, isWait, isFusion] = [MAPS, REDUCTIONS, MOVES, WAITS, FUSIONS].map((names) => {
  const set = setOf(names);
  return (op: string): boolean => set.has(op);
}) as [Check, Check, Check, Check, Check];
type Check = (op: string) => boolean;

/** A transfer whose end an instruction waits for. */
export interface AwaitedTransfer {
  readonly wait: KernelLine;
  /** `HtoD copies`, where the direction is known; `all-gather`. */
  readonly name: string;
  /** `float32 (5,1024)`: what is transferred; null if unknown. */
  readonly tensor: string | null;
  readonly bytes: number | null;
}

/** The transfer whose end an instruction waits for; null for any other record. */
export function awaitedTransfer(record: ProfileLine): AwaitedTransfer | null {
  if (record.type !== 'kernel' || !isTransferWait(record.labels)) return null;
  const { labels = {}, counters, calls } = record;
  const kind = String(labels['category']).replace(/-done$/, '');
  const direction = labels['copy'] === undefined ? '' : `${String(labels['copy'])} `;
  const { dtype, shape } = calls?.[0]?.args.find(({ name }) => name === 'out') ?? {};
  return {
    wait: record,
    name: kind === 'copy' ? `${direction}copies` : kind,
    tensor: dtype === undefined || shape === undefined ? null : `${dtype} ${showShape(shape)}`,
    bytes: counters?.['bytes_accessed'] ?? null,
  };
}

/**
 * The work of an instruction whose FLOPs and bytes the compiler states with it.
 * @param matmul whether it multiplies matrices, according to its shapes
 * @returns null when the record states none
 */
export function statedWork(
  { counters, labels }: Pick<KernelRecord, 'counters' | 'labels'>,
  matmul: boolean,
): Work | null {
  const [flops, bytes] = [counters?.['flops'], counters?.['bytes_accessed']];
  if (flops === undefined && bytes === undefined) return null;
  // A transfer is counted once, as the copy or collective that the profile has in addition to its start and end.
  if (isTransferWait(labels) || isTransferStart(labels)) return helperWork([], 'category of the instruction');
  const stated = { role: 'main', flops: flops ?? null, bytes: bytes ?? null, params: [], matmul } as const;
  return {
    ...stated,
    formula: "the compiler's count for one execution",
    source: 'flops and bytes_accessed of the profile',
  };
}

const argNamed = (call: OpCall, name: string): Arg | undefined => call.args.find((arg) => arg.name === name);

/** The tensors of a tuple; anything else unchanged. */
const parts = (arg: Arg): readonly Arg[] => (arg.items === undefined ? [arg] : arg.items.flatMap(parts));

/** The operands and results as tensors; null when some are unknown. */
function tensorsOf(call: OpCall): { readonly reads: Tensor[]; readonly writes: Tensor[] } | null {
  const reads = allTensors(call.args.filter(({ name }) => name === '').flatMap(parts));
  const result = argNamed(call, 'out');
  const writes = result === undefined ? null : allTensors(parts(result));
  return reads === null || writes === null ? null : { reads, writes };
}

/** FLOPs of the parts of a fusion: `[opcode, elements]`, for products `[opcode, elements, terms, type]`; null if not known. */
function flopsOfBody(body: Arg['value']): number | null {
  if (!Array.isArray(body)) return null;
  return total(
    body.map((part: unknown) => {
      const [op, elements, terms] = Array.isArray(part) ? (part as unknown[]) : [];
      if (typeof op !== 'string' || typeof elements !== 'number') return null;
      if (typeof terms === 'number') return 2 * elements * terms;
      if (isMap(op) || isReduction(op)) return elements;
      return isMove(op) || isWait(op) || op === 'dynamic-update-slice' || op === 'scatter' ? 0 : null;
    }),
  );
}

/**
 * Type of the factors of the first product in a fusion, or of the first operand of a library call; null for other
 * calls. A fusion may convert its operands, and a library call may have sums and scales of other types.
 */
export function factorTypeIn({ mod, op, args }: OpCall): string | null {
  if (mod !== 'hlo') return null;
  if (op === 'custom-call') return args[0]?.dtype ?? null;
  const body = args.find(({ name }) => name === 'body')?.value;
  const product: unknown = Array.isArray(body) ? body.find(isProductPart) : undefined;
  return Array.isArray(product) && typeof product[3] === 'string' ? product[3] : null;
}

/** Library calls for attention: products, whose number depends on a mask that the shapes do not show. */
const ATTENTION = /attn|attention|fmha/i;

const isProductPart = (part: unknown): boolean => Array.isArray(part) && typeof part[2] === 'number';

interface Flops {
  readonly flops: number | null;
  readonly formula: string;
  readonly matmul: boolean;
}

const targetOf = (call: OpCall): string => String(argNamed(call, 'target')?.value ?? '');

const SUM_OF_TERMS = 'flops = 2·|result|·Π(dimensions summed over), bytes = |operands| + |result|';

function flopsOf(call: OpCall, reads: readonly Tensor[], result: number): Flops {
  const plain = (flops: number | null, formula: string): Flops => ({ flops, formula, matmul: false });
  const { op } = call;
  const summed = integers(argNamed(call, 'summed')?.value);
  if (summed !== null) return { flops: 2 * result * numel(summed), formula: SUM_OF_TERMS, matmul: true };
  if (isFusion(op) || op === 'custom-call') {
    const body = argNamed(call, 'body')?.value;
    const matmul = (Array.isArray(body) && body.some(isProductPart)) || ATTENTION.test(targetOf(call));
    return { flops: flopsOfBody(body), formula: "the sum of the fusion's instructions", matmul };
  }
  if (isMap(op)) return plain(result, 'flops = |result|, bytes = |operands| + |result|');
  if (op === 'reduce-window') {
    const window = integers(argNamed(call, 'window')?.value);
    return plain(window === null ? null : result * numel(window), 'flops = |result|·|window|');
  }
  if (op === 'reduce') return plain(reads[0] === undefined ? null : numel(reads[0].shape), 'flops = |operand|');
  const isFree = isMove(op) || isWait(op) || op === 'dynamic-update-slice';
  return plain(isFree ? 0 : null, isFree ? '0: moves data' : 'no formula');
}

/** Tensors that are read and written; null when a part of unknown size is. */
function traffic(call: OpCall, { reads, writes }: { readonly reads: Tensor[]; readonly writes: Tensor[] }) {
  if (argNamed(call, 'in_part')?.value === true) return null;
  if (isWait(call.op)) return { reads: [], writes: [] };
  if (call.op === 'slice' || call.op === 'dynamic-slice') return { reads: writes, writes };
  if (call.op === 'gather') return { reads: [...writes, ...reads.slice(1, 2)], writes };
  const update = call.op === 'dynamic-update-slice' ? reads[1] : call.op === 'scatter' ? reads[2] : undefined;
  return update === undefined ? { reads, writes } : { reads: [update], writes: [update] };
}

function paramsOf(call: OpCall, reads: readonly Tensor[]): Param[] {
  const target = argNamed(call, 'target')?.value;
  const shapes: Param[] =
    reads.length === 0 ? [] : [['T', `[${reads.map(({ shape }) => showShape(shape)).join(',')}]`]];
  return [...shapes, ...dtypeParams(...reads), ...(typeof target === 'string' ? [['', target] as const] : [])];
}

function costOf(call: OpCall): OpCost | null {
  const tensors = tensorsOf(call);
  if (tensors === null) return null;
  const first = tensors.writes[0];
  const { flops, formula, matmul } = flopsOf(call, tensors.reads, first === undefined ? 0 : numel(first.shape));
  const moved = traffic(call, tensors);
  const target = argNamed(call, 'target')?.value;
  // Bytes are unknown too, because without FLOPs the time of a library call would be compared only with its operands.
  const isOpaque = flops === null && typeof target === 'string';
  const unknown = [
    flops !== null
      ? ''
      : typeof target === 'string'
        ? `the shapes of ${target} do not say what it computes`
        : `no formula for ${call.op}`,
    moved !== null || isOpaque ? '' : 'only a part of an operand is read or written',
  ].filter((reason) => reason !== '');
  return {
    ...{
      flops,
      formula,
      matmul,
      severalProducts: ATTENTION.test(targetOf(call)),
      params: paramsOf(call, tensors.reads),
    },
    ...{ reads: moved?.reads ?? [], writes: isOpaque ? null : (moved?.writes ?? null) },
    ...(unknown.length === 0 ? undefined : { unknown: unknown.join('; ') }),
  };
}

/** Categories of opcodes; the opcodes of fusions and library calls have none by themselves. */
const CATEGORIES = new Map<string, Category>(
  (
    [
      [MAPS, 'elementwise'],
      [REDUCTIONS, 'reduction'],
      [MOVES, 'copy'],
      ['dynamic-update-slice copy-start copy-done reduce-precision', 'copy'],
      ['gather scatter', 'indexing'],
      ['dot', 'gemm'],
      ['convolution', 'convolution'],
      ['send send-done recv recv-done all-reduce-done all-gather-done collective-permute-done', 'communication'],
      ['sort', 'sorting'],
      ['rng rng-bit-generator rng-get-and-update-state', 'random'],
      ['fft cholesky triangular-solve', 'linear-algebra'],
      ['select-and-scatter', 'resampling'],
      ['batch-norm-training batch-norm-inference batch-norm-grad', 'normalization'],
      ['while conditional infeed outfeed after-all', 'other'],
    ] as const
  ).flatMap(([ops, category]) => words(ops).map((op) => [op, category] as const)),
);

/** What a fusion computes is the first of these that it contains, because the others only prepare or finish it. */
const LEADING: readonly Category[] = ['convolution', 'gemm', 'linear-algebra', 'sorting', 'reduction', 'indexing', 'random', 'elementwise', 'copy']; // prettier-ignore

function categoryOf(call: OpCall): Category | null {
  if (call.op === 'custom-call' && ATTENTION.test(targetOf(call))) return 'attention';
  const body = argNamed(call, 'body')?.value;
  if (!Array.isArray(body)) return CATEGORIES.get(call.op) ?? null;
  const found = new Set(body.map((part: unknown) => CATEGORIES.get(String(Array.isArray(part) ? part[0] : ''))));
  return LEADING.find((category) => found.has(category)) ?? null;
}

export const hlo: Family = {
  id: 'hlo',
  title: 'XLA instructions (HLO), counted from their shapes',
  category: categoryOf,
  ops: [PRODUCTS, FUSIONS, MAPS, REDUCTIONS, MOVES, UPDATES, WAITS, OTHERS].flatMap(words).map((op) => `hlo.${op}`),
  formulas: [
    'dot, convolution and library calls for them: flops = 2·|result|·Π(dimensions summed over)',
    'fusion: the sum of its instructions; elementwise: flops = |result|; reduce: flops = |operand|; data movement: 0',
    'bytes = |operands| + |result|; unknown for a fusion that reads or writes only a part of an operand',
  ],
  work(call, kernel) {
    const cost = costOf(call);
    return cost === null ? null : workUnlessHelper(workOf({ ...cost, source: SOURCE }), kernel);
  },
};
