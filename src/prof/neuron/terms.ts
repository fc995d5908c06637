/** All words of `dprof terms`: those of any profile, and the metrics, engines, queues, opcodes and operands of Neuron. */
import { GLOSSARY } from '../../record/glossary.js';
import { NEURON_ENGINES, type NeuronEngine } from '../../record/neuron/neuron-cores.js';
import { METRIC_TEXTS } from './metrics/metrics.js';
import { inOurUnit } from './quantity.js';

export const TERM_KINDS = [
  ...(['word', 'abbreviation', 'engine', 'opcode', 'operand', 'queue', 'queue type', 'throttling', 'metric'] as const),
  'summary field',
] as const;

export interface Term {
  readonly term: string;
  readonly kind: (typeof TERM_KINDS)[number];
  /** Unit in machine-readable output. */
  readonly unit: string | null;
  readonly meaning: string;
  readonly formula: string | null;
  /** Denominator of its shares. */
  readonly shareOf: string | null;
}

type TermList = readonly (readonly [term: string, meaning: string])[];

const OPERAND_WORDS: readonly (readonly [term: string, meaning: string])[] = [
  ['S[<n>]', 'semaphore n, in parentheses the engine or queue that owns it: `S[5]>=1` waits, `S[5]++@complete` raises it'],
  ['$S[<n>]', 'semaphore n as well, in instructions around the program'],
  ['$R[<n>]', 'register n of the engine'],
  ['$E[<n>]', 'event n of the engine'],
  ['src', 'what is read: `type@address[strides][sizes]`, a stride and an extent for each loop, the innermost first, in elements of one partition'],
  ['dst', 'what is written, as src; addresses from 0x2000000 on are of PSUM, those below of SBUF'],
  ['channels', 'partitions that take part: bytes of src and dst are those of one'],
  ['<rows>*<columns>', 'part of the multiplier array that a product uses; times the elements of src: its multiply-accumulates'],
  ['acc_flags', 'place of a MATMUL among those accumulated at one PSUM address: 1 the first, 0 between, 2 the last, 3 the only one'],
  ['fp32_mode', 'FP32 in two halves: LOW or HIGH of the weights in LDWEIGHTS, both of the moving operand (LOW_HIGH) in MATMUL'],
  ['transpose_mode', 'ENABLED: the products with these weights are a transpose, no arithmetic of the model'],
  ['ops', 'operations applied to each element in turn; BYPASS means none'],
  ['imm_src', 'where each value of imm is: in the instruction (INSTRUCTION), or at that address (PTR)'],
  ['semaphore', 'of a transfer: number of the semaphore that it raises as its packets complete, by sem_increment in all'],
  ['src_pattern', 'of a transfer: `[strides][sizes]` of what is read, in bytes and in elements of src_elem_size; so dst_pattern'],
  ['src_elem_size', 'of a transfer: bytes of one element of src_pattern; so dst_elem_size'],
]; // prettier-ignore

const SUMMARY_FIELDS: readonly (readonly [term: string, meaning: string])[] = [
  ['ultraserver_id', 'the UltraServer (several instances joined into one) that was captured'],
  ['ultraserver_size', 'how many instances that UltraServer joins'],
  ['ultraserver_type', 'how its instances are connected'],
  ['ultraserver_instance_index', 'the instance in it that was captured'],
  [
    's3_bucket_path',
    'where in S3 the files of the capture were put; not read, as paths may tell more than a profile should',
  ],
];

const ENGINE_WORDS: Readonly<Record<NeuronEngine, string>> = {
  Tensor: 'multiplies matrices in an array of 128 x 128 multipliers (PE); results go to PSUM. Stream 0',
  Scalar: 'applies a function to each element (Activation): exp, gelu, tanh, scaling and bias. Stream 1',
  GpSimd: 'programmable cores for work of no other engine (Pool); also writes DMA descriptors. Stream 2',
  Vector: 'works on several elements at once (DVE): reductions, comparisons, sums, copies. Stream 3',
  Sync: 'runs no arithmetic (SP): starts DMA and keeps the others in step by semaphores. Stream 4',
};

