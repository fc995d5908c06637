/**
 * Reads `Input Dims`, `Input type`, `Concrete Inputs` and `Input Strides` of an op as the arguments of its call, in the
 * order of its schema.
 *
 * Dims have one entry for each argument: the shape of a tensor, a list of shapes for a tensor list, `[]` for anything
 * else. Types are the C++ type of a tensor's elements, or a word for other kinds; '' for an argument that was not passed,
 * or of a kind that the profiler does not know. Concrete inputs (since 2023) are the text of every value that is not a
 * tensor. Strides (since 2023) have the form of the shapes.
 */
import { elementType } from '../../../record/element-types.js';
import { isDecimal } from '../../../record/units.js';
import type { Arg, ArgValue, Labels } from '../../../record/record.js';
import { NOT_GIVEN, tensorArg, UNDEFINED_TENSOR, UNKNOWN } from '../../trace/markers/op-sizes.js';
import { listOf, shapeOf } from '../../json/json-value.js';
import { isListType, isPlainType, type HostTexts } from '../../torch/host-events.js';
import { LruCache } from '../../../containers/map-entry.js';
import type { ByteTexts } from '../../json/json-bytes.js';
import type { Fields } from '../../json/event-fields.js';
import type { Activities } from '../../trace/trace-columns.js';
import { elementAt } from '../../../containers/element.js';

/**
 * Keys of an event's `args` by the names used here, in upper or lower case. Source: libkineto/src/output_json.cpp,
 * torch/csrc/profiler/util.cpp, torch/csrc/autograd/profiler_kineto.cpp; for scopes, Triton's Proton.
 */
const ARG_KEYS = {
  externalId: 'External id',
  correlation: 'correlation',
  device: 'device',
  stream: 'stream',
  context: 'context',
  sequence: 'Sequence number',
  forwardThread: 'Fwd thread id',
  dims: 'Input Dims',
  types: 'Input type',
  concrete: 'Concrete Inputs',
  strides: 'Input Strides',
  callStack: 'Call stack',
  frame: 'Python id',
  caller: 'Python parent id',
  kernel: 'kernel',
  kernelFile: 'kernel_file',
  kernelHash: 'kernel_hash',
  grid: 'grid',
  block: 'block',
  registers: 'registers per thread',
  sharedBytes: 'shared memory',
  bytes: 'bytes',
  graphId: 'graph id',
  graphNode: 'graph node id',
  collective: 'Collective name',
  allocated: 'Total Allocated',
  reserved: 'Total Reserved',
  address: 'Addr',
  deviceId: 'Device Id',
  deviceType: 'Device Type',
  index: 'Ev Idx',
  rank: 'rank',
  scopes: 'call_stack',
  eventStream: 'wait_on_stream',
  eventCorrelation: 'wait_on_cuda_event_record_corr_id',
} as const;

/** The keys; a key's index is its code. */
export const KINETO_ARGS: readonly string[] = Object.values(ARG_KEYS);

/** The code of each key of `args`. */
export const ARG = Object.fromEntries(Object.keys(ARG_KEYS).map((name, code) => [name, code])) as Readonly<
  Record<keyof typeof ARG_KEYS, number>
>;

/** Adds the three numbers of `[56, 2, 1]` to a column of extents; NaN for missing numbers. The args must have been read. */
export function pushExtent({ from, to, bytes }: Fields, key: number, extents: Activities['kernels']['extents']): void {
  const start = elementAt(from, key);
  const end = elementAt(to, key);
  let at = start + 1;
  for (let i = 0; i < 3; i++) {
    let value = start === -1 ? NaN : 0;
    let digits = 0;
    for (; at < end; at++) {
      const digit = elementAt(bytes, at) - 0x30;
      if (digit < 0 || digit > 9) {
        if (digits > 0) break;
      } else {
        value = value * 10 + digit;
        digits++;
      }
    }
    extents.push(digits === 0 ? NaN : value);
  }
}

/** The number at the end of a field, `7` or `stream 7`; NaN when there is none. */
export function trailingNumber(fields: Fields, key: number): number {
  const digits = /-?(?<!\d)\d+$/.exec(fields.latin1(key) ?? '')?.[0];
  return digits === undefined ? NaN : Number(digits);
}

/**
 * Sources of kernels that torch.compile generated, as stated by the ops that launch them. Memory: two numbers for each such
 * op.
 */
export class GeneratedSources {
  /** For each op: the number of the file's text. */
  readonly #files = new Map<number, number>();
  /** Labels by the number of the file, because each file has one kernel. */
  readonly #labels = new Map<number, Labels>();

  constructor(private readonly texts: ByteTexts) {}

  /** Takes an op whose args have been read. */
  take(op: number, args: Fields): void {
    if (!args.has(ARG.kernelFile)) return;
    const file = args.text(ARG.kernelFile, this.texts);
    if (file === null) return;
    this.#files.set(op, file);
    if (this.#labels.has(file)) return;
    const hash = args.text(ARG.kernelHash, this.texts);
    this.#labels.set(file, {
      kernel_file: this.texts.text(file),
      ...(hash === null ? undefined : { kernel_hash: this.texts.text(hash) }),
    });
  }

  /** Labels of an op that states its source; null for all other ops. */
  labelsOf(op: number): Labels | null {
    const file = this.#files.get(op);
    return file === undefined ? null : (this.#labels.get(file) ?? null);
  }
}

