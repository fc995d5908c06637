/** The profile line of a Neuron profile: the record, its facts and its cores. */
import {
  SCHEMA_VERSION,
  type ProfileRecord,
  type Labels,
  type Dependency,
  type Device,
} from '../../../record/record.js';
import { UNKNOWN_DEVICE } from '../../trace/trace.js';
import type { ReadOptions } from '../../reader.js';
import type { NeuronCore } from '../../../record/neuron/neuron-cores.js';

type StatedFacts = Pick<Required<ProfileRecord>, 'tool' | 'dur' | 'devices' | 'facts'>;

export const profileRecord = (
  format: string,
  { profile, file, rank }: Pick<ReadOptions, 'profile' | 'file' | 'rank'>,
  { tool, dur, devices, facts }: StatedFacts,
  startUnixNs: string | null = null,
): ProfileRecord => ({
  type: 'profile',
  v: SCHEMA_VERSION,
  ...{ profile, format, tool, file, rank, startUnixNs, dur, devices, facts },
});

/** Facts of a profile without those that are unknown: null, undefined, or an empty text. */
export function knownFacts(facts: Readonly<Record<string, string | number | null | undefined>>): Labels {
  const isKnown = (fact: [string, string | number | null | undefined]): fact is [string, string | number] =>
    fact[1] !== null && fact[1] !== undefined && fact[1] !== '';
  return Object.fromEntries(Object.entries(facts).filter(isKnown));
}

/**
 * A NeuronCore as a device of a profile.
 * @param id of the core on its instance
 * @param core its generation; null when that is unknown: then only the id is
 */
export const neuronDevice = (id: number, core: NeuronCore | null): Device => ({
  id,
  ...UNKNOWN_DEVICE,
  vendor: 'aws',
  name: core?.product ?? null,
  arch: core?.arch ?? null,
  clockHz: core?.peClockHz ?? null,
  memBytesPerS: core?.hbmBytesPerS ?? null,
});

/** Number of an instruction's dependencies by kind: `flowDependencies` … */
export function dependencyCounters(after: readonly Dependency[]): Record<string, number> {
  const counters: Record<string, number> = {};
  for (const { kind } of after) {
    const counter = `${kind}Dependencies`;
    counters[counter] = (counters[counter] ?? 0) + 1;
  }
  return counters;
}
