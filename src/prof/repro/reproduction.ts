/**
 * A kernel's op as a call that a script can run: the function, its arguments with the recorded shapes, types, layouts and
 * values, and remarks about what is not recorded. Nothing that changes the op's time is guessed: an op with such an unknown
 * argument is refused.
 */
import { elementType } from '../../record/element-types.js';
import type { Arg, ArgValue, KernelRecord, OpCall } from '../../record/record.js';
import { opName, scalarTensor, tensorOf } from '../../ops/operands.js';
import { communicates } from '../steps/step-work.js';
import { familyOf } from '../../ops/table.js';
import { bind } from '../../ops/schema/binding.js';
import { signaturesOf } from '../../ops/schema/op-rules.js';
import { reconstructArguments } from '../../ops/schema/argument-reconstruction.js';
import { inferDtypes } from '../../ops/schema/dtype-inference.js';
import type { Annotated } from '../annotate.js';
import { asksForArguments, captureOption, opMarks, withoutArguments } from '../work/capture-options.js';
import { withLayout } from './product-layout.js';
import { dependsOnValues, valuesOf, type Place, type TensorValues } from './tensor-values.js';

export interface ScriptTensor {
  readonly shape: readonly number[];
  /** The name of a type of PyTorch. */
  readonly dtype: string;
  readonly strides: readonly number[] | null;
  readonly values: TensorValues;
  /** Whether it is a number that PyTorch wraps into a tensor, which stays on the host. */
  readonly onHost: boolean;
  /** Whether its gradient is computed. */
  readonly grad: boolean;
}

export type ScriptValue =
  | { readonly tensor: ScriptTensor }
  | { readonly items: readonly ScriptValue[] }
  | { readonly value: ArgValue; readonly type: string };

export interface ScriptArgument {
  /** '' for a positional argument. */
  readonly keyword: string;
  /** Name of the parameter; '' where the tables of ops do not have it. */
  readonly parameter: string;
  readonly value: ScriptValue;
  readonly remark: string | null;
}

/** A call for a script. */
export interface Reproduction {
  /** `aten::mm` for an op of the dispatcher, `torch.nn.functional.linear` for a function of Python. */
  readonly name: string;
  readonly args: readonly ScriptArgument[];
  /** Whether the kernel is part of the gradient of the call. */
  readonly backward: boolean;
  /** Index of the call among those around the kernel's launch. */
  readonly index: number;
  /** The call, with its arguments in the order of the schema. */
  readonly call: OpCall;
  readonly remarks: readonly string[];
}

/** Why an op cannot run alone, and what to do instead. */
export interface Refusal {
  readonly refused: string;
  readonly hint: string | null;
}

export const isRefusal = (found: Reproduction | Refusal): found is Refusal => 'refused' in found;

const refusal = (refused: string, hint: string | null = null): Refusal => ({ refused, hint });

/** Facts about the profile of a kernel. */
export interface ProfileFacts {
  /** Whether some argument in it has strides, so that tensors without strides are contiguous. */
  readonly hasStrides: boolean;
}

/** Paths in `torch` of modules, by the names that markers have for them. */
const MODULES: Readonly<Record<string, string>> = {
  torch: 'torch',
  Tensor: 'torch.Tensor',
  'torch.Tensor': 'torch.Tensor',
  'torch.functional': 'torch.functional',
  'torch.nn.functional': 'torch.nn.functional',
  'torch.special': 'torch.special',
  'torch.linalg': 'torch.linalg',
  'torch.fft': 'torch.fft',
};

/** A name in ASCII. What does not match never enters a script, not even as a string. */
const NAME = /^[A-Za-z_]\w{0,99}$/;

/** Modules whose calls are not ops of PyTorch, and what runs them alone. */
const OTHERS: readonly (readonly [modules: RegExp, refused: string, hint: string])[] = [
  [
    /^triton$/,
    'is a kernel that torch.compile generated',
    'TORCHINDUCTOR_BENCHMARK_KERNEL=1 TORCH_LOGS=output_code writes code that runs it alone',
  ],
  [/^(?:c10d|nccl|symm_mem|_c10d_functional)$/, 'is a collective operation', 'nccl-tests or rccl-tests run it alone'],
  [
    /^hlo$/,
    'is an op of XLA, not of PyTorch',
    'XLA_FLAGS=--xla_dump_to=DIR writes its HLO, which the tools of XLA run alone',
  ],
];

