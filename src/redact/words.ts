/**
 * Words that are kept, because they come from profilers, frameworks and vendors and not from the user. A text that consists
 * of such words and numbers is the name of a metric, a unit, an argument, an engine or an option.
 */
const setOf = (words: string): ReadonlySet<string> => new Set(words.split(' '));

/** Words of profilers' metrics, labels, options and units, and of arguments of ops, in lower case. */
const TOOL_WORDS = setOf(
  'acc access accessed achievable activate activation active activities activity add after agent ai aic aicore aiv aivec alpha align all allocate allocated allocation allocator ami amount and anti api app append application approximate ar area arg args arithmetic ascend async at atomic attention attn attr availability average avg axi axis backend bandwidth bank barrier batch benchmark beta bf bfc bfloat bias bir blas block blocks body bool breakdown broadcast buffer buffers build busy but bw bytes c cache called calls capture captured category causal cc ceil channel channels clock clone code collective collectives cols common communication compiler completed component compute compression config conflict constants context contiguous convolution copies copy core cores corr corrected correlation corners correction cores cos count counter counters cpu crc cross cube cuda cudnn current cursor cycle cycles d data db ddr decoder dependencies dependency dependent dest destination detect deterministic device devices diag dilation dim dims direct direction disable distributed dma domain done double dram driver dropout dst dt dtype dur duration dynamic e ea ecc edge effective elapse element elements embedding enable enabled end engine engines entries env epsilon eps equation err error estimated estimate event events exclude execution exp expand expert exponent export external factor failed features fetch field fields file fill finished first fixpipe flag flash flatten float flop flops flow fn forward format formats fp fractal fraction free freq frequency from full func fused fusion gamma gb gc ge generator generic gib global gp gpsimd gpu gradient grad graph grbm grid groups gui h half hardware has hash hbm hccs hdmi header heads heap held hf hfu hidden hip hit hlo host hpu hw hwc hz icache id idle ids ignore idx impl implementation in include incorrect index indices info initialised inner inplace input inputs inst instance instruction instructions int intensity interconnection interpolation invariant inverse io irq is iteration jax jaxlib k keep keepdim kernel key keys kind l label labels lambda large largest last latency layer layers layout ldsbank left len length lengths level lib limit linear list lite llc lnc load loaded local location log logical logits logs loop low lower lr lvl m mac manual margin mask mata matmul matrix max mb mbu mc me mean mem memory mesh metadata metric metrics mfu mhz mib min minimum mips miss missing missed mix mixed mm mode model models module modules momentum ms msprof mstx mte multi n name names nan native nb nc nccl nchw ncl nd need needed negative nesterov neuron neuroncore next nhwc nice node noise none non norm normalized not npu ns ntff null num number numerical nz obj occupancy of offset offsets on op opcode operands opt option options ops or ordered ost other others out outer output outputs overhead overlap p packet padding page paged parallel parameter parameters partial partition pass pc pci pcie pe peak pending penguin per percent percentile period phase physical pid pin pinned pipe pipeline pmc pool pooled port pos position power precision prefix prefill probability process product profile profiler profiling proj ps psum pt pta pth ptr q qk qkv qos query queue queues r random range rank ranks rate ratio read reads real recompute record recorded reduce reduction ref region register registers regular relative release reload repeat repeated replicated report request requests reserved residual resident results ret return reverse right ring rings root rotary rounding row rows rt run running runtime s samples sampling save sb sbuf scalar scale scales schedule scheduler schema sclk scratch scratchpad second seconds segment segments self semaphore seq sequence sf sg shape shapes shared shift side sigmoid sign signed simd simplification sin since single size sizes skip slice slope slot smooth sm sms soft softirq softmax software sorted source spacing sparse spill split splits sq sqe square squeeze sram src stable stack stacks stage stalled start starts state static stats std stdio step steps stop storage str stream streams stride strides structure sub subgraph subnet sum summary summed support swap swapped switch switches symmetric sync synchronization sys system t table tag target task tasks tc tcc tcp temp temperature tensor tensors text threads thread threshold throttle throttled throughput tid time timed timeout to tokens tol top total trace traced tracking train training trans transfer transfers transient transit transpose transposed tuple tx type types ub ucode uint un uncorrected undefined uneven uniform unit units unknown unroll unsqueeze unused update upper upscale us usage use used user util utilization uuid v valid valu value values var variable variant vcpu vec vector version vertex victim vmem w wait waits warmup warp warps wave wavefronts waves weight weighted weights width window with word workspace world write writes x xla xt y z zero zeros zone ' +
    'dtoh htod dtod ptop htoh memcpy memset pageable managed array peer reading activator lazy loading request flush buffer iteration ready uses issued tpu psum pe act pool sp dve dge hwdge swdge sdma udma tpb cluster nvlink rx noc bundle megacore sparsecore barna lanes steps ops modules traceme launcher hbm scs sc xt gelu neff package i perf normal pools lines line sample set work true false allreduce allgather reducescatter alltoall scatter gather send recv reduce coalesced tls chunk os libraries initialization initialize dlopen dlclose cuinit finished created management resource libcuda libcupti context instrumentation exit stream',
);

