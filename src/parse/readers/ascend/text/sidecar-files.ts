/**
 * Sidecar files of a trace or of kernel_details.csv: files of its folder by name, and msprof's, which add a time to it, and
 * to those of a table that is split the number of the slice.
 */
import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Diagnostics } from '../../../../record/diagnostics.js';
import { isFile, readJsonFile } from '../../../files.js';
import { Utf16Input } from '../../../input/utf16.js';
import { ASCEND_FILES } from '../ascend-files.js';
import { cellsOf, microsecondsOfCell, numberOfCell } from '../../../csv/csv-table.js';
import { readProfilerInfo, toolName, type AscendProfileFacts, type ProfilerInfo } from '../profiler-info.js';
import { metadataFacts, readMetadataFile } from '../metadata-facts.js';
import { jobOf, ProcessGroups } from '../process-groups.js';
import { readCommunication, type CommunicationFacts } from './communication-file.js';
import { KernelDetails } from './kernel-details.js';
import { L2Cache } from './l2-cache.js';
import { readMemoryRecord, readModuleMemory, readOperatorMemory } from './memory-files.js';
import { filesOf, tablesIn } from './split-tables.js';
import type { TextSamples } from './text-samples.js';
import type { TraceClock } from '../../../trace/clocks/trace-clock.js';

/** Size limit of communication.json in bytes. */
const LARGEST_JSON = 256 * 1024 * 1024;

export class SidecarFiles {
  readonly groups: ProcessGroups;
  readonly #info: ProfilerInfo | null;
  readonly #metadata: ReadonlyMap<string, unknown>;

  /** @param folder null for standard input, which has none */
  constructor(
    private readonly folder: string | null,
    private readonly diagnostics: Diagnostics,
  ) {
    this.#info = readProfilerInfo(folder, null, diagnostics);
    this.#metadata = readMetadataFile(folder, diagnostics);
    this.groups = new ProcessGroups(this.#metadata.get('parallel_group_info'), true, this.#info?.rank ?? null);
  }

  /** kernel_details.csv, or msprof's op_summary_*.csv; null when there is neither. */
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

  /** How long each step had run on the host before the device's first work, ns, by step_trace_time.csv. */
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

  /** communication.json, by name of the operation. */
  communication(): Map<string, CommunicationFacts> {
    const facts = this.#reading(ASCEND_FILES.communication, ([path = '']) => {
      const json = readJsonFile(path, LARGEST_JSON);
      return json === undefined ? null : readCommunication(json);
    });
    return facts ?? new Map<string, CommunicationFacts>();
  }

  /** Facts of the profile line, from profiler_info and profiler_metadata.json. */
  profile(): AscendProfileFacts {
    const info = this.#info;
    return {
      tool: toolName(info),
      rank: info?.rank ?? null,
      job: jobOf(this.#metadata.get('distributed_args'), this.groups, null),
      facts: { ...info?.facts, ...metadataFacts(this.#metadata) },
    };
  }

  /** Reads an optional file; one that is there but has other content than its name says is counted. */
  #reading<T>(name: string, read: (paths: readonly string[]) => T | null): T | null {
    const paths = this.#pathsOf(name);
    if (paths.length === 0) return null;
    let found: T | null = null;
    try {
      if (paths.every(isFile)) found = read(paths);
    } catch (error) {
      // Unreadable or broken: the profile is read without it.
      if (!(error instanceof Error) || error instanceof Utf16Input) throw error;
    }
    if (found === null) this.diagnostics.count('file-beside-not-read');
    return found;
  }

  /** The file of a name, or those of msprof's last table of that name; empty where there is none. */
  #pathsOf(name: string): readonly string[] {
    if (this.folder === null) return [];
    const own = join(this.folder, name);
    if (existsSync(own)) return [own];
    const begin = `${basename(name, '.csv')}_`;
    const last = tablesIn(this.folder).findLast(([first]) => basename(first.path).startsWith(begin));
    return last === undefined ? [] : filesOf(last, this.diagnostics);
  }
}