/** Whether a name is that of an autograd node, which the dispatcher does not have. */
const isNode = (op: string): boolean => /Backward\d*$/.test(op);

const CUSTOM = 'write its call by hand, with the arguments that dprof --explain shows';

/** The function that a script calls; a refusal for names that no table has. */
function nameOf(call: OpCall): string | Refusal {
  const op = opName(call);
  const shown = `${call.mod}.${call.op}`;
  for (const [modules, refused, hint] of OTHERS)
    if (modules.test(call.mod)) return refusal(`${shown} ${refused}`, hint);
  if (isNode(op)) return refusal(`${shown} is an autograd node, not an op`, CUSTOM);
  if (!NAME.test(op)) return refusal(`${shown} is not the name of an op of PyTorch`, CUSTOM);
  if (call.from === undefined) {
    const path = Object.hasOwn(MODULES, call.mod) ? MODULES[call.mod] : undefined;
    if (path === undefined || familyOf(call) === null)
      return refusal(`${shown} is a function whose arguments are not known`, CUSTOM);
    return `${path}.${op}`;
  }
  const isKnown = call.mod === 'aten' || bind(call, ...signaturesOf(call)) !== null;
  if (!NAME.test(call.mod) || !isKnown) return refusal(`${shown} is a custom op without a known schema`, CUSTOM);
  return `${call.mod}::${op}`;
}

/** Values that a script may use where a profile lacks them, because they do not change the time of the op; by parameter. */
const DEFAULTS: Readonly<Record<string, ArgValue>> = {
  ...{ eps: 1e-5, momentum: 0.1, ignore_index: -100, negative_slope: 0.01, alpha: 1, threshold: 0 },
  ...{ value: 1, fill_value: 1, bound: 0, non_blocking: false },
};

/** Parameters of ops that have no signature in the tables, because their formula does not need one. */
const PARAMETERS: Readonly<Record<string, string>> = Object.fromEntries(
  [
    ['add add_ sub sub_ rsub', 'self other alpha'],
    ['mul mul_ div div_ eq ne lt le gt ge pow pow_ maximum minimum', 'self other rounding_mode'],
    ['clamp clamp_', 'self min max'],
    ['clamp_min clamp_min_ clamp_max clamp_max_', 'self bound'],
    ['sum mean prod', 'self dim keepdim dtype'],
    ['argmax argmin', 'self dim keepdim'],
    ['gelu', 'self approximate'],
    ['dropout native_dropout', 'input p train'],
    ['leaky_relu leaky_relu_', 'self negative_slope'],
    ['copy_', 'self src non_blocking'],
  ].flatMap(([ops = '', parameters = '']) => ops.split(' ').map((op) => [op, parameters])),
);

/** Names of the parameters of a dispatcher's op, as far as the tables have them. */
function parametersOf(call: OpCall): readonly string[] {
  const bound = bind(call, ...signaturesOf(call));
  if (bound !== null) return bound.signature.parameters.map(({ name }) => name);
  const names = Object.hasOwn(PARAMETERS, opName(call)) ? PARAMETERS[opName(call)] : undefined;
  return names?.split(' ') ?? [];
}

/**
 * Arguments that profilers do not record though they change what the op does, by op: texts, and lists whose tensors may be
 * None. They look as if None had been passed.
 */
const UNRECORDED: ReadonlyMap<string, readonly [position: number, parameter: string]> = new Map(
  (
    [
      ['einsum', 0, 'equation'],
      ['pad', 2, 'mode'],
      ['linalg_norm', 1, 'ord'],
      ['div div_ divide divide_', 2, 'rounding_mode'],
      ['scatter_reduce scatter_reduce_ index_reduce index_reduce_', 4, 'reduce'],
      ['index _unsafe_index index_put index_put_ _unsafe_index_put _index_put_impl_', 1, 'indices'],
    ] as const
  ).flatMap(([ops, position, parameter]) => ops.split(' ').map((op) => [op, [position, parameter]] as const)),
);

