/**
 * Lengths of the sequences of a call by the step of the server that made it: a layer's attention is called once for all
 * requests of a step, or once for those that read their context and once for those that generate.
 */
import type { LengthSums, ServedPart, ServingStep } from '../../../record/serving-step.js';

/** What a call says of the sequences it works on. */
interface CalledSequences {
  readonly op: string;
  /** Rows of the query; a captured graph has as many as its largest batch. */
  readonly queries: number;
  /** Rows of the keys where these are no cache: then as many as the sequences have. */
  readonly keys?: number;
  /** Null where the call does not say; a captured graph has as many as its largest batch. */
  readonly sequences: number | null;
}

export interface StepSequences {
  /** Null where the name of the step does not state it. */
  readonly requests: number | null;
  readonly lengths: LengthSums;
}

/** Words in the names of ops that work on one part of a mixed batch. */
const PART_WORDS: readonly (readonly [word: RegExp, part: 'context' | 'generation'])[] = [
  [/decode|paged_attention/i, 'generation'],
  [/prefill|extend|context/i, 'context'],
];

const isServed = (part: ServedPart): boolean => part.requests !== 0;

/** The sequences of the step that a call works on; null where the step or the call does not determine them. */
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
  // More rows than the requests have: the batch of a captured graph, filled up.
  return chosen !== null && call.queries >= chosen.lengths.queries ? chosen : null;
}

const known = ({ requests, lengths }: Pick<ServedPart, 'requests' | 'lengths'>): StepSequences | null =>
  lengths === null ? null : { requests, lengths };

const fits = ({ queries, keys }: LengthSums, call: CalledSequences): boolean =>
  queries === call.queries && (call.keys === undefined || keys === call.keys);

/** Query-key pairs of the sequences, in formulas. */
export const STEP_PAIRS = "Σ q·k of the sequences, by the name of the server's step";

/** Query-key pairs that a causal mask keeps: a query meets all earlier positions of its sequence and its own. */
const causalPairs = ({ queries, squares, pairs }: LengthSums): number => pairs - (squares - queries) / 2;

/** Part of the pairs that a causal mask keeps, in per cent. */
export const causalShare = (lengths: LengthSums): string => ((100 * causalPairs(lengths)) / lengths.pairs).toFixed(2);
