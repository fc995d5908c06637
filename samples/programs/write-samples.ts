/**
 * Writes the samples: `npm run samples`, or `tsx samples/programs/write-samples.ts --out DIR` to write them
 * elsewhere. The same bytes on every run.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import { ascendDatabase } from './ascend-database.js';
import { ascendMlp } from './ascend-mlp.js';
import { ascendRaw } from './ascend-raw.js';
import { ascendText } from './ascend-text.js';
import { A100, V100 } from './gpu.js';
import { decoderTrace } from './graphs/decoder-trace.js';
import { sampleJob } from './job/sample-job.js';
import { kinetoLenet } from './kineto-lenet.js';
import { lenet } from './lenet.js';
import { attention } from './neuron-attention.js';
import { neuronProgram, neuronTrace } from './neuron-capture.js';
import { neuronJson, neuronSummary } from './neuron-json.js';
import { memorySnapshot } from './memory-snapshot.js';
import { neuronMonitor } from './neuron-monitor.js';
import { transformer } from './transformer-run.js';
import { kinetoTrace } from './write-kineto.js';
import { nsightDatabase } from './write-nsight.js';
import { nvprofDatabase } from './write-nvprof.js';
import { matmulRocprof } from './write-rocprof-csv.js';
import { saxpyRocprof, saxpyTable } from './write-rocprof-v1.js';
import { softmaxRocprof } from './write-rocprof-json.js';
import { mlpRocpd } from './write-rocpd.js';
import { decoderRpd } from './write-rpd.js';
import { gemmPerfetto, linearPerfetto } from './write-perfetto.js';
import { fusionsForTensorBoard, stepOnGpu, stepOnTpu } from './write-xplane.js';

/** Every sample by file name. nvprof does not know devices after Volta's successor, so there both ran on a V100. */
export const SAMPLES: Readonly<Record<string, () => Buffer>> = {
  'lenet.nsys.sqlite': () => nsightDatabase(lenet({ graph: true })),
  'lenet.nvprof.sql': () => nvprofDatabase(lenet({ graph: false })),
  'transformer.nsys.sqlite': () => nsightDatabase(transformer({ gpu: A100, processesAndGraphs: true })),
  'transformer.nvprof.sql': () => nvprofDatabase(transformer({ gpu: V100, processesAndGraphs: false })),
};

/** Every sample trace by file name, unpacked: one that ends in .gz is packed, which may differ between machines. */
export const TRACES: Readonly<Record<string, () => Buffer>> = {
  'lenet.pt.trace.json.gz': () => kinetoTrace(kinetoLenet('today'), 'today'),
  'lenet-2021.pt.trace.json': () => kinetoTrace(kinetoLenet('2021'), '2021'),
};

/** Traces of replayed graphs, likewise. */
const GRAPHS: Readonly<Record<string, () => Buffer>> = {
  'decoder.pt.trace.json.gz': () => decoderTrace('amd'),
};

/** What Neuron's tools write, by file name: one run in several forms, and reports of the monitor. */
export const NEURON: Readonly<Record<string, () => Buffer>> = {
  'attention.ntff': () => neuronTrace(attention()),
  'attention.neff': () => neuronProgram(attention()),
  'attention.neuron.json': () => neuronJson(attention()),
  'neuron-summary.json': () => neuronSummary(attention()),
  'neuron-monitor.jsonl': neuronMonitor,
};

/** What Ascend's profiler writes, by path: one run as a database, as text and as raw data. */
export const ASCEND: Readonly<Record<string, () => Buffer>> = {
  'ascend_pytorch_profiler_0.db': () => ascendDatabase(ascendMlp()),
  ...Object.fromEntries(
    Object.entries(ascendText(ascendMlp())).map(([path, text]) => [`ascend_pt/${path}`, () => Buffer.from(text)]),
  ),
  ...Object.fromEntries(
    Object.entries(ascendRaw(ascendMlp())).map(([path, bytes]) => [`ascend_raw/${path}`, () => bytes]),
  ),
};

/** Of AMD's tools: a database of rocmProfileData, a database, a table and JSON of rocprofv3, a database and a table of rocprof. */
const AMD: Readonly<Record<string, () => Buffer>> = {
  'decoder.rpd': decoderRpd,
  'mlp_results.db': mlpRocpd,
  'matmul_kernel_trace.csv': matmulRocprof,
  'softmax_results.json': softmaxRocprof,
  'saxpy_rocprof.db': saxpyRocprof,
  'saxpy_counters.csv': saxpyTable,
};

/** Of JAX, on a GPU and on a TPU; and what it writes for TensorBoard. */
const XPLANE: Readonly<Record<string, () => Buffer>> = {
  'step-gpu.xplane.pb': stepOnGpu,
  'step-tpu.xplane.pb': stepOnTpu,
  'fusions.trace.json': fusionsForTensorBoard,
};

/** In Perfetto's format, of rocprofv3 and of PyTorch's CUPTI monitor. */
const PERFETTO: Readonly<Record<string, () => Buffer>> = {
  'gemm_results.pftrace': gemmPerfetto,
  'linear.pftrace': linearPerfetto,
};

/** A snapshot of PyTorch's allocator. */
const MEMORY: Readonly<Record<string, () => Buffer>> = { 'memory.pickle': memorySnapshot };

/** A simulated job: a trace of each rank, and what is true of it. */
const JOB: Readonly<Record<string, () => Buffer>> = Object.fromEntries(
  Object.entries(sampleJob()).map(([path, make]) => [`job/${path}`, make]),
);

/** All of them. */
export const ALL_SAMPLES: Readonly<Record<string, () => Buffer>> = {
  ...SAMPLES,
  ...TRACES,
  ...GRAPHS,
  ...JOB,
  ...NEURON,
  ...ASCEND,
  ...AMD,
  ...XPLANE,
  ...PERFETTO,
  ...MEMORY,
};

function main(): void {
  const { values } = parseArgs({ options: { out: { type: 'string' } } });
  const folder = values.out ?? fileURLToPath(new URL('..', import.meta.url));
  mkdirSync(folder, { recursive: true });
  for (const [name, make] of Object.entries(ALL_SAMPLES)) {
    const bytes = name.endsWith('.gz') ? gzipSync(make(), { level: 9 }) : make();
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), bytes);
    process.stderr.write(`${name}: ${bytes.length} bytes\n`);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main();
