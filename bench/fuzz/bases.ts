/** Real inputs to damage: the samples, and shared profiles where they are, the small ones. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { arrowOfDatabase } from '../../samples/programs/write-arrow.js';
import { explorerSystemTables, explorerTables, parquetOfDatabase } from '../../samples/programs/write-parquet.js';
import type { TableFiles } from '../../samples/programs/write-tables.js';
import { recordsOf } from '../../test/support/profile-records.js';
import { samplesByFormat } from '../../test/support/samples-by-format.js';
import { ROOT, sharedFile } from '../../test/support/shared.js';
import { READERS } from '../../src/parse/registry.js';
import { encodeLine } from '../../src/record/jsonl.js';
import type { ProfileLine } from '../../src/record/record.js';
import { beginningOf, firstRecords } from './beginnings.js';
import { archives, folders, inputOf, packed } from './folders.js';
import type { Base, Files, ReaderName } from './input.js';
import { madeNeuron } from './neuron-made.js';
import { parquetOf, partialOf, withoutChecksums } from './written.js';

const KB = 1024;

interface Source {
  /** Files of samples/; for a folder its name. */
  readonly samples: readonly string[];
  /** Folder of ../shared, and the names of files in it. */
  readonly shared?: { readonly folder: string; readonly names: RegExp };
  /** Files above it take too long for many runs. */
  readonly largest: number;
  readonly open?: (path: string) => Pick<Base, 'files' | 'input' | 'options'>;
}

const oneFile = (path: string): Pick<Base, 'files' | 'input'> => ({
  files: { [basename(path)]: readFileSync(path) },
  input: basename(path),
});

/** A trace with the programs next to it. */
function withPrograms(path: string): Pick<Base, 'files' | 'input'> {
  const names = readdirSync(dirname(path)).filter((name) => name.endsWith('.neff'));
  return { files: { ...oneFile(path).files, ...filesIn(dirname(path), names) }, input: basename(path) };
}

const filesOf = (folder: string): Files => filesIn(folder, readdirSync(folder, { recursive: true }) as string[]);

const wholeFolder = (path: string): Pick<Base, 'files' | 'input'> => ({ files: filesOf(path), input: '' });

/** A profile with Nsight Compute counters beside it. */
function withCounters(path: string): Pick<Base, 'files' | 'input' | 'options'> {
  const [counters] = madeNcu();
  if (counters === undefined) throw new Error('no counters');
  return {
    files: { ...oneFile(path).files, ...counters.files },
    input: basename(path),
    options: ['--ncu', counters.input],
  };
}

const filesIn = (folder: string, names: readonly string[]): Files =>
  Object.fromEntries(
    [...names]
      .sort()
      .filter((name) => statSync(join(folder, name)).isFile())
      .map((name) => [name, readFileSync(join(folder, name))]),
  );

function unpacked(path: string): Pick<Base, 'files' | 'input'> {
  const name = basename(path).replace(/\.gz$/, '');
  const bytes = readFileSync(path);
  return { files: { [name]: path.endsWith('.gz') ? gunzipSync(bytes) : bytes }, input: name };
}

/** What dparse reads of a profile. */
const read = (path: string, profile = 0): readonly ProfileLine[] =>
  recordsOf(path, { ranges: true, name: basename(path), profile });

/** A folder of the tables of an exporter. */
const tablesOf = (tables: TableFiles): Pick<Base, 'files' | 'input'> => ({
  files: Object.fromEntries(Object.entries(tables).map(([name, bytes]) => [name, Buffer.from(bytes)])),
  input: '',
});

type Cut = (records: readonly ProfileLine[]) => readonly ProfileLine[];
const WHOLE: Cut = (records) => records;

/** The records of a profile, as dparse writes them. */
const linesOf = (path: string, cut = WHOLE): Pick<Base, 'files' | 'input'> => ({
  files: { 'net.jsonl': Buffer.from(cut(read(path)).map(encodeLine).join('')) },
  input: 'net.jsonl',
});

/** A folder of Parquet with a profile twice. */
const twiceAsParquet = (path: string, cut = WHOLE): Pick<Base, 'files' | 'input'> =>
  parquetOf(
    [0, 1].map((profile) => cut(read(path, profile))),
    filesOf,
  );

/** The same as another program writes it. */
const uncheckedParquet = (path: string, cut = WHOLE): Pick<Base, 'files' | 'input'> =>
  withoutChecksums(twiceAsParquet(path, cut));

const partialAnswers = (path: string, cut = WHOLE): Pick<Base, 'files' | 'input'> => partialOf(cut(read(path)));

