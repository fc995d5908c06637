/**
 * Sidecar files of a trace or of kernel_details.csv: files with fixed names in its folder, and files of msprof, whose names
 * also contain a time and, for a table that was split, the number of the slice.
 */
import { existsSync } from 'node:fs';
import { basename, join, dirname } from 'node:path';
import type { Diagnostics } from '../../../../record/diagnostics.js';
import { isFile, readJsonFile, namesIn, Utf16Input } from '../../../files.js';
import { ASCEND_FILES, MSPROF } from '../ascend-files.js';
import { cellsOf, microsecondsOfCell, numberOfCell } from '../../../csv/csv-table.js';
import {
  readProfilerInfo,
  toolName,
  metadataFacts,
  readMetadataFile,
  type AscendProfileFacts,
  type ProfilerInfo,
} from '../profiler-info.js';
import { jobOf, ProcessGroups } from '../process-groups.js';
import { readCommunication, type CommunicationFacts } from './collective-parts.js';
import { KernelDetails, L2Cache } from './kernel-details.js';
import { readMemoryRecord, readModuleMemory, readOperatorMemory, type TextSamples } from './text-samples.js';
import type { TraceClock } from '../../../trace/clocks/trace-clock.js';
import { UNKNOWN_DEVICE } from '../../../trace/trace.js';
import type { Device } from '../../../../record/record.js';
import { median } from '../../../../record/statistics.js';
import { isMatrixKernel, unitsByBlocks } from '../device-kinds.js';

const CYCLES = 'aic_total_cycles';
const TIME = 'aicore_time(us)';
const UTILIZATION = 'cube_utilization(%)';
const MULTIPLYING = ['aic_mac_time(us)', 'aic_mac_ratio'] as const;

/** Unit: ns. Counters of kernels shorter than this are too imprecise. */
const SHORTEST = 50_000;

/** Clock in Hz and number of matrix units; null when unknown. */
interface CoreFacts {
  readonly clockHz: number | null;
  readonly units: number | null;
}

/**
 * Clock and number of matrix units of a device, inferred from the counters of its kernels, because traces do not contain
 * the model. For a kernel on matrix units, `cube_utilization` is its cycles divided by clock · units · duration, so clock ·
 * units = cycles / (utilization · duration). Source: the profiler's document about op_summary (`cube_utilization`).
 * @param sampledHz highest clock among the samples; null when it was not sampled
 */
export function coreFacts(details: KernelDetails | null, sampledHz: number | null): CoreFacts {
  if (details === null) return { clockHz: sampledHz, units: null };
  const clocks: number[] = [];
  const products: number[] = [];
  const launched: number[] = [];
  for (let row = 0; row < details.length; row++) {
    const counted = MULTIPLYING.map((name) => details.counter(name, row));
    if (!isMatrixKernel(details.coreOf(row), ...counted)) continue;
    const blocks = details.blocks.at(row);
    const cycles = details.counter(CYCLES, row);
    const dur = details.end.at(row) - details.start.at(row);
    launched.push(blocks);
    if (!(dur >= SHORTEST) || !(cycles > 0)) continue;
    const clock = (cycles / (details.counter(TIME, row) * blocks)) * 1e6;
    const product = (cycles / ((details.counter(UTILIZATION, row) / 100) * dur)) * 1e9;
    if (Number.isFinite(clock)) clocks.push(clock);
    if (Number.isFinite(product)) products.push(product);
  }
  const clockHz = sampledHz ?? roundToMHz(median(clocks, 'upper'));
  const product = median(products, 'upper');
  const measured = product === null || clockHz === null ? 0 : Math.round(product / clockHz);
  return { clockHz, units: measured > 0 ? measured : unitsByBlocks(launched) };
}

const roundToMHz = (clock: number | null): number | null => (clock === null ? null : Math.round(clock / 1e6) * 1e6);

export const devicesOf = (ids: Iterable<number>, { clockHz, units }: CoreFacts): Device[] =>
  [...new Set(ids)].sort((a, b) => a - b).map((id) => ({ id, ...UNKNOWN_DEVICE, vendor: 'huawei', units, clockHz }));

/**
 * A file of an msprof table. msprof splits tables above a million rows: `op_summary_slice_0_TIME.csv`. Source:
 * Ascend/msprof, analysis/csrc/infrastructure/dump_tools/csv_tool and analysis/common_func/file_slice_helper.py.
 */
interface Slice {
  readonly path: string;
  readonly table: string;
  readonly time: string;
  /** 0 for the first slice, and for a table that is not split. */
  readonly number: number;
}

/** The slices of a table, in order of number. */
type SplitTable = readonly [Slice, ...Slice[]];

/**
 * The tables in a folder; those with the same name are in time order. A table continues while slice numbers rise.
 * One of msprof's writers gives all slices the same time. The other gives each slice its own time, and the first slice
 * has no number.
 */
function tablesIn(folder: string): readonly SplitTable[] {
  const slices = namesIn(folder, MSPROF.table).map((name): Slice => {
    const { table = '', time = '', slice = '0' } = MSPROF.table.exec(name)?.groups ?? {};
    return { path: join(folder, name), table, time, number: Number(slice) };
  });
  const key = ({ table, time }: Slice): string => `${table}_${time}`;
  slices.sort((a, b) => (key(a) === key(b) ? a.number - b.number : key(a) < key(b) ? -1 : 1));
  const tables: [Slice, ...Slice[]][] = [];
  for (const slice of slices) {
    const table = tables.at(-1);
    const last = table?.at(-1);
    if (last?.table === slice.table && slice.number > last.number) table?.push(slice);
    else tables.push([slice]);
  }
  return tables;
}