/** Further words in names of ops of PyTorch and of libraries for it. */
export const OP_WORDS = setOf(
  'general window wrapped jit pjit psum cublas convolution te ffi custom abs accumulate aclnn acos adagrad adam adaptive addcdiv addcmul addmm affine aiter alias allclose along amax amin aminmax amp angle apply arange argmax argsort as asin assert asynchronous atan auto backward backwards bag bartlett base bernoulli binary bincount bitcast bitwise blackman bmm bounds bsc bsr bucketize call cast cat cauchy cdist cell celu check checkpoint cholesky ck clamp codegen col combine comms compatible complete complex conj consecutive constant conv convex coo copysign corrcoef cosh cosine cov cpp csc csr ctc cummax cummin cumprod cumsum custom dense dequantize det detach diagonal diff differentiable dilated dispatch div dot dsplit dstack efficient eig eigh einsum elemt elu embs empty encoder enter entropy eq equal erf erfc exponential eye fake fast fft final finite flip floating floor fmax fmin fmod fold for foreach frac fresh frexp function functional fwd gate geglu gemm general geometric glu group groupnorm gru gt hamming hann hardshrink hardsigmoid hardswish hardtanh head heaviside hfft hfp hinge histc hsplit hstack huber hypot iadd ifft im imag inf interleave interpolate irfft isclose isin isnan isneginf isposinf istft item jagged kaiser kl kron kv l2norm lamb ldexp le leaky lerp lift like linalg linspace logaddexp logit logspace logsumexp lookup loss lshift lstm lstsq lt lu mamba masked math maximum median meshgrid mha miopen mish mkldnn moe movedim mse mul multimem multinomial mx nanmean nansum narrow ne nearest neg nested new nextafter nll nms nonzero noop normal numpy nvfp observer ones pad pairwise param pdist permute pinv pixel poi point poisson polar post pow pre prelu prod put qint qr quant quantize quantized ragged rand randn recat reciprocal red reflection reglu relu remainder renorm replication representation req requires reshape resize resolve response result retain rfft rms rmsnorm rnn rocm roi roll rope rot round router rowwise rrelu rshift rsqrt rsub sampler scaled scan sdpa select selecting selective selu sgd shallow shuffle signbit silu similarity sinh slogdet softplus softshrink solve sort splt sqrt ssm stft store strided svd swiglu take tanh tensordot tensorinv tile topk trapezoid tril triplet triton triu truediv trunc truncation unbind unflatten unfold unified unique unpool unquantized unsafe unscale upsample utils vander varlen view vsplit vstack weak where wrapped wv xor ynn',
);