/** The form of GELU by its kernel's name: the first lambda of the function computes it with tanh. */
const GELU_FORMS: readonly (readonly [pattern: RegExp, form: string])[] = [
  [/GeluType\)::\{lambda\(\)#1\}/, 'tanh'],
  [/GeluType\)::\{lambda\(\)#2\}/, 'none'],
];

/** Functions of Python that take a list of tensors, which PyProf's markers write one by one. */
const TAKES_LIST = /^(?:cat|concat|concatenate|[hvd]?stack|column_stack|block_diag|meshgrid|broadcast_tensors)$/;

/** Buffers of a normalisation in Python, which have no gradient. */
const BUFFERS: readonly (readonly [ops: RegExp, positions: readonly number[]])[] = [
  [/^torch\.nn\.functional\.(?:batch|instance)_norm$/, [1, 2]],
];

/** A type of the same size, for copies whose kernel names only the size of elements. */
const BY_SIZE: Readonly<Record<string, string>> = {
  ...{ opaque8: 'uint8', opaque16: 'bfloat16', opaque32: 'float32', opaque64: 'float64', opaque128: 'complex128' },
};

/** Types that PyTorch does not have. */
const NOT_IN_TORCH = /^(?:opaque\d+|hif8|int128)$/;

/** The arguments of a call, and what is missing. */
class ArgumentReader {
  readonly missing: string[] = [];
  /** Names of arguments that no profiler records. */
  readonly unrecordable: string[] = [];
  readonly remarks = new Set<string>();
  readonly #parameters: readonly string[];

  constructor(
    private readonly call: OpCall,
    private readonly kernel: KernelRecord,
    private readonly backward: boolean,
  ) {
    this.#parameters = call.from === undefined ? [] : parametersOf(call);
  }

  read(): ScriptArgument[] {
    const args: ScriptArgument[] = [];
    let position = 0;
    for (const arg of this.call.args) {
      const place: Place = { keyword: arg.name, position: arg.name === '' ? position++ : -1, item: null };
      args.push(this.#argument(arg, place));
    }
    return this.call.from === undefined && TAKES_LIST.test(this.call.op) ? listed(args) : args;
  }

  #argument(arg: Arg, place: Place): ScriptArgument {
    const parameter = this.#parameters[place.position] ?? '';
    const shown = parameter || place.keyword || `argument ${place.position + 1}`;
    const about = { keyword: place.keyword, parameter, remark: null };
    const isBlank = arg.shape === undefined && arg.items === undefined && (arg.value ?? null) === null;
    const unrecorded = this.#unrecorded(isBlank, place);
    if (unrecorded !== null) return { ...about, ...unrecorded };
    // Lists that are too long are recorded as empty ones.
    if (arg.items?.length === 0) this.missing.push(shown);
    if (isBlank && arg.value === null && isCustom(this.call))
      this.unrecordable.push(`whether ${shown} is None or a text`);
    if (arg.items !== undefined) {
      const items = arg.items.map((item, i) => this.#item(item, { ...place, item: i }, `${shown}[${i}]`));
      const values = items.map(({ value }) => value);
      return {
        ...about,
        value: { items: values },
        remark: items.find(({ remark }) => remark !== null)?.remark ?? null,
      };
    }
    return { ...about, ...this.#item(arg, place, shown) };
  }

  #item(arg: Arg, place: Place, shown: string): Pick<ScriptArgument, 'value' | 'remark'> {
    const isFirst = place.position === 0 && this.call.from === undefined;
    const tensor = arg.shape !== undefined ? arg : isFirst && isMethod(this.call) ? scalarTensor(arg) : null;
    if (tensor !== null) return this.#tensor(tensor, place, shown);
    if (arg.value !== undefined) return { value: { value: arg.value, type: arg.type }, remark: null };
    if (Object.hasOwn(DEFAULTS, shown)) {
      const value = DEFAULTS[shown] ?? null;
      return { value: { value, type: '' }, remark: `${shown}: not recorded; it does not change the op's time` };
    }
    this.missing.push(shown);
    return { value: { value: null, type: '' }, remark: null };
  }

  #tensor(arg: Arg, place: Place, shown: string): Pick<ScriptArgument, 'value' | 'remark'> {
    const found = tensorOf(arg);
    const nothing = { value: { value: null, type: '' }, remark: null };
    const recorded = found === null || arg.dtype === undefined ? null : elementType(found.dtype)?.dtype;
    if (found === null || recorded === null || recorded === undefined) {
      this.missing.push(found === null ? shown : `element type of ${shown}`);
      return nothing;
    }
    const dtype = BY_SIZE[recorded] ?? recorded;
    if (NOT_IN_TORCH.test(dtype)) {
      this.missing.push(`element type of ${shown} (${dtype})`);
      return nothing;
    }
    if (dtype !== recorded)
      this.remarks.add(`The kernel copies elements by their size alone; ${dtype} stands for the unknown type.`);
    const values = valuesOf(this.call, place, { ...found, dtype });
    if (values === null) {
      this.unrecordable.push(`values of ${shown}`);
      return nothing;
    }
    const onHost = this.#isWrapped(arg, place);
    const grad = this.backward && isDifferentiable(this.call, dtype, place.position);
    const remark = onHost ? 'a number, which PyTorch passes as a tensor' : (values.remark ?? null);
    return {
      value: { tensor: { shape: found.shape, dtype, strides: arg.strides ?? null, values, onHost, grad } },
      remark,
    };
  }

  /** A 0-dim tensor of 64 bits after the first operand of a pointwise op is a number of Python. */
  #isWrapped({ shape, dtype }: Arg, { position, item }: Place): boolean {
    const isNumber = shape?.length === 0 && (dtype === 'float64' || dtype === 'int64');
    return isNumber && item === null && position > 0 && familyOf(this.call)?.id === 'pointwise';
  }

  /**
   * An argument that profilers do not record, from the kernel's name where it has it; null for all other arguments.
   * @param isBlank whether the profile has no value
   */
  #unrecorded(isBlank: boolean, { position }: Place): Pick<ScriptArgument, 'value' | 'remark'> | null {
    if (this.call.from === undefined) return null;
    const op = opName(this.call);
    const [at, parameter] = UNRECORDED.get(op) ?? [];
    if (at === position && parameter !== undefined && isBlank) {
      this.unrecordable.push(parameter);
      return { value: { value: null, type: '' }, remark: null };
    }
    if (op !== 'gelu' || position !== 1) return null;
    const form = GELU_FORMS.find(([pattern]) => pattern.test(this.kernel.name))?.[1];
    if (form === undefined) return null;
    return { value: { value: form, type: 'str' }, remark: "from the kernel's name" };
  }
}

