/**
 * Values of `engine` in records: the engine of a NeuronCore, or the class of core of an Ascend device, that did the work.
 */

interface HasEngine {
  readonly engine?: string;
}

/** Engines of a NeuronCore that run instructions, by their number in captures; a kernel's `stream`. */
export const NEURON_ENGINES = ['Tensor', 'Scalar', 'GpSimd', 'Vector', 'Sync'] as const;
export type NeuronEngine = (typeof NEURON_ENGINES)[number];

const NEURON_NAMES: ReadonlySet<string> = new Set(NEURON_ENGINES);

/** Whether an activity is one instruction of a NeuronCore's engine rather than a kernel of many threads. */
export const isNeuronInstruction = ({ engine }: HasEngine): boolean => engine !== undefined && NEURON_NAMES.has(engine);

/** Name of a DMA engine: 'E64' for 64. */
export const dmaEngineName = (number: number): string => `E${number}`;

/** What runs the collective operations of a stream: 'CC stream 0' for 0, 'CC-cores' where the stream is not known. */
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
