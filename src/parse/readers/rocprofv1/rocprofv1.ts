/**
 * Readers of AMD's rocprof of ROCm 6 and before: a database of calls and device work, or a table of kernels. Each
 * kernel or copy contains the number of the call that launched it. Numbers of bytes and blocks are only in the text of
 * the call's arguments. Times are ns since the machine started. Device numbers include the machine's CPUs. The tool
 * also writes the output of rocminfo, which describes the devices. Source: files of rocprof of ROCm 6, the tool's
 * scripts.
 */
import { readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Device } from '../../../record/record.js';
import { CsvTable, numberOfCell, type CsvCells } from '../../csv/csv-table.js';
import { isFile, namesIn } from '../../files.js';
import { MemoryCurve } from '../../memory-blocks.js';
import type { Reader } from '../../reader.js';
import type { DatabaseClock } from '../../sqlite/database-clock.js';
import { databaseTrace, type DatabaseTrace } from '../../sqlite/database-trace.js';
import { TraceBuilder } from '../../trace/trace-builder.js';
import { Diagnostics } from '../../../record/diagnostics.js';
import { textClock } from '../../trace/clocks/trace-clock.js';
import { amdDevice } from '../../amd/agents.js';
import { copyKind, kernelName } from '../../amd/work-rows.js';

