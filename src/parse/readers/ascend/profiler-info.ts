/**
 * Reads profiler_info_{rank}.json in the profile's folder: rank, versions and settings; only the listed fields are read.
 * Also reads what the program added to the profile with `add_metadata`, and facts about its framework, from rows of
 * META_DATA, or from profiler_metadata.json in the profile's folder or its parent. The only environment
 * variables that are read are those in ENVIRONMENT.
 */
import { basename, join, resolve } from 'node:path';
import type { Diagnostics } from '../../../record/diagnostics.js';
import type { Labels } from '../../../record/record.js';
import { entriesOf, fieldOf, isJsonObject, sizeOf, textOf, parseJson } from '../../json/json-value.js';
import { namesIn, readJsonFile } from '../../files.js';
import type { JobFacts } from '../../trace/trace.js';
import { ASCEND_INFO, ASCEND_OUTPUT, ASCEND_METADATA } from './ascend-files.js';
import type { UnreadEvents } from '../../unread-events.js';
import { existsSync } from 'node:fs';

/** Size limit of each file in bytes. */
const LARGEST = 4 * 1024 * 1024;
/** Maximum number of facts of a profile, and of levels of nested objects. Anything more is left out. */
const [MOST_FACTS, MOST_DEPTH] = [200, 4];

/** Entries that are left out; the groups of ranks are in `groups` of the profile. */
const LEFT_OUT = /^(ENV_VARIABLES|parallel_group_info|SCHEMA_VERSION(_\w+)?)$/;

/**
 * The environment variables that become facts; all of them are numbers. Others may contain secrets, and are not read out of
 * the profile.
 */
const ENVIRONMENT = ['ASCEND_GLOBAL_LOG_LEVEL', 'HCCL_RDMA_TC', 'HCCL_RDMA_SL', 'ACLNN_CACHE_LIMIT'] as const;

type Facts = Record<string, string | number>;

/**
 * Facts by dotted names, such as `metadata.distributed_args.world_size`. Values in databases are JSON strings or plain
 * strings.
 */
export function metadataFacts(entries: Iterable<readonly [name: string, value: unknown]>): Labels {
  const facts: Facts = {};
  for (const [name, value] of entries) {
    const parsed = typeof value === 'string' ? (parseJson(Buffer.from(value)) ?? value) : value;
    if (name === 'ENV_VARIABLES') Object.assign(facts, environmentFacts(parsed));
    else if (!LEFT_OUT.test(name)) addFact(facts, `metadata.${name}`, parsed);
  }
  return facts;
}

/**
 * Facts such as `env.HCCL_RDMA_TC: 132`, for listed variables that were set.
 * @param variables strings; '' for a variable that was not set
 */
function environmentFacts(variables: unknown): Facts {
  const facts: Facts = {};
  for (const name of ENVIRONMENT) {
    const text = String(fieldOf(variables, name));
    if (/^-?\d{1,15}$/.test(text)) facts[`env.${name}`] = Number(text);
  }
  return facts;
}

/** Adds a value under its name: an object's members as `name.key`, a list joined by commas. Unknown values are left out. */
function addFact(facts: Facts, name: string, value: unknown, depth = 1): void {
  if (Object.keys(facts).length >= MOST_FACTS) return;
  if (isJsonObject(value)) {
    if (depth === MOST_DEPTH) return;
    for (const [key, within] of entriesOf(value))
      if (!LEFT_OUT.test(key)) addFact(facts, `${name}.${key}`, within, depth + 1);
  } else if (Array.isArray(value)) {
    if (value.every(isScalar)) facts[name] = value.join(',');
  } else if (typeof value === 'number') facts[name] = value;
  else if (isScalar(value) && value !== '') facts[name] = String(value);
}

const isScalar = (value: unknown): value is string | number | boolean => /string|number|boolean/.test(typeof value);

/** The members of the metadata file; empty when there is no file. */
export function readMetadataFile(folder: string | null, diagnostics: Diagnostics): ReadonlyMap<string, unknown> {
  if (folder === null) return new Map();
  const path = [folder, join(folder, '..')]
    .map((place) => join(place, ASCEND_METADATA))
    .find((file) => existsSync(file));
  if (path === undefined) return new Map();
  const json = readJsonFile(path, LARGEST);
  if (!isJsonObject(json)) diagnostics.count('companion-file-not-read');
  return new Map(entriesOf(json));
}