/** Whether an op of the dispatcher is not defined by PyTorch. */
const isCustom = ({ mod, from }: OpCall): boolean => from !== undefined && mod !== 'aten';

const isMethod = ({ mod }: OpCall): boolean => MODULES[mod] === 'torch.Tensor';

function isDifferentiable({ mod, op }: OpCall, dtype: string, position: number): boolean {
  const category = elementType(dtype)?.category;
  if (category !== 'float' && category !== 'complex') return false;
  return !BUFFERS.some(([ops, positions]) => ops.test(`${mod}.${op}`) && positions.includes(position));
}

/** The tensors at the front as one list. */
function listed(args: readonly ScriptArgument[]): ScriptArgument[] {
  const end = args.findIndex(({ keyword, value }) => keyword !== '' || !('tensor' in value));
  const items = args.slice(0, end === -1 ? args.length : end);
  if (items.length === 0) return [...args];
  const list = { keyword: '', parameter: 'tensors', value: { items: items.map(({ value }) => value) }, remark: null };
  return [list, ...args.slice(items.length)];
}

/** In-place functions, whose operand cannot be a leaf that needs a gradient. */
const IN_PLACE = /[^_]_$|^__i\w+__$/;

const words = (names: readonly string[]): string => names.join(', ');

/** Whether a marker lacks a type: PyProf does not write types, which some functions of Python need. */
const lostType = (call: OpCall): boolean =>
  call.from === undefined && /^(?:to|type)$/.test(call.op) && call.args.length < 2;

/** Whether the op has signatures but none fits the arguments. */
function isUnfit(call: OpCall): boolean {
  const signatures = call.from === undefined ? [] : signaturesOf(call);
  return signatures.length > 0 && bind(call, ...signatures) === null;
}

/** Names of arguments that the profile lacks at the end of a dispatcher's call. */
function missingAtEnd(call: OpCall): string[] {
  if (call.from === undefined) return [];
  const bound = bind(call, ...signaturesOf(call));
  if (bound === null || bound.signature.open) return [];
  const rest = bound.signature.parameters.slice(call.args.length);
  return call.args.every(({ shape }) => shape !== undefined) ? rest.filter((p) => !p.optional).map((p) => p.name) : [];
}