/** The first records of a sample, written in a form of ours. */
const shortOf =
  (reader: ReaderName, write: (path: string, cut: Cut) => Pick<Base, 'files' | 'input'>, samples: readonly string[]) =>
  (): readonly Base[] =>
    samples.map((name) => ({
      reader,
      name: `beginning of ${name}`,
      ...write(join(ROOT, 'samples', name), firstRecords),
    }));

/** Samples of which records are made. */
const RECORDED = ['lenet.nsys.sqlite', 'attention.ntff'] as const;

/** The lines of PyProf's parse: shared ones, or one written by hand. */
const NET_DICT =
  "{'kShortName': 'sgemm', 'kDuration': 6624, 'layer': ['fc'], 'trace': ['net.py:3'], 'reprMarkers': [], 'marker': " +
  `["{'mod': 'torch.nn.functional', 'op': 'linear', 'args': [{'name': '', 'type': 'tensor', 'shape': (8, 4), 'dtype': ` +
  "'float32'}, {'name': '', 'type': 'tensor', 'shape': (2, 4), 'dtype': 'float32'}]}\"], 'seqMarker': ['aten::linear, " +
  "seq = 4'], 'seqId': [4], 'subSeqId': 0, 'altSeqId': [], 'dir': 'fprop', 'mod': ['torch.nn.functional'], 'op': " +
  "['linear'], 'tid': 7, 'device': 0, 'stream': 7, 'grid': (1, 1, 1), 'block': (64, 1, 1), 'kLongName': 'sgemm_32x32'}\n";

/** Forms, and readers with more inputs than the samples. */
const KNOWN: Readonly<Record<ReaderName, Source>> = {
  nsight: {
    samples: ['lenet.nsys.sqlite', 'transformer.nsys.sqlite'],
    shared: { folder: 'data/nsys', names: /\.sqlite$/ },
    largest: 600 * KB,
  },
  nvprof: {
    samples: ['lenet.nvprof.sql', 'transformer.nvprof.sql'],
    shared: { folder: 'data/pyprof', names: /\.sql$/ },
    largest: 600 * KB,
  },
  kineto: {
    samples: ['lenet-2021.pt.trace.json', 'lenet.pt.trace.json.gz', 'decoder.pt.trace.json.gz'],
    shared: { folder: 'data/kineto', names: /\.json\.gz$/ },
    largest: 40 * KB,
    open: unpacked,
  },
  'kineto-gz': {
    samples: ['lenet.pt.trace.json.gz', 'decoder.pt.trace.json.gz'],
    shared: { folder: 'data/kineto', names: /\.json\.gz$/ },
    largest: 40 * KB,
  },
  ascend: {
    samples: ['ascend_pytorch_profiler_0.db'],
    shared: { folder: 'data/ascend', names: /db_level0.*_profiler_\d+\.db$/ },
    largest: 700 * KB,
  },
  'ascend-text': { samples: ['ascend_pt'], largest: 200 * KB, open: wholeFolder },
  'ascend-raw': { samples: ['ascend_raw'], largest: 200 * KB, open: wholeFolder },
  ntff: {
    samples: ['attention.ntff'],
    shared: { folder: 'data/neuron', names: /\.ntff$/ },
    largest: 140 * KB,
    open: withPrograms,
  },
  neff: { samples: ['attention.neff'], shared: { folder: 'data/neuron', names: /\.neff$/ }, largest: 60 * KB },
  'neuron-json': { samples: ['attention.neuron.json'], largest: 700 * KB },
  'neuron-summary': {
    samples: ['neuron-summary.json'],
    shared: { folder: 'data/neuron', names: /summary.*\.json$/ },
    largest: 10 * KB,
  },
  'neuron-monitor': {
    samples: ['neuron-monitor.jsonl'],
    shared: { folder: 'data/neuron', names: /\.jsonl$/ },
    largest: 100 * KB,
  },
  ncu: { samples: [], largest: 100 * KB },
  'ncu-sidecar': { samples: ['lenet.nsys.sqlite'], largest: 200 * KB, open: withCounters },
  'net.dict': { samples: [], shared: { folder: 'data/nvprof', names: /\.dict$/ }, largest: 300 * KB },
  records: {
    samples: ['lenet.nsys.sqlite', 'attention.ntff', 'neuron-monitor.jsonl', 'ascend_pytorch_profiler_0.db'],
    largest: 200 * KB,
    open: (path) => linesOf(path),
  },
  parquet: {
    samples: RECORDED,
    largest: 200 * KB,
    open: (path) => twiceAsParquet(path),
  },
  'parquet-unchecked': {
    samples: RECORDED,
    largest: 200 * KB,
    open: (path) => uncheckedParquet(path),
  },
  'nsight-tables': {
    samples: ['lenet.nsys.sqlite'],
    largest: 200 * KB,
    open: (path) => tablesOf(parquetOfDatabase(readFileSync(path), { group: 100 })),
  },
  'nsight-arrow': {
    samples: ['lenet.nsys.sqlite'],
    largest: 200 * KB,
    open: (path) => tablesOf(arrowOfDatabase(readFileSync(path), { batch: 100 })),
  },
  'neuron-tables': {
    samples: ['attention.neuron.json'],
    largest: 700 * KB,
    open: (path) => tablesOf(explorerTables(readFileSync(path, 'utf8'), { file: 100 })),
  },
  partial: {
    samples: RECORDED,
    largest: 200 * KB,
    open: (path) => partialAnswers(path),
  },
  packed: { samples: [], largest: 0 },
  'packed-records': { samples: [], largest: 0 },
  archive: { samples: [], largest: 0 },
  folder: { samples: [], largest: 0 },
};