const TOOL = 'Ascend PyTorch Profiler';

export interface AscendProfileFacts {
  readonly tool: string;
  readonly rank: number | null;
  readonly job: JobFacts;
  readonly facts: Labels;
}

export interface ProfilerInfo {
  readonly rank: number | null;
  readonly facts: Labels;
  readonly torchNpu: string | null;
  readonly cann: string | null;
}

/** Settings in `config.common_config` and `config.experimental_config`; their facts have no leading underscore. */
const SETTINGS = [
  ...['activities', 'schedule', '_profiler_level', '_aic_metrics', '_export_type', '_data_simplification'],
  ...['_l2_cache', '_op_attr', 'record_op_args', '_msprof_tx', '_mstx', '_mstx_domain_include', '_mstx_domain_exclude'],
  ...['_gc_detect_threshold', '_host_sys', '_sys_io', '_sys_interconnection'],
  ...['record_shapes', 'profile_memory', 'with_stack', 'with_modules', 'with_flops'],
];
/** Text for a setting that is off. In the file, it is `null` or an empty list. */
const OFF = 'none';

export function toolName(info: ProfilerInfo | null): string {
  const versions: string[] = [];
  if (info !== null && info.torchNpu !== null) versions.push(`torch_npu ${info.torchNpu}`);
  if (info !== null && info.cann !== null) versions.push(`CANN ${info.cann}`);
  return versions.length === 0 ? TOOL : `${TOOL} (${versions.join(', ')})`;
}

/**
 * Reads profiler_info in a folder or its parent.
 * @param rank rank of the profile, if known: several ranks may share a folder
 * @returns null when there is none, or when several may apply
 */
export function readProfilerInfo(
  folder: string | null,
  rank: number | null,
  diagnostics: Diagnostics,
): ProfilerInfo | null {
  if (folder === null) return null;
  for (const place of [folder, join(folder, '..')]) {
    const names = namesIn(place, ASCEND_INFO);
    const chosen = names.find((name) => rankIn(name) === rank) ?? names[0];
    if (chosen === undefined) continue;
    if (names.length > 1 && rankIn(chosen) !== rank) break;
    const info = readInfo(join(place, chosen), rankIn(chosen));
    if (info === null) diagnostics.count('companion-file-not-read');
    return info;
  }
  // Counted only inside the profiler's own folder, because files that were copied elsewhere are not expected to have
  // it.
  if (basename(resolve(folder)) === ASCEND_OUTPUT) diagnostics.count('profiler-info-not-found');
  return null;
}

/**
 * Counts files of `record_op_args`, which are in a folder next to the profile's. Their format is not documented.
 * @param folder folder of the profile, or of its output
 */
export function countOpArgs(folder: string | null, unread: UnreadEvents): void {
  if (folder === null) return;
  for (const place of [resolve(folder), resolve(folder, '..')])
    if (place.endsWith('_ascend_pt')) unread.count('files of op_args', namesIn(`${place}_op_args`, /^[^.]/).length);
}

const rankIn = (name: string): number | null => {
  const rank = /_(\d{1,6})\.json$/.exec(name)?.[1];
  return rank === undefined ? null : Number(rank);
};

function readInfo(path: string, rankOfName: number | null): ProfilerInfo | null {
  const info = readJsonFile(path, LARGEST);
  if (!isJsonObject(info)) return null;
  const config = fieldOf(info, 'config');
  const groups = ['common_config', 'experimental_config'].map((group) => fieldOf(config, group));
  const settings = new Map(groups.flatMap(entriesOf));
  const facts: Facts = {};
  for (const key of SETTINGS) {
    const value = settings.get(key);
    const isOff = value === null || (Array.isArray(value) && value.length === 0);
    addFact(facts, key.replace(/^_/, ''), isOff ? OFF : value);
  }
  return {
    rank: sizeOf(fieldOf(info, 'rank_id')) ?? rankOfName,
    facts,
    torchNpu: textOf(fieldOf(info, 'torch_npu_version')),
    cann: textOf(fieldOf(info, 'cann_version')),
  };
}
