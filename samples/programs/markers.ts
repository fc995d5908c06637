/**
 * The strings that a framework and its marker hooks put around a call. The hooks write Python reprs, so this file writes
 * Python: single quotes, tuples, True, None.
 */

export type Shape = readonly number[];
type Scalar = null | boolean | number | string;

/** One argument of an op call. */
export type Argument =
  | { readonly name: string; readonly type: 'tensor'; readonly shape: Shape; readonly dtype: string }
  | { readonly name: string; readonly type: string; readonly value: Scalar | readonly Scalar[] };

export const tensor = (shape: Shape, dtype: string, name = ''): Argument => ({ name, type: 'tensor', shape, dtype });
export const int = (value: number, name = ''): Argument => ({ name, type: 'int', value });
export const float = (value: number, name = ''): Argument => ({ name, type: 'float', value });
export const bool = (value: boolean, name = ''): Argument => ({ name, type: 'bool', value });
export const none = (name = ''): Argument => ({ name, type: 'NoneType', value: null });
export const str = (value: string, name = ''): Argument => ({ name, type: 'str', value });
export const tuple = (value: readonly number[], name = ''): Argument => ({ name, type: 'tuple', value });

const quoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

const tupleText = (items: readonly string[]): string =>
  items.length === 1 ? `(${items[0] ?? ''},)` : `(${items.join(', ')})`;

function scalarText(value: Scalar, type: string): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value === 'string') return quoted(value);
  return type === 'float' && Number.isInteger(value) ? value.toFixed(1) : String(value);
}

function argumentText(argument: Argument): string {
  const head = `{'name': ${quoted(argument.name)}, 'type': ${quoted(argument.type)}`;
  if ('shape' in argument) {
    return `${head}, 'shape': ${tupleText(argument.shape.map(String))}, 'dtype': ${quoted(argument.dtype)}}`;
  }
  const { value, type } = argument;
  return `${head}, 'value': ${Array.isArray(value) ? tupleText(value.map((item: Scalar) => scalarText(item, type))) : scalarText(value as Scalar, type)}}`;
}

/** The marker of an op call. */
export const callMarker = (mod: string, op: string, args: readonly Argument[]): string =>
  `{'mod': ${quoted(mod)}, 'op': ${quoted(op)}, 'args': [${args.map(argumentText).join(', ')}]}`;

/** The marker of a call stack, outermost frame first. */
export const traceMarker = (frames: readonly string[]): string => `{'traceMarker': [${frames.map(quoted).join(', ')}]}`;

/** The marker of a module's printed form. */
export const reprMarker = (mod: string, text: string): string => `{'mod': ${quoted(mod)}, 'strRepr': ${quoted(text)}}`;

export const layerMarker = (name: string): string => `layer:${name}`;

/** PyTorch's wording of autograd ranges: up to 1.10 and since 1.11. */
export type Era = 'before-1.11' | 'since-1.11';

const sizesText = (sizes: readonly Shape[]): string => `[${sizes.map((size) => `[${size.join(', ')}]`).join(', ')}]`;

/**
 * The range of an ATen op.
 * @param seq null when no autograd node can be made there (not printed)
 */
export function atenMarker(era: Era, op: string, seq: number | null, opId: number, sizes: readonly Shape[]): string {
  const seqText = seq === null ? '' : `, seq = ${seq}`;
  if (era === 'before-1.11') return `${op}${seqText}`;
  return `aten::${op}${seqText}, op_id = ${opId}${sizes.length === 0 ? '' : `, sizes = ${sizesText(sizes)}`}`;
}

/** The range of an autograd node that runs backward. */
export const nodeMarker = (era: Era, node: string, seq: number | null, opId: number): string =>
  `${node}${seq === null ? '' : `, seq = ${seq}`}${era === 'before-1.11' ? '' : `, op_id = ${opId}`}`;

/** The range that the autograd engine of newer versions puts around a node. It has no sequence number. */
export const engineMarker = (node: string, opId: number): string =>
  `autograd::engine::evaluate_function: ${node}, op_id = ${opId}`;
