import { SCHEMA_VERSION, type ProfileRecord } from '../../../record/record.js';
import type { ReadOptions } from '../../reader.js';

type StatedFacts = Pick<Required<ProfileRecord>, 'tool' | 'dur' | 'devices' | 'facts'>;

/** The profile line of a Neuron profile, in the order of the record. */
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