/** Further words in names of calls of the libraries of devices, apart from those of CUPTI. */
export const CALL_WORDS = setOf(
  'acl aclnn aclop aclrt adaptive addmm addr address agents alloc alt amd argmax attribute attributes available backward begin big binary bus by call can caps capturing cast clusters comm compile configuration cooperative create ctx cu dec decode desc destroy div divs do dto elapsed enqueue entry eq ex exchange exec executable execute ext extension fat ffts finish flags foreach frame freeze function gen get group handle hcom hsa hto huge image init instantiate invalid isa isas iterate jpeg launch library loss major malloc master mul muls multiprocessor nll nodes object one overflow parse parser peek plus point pointer pools pop primary priority proc program properties push reader relu reset roc scacquire signal stars status symbol synchronize tiling topk unique unload unregister video allgather allgatherv allreduce allreducev alltoallv bcast cublas cudnn finalize hccl hcom irecv isend layernorm lt mpi myelin nvte rccl rmsnorm sendrecv testall waitall',
);

/** Further words in the operands of Neuron's instructions. */
export const OPERAND_WORDS = setOf(
  'accumulator addr always bypass bitwise cmd cmp complete debug disabled divide elem eq explicit flags ge gt high hint imm increment le lt max memset min mult multiply ne negated notification pattern ptr reg relaxed sel sem setter strict subtract',
);

/**
 * What profilers do themselves while a program runs, in lower case: names of CUPTI, Nsight Systems and PyTorch's profiler. Answers
 * depend on some.
 */
const PROFILER_ACTIVITIES: ReadonlySet<string> = new Set([
  ...['activity buffer request', 'buffer flush', 'chunk allocation', 'command buffer full', 'driver compiler'],
  ...[
    'instrumentation',
    'lazy function loading',
    'resource',
    'resource management',
    'runtime triggered module loading',
  ],
  ...['tls allocation', 'unknown', 'unrecognized', 'uvm activity init', 'profiling initialization'],
  ...['profiling data flush', 'profiling data flush overhead'],
  ...[
    'profiling data flush on context created',
    'profiling data flush on cuinit finished',
    'profiling data flush on process exit',
  ],
]);
const OF_PROFILER = /^(?:(?:cupti:?|cuda|os runtime libraries|opengl|nvtx(?: early)?|cuda backtrace) )?/;

/** Whether a text names an activity of a profiler. */
export function isProfilerActivity(text: string): boolean {
  const name = text.toLowerCase();
  return PROFILER_ACTIVITIES.has(name.replace(OF_PROFILER, ''));
}

/** Words of groups of ranks: kinds of parallelism in Megatron-LM, DeepSpeed, PyTorch and vLLM. */
const GROUP_WORDS = setOf(
  'default pg undefined mesh world group tensor model data pipeline expert context sequence parallel embedding embd position tp dp pp cp ep sp mp mdp moe fsdp shard shards replicate hsdp zero ulysses ring attn with and inter intra node local global gloo nccl partial optimizer distributed instance optim dense all gather cpu device weight last first stage',
);

/** Words of the names of devices. */
const DEVICE_WORDS = setOf(
  'nvidia geforce rtx gtx titan tesla quadro graphics device amd radeon instinct pro vii intel arc data center flex max gpu xe google tpu aws huawei ascend trainium inferentia meta mtia sxm pcie nvl super ti laptop ada generation hbm gb grace hopper blackwell server edition workstation cpu host virtual mig v xtx xt xl oam gaudi series navi vega with q design vf dgxs ac lite r tm rx gre ai hl or dgx spark jetson agx orin thor drive xavier nano nx tegra nvgpu cmp grid iris uhd ryzen strix halo apple m ultra mini refresh rubin',
);

