/** All words of `dprof terms`: those of any profile, and the metrics, engines, queues, opcodes and operands of Neuron. */
import { GLOSSARY } from '../../record/glossary.js';
import { NEURON_ENGINES, type NeuronEngine } from '../../record/neuron/neuron-cores.js';
import { columnTerms } from '../columns/column-terms.js';
import { METRIC_TEXTS } from './metrics/metrics.js';
import { inOurUnit } from './quantity.js';

export const TERM_KINDS = [
  ...(['word', 'abbreviation', 'engine', 'opcode', 'operand', 'queue', 'queue type', 'throttling', 'metric'] as const),
  'summary field',
  'column',
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
  ['$S[<n>]', 'also semaphore n, in instructions around the program'],
  ['$R[<n>]', 'register n of the engine'],
  ['$E[<n>]', 'event n of the engine'],
  ['src', 'source operand: `type@address[strides][sizes]`, a stride and an extent per loop, innermost first, in elements of one partition'],
  ['dst', 'destination operand, written like src; addresses from 0x2000000 up are in PSUM, lower ones in SBUF'],
  ['channels', 'number of partitions used; bytes of src and dst are per partition'],
  ['<rows>*<columns>', 'part of the multiplier array that a product uses; multiplied by the elements of src, it gives the multiply-accumulates'],
  ['acc_flags', 'position of a MATMUL among those accumulated at one PSUM address: 1 the first, 0 between, 2 the last, 3 the only one'],
  ['fp32_mode', 'FP32 in two halves: LOW or HIGH of the weights in LDWEIGHTS, both of the moving operand (LOW_HIGH) in MATMUL'],
  ['transpose_mode', 'ENABLED: products with these weights are transposes, not arithmetic of the model'],
  ['ops', 'operations applied to each element in turn; BYPASS means none'],
  ['imm_src', 'location of each value of imm: in the instruction (INSTRUCTION) or at an address (PTR)'],
  ['semaphore', 'semaphore that a transfer increments as packets complete, by sem_increment in total'],
  ['src_pattern', '`[strides][sizes]` of the source of a transfer, in bytes and in elements of src_elem_size; dst_pattern is that of the destination'],
  ['src_elem_size', 'bytes per element of src_pattern in a transfer; dst_elem_size is the same for dst_pattern'],
]; // prettier-ignore

const SUMMARY_FIELDS: readonly (readonly [term: string, meaning: string])[] = [
  ['ultraserver_id', 'the UltraServer (several instances joined into one) that was captured'],
  ['ultraserver_size', 'number of instances in that UltraServer'],
  ['ultraserver_type', 'how its instances are connected'],
  ['ultraserver_instance_index', 'the instance in it that was captured'],
  ['s3_bucket_path', 'S3 location of the capture; not read, because paths may contain private data'],
];

const ENGINE_WORDS: Readonly<Record<NeuronEngine, string>> = {
  Tensor: 'multiplies matrices in an array of 128 x 128 multipliers (PE); results go to PSUM. Stream 0',
  Scalar: 'applies a function to each element (Activation): exp, gelu, tanh, scaling and bias. Stream 1',
  GpSimd: 'programmable cores for work that no other engine does (Pool); also writes DMA descriptors. Stream 2',
  Vector: 'works on several elements at once (DVE): reductions, comparisons, sums, copies. Stream 3',
  Sync: 'starts DMA and synchronises the other engines with semaphores (SP); no arithmetic. Stream 4',
};

const MORE_ENGINES: TermList = [
  ['TensorMatrix', 'track of the tensor engine with only its matrix products'],
  ['E64', 'a DMA engine, by its number; each core has 16. Moves packets between memories'],
  ['DMA throughput', 'bytes per second moved by the DMA engines of a core, over time'],
  ['TensorMatrix utilisation', "matrix products of a core as a share of its tensor engine's peak, over time"],
  ['pending DMA', 'transfers that wait in the DMA queues of a core, over time'],
  ['CC-core', 'core that runs collective operations between devices'],
];

const OPCODES: TermList = [
  ['ACTIVATE', 'applies a function to each element, on the scalar engine'],
  ['ACT_TABLE_LOAD', 'loads the function table for ACTIVATE'],
  ['CAST', 'converts elements to another type'],
  ['COMPARE_BRANCH', 'branches if a comparison holds'],
  ['COPY', 'copies a tensor between buffers of the core'],
  ['DMA_DIRECT2D', 'starts a DMA of rows and columns whose descriptors are written as the program runs'],
  ['DRAIN', 'waits until all earlier instructions of the engine have finished'],
  ['EVENT_SEMAPHORE', 'waits for a semaphore or sets one; counted, but left out of all times'],
  ['EVENT_SEMAPHORE_RANGE_CLEAR', 'sets several semaphores to 0'],
  ['LDWEIGHTS', 'puts the stationary operand of a matrix product into the multipliers'],
  ['MATMUL', 'streams the moving operand of a matrix product through the multipliers; also used for transposes'],
  ['NOP', 'does nothing; may wait for a semaphore'],
  ['NOTIFY', 'writes a notification for the host'],
  ['RECIPROCAL', '1 / x of each element'],
  ['SET_ORDERING_MODE', 'sets whether instructions may overtake each other'],
  ['TENSOR_LOAD', 'loads registers of the engine from memory'],
  ['TENSOR_REDUCE', 'reduces a tensor along some dimensions: sum, maximum or the like'],
  ['TENSOR_SCALAR', 'combines each element with a scalar, or with one scalar per row'],
  ['WRITE', 'writes a register or a few bytes of memory'],
];

