/**
 * Files of one capture in a folder: the trace, its program, and the report of the vendor's tool, which contains the
 * trace's information and more. Source: file names of the runtime, neuron-profile and NKI.
 */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Probe } from '../../reader.js';

const TRACE = /\.ntff(?:\.gz)?$/;

/** Whether a program's folder has a trace: the program is then read with it. */
export const hasTraceInFolder = ({ folder }: Probe): boolean =>
  folder !== null && readdirSync(folder).some((name) => TRACE.test(name));

/** NKI writes the report of `X.ntff` as `json_reports/X_profile_full.json`. */
const REPORT_FOLDERS = ['.', 'json_reports'];
const REPORT_SUFFIXES = ['_profile_full.json', '_profile_full.json.gz'];

/** Whether the tool's report of a trace exists: it then covers the trace. */
export function hasReport({ folder, file }: Probe): boolean {
  const stem = file.replace(/^.*[/\\]/, '').replace(TRACE, '');
  if (folder === null) return false;
  const reports = REPORT_FOLDERS.flatMap((place) =>
    REPORT_SUFFIXES.map((suffix) => join(folder, place, stem + suffix)),
  );
  return reports.some((report) => existsSync(report));
}