const MORE_ENGINES: TermList = [
  ['TensorMatrix', 'track of the tensor engine with only its matrix products'],
  ['E64', 'a DMA engine, by its number; each core has 16. Moves packets between memories'],
  ['DMA throughput', 'bytes that the DMA engines of a core move a second, over time'],
  ['TensorMatrix utilisation', "matrix products of a core as a share of its tensor engine's peak, over time"],
  ['pending DMA', 'transfers that wait in the DMA queues of a core, over time'],
  ['CC-core', 'core that runs collective operations between devices'],
];

const OPCODES: TermList = [
  ['ACTIVATE', 'function of each element, on the scalar engine'],
  ['ACT_TABLE_LOAD', 'loads the function table for ACTIVATE'],
  ['CAST', 'converts elements to another type'],
  ['COMPARE_BRANCH', 'jumps in the program if a comparison holds'],
  ['COPY', 'copies a tensor between buffers of the core'],
  ['DMA_DIRECT2D', 'starts a DMA of rows and columns whose descriptors are written as the program runs'],
  ['DRAIN', 'waits until all earlier instructions of the engine have finished'],
  ['EVENT_SEMAPHORE', 'waits for a semaphore or sets one; counted, but not part of any time'],
  ['EVENT_SEMAPHORE_RANGE_CLEAR', 'sets several semaphores to 0'],
  ['LDWEIGHTS', 'puts the stationary operand of a matrix product into the multipliers'],
  ['MATMUL', 'streams the moving operand of a matrix product through the multipliers; a transpose is one too'],
  ['NOP', 'does nothing; may wait for a semaphore'],
  ['NOTIFY', 'writes a notification for the host'],
  ['RECIPROCAL', '1 / x of each element'],
  ['SET_ORDERING_MODE', 'sets whether instructions may overtake each other'],
  ['TENSOR_LOAD', 'loads registers of the engine from memory'],
  ['TENSOR_REDUCE', 'sum, maximum or the like along dimensions of a tensor'],
  ['TENSOR_SCALAR', 'operation of each element with a number, or with one for every row'],
  ['WRITE', 'writes a register or a few bytes of memory'],
];

const QUEUES: TermList = [
  ['qGpSimdDynamic', 'packets that the GpSimd engine describes while the program runs; also qPoolDynamic'],
  ['qSyncDynamicHW', 'packets that hardware describes for the sync engine; so for q<Engine>DynamicHW of the others'],
  ['q<Engine>IoParam', 'weights, started by that engine'],
  ['q<Engine>PIo', 'inputs and outputs, started by that engine'],
  ['q<Engine>SpillReload', 'intermediate results to device memory and back, started by that engine'],
  ['qScalarTable', 'tables of functions for the scalar engine'],
  ['qDveTable', 'tables for the vector engine'],
  ['queue 14', 'instructions that engines fetch, and tables; the vendor tool leaves a few of its packets out'],
];

const QUEUE_TYPES: TermList = [
  ['software_dynamic', 'an engine writes the descriptors of packets while the program runs'],
  ['hardware_dynamic', 'dedicated hardware writes the descriptors of packets while the program runs'],
  ['static', 'descriptors were written before the program ran: every type that is not dynamic'],
  ['instruction', 'engines fetch their instructions'],
  ['input', 'inputs of the program into the state buffer'],
  ['output', 'results of the program to device memory'],
  ['data', 'weights into the state buffer'],
  ['unknown', 'the capture lacks the type of the queue'],
];

const THROTTLING: TermList = [
  ['activity_<n>', 'limit because of how busy the tensor engine was; 0 may stand for a limit of 1, no limit at all'],
  ['gpio_<n>', 'limit requested by a signal from outside the chip'],
  ['periodic', 'limit that returns at fixed times'],
  ['sw_<n>', 'limit set by software'],
];

