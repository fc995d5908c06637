/** What a database says of the profile: its devices, its rank, versions, groups of ranks. Never of an environment. */
import type { Diagnostics } from '../../../../record/diagnostics.js';
import type { Device, Labels } from '../../../../record/record.js';
import type { SqliteFile } from '../../../sqlite/sqlite.js';
import { readProfilerInfo } from '../profiler-info.js';

export const TOOL = 'Ascend PyTorch Profiler';

export interface ProfileFacts {
  readonly tool: string;
  readonly rank: number | null;
  readonly facts: Labels;
}

/** `ascend_pytorch_profiler_3.db` is that of rank 3. */
const RANK_IN_NAME = /^ascend_pytorch_profiler_(\d{1,6})\.db/;

/**
 * @param folder where the database stands
 * @param file its base name
 */
export function readProfileFacts(
  database: SqliteFile,
  folder: string | null,
  file: string,
  diagnostics: Diagnostics,
): ProfileFacts {
  const inName = RANK_IN_NAME.exec(file)?.[1];
  const known = rankOf(database) ?? (inName === undefined ? null : Number(inName));
  const info = readProfilerInfo(folder, known, diagnostics);
  const schema = metadata(database, 'SCHEMA_VERSION');
  const versions = [
    ...(info?.torchNpu === undefined || info.torchNpu === null ? [] : [`torch_npu ${info.torchNpu}`]),
    ...(info?.cann === undefined || info.cann === null ? [] : [`CANN ${info.cann}`]),
  ];
  return {
    tool: versions.length === 0 ? TOOL : `${TOOL} (${versions.join(', ')})`,
    rank: known ?? info?.rank ?? null,
    facts: { ...(schema === null ? undefined : { schema_version: schema }), ...info?.facts },
  };
}

/** The rank, where all devices are of one. */
function rankOf(database: SqliteFile): number | null {
  const ranks = new Set<number>();
  database.eachNumbers('RANK_DEVICE_MAP', ['rankId'], ([rank = NaN]) => {
    if (rank >= 0) ranks.add(rank);
  });
  const [rank] = ranks;
  return ranks.size === 1 && rank !== undefined ? rank : null;
}

function metadata(database: SqliteFile, name: string): string | null {
  const isNamed = { needs: ['name'], sql: `name = '${name}'` };
  for (const [value] of database.rows('META_DATA', ['value'], [isNamed])) if (typeof value === 'string') return value;
  return null;
}

/** Ranks of the groups that the profile describes, by name. */
export function readGroups(database: SqliteFile): Map<string, readonly number[]> {
  const groups = new Map<string, readonly number[]>();
  let described: unknown;
  try {
    described = JSON.parse(metadata(database, 'parallel_group_info') ?? 'null');
  } catch {
    return groups;
  }
  if (typeof described !== 'object' || described === null) return groups;
  for (const [name, group] of Object.entries(described as Record<string, unknown>)) {
    const ranks: unknown = typeof group === 'object' && group !== null && 'global_ranks' in group ? group.global_ranks : null; // prettier-ignore
    if (!Array.isArray(ranks) || !ranks.every((rank): rank is number => Number.isSafeInteger(rank) && (rank as number) >= 0)) continue; // prettier-ignore
    groups.set(name, ranks);
  }
  return groups;
}

/**
 * The devices of a profile and those that appear in its activities.
 * @param clocks highest clock of the cores by device, in Hz
 * @param units matrix units by device, where the kernels tell them
 */
export function readDevices(
  database: SqliteFile,
  used: ReadonlySet<number>,
  clocks: ReadonlyMap<number, number>,
  units: ReadonlyMap<number, number>,
): Device[] {
  const names = new Map<number, string | null>([...used].map((id) => [id, null]));
  const told: (string | null)[] = [];
  for (const [id, name] of database.rows('NPU_INFO', ['id', 'name'])) {
    if (typeof id !== 'number' || !(id >= 0)) continue;
    const text = typeof name === 'string' && name !== '' ? name : null;
    names.set(id, text);
    told.push(text);
  }
  // Devices of one machine are of one model.
  const model = new Set(told).size === 1 ? (told[0] ?? null) : null;
  return [...names].sort(([a], [b]) => a - b).map(([id, name]) => {
    const known = name ?? model;
    return {
      id,
      vendor: 'huawei',
      name: known,
      arch: known?.toLowerCase() ?? null,
      units: units.get(id) ?? null,
      clockHz: clocks.get(id) ?? null,
      memBytesPerS: null,
      memBytes: null,
    };
  }); // prettier-ignore
}
