/**
 * The profile line of a Neuron profile: its facts and cores, the units of its metrics, and the other files of its capture.
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

/** Whether a program's folder has a trace. If so, the program is read together with the trace. */
export const hasTraceInFolder = ({ folder }: Probe): boolean =>
  folder !== null && readdirSync(folder).some((name) => TRACE.test(name));

/** Folders of reports: NKI writes the report of `X.ntff` as `json_reports/X_profile_full.json`. */
const REPORT_FOLDERS = ['.', 'json_reports'];
const REPORT_SUFFIXES = ['_profile_full.json', '_profile_full.json.gz'];

/**
 * Whether a report of the vendor's tool exists for a trace. The report contains all information of the trace, so the
 * trace is skipped. The folder of a capture has the trace, its program, and the report. Source: file names of the
 * runtime, neuron-profile and NKI.
 */
export function hasReport({ folder, file }: Probe): boolean {
  const stem = file.replace(/^.*[/\\]/, '').replace(TRACE, '');
  if (folder === null) return false;
  const reports = REPORT_FOLDERS.flatMap((place) =>
    REPORT_SUFFIXES.map((suffix) => join(folder, place, stem + suffix)),
  );
  return reports.some((report) => existsSync(report));
}

/** Units by name; the first match is used. */
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
 * Unit of a summary's metric; null for numbers without a unit (indices, ratios), strings, and unknown names. Metrics called
 * percent are fractions of 1, and times are in seconds unless the name says otherwise. Source: the tool's own definitions
 * (its table `terminology`, AWS's profile schema reference), checked on real summaries.
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

/** Facts of a profile without unknown ones, which are null, undefined, or an empty string. */
export function knownFacts(facts: Readonly<Record<string, string | number | null | undefined>>): Labels {
  const isKnown = (fact: [string, string | number | null | undefined]): fact is [string, string | number] =>
    fact[1] !== null && fact[1] !== undefined && fact[1] !== '';
  return Object.fromEntries(Object.entries(facts).filter(isKnown));
}

/**
 * A NeuronCore as a device of a profile.
 * @param id id of the core on its instance
 * @param core its generation; when null, only the id is known
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
