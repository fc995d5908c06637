/** Files that belong to a trace or to kernel_details.csv, by their names in the folder where it stands. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Diagnostics } from '../../../../record/diagnostics.js';
import type { Labels } from '../../../../record/record.js';
import { TOOL } from '../database/profile-facts.js';
import { readProfilerInfo } from '../profiler-info.js';
import { readCommunication, type CommunicationFacts } from './communication-file.js';
import { readJson } from './sidecar-json.js';
import { KernelDetails } from './kernel-details.js';
import { L2Cache } from './l2-cache.js';
import { readMemoryRecord, readModuleMemory, readOperatorMemory } from './memory-files.js';
import type { Samples } from './text-samples.js';
import type { TraceClock } from './trace-clock.js';

export const TRACE_NAME = 'trace_view.json';
export const DETAILS_NAME = 'kernel_details.csv';

export interface ProfileFacts {
  readonly tool: string;
  readonly rank: number | null;
  readonly facts: Labels;
}

export class SidecarFiles {
  /** @param folder null for standard input, which has none */
  constructor(
    private readonly folder: string | null,
    private readonly diagnostics: Diagnostics,
  ) {}

  /** kernel_details.csv; null where there is none. */
  kernelDetails(clock: TraceClock): KernelDetails | null {
    const details = this.#reading(DETAILS_NAME, (path) => KernelDetails.read(path, clock, this.diagnostics));
    if (details !== null) this.addRates(details);
    return details;
  }

  /** What l2_cache.csv says of kernels. */
  addRates(details: KernelDetails): void {
    const cache = this.#reading('l2_cache.csv', (path) => L2Cache.read(path, this.diagnostics));
    if (cache !== null) details.addRates(cache);
  }

  /** What the allocators held. */
  memory(clock: TraceClock, samples: Samples): void {
    for (const [name, read] of [
      ['memory_record.csv', readMemoryRecord],
      ['operator_memory.csv', readOperatorMemory],
      ['npu_module_mem.csv', readModuleMemory],
    ] as const) {
      this.#reading(name, (path) => (read(path, clock, samples, this.diagnostics) ? true : null));
    }
  }

  /** By name of the operation. */
  communication(): Map<string, CommunicationFacts> {
    const facts = this.#reading('communication.json', (path) => {
      const json = readJson(path);
      return json === undefined ? null : readCommunication(json);
    });
    return facts ?? new Map<string, CommunicationFacts>();
  }

  profile(): ProfileFacts {
    const info = readProfilerInfo(this.folder, null, this.diagnostics);
    const versions = [
      ...(info === null || info.torchNpu === null ? [] : [`torch_npu ${info.torchNpu}`]),
      ...(info === null || info.cann === null ? [] : [`CANN ${info.cann}`]),
    ];
    return {
      tool: versions.length === 0 ? TOOL : `${TOOL} (${versions.join(', ')})`,
      rank: info?.rank ?? null,
      facts: info?.facts ?? {},
    };
  }

  /** Reads a file that need not be there; one that is there and is not what its name says is counted. */
  #reading<T>(name: string, read: (path: string) => T | null): T | null {
    if (this.folder === null) return null;
    const path = join(this.folder, name);
    if (!existsSync(path)) return null;
    let found: T | null = null;
    try {
      found = read(path);
    } catch (error) {
      // Not readable, or broken beyond what the parser makes do with: the profile is read without it.
      if (!(error instanceof Error)) throw error;
    }
    if (found === null) this.diagnostics.count('file-beside-not-read');
    return found;
  }
}
