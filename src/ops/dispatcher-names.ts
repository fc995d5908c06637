/**
 * Names of ops that are known as the dispatcher runs them, not as Python calls them.
 */

/** Names for the table of ops: `einsum` → `aten.einsum`; a name with a module of its own stays. */
export const ofDispatcher = (ops: readonly string[]): string[] =>
  ops.map((op) => (op.includes('.') ? op : `aten.${op}`));
