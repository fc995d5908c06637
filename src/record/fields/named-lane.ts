/** Parts of a device that a profile names in place of a numbered stream: `engine` of its records. */
import { isNeuronInstruction } from '../neuron/neuron-cores.js';
import type { Activity } from '../record.js';

/** Lines of a TPU's plane: instructions, transfers next to them, and waits. Source: the names of these lines in XSpaces. */
export const XLA_LINES = { ops: 'XLA Ops', transfers: 'Async XLA Ops', waits: 'XLA TraceMe' } as const;

const NAMES: ReadonlySet<string> = new Set(Object.values(XLA_LINES));

/** DMA engines of a NeuronCore, and streams of its CC-cores. */
const NEURON_QUEUE = /^(?:E\d+$|CC\b)/;

/** Name of the part that did the work; null where it ran on a stream, which a class of cores may have. */
export function namedLane({ type, engine }: Pick<Activity, 'engine'> & { readonly type: string }): string | null {
  if (typeof engine !== 'string') return null;
  const isOfNeuron = type === 'kernel' ? isNeuronInstruction({ engine }) : NEURON_QUEUE.test(engine);
  return isOfNeuron || NAMES.has(engine) ? engine : null;
}
