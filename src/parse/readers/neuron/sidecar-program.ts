/**
 * What stands together in a folder of captures: the program beside the trace of it, and the report of the vendor's
 * tool, which tells all that the trace tells and more. Source: names that the runtime, neuron-profile and NKI give.
 */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Probe } from '../../reader.js';

const TRACE = /\.ntff(?:\.gz)?$/;

/** Whether a program stands beside a trace, which is read with it. */
export const hasTraceBeside = ({ folder }: Probe): boolean =>
  folder !== null && readdirSync(folder).some((name) => TRACE.test(name));

/** Where NKI puts the report of `X.ntff`: `json_reports/X_profile_full.json`. */
const REPORTS = ['.', 'json_reports'];
const ENDINGS = ['_profile_full.json', '_profile_full.json.gz'];

/** Whether the tool's report of a trace stands beside it. */
export function hasReportBeside({ folder, file }: Probe): boolean {
  const stem = file.replace(/^.*[/\\]/, '').replace(TRACE, '');
  return folder !== null && REPORTS.some((place) => ENDINGS.some((ending) => existsSync(join(folder, place, stem + ending)))); // prettier-ignore
}