/** The table to which a file belongs; null when its name is not that of a slice. */
export function tableOf(path: string): SplitTable | null {
  const name = basename(path);
  if (!MSPROF.table.test(name)) return null;
  return tablesIn(dirname(path)).find((table) => table.some((slice) => basename(slice.path) === name)) ?? null;
}

/** The files of a table in order. Counts slices that are missing before the last one. */
export function filesOf(table: SplitTable, diagnostics: Diagnostics): string[] {
  const last = table.at(-1)?.number ?? 0;
  diagnostics.count('table-slice-missing', last + 1 - table.length);
  return table.map(({ path }) => path);
}

/** Size limit of communication.json in bytes. */
const LARGEST_JSON = 256 * 1024 * 1024;

export class SidecarFiles {
  readonly groups: ProcessGroups;
  readonly #info: ProfilerInfo | null;
  readonly #metadata: ReadonlyMap<string, unknown>;

  /** @param folder null for standard input */
  constructor(
    private readonly folder: string | null,
    private readonly diagnostics: Diagnostics,
  ) {
    this.#info = readProfilerInfo(folder, null, diagnostics);
    this.#metadata = readMetadataFile(folder, diagnostics);
    this.groups = new ProcessGroups(this.#metadata.get('parallel_group_info'), true, this.#info?.rank ?? null);
  }

  /** Reads kernel_details.csv, or msprof's op_summary_*.csv; null when there is neither. */
  kernelDetails(clock: TraceClock): KernelDetails | null {
    const read = (paths: readonly string[]): KernelDetails | null => KernelDetails.read(paths, clock, this.diagnostics);
    const details = this.#reading(ASCEND_FILES.details, read) ?? this.#reading('op_summary.csv', read);
    if (details !== null) this.addRates(details);
    return details;
  }

  /** Adds the rates of l2_cache.csv. */
  addRates(details: KernelDetails): void {
    const cache = this.#reading(ASCEND_FILES.cache, (paths) => L2Cache.read(paths, this.diagnostics));
    if (cache !== null) details.addRates(cache);
  }

  /** How long each step had been running on the host before the device's first work, in ns, from step_trace_time.csv. */
  preparing(): ReadonlyMap<number, number> {
    const times = this.#reading(ASCEND_FILES.steps, ([path = '']) => {
      const rows = cellsOf(path, this.diagnostics, ['Step', 'Preparing']);
      if (rows === null) return null;
      const cells = [...rows].map(([step, us]) => [numberOfCell(step), microsecondsOfCell(us)] as const);
      return new Map(cells.filter(([step, ns]) => Number.isSafeInteger(step) && ns >= 0));
    });
    return times ?? new Map<number, number>();
  }

  memory(clock: TraceClock, samples: TextSamples): void {
    for (const [name, read] of [
      [ASCEND_FILES.allocators, readMemoryRecord],
      [ASCEND_FILES.operators, readOperatorMemory],
      [ASCEND_FILES.modules, readModuleMemory],
    ] as const) {
      this.#reading(name, (paths) =>
        paths.every((path) => read(path, clock, samples, this.diagnostics)) ? true : null,
      );
    }
  }

  /** Reads communication.json, by name of the operation. */
  communication(): Map<string, CommunicationFacts> {
    const facts = this.#reading(ASCEND_FILES.communication, ([path = '']) => {
      const json = readJsonFile(path, LARGEST_JSON);
      return json === undefined ? null : readCommunication(json);
    });
    return facts ?? new Map<string, CommunicationFacts>();
  }

  /** Facts for the profile line, from profiler_info and profiler_metadata.json. */
  profile(): AscendProfileFacts {
    const info = this.#info;
    return {
      tool: toolName(info),
      rank: info?.rank ?? null,
      job: jobOf(this.#metadata.get('distributed_args'), this.groups, null),
      facts: { ...info?.facts, ...metadataFacts(this.#metadata) },
    };
  }

  /** Reads an optional file. A file whose content does not match its name is counted. */
  #reading<T>(name: string, read: (paths: readonly string[]) => T | null): T | null {
    const paths = this.#pathsOf(name);
    if (paths.length === 0) return null;
    let found: T | null = null;
    try {
      if (paths.every(isFile)) found = read(paths);
    } catch (error) {
      // The file is unreadable or damaged, so the profile is read without it.
      if (!(error instanceof Error) || error instanceof Utf16Input) throw error;
    }
    if (found === null) this.diagnostics.count('companion-file-not-read');
    return found;
  }

  /** The file with a name, or the files of msprof's last table of that name; empty when there are none. */
  #pathsOf(name: string): readonly string[] {
    if (this.folder === null) return [];
    const path = join(this.folder, name);
    if (existsSync(path)) return [path];
    const begin = `${basename(name, '.csv')}_`;
    const last = tablesIn(this.folder).findLast(([first]) => basename(first.path).startsWith(begin));
    return last === undefined ? [] : filesOf(last, this.diagnostics);
  }
}
