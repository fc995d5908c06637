/**
 * Replaces texts by kind. A text is kept if it has the form of a harmless text of its kind. Of other texts, the parts on which
 * answers depend are kept, and the rest becomes pseudonyms.
 */
import { addTo, entryOf, LruCache } from '../containers/map-entry.js';
import { TextPool } from '../containers/text-pool.js';
import { MODULE } from '../parse/torch/event-names.js';
import { ENGINE_PREFIX, isBackwardOp } from '../parse/trace/markers/markers.js';
import { elementType } from '../record/element-types.js';
import { FRAME_SEPARATOR } from '../record/sample-metrics.js';
import {
  isKernelName,
  isKnownCall,
  isKnownLibrary,
  isKnownNode,
  isKnownOp,
  isLibraryKernel,
  TRITON,
} from './known-names.js';
import { isFrozenModule, isLibraryFunction, libraryPlace, type LibraryPlace } from './library-files.js';
import { Pseudonyms, type PseudonymKey, type PseudonymKind } from './pseudonyms.js';
import { redactRange } from './ranges.js';
import {
  CALL_WORDS,
  isDeviceName,
  isGroupText,
  isKnownModule,
  isProfilerActivity,
  isToolText,
  isVariant,
  KERNEL_WORDS,
  OP_WORDS,
  OPERAND_WORDS,
  PYTHON_FILES,
} from './words.js';

/** What the user may keep. */
export const KEPT = ['layers', 'ranges', 'sources'] as const;
export type Kept = (typeof KEPT)[number];

export interface RedactOptions {
  /** Key of the pseudonyms; null to number them. */
  readonly key: PseudonymKey;
  readonly keep: ReadonlySet<Kept>;
  /** Whether names of kernels that no pattern of a library matches are replaced. */
  readonly hashKernels: boolean;
}

/** Kinds of texts in profiles, and why a text of the kind may be kept. */
export const REASONS = {
  kernel: 'name of a kernel',
  op: 'op of a known library',
  instruction: 'words of compilers',
  library: 'known library',
  api: 'call of a device or system library',
  range: 'marker of a known form, without its free parts',
  layer: 'number or class of PyTorch',
  frame: 'frame of PyTorch or Python',
  symbol: 'call of a system library',
  path: 'not a path',
  file: 'unknown name',
  host: 'unknown name',
  process: 'unknown name',
  thread: 'number',
  group: 'number',
  description: 'words of frameworks',
  metric: 'words of tools',
  tool: 'tool and its version',
  version: 'version',
  device: 'name of a device',
  arch: 'architecture of a device',
  dtype: 'element type',
  type: 'type of an argument',
  argument: 'words of libraries',
  value: 'number, or variant of an op',
  einsum: 'letters in order of use',
  id: 'number',
  tensor: 'unknown name',
  category: 'category of the profiler',
  activity: 'words of profilers',
  graph: 'words of frameworks',
  domain: 'domain of a known library',
  operands: 'words of the compiler and numbers',
  text: 'words of tools',
} as const;

export type TextKind = keyof typeof REASONS;

/** How often texts of a kind were replaced and kept, and how many different texts. */
export interface KindCount {
  replaced: number;
  kept: number;
  readonly distinct: { replaced: number; kept: number };
}

const RECENT = 8192;

const QUALIFIED = /^((?:[A-Za-z_]\w*::)*[A-Za-z_]\w*)::([^:].*)$/s;
const CPP_NODE = /^(.*CppNode<)(.*)>$/s;
/** Endings that mark a function as part of the backward pass. */
const ENDING = /(?:Backward\d{0,2}|Backwards|_backward)$/;

