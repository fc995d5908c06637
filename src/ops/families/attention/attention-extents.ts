/**
 * The extents of an attention call: batch, heads, sequence lengths, head dimensions and the number of query-key pairs; and
 * the sequence lengths from the server's step that made the call. A layer's attention is called once for all requests of a
 * step, or separately for requests in prefill and in decode.
 */
import { least } from '../../../containers/element.js';
import type { LengthSums, ServedPart, ServingStep } from '../../../record/serving-step.js';
import type { BoundArguments } from '../../schema/binding.js';
import { broadcast, numel, type Tensor } from '../../call.js';
import type { AttentionLayout } from './attention-forms.js';

/** Facts that a call states about its sequences. */
interface CalledSequences {
  readonly op: string;
  /** Rows of the query; a captured graph has as many rows as its largest batch. */
  readonly queries: number;
  /** Rows of the keys, if they are not a cache and therefore belong to the sequences. */
  readonly keys?: number;
  /** Null when the call does not state it. A captured graph has as many sequences as its largest batch. */
  readonly sequences: number | null;
}

export interface StepSequences {
  /** Null when the name of the step does not state it. */
  readonly requests: number | null;
  readonly lengths: LengthSums;
}

/** Words in the names of ops that work on one part of a mixed batch. */
const PART_WORDS: readonly (readonly [word: RegExp, part: 'context' | 'generation'])[] = [
  [/decode|paged_attention/i, 'generation'],
  [/prefill|extend|context/i, 'context'],
];

const isServed = (part: ServedPart): boolean => part.requests !== 0;

/** The sequences of the step that a call works on; null when the step or the call does not determine them. */
export function stepSequences(step: ServingStep | null | undefined, call: CalledSequences): StepSequences | null {
  if (step === null || step === undefined) return null;
  const found = partOf(step, call);
  if (found === null || found.lengths.queries === 0) return null;
  const { sequences } = call;
  return sequences !== null && found.requests !== null && sequences < found.requests ? null : found;
}

function partOf({ batch, lengths, context, generation }: ServingStep, call: CalledSequences): StepSequences | null {
  const all = known({ requests: batch, lengths });
  const parts = { context: known(context), generation: known(generation) };
  const isMixed = isServed(context) && isServed(generation);
  const choices = isMixed ? [all, parts.context, parts.generation] : [all];
  const fitting = choices.filter((choice) => choice !== null && fits(choice.lengths, call));
  const [only = null] = fitting;
  if (fitting.length === 1 || call.keys !== undefined) return fitting.length === 1 ? only : null;
  const word = isMixed ? PART_WORDS.find(([words]) => words.test(call.op)) : undefined;
  const chosen = word === undefined ? (fitting.length === 0 ? all : null) : parts[word[1]];
  // There may be more rows than tokens of the requests, because the batch of a captured graph is padded.
  return chosen !== null && call.queries >= chosen.lengths.queries ? chosen : null;
}

const known = ({ requests, lengths }: Pick<ServedPart, 'requests' | 'lengths'>): StepSequences | null =>
  lengths === null ? null : { requests, lengths };

const fits = ({ queries, keys }: LengthSums, call: CalledSequences): boolean =>
  queries === call.queries && (call.keys === undefined || keys === call.keys);

/** Text for query-key pairs of the sequences, in formulas. */
export const STEP_PAIRS = "Σ q·k of the sequences, from the name of the server's step";

/** Query-key pairs that a causal mask keeps: a query attends to all earlier positions of its sequence and to its own. */
const causalPairs = ({ queries, squares, pairs }: LengthSums): number => pairs - (squares - queries) / 2;

/** Percentage of the pairs that a causal mask keeps. */
export const causalShare = (lengths: LengthSums): string => ((100 * causalPairs(lengths)) / lengths.pairs).toFixed(2);

/** Query-key pairs of one query head, over the whole batch. */
interface QueryKeyPairs {
  /** Null when the sequence lengths are unknown; `unknown` says why. */
  readonly count: number | null;
  readonly unknown?: string;
  /** Whether it is known that all keys and values of k and v are read. */
  readonly readsAll: boolean;
}

