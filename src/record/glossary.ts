/**
 * The terms of answers about any profile, each with one meaning, for `dprof terms`, the page's hover texts and the
 * docs.
 */

export interface GlossaryTerm {
  readonly term: string;
  /** One or two sentences. */
  readonly meaning: string;
  readonly unit?: 'ns' | 'bytes' | 'bytes/s' | 'FLOP' | 'FLOP/s' | 'FLOP/byte' | 'fraction' | 'count' | 'tokens/s';
  /** Denominator of its shares. */
  readonly shareOf?: string;
  readonly formula?: string;
}

const SPAN = 'span';
const KERNEL_TIME = 'kernel time';

const terms = {
  // The time of a device. Lengths are those of unions: what runs at the same time counts once.
  span: { meaning: 'Time from the first work of a device to the end of its last, inside steps and between them. Shares are of the spans of all devices, added up; the key figure of a page lasts from the first work of any device to the end of the last.', unit: 'ns' },
  busy: { meaning: 'Time in which a device runs at least one kernel, collective, copy or memset.', unit: 'ns', shareOf: SPAN },
  idle: { meaning: 'Time in the span in which a device runs nothing. Time between steps is idle time too; the start of the first step on the CPU, before the first work, is not.', unit: 'ns', shareOf: SPAN, formula: 'span - busy - missing' },
  'idle of a step': { meaning: 'Time in the span of the step in which the device runs nothing at all. Work of other steps is not idle time.', unit: 'ns', shareOf: 'span of the step' },
  compute: { meaning: 'Time in which at least one kernel runs that does not communicate. A graph launch traced as a whole counts as compute.', unit: 'ns', shareOf: SPAN },
  communication: { meaning: 'Time in which at least one collective or message between devices runs.', unit: 'ns', shareOf: SPAN },
  'exposed communication': { meaning: 'Communication while no compute runs. Copies may run.', unit: 'ns', shareOf: SPAN },
  'copies and memsets': { meaning: 'Time in which at least one copy or memset runs.', unit: 'ns', shareOf: SPAN },
  'rate of copies': { meaning: 'Bytes of all copies of one kind, divided by the time in which at least one of them runs on a device. The time next to it is the sum of their durations.', unit: 'bytes/s' },
  'exposed copies': { meaning: 'Copies while neither compute nor communication runs (copiesAlone), and memsets while nothing else runs (setsAlone).', unit: 'ns', shareOf: SPAN },
  missing: { meaning: 'Time without recorded work in which the device may have worked: after a launch whose work is missing from the profile, although later work of the same thread is recorded; and after the start of work with an unknown end, until the next work of its stream. It is neither busy nor idle, and MFU is unknown.', unit: 'ns', shareOf: SPAN },
  'idle in waits': { meaning: 'Idle time during which the profile reports a wait of the CPU or of a stream. Unknown where work is missing.', unit: 'ns', shareOf: SPAN },
  gap: { meaning: 'A period in which a device is idle between two pieces of work.', unit: 'ns' },
  'cause of idle time': { meaning: 'What kept a device waiting in a gap: the CPU launching, loading data, waiting for copies or doing something else, queued kernels, engines that wait for semaphores, or a program that waits for transfers that it started. Each gap has one cause. queue and transfer are the same in dprof summary; host there is all causes except these and launches that were not recorded.' },
  'launch-bound': { meaning: 'Idle time that ended with work launched after the device had run out of work (gaps.host). It counts as queued (gaps.queue) if other work was already launched, or if the new work waited over 1 ms and longer than the CPU was late. A gap over 20 us is launch-bound if a launch call over 1 ms fills most of it.', unit: 'ns', shareOf: SPAN },

  // Kernels.
  kernel: { meaning: 'A program that a device runs for one launch. On AWS Neuron, an instruction of an engine.' },
  'kernel time': { meaning: 'Durations of kernels, added up over all devices. It may exceed the span, because kernels may overlap.', unit: 'ns' },
  'own kernel time': { meaning: "Durations of the kernels that the step's own thread launched, added up. Threads of autograd are left out.", unit: 'ns' },
  launch: { meaning: 'The call on the CPU that starts a kernel, a copy or a graph.' },
  'launch delay': { meaning: 'Time from the end of a launch call to the start of its kernel; 0 where the kernel starts earlier. Column queue.', unit: 'ns' },
  'launch latency': { meaning: 'Time from the start of a launch call to the start of its kernel.', unit: 'ns' },
  graph: { meaning: 'Work that is captured once and launched as a whole: a CUDA or HIP graph.' },
  op: { meaning: 'A call of the framework, such as aten::mm, that launched kernels.' },
  'without op': { meaning: 'Time of the kernels that could not be matched to an op.', unit: 'ns', shareOf: KERNEL_TIME },
  layer: { meaning: 'A module of the model, such as encoder.0.attention, whose call was on the stack at the launch.' },
  range: { meaning: 'A named period of time on the CPU: an op, an NVTX or rocTX range, an annotation of the user.' },
  stream: { meaning: 'A queue of a device. Its work runs in order; work of different streams may overlap.' },
  category: { meaning: 'What a kernel computes: matrix products, attention, normalization, communication and others. It follows from the op where that is known, else from the name.' },
  sequence: { meaning: 'Kernels that follow one another on a stream, in the same order several times. One fused kernel could replace each occurrence.' },
  'saved by fusing': { meaning: 'The most time that could be saved by replacing each occurrence of a sequence with one fused kernel: the time of kernels under 10 us, and the gaps between the kernels. Column saved of dprof sequences.', unit: 'ns' },
  region: { meaning: 'A part of the program: an annotation or a layer on the CPU, with the work that was launched in it, or all steps.' },
  pass: { meaning: 'One range of a region, or one step. A range inside another of the same name belongs to the pass of the outer one.' },
  'span of a pass': { meaning: 'Time from the first device work of a pass to the end of its last.', unit: 'ns' },
  'own time': { meaning: 'The part of the time of a tree row that is in none of the rows below it.', unit: 'ns' },
  total: { meaning: 'Durations in a row of --by, added up. On AWS Neuron it includes instructions that only wait, which kernel time leaves out.', unit: 'ns' },

  // Work and peaks.
  FLOP: { meaning: 'Floating-point operation. A multiply-add counts as two.', unit: 'FLOP' },
  peak: { meaning: 'The highest rate of the unit that a kernel ran on, in its element type, without sparsity, as the vendor states it.', unit: 'FLOP/s' },
  MFU: { meaning: 'Model FLOPs utilisation: the time that the known FLOPs need at peak, divided by the span of all devices. Unknown FLOPs count as 0, so it is a lower bound. An op computed again counts again; for AWS Neuron it is the metric of the vendor, which leaves out transposes.', unit: 'fraction', shareOf: SPAN, formula: 'sum of (FLOPs / peak) / span' },
  HFU: { meaning: 'Hardware FLOPs utilisation of AWS Neuron: the FLOPs that the device ran, transposes included, as a share of its peak.', unit: 'fraction', shareOf: 'peak' },
  'of peak FLOP/s': { meaning: 'Mean share of the peak FLOP/s while kernels with known FLOPs and bytes run (computeShare).', unit: 'fraction', shareOf: 'time of these kernels', formula: 'sum of (FLOPs / peak) / sum of durations' },
  'of peak bandwidth': { meaning: "Mean share of the memory's peak bandwidth while kernels with known FLOPs and bytes run (memoryShare). Above 100 % where operands came from the cache.", unit: 'fraction', shareOf: 'time of these kernels', formula: 'sum of (bytes / peak) / sum of durations' },
  roofline: { meaning: 'The bound on FLOP/s for each arithmetic intensity: the peak FLOP/s, or intensity times peak bandwidth where that is less.' },
  'arithmetic intensity': { meaning: 'FLOPs per byte read or written.', unit: 'FLOP/byte' },
  'bound by': { meaning: 'The resource whose peak a kernel is closest to: compute or memory. Bound by latency: below 10 % of the peaks of both, as the kernel is too small to fill the device; many of them in a row are launch-bound.', shareOf: KERNEL_TIME },
  'matrix unit': { meaning: 'The part of a device that multiplies matrices: tensor cores, matrix cores, cube unit, tensor engine.' },
  'on the matrix unit': { meaning: 'Kernel time in kernels that use the matrix unit (tensor cores, matrix cores, cube unit, tensor engine).', unit: 'ns', shareOf: KERNEL_TIME },
  'of eligible': { meaning: 'Time of products on the matrix unit (eligibleUsed), as a share of the time of all products that it could take.', unit: 'fraction', shareOf: 'time of eligible products' },
  completeness: { meaning: 'The verdict of dprof check: complete (nothing is known to be missing or wrong), doubtful (some data may be wrong) or incomplete (some data is missing, so counts and sums are too low).' },
  coverage: { meaning: 'Share of kernel time for which a figure is known. Below half, the figure is a lower bound (≥) or unknown.', unit: 'fraction', shareOf: KERNEL_TIME },
  occupancy: { meaning: 'Threads of a kernel that a multiprocessor can hold at once, as a share of all threads that it can hold.', unit: 'fraction', shareOf: 'threads of a multiprocessor' },
  'cores busy': { meaning: 'CPU cores that ran threads of the profile, on average.', unit: 'count', formula: 'time of threads on cores / time from the first scheduling event to the last' },

  // Steps.
  step: { meaning: 'One iteration of a training loop or of a server, as the profile marks it.' },
  'step (host)': { meaning: 'Time from the start of a step on the CPU to the start of the next; for the last step, to its end (column iteration of dprof steps).', unit: 'ns' },
  'step (device)': { meaning: 'Time from the first device work of a step to the end of its last (column span of dprof steps).', unit: 'ns' },
  'step time': { meaning: "A rank's time from the end of the step before, or from the start of the first step on the CPU, to the end of the last work of the step.", unit: 'ns' },
  preparing: { meaning: 'Time from the start of a step on the CPU to its first kernel or collective.', unit: 'ns' },
  wall: { meaning: 'Elapsed time from the start of something to its end, whatever else runs in that time.', unit: 'ns' },
  prefill: { meaning: 'A step of a server that reads the context of its requests.' },
  decode: { meaning: 'A step of a server in which every request generates tokens.' },
  'idle of a phase': { meaning: 'Time within the steps of a phase (serving) in which the device does no work of the step. It includes waits for the CPU.', unit: 'ns', shareOf: 'times of the steps' },
  'tokens per second': { meaning: 'Context and generated tokens, divided by the time of the steps.', unit: 'tokens/s' },

  // Ranks and collectives.
  rank: { meaning: 'One process of a job of several, with its number.' },
  straggler: { meaning: 'A rank whose own work in a step (step time without exposed communication) is longer than that of its peers, more often than chance.' },
  'late rank': { meaning: 'The rank that joins a collective last, for which the others wait.' },
  waiting: { meaning: 'Time that a rank spends in a collective before the last rank joins it.', unit: 'ns' },
  'clock error': { meaning: 'Waits that do not exceed the possible error of the clocks, which could explain them (column unsure of dprof ranks).', unit: 'ns', shareOf: 'waiting' },
  transfer: { meaning: 'Time of a collective after its last rank has joined: no waiting.', unit: 'ns' },
  collective: { meaning: 'An operation of several ranks, such as all-reduce. Answers name the kind: ncclDevKernel_AllReduce, all_reduce and hcom_allReduce are all-reduce.' },
  'algorithm bandwidth': { meaning: "Size of a collective over its transfer time, as in NCCL's tests.", unit: 'bytes/s', formula: 'S / t' },
  'bus bandwidth': { meaning: "Algorithm bandwidth times the factor of the operation in NCCL's tests: for n ranks 2(n - 1) / n of an all-reduce, (n - 1) / n of an all-gather, a reduce-scatter or an all-to-all, else 1.", unit: 'bytes/s', formula: 'factor * S / t' },
  'bandwidth with waiting': { meaning: 'Algorithm or bus bandwidth over the whole time of an operation: one rank does not show how long it waited. It is a lower bound.', unit: 'bytes/s' },

  // Units.
  MB: { meaning: 'Million bytes. Transfers and rates are decimal (kB, MB, GB/s), as vendors state peaks.', unit: 'bytes' },
  MiB: { meaning: '1,048,576 bytes. Memory in use is binary (MiB, GiB), as the frameworks and nvidia-smi state it.', unit: 'bytes' },
  na: { meaning: 'Not known from the profile. It is never 0.' },
} as const satisfies Readonly<Record<string, Omit<GlossaryTerm, 'term'>>>; // prettier-ignore