/** The arguments in order; null when shapes were not recorded. */
export function readArguments(dims: unknown, types: unknown, concrete: unknown, strides?: unknown): Arg[] | null {
  if (!Array.isArray(dims) && !Array.isArray(types)) return null;
  const extents = listOf(dims);
  const kinds = listOf(types);
  const values = listOf(concrete);
  const steps = listOf(strides);
  return Array.from({ length: Math.max(extents.length, kinds.length) }, (_, i) => {
    const kind = kinds[i];
    const value = values[i];
    const arg = readArgument(
      extents[i],
      typeof kind === 'string' ? kind : '',
      typeof value === 'string' ? value : undefined,
    );
    return withStrides(arg, steps[i]);
  });
}

/** Shapes of one or more tensors, such as `[[10, 64, 56, 56]]`; null when the first shape is unknown. */
export function readExtents(dims: unknown): number[][] | null {
  const [first, ...rest] = listOf(dims);
  if (!isShape(first) || first.length === 0) return null;
  return [first, ...rest.filter(isShape)];
}

const isShape = (value: unknown): value is number[] => shapeOf(value) !== null;

function readArgument(extents: unknown, kind: string, value: string | undefined): Arg {
  if (kind === UNDEFINED_TENSOR) return NOT_GIVEN;
  const scalar = elementType(kind);
  if (scalar !== null && !isPlainType(kind)) return isShape(extents) ? tensorArg(extents, scalar.dtype) : UNKNOWN;
  if (kind === 'TensorList' || isNested(extents)) return tensors(extents);
  if (isShape(extents) && extents.length > 0) return tensorArg(extents, kind);
  if (value === undefined) return isListType(kind) ? { name: '', type: 'list' } : UNKNOWN;
  if (value === '') return kind === '' || kind === 'None' ? NOT_GIVEN : UNKNOWN;
  return plain(value);
}

/** Adds strides to a tensor, and to each tensor of a list, unless they are contiguous. */
function withStrides(arg: Arg, strides: unknown): Arg {
  if (arg.items !== undefined) {
    const each = listOf(strides);
    return each.length === 0 ? arg : { ...arg, items: arg.items.map((item, i) => withStrides(item, each[i])) };
  }
  const { shape } = arg;
  const found = shape === undefined || shape.length === 0 ? null : shapeOf(strides);
  if (shape === undefined || found?.length !== shape.length || isContiguous(shape, found)) return arg;
  return { ...arg, strides: found };
}

/**
 * Whether each stride is the number of elements in the inner dimensions. The stride of a dimension of extent 1 is never
 * used.
 */
function isContiguous(shape: readonly number[], strides: readonly number[]): boolean {
  let within = 1;
  for (let i = shape.length - 1; i >= 0; i--) {
    const extent = shape[i] ?? 1;
    if (extent === 0) return true;
    if (extent > 1 && strides[i] !== within) return false;
    within *= extent;
  }
  return true;
}

const isNested = (extents: unknown): boolean =>
  Array.isArray(extents) && extents.length > 0 && extents.every((item) => Array.isArray(item));

/** A tensor list whose shapes alone are recorded. */
function tensors(extents: unknown): Arg {
  const items = listOf(extents);
  if (!items.every(isShape)) return { name: '', type: 'list' };
  return { name: '', type: 'list', items: items.map((shape) => tensorArg(shape, '')) };
}

function plain(text: string): Arg {
  const value = readValue(text);
  if (Array.isArray(value)) return { name: '', type: 'list', value };
  const type =
    value === null
      ? 'NoneType'
      : typeof value === 'boolean'
        ? 'bool'
        : typeof value === 'number'
          ? numberType(text)
          : 'str';
  return { name: '', type, value };
}

/** Type of a number in a string: `0.` is a float, `0` an int. */
const numberType = (text: string): string => (/[.e]/i.test(text) ? 'float' : 'int');

/** Reads `True`, `1`, `0.125`, `[1, 1]` or `[True, False]`; any other text is a string. */
function readValue(text: string): ArgValue {
  if (text === 'True') return true;
  if (text === 'False') return false;
  if (text === 'None') return null;
  if (isDecimal(text)) return Number(text);
  if (!text.startsWith('[') || !text.endsWith(']')) return text;
  const inside = text.slice(1, -1).trim();
  return inside === '' ? [] : inside.split(',').map((item) => readValue(item.trim()));
}

/** The strings of host events. `Input Dims` and the other strings about the arguments of ops are JSON. */
export class KinetoTexts implements HostTexts {
  readonly #values = new LruCache<number, unknown>(8192);

  constructor(private readonly texts: ByteTexts) {}

  text(number: number): string {
    return this.texts.text(number);
  }

  readArguments(dims: number, types: number, concrete: number, strides: number): Arg[] | null {
    return readArguments(this.#value(dims), this.#value(types), this.#value(concrete), this.#value(strides));
  }

  readExtents(dims: number): number[][] | null {
    return readExtents(this.#value(dims));
  }

  /** The text with this number plus one, parsed as JSON; undefined for 0 and for malformed JSON. */
  #value(text: number): unknown {
    if (text === 0) return undefined;
    return this.#values.of(text, () => this.texts.value(text - 1));
  }
}