export interface AttentionExtents {
  /** Number of sequences. */
  readonly batch: number;
  readonly queryHeads: number;
  readonly keyHeads: number;
  /** Positions of one sequence; total of all sequences when they are packed. */
  readonly queryLength: number;
  readonly keyLength: number;
  readonly packed: boolean;
  /** `max_seqlen_q` of packed sequences, if the call has it. */
  readonly maxQueryLength: number | null;
  /** Head dimensions: of q and k, and of v. */
  readonly headDim: number;
  readonly valueHeadDim: number;
  readonly pairs: QueryKeyPairs;
  /** Sums over the sequences of a server's step, when the call does not determine their lengths. */
  readonly sums?: LengthSums;
}

/** One of q, k and v. */
interface AttentionOperand {
  readonly batch: readonly number[];
  readonly length: number;
  readonly heads: number;
  readonly headDim: number;
}

/**
 * @param packed whether three extents are tokens, heads and head dimension; otherwise they are a batch with one head each
 */
function operand({ shape }: Tensor, layout: AttentionLayout, packed: boolean): AttentionOperand | null {
  const [third, second, headDim] = [shape.at(-3), shape.at(-2), shape.at(-1)];
  if (headDim === undefined || second === undefined) return null;
  const batch = shape.slice(0, -3);
  if (layout === 'BHSD') return { batch, heads: third ?? 1, length: second, headDim };
  if (third === undefined) return null;
  if (shape.length === 3 && !packed) return { batch: [third], length: second, heads: 1, headDim };
  return { batch, length: third, heads: second, headDim };
}

/** Arguments that make the number of keys unknown, and the reasons. */
const OPEN_LENGTHS: readonly (readonly [argument: string, why: string])[] = [
  ['table', 'the keys are in a paged cache, and the sequence lengths are values in a tensor'],
  ['used_k', 'the used key lengths are values in a tensor'],
  ['used_q', 'the used query lengths are values in a tensor'],
  ['k_new', 'the keys are in a cache, and it is unknown how many are used'],
  ['q_v', 'a second query operand (q_v) has no formula'],
];

/** Sum of query length × key length over packed sequences, when the totals and maxima allow only one value. */
function packedPairs(args: BoundArguments, batch: number, queries: number, keys: number): QueryKeyPairs {
  const [maxQ, maxK] = [args.number('max_q'), args.number('max_k')];
  const pairs = (count: number): QueryKeyPairs => ({ count, readsAll: true });
  if (batch === 1) return pairs(queries * keys);
  // If every query sequence has the maximum length, the sum is that length times the total number of keys, and vice
  // versa.
  if (maxQ !== null && maxQ * batch === queries) return pairs(maxQ * keys);
  if (maxK !== null && maxK * batch === keys) return pairs(maxK * queries);
  const bounds = [...(maxK === null ? [] : [queries * maxK]), ...(maxQ === null ? [] : [keys * maxQ])];
  const most = bounds.length === 0 ? '' : `; at most ${least(bounds)} query-key pairs per head`;
  return {
    count: null,
    readsAll: true,
    unknown: `the lengths of the ${batch} packed sequences are values in a tensor${most}`,
  };
}

/** Adds the lengths from the name of a server's step to the extents. */
export const withSums = (extents: AttentionExtents, { requests, lengths: sums }: StepSequences): AttentionExtents => ({
  ...extents,
  ...{ batch: requests ?? extents.batch, queryLength: sums.queries, keyLength: sums.keys, packed: true, sums },
  pairs: { count: sums.pairs, readsAll: true },
});

/** Number of packed sequences, from their cumulative lengths (`cu_seqlens`), which have one more element. */
function packedSequences(args: BoundArguments, name: string): number | null {
  const offsets = args.tensor(name);
  return offsets === null || offsets.shape.length !== 1 ? null : Math.max(0, numel(offsets.shape) - 1);
}