/** Formats with another name here. */
const RENAMED: ReadonlySet<string> = new Set(['ascend-db']);

/** A reader without a row has its samples. */
const SOURCES: ReadonlyMap<ReaderName, Source> = new Map([
  ...READERS.filter(({ id }) => !RENAMED.has(id)).map(({ id }): [ReaderName, Source] => [
    id,
    { samples: (samplesByFormat().get(id) ?? []).map((path) => basename(path)), largest: 100 * KB },
  ]),
  ...Object.entries(KNOWN),
]);

export const READER_NAMES: readonly ReaderName[] = [...SOURCES.keys()];

function sourceOf(reader: ReaderName): Source {
  const source = SOURCES.get(reader);
  if (source === undefined) throw new Error(`no inputs for ${reader}`);
  return source;
}

/** Launches of two kernels, as Nsight Compute prints them: a row a metric, and a row a launch. */
function madeNcu(): readonly Base[] {
  const about = ['ID', 'Process ID', 'Kernel Name', 'Stream', 'Block Size', 'Grid Size', 'Device', 'CC'];
  const launch = (id: number): string[] => [
    ...[String(id), '7', id % 2 === 0 ? 'void gemm<float>(float *)' : 'scale', '7'],
    ...['(128, 1, 1)', '(64, 2, 1)', '0', '8.0'],
  ];
  const metrics = ['gpu__time_duration.sum', 'dram__bytes.sum', 'smsp__sass_thread_inst_executed_op_ffma_pred_on.sum'];
  const units = ['usecond', 'Mbyte', 'inst'];
  const value = (id: number): string => `1,${200 + id}.5`;
  const ids = Array.from({ length: 12 }, (_, id) => id);
  const csv = (rows: readonly (readonly string[])[]): Buffer =>
    Buffer.from(rows.map((row) => `${row.map((cell) => `"${cell}"`).join(',')}\n`).join(''));
  const wide = [
    [...about, ...metrics],
    [...about.map(() => ''), ...units],
  ];
  const long = [[...about, 'Section Name', 'Metric Name', 'Metric Unit', 'Metric Value']];
  const forms = {
    'raw.csv': csv([...wide, ...ids.map((id) => [...launch(id), ...metrics.map(() => value(id))])]),
    'details.csv': csv([
      ...long,
      ...ids.flatMap((id) => metrics.map((name, i) => [...launch(id), 'a section', name, units[i] ?? '', value(id)])),
    ]),
  };
  return Object.entries(forms).map(([name, bytes]) => ({ reader: 'ncu', name, files: { [name]: bytes }, input: name }));
}

/** A Neuron Explorer system profile: three seconds of two CPUs, memory, and calls of the runtime. */
function madeNeuronSystem(): Base {
  const [zero, second, folder] = [1_766_072_156_592_459_483n, 1_000_000_000n, 'train@latest'];
  const seconds = [1n, 2n, 3n].map((number) => ({ timestamp: zero + number * second, instance_id: 'i-0' }));
  const tables = {
    SystemProfileMetadata: [{ first_ts_ns: String(zero), last_ts_ns: String(zero + 4n * second) }],
    CpuUsage: seconds.flatMap((row) => ['0', '1', 'average'].map((cpu_id) => ({ ...row, cpu_id, util_percent: 37.5 }))),
    HostMemUsage: seconds.map((row, i) => ({ ...row, used_bytes: 2 ** (30 + i), used_percent: 12.5 * 2 ** i })),
    SystemProfileEvents: seconds.map(({ timestamp: start_ts, instance_id }) => ({
      ...{ name: 'nrt_execute', trace_event_source: 'neuron_rt', instance_id, process_id: 701, thread_id: 5 },
      ...{ start_ts, end_ts: start_ts + second / 2n },
    })),
  };
  const files = Object.entries(explorerSystemTables(tables)).map(([name, bytes]) => [
    join(folder, name),
    Buffer.from(bytes),
  ]);
  return { reader: 'neuron-system', name: folder, files: Object.fromEntries(files) as Base['files'], input: folder };
}

