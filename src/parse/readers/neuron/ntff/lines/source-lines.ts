/** Records of a device trace that have no time: the profile line, and memory use. */
import { coreOfInstance } from '../../../../../record/neuron-cores.js';
import { neuronDevice } from '../../neuron-device.js';
import type { Labels, ProfileRecord, SampleRecord } from '../../../../../record/record.js';
import type { ReadOptions } from '../../../../reader.js';
import { fileNameOf } from '../../../../files.js';
import { profileRecord } from '../../profile-record.js';
import { knownFacts } from '../../known-facts.js';
import type { NeffProgram } from '../../neff/program.js';
import type { DeviceClock } from '../sections/device-clock.js';
import { memoryKind, TOTAL } from './memory-kinds.js';
import type { CoreProgram, Metadata } from '../file/metadata.js';
import { nanoseconds } from '../rows/rows.js';
import { VERSION } from '../file/ntff-file.js';

export function profileLine(
  format: string,
  options: ReadOptions,
  metadata: Metadata,
  cores: readonly number[],
  clock: DeviceClock,
  program: NeffProgram | null,
): ProfileRecord {
  const core = coreOfInstance(metadata.instanceType);
  return profileRecord(format, options, {
    tool: null,
    dur: nanoseconds(clock.length),
    devices: cores.map((id) => neuronDevice(id, core)),
    facts: factsOf(metadata, cores, clock, program),
  });
}

function factsOf(
  metadata: Metadata,
  cores: readonly number[],
  clock: DeviceClock,
  program: NeffProgram | null,
): Labels {
  const core = coreOfInstance(metadata.instanceType);
  return knownFacts({
    instanceType: metadata.instanceType,
    runtimeVersion: metadata.runtimeVersion,
    driverVersion: metadata.driverVersion,
    collectivesVersion: metadata.collectivesVersion,
    compilerVersion: program?.facts['compilerVersion'],
    totalTimePs: clock.length,
    peRows: core?.peRows,
    peCols: core?.peCols,
    peClockHz: core?.peClockHz,
    clockHz: core?.clockHz,
    dmaBytesPerS: core?.dmaBytesPerS,
    hbmBytesPerS: core?.hbmBytesPerS,
    cores: cores.length,
    // The base name alone: paths of the machine must not leak.
    model: metadata.modelFile === null ? null : fileNameOf(metadata.modelFile),
    uuid: metadata.uuid,
    ntffVersion: VERSION,
    executions: metadata.windows.length > 1 ? metadata.windows.length : null,
  });
}

/** Memory of one core by use, and the total, as in the vendor's tool. */
export function* memoryLines(profile: number, core: number, graphs: readonly CoreProgram[]): Generator<SampleRecord> {
  const uses = graphs.flatMap((graph) => graph.memory);
  if (uses.length === 0) return;
  const total = uses.reduce((sum, { bytes }) => sum + bytes, 0);
  for (const { name, bytes } of [...uses, { name: TOTAL, bytes: total }]) {
    yield {
      type: 'sample',
      profile,
      start: null,
      device: core,
      metric: 'memory',
      value: bytes,
      unit: 'bytes',
      labels: { kind: memoryKind(name) },
    };
  }
}
