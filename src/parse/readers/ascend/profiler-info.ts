/**
 * profiler_info_{rank}.json, which stands in the folder of the profile: rank, versions and how the profiler was
 * configured. Only what is listed here is taken from it.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import type { Diagnostics } from '../../../record/diagnostics.js';
import type { Labels } from '../../../record/record.js';

/** A file of this name that is larger is none of the profiler's. */
const LARGEST = 4 * 1024 * 1024;

export interface ProfilerInfo {
  readonly rank: number | null;
  readonly facts: Labels;
  readonly torchNpu: string | null;
  readonly cann: string | null;
}

/** Where the profiler puts what it writes; the information stands beside that. */
const OUTPUT = 'ASCEND_PROFILER_OUTPUT';

type Fields = Readonly<Record<string, unknown>>;

/** Settings of `config.common_config` and `config.experimental_config`, by the name under which they are given. */
const SETTINGS: readonly (readonly [key: string, fact: string])[] = [
  ['_profiler_level', 'profiler_level'],
  ['_aic_metrics', 'aic_metrics'],
  ['_l2_cache', 'l2_cache'],
  ['_op_attr', 'op_attr'],
  ['_msprof_tx', 'msprof_tx'],
  ['_mstx', 'mstx'],
  ['record_shapes', 'record_shapes'],
  ['profile_memory', 'profile_memory'],
  ['with_stack', 'with_stack'],
  ['with_modules', 'with_modules'],
  ['with_flops', 'with_flops'],
];

/**
 * The information in a folder or the one above it.
 * @param rank rank of the profile, where it is known: several ranks may share a folder
 * @returns null when there is none, or it is not to be told which of several it is
 */
export function readProfilerInfo(
  folder: string | null,
  rank: number | null,
  diagnostics: Diagnostics,
): ProfilerInfo | null {
  if (folder === null) return null;
  for (const place of [folder, join(folder, '..')]) {
    const names = namesIn(place);
    const own = names.find((name) => rankIn(name) === rank) ?? names[0];
    if (own === undefined) continue;
    if (names.length > 1 && rankIn(own) !== rank) break;
    const info = readInfo(join(place, own), rankIn(own));
    if (info === null) diagnostics.count('file-beside-not-read');
    return info;
  }
  // Of files that were copied out of the profiler's folders it is not expected.
  if (basename(resolve(folder)) === OUTPUT) diagnostics.count('profiler-info-not-found');
  return null;
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => /^profiler_info(?:_\d{1,6})?\.json$/.test(name)).sort(); // prettier-ignore
  } catch {
    return [];
  }
}

const rankIn = (name: string): number | null => {
  const rank = /_(\d{1,6})\.json$/.exec(name)?.[1];
  return rank === undefined ? null : Number(rank);
};

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : {});
const textOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);

function readInfo(path: string, rankOfName: number | null): ProfilerInfo | null {
  const info = readJson(path);
  if (info === null) return null;
  const config = fieldsOf(info['config']);
  const settings = { ...fieldsOf(config['common_config']), ...fieldsOf(config['experimental_config']) };
  const facts: Record<string, string | number> = {};
  for (const [key, fact] of SETTINGS) {
    const value = settings[key];
    if (typeof value === 'boolean') facts[fact] = String(value);
    else if (typeof value === 'number' || textOf(value) !== null) facts[fact] = value as string | number;
  }
  const rank = info['rank_id'];
  return {
    rank: typeof rank === 'number' && Number.isSafeInteger(rank) && rank >= 0 ? rank : rankOfName,
    facts,
    torchNpu: textOf(info['torch_npu_version']),
    cann: textOf(info['cann_version']),
  };
}

function readJson(path: string): Fields | null {
  try {
    if (statSync(path).size > LARGEST) return null;
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'));
    return isFields(value) ? value : null;
  } catch {
    return null;
  }
}
