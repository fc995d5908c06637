/**
 * The profile line of a Neuron profile: the record, its facts and its cores; units of its metrics, and the other
 * files of its capture.
 */
import {
  SCHEMA_VERSION,
  type ProfileRecord,
  type Labels,
  type Dependency,
  type Device,
} from '../../../record/record.js';
import { UNKNOWN_DEVICE } from '../../trace/trace.js';
import type { ReadOptions, Probe } from '../../reader.js';
import type { NeuronCore } from '../../../record/neuron/neuron-cores.js';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const TRACE = /\.ntff(?:\.gz)?$/;

/** Whether a program's folder has a trace: the program is then read with it. */
export const hasTraceInFolder = ({ folder }: Probe): boolean =>
  folder !== null && readdirSync(folder).some((name) => TRACE.test(name));

/** NKI writes the report of `X.ntff` as `json_reports/X_profile_full.json`. */
const REPORT_FOLDERS = ['.', 'json_reports'];
const REPORT_SUFFIXES = ['_profile_full.json', '_profile_full.json.gz'];

/**
 * A capture in a folder is the trace, its program, and the report of the vendor's tool, which contains the trace's
 * information and more. Source: file names of the runtime, neuron-profile and NKI. Whether the tool's report of a
 * trace exists: it then covers the trace.
 */
export function hasReport({ folder, file }: Probe): boolean {
  const stem = file.replace(/^.*[/\\]/, '').replace(TRACE, '');
  if (folder === null) return false;
  const reports = REPORT_FOLDERS.flatMap((place) =>
    REPORT_SUFFIXES.map((suffix) => join(folder, place, stem + suffix)),
  );
  return reports.some((report) => existsSync(report));
}

/** The first matching pattern decides. */
const UNITS: readonly (readonly [name: RegExp, unit: string])[] = [
  [/_percent$/, 'fraction'],
  [/_ns$/, 'ns'],
  [/(?:^|_)time$/, 's'],
  [/^ultraserver_size$/, 'count'],
  [/_(?:bytes|size)$/, 'bytes'],
  [/(?:^|_)flops$/, 'FLOP'],
  [/_cycles$|_cycle_count$/, 'cycles'],
  [/_count$/, 'count'],
];

/**
 * Source: the tool's own definitions (its table `terminology`, AWS's profile schema reference), checked on real
 * summaries: metrics called percent are fractions of 1, and times are in seconds unless the name says otherwise. Unit
 * of a summary's metric; null for numbers without a unit (indices, ratios), texts, and unknown names.
 */
export const unitOfMetric = (name: string): string | null => UNITS.find(([pattern]) => pattern.test(name))?.[1] ?? null;

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
