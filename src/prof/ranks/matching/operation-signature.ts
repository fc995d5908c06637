/** What operations of several ranks must have in common to be one: kind, size and element type, where they are known. */
import type { OperationColumns } from '../part/rank-part.js';

export interface OperationSignature {
  readonly kind: string | null;
  readonly bytes: number | null;
  readonly dtype: string | null;
}

/** Ranks may give each other parts of different sizes. */
const UNEVEN: ReadonlySet<string> = new Set(['all-to-all', 'gather', 'scatter', 'send-receive']);
/** The two ends of a message. */
export const MESSAGE = 'message';
const ENDS: ReadonlySet<string> = new Set(['send', 'receive']);

export function signatureOf({ kind, bytes, dtype }: OperationColumns, at: number): OperationSignature {
  const name = kind[at] ?? null;
  const isUneven = name !== null && UNEVEN.has(name);
  return {
    kind: name !== null && ENDS.has(name) ? MESSAGE : name,
    bytes: isUneven ? null : (bytes[at] ?? null),
    dtype: dtype[at] ?? null,
  };
}

/** Whether two operations may be one: what is not known of one fits anything. */
export const fits = (a: OperationSignature, b: OperationSignature): boolean =>
  agree(a.kind, b.kind) && agree(a.bytes, b.bytes) && agree(a.dtype, b.dtype);

const agree = (a: unknown, b: unknown): boolean => a === null || b === null || a === b;

/** As a message has it: `all-reduce of 8196000 bytes, float32`. */
export function signatureText({ kind, bytes, dtype }: OperationSignature): string {
  const size = bytes === null ? '' : ` of ${bytes} bytes`;
  return `${kind ?? 'operation'}${size}${dtype === null ? '' : `, ${dtype}`}`;
}
