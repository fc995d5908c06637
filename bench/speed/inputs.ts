/** What the tools are measured on: made once for each size, in one folder. */
import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  createReadStream,
  createWriteStream,
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { fromRoot } from '../built-tools.js';
import { madeTrace } from '../fuzz/neuron-made.js';
import { generate } from '../generate.js';
import { copiesFor, writeRepeatedNeuron } from '../neuron-repeat.js';
import { neuronTemplate } from '../neuron-template.js';
import { realAscendDatabase, realNeuronTrace, realTrace } from '../real-profiles.js';
import { repeatDatabase } from '../repeat-ascend.js';
import { writeRepeatedRecords } from '../repeat-records.js';
import { readTrace, writeRepeated } from '../repeat-trace.js';
import { traceTemplate } from '../trace-template.js';

/**
 * How much of each there is: kernels of an Nsight Systems profile, bytes of a PyTorch trace, of one of a Neuron core and
 * of a database of Ascend, kernels of records with all ranges of the host, ranks of a job.
 */
export type Sizes = Readonly<Record<'nsight' | 'trace' | 'ntff' | 'ascend' | 'records' | 'ranks', number>>;

export const FULL_SIZES: Sizes = {
  ...{ nsight: 200_000, trace: 220e6, ntff: 100e6 },
  ...{ ascend: 100e6, records: 10_000, ranks: 128 },
};

/** Kernels of a step whose shapes the next step has too. */
const KERNELS_OF_STEP = 4000;
const STEPS_OF_RECORDS = 10;

const SAMPLE_TRACE = fromRoot('samples/lenet.pt.trace.json.gz');
const TRACE = realTrace() ?? SAMPLE_TRACE;
const NTFF = realNeuronTrace();
const ASCEND = realAscendDatabase() ?? fromRoot('samples/ascend_pytorch_profiler_0.db');

/** What dparse makes of a profile. */
export function writeRecords(profile: string, options: readonly string[], path: string): void {
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
  | 'trace.dict'
  | 'core.ntff'
  | 'ascend_pytorch_profiler_0.db'
  | 'ranges.dict'
  | 'ranks';

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
  'trace.dict': async (_, path, other) => writeRecords(await other('trace.json'), [], path),
  'core.ntff': ({ ntff }, path) => {
    const template = neuronTemplate(NTFF === null ? madeTrace() : readFileSync(NTFF));
    writeRepeatedNeuron(template, copiesFor(template, ntff), path);
  },
  'ascend_pytorch_profiler_0.db': ({ ascend }, path) => {
    repeatDatabase(ASCEND, Math.max(1, Math.round(ascend / statSync(ASCEND).size)), path);
  },
  'ranges.dict': ({ records }, path) => {
    writeRecords(SAMPLE_TRACE, ['--ranges'], `${path}.once`);
    writeRepeatedRecords(readFileSync(`${path}.once`, 'utf8'), records, path, { steps: STEPS_OF_RECORDS });
  },
  ranks: ({ ranks }, path) => {
    mkdirSync(path);
    for (let rank = 0; rank < ranks; rank++) copyFileSync(SAMPLE_TRACE, join(path, `rank${rank}.json.gz`));
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
