/**
 * The ops from which PyTorch's Inductor fused a kernel, as listed in its name: `triton_poi_fused__to_copy_add_3`. Source:
 * PyTorch, torch/_inductor/utils.py (get_fused_kernel_name: the ops' names, sorted, without repeats, joined by `_`),
 * torch/_inductor/codegen/triton.py (define_kernel: `triton_`, the kind of kernel, the names, a number).
 */
import { byName } from '../by-name.js';
import { FAMILIES } from '../table.js';

/**
 * The kind has three letters. Before Triton 3, the compiled kernel's name ends with the specialization of its arguments.
 */
const FUSED_KERNEL = /^triton_[a-z]{3}_fused_(?:(.+)_)?\d+(?:_0[\dcde]*)?$/;

/** Ops without a formula because they launch no kernel directly, and ops that exist only in Inductor's graphs. */
const WITHOUT_FORMULA = `
  _conj _neg_view _reshape_alias _unsafe_view alias as_strided broadcast_to chunk detach diagonal expand expand_as imag
  lift_fresh movedim narrow permute real reshape select slice split split_with_sizes squeeze sum_to_size swapaxes t
  tensor_split transpose unbind unflatten unsqueeze view view_as view_as_complex view_as_real
  _assert_async _unsafe_masked_index _unsafe_masked_index_put_accumulate as_strided_scatter broadcast_in_dim
  convert_element_type empty_like empty_permuted empty_strided flex_attention flex_attention_backward
  inductor_force_stride_order inductor_lookup_seed inductor_random inductor_randint inductor_seed inductor_seeds iota
  new_empty new_empty_strided prepare_softmax_online rms_norm_backward select_scatter slice_scatter xor_sum`;

/** Names of the dispatcher's ops without their module. */
const OPS: ReadonlySet<string> = new Set([
  ...WITHOUT_FORMULA.trim().split(/\s+/),
  ...FAMILIES.flatMap(({ ops }) => ops.map((op) => op.slice(op.lastIndexOf('.') + 1))),
]);

/** Maximum number of `_`-separated words in an op's name. */
const MOST_WORDS = [...OPS].reduce((most, op) => Math.max(most, op.split('_').length), 0);

/** The best way to split the words from some position on: the first name, and the split after it. */
interface Split {
  readonly name: string;
  readonly isOp: boolean;
  readonly rest: Split | null;
  /** Number of words that belong to no known op. */
  readonly unknown: number;
  /** Number of ops that are not in alphabetical order. */
  readonly disordered: number;
  readonly length: number;
}

function before(rest: Split | null, name: string, isOp: boolean): Split {
  const { unknown, disordered, length } = rest ?? { unknown: 0, disordered: 0, length: 0 };
  const isInOrder = rest === null || !isOp || !rest.isOp || name < rest.name;
  return {
    ...{ name, isOp, rest },
    unknown: unknown + (isOp ? 0 : 1),
    disordered: disordered + (isInOrder ? 0 : 1),
    length: length + 1,
  };
}

/**
 * Whether one split is better than another: fewer unknown words, then fewer names out of order, then fewer and so longer
 * names.
 */
const isBetter = (split: Split, other: Split): boolean =>
  (split.unknown - other.unknown || split.disordered - other.disordered || split.length - other.length) < 0;

/** The names of a split; consecutive unknown words are joined into one string. */
function namesOf(split: Split | null): string[] {
  const names: string[] = [];
  let text: string[] = [];
  const closeText = (): void => {
    if (text.length > 0) names.push(text.join('_'));
    text = [];
  };
  for (let at = split; at !== null; at = at.rest) {
    if (!at.isOp) text.push(at.name);
    else {
      closeText();
      names.push(at.name);
    }
  }
  closeText();
  return names;
}

/** Splits names that are joined by `_`. Parts that are not a known op are kept as they are. */
function splitOps(joined: string): readonly string[] {
  const words = joined.split('_');
  const from: (Split | null)[] = [];
  from[words.length] = null;
  for (let first = words.length - 1; first >= 0; first--) {
    let best = before(from[first + 1] ?? null, words[first] ?? '', false);
    for (let end = first + 1; end <= Math.min(words.length, first + MOST_WORDS); end++) {
      const op = words.slice(first, end).join('_');
      if (!OPS.has(op)) continue;
      const split = before(from[end] ?? null, op, true);
      if (isBetter(split, best)) best = split;
    }
    from[first] = best;
  }
  return namesOf(from[0] ?? null);
}

/** The ops in a kernel's name, in that order; null when the name lists none. */
export const fusedOps = byName((name): readonly string[] | null => {
  const joined = FUSED_KERNEL.exec(name)?.[1];
  return joined === undefined ? null : splitOps(joined);
});
