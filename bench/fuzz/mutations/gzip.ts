/** Damage to what is packed by gzip: inside, before it is packed again, or to how it is packed. */
import { gunzipSync, gzipSync } from 'node:zlib';
import type { Mutated, Mutation } from '../input.js';

const FASTEST = { level: 1 };

const contents = new WeakMap<Buffer, Buffer>();

/** Null where the bytes are damaged already. */
function unpacked(bytes: Buffer): Buffer | null {
  try {
    const known = contents.get(bytes) ?? gunzipSync(bytes);
    contents.set(bytes, known);
    return known;
  } catch {
    return null;
  }
}

/** The mutation of the contents, packed again. */
const inside =
  (mutation: Mutation): Mutation =>
  (bytes, random) => {
    const plain = unpacked(bytes);
    const mutated = plain === null ? null : mutation(plain, random);
    return mutated === null ? null : { ...mutated, bytes: gzipSync(mutated.bytes, FASTEST) };
  };

/** Mutations of the contents, under the same names. */
export const insideGzip = (mutations: Readonly<Record<string, Mutation>>): Readonly<Record<string, Mutation>> =>
  Object.fromEntries(Object.entries(mutations).map(([name, mutation]) => [name, inside(mutation)]));

const intact = (bytes: Buffer): Mutated => ({ bytes, kernels: { lost: 0, added: 0 } });

export const GZIP_MUTATIONS: Readonly<Record<string, Mutation>> = {
  'several members': (bytes, random) => {
    const plain = unpacked(bytes);
    if (plain === null) return null;
    const at = random.below(plain.length);
    return intact(Buffer.concat([gzipSync(plain.subarray(0, at), FASTEST), gzipSync(plain.subarray(at), FASTEST)]));
  },
  'packed twice': (bytes) => ({ bytes: gzipSync(bytes) }),
  'bytes behind the end': (bytes, random) => ({
    bytes: Buffer.concat([bytes, random.chance(0.5) ? Buffer.alloc(random.few(1024)) : random.bytes(random.few(64))]),
  }),
};
