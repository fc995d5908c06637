/** Devices in AMD's tables and labels of agents. */
import type { Device } from '../../record/record.js';

/** The number of an agent in its label, `Agent 4`, `GPU 0`, `GPU-0` or `4`; null when there is none. */
export function agentNumber(label: string): number | null {
  const digits = /\d{1,15}$/.exec(label)?.[0];
  return digits === undefined ? null : Number(digits);
}

/** Untyped facts of a device, from the tracer's table of agents. */
interface AgentFacts {
  /** Number of the device in the profile. */
  readonly id: number;
  readonly product: unknown;
  /** Such as gfx942. */
  readonly arch: unknown;
  /** Compute units. */
  readonly units: unknown;
  /** The highest clock of the compute units. */
  readonly megahertz: unknown;
  /** Bytes of the device's memory. */
  readonly memory: unknown;
}

export function amdDevice({ id, product, arch, units, megahertz, memory }: AgentFacts): Device {
  const clock = positive(megahertz);
  return {
    ...{ id, vendor: 'amd', name: textOrNull(product), arch: textOrNull(arch), units: positive(units) },
    ...{ clockHz: clock === null ? null : clock * 1e6, memBytesPerS: null, memBytes: positive(memory) },
  };
}

const positive = (cell: unknown): number | null => (typeof cell === 'number' && cell > 0 ? cell : null);
const textOrNull = (cell: unknown): string | null => (typeof cell === 'string' && cell !== '' ? cell : null);
