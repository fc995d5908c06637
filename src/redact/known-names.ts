/** Names of ops, calls and kernels that libraries define. */
import { KERNEL_FAMILIES } from '../ops/kernels/kernel-families.js';
import { familyOf } from '../ops/table.js';
import { DRIVER_API, RUNTIME_API } from '../parse/readers/cupti/api-names.js';
import { isLookup } from '../record/python/marker-text.js';
import {
  CALL_WORDS,
  isToolText,
  KERNEL_WORDS,
  LIBRARIES,
  OP_WORDS,
  SYSTEM_CALLS,
  TORCH_PACKAGES,
  WORD,
} from './words.js';

const IDENTIFIER = /^[A-Za-z_][\w.-]{0,99}$/;
const GENERATED = /^triton_(?:poi|red|per|for|tem|unk|mm|bmm)_\w{1,200}$/;
/** A range of PyTorch for a collective, by its backend: `nccl:all_reduce`, `nccl:recv 0<-1` */
const COLLECTIVE = /^(?:nccl|gloo|mpi|ucc|rccl|hccl|xccl):(\w{1,40})(?: \d{1,5}(?:->|<-)\d{1,5})?$/;

/** Nodes of autograd that are not ops, by their C++ classes. */
const NODES: ReadonlySet<string> = new Set([
  'AccumulateGrad',
  'GraphRoot',
  'CopySlices',
  'UndefinedGrad',
  'Error',
  'Identity',
]);
/** A node of autograd: its op, `Backward` and a number. */
const NODE = /^([A-Z]\w{0,80}?)Backward\d{1,2}$/;

const isTabled = (mod: string, op: string): boolean => {
  const family = familyOf({ mod, op, args: [] });
  return family !== null && (!op.startsWith('triton') || GENERATED.test(op));
};

/** `NativeLayerNorm` → `native_layer_norm` */
const snakeCase = (name: string): string =>
  name.replace(/(?<=[a-z\d])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/g, '_').toLowerCase();

/** Namespaces of PyTorch in C++, and as its markers write them. */
const NAMESPACE = /^(?:torch|at|c10|c10d)(?:(?:::|\.)[A-Za-z_]{1,30}){1,4}$/;
const NAMESPACES: ReadonlySet<string> = new Set([
  ...[
    'torch',
    'at',
    'c10',
    'c10d',
    'native',
    'detail',
    'impl',
    'ops',
    'modules',
    'functional',
    'reducer',
    'ddp',
    'rpc',
  ],
  ...[
    'dynamo',
    'inductor',
    'data',
    'functorch',
    'Tensor',
    '_VariableFunctions',
    'compiled_autograd',
    'api',
    'symm_mem',
  ],
  ...['library', 'indexing', 'meta', 'hip', 'mkldnn', 'quantized', 'executorch', ...TORCH_PACKAGES.split('|')],
]);
/** Ops that have no namespace. */
export const BARE_OPS: ReadonlySet<string> = new Set(['record_param_comms', 'detach', 'detach_']);

/** Whether a namespace or module is that of a known library. */
export const isKnownLibrary = (mod: string): boolean =>
  LIBRARIES.has(mod) || mod === '' || (NAMESPACE.test(mod) && mod.split(/::|\./).every((part) => NAMESPACES.has(part)));

/** Whether a text names a collective operation of a backend of PyTorch. */
export function isCollective(text: string): boolean {
  const operation = COLLECTIVE.exec(text)?.[1];
  return operation !== undefined && isToolText(operation, OP_WORDS);
}

/** Whether an op of a module is one that a known library defines; functions of the program are not. */
export function isKnownOp(mod: string, op: string): boolean {
  if (COLLECTIVE.test(op)) return isCollective(op);
  if (GENERATED.test(op)) return true;
  if (!IDENTIFIER.test(op)) return false;
  if (BARE_OPS.has(op) || isLookup({ op }) || isTabled(mod, op) || isKnownNode(op)) return true;
  // A function in C++ is in the tables by the name of its node.
  if (mod === 'autograd') return isTabled(mod, `${op}Backward`);
  return mod !== '' && mod !== 'na' && isKnownLibrary(mod) && isToolText(op, OP_WORDS);
}

/** Whether a name is a node of PyTorch's autograd, with or without `Backward0` at its end. */
export function isKnownNode(name: string): boolean {
  if (NODES.has(name)) return true;
  const op = snakeCase(NODE.exec(name)?.[1] ?? (/^[A-Z]\w{1,80}$/.test(name) ? name : ''));
  return (
    op !== '' &&
    ['', '_', 'native_'].some((prefix) => isTabled('aten', prefix + op) || isTabled('aten', `${prefix + op}_`))
  );
}

/** Words of the calls of CUDA, which HIP and others use too. */
const CALLS: ReadonlySet<string> = new Set([
  ...((DRIVER_API + RUNTIME_API).match(WORD) ?? []).map((word) => word.toLowerCase()),
  ...CALL_WORDS,
  ...OP_WORDS,
]);
/** Prefixes of the functions of vendors' libraries. */
const CALL =
  /^(?:__)?(?:cuda|cu|cudnn|cublas|cublasLt|cusparse|cusolver|cufft|nvrtc|nvtx|hip|hsa|rocm|roctx|roctracer|rocblas|hipblas|hipblaslt|miopen|nccl|mscclpp|rccl|acl|aclrt|aclnn|aclop|hccl|hcom|Hccl|Hcom|rt|npu|ze|zes|ur|nv|MPI|mpi|ucp|uct|nvshmem|ibv|nrt|nvte|myelin|xla|Xla)(?:_?[A-Z_]|_)\w{0,80}$/;