export const GLOSSARY: readonly GlossaryTerm[] = Object.entries(terms).map(([term, entry]) => ({ term, ...entry }));

/** Meaning of a term, for a hover text. */
export const meaningOf = (term: keyof typeof terms): string => terms[term].meaning;

/** A vendor with special words for its devices. */
export type Vendor = 'nvidia' | 'amd' | 'intel' | 'ascend' | 'neuron' | 'tpu';

/** Vendors of devices to which a CPU launches work. */
export const LAUNCHING: readonly Vendor[] = ['nvidia', 'amd', 'intel', 'ascend'];

interface DeviceWords {
  readonly vendor: Vendor | null;
  readonly matrixUnit: string;
  /** What a device runs. */
  readonly work: 'kernel' | 'instruction';
  /** Name for the number of runs. */
  readonly runs: 'launches' | 'count';
}

const KERNELS = { work: 'kernel', runs: 'launches' } as const;
const ASCEND: DeviceWords = { vendor: 'ascend', matrixUnit: 'cube unit', ...KERNELS };
/** No host launches the instructions of a NeuronCore one by one. */
const NEURON: DeviceWords = { vendor: 'neuron', matrixUnit: 'tensor engine', work: 'instruction', runs: 'count' };

const WORDS_OF_VENDORS: Readonly<Record<string, DeviceWords>> = {
  nvidia: { vendor: 'nvidia', matrixUnit: 'tensor cores', ...KERNELS },
  amd: { vendor: 'amd', matrixUnit: 'matrix cores', ...KERNELS },
  intel: { vendor: 'intel', matrixUnit: 'matrix engines', ...KERNELS },
  ascend: ASCEND,
  huawei: ASCEND,
  neuron: NEURON,
  aws: NEURON,
  google: { vendor: 'tpu', matrixUnit: 'matrix unit (MXU)', work: 'instruction', runs: 'count' },
};

