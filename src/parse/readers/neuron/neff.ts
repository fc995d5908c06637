/** Reader of a NEFF without a trace: facts about the program, and its tensors. */
import { Diagnostics } from '../../../record/diagnostics.js';
import type { ProfileLine } from '../../../record/record.js';
import type { Probe, Reader, ReadOptions } from '../../reader.js';
import { hasTraceInFolder, profileRecord } from './profile-record.js';
import { endRecord } from '../../trace/emit.js';
import { isNeff, readNeff } from './neff/read-program.js';

export const neff: Reader = {
  id: 'neff',
  title: 'AWS Neuron program (*.neff)',
  reads: 'binary',
  fileNames: /\.neff(?:\.gz)?$/,
  docs: {
    profiler: 'AWS Neuron',
    input: 'NEFF',
    made: ['the Neuron compiler; the runtime leaves it next to a capture as `neff_<hash>.neff`'],
    read: [
      'Versions, features, identity; inputs, outputs and weights with type, shape and size. Weight data is skipped. Instructions and their debug information are read only together with a device trace.',
    ],
  },
  sniff: ({ path, head }) => isNeff(path, head),
  isCovered: hasTraceInFolder,
  read: (probe, options) => read(probe, options),
};

function* read(probe: Probe, options: ReadOptions): Generator<ProfileLine> {
  const { profile } = options;
  const diagnostics = new Diagnostics();
  const { facts, tensors } = readNeff(probe.path, probe.file, diagnostics);
  const { compilerVersion } = facts;
  const tool = compilerVersion === undefined ? null : `neuronx-cc ${compilerVersion}`;
  yield profileRecord(neff.id, options, { tool, dur: null, devices: [], facts });
  for (const tensor of tensors) yield { type: 'tensor', profile, ...tensor };
  yield endRecord(profile, tensors.length === 0 ? {} : { tensor: tensors.length }, diagnostics);
}
