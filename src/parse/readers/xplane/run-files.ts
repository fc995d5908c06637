/** Files that JAX and TensorFlow write in the folder of a run: an XPlane file for each host, and a trace for TensorBoard. */
import { existsSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { namesIn } from '../../files.js';
import type { Probe } from '../../reader.js';

/** The path without the ending of an XPlane file; undefined for another file. */
export const hostOfXPlane = (path: string): string | undefined => /^(.*)\.xplane\.pb(?:\.gz)?$/s.exec(path)?.[1];

/** The same for a trace. */
export const hostOfTrace = (path: string): string | undefined =>
  /^(.*)(?<!\.pt)\.trace\.json(?:\.gz)?$/s.exec(path)?.[1];

/** Folder of a run of the profiler. */
const FOLDER_OF_RUN = /[\\/]plugins[\\/]profile[\\/][^\\/]+$/;
const ANY = /\.(?:xplane\.pb|trace\.json)(?:\.gz)?$/;

/**
 * The rank of a host in its run: its place in the order of names, since the files state no rank. Null if the run has only
 * one host, and outside of a run's folder, where files of several runs may lie together.
 */
export function rankOfHost({ folder, file }: Probe): number | null {
  if (folder === null || !FOLDER_OF_RUN.test(resolve(folder)) || !existsSync(folder)) return null;
  const hostOf = (name: string): string | undefined => hostOfXPlane(name) ?? hostOfTrace(name);
  const hosts = [...new Set(namesIn(folder, ANY).flatMap((name) => hostOf(name) ?? []))];
  hosts.sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));
  const rank = hosts.indexOf(hostOf(basename(file)) ?? '');
  return rank === -1 || hosts.length < 2 ? null : rank;
}

/**
 * Name of a file that states more about the events of a trace: the XPlane file of its host. JAX also writes the events of one
 * host as `perfetto_trace.json.gz`. Null when there is none.
 */
export function fullerFile({ folder, file }: Probe): string | null {
  if (folder === null) return null;
  const [name, others] = [basename(file), namesIn(folder, ANY)];
  const host = hostOfTrace(name);
  if (host !== undefined) return others.find((other) => hostOfXPlane(other) === host) ?? null;
  if (!name.startsWith('perfetto_trace.')) return null;
  const isOfHost = (other: string): boolean => hostOfXPlane(other) !== undefined;
  return others.find(isOfHost) ?? others.find((other) => hostOfTrace(other) !== undefined) ?? null;
}
