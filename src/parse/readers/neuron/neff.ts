/** Reader of a NEFF without a trace: facts of the program, and its tensors. */
import { Diagnostics } from '../../../record/diagnostics.js';
import { SCHEMA_VERSION, type ProfileLine } from '../../../record/record.js';
import type { Probe, Reader, ReadOptions } from '../../reader.js';
import { hasTraceInFolder } from './capture-files.js';
import { isNeff, readNeff } from './neff/read-program.js';

export const neff: Reader = {
  id: 'neff',
  title: 'AWS Neuron program (*.neff)',
  reads: 'binary',
  sniff: ({ path, head }) => isNeff(path, head),
  isCovered: hasTraceInFolder,
  read: (probe, options) => read(probe, options),
};

function* read(probe: Probe, { profile, file, rank }: ReadOptions): Generator<ProfileLine> {
  const diagnostics = new Diagnostics();
  const { facts, tensors } = readNeff(probe.path, probe.file, diagnostics);
  const { compilerVersion } = facts;
  yield {
    type: 'profile',
    v: SCHEMA_VERSION,
    profile,
    format: neff.id,
    tool: compilerVersion === undefined ? null : `neuronx-cc ${compilerVersion}`,
    file,
    rank,
    startUnixNs: null,
    dur: null,
    devices: [],
    facts,
  };
  for (const tensor of tensors) yield { type: 'tensor', profile, ...tensor };
  const counts = tensors.length === 0 ? {} : { tensor: tensors.length };
  yield { type: 'end', profile, counts, diagnostics: diagnostics.toJSON() };
}
