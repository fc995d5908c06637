/**
 * Metadata of a database: devices, rank, versions, groups of ranks, and those environment variables that `metadataFacts`
 * lists.
 */
import type { Diagnostics } from '../../../../record/diagnostics.js';
import { parseJson, textOf } from '../../../json/json-value.js';
import { UNKNOWN_DEVICE } from '../../../trace/trace.js';
import type { SqliteFile } from '../../../sqlite/sqlite.js';
import type { Device } from '../../../../record/record.js';
import { metadataFacts, readProfilerInfo, toolName, type AscendProfileFacts } from '../profiler-info.js';
import { jobOf, ProcessGroups } from '../process-groups.js';

/** File name with the rank: `ascend_pytorch_profiler_3.db` belongs to rank 3. */
const RANK_IN_NAME = /^ascend_pytorch_profiler_(\d{1,6})\.db/;

/** @param file base name of the database */
export function readProfileFacts(
  database: SqliteFile,
  folder: string | null,
  file: string,
  diagnostics: Diagnostics,
): AscendProfileFacts & { readonly groups: ProcessGroups } {
  const inName = RANK_IN_NAME.exec(file)?.[1];
  const known = rankOf(database) ?? (inName === undefined ? null : Number(inName));
  const info = readProfilerInfo(folder, known, diagnostics);
  const schema = metadata(database, 'SCHEMA_VERSION');
  const rank = known ?? info?.rank ?? null;
  const groups = readGroups(database, rank);
  return {
    tool: toolName(info),
    rank,
    job: jobOf(metadata(database, 'distributed_args'), groups, hostOf(database)),
    groups,
    facts: {
      ...(schema === null ? undefined : { schema_version: schema }),
      ...info?.facts,
      ...metadataFacts(readMetadata(database)),
    },
  };
}

/** The rank, if it is the same for all devices. */
function rankOf(database: SqliteFile): number | null {
  const ranks = new Set<number>();
  database.eachNumbers('RANK_DEVICE_MAP', ['rankId'], ([rank = NaN]) => {
    if (rank >= 0) ranks.add(rank);
  });
  const [rank] = ranks;
  return ranks.size === 1 && rank !== undefined ? rank : null;
}

/** The device of the profile's rank; 0 when none or several are stated. */
export function onlyDevice(database: SqliteFile): number {
  const devices = new Set<number>();
  database.eachNumbers('RANK_DEVICE_MAP', ['deviceId'], ([device = NaN]) => {
    if (device >= 0) devices.add(device);
  });
  const [device = 0] = devices;
  return devices.size === 1 ? device : 0;
}

/** All rows of metadata, in order of name. */
function* readMetadata(database: SqliteFile): Generator<readonly [name: string, value: unknown]> {
  const rows = [...database.rows('META_DATA', ['name', 'value'])].map(
    ([name, value]) => [String(name), value] as const,
  );
  yield* rows.sort(([a], [b]) => (a < b ? -1 : 1));
}

function metadata(database: SqliteFile, name: string): string | null {
  const isNamed = { needs: ['name'], sql: `name = '${name}'` };
  for (const [value] of database.rows('META_DATA', ['value'], [isNamed])) if (typeof value === 'string') return value;
  return null;
}

/** The process groups that the profile describes. */
function readGroups(database: SqliteFile, rank: number | null): ProcessGroups {
  const text = metadata(database, 'parallel_group_info');
  return new ProcessGroups(text === null ? null : parseJson(Buffer.from(text)), false, rank);
}

/** Name of the machine; null when none or several are stated. */
function hostOf(database: SqliteFile): string | null {
  const names = new Set([...database.rows('HOST_INFO', ['hostName'])].map(([name]) => textOf(name)));
  const [name = null] = names;
  return names.size === 1 ? name : null;
}

/**
 * The devices that a profile describes, and devices that appear only in its activities.
 * @param clocks highest clock of the cores by device, in Hz
 * @param units matrix units by device, if known from the kernels
 */
export function readDevices(
  database: SqliteFile,
  used: ReadonlySet<number>,
  clocks: ReadonlyMap<number, number>,
  units: ReadonlyMap<number, number>,
): Device[] {
  const names = new Map<number, string | null>([...used].map((id) => [id, null]));
  const listed: (string | null)[] = [];
  for (const [id, name] of database.rows('NPU_INFO', ['id', 'name'])) {
    if (typeof id !== 'number' || !(id >= 0)) continue;
    const text = typeof name === 'string' && name !== '' ? name : null;
    names.set(id, text);
    listed.push(text);
  }
  // All devices of a machine are assumed to be the same model.
  const [first = null] = listed;
  const model = listed.every((name) => name === first) ? first : null;
  return [...names]
    .sort(([a], [b]) => a - b)
    .map(([id, name]) => {
      const known = name ?? model;
      return {
        id,
        ...UNKNOWN_DEVICE,
        vendor: 'huawei',
        name: known,
        arch: known?.toLowerCase() ?? null,
        units: units.get(id) ?? null,
        clockHz: clocks.get(id) ?? null,
      };
    });
}
