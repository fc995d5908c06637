/**
 * What the program added to the profile by `add_metadata`, and what its framework did: rows of META_DATA, or
 * profiler_metadata.json in the profile's folder or the one above. Of the environment only what ENVIRONMENT lists.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Diagnostics } from '../../../record/diagnostics.js';
import type { Labels } from '../../../record/record.js';
import { ASCEND_METADATA } from './ascend-files.js';
import { readJsonFile } from '../../files.js';
import { entriesOf, fieldOf, isJsonObject, parseJson } from '../../json/json-value.js';

/** Size limit in bytes. */
const LARGEST = 4 * 1024 * 1024;
/** Facts of one profile, and objects within objects; further ones are left out. */
const [MOST_FACTS, MOST_DEPTH] = [200, 4];

/** The groups of ranks are in `groups` of the profile. */
const LEFT_OUT = /^(ENV_VARIABLES|parallel_group_info|SCHEMA_VERSION(_\w+)?)$/;

/** THE environment variables that are facts, all of them numbers. Others may hold secrets, and stay in the profile. */
const ENVIRONMENT = ['ASCEND_GLOBAL_LOG_LEVEL', 'HCCL_RDMA_TC', 'HCCL_RDMA_SL', 'ACLNN_CACHE_LIMIT'] as const;

export type Facts = Record<string, string | number>;

/** Facts by dotted names: `metadata.distributed_args.world_size`. Values of databases are texts of JSON, or plain ones. */
export function metadataFacts(entries: Iterable<readonly [name: string, value: unknown]>): Labels {
  const facts: Facts = {};
  for (const [name, value] of entries) {
    const parsed = typeof value === 'string' ? (parseJson(Buffer.from(value)) ?? value) : value;
    if (name === 'ENV_VARIABLES') Object.assign(facts, environmentFacts(parsed));
    else if (!LEFT_OUT.test(name)) addFact(facts, `metadata.${name}`, parsed);
  }
  return facts;
}

/** `env.HCCL_RDMA_TC: 132`: the variables of the list that were set. @param variables texts, '' where one was not set */
function environmentFacts(variables: unknown): Facts {
  const facts: Facts = {};
  for (const name of ENVIRONMENT) {
    const text = String(fieldOf(variables, name));
    if (/^-?\d{1,15}$/.test(text)) facts[`env.${name}`] = Number(text);
  }
  return facts;
}

/** Adds a value under its name: an object's by `name.key`, a list joined by commas. Anything unknown is left out. */
export function addFact(facts: Facts, name: string, value: unknown, depth = 1): void {
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

/** The file by its keys; empty where there is none. */
export function readMetadataFile(folder: string | null, diagnostics: Diagnostics): ReadonlyMap<string, unknown> {
  if (folder === null) return new Map();
  const path = [folder, join(folder, '..')]
    .map((place) => join(place, ASCEND_METADATA))
    .find((file) => existsSync(file));
  if (path === undefined) return new Map();
  const json = readJsonFile(path, LARGEST);
  if (!isJsonObject(json)) diagnostics.count('file-beside-not-read');
  return new Map(entriesOf(json));
}