/**
 * Whether a paged cache holds exactly as many keys of each sequence as there are queries. Under a causal mask the queries
 * are the last positions of their sequence, so no sequence has fewer keys than queries, and none has more keys than the
 * longest.
 */
function isWholePrompt(args: BoundArguments, sequences: number | null, queries: number): boolean {
  const longest = args.number('max_q');
  const isPaged = args.tensor('table') !== null && args.tensorsOf('k_new used_q q_v').length === 0;
  const isFull = sequences !== null && longest !== null && longest * sequences === queries;
  return isPaged && isFull && args.flag('causal') === true && args.number('max_k') === longest;
}

type SequenceLengths = Pick<AttentionExtents, 'batch' | 'queryLength' | 'keyLength' | 'packed' | 'pairs'>;

/** Sequences and their lengths, from the arguments, or from the batch and lengths in the operands' shapes. */
function sequenceLengths(args: BoundArguments, batch: number, queryLength: number, keyLength: number): SequenceLengths {
  const [inQ, inK] = [packedSequences(args, 'cu_q'), packedSequences(args, 'cu_k')];
  const sequences = inQ ?? inK;
  const [queries, keys] = [batch * queryLength, batch * keyLength];
  const lengths =
    sequences === null
      ? { batch, queryLength, keyLength, packed: false }
      : { batch: sequences, queryLength: queries, keyLength: keys, packed: true };
  const unknown = (why: string): SequenceLengths => ({
    ...lengths,
    pairs: { count: null, unknown: why, readsAll: false },
  });
  if (isWholePrompt(args, inQ, queries)) {
    const [number, length] = [inQ ?? 1, args.number('max_q') ?? 0];
    const pairs = { count: queries * length, readsAll: true };
    return { batch: number, queryLength: length, keyLength: length, packed: false, pairs };
  }
  const open = OPEN_LENGTHS.find(([name]) => args.tensor(name) !== null);
  if (open !== undefined) return unknown(open[1]);
  if (sequences === null) return { ...lengths, pairs: { count: batch * queryLength * keyLength, readsAll: true } };
  if (inQ === null || inK === null) {
    return unknown(`the lengths of the packed ${inQ === null ? 'queries' : 'keys'} are unspecified`);
  }
  const pairs = packedPairs(args, sequences, queries, keys);
  const [maxQ, maxK] = [args.number('max_q'), args.number('max_k')];
  if (maxQ === null || maxK === null) return { ...lengths, pairs };
  const isFull = maxQ * sequences === queries && maxK * sequences === keys;
  return isFull
    ? { batch: sequences, queryLength: maxQ, keyLength: maxK, packed: false, pairs }
    : { ...lengths, pairs };
}

/** Whether the numbers of heads fit: equal, or grouped queries (GQA, MQA). */
const headsFit = (queryHeads: number, keyHeads: number): boolean =>
  keyHeads === 0 ? queryHeads === 0 : queryHeads % keyHeads === 0 || queryHeads === 1;

/** Extents of q, k and v in this layout; null when they do not fit each other. */
export function extentsOf(
  [q, k, v]: readonly [Tensor, Tensor, Tensor],
  layout: AttentionLayout,
  args: BoundArguments,
): AttentionExtents | null {
  const packed = args.tensor('cu_q') !== null;
  const paged = args.tensor('table') !== null;
  const [query, key, value] = [
    operand(q, layout, packed),
    operand(k, layout, packed || paged),
    operand(v, layout, packed || paged),
  ];
  if (query === null || key === null || value === null) return null;
  if (query.headDim !== key.headDim || key.length !== value.length || !headsFit(query.heads, key.heads)) return null;
  const lead = paged ? query.batch : broadcast([query.batch, key.batch]);
  if (lead === null) return null;
  return {
    ...sequenceLengths(args, numel(lead), query.length, key.length),
    queryHeads: query.heads === 1 ? Math.max(1, key.heads) : query.heads,
    keyHeads: key.heads,
    maxQueryLength: args.number('max_q'),
    headDim: query.headDim,
    valueHeadDim: value.headDim,
  };
}
