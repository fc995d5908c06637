/** Op calls and kernels for tests, in few words. */
import type { Arg, ArgValue, Direction, Extent, OpCall } from '../../src/record/record.js';
import type { KernelFacts } from '../../src/ops/family.js';

/** A tensor argument; `t([64, 128], 'float16')`. */
export const t = (shape: readonly number[], dtype = 'float32', name = ''): Arg => ({
  name,
  type: 'tensor',
  shape,
  dtype,
});

/** Any other argument. */
export const v = (value: ArgValue, name = ''): Arg => ({ name, type: typeof value, value });

/** `call('torch.mm', …)`: module and op in one word. */
export function call(name: string, ...args: readonly Arg[]): OpCall {
  const dot = name.lastIndexOf('.');
  return { mod: name.slice(0, dot), op: name.slice(dot + 1), args };
}

/** A tensor list. */
export const ts = (...items: readonly Arg[]): Arg => ({ name: '', type: 'list', items });

/** An optional argument that is not given. */
export const none: Arg = { name: '', type: 'NoneType', value: null };

/** An op as the dispatcher ran it: `aten('native_layer_norm', t([8, 64]), v([64]), none, none, v(1e-5))`. */
export const aten = (op: string, ...args: readonly Arg[]): OpCall => ({ mod: 'aten', op, args, from: 'dispatcher' });

export const kernel = (name: string, dir: Direction = 'fprop', sub = 0, grid: Extent | null = null): KernelFacts => ({
  ...{ name, short: name.replace(/^void /, '').replace(/[<(].*$/, ''), dir, sub, grid, block: null },
});

/** The same kernel, its work counted as PyProf counts it. */
export const byPyprof = (of: KernelFacts): KernelFacts => ({ ...of, convention: 'pyprof' });