/** Texts of arguments that select a variant of an op. */
const VALUE_WORDS = setOf(
  'mean sum none max min batchmean constant reflect replicate circular zeros border nearest nearest-exact bilinear bicubic trilinear linear area zero tanh relu gelu sigmoid silu same valid cpu cuda hip npu xpu meta fro nuc floor trunc left right upper lower reduced complete r string strided sparse_coo fp32 tf32 fp16 bf16 fp8 fp4 int8 auto fp8_e4m3 fp8_e5m2 nhd hnd neox gptj bshd bshd_bshd_bshd sbhd thd prod amax amin mul add sub div uint8 float16 bfloat16 float32 float64 int32 int64 int16 bool half float double long int byte char short layout device backward forward ortho true false nchw nhwc contiguous channels_last preserve concatenate dot bitcast parameter convert broadcast reshape transpose slice reduce fusion copy tuple get-tuple-element iota compare select convolution exponential divide multiply subtract maximum minimum rsqrt sqrt log negate and or not pad dynamic-slice dynamic-update-slice gather scatter all-reduce all-gather reduce-scatter all-to-all custom-call rng while conditional map sort __cudnn$convforward __cublas$gemm __cublas$lt$matmul te_fused_attn_backward_ffi te_fused_attn_forward_ffi',
);

/** Libraries whose ops are kept: namespaces of the dispatcher, and modules as markers of PyProf name them. */
export const LIBRARIES = setOf(
  'aten prim prims prims_xla c10d c10d_functional _c10d_functional _dtensor nccl torch torch::autograd torch::jit torch::distributed torch.nn.functional torch.nn torch.cuda torch.optim Tensor functional quantized quantized_decomposed torchvision torchaudio torchtext fbgemm fbgemm_gpu flash_attn _flash_attn _flash_attn_forward flash_attn_3 xformers xformers_flash apex amp_C mkldnn mkldnn_prepacked onednn profiler static triton inductor vllm _C _C_cache_ops _moe_C _vllm_fa2_C _vllm_fa3_C _C_custom_ar sgl_kernel sglang sglang_profiler npu hpu xpu aiter hipblaslt _rocm_C rocm cuda transformer_engine te _inductor_test autograd c10 bitsandbytes torchao mamba_ssm deep_gemm deep_ep flashinfer tex XLA xla rpc caffe2 onnx tensorrt_llm trtllm symm_mem math na fb hlo jax c10::cuda',
);

/** Classes of modules of PyTorch, and of wrappers of models. */
const MODULE_CLASSES = setOf(
  'Module Sequential ModuleList ModuleDict ParameterList Identity Linear Bilinear LazyLinear NonDynamicallyQuantizableLinear Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d ConvTranspose3d MaxPool1d MaxPool2d MaxPool3d AvgPool1d AvgPool2d AvgPool3d AdaptiveAvgPool1d AdaptiveAvgPool2d AdaptiveAvgPool3d AdaptiveMaxPool2d BatchNorm1d BatchNorm2d BatchNorm3d SyncBatchNorm GroupNorm LayerNorm RMSNorm InstanceNorm1d InstanceNorm2d LocalResponseNorm ReLU ReLU6 LeakyReLU PReLU ELU SELU CELU GELU SiLU Mish Sigmoid Tanh Softmax LogSoftmax Hardswish Hardsigmoid Softplus GLU Dropout Dropout1d Dropout2d Dropout3d AlphaDropout Embedding EmbeddingBag RNN LSTM GRU RNNCell LSTMCell GRUCell Transformer TransformerEncoder TransformerDecoder TransformerEncoderLayer TransformerDecoderLayer MultiheadAttention CrossEntropyLoss NLLLoss MSELoss L1Loss BCELoss BCEWithLogitsLoss KLDivLoss SmoothL1Loss Flatten Unflatten Upsample PixelShuffle PixelUnshuffle ZeroPad2d ReflectionPad2d ConstantPad2d Fold Unfold DataParallel DistributedDataParallel FullyShardedDataParallel OptimizedModule GradScaler',
);

/** Optimizers of PyTorch and Apex. */
export const OPTIMIZERS = setOf(
  'SGD Adam AdamW Adamax Adagrad Adadelta RMSprop Rprop ASGD LBFGS NAdam RAdam SparseAdam Adafactor Muon FusedAdam FusedSGD FusedLAMB FusedNovoGrad LAMB Lion',
);

