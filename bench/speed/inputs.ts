/** What the tools are measured on: made once for each size, in one folder. */
import { execFileSync } from 'node:child_process';
import { createReadStream, createWriteStream, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { sharedFile } from '../../test/support/shared.js';
import { fromRoot } from '../built-tools.js';
import { madeTrace } from '../fuzz/neuron-made.js';
import { generate } from '../generate.js';
import { copiesFor, writeRepeatedNeuron } from '../neuron-repeat.js';
import { neuronTemplate } from '../neuron-template.js';
import { repeatDatabase } from '../repeat-ascend.js';
import { writeRepeatedRecords } from '../repeat-records.js';
import { readTrace, writeRepeated } from '../repeat-trace.js';
import { traceTemplate } from '../trace-template.js';

/** How much of each there is. */
export interface Sizes {
  /** Kernels of a profile of Nsight Systems. */
  readonly nsight: number;
  /** Bytes of a trace of PyTorch, and of one of a Neuron core. */
  readonly trace: number;
  readonly ntff: number;
  /** Bytes of a database of Ascend. */
  readonly ascend: number;
  /** Kernels of records, with all ranges of the host. */
  readonly records: number;
}

/** Kernels of a step whose shapes the next step has too. */
const KERNELS_OF_STEP = 4000;
const STEPS_OF_RECORDS = 10;

/** Real profiles next to the checkout, or else samples. */
const TRACE = sharedFile('data/kineto/h100_owlv2.json.gz') ?? fromRoot('samples/lenet.pt.trace.json.gz');
const NTFF = sharedFile('data/neuron/trn2_baseline_bf16_s1024/baseline_exec_2.ntff');
const ASCEND =
  sharedFile('data/ascend/db_level1_rank1/ASCEND_PROFILER_OUTPUT/ascend_pytorch_profiler_1.db') ??
  fromRoot('samples/ascend_pytorch_profiler_0.db');
const RECORDS = fromRoot('samples/lenet.pt.trace.json.gz');

const sizeOf = (path: string): number => readFileSync(path).length;

function writeRecords(profile: string, options: readonly string[], path: string): void {
  execFileSync(process.execPath, [fromRoot('bin/dparse.js'), '-q', ...options, '-o', path, profile]);
}

async function zip(from: string, to: string): Promise<void> {
  await pipeline(createReadStream(from), createGzip({ level: 1 }), createWriteStream(to));
}

export type InputName =
  | 'differing.sqlite'
  | 'repeating.sqlite'
  | 'differing.dict'
  | 'trace.json'
  | 'trace.json.gz'
  | 'core.ntff'
  | 'ascend_pytorch_profiler_0.db'
  | 'ranges.dict';

type Make = (sizes: Sizes, path: string, other: (name: InputName) => Promise<string>) => void | Promise<void>;

const INPUTS: Readonly<Record<InputName, Make>> = {
  'differing.sqlite': ({ nsight }, path) => generate(path, { kernels: nsight }),
  'repeating.sqlite': ({ nsight }, path) => generate(path, { kernels: nsight, repeatsAfter: KERNELS_OF_STEP }),
  'differing.dict': async (_, path, other) => writeRecords(await other('differing.sqlite'), [], path),
  'trace.json': ({ trace }, path) => {
    const text = readTrace(TRACE);
    writeRepeated(traceTemplate(text), Math.max(1, Math.round(trace / text.length)), path);
  },
  'trace.json.gz': async (_, path, other) => zip(await other('trace.json'), path),
  'core.ntff': ({ ntff }, path) => {
    const template = neuronTemplate(NTFF === null ? madeTrace() : readFileSync(NTFF));
    writeRepeatedNeuron(template, copiesFor(template, ntff), path);
  },
  'ascend_pytorch_profiler_0.db': ({ ascend }, path) => {
    repeatDatabase(ASCEND, Math.max(1, Math.round(ascend / sizeOf(ASCEND))), path);
  },
  'ranges.dict': ({ records }, path) => {
    writeRecords(RECORDS, ['--ranges'], `${path}.once`);
    writeRepeatedRecords(readFileSync(`${path}.once`, 'utf8'), records, path, { steps: STEPS_OF_RECORDS });
  },
};

/** The inputs of one size. */
export class Inputs {
  constructor(
    private readonly sizes: Sizes,
    private readonly folder: string,
  ) {}

  /** The path of an input, which is made when it is first asked for. */
  async pathOf(name: InputName): Promise<string> {
    const path = join(this.folder, name);
    if (!existsSync(path)) await INPUTS[name](this.sizes, path, (other) => this.pathOf(other));
    return path;
  }
}