const TABLES = ['HIP', 'HSA', 'OPS', 'COPY', 'KERN'];
const TIMES = TABLES.map((table) => [table, 'BeginNs'] as const);
/** Matches sizes in a string such as `numBlocks({z(1) y(1) x(64})`, with the brackets as the tool writes them. */
const EXTENTS = {
  grid: /numBlocks\(\{z\((\d+)\) y\((\d+)\) x\((\d+)/,
  block: /dimBlocks\(\{z\((\d+)\) y\((\d+)\) x\((\d+)/,
};
/** Calls that allocate memory of the host. */
const HOST_MEMORY = /^hip(?:HostMalloc|HostAlloc|MallocHost|MemAllocHost)/;
/** Largest output of rocminfo that is read, in bytes. */
const LARGEST = 4 * 1024 * 1024;

const DOCS = { profiler: 'AMD rocprofv3, rocmProfileData' } as const;

export const rocprofv1: Reader = {
  id: 'rocprof-v1',
  title: 'rocprof database, from before rocprofv3 (rocprof --hip-trace, results.db)',
  reads: 'database',
  docs: {
    ...DOCS,
    input: 'rocprof database',
    made: ['`rocprof --hip-trace -o results.csv python train.py` of ROCm 6 and before, which writes `results.db`'],
    read: [
      "Kernels and copies with the HIP call that made them, device, stream, grid, block and bytes from the call's arguments; HIP and HSA calls; memory in use over time from `hipMalloc` and `hipFree`. A run without `--hip-trace` has only kernels, and their grid dimensions are unknown.",
      "Names, clocks and compute units of devices come from `results.sysinfo.txt` in the same folder. Device numbers are those of the tool, which numbers the machine's CPUs too. Times count from the machine's boot, so the Unix time of the start is unknown.",
    ],
  },
  sidecars: (folder) => namesIn(folder, /\.sysinfo\.txt$/).map((name) => join(folder, name)),
  sniff: ({ database }) =>
    database !== null &&
    [...database.tables.keys()].every((table) => TABLES.includes(table) || table.startsWith('sqlite_')) &&
    TABLES.some((table) => database.hasColumn(table, 'BeginNs')),
  read(probe, options) {
    const profile = databaseTrace(probe, TIMES);
    const { device, hasWork } = readWork(profile);
    if (readCalls(profile, device) > 0 && !hasWork) profile.trace.bad('work-not-recorded');
    const facts = {
      tool: 'rocprof',
      device: { vendor: 'amd' },
      devices: devicesBeside(probe.folder === null ? '' : probe.file),
    };
    return profile.trace.records({ ...facts, format: rocprofv1.id }, options);
  },
};

/** Times of a row, and its process and thread. */
const placeOf = (
  clock: DatabaseClock,
): Readonly<Record<'start' | 'end' | 'pid' | 'tid', ReturnType<DatabaseClock['known']>>> => ({
  start: clock.known('BeginNs'),
  end: clock.known('EndNs'),
  ...{ pid: 'pid', tid: 'tid' },
});

/** @returns the number of calls */
function readCalls({ database, trace, clock }: DatabaseTrace, device: number | null): number {
  let calls = 0;
  const curve = new MemoryCurve(trace);
  const select = { ...placeOf(clock), name: 'Name', args: 'args', corr: 'Index' };
  for (const row of database.cells('HIP', select)) {
    trace.call(row);
    calls++;
    const [text, name] = [String(row.args), String(row.name)];
    const event = {
      space: 'real',
      start: row.start,
      end: row.end,
      address: Number(/ptr\((0x[\da-f]+)\)/.exec(text)?.[1]),
    };
    // Freeing the address 0 is allowed and does nothing.
    if (Number.isNaN(event.address) || event.address === 0) continue;
    const ofHost = HOST_MEMORY.test(name);
    if (/^hip(?:Host)?Free/.test(name)) curve.released(event);
    else if (ofHost || /^hip\w*Malloc/.test(name))
      curve.allocated({
        ...event,
        device: ofHost ? null : device,
        bytes: numberIn(text, ofHost ? 'size\\w*' : 'size'),
      });
  }
  // If there are HIP calls, work has the numbers of HIP calls, not of HSA calls.
  const isOfHip = database.count('HIP') > 0;
  for (const { corr, ...row } of database.cells('HSA', select)) {
    trace.call(isOfHip ? row : { ...row, corr });
    calls++;
  }
  curve.write();
  return calls;
}

const numberIn = (args: string, name: string): number => Number(new RegExp(`\\b${name}\\((\\d+)\\)`).exec(args)?.[1]);

/** @returns whether there is any, and the only device that did it; null when there are several, or none */
function readWork({ database, trace, clock }: DatabaseTrace): {
  readonly device: number | null;
  readonly hasWork: boolean;
} {
  const devices = new Set<unknown>();
  const argsOf = database.joined('HIP', 'Index', { args: 'args' });
  const isOnStreams = ['OPS', 'COPY'].some((table) => database.hasColumn(table, 'stream-id'));
  const work = {
    ...{ ...placeOf(clock), name: 'Name', device: 'dev-id', corr: 'Index' },
    stream: isOnStreams ? 'stream-id' : 'queue-id',
  };
  for (const { name, ...row } of database.cells('OPS', work)) {
    devices.add(row.device);
    const args = String(argsOf(row.corr).args);
    const [grid, block] = [EXTENTS.grid, EXTENTS.block].map(
      (extent) => extent.exec(args)?.slice(1).reverse().map(Number) ?? null,
    );
    trace.kernel({ ...row, name: kernelName(name), grid: grid ?? null, block: block ?? null });
  }
  for (const { name, ...row } of database.cells('COPY', work)) {
    devices.add(row.device);
    trace.copy({ ...row, kind: copyKind(String(name)), bytes: numberIn(String(argsOf(row.corr).args), 'sizeBytes') });
  }
  // This table has the kernels of a run without an API trace. In a run with one, it only repeats their names.
  const kernels = { ...placeOf(clock), name: 'KernelName', device: 'gpu-id', stream: 'queue-id' };
  const registers = database.hasColumn('KERN', 'arch_vgpr') ? 'arch_vgpr' : 'vgpr';
  const sizes = { registers, sharedBytes: 'lds', accumRegisters: 'accum_vgpr', scalarRegisters: 'sgpr' };
  const isTraced = database.count('OPS') > 0;
  for (const { name, ...row } of isTraced ? [] : database.cells('KERN', { ...kernels, ...sizes })) {
    devices.add(row.device);
    // In this table, the name includes its quotes.
    trace.kernel({ ...row, name: kernelName(String(name ?? '').replace(/^"(.*)"$/, '$1')) });
  }
  const [device] = devices;
  return { device: devices.size === 1 && typeof device === 'number' ? device : null, hasWork: devices.size > 0 };
}

/** Reader for rocprof's table of kernels, which it writes for a run without an API trace. */
const HEADER = /^\uFEFF?"?index"?,"?kernelname"?,"?gpu-id"?,/i;
const NOT_COUNTERS =
  /^(?:index|kernelname|(?:gpu|queue)-(?:id|index)|pid|tid|grd|wgr|lds|scr|(?:arch_|accum_)?vgpr|sgpr|fbar|wave_size|sig|obj|\w+Ns)$/i;

export const rocprofv1Table: Reader = {
  id: 'rocprof-v1-csv',
  title: 'rocprof kernel table, from before rocprofv3 (rocprof --timestamp on, results.csv)',
  reads: 'text',
  docs: {
    ...DOCS,
    input: 'rocprof CSV',
    made: [
      '`rocprof --timestamp on -o results.csv python train.py` of ROCm 6 and before; with `-i` and a file of counters',
    ],
    read: [
      'Kernels with times, device, queue, vector registers and local memory (LDS), and a counter for each other column. Without `--timestamp on`, times are unknown. Grid dimensions are unknown. In a folder, `results.db` of the same run is read instead.',
    ],
  },
  sniff: ({ head }) => HEADER.test(head.toString('utf8')),
  isCovered: ({ file }) => {
    const database = file.replace(/\.csv$/, '.db');
    return database !== file && isFile(database) && basename(database);
  },
  read(probe, options) {
    const trace = new TraceBuilder();
    const rows = (diagnostics: Diagnostics): CsvTable | null => CsvTable.open(probe.path, diagnostics);
    const timeIn = textClock(startsOf(rows(new Diagnostics())?.cells() ?? []));
    const table = rows(trace.diagnostics);
    const counters = table?.header.filter((name) => !NOT_COUNTERS.test(name)).sort() ?? [];
    if (counters.length > 0) trace.bad('kernels-one-at-a-time');
    for (const cell of table?.cells() ?? []) {
      const values = counters.flatMap((name): [string, number][] => [[name, numberOfCell(cell(name))]]);
      const known = values.filter(([, value]) => !Number.isNaN(value));
      trace.kernel({
        ...{ name: kernelName(cell('KernelName')), start: timeIn(cell('BeginNs')), end: timeIn(cell('EndNs')) },
        ...{ device: numberOfCell(cell('gpu-id')), stream: numberOfCell(cell('queue-id')) },
        ...{ registers: numberOfCell(cell('arch_vgpr', 'vgpr')), sharedBytes: numberOfCell(cell('lds')) },
        ...{ accumRegisters: numberOfCell(cell('accum_vgpr')), scalarRegisters: numberOfCell(cell('sgpr')) },
        ...(known.length === 0 ? undefined : { counters: Object.fromEntries(known) }),
      });
    }
    const devices = devicesBeside(probe.folder === null ? '' : probe.file);
    return trace.records({ format: rocprofv1Table.id, tool: 'rocprof', device: { vendor: 'amd' }, devices }, options);
  },
};

function* startsOf(cells: Iterable<CsvCells>): Generator<string> {
  for (const cell of cells) yield cell('BeginNs');
}

const infoBeside = (file: string): string => file.replace(/\.\w+$/, '.sysinfo.txt');

/** GPUs from the output of rocminfo next to a profile; empty without that file. */
function devicesBeside(file: string): Device[] {
  const path = infoBeside(file);
  if (file === '' || path === file || !isFile(path) || statSync(path).size > LARGEST) return [];
  const [, ...agents] = readFileSync(path, 'utf8').split(/^Agent \d+/m);
  return agents.flatMap((text): Device[] => {
    const fact = (name: string): string => new RegExp(`^ *${name}: *(.*?) *$`, 'm').exec(text)?.[1] ?? '';
    const id = Number.parseInt(fact('Node'), 10);
    if (fact('Device Type') !== 'GPU' || Number.isNaN(id)) return [];
    const [units, megahertz] = [Number(fact('Compute Unit')), Number(fact('Max Clock Freq\\. \\(MHz\\)'))];
    const memory = Number.parseInt(fact('Size'), 10) * 1024; // The first pool is the device's memory, in KB.
    return [amdDevice({ id, product: fact('Marketing Name'), arch: fact('Name'), units, megahertz, memory })];
  });
}
