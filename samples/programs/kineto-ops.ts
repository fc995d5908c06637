/**
 * A network as the framework's profiler sees it: Python frames, ops with their arguments, and the device work that the
 * ops ask for. Two generations of the framework record the same arguments in different words.
 */
import type { Shape } from './markers.js';
import type { Work } from './work.js';

/** The framework of early 2021 (1.8), and that of today (2.x). */
export type Generation = '2021' | 'today';

type TensorType = 'float' | 'long int';

/** One argument of an op, in the order of its schema. */
export type Input =
  | { readonly kind: 'tensor'; readonly shape: Shape; readonly type: TensorType }
  | { readonly kind: 'tensors'; readonly shapes: readonly Shape[] }
  | { readonly kind: 'int' | 'float'; readonly value: number }
  | { readonly kind: 'bool'; readonly value: boolean }
  | { readonly kind: 'list'; readonly values: readonly (number | boolean)[] }
  | { readonly kind: 'none' };

export const f32 = (shape: Shape): Input => ({ kind: 'tensor', shape, type: 'float' });
export const i64 = (shape: Shape): Input => ({ kind: 'tensor', shape, type: 'long int' });
export const tensors = (shapes: readonly Shape[]): Input => ({ kind: 'tensors', shapes });
export const int = (value: number): Input => ({ kind: 'int', value });
export const float = (value: number): Input => ({ kind: 'float', value });
export const bool = (value: boolean): Input => ({ kind: 'bool', value });
export const list = (...values: (number | boolean)[]): Input => ({ kind: 'list', values });
export const none: Input = { kind: 'none' };

/** What a collective operation says of itself. */
export interface Exchange {
  readonly name: string;
  readonly elements: number;
  readonly ranks: readonly number[];
}

export interface OpStep {
  readonly kind: 'op';
  readonly name: string;
  /** Null where the profiler records none: nodes that the autograd engine evaluates. */
  readonly inputs: readonly Input[] | null;
  readonly body: readonly Step[];
  /** The autograd node it makes. */
  readonly node: GradNode | null;
  readonly exchange: Exchange | null;
}

/** A Python frame, as `file.py(12): function`; a module's call has the name of its class and its number in it. */
export interface FrameStep {
  readonly kind: 'frame';
  readonly name: string;
  readonly module: number | null;
  readonly body: readonly Step[];
}

/** A range of the user's, or of the framework's own code. */
export interface AnnotationStep {
  readonly kind: 'annotation';
  readonly name: string;
  /** Whether ops in it may make autograd nodes. */
  readonly grad: boolean;
  readonly body: readonly Step[];
}

/** The autograd engine runs what has been recorded, and then the body, on its own thread. */
export interface BackwardStep {
  readonly kind: 'backward';
  readonly body: readonly Step[];
}

/** The host waits for the stream. */
export interface WaitStep {
  readonly kind: 'wait';
}

export type Step = OpStep | FrameStep | AnnotationStep | BackwardStep | WaitStep | Work;

export interface GradNode {
  readonly name: string;
  /** Of the gradient that comes in. */
  readonly gradient: Shape;
  readonly body: readonly Step[];
  /** Parameters whose gradients are added up after it. */
  readonly parameters: readonly Shape[];
}

export const op = (
  name: string,
  inputs: readonly Input[] | null,
  body: readonly Step[] = [],
  parts: { readonly node?: GradNode; readonly exchange?: Exchange } = {},
): OpStep => ({ kind: 'op', name, inputs, body, node: parts.node ?? null, exchange: parts.exchange ?? null });

export const frame = (name: string, body: readonly Step[], module: number | null = null): FrameStep => ({
  kind: 'frame',
  name,
  module,
  body,
});

export const annotation = (name: string, body: readonly Step[], grad = true): AnnotationStep => ({
  kind: 'annotation',
  name,
  grad,
  body,
});

export const backward = (body: readonly Step[] = []): BackwardStep => ({ kind: 'backward', body });

export const wait: WaitStep = { kind: 'wait' };

/** The words of each generation for an argument that is no tensor. */
const TYPES: Readonly<Record<Generation, Readonly<Record<Exclude<Input['kind'], 'tensor'>, string>>>> = {
  '2021': { tensors: 'GenericList', int: 'Int', float: 'Double', bool: 'Bool', list: 'GenericList', none: '' },
  today: { tensors: 'TensorList', int: 'Scalar', float: 'Scalar', bool: 'Scalar', list: 'ScalarList', none: '' },
};

export const typeText = (input: Input, generation: Generation): string =>
  input.kind === 'tensor' ? input.type : TYPES[generation][input.kind];

export type Extents = readonly (number | readonly number[])[];

/** Extents of tensors; empty for everything else, and for tensor lists in 2021. */
export function extentsOf(input: Input, generation: Generation): Extents {
  if (input.kind === 'tensor') return input.shape;
  return input.kind === 'tensors' && generation === 'today' ? input.shapes : [];
}

/** Strides of contiguous tensors. */
export function stridesOf(input: Input): Extents {
  if (input.kind === 'tensor') return contiguous(input.shape);
  return input.kind === 'tensors' ? input.shapes.map(contiguous) : [];
}

const contiguous = (shape: Shape): number[] =>
  shape.map((_, i) => shape.slice(i + 1).reduce((product, extent) => product * extent, 1));

const python = (value: number | boolean): string =>
  typeof value === 'boolean' ? (value ? 'True' : 'False') : String(value);

/** The value of what is no tensor, as today's traces have it. */
export function valueText(input: Input): string {
  if (input.kind === 'list') return `[${input.values.map(python).join(', ')}]`;
  return 'value' in input ? python(input.value) : '';
}