/** A call as a reproduction. @param index of the call among those around the launch */
function reproduceCall(row: Annotated, index: number, facts: ProfileFacts): Reproduction | Refusal {
  const written = row.calls[index];
  if (written === undefined) return refusal('no call');
  const name = nameOf(written);
  if (typeof name !== 'string') return name;
  const backward = written.from === undefined && row.record.dir === 'bprop';
  if (backward && IN_PLACE.test(written.op)) return refusal(`${name} works in place, so its gradient cannot run alone`);
  if (written.from !== undefined && written.args.length === 0)
    return refusal(withoutArguments(name, row.profile), captureOption(row.profile, 'shapes') === null ? CUSTOM : null);
  if (dependsOnValues(written)) return refusal(`the time of ${name} depends on values, which no profile records`);
  const { call: typed, typedBy } = inferDtypes(reconstructArguments(written), row.record.name);
  // The kernel of a gradient multiplies other factors than the forward call.
  const { call, remark } = withLayout(typed, backward ? '' : row.record.name, facts.hasStrides);
  const reader = new ArgumentReader(call, row.record, backward);
  const args = reader.read();
  const missing = [...reader.missing, ...missingAtEnd(call), ...(lostType(call) ? ['dtype'] : [])];
  if (missing.length === 0 && reader.unrecordable.length > 0)
    return refusal(`${name}: no profiler records ${words(reader.unrecordable)}`, CUSTOM);
  if (missing.length === 0 && isUnfit(call))
    return refusal(`the recorded arguments of ${name} do not fit its schema`, moreArguments(row, written));
  if (missing.length > 0) return refusal(`${name}: not recorded: ${words(missing)}`, moreArguments(row, written));
  if (familyOf(call) === null && hasTexts(args))
    return refusal(`${name} takes texts, and its parameters are unknown`, CUSTOM);
  const types = typedBy === null ? [] : [TYPED[typedBy]];
  const remarks = [...types, ...(remark === null ? [] : [remark]), ...reader.remarks];
  return { name, args, backward, index, call, remarks };
}

const TYPED = {
  kernel: "Element types that the profile lacks are from the kernel's name.",
  operand: "Element types that the profile lacks are those of the call's other tensors.",
} as const;

const hasTexts = (args: readonly ScriptArgument[]): boolean =>
  args.some(({ value }) => 'value' in value && typeof value.value === 'string');

/** How to record the arguments that a profile lacks. */
function moreArguments({ profile }: Annotated, { from }: OpCall): string {
  if (from === undefined) return CUSTOM;
  const option = captureOption(profile, 'shapes');
  if (profile?.format === 'kineto')
    return 'PyTorch 2.1 or later records numbers and lists too, with record_shapes=True';
  if (from === 'sizes')
    return 'ranges have shapes only; torch.profiler.profile(record_shapes=True) records numbers and lists too';
  return option === null ? CUSTOM : `record them with ${option}`;
}

/**
 * Indices of calls in the order in which they are tried. The first is the outermost call that launched the same kernels as
 * the call that describes the kernel, because users write that call and its definition determines the layouts. The calls
 * inside it follow, then those around it.
 */
function candidates({ record, described, calls }: Annotated): number[] {
  const index = described !== null && described.index >= 0 ? described.index : calls.length - 1;
  const counts = record.callKernels ?? [];
  let first = index;
  const isSame = (outer: number): boolean =>
    counts[index] === undefined ? isLinear(calls[outer], calls[index]) : counts[outer] === counts[index];
  while (first > 0 && isSame(first - 1)) first--;
  const within = Array.from({ length: index - first + 1 }, (_, i) => first + i);
  return [...within, ...Array.from({ length: first }, (_, i) => first - 1 - i)];
}

/** Whether the outer call is a linear layer around its product. */
const isLinear = (outer: OpCall | undefined, inner: OpCall | undefined): boolean =>
  outer !== undefined && inner !== undefined && opName(outer) === 'linear' && familyOf(inner) === familyOf(outer);

/** The call that runs a kernel's op alone, or why there is none. */
export function reproduce(row: Annotated, facts: ProfileFacts): Reproduction | Refusal {
  if (row.calls.length === 0)
    return refusal(withoutCall(row), asksForArguments(row.reason ?? '') ? null : opMarks(row.profile));
  if (communicates(row.record) || row.collective !== null)
    return refusal(`${row.record.short} is a collective operation`, 'nccl-tests or rccl-tests run it alone');
  let refused: Refusal | null = null;
  for (const index of candidates(row)) {
    const found = reproduceCall(row, index, facts);
    if (!isRefusal(found)) return found;
    // The refusal of the call that describes the kernel says most.
    if (refused === null || index === row.described?.index) refused = found;
  }
  return refused ?? refusal(withoutCall(row));
}

const withoutCall = ({ record, reason }: Annotated): string =>
  `no op call is known for ${record.short}${reason === null ? '' : `: ${reason}`}`;