/** Packages of PyTorch, whose files and functions are kept in call stacks. */
export const TORCH_PACKAGES =
  '_C|_custom_op|_decomp|_dispatch|_dynamo|_export|_functorch|_higher_order_ops|_inductor|_library|_lazy|_logging|_numpy|_ops|_prims|_prims_common|_refs|_subclasses|amp|ao|autograd|backends|compiler|cpu|cuda|distributed|distributions|export|fft|func|futures|fx|jit|linalg|masked|mps|multiprocessing|nested|nn|onnx|optim|package|profiler|quantization|random|sparse|special|testing|utils|xpu';

/** Words in the names of files, folders and functions of PyTorch, in lower case. */
export const FILE_WORDS: ReadonlySet<string> = new Set([
  ...OP_WORDS,
  ...TORCH_PACKAGES.toLowerCase().split(/[|_]/),
  ...'algorithms aot api apex autocast autotune batchnorm builder bytecode cache codecache collate compile container contextlib convert cpp cudagraph cudagraphs cupti dataloader datapipes dataset ddp debug decorators deepcopy distributed dtensor environment eval extension fetcher flat flex frame fsdp fully fuser graphs guard guards heuristics hook hooks impl init inner instancenorm internal interpreter join launcher logger monitor mutation normalization nvmarker nvtx optimizer optimizers overrides pickler placement pooling proxy py pyprof python pytree redistribute registration rnn rprop rmsprop nadam radam adadelta asgd adamw adamax lbfgs muon scheduler script serialization sgd sharded sharding signal source spawn standalone subproc symbolic sympy tensorboard torch tracing traceback trees typing variables vf worker wrapper wrappers zoo attr setattr getattr new missing iter len del dict repr exit enter thread reentrant unpack hook hooks fn inner wrapper wraps guarded get is has set try maybe on before after process check make run dispatch python handle'.split(
    ' ',
  ),
]);

/** Further words in the names of ranges of FSDP and NCCL. */
export const RANGE_WORDS: ReadonlySet<string> = new Set([
  ...OP_WORDS,
  ...'accumulate fsdp hook hooks hsdp inter intra limiter lazy init offload post pre prefetch prefetched reshard reduced rs shard sharded unshard wrapped kwargs'.split(
    ' ',
  ),
]);

/** Further words in the names of kernels. */
export const KERNEL_WORDS: ReadonlySet<string> = new Set([
  ...OP_WORDS,
  ...'aligned batched bias bwd cast chunked combine convolve cta deformable dgrad dynamic elementwise epilogue ffma fill filter fma fmha fprop fragment gemv gridwise grouped igemm indexed infer kernel mfma mma multistage nhwc nn nt nvfuser one persistent plain pointwise rf sgemm hgemm dgemm cgemm zgemm splitk stage stages swizzle tn tt tail tile transform tem unk unroll vectorized warpgroup wgrad winograd xdl xmma'.split(
    ' ',
  ),
]);

/** Files of Python's standard library that are kept in call stacks. */
export const PYTHON_FILES = setOf('threading.py contextlib.py runpy.py functools.py');

/** Calls of operating systems and C libraries that profilers trace. */
export const SYSTEM_CALLS = setOf(
  'read readv pread pread64 write writev pwrite pwrite64 open open64 openat openat64 creat close fopen fopen64 fdopen fclose fflush fread fwrite fgets fgetc fgets_unlocked fread_unlocked fwrite_unlocked fputs fputs_unlocked fputc fputc_unlocked fputwc getc getdelim getline putc puts process_vm_readv ioctl fcntl poll ppoll select pselect epoll_wait epoll_pwait mmap mmap64 munmap mprotect msync mremap madvise brk sbrk fork vfork clone wait waitpid wait3 wait4 waitid kill raise signal sigaction sigwait sigwaitinfo sigtimedwait sleep usleep nanosleep clock_nanosleep sched_yield flock lockf dup dup2 dup3 pipe pipe2 socket socketpair bind listen accept accept4 connect send sendto sendmsg sendmmsg recv recvfrom recvmsg recvmmsg shutdown fsync fdatasync syncfs sync ftruncate truncate fallocate posix_fallocate stat stat64 fstat lstat unlink rename mkdir opendir readdir getrandom eventfd eventfd_read eventfd_write futex backtrace malloc free calloc realloc memcpy memset dlopen dlclose exec execve popen pclose tcdrain splice tee vmsplice sendfile sendfile64 sem_wait sem_timedwait sem_trywait sem_post sem_clockwait mq_send mq_receive msgrcv msgsnd semop semtimedop pause swapon swapoff mlock mlockall munlock exit _exit main start_thread clone3 __libc_start_main _start',
);

