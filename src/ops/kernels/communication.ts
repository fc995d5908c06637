/**
 * Kernels that move data between devices, by their names, where a profile has no collective operation for them.
 *
 * Sources of the names: kernels of NCCL, RCCL, MSCCL++ and NVSHMEM, PyTorch's symmetric memory (`multimem_`, one-shot
 * and two-shot), the custom all-reduce of vLLM and SGLang (`cross_device_reduce`), TensorRT-LLM, DeepEP.
 */
import { byName } from './name-patterns.js';

const LIBRARY = /nccl|rccl|mscclpp|nvshmem|symmetric_memory::|multimem_|cross_device_reduce|deep_ep::/i;
/** What only several devices can do, whoever's kernel it is. */
const COLLECTIVE = /all_?reduce|all_?gather|reduce_?scatter|all_?to_?all/i;
/** Inductor names its pointwise kernels after all ops in the graph around them, collectives included. */
const INDUCTOR = /^triton_(poi|red|per|for|unk)_/;

/** Whether a full name is of a library; null where it does not say. */
const isLibrary = byName((name) => (INDUCTOR.test(name) ? false : LIBRARY.test(name) || null));

/** Whether a kernel moves data between devices, by its name; the short one has no template arguments, which may mislead. */
export const isCommunication = ({ name, short }: { readonly name: string; readonly short: string }): boolean =>
  isLibrary(name) ?? COLLECTIVE.test(short);

/** Longer names first: an all-reduce is more than a reduce. */
const KIND =
  /all_?reduce|all_?gather|reduce_?scatter|all_?to_?allv?|send_?recv|broadcast|reduce|gather|scatter|dispatch|combine|send|recv/i;

/** What a kernel that communicates does, by its short name: 'allreduce', 'sendrecv' …; null when the name lacks it. */
export function communicationKind(short: string): string | null {
  // vLLM's all-reduce is called cross_device_reduce.
  const plain = short.replace(/nccl|rccl/gi, ' ').replace('cross_device_reduce', 'allreduce');
  const found = KIND.exec(plain)?.[0];
  return found === undefined ? null : found.toLowerCase().replaceAll('_', '');
}
