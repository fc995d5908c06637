/** Collective operations by the names of kernels, where a profile lacks their op. */
import { LruCache } from '../../containers/lru-cache.js';

/** Longer names first: an all-reduce is more than a reduce. */
const KIND =
  /all_?reduce|all_?gather|reduce_?scatter|all_?to_?allv?|send_?recv|broadcast|reduce|gather|scatter|send|recv/i;
const UNTOLD = 'not told';

/** Of kernels of other libraries: what only several devices can do. */
const BY_OTHERS = /(?:all_?reduce|all_?gather|reduce_?scatter|all_?to_?all|cross_device_reduce)/i;

const plain = (text: string): string => text.toLowerCase().replaceAll('_', '');

/** What a kernel of NCCL or RCCL does: 'allreduce', 'sendrecv' … */
export function libraryKind(name: string): string {
  const found = KIND.exec(name.replace(/nccl|rccl/gi, ' '))?.[0];
  return found === undefined ? UNTOLD : plain(found);
}

/** Names repeat: a program has hundreds, a profile millions of kernels. */
const others = new LruCache<string, string | null>(4096);

/** What a kernel of another library does for several devices, as far as its short name shows; null for most kernels. */
export const kindByName = (short: string): string | null =>
  others.of(short, () => {
    const found = BY_OTHERS.exec(short)?.[0];
    return found === undefined ? null : plain(found).replace('crossdevicereduce', 'allreduce');
  });