const QUEUES: TermList = [
  ['qGpSimdDynamic', 'packets that the GpSimd engine describes while the program runs; also qPoolDynamic'],
  ['qSyncDynamicHW', 'packets that hardware describes for the sync engine; q<Engine>DynamicHW for the other engines'],
  ['q<Engine>IoParam', 'transfers of weights, started by that engine'],
  ['q<Engine>PIo', 'transfers of inputs and outputs, started by that engine'],
  ['q<Engine>SpillReload', 'transfers of intermediate results to device memory and back, started by that engine'],
  ['qScalarTable', 'tables of functions for the scalar engine'],
  ['qDveTable', 'tables for the vector engine'],
  ['queue 14', "instruction fetches and tables; the vendor's tool leaves out a few of its packets"],
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
  ['activity_<n>', 'limit due to tensor engine activity; 0 may mean a limit of 1, that is, no limit'],
  ['gpio_<n>', 'limit requested by a signal from outside the chip'],
  ['periodic', 'limit that returns at fixed times'],
  ['sw_<n>', 'limit set by software'],
];

const ABBREVIATIONS: TermList = [
  ['BIR', "the compiler's last intermediate form; an instruction's birId points into it"],
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
  ['PSUM', 'accumulation buffer of a core, 2 MiB: holds the sums of matrix products'],
  ['SBUF', "state buffer of a core, 24 to 32 MiB in 128 partitions: the engines' working memory"],
  ['vNC', 'virtual NeuronCore: another word for a logical one'],
];

const termsOf = (kind: Term['kind'], words: TermList): Term[] =>
  words.map(([term, meaning]) => ({ term, kind, unit: null, meaning, formula: null, shareOf: null }));

export const TERMS: readonly Term[] = [
  ...GLOSSARY.map(({ unit = null, formula = null, shareOf = null, ...rest }): Term => ({ ...rest, kind: 'word', unit, formula, shareOf })), // prettier-ignore
  ...termsOf('abbreviation', ABBREVIATIONS),
  ...termsOf('engine', [...NEURON_ENGINES.map((name) => [name, ENGINE_WORDS[name]] as const), ...MORE_ENGINES]),
  ...termsOf('opcode', OPCODES),
  ...termsOf('operand', OPERAND_WORDS),
  ...termsOf('queue', QUEUES),
  ...termsOf('queue type', QUEUE_TYPES),
  ...termsOf('throttling', THROTTLING),
  ...METRIC_TEXTS.map(({ name, unit, doc, formula }): Term => ({
    term: name,
    kind: 'metric',
    unit: unit === 'text' ? null : inOurUnit(0, unit).unit,
    meaning: doc,
    formula,
    shareOf: null,
  })),
  ...termsOf('summary field', SUMMARY_FIELDS),
];

/** A word as a regular expression, or as plain text if it is not a valid expression. */
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

/** No term or meaning contains a longer word. */
const LONGEST_WORD = 1000;

/** The columns of all tables, which `dprof terms` finds but does not list. */
const COLUMN_TERMS: readonly Term[] = columnTerms().map((column): Term => ({
  ...column,
  kind: 'column',
  formula: null,
  shareOf: null,
}));

/** The pattern for whole words: no letter or digit comes before or after. */
const wholeIn = ({ source }: RegExp): RegExp => new RegExp(`(?<![a-z0-9])(?:${source})(?![a-z0-9])`, 'i');
/** The pattern for beginnings of words. */
const startIn = ({ source }: RegExp): RegExp => new RegExp(`(?<![a-z0-9])(?:${source})`, 'i');

/**
 * The terms with this name or with the whole word in their names, and columns with this name; else the terms and columns
 * that have the word at the start of a word of their names, then anywhere in their names; else those whose meanings have
 * the whole word.
 */
export function termsFor(word: string): readonly Term[] {
  if (word.length > LONGEST_WORD) return [];
  const pattern = patternOf(word);
  const [whole, start] = [wholeIn(pattern), startIn(pattern)];
  const isNamed = ({ term }: Term): boolean => term.toLowerCase() === word.toLowerCase();
  const firstOf = (tests: readonly ((term: Term) => boolean)[], among: readonly Term[]): readonly Term[] =>
    tests.map((test) => among.filter(test)).find((found) => found.length > 0) ?? [];
  const named = [...firstOf([isNamed, ({ term }) => whole.test(term)], TERMS), ...COLUMN_TERMS.filter(isNamed)];
  if (named.length > 0) return named;
  return firstOf(
    [
      ({ term }) => start.test(term),
      ({ term }) => pattern.test(term),
      ({ term }) => isCaseOf(word, term),
      ({ meaning }) => whole.test(meaning),
    ],
    [...TERMS, ...COLUMN_TERMS],
  );
}