const FRAME = /^(.+)\((\d{1,9})\): (.*)$/s;
const LINE = /^(.+):(\d{1,9})$/s;
const SAMPLER = /sampl(?:er|ing)|v1\/sample\//i;
const EXTENSIONS = /\.(?:py|pyx|pyi|c|cc|cpp|cxx|cu|cuh|h|hpp|hip|so|rs|go|ipynb)$/;
const NUMBER = /^[-+]?(?:\d{1,12}(?:\.\d{0,20})?|\.\d{1,20})(?:e[-+]?\d{1,3})?$/i;
const HEX = /^0x[\da-f]{1,16}$/i;
/** What follows the numbers of a version: a build of a toolkit, a hash, a date. */
const VERSION =
  /^v?\d{1,8}(?:\.\d{1,6}){0,5}(?:(?:rc|a|b)\d{1,2})?(?:[-+.](?:cu|rocm|git|g|rc|a|b|beta|alpha|dev|post|nv|v|cpu|xpu|hip|cxx)?[\da-f]{0,14}(?:v\d{1,2})?){0,4}(?: \([\da-f]{0,12}\))?$/;
const ARCH =
  /^(?:sm_?\d{2,3}[a-z]?|gfx[\da-f]{3,4}|nc-v\d[a-z]?|ascend\d{3}\w{0,6}|tpu-v\d\w{0,4}|xe\w{0,6}|cayman|sunda|mariana|unknown)$/i;
const DOMAINS: ReadonlySet<string> = new Set(
  'NCCL TensorRT OSRT cuBLAS cuDNN cuBLASLt cuSPARSE cuSOLVER cuFFT CCCL PyTorch NVTX MPI UCX NVSHMEM DALI acl node hccl runtime model default HIP HSA ROCTX libtorch hip hsa rccl roctx aten'.split(
    ' ',
  ),
);
const TOOL =
  /^(?:nvprof database version|PyTorch memory snapshot|rocmProfileData, schema|Nsight Systems|Nsight Compute|nvprof|NVIDIA Visual Profiler|PyTorch Profiler|PyTorch|rocprofv3|rocprof|rocprof-sys|rocprofiler-sdk|rocmProfileData|rocpd|rpd|msprof|Ascend PyTorch Profiler|neuron-profile|neuron-explorer|neuron-monitor|neuronx-cc|XLA profiler|XPlane|JAX|TensorFlow|JAX, TensorFlow|Proton|PyProf2?|dprof|dparse)?(?: ?v?\d[\d.]{0,20}(?:\+[\da-f]{4,12})?)?(?:%[a-z-]{1,20}\/[\d.]{1,8}@[\da-f]{7,12})?(?: \((?:torch_npu [\d.]{1,12})?(?:, )?(?:CANN [\d.A-Z]{1,16})?(?:[\d.]{1,12})?\))?$/;

export class TextRules {
  readonly pseudonyms: Pseudonyms;
  readonly #recent = new LruCache<string, string>(RECENT);
  readonly #counts = new Map<TextKind, KindCount>();
  /** Texts that were counted, with their kinds. */
  readonly #counted = new TextPool();
  /** What was left out, by what it is. */
  readonly dropped = new Map<string, number>();

  constructor(readonly options: RedactOptions) {
    this.pseudonyms = new Pseudonyms(options.key);
  }

  get counts(): ReadonlyMap<TextKind, KindCount> {
    return this.#counts;
  }

  /** Counts something that is left out. @param what a word for it, never a text of the profile */
  drop(what: string, count = 1): void {
    if (count > 0) addTo(this.dropped, what, count);
  }

  /** The text to write instead of a text of some kind. */
  redact(kind: TextKind, text: string): string {
    return this.#recentOr(kind, '', text, () => this.#RULES[kind](text));
  }

  /** The name to write for an op of a module, without the name of the module. */
  redactOp(mod: string, name: string): string {
    return this.#recentOr('op', `of ${mod}`, name, () => this.#opIn(mod, name));
  }

