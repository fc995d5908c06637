/** `deviceProperties` of a trace → devices of the profile. */
import type { Device } from '../../../record/record.js';
import { UNKNOWN_DEVICE } from '../../trace/trace.js';
import { isJsonObject } from '../../json/json-value.js';

const number = (value: unknown): number | null =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : null;

/** AMD's own architecture names, by those of devices. Source: LLVM, "User Guide for AMDGPU Backend". */
const AMD_ARCHITECTURES: readonly (readonly [name: RegExp, arch: string])[] = [
  [/MI100/, 'gfx908'],
  [/MI2\d\d/, 'gfx90a'],
  [/MI3[02]\dX?/, 'gfx942'],
  [/MI35\dX?/, 'gfx950'],
];

/** The same by compute version, which is all that a trace without a name has: only versions of a single one. */
const AMD_BY_VERSION: ReadonlyMap<string, string> = new Map([
  ['9.4', 'gfx942'],
  ['9.5', 'gfx950'],
]);

const vendorOf = (name: string): string => {
  if (/AMD|Radeon|Instinct|gfx\d/i.test(name)) return 'amd';
  return /NVIDIA|Tesla|GeForce|Quadro|TITAN|^[ABHLV]\d{2,3}\b/i.test(name) ? 'nvidia' : 'unknown';
};

function architecture(vendor: string, name: string, major: number | null, minor: number | null): string | null {
  if (vendor === 'amd') {
    const named = AMD_ARCHITECTURES.find(([pattern]) => pattern.test(name))?.[1];
    return named ?? (name === '' ? (AMD_BY_VERSION.get(`${major}.${minor}`) ?? null) : null);
  }
  return vendor === 'nvidia' && major !== null && minor !== null ? `sm${major}${minor}` : null;
}

function readDevice(value: unknown, traceVendor: string): Device | null {
  if (!isJsonObject(value)) return null;
  const id = number(value['id']);
  const name = value['name'];
  if (id === null) return null;
  const text = typeof name === 'string' ? name : '';
  const named = vendorOf(text);
  const vendor = named === 'unknown' ? traceVendor : named;
  return {
    id,
    ...UNKNOWN_DEVICE,
    vendor,
    name: text === '' ? null : text,
    arch: architecture(vendor, text, number(value['computeMajor']), number(value['computeMinor'])),
    units: number(value['numSms']),
    memBytes: number(value['totalGlobalMem']),
  };
}

/**
 * The devices that a trace describes, and those that only occur in its activities: on AMD's systems the host's CPUs are
 * numbered among the devices, so that activities have other ids than those described. These are taken to be of the
 * described model where all described devices are of one.
 * @param properties `deviceProperties` of the trace
 * @param used device ids of activities
 * @param vendor of devices whose name does not say it
 */
export function devicesOfTrace(properties: unknown, used: ReadonlySet<number>, vendor = 'unknown'): Device[] {
  const described = (Array.isArray(properties) ? properties : [])
    .map((value) => readDevice(value, vendor))
    .filter((device) => device !== null);
  const [first] = described;
  const oneModel =
    first !== undefined && described.every(({ name, units }) => name === first.name && units === first.units);
  const model = oneModel ? first : UNKNOWN_DEVICE;
  const known = new Set(described.map(({ id }) => id));
  const others = [...used].filter((id) => !known.has(id)).map((id) => ({ ...model, id }));
  return [...described, ...others].sort((a, b) => a.id - b.id);
}