const HIP_CALL = /^__hip[A-Z]\w{1,60}$/;
/** Calls for threads, semaphores, queues and asynchronous I/O. */
const POSIX = /^(?:pthread|sem|epoll|mq|aio|io)_(?:[a-z]{2,12}_?){1,4}\d?$/;
const POSIX_WORDS: ReadonlySet<string> = new Set('pthread sem epoll mq aio io cond wait timedwait mutex lock unlock trylock timedlock signal broadcast create join tryjoin timedjoin np rwlock rdlock wrlock timedrdlock timedwrlock spin barrier once kill cancel yield post trywait open close unlink pwait ctl receive send timedreceive timedsend suspend read write fsync error return clockwait clocklock clockjoin init destroy getevents pgetevents submit setup enter uring exit self detach'.split(' ')); // prettier-ignore

/** Whether a name is a call of a device's library or of the operating system. */
export function isKnownCall(name: string): boolean {
  if (SYSTEM_CALLS.has(name)) return true;
  if (POSIX.test(name)) return name.split(/[_\d]+/).every((word) => word === '' || POSIX_WORDS.has(word));
  return (CALL.test(name) || HIP_CALL.test(name)) && isToolText(name, CALLS);
}

const LONGEST_KERNEL = 16 * 1024;
/** Parts of paths, addresses and assignments, which names of functions do not contain. */
const NO_FUNCTION = /[^\x20-\x7e]|[/\\@]|\w=\w|\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}|(?:[\da-f]{2}:){4}/i;
const SENTENCE = /(?:^|[^,>*&)])(?: [a-z]+){3}/;

/** Whether a text can be the name of a kernel, which is a function or was made by a compiler. */
export const isKernelName = (name: string): boolean =>
  name.length <= LONGEST_KERNEL && !NO_FUNCTION.test(name) && (!SENTENCE.test(name) || /[<(]/.test(name));

/** Namespaces of libraries' kernels. */
const KERNEL_NAMESPACE =
  /^(?:at|c10|torch|cub|thrust|cuda|std|rocprim|hipcub|ck|ck_tile|miopen|vllm|flash|pytorch_flash|flashinfer|tensorrt_llm|fbgemm_gpu|aiter|sgl_kernel|deep_gemm|deep_ep|xformers|transformer_engine|apex|moe|cute|epilogue|internal|const|fmha|symmetric_memory|T\d|(?:cutlass|cudnn|cublas|cublasLt|cask)(?:_\w{0,80})?)$/;
/** Prefixes of names that compilers of libraries make. */
const KERNEL_PREFIX =
  /^(?:nccl(?:Dev|[A-Z][A-Za-z]{1,30})?Kernel_|rccl(?:Dev)?Kernel_|nvjet_|sm\d{2,3}_xmma_|(?:maxwell|pascal|volta|turing|ampere|hopper)_|cutlass_|cudnn_|cunn_|(?:Custom_)?Cijk_|__amd_rocclr_|igemm_|gemmSN_|gemv|dot_kernel|fmha_cutlass|fmhaSm\d|nvfuser_(?:pointwise|reduction|inner|outer|persistent)|batched_transpose_\d|transpose_[CNHW]{4}2|split_embedding_(?:forward|backward)_|miopen|MIOpen)/;
/** Prefix of the kernels of Triton. */
export const TRITON = 'triton_';

const ANONYMOUS = /\(anonymous namespace\)|<unnamed>|\(anonymous\)/g;

/** The name of a function with its namespaces, without result, parameters and template arguments. */
function functionName(name: string): string {
  let [depth, kept] = [0, ''];
  for (const sign of name.replace(ANONYMOUS, '_')) {
    if ('<(['.includes(sign)) depth++;
    else if ('>)]'.includes(sign)) depth--;
    else if (depth === 0) kept += sign;
  }
  const words = kept.trim().split(/\s+/);
  return (words.at(-1) ?? '').replace(/^(?:_::)+/, '');
}

/** The outermost namespaces of all names in the name of a kernel. */
const namespacesIn = (name: string): string[] =>
  Array.from(name.replace(ANONYMOUS, '_').matchAll(/(?<![\w:])([A-Za-z]\w*)::/g), ([, namespace = '']) => namespace);

/** Whether a kernel comes from a known library, by the name of its function. */
export function isLibraryKernel(name: string): boolean {
  const called = functionName(name);
  if (!namespacesIn(name).every((namespace) => KERNEL_NAMESPACE.test(namespace))) return false;
  if (
    KERNEL_PREFIX.test(called) ||
    (called.includes('::') && KERNEL_NAMESPACE.test(called.slice(0, called.indexOf('::'))))
  )
    return true;
  const isKnown = isToolText(called, KERNEL_WORDS);
  return isKnown && (called.startsWith(TRITON) || KERNEL_FAMILIES.some(({ pattern }) => pattern.test(called)));
}