type Devices = { readonly devices: readonly { readonly vendor: string | null }[] } | null;

/**
 * Words that were already found. They are cached, because each line of a string needs them and a profile may have many
 * devices.
 */
const found = new WeakMap<NonNullable<Devices>, DeviceWords>();

/**
 * The special words for the vendor of a profile's devices; general words for several vendors, and for an unknown
 * vendor.
 */
export function deviceWords(header: Devices): DeviceWords {
  const words = (header === null ? undefined : found.get(header)) ?? wordsFor(header);
  if (header !== null) found.set(header, words);
  return words;
}

function wordsFor(header: Devices): DeviceWords {
  const vendors = new Set(header?.devices.map(({ vendor }) => vendor));
  const [only] = vendors;
  const known = vendors.size === 1 && typeof only === 'string' ? WORDS_OF_VENDORS[only] : undefined;
  return known ?? { vendor: null, matrixUnit: 'matrix unit', ...KERNELS };
}

/**
 * Replacements, in this order, that turn sentences about kernels into sentences about instructions. Names of columns
 * (kernel_time, `--by kernel`) are not replaced.
 */
const INSTRUCTION_WORDS: readonly (readonly [RegExp, string])[] = [
  [/\b(gaps between) queued kernels\b/g, '$1 instructions'],
  [/\blaunches kernels\b/g, 'launches programs'],
  [/\b(waits?) of the CPU or a stream\b/g, '$1 of the program'],
  [/\bMost launched\b/g, 'Most frequent'],
  [/\blaunch not recorded\b/g, 'no launch is recorded; dprof advise has other causes'],
  [/\boutermost op around its launch\b/g, 'op that the compiler names for the instruction'],
  [/\baround a launch\b/g, 'of an instruction'],
  [/; many of them in a row are launch-bound\b/g, ''],
  [/\b(was|were) launched in\b/g, '$1 compiled from'],
  [/(?<=\d[ kM]?) launches\b/g, ' runs'],
  [/\b([Aa]) kernel(?![\w=]|\.\w)/g, '$1n instruction'],
  [/(?<![\w./-]|--by )kernel(?=s?(?![\w=]|\.\w))/g, 'instruction'],
  [/(?<![\w./-])Kernel(?=s?(?![\w=]|\.\w))/g, 'Instruction'],
];

/**
 * A text in the terms of the vendor of a profile's devices. For example, it says instructions for Neuron, and mentions
 * only the vendor's matrix unit and devices.
 */
export function inDeviceWords(text: string, header: Devices): string {
  const { vendor, matrixUnit, work } = deviceWords(header);
  const worded =
    vendor === null
      ? text
      : text.replaceAll(' (tensor cores, matrix cores, cube unit, tensor engine)', ` (${matrixUnit})`);
  const general =
    work === 'instruction'
      ? INSTRUCTION_WORDS.reduce((changed, [words, others]) => changed.replace(words, others), worded)
      : worded;
  return vendor === null || vendor === 'neuron' ? general : general.replace(/(?:; for|\. On) AWS Neuron[^.]*/g, '');
}

/** What a loss or a doubt of a profile means for figures. */
export const DOUBT_MEANINGS = { loss: 'figures are incomplete', doubt: 'figures may be wrong' } as const;
