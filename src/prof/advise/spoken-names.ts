/** Names of ops and kernels as people say them. */

/** What is left of a long name. */
const [HEAD, TAIL] = [40, 40];
/** A long name without its middle: different ones often begin alike, and end so. */
export const shortened = (name: string): string =>
  name.length > HEAD + TAIL ? `${name.slice(0, HEAD)}…${name.slice(-TAIL)}` : name;

/** First match wins; the first group is what people say. */
const NAMES: readonly RegExp[] = [
  // A node of PyTorch's autograd that C++ defines.
  /^CppNode<(?:\w+::)*(\w+)>$/,
  // A call of CANN's library: its API, the op, the kernel.
  /^aclnn\w+_([A-Za-z0-9]+)$/,
  // `ncclDevKernel_AllReduce_Sum_f32_RING_LL(…)`; what comes behind is how it is done.
  /^nccl(?:Dev)?Kernel_(AllReduce|AllGather|ReduceScatter|SendRecv|Broadcast|Reduce)(?:_|\(|$)/,
];

export function spokenName(name: string): string {
  for (const pattern of NAMES) {
    const said = pattern.exec(name)?.[1];
    if (said !== undefined) return said;
  }
  return shortened(name);
}