/** The smallest input of a reader that has files of this name. */
function smallest(reader: ReaderName, name = /./): Base {
  const base = basesOf(reader, false).find(({ files }) => Object.keys(files).some((each) => name.test(each)));
  if (base === undefined) throw new Error(`nothing for ${reader}`);
  return base;
}

/** A file of its own, of what is read without others. */
const details = (): Base => {
  const [name = '', bytes] = Object.entries(smallest('ascend-text').files).find(([each]) => /details/.test(each)) ?? [];
  return { reader: 'ascend-text', name, files: { [basename(name)]: bytes ?? Buffer.alloc(0) }, input: basename(name) };
};

const MADE: Partial<Record<ReaderName, () => readonly Base[]>> = {
  'neuron-system': () => [madeNeuronSystem()],
  ntff: madeNeuron,
  ncu: () => [...madeNcu(), details()],
  'ncu-sidecar': () => {
    const trace = smallest('kineto');
    return madeNcu().map(({ files, input }) => ({
      ...{ reader: 'ncu-sidecar', name: `${input} beside ${trace.name}`, input: trace.input },
      ...{ files: { ...trace.files, ...files }, options: ['--ncu', input] },
    }));
  },
  packed: () => {
    const readers = ['nsight', 'nvprof', 'ascend', 'kineto', 'ntff', 'neff', 'ncu', 'neuron-summary', 'neuron-monitor'] as const; // prettier-ignore
    return packed('packed', [...readers.map((reader) => smallest(reader)), details()].map(inputOf));
  },
  'packed-records': () =>
    packed(
      'packed-records',
      (['records', 'partial'] as const).flatMap((reader) => basesOf(reader, false).slice(0, 2)).map(inputOf),
    ),
  archive: () => archives(inputOf(smallest('kineto'))),
  folder: () =>
    folders({
      nsight: smallest('nsight'),
      kineto: smallest('kineto'),
      neuron: smallest('ntff', /\.neff$/),
      ascend: smallest('ascend-text'),
      others: [smallest('neuron-summary'), smallest('neuron-monitor'), smallest('ncu')],
    }),
  records: shortOf('records', linesOf, RECORDED),
  parquet: shortOf('parquet', twiceAsParquet, RECORDED),
  'parquet-unchecked': shortOf('parquet-unchecked', uncheckedParquet, RECORDED),
  partial: shortOf('partial', partialAnswers, RECORDED),
  'net.dict': () => [
    {
      reader: 'net.dict',
      name: 'made.dict',
      files: { 'made.dict': Buffer.from(NET_DICT.repeat(40)) },
      input: 'made.dict',
    },
  ],
};

function sharedPaths({ shared, largest }: Source): string[] {
  const folder = shared === undefined ? null : sharedFile(shared.folder);
  if (shared === undefined || folder === null) return [];
  return (readdirSync(folder, { recursive: true }) as string[])
    .map((name) => join(folder, name))
    .filter((path) => shared.names.test(path) && statSync(path).isFile() && statSync(path).size <= largest)
    .sort();
}

/** All inputs of a reader, the smallest first. @param withShared whether to look for shared profiles too */
export function basesOf(reader: ReaderName, withShared = true): readonly Base[] {
  const samples = samplesOf(reader);
  const shared = withShared ? sharedPaths(sourceOf(reader)).map((path) => opened(reader, path)) : [];
  const beginnings = samples.flatMap((base) => beginningOf(base) ?? []);
  return [...(MADE[reader]?.() ?? []), ...beginnings, ...samples, ...shared].sort((a, b) => sizeOf(a) - sizeOf(b));
}

/** The samples of a reader, whole. */
export const samplesOf = (reader: ReaderName): readonly Base[] =>
  sourceOf(reader).samples.map((name) => opened(reader, join(ROOT, 'samples', name)));

const opened = (reader: ReaderName, path: string): Base => ({
  reader,
  name: basename(path),
  ...(sourceOf(reader).open ?? oneFile)(path),
});

const sizeOf = ({ files }: Base): number => Object.values(files).reduce((sum, { length }) => sum + length, 0);
