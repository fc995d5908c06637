/**
 * Reader for Nsight Compute's CSV. On its own, it gives kernels with counters and durations, without starts; next to
 * another profile, it adds counters to that profile's kernels.
 */
import { Diagnostics } from '../../../record/diagnostics.js';
import { UserError } from '../../../record/errors.js';
import type { Device, KernelLine, ProfileLine, EndRecord, Extent } from '../../../record/record.js';
import { UNKNOWN_DEVICE } from '../../trace/trace.js';
import { endRecord } from '../../trace/emit.js';
import { firstBytes, headContains } from '../../files.js';
import { shortName } from '../../names/kernel-name.js';
import type { Probe, Reader, ReadOptions } from '../../reader.js';
import { readLaunches, type NcuLaunch } from './launches.js';
import { entryOf } from '../../../containers/map-entry.js';

/** Casts that some demanglers write before the values of template arguments, and others do not. */
const CASTS = /\((?:bool|char|short|int|long|unsigned int|unsigned long)\)(?=-?\d)/g;

/** A demangled name without the parts that differ between demanglers. */
const plainName = (name: string): string => name.replace(CASTS, '').replace(/\s+/g, '');
const isWhole = (name: string): boolean => /[<(]/.test(name);

const keyOf = (name: string, grid: Extent | null, block: Extent | null): string =>
  `${name}\0${String(grid)}\0${String(block)}`;

class Queue {
  next = 0;
  readonly launches: NcuLaunch[] = [];
}

/**
 * Adds Nsight Compute counters to the kernels of a profile of the same program: the nth launch with a name, grid and
 * block gets the counters of the nth such launch in the report.
 */
export class CounterJoin {
  readonly #queues = new Map<string, Queue>();
  #without = 0;

  /**
   * @param launches launches of the report, in its order
   * @param diagnostics diagnostics of reading the report, which are added to those of the profile
   */
  constructor(
    launches: readonly NcuLaunch[],
    private readonly diagnostics: Diagnostics,
  ) {
    for (const launch of launches) {
      if (launch.afterLost) {
        diagnostics.count('counters-not-placed');
        continue;
      }
      const { name, grid, block } = launch;
      const key = keyOf(isWhole(name) ? plainName(name) : shortName(name), grid, block);
      entryOf(this.#queues, key, () => new Queue()).launches.push(launch);
    }
  }

  /** Returns the record, with counters added if it is a kernel. */
  take(record: ProfileLine): ProfileLine {
    if (record.type === 'kernel') return this.#kernel(record);
    return record.type === 'end' ? this.#end(record) : record;
  }

  #kernel(kernel: KernelLine): KernelLine {
    const { name, short, grid = null, block = null } = kernel;
    const queue = this.#queues.get(keyOf(plainName(name), grid, block)) ?? this.#queues.get(keyOf(short, grid, block));
    const launch = queue?.launches[queue.next++];
    if (launch === undefined) {
      this.#without++;
      return kernel;
    }
    return { ...kernel, counters: { ...kernel.counters, ...launch.counters } };
  }

  #end(end: EndRecord): EndRecord {
    let unmatched = 0;
    for (const { next, launches } of this.#queues.values()) unmatched += Math.max(0, launches.length - next);
    this.diagnostics.count('kernel-without-counters', this.#without);
    this.diagnostics.count('counters-without-kernel', unmatched);
    return { ...end, diagnostics: this.diagnostics.addedTo(end.diagnostics) };
  }
}

/** Number of bytes that are searched for the header. Before it comes the output of the program and the profiler. */
const SEARCHED = 64 * 1024 * 1024;
/** The header is usually within this many bytes. */
const FIRST = 1024 * 1024;
const HEADER = /^"?ID"?,.*"?Kernel Name"?,/;
const PRINTED = /^==PROF== /m;

export const ncu: Reader = {
  id: 'ncu',
  title: 'Nsight Compute, CSV (ncu --csv, --page raw or details; not yet tried on real files)',
  reads: 'text',
  docs: {
    profiler: 'Nsight Compute',
    input: 'CSV (`ncu --csv`): counters, joined to times with `dparse --ncu`',
    made: [
      '`ncu --csv --page raw python train.py > counters.csv` (or `--page details`); from a report: `ncu --import report.ncu-rep --csv --page raw`',
    ],
    read: [
      'Kernels with their counters, duration, grid, block, registers and shared memory; no starts and no ops. A row of the raw page is a launch, a row of other pages a metric. Numbers in any locale are accepted; units become ns, bytes, Hz.',
      '`dparse --ncu counters.csv net.sqlite` adds the counters to the kernels of a profile of the same program. The nth launch with a name, grid and block gets the counters of the nth such launch in the report. Unmatched launches on either side are counted. Then `hwflops`, `hwbytes` and `hwtc` are shown next to `flops`, `bytes` and `tc`, and `counter:NAME` is any counter.',
      'It was written from the documented columns, and has not been tried on real files.',
    ],
  },
  sniff: ({ path, head }) => {
    const text = head.toString('latin1');
    return text.split('\n').some((line) => HEADER.test(line)) || (PRINTED.test(text) && hasHeader(path));
  },
  read: (probe, options) => read(probe, options),
};

const hasHeader = (path: string): boolean => headContains(path, ['\n"ID",'], SEARCHED);

/**
 * The launches of a report.
 * @throws UserError when the file is not a report
 */
export function launchesOf(path: string, file: string, diagnostics: Diagnostics): NcuLaunch[] {
  const launches = readLaunches(path, linesAbove(path), diagnostics);
  if (launches !== null) return launches;
  throw new UserError("is not an Nsight Compute CSV: columns 'ID' and 'Kernel Name' are missing", {
    where: file,
    hint: 'ncu --csv --page raw prints it',
  });
}

function linesAbove(path: string): number {
  for (const bytes of [FIRST, SEARCHED]) {
    const lines = firstBytes(path, bytes).toString('latin1').split('\n');
    const found = lines.findIndex((line) => HEADER.test(line));
    if (found !== -1) return found;
  }
  return 0;
}

function* read({ path, file }: Probe, { profile, file: name, rank }: ReadOptions): Generator<ProfileLine> {
  const diagnostics = new Diagnostics();
  const launches = launchesOf(path, file, diagnostics);
  yield {
    ...{ type: 'profile', v: 1, profile, format: ncu.id, tool: 'Nsight Compute', file: name, rank },
    ...{ startUnixNs: null, dur: null, devices: devicesOf(launches) },
  };
  for (const [i, launch] of launches.entries()) yield kernelOf(launch, profile, i + 1);
  yield endRecord(profile, launches.length === 0 ? {} : { kernel: launches.length }, diagnostics);
}

function devicesOf(launches: readonly NcuLaunch[]): Device[] {
  const capabilities = new Map(launches.map(({ device, capability }) => [device, capability]));
  return [...capabilities]
    .sort(([a], [b]) => a - b)
    .map(([id, capability]) => {
      const arch = /^\d+\.\d$/.test(capability) ? `sm${capability.replace('.', '')}` : null;
      return { id, ...UNKNOWN_DEVICE, vendor: 'nvidia', arch };
    });
}

function kernelOf({ name, grid, block, device, stream, pid, counters }: NcuLaunch, profile: number, id: number) {
  const known = (...metrics: readonly string[]): number | null =>
    metrics.map((metric) => counters[metric]).find((value) => value !== undefined) ?? null;
  const dur = known('gpu__time_duration.sum', 'Duration');
  const declared = known('launch__shared_mem_per_block_static', 'Static Shared Memory Per Block');
  const asked = known('launch__shared_mem_per_block_dynamic', 'Dynamic Shared Memory Per Block');
  return {
    ...{ type: 'kernel', profile, id, name, short: shortName(name) },
    // A report lists launches in order, but has no times.
    ...{ start: NaN, dur: dur === null ? null : Math.round(dur), device, stream, grid, block, pid },
    registers: known('launch__registers_per_thread', 'Registers Per Thread'),
    sharedBytes: declared === null || asked === null ? null : declared + asked,
    counters,
  } satisfies KernelLine;
}
