/**
 * Reader for NTFF, the device trace of a NeuronCore that `neuron-profile capture` and the runtime write. The layout of
 * version 6 was derived from captures and the vendor tool's output for them; see `ntff/`.
 */
import { statSync } from 'node:fs';
import { firstBytes, pathsIn } from '../../files.js';
import type { Probe, Reader, ReadOptions } from '../../reader.js';
import { hasReport, hasTraceInFolder, profileRecord } from './profile-record.js';
import { HEADER_BYTES as NEFF_HEADER_BYTES, parseHeader } from './neff/neff-header.js';
import { readDeviceTrace } from './ntff/ntff-capture.js';
import { GREATEST_VERSION, VERSION, HEADER_BYTES } from './ntff/ntff-file.js';
import { Diagnostics } from '../../../record/diagnostics.js';
import type { ProfileLine } from '../../../record/record.js';
import { endRecord } from '../../trace/emit.js';
import { isNeff, readNeff } from './neff/read-program.js';

/** Protobuf tag of the metadata's field 1, which is length-delimited. */
const NAME_TAG = 0x0a;
const PRINTABLE = /^[\x20-\x7e]+$/;

/** Minimum length of the program's file name by which a trace of an unknown version is recognised. */
const SHORTEST_NAME = 3;

/** Whether metadata starts at this offset: its first field is the name of the program's file. */
function startsWithName(head: Buffer, at: number, shortest: number): boolean {
  const [tag, length] = head.subarray(at);
  if (tag !== NAME_TAG || length === undefined || length < shortest || length >= 128) return false;
  const name = head.toString('latin1', at + 2, at + 2 + length);
  return name.length === length && PRINTABLE.test(name);
}

/**
 * Whether the input is a trace. A truncated file is recognised if it is of version 6; files of other versions must also
 * have consistent lengths.
 */
function isTrace({ head, path }: Probe): boolean {
  if (head.length <= HEADER_BYTES) return false;
  const version = head.readUInt8(0);
  if (version === 0 || version > GREATEST_VERSION) return false;
  if (!startsWithName(head, HEADER_BYTES, version === VERSION ? 1 : SHORTEST_NAME)) return false;
  const length = head.readBigUInt64LE(1);
  return version === VERSION ? length > 0n && length < 1n << 48n : length > 0n && length < BigInt(statSync(path).size);
}

/** Reader for a NEFF without a trace: facts about the program, and its tensors. */
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

export const ntff: Reader = {
  id: 'ntff',
  title: 'AWS Neuron device trace, version 6 (neuron-explorer capture, *.ntff)',
  reads: 'binary',
  usesProgram: true,
  // Derived samples depend on all earlier records, so they cannot be made slice by slice.
  isShared: ({ derived }) => derived !== true,
  fileNames: /\.ntff(?:\.gz)?$/,
  docs: {
    profiler: 'AWS Neuron',
    input: 'NTFF',
    made: [
      '`neuron-explorer capture -n model.neff -s profile.ntff`, or `NEURON_RT_INSPECT_ENABLE=1` with `NEURON_RT_INSPECT_DEVICE_PROFILE=1` around any program; keep the NEFF in the same folder',
    ],
    read: [
      'Every instruction of every engine as a kernel (stream: the engine), with operands, multiply-accumulates and bytes per memory, decoded from its words; DMA packets as copies with their transfer and tensor; semaphores, throttling and memory use as samples. No AWS tools, database or device are needed.',
      "Times are picoseconds of the device; `start` and `dur` are the nanoseconds that the vendor's tool shows, and `ps` holds the remaining picoseconds.",
      "Names, types and shapes of tensors and the version of the compiler come from the NEFF: the one of `--neff`, else the one in the folder of the input with the same identity. So do the compiler's instruction names, dependencies, the variables that transfers move, and, if compiled with debug information, layers, operations of the compiler's graph and source lines.",
      "A folder gives the traces of all its workers (`profile_rank_0.ntff`, `profile_rank_0_exec_2.ntff`, `<hash>_instid_0_vnc_0.ntff`) in one stream; a trace is skipped if its folder has the tool's report on it (`X_profile_full.json`).",
      "The layout was inferred from captures of version 6 and checked against the vendor's report of the same runs. Other versions are refused with an error. Details: docs/neuron-instructions.md.",
    ],
  },
  // A program is found by its content, so a file with any name may be the program.
  sidecars: (folder, candidate) =>
    parseHeader(firstBytes(candidate, NEFF_HEADER_BYTES)) === null ? [] : pathsIn(folder),
  sniff: isTrace,
  isCovered: hasReport,
  read: (probe, options) => readDeviceTrace('ntff', probe, options),
};