const NO_WORDS: ReadonlySet<string> = new Set();

/** Words of camel case. */
export const WORD = /[A-Z]{1,40}(?![a-z])|[A-Z]?[a-z]+/g;
/** Numbers that are longer may be telephone numbers or ids; several with dots may be addresses. */
const LONG_NUMBER = /\d{7}|\d{1,6}\.\d{1,6}\.\d/;
/** Addresses and hashes: groups of hexadecimal digits, and long words in which digits and letters alternate. */
const HEXADECIMAL =
  /(?:[\da-f]{1,4}:){3}|[\da-f]{8}-[\da-f]{4}-|[\da-f]{16}|(?<![\da-z])(?=[\da-z]{10})[a-z]*\d{1,9}[a-z]{1,9}\d{1,9}[a-z]{1,9}\d/i;
const ASCII = /^[\x20-\x7e]*$/;
const LONGEST = 200;

function isMadeOf(text: string, isKnown: (word: string) => boolean): boolean {
  if (text.length > LONGEST || !ASCII.test(text) || /[@\\]|:\/\//.test(text)) return false;
  if (LONG_NUMBER.test(text) || HEXADECIMAL.test(text)) return false;
  return (text.match(/[A-Za-z]+/g) ?? []).every((run) => isKnown(run) || (run.match(WORD) ?? []).every(isKnown));
}

/**
 * Whether a text consists of words of tools, numbers and signs.
 * @param others further words
 */
export const isToolText = (text: string, others: ReadonlySet<string> = NO_WORDS): boolean =>
  isMadeOf(text, (run) => {
    const word = run.toLowerCase();
    return TOOL_WORDS.has(word) || others.has(word);
  });

/** Whether a text describes a group of ranks in the words of frameworks. */
export const isGroupText = (text: string): boolean => isMadeOf(text, (word) => GROUP_WORDS.has(word.toLowerCase()));

/** Model numbers: `A100`, `MI300X`, `SXM4`, `40GB`, `v6e`, `NC`. */
const MODEL = /^(?:[A-Za-z]{0,3}\d{1,4}[A-Za-z]{0,3}\d?|NC|v\d\w?)$/;

/** A part of an NVIDIA device: `3g.40gb` */
const INSTANCE = /^\d{1,2}g\.\d{1,3}gb$/i;
/** The number of a model behind a word: `910B2` in `Ascend910B2`. */
const NUMBER_OF_MODEL = /\d{1,4}[a-z]?(?:\d[a-z]?)?$/;

const isDeviceWord = (word: string): boolean =>
  word === '' ||
  MODEL.test(word) ||
  INSTANCE.test(word) ||
  DEVICE_WORDS.has(word.toLowerCase().replace(NUMBER_OF_MODEL, ''));

/** Whether a text is the name of a device. */
export const isDeviceName = (text: string): boolean =>
  text.length <= 80 && ASCII.test(text) && text.split(/[\s_/()[\]-]+/).every(isDeviceWord);

/** Whether the text of an argument selects a variant of an op. */
export const isVariant = (text: string): boolean =>
  VALUE_WORDS.has(text.toLowerCase().replace(/^torch\.|:\d{1,3}$/g, ''));

/** Whether a component of a layer's path is a number or a class of PyTorch, such as `Linear_3`. */
export const isKnownModule = (component: string): boolean =>
  /^\d{0,5}$/.test(component) || MODULE_CLASSES.has(component.replace(/_\d{1,5}$/, ''));