  /** The text to write: the one in the cache, or the one that `make` returns. Counts it. @param place what else it depends on */
  #recentOr(kind: TextKind, place: string, text: string, make: () => string): string {
    const count = entryOf(this.#counts, kind, () => ({ replaced: 0, kept: 0, distinct: { replaced: 0, kept: 0 } }));
    const replaced = this.#recent.of(`${kind} ${place}\0${text}`, () => {
      const written = make();
      const outcome = written === text ? 'kept' : 'replaced';
      if (this.#isNew(`${outcome} ${kind}\0${text}`)) count.distinct[outcome]++;
      return written;
    });
    count[replaced === text ? 'kept' : 'replaced']++;
    return replaced;
  }

  #isNew(text: string): boolean {
    const known = this.#counted.length;
    return this.#counted.numberOf(text) === known;
  }

  #opIn(mod: string, name: string): string {
    if (mod === '' || mod === 'na') return this.op(name);
    return this.opOf(mod, name);
  }

  readonly #RULES: Readonly<Record<TextKind, (text: string) => string>> = {
    kernel: (text) => this.#kernel(text),
    op: (text) => this.op(text),
    instruction: this.#ifElse((text) => isToolText(text, OP_WORDS), 'op', true),
    library: (text) => this.library(text),
    api: (text) => this.api(text),
    range: (text) => (this.options.keep.has('ranges') ? text : redactRange(text, this)),
    layer: (text) => this.layers(text),
    frame: (text) => this.frame(text),
    symbol: (text) => this.#symbols(text),
    path: (text) => this.path(text),
    file: this.#named('file'),
    host: this.#named('host'),
    process: this.#named('process'),
    thread: (text) => this.#thread(text),
    group: (text) => (/^\d{0,6}$/.test(text) ? text : this.pseudonyms.of('group', text)),
    description: (text) => (isGroupText(text) ? text : this.pseudonyms.of('group', text)),
    metric: this.#ifElse(isToolText, 'metric'),
    tool: this.#ifElse((text) => TOOL.test(text) && !hasAddress(text), 'tool'),
    version: this.#ifElse((text) => VERSION.test(text) && !hasAddress(text), 'text'),
    device: this.#ifElse(isDeviceName, 'device'),
    arch: this.#ifElse((text) => ARCH.test(text), 'type'),
    dtype: (text) => this.dtype(text),
    type: this.#ifElse((text) => TYPES.has(text), 'type', true),
    argument: this.#ifElse(isToolText, 'argument', true),
    value: (text) => this.value(text),
    einsum: relettered,
    id: this.#ifElse((text) => /^\d{0,20}$/.test(text) || isToolText(text), 'id'),
    tensor: this.#named('tensor'),
    category: this.#ifElse((text) => CATEGORIES.has(text.toLowerCase()) || isToolText(text), 'category'),
    activity: (text) => this.activity(text),
    graph: this.#ifElse(isToolText, 'graph', true),
    domain: this.#ifElse((text) => DOMAINS.has(text) || /^domain#\d{1,10}$/.test(text), 'domain'),
    operands: (text) => this.#operands(text),
    text: this.#ifElse(isToolText, 'text'),
  };

  #named(kind: PseudonymKind): (text: string) => string {
    return (text) => (text === '' || text === 'na' ? text : this.pseudonyms.of(kind, text));
  }

  #ifElse(isKept: (text: string) => boolean, kind: PseudonymKind, isIdentifier = false): (text: string) => string {
    return (text) =>
      text === '' || isKept(text)
        ? text
        : isIdentifier
          ? this.pseudonyms.identifier(kind, text)
          : this.pseudonyms.of(kind, text);
  }

  /** A pseudonym that is an identifier if the text is one, because readers treat identifiers differently from other texts. */
  name(kind: PseudonymKind, text: string): string {
    return /^[A-Za-z_]\w*$/.test(text) ? this.pseudonyms.identifier(kind, text) : this.pseudonyms.of(kind, text);
  }

  #kernel(text: string): string {
    const { hashKernels } = this.options;
    if (isKernelName(text) && (!hashKernels || isLibraryKernel(text))) return text;
    return hashKernels && text.startsWith(TRITON) ? this.#triton(text) : this.pseudonyms.identifier('kernel', text);
  }

  /** The name of a kernel of Triton: words of ops stay. */
  #triton(text: string): string {
    const known = text.split('_').filter((token) => token !== '' && isToolText(token, KERNEL_WORDS));
    return [...known, this.pseudonyms.identifier('kernel', text)].join('_');
  }

  /** An op or autograd node, with or without its namespace. */
  op(name: string): string {
    if (name === '' || name === 'na') return name;
    if (name.startsWith(ENGINE_PREFIX)) return ENGINE_PREFIX + this.op(name.slice(ENGINE_PREFIX.length));
    const cpp = CPP_NODE.exec(name);
    if (cpp !== null) return this.#cppNode(cpp[1] ?? '', cpp[2] ?? '');
    const [, mod = '', op = name] = QUALIFIED.exec(name) ?? [];
    return mod === '' ? this.opOf('', op) : `${this.library(mod)}::${this.opOf(mod, op)}`;
  }

  #cppNode(before: string, inside: string): string {
    const isKnown = /^(?:torch::autograd::)?CppNode<$/.test(before);
    const [, mod = '', name] = /^((?:\w+::)*)(\w+)/.exec(inside) ?? [];
    const op = this.opOf('autograd', name ?? inside);
    return `${isKnown ? before : 'CppNode<'}${mod === '' ? op : `${this.library(mod.slice(0, -2))}::${op}`}>`;
  }

  /** The name of an op without its module. An ending that marks it as part of the backward pass stays. */
  opOf(mod: string, op: string): string {
    if (this.options.hashKernels && op.startsWith(TRITON)) return this.#kernel(op);
    if (isKnownOp(mod, op) || (mod === '' && (isKnownNode(op) || isKnownOp('aten', op)))) return op;
    const ending = ENDING.exec(op)?.[0] ?? '';
    const stem = op.slice(0, op.length - ending.length);
    if (stem === '') return op;
    const known = ending !== '' && isKnownOp('aten', stem);
    const name = known ? stem : this.pseudonyms.identifier('op', stem);
    const prefix = /^(?:triton_|nccl:)/.exec(op)?.[0] ?? '';
    return prefix + name + (ending === '' && isBackwardOp(op) ? '_bwd' : ending);
  }

  library(mod: string): string {
    return isKnownLibrary(mod) || isKnownModule(mod) ? mod : this.pseudonyms.identifier('library', mod);
  }

  api(name: string): string {
    return name === '' || isKnownCall(name) || isToolText(name, CALL_WORDS) ? name : this.name('call', name);
  }

  dtype(text: string): string {
    const isKnown = elementType(text) !== null || isToolText(text) || DTYPES.has(text);
    return isKnown ? text : this.pseudonyms.identifier('type', text);
  }

  /** A path of layers: each component between slashes and dots has its own pseudonym. */
  layers(text: string): string {
    if (this.options.keep.has('layers')) return text;
    const hides = hasAddress(text);
    return text.replace(/[^/.]+/g, (component) => (hides ? this.name('layer', component) : this.#layer(component)));
  }

  #layer(component: string): string {
    if (isKnownModule(component)) return component;
    const hash = /^CompiledFxGraph_(\w+)$/.exec(component)?.[1];
    if (hash !== undefined) return `CompiledFxGraph_${this.pseudonyms.letters('graph', hash.slice(0, 8)).slice(0, 8)}`;
    const index = /_\d{1,5}$/.exec(component)?.[0] ?? '';
    const stem = component.slice(0, component.length - index.length);
    const name = this.name('layer', stem);
    return `${name}${SAMPLER.test(stem) ? '_sampler' : ''}${index}`;
  }

  /** A place in the program: `file:line`, `file(line): function`, `nn.Module: Linear_0`. */
  frame(text: string): string {
    if (text.startsWith(MODULE)) return MODULE + this.layers(text.slice(MODULE.length));
    if (this.options.keep.has('sources') || text === '') return text;
    const [, path, number, name = ''] = FRAME.exec(text) ?? [];
    if (path !== undefined && number !== undefined)
      return `${this.path(path)}(${number}): ${this.#function(name, path)}`;
    const [, file, line] = LINE.exec(text) ?? [];
    if (file !== undefined && line !== undefined) return `${this.path(file)}:${line}`;
    if (text.startsWith('<')) return `<${this.pseudonyms.of('function', text)}>`;
    const [, before, after] = /^([^:]{1,500}): (.+)$/s.exec(text) ?? [];
    if (before !== undefined && after !== undefined) return `${this.path(before)}: ${this.#function(after, before)}`;
    return /[/\\]|\.\w{1,4}$/.test(text) ? this.path(text) : this.#function(text, '');
  }

  #function(name: string, path: string): string {
    if (
      isLibraryFunction(name, path.replaceAll('\\', '/')) ||
      /^<(?:module|lambda|listcomp|dictcomp|genexpr|setcomp)>$/.test(name)
    )
      return name;
    return name === '' ? '' : this.pseudonyms.of('function', name);
  }

  /** A file: pseudonyms for its folder and its name. Known files of PyTorch keep their paths from `torch/` on. */
  path(text: string): string {
    if (this.options.keep.has('sources') || text === '' || text === 'na') return text;
    const path = text.replaceAll('\\', '/');
    if (path.startsWith('<')) return isFrozenModule(path) ? text : `<${this.pseudonyms.of('file', path)}>`;
    const place = libraryPlace(path);
    if (place !== null) return this.#inLibrary(path, place);
    const at = path.lastIndexOf('/');
    const folder = at === -1 ? '' : `${this.#folder(path.slice(0, at))}/`;
    const name = path.slice(at + 1);
    return folder + (PYTHON_FILES.has(name) ? name : this.#file(path));
  }

  #inLibrary(path: string, { known, isFile, isRelative }: LibraryPlace): string {
    const at = path.lastIndexOf(known);
    const folder = isRelative ? '' : `${this.#folder(path.slice(0, Math.max(at - 1, 0)))}/`;
    return `${folder}${known}${isFile ? '' : `/${this.#file(path)}`}`;
  }

  #folder(path: string): string {
    return this.pseudonyms.of('path', path);
  }

  #file(path: string): string {
    const extension = EXTENSIONS.exec(path)?.[0] ?? '';
    return `${this.pseudonyms.of('file', path)}${SAMPLER.test(path) ? '-sampler' : ''}${extension}`;
  }

  /** Functions of a native call stack, outermost first. */
  #symbols(text: string): string {
    return text
      .split(FRAME_SEPARATOR)
      .map((frame) => {
        if (frame === '' || /^\[?unknown\]?$/i.test(frame) || frame === '[other stacks]' || isKnownCall(frame))
          return frame;
        const module = /^\[(.*)\]$/s.exec(frame)?.[1];
        return module === undefined
          ? this.pseudonyms.of('function', frame)
          : `[${this.pseudonyms.of('module', module)}]`;
      })
      .join(FRAME_SEPARATOR);
  }

  /** A number at the end identifies a stream or a thread. */
  #thread(text: string): string {
    if (/^(?:(?:stream|thread) )?-?\d{0,10} ?$/.test(text) || THREADS.has(text)) return text;
    const rank = /^MPI Rank \d{1,6}$/.test(text);
    if (rank) return text;
    const number = /-?(?<!\d)\d{1,10}$/.exec(text)?.[0];
    const name = this.pseudonyms.of('thread', text);
    return number === undefined ? `${name}.` : `${name} ${number}`;
  }

  /** The text of a value: a number, a list, a variant of an op. */
  value(text: string): string {
    const plain = text.trim();
    if (plain === '' || NUMBER.test(plain) || isVariant(plain) || elementType(plain) !== null) return text;
    if (/^\d{1,20}$/.test(plain) || /^-?(?:inf|nan)$/i.test(plain)) return text;
    const list = /^\[(.*)\]$/s.exec(plain)?.[1];
    if (list !== undefined && !/[[\]]/.test(list))
      return `[${list
        .split(',')
        .map((item) => this.#item(item))
        .join(',')}]`;
    return this.pseudonyms.identifier('text', text);
  }

  #item(text: string): string {
    return (/^\s*/.exec(text)?.[0] ?? '') + this.value(text.trim());
  }

  /** A copy, a memset, a wait: words for its kind and direction stay. */
  activity(text: string): string {
    if (text === '' || isToolText(text) || isProfilerActivity(text)) return text;
    const words = text.match(/\b(?:HtoD|DtoH|DtoD|PtoP|HtoH|Memcpy|Memset|Pageable|Pinned|Managed)\b/g) ?? [];
    return [this.pseudonyms.of('activity', text), ...words].join(' ');
  }

  /** Operands of an instruction: tokens that are neither numbers nor words of the compiler are replaced one by one. */
  #operands(text: string): string {
    return text.replace(/[^\s,;()[\]{}=<>+*|&!@:]+/g, (token) =>
      NUMBER.test(token) || HEX.test(token) || (!token.includes('/') && isToolText(token, OPERAND_WORDS))
        ? token
        : this.pseudonyms.of('tensor', token),
    );
  }
}

