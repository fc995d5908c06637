/**
 * What AWS Neuron devices are made of: the words and constants that their profiles and our reports share.
 *
 * Sources: AWS Neuron documentation (architecture guides of Trainium, Inferentia2, Trainium2, Trainium3), and the
 * metadata of captures (clocks and bandwidths of Trainium2).
 */
import type { Device } from './record.js';

/** Engines that run instructions, by their number in captures; a kernel's `stream`. */
export const ENGINES = ['Tensor', 'Scalar', 'GpSimd', 'Vector', 'Sync'] as const;
export type EngineName = (typeof ENGINES)[number];

const NAMES: ReadonlySet<string> = new Set(ENGINES);

/** Whether an activity is one instruction of one of these engines, not a program of many threads. */
export const isInstruction = ({ engine }: { readonly engine?: string }): boolean =>
  engine !== undefined && NAMES.has(engine);

/** A DMA engine by its number, as in `64`. */
export const dmaEngineName = (number: number): string => `E${number}`;

/** A generation of NeuronCores. */
export interface NeuronCore {
  /** As in a device's `arch`. */
  readonly arch: string;
  /** Chips that have it. */
  readonly product: string;
  /** Instance types whose name begins so. */
  readonly instances: RegExp;
  /** Multipliers of the tensor engine. */
  readonly peRows: number;
  readonly peCols: number;
  /** Of the tensor engine. */
  readonly peClockHz: number;
  /** In which captures count waits and cycles; null where no capture was seen. */
  readonly clockHz: number | null;
  /** Memory bandwidth that the vendor's tool holds one core to; null where no source tells it. */
  readonly hbmBytesPerS: number | null;
  /** Bandwidth of all DMA engines of a core; null where no source tells it. */
  readonly dmaBytesPerS: number | null;
}

export const NEURON_CORES: readonly NeuronCore[] = [
  {
    arch: 'nc-v2',
    product: 'Trainium or Inferentia2',
    instances: /^(?:trn1|inf2)/,
    peRows: 128,
    peCols: 128,
    peClockHz: 2.8e9,
    clockHz: 1.4e9,
    hbmBytesPerS: 410e9,
    dmaBytesPerS: null,
  },
  {
    arch: 'nc-v3',
    product: 'Trainium2',
    instances: /^trn2/,
    peRows: 128,
    peCols: 128,
    peClockHz: 2.4e9,
    clockHz: 1.2e9,
    hbmBytesPerS: 716e9,
    dmaBytesPerS: 435e9,
  },
  {
    arch: 'nc-v4',
    product: 'Trainium3',
    instances: /^trn3/,
    peRows: 128,
    peCols: 128,
    peClockHz: 2.4e9,
    clockHz: 1.2e9,
    hbmBytesPerS: null,
    dmaBytesPerS: null,
  },
];

/** The cores of an instance type, as `trn2.3xlarge`; null for one that is not known. */
export const coreOfInstance = (instance: string | null): NeuronCore | null =>
  NEURON_CORES.find(({ instances }) => instance !== null && instances.test(instance)) ?? null;

/** A core as a device of a profile; nothing but its number is known of one of an unknown generation. */
export const neuronDevice = (id: number, core: NeuronCore | null): Device => ({
  id,
  vendor: 'aws',
  name: core?.product ?? null,
  arch: core?.arch ?? null,
  units: null,
  clockHz: core?.peClockHz ?? null,
  memBytesPerS: core?.hbmBytesPerS ?? null,
  memBytes: null,
});

/** The cores of an architecture, as `nc-v3`. */
export const coreOfArch = (arch: string | null): NeuronCore | null =>
  NEURON_CORES.find((core) => core.arch === arch) ?? null;
