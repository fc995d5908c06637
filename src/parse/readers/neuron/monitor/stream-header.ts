/** The profile line of a stream, from its first report. */
import { coreOfArch, coreOfInstance } from '../../../../record/neuron-cores.js';
import { neuronDevice } from '../neuron-device.js';
import type { Labels, ProfileRecord } from '../../../../record/record.js';
import { profileRecord } from '../profile-record.js';
import type { Leaf } from './leaves.js';

/** More cores than any instance has: larger counts are taken for damage. */
const MOST_CORES = 4096;

export interface StreamName {
  readonly profile: number;
  readonly format: string;
  /** Name of the input in messages. */
  readonly input: string;
  /** Base name. */
  readonly file: string;
  readonly rank: number | null;
}

export function streamHeader(name: StreamName, leaves: readonly Leaf[], startUnixNs: bigint | null): ProfileRecord {
  const instanceType = textOf(leaves, 'instance_type');
  const version = textOf(leaves, 'neuroncore_version');
  const core = coreOfInstance(instanceType) ?? coreOfArch(version === null ? null : `nc-${version}`);
  const cores = coresOf(leaves);
  const facts: Labels = {
    ...(instanceType === null ? undefined : { instanceType }),
    ...(cores.length === 0 ? undefined : { cores: cores.length }),
  };
  const devices = cores.map((id) => neuronDevice(id, core));
  return profileRecord(name.format, name, { tool: null, dur: null, devices, facts }, startUnixNs?.toString() ?? null);
}

/** All cores of the instance where the report counts them, and those in use. */
function coresOf(leaves: readonly Leaf[]): number[] {
  const devices = numberOf(leaves, 'neuron_device_count');
  const coresPerDevice = numberOf(leaves, 'neuroncore_per_device_count');
  const count = devices === null || coresPerDevice === null ? 0 : devices * coresPerDevice;
  const counted = Number.isInteger(count) && count <= MOST_CORES ? count : 0;
  const inUse = leaves.flatMap(({ labels: { core } }) => (typeof core === 'number' && core < MOST_CORES ? [core] : []));
  return [...new Set([...Array(counted).keys(), ...inUse])].sort((a, b) => a - b);
}

const find = (leaves: readonly Leaf[], metric: string): Leaf | undefined =>
  leaves.find((leaf) => leaf.metric === metric);

const numberOf = (leaves: readonly Leaf[], metric: string): number | null => find(leaves, metric)?.value ?? null;

function textOf(leaves: readonly Leaf[], metric: string): string | null {
  const text = find(leaves, metric)?.text;
  return text === undefined || text === '' ? null : text;
}
