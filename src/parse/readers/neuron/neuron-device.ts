import type { NeuronCore } from '../../../record/neuron-cores.js';
import type { Device } from '../../../record/record.js';

/**
 * A NeuronCore as a device of a profile.
 * @param id of the core on its instance
 * @param core its generation; null when that is unknown: then only the id is
 */
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