/** Whether a text contains an IPv4 address. Four numbers are taken for a version if the first is below 10. */
const hasAddress = (text: string): boolean =>
  Array.from(text.matchAll(/(?<!\d)(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})(?!\d)/g)).some(
    ([, first, ...parts]) => Number(first) > 9 && [first, ...parts].every((part) => Number(part) < 256),
  );

/** Types of arguments in records and markers. */
const TYPES: ReadonlySet<string> = new Set(
  'tensor ndarray list tuple int float bool str NoneType unknown na dtype device layout memory_format Size slice ellipsis Parameter function method builtin_function_or_method type dict'.split(
    ' ',
  ),
);
/** Types of arguments as PyTorch's profiler names them. */
const DTYPES: ReadonlySet<string> = new Set(
  ['Scalar', 'ScalarList', 'TensorList', 'GenericList', 'Int', 'IntList', 'Double', 'DoubleList', 'Bool', 'BoolList', 'String', 'StringList', 'Device', 'Generator', 'Layout', 'Stream', 'None', 'Dict', 'nullptr (uninitialized)', 'Object', 'Tuple', 'QUInt8', 'QInt8', 'ComplexHalf', 'long int', 'unsigned char', 'signed char', 'short', 'c10::Half', 'c10::BFloat16', 'c10::complex<float>', 'c10::complex<double>', 'c10::Float8_e4m3fn', 'c10::Float8_e5m2', 'c10::Float8_e4m3fnuz', 'c10::Float8_e5m2fnuz'],
); // prettier-ignore
/** Categories of events in traces of PyTorch, in lower case. */
const CATEGORIES: ReadonlySet<string> = new Set(
  'cpu_op operator user_annotation gpu_user_annotation python_function cuda_runtime runtime hip_runtime privateuse1_runtime xpu_runtime mtia_runtime glow_runtime cuda_driver driver privateuse1_driver xpu_driver kernel mtia_ccp_events gpu_memcpy memcpy gpu_memset memset cuda_sync cuda_profiler_range ac2g async async_cpu_to_gpu async_gpu cpu_instant_event external_correlation fwdbwd overhead trace xpu_sync hpu_op collective_comm mtia_workloadd mtia_insight cuda_event gpu_pm_counter'.split(
    ' ',
  ),
);
/** Names of threads and processes that Kineto writes. */
const THREADS: ReadonlySet<string> = new Set([
  '',
  'Spans',
  'Traces',
  'PyTorch Profiler',
  'Trace PyTorch Profiler',
  'CPU functions',
  'python',
  'python3',
  'CPU',
  'GPU',
]);

/** An equation of einsum with its letters in order of first use: `bhqd,bhkd->bhqk` has the meaning of `abcd,abed->abce`. */
function relettered(text: string): string {
  if (!/^[A-Za-z., ]{1,200}(?:->[A-Za-z. ]{0,100})?$/.test(text)) return '';
  const known = new Map<string, string>();
  const letters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ';
  return text.replace(/[A-Za-z]/g, (letter) => {
    const found = known.get(letter) ?? letters.charAt(known.size);
    known.set(letter, found);
    return found;
  });
}
