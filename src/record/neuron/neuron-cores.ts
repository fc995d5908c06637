/**
 * Generations of AWS NeuronCores: clocks, multipliers and bandwidths; and values of `engine` in records: the engine of a
 * NeuronCore, or the class of an Ascend core, that did the work.
 *
 * Sources: AWS Neuron documentation (architecture guides of Trainium, Inferentia2, Trainium2, Trainium3), and the metadata
 * of captures (clocks and bandwidths of Trainium2). Shares of SBUF and PSUM in Trainium2 captures are whole bytes of the
 * sizes here.
 */

interface HasEngine {
  readonly engine?: string;
}

/**
 * Engines of a NeuronCore that run instructions, in the order of their numbers in captures, which are a kernel's `stream`.
 */
export const NEURON_ENGINES = ['Tensor', 'Scalar', 'GpSimd', 'Vector', 'Sync'] as const;
export type NeuronEngine = (typeof NEURON_ENGINES)[number];

const NEURON_NAMES: ReadonlySet<string> = new Set(NEURON_ENGINES);

/** Whether an activity is a single instruction of a NeuronCore engine, not a kernel with many threads. */
export const isNeuronInstruction = <Work extends HasEngine>(work: Work): work is Work & { readonly engine: string } =>
  work.engine !== undefined && NEURON_NAMES.has(work.engine);

/** Name of a DMA engine: 'E64' for 64. */
export const dmaEngineName = (number: number): string => `E${number}`;

/** Whether an engine has the name of a DMA engine. */
export const isDmaEngine = (engine: string): boolean => /^E\d+$/.test(engine);

/**
 * Name of what runs the collective operations of a stream: 'CC stream 0' for 0, 'CC-cores' when the stream is unknown.
 */
export const ccStreamName = (stream: number | null): string => (stream === null ? 'CC-cores' : `CC stream ${stream}`);

/** Ascend core classes: matrix units, vector units, both (MIX_*), AI CPUs, and the DSA accelerator. */
const CORE_CLASSES: ReadonlySet<string> = new Set([
  'AI_CORE',
  'AI_VECTOR_CORE',
  'MIX_AIC',
  'MIX_AIV',
  'AI_CPU',
  'DSA_SQE',
]);

/** Whether an activity ran on an Ascend core whose class is recorded; profiles of level 0 do not record it. */
export const isOnCoreClass = ({ engine }: HasEngine): boolean => engine !== undefined && CORE_CLASSES.has(engine);

/** Whether kernels of an Ascend core class use the matrix units (cubes). */
export const isCubeClass = (core: string | null | undefined): boolean => core === 'AI_CORE' || core === 'MIX_AIC';

export interface NeuronCore {
  /** The value of a device's `arch`. */
  readonly arch: string;
  /** Chips that have this core. */
  readonly product: string;
  /** Matches the names of instance types that have this core. */
  readonly instances: RegExp;
  /** Number of cores of a device (chip); cores are numbered device by device. */
  readonly coresPerDevice: number;
  /** Rows and columns of the tensor engine's array of multipliers. */
  readonly peRows: number;
  readonly peCols: number;
  /** Clock of the tensor engine. */
  readonly peClockHz: number;
  /** Clock whose cycles captures use to count waits; null when no capture was available. */
  readonly clockHz: number | null;
  /** Memory bandwidth of one core as the vendor's tool gives it; null when no source states it. */
  readonly hbmBytesPerS: number | null;
  /** Bandwidth of all DMA engines of a core together; null when no source states it. */
  readonly dmaBytesPerS: number | null;
  /** Size of the state buffer of one core. */
  readonly sbufBytes: number;
  /** Size of the buffer for partial sums of one core. */
  readonly psumBytes: number;
}

const ARRAY = { peRows: 128, peCols: 128 } as const;

/** 128 partitions of 16 KiB. */
const PSUM = { psumBytes: 128 * 16_384 } as const;
const KIB = 1024;

const NEURON_CORES: readonly NeuronCore[] = [
  {
    arch: 'nc-v2',
    product: 'Trainium or Inferentia2',
    instances: /^(?:trn1|inf2)/,
    coresPerDevice: 2,
    ...ARRAY,
    peClockHz: 2.8e9,
    clockHz: 1.4e9,
    hbmBytesPerS: 410e9,
    dmaBytesPerS: null,
    sbufBytes: 128 * 192 * KIB,
    ...PSUM,
  },
  {
    arch: 'nc-v3',
    product: 'Trainium2',
    instances: /^trn2/,
    coresPerDevice: 8,
    ...ARRAY,
    peClockHz: 2.4e9,
    clockHz: 1.2e9,
    hbmBytesPerS: 716e9,
    dmaBytesPerS: 435e9,
    sbufBytes: 128 * 224 * KIB,
    ...PSUM,
  },
  {
    arch: 'nc-v4',
    product: 'Trainium3',
    instances: /^trn3/,
    coresPerDevice: 8,
    ...ARRAY,
    peClockHz: 2.4e9,
    clockHz: 1.2e9,
    hbmBytesPerS: null,
    dmaBytesPerS: null,
    sbufBytes: 128 * 256 * KIB,
    ...PSUM,
  },
];

/** The chip by instance type, for instances whose cores another chip has too. */
const CHIPS: readonly (readonly [instances: RegExp, product: string])[] = [
  [/^trn1/, 'Trainium'],
  [/^inf2/, 'Inferentia2'],
];

/** The core of an instance type such as `trn2.3xlarge`; null for an unknown one. */
export function coreOfInstance(instance: string | null): NeuronCore | null {
  if (instance === null) return null;
  const core = NEURON_CORES.find(({ instances }) => instances.test(instance)) ?? null;
  const chip = CHIPS.find(([instances]) => instances.test(instance))?.[1];
  return core === null || chip === undefined ? core : { ...core, product: chip };
}

/** The core of an architecture such as `nc-v3`; null for an unknown one. */
export const coreOfArch = (arch: string | null): NeuronCore | null =>
  NEURON_CORES.find((core) => core.arch === arch) ?? null;

/** Whether a device with this name is a NeuronCore. */
export const isNeuronCore = (name: string | null): boolean =>
  NEURON_CORES.some(({ product }) => product === name) || CHIPS.some(([, product]) => product === name);