const ABBREVIATIONS: TermList = [
  ['BIR', "the compiler's last form of a program before instructions; an instruction's birId points into it"],
  ['CC', 'collective communication between devices: all-reduce, all-gather …'],
  ['DGE', 'descriptor generation engine: hardware that writes DMA descriptors while the program runs'],
  ['DMA', 'moves data between memories in packets, in parallel with the engines'],
  ['HAM', 'monitor that limits how busy a core is: source of the throttling windows'],
  ['HBM', 'memory of the device, in stacks'],
  ['HLO', 'form of the model that the compiler starts from'],
  ['LNC', 'logical NeuronCore: how many physical cores work as one; LNC2 is two'],
  ['MBU', "memory bandwidth utilization: bytes moved to and from HBM, as a share of a stack's peak"],
  ['NC', 'NeuronCore: five engines, 16 DMA engines, SBUF and PSUM'],
  ['ND', 'NeuronDevice: a chip with several cores'],
  ['NEFF', 'compiled program, with its tensors, queues and weights'],
  ['NKI', 'language for kernels that are written by hand'],
  ['NTFF', 'capture of one run of a program on a device: a device trace'],
  ['PE', 'processing element of the tensor engine; the array of them'],
  ['PSUM', 'accumulation buffer of a core, 2 MiB: where matrix products are added up'],
  ['SBUF', 'state buffer of a core, 24 to 32 MiB in 128 partitions: what engines read and write'],
  ['vNC', 'virtual NeuronCore: another word for a logical one'],
];

const of = (kind: Term['kind'], words: TermList): Term[] =>
  words.map(([term, meaning]) => ({ term, kind, unit: null, meaning, formula: null, shareOf: null }));

export const TERMS: readonly Term[] = [
  ...GLOSSARY.map(({ unit = null, formula = null, shareOf = null, ...of }): Term => ({ ...of, kind: 'word', unit, formula, shareOf })), // prettier-ignore
  ...of('abbreviation', ABBREVIATIONS),
  ...of('engine', [...NEURON_ENGINES.map((name) => [name, ENGINE_WORDS[name]] as const), ...MORE_ENGINES]),
  ...of('opcode', OPCODES),
  ...of('operand', OPERAND_WORDS),
  ...of('queue', QUEUES),
  ...of('queue type', QUEUE_TYPES),
  ...of('throttling', THROTTLING),
  ...METRIC_TEXTS.map(({ name, unit, doc, formula }): Term => ({
    term: name,
    kind: 'metric',
    unit: unit === 'text' ? null : inOurUnit(0, unit).unit,
    meaning: doc,
    formula,
    shareOf: null,
  })),
  ...of('summary field', SUMMARY_FIELDS),
];

/** A word as a regular expression; as plain text when it is invalid. */
function patternOf(word: string): RegExp {
  try {
    return new RegExp(word, 'i');
  } catch {
    return new RegExp(word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'), 'i');
  }
}

/** Whether a word matches a term with placeholders such as `<k>`. */
function isCaseOf(word: string, term: string): boolean {
  if (!term.includes('<')) return false;
  const escaped = term.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`^${escaped.replace(/<[^<>]+>/g, '\\w+?')}$`, 'i').test(word);
}

/** Longer words are in no term and no meaning. */
const LONGEST_WORD = 1000;

/** The term with that name, else those whose names match the word, else those whose meanings do. */
export function termsFor(word: string): readonly Term[] {
  if (word.length > LONGEST_WORD) return [];
  const pattern = patternOf(word);
  const tests: readonly ((term: Term) => boolean)[] = [
    ({ term }) => term.toLowerCase() === word.toLowerCase(),
    ({ term }) => pattern.test(term),
    ({ term }) => isCaseOf(word, term),
    ({ meaning }) => pattern.test(meaning),
  ];
  return tests.map((test) => TERMS.filter(test)).find((found) => found.length > 0) ?? [];
}
