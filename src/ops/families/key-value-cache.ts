/**
 * Writing the keys and values of new tokens into the paged cache that attention reads.
 */
import { dtypeBytes, numel, type Tensor } from '../call.js';
import type { OpCall } from '../../record/record.js';
import { isDispatched } from '../dispatched.js';
import type { Family, Work } from '../family.js';
import { opName, tensorOf } from '../operands.js';
import { tensor, tensorListParams, trafficWork } from '../work.js';

const SOURCE =
  'rows of new tokens copied to their slots, scaled where the cache is 8 bits wide; arguments as vLLM registers them';

/** Positions: tensors with a row per token, the cache each goes to, and the slots. */
interface Form {
  readonly rows: readonly number[];
  readonly caches: readonly number[];
  readonly slots: number;
}

const KEY_VALUE: Form = { rows: [0, 1], caches: [2, 3], slots: 4 };

const FORMS: Readonly<Record<string, Form>> = {
  reshape_and_cache: KEY_VALUE,
  reshape_and_cache_flash: KEY_VALUE,
  concat_and_cache_mla: { rows: [0, 1], caches: [2, 2], slots: 3 },
};

/** As many rows as there are slots; a batch may be padded with more. */
function slotted(rows: Tensor, slots: Tensor): Tensor | null {
  const [tokens = 0, ...row] = rows.shape;
  return rows.shape.length === 0 ? null : tensor([Math.min(tokens, numel(slots.shape)), ...row], rows.dtype);
}

/** Whether an element is scaled when it is stored. */
const isScaled = (rows: Tensor, cache: Tensor): boolean => {
  const [from, to] = [dtypeBytes(rows.dtype), dtypeBytes(cache.dtype)];
  return from !== null && to === 1 && from > to;
};

function work(call: OpCall): Work | null {
  const form = isDispatched(call) ? FORMS[opName(call)] : undefined;
  const slots = form === undefined ? null : tensorOf(call.args[form.slots]);
  if (form === undefined || slots === null) return null;
  const reads: Tensor[] = [];
  const writes: Tensor[] = [];
  let flops = 0;
  for (const [i, at] of form.rows.entries()) {
    const [given, cache] = [tensorOf(call.args[at]), tensorOf(call.args[form.caches[i] ?? -1])];
    const rows = given === null ? null : slotted(given, slots);
    if (rows === null || cache === null) return null;
    reads.push(rows);
    writes.push(tensor(rows.shape, cache.dtype));
    if (isScaled(rows, cache)) flops += numel(rows.shape);
  }
  return trafficWork({
    flops,
    reads: [...reads, slots],
    writes,
    params: tensorListParams([...reads, ...writes.slice(0, 1)]),
    formula: 'flops = E scaled to 8 bits, else 0; bytes = new rows + slots + rows in the type of the cache',
    source: SOURCE,
  });
}

export const keyValueCache: Family = {
  id: 'key-value-cache',
  title: 'Key-value cache: reshape_and_cache',
  ops: Object.keys(FORMS),
  formulas: [
    'flops = one product per element where the cache is 8 bits wide, else 0',
    'bytes = keys and values of the new tokens, their slots, the rows written in the type of the cache',
  ],
  work,
};
