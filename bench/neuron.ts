/**
 * How long a big Neuron device trace takes, and how much memory: the reader alone, and dparse, compared with a checksum of the
 * same file. All are measured in one run, in turn.
 *
 *   npm run build && npm run bench neuron         a trace repeated to 200 MB and to 1 GB
 *   npm run bench neuron -- --large               and to 5 GB
 *   npm run bench neuron -- --runs 3 my.ntff      another trace, the median of three runs
 *   npm run bench neuron -- --size 50             of 50 MB only
 *   npm run bench neuron -- --dir /big/disk       with the traces there
 *
 * The default trace is the largest real one next to the checkout, or else a small one made for tests. All files
 * are removed again.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { built, fromRoot } from './built-tools.js';
import { madeTrace } from './fuzz/neuron-made.js';
import { measure, summary, type Command, type Usage } from './measure.js';
import { copiesFor, writeRepeatedNeuron } from './neuron-repeat.js';
import {
  growthTable,
  NEURON_READERS,
  promises,
  sizeTable,
  type NeuronReader,
  type NeuronResult,
} from './neuron-report.js';
import { realNeuronTrace } from './real-profiles.js';
import { neuronTemplate, type NeuronTemplate } from './neuron-template.js';

const MEGABYTE = 1e6;
const SIZES = [200, 1000];
const LARGE = 5000;

interface Plan {
  readonly input: string | null;
  /** Megabytes. */
  readonly sizes: readonly number[];
  readonly runs: number;
  readonly dir: string | undefined;
}

const COMMANDS: Readonly<Record<NeuronReader, (trace: string) => Command>> = {
  sum: (trace) => ({ program: '/bin/sh', args: ['-c', 'cat "$0" | sha256sum', trace] }),
  reader: (trace) => ({ program: process.execPath, args: [fromRoot('bench/neuron-read.mjs'), trace] }),
  dparse: (trace) => ({ program: process.execPath, args: [fromRoot('bin/dparse.js'), '-q', trace] }),
};

const say = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

function readPlan(): Plan {
  const { values, positionals } = parseArgs({
    options: {
      large: { type: 'boolean', default: false },
      runs: { type: 'string', default: '1' },
      size: { type: 'string', multiple: true },
      dir: { type: 'string' },
    },
    allowPositionals: true,
  });
  const [runs = 0, ...sizes] = [values.runs, ...(values.size ?? [])].map(Number);
  if (![runs, ...sizes].every((number) => Number.isInteger(number) && number > 0))
    throw new Error('--runs and --size take whole numbers above 0');
  const usual = values.large ? [...SIZES, LARGE] : SIZES;
  return {
    input: positionals[0] ?? realNeuronTrace(),
    sizes: sizes.length > 0 ? sizes : usual,
    runs,
    dir: values.dir,
  };
}

/** Measures one size; its files are gone afterwards. */
async function at(plan: Plan, template: NeuronTemplate, size: number, within: string): Promise<NeuronResult> {
  const folder = mkdtempSync(join(within, `${size}mb-`));
  try {
    const trace = join(folder, 'repeated.ntff');
    const copies = copiesFor(template, size * MEGABYTE);
    const before = performance.now();
    writeRepeatedNeuron(template, copies, trace);
    process.stderr.write(`${size} MB written  ${((performance.now() - before) / 1000).toFixed(1)} s\n`);
    const usages = new Map<NeuronReader, Usage[]>(NEURON_READERS.map((who) => [who, []]));
    for (let run = 1; run <= plan.runs; run++) {
      for (const [who, list] of usages) {
        const usage = await measure(COMMANDS[who](trace), join(folder, 'time'));
        list.push(usage);
        process.stderr.write(`${size} MB run ${run}/${plan.runs}  ${who}  ${usage.seconds.toFixed(2)} s\n`);
      }
    }
    const medians = new Map([...usages].map(([who, list]) => [who, summary(list)]));
    return { bytes: statSync(trace).size, copies, usages: medians };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function run(plan: Plan, folder: string): Promise<void> {
  const bytes = plan.input === null ? madeTrace() : readFileSync(plan.input);
  const template = neuronTemplate(bytes);
  say(`${basename(plan.input ?? 'a made trace')}, median of ${plan.runs}, Node ${process.versions.node}\n`);
  const results: NeuronResult[] = [];
  for (const size of plan.sizes) {
    const result = await at(plan, template, size, folder);
    results.push(result);
    say(`${sizeTable(result)}\n`);
  }
  say(`Growth over the smallest\n${growthTable(results)}\n`);
  say(promises(results));
}

if (!built()) throw new Error('the tools are not built: npm run build');
const plan = readPlan();
if (plan.dir !== undefined) mkdirSync(plan.dir, { recursive: true });
const folder = mkdtempSync(join(plan.dir ?? tmpdir(), 'dprof-neuron-bench-'));
const tidy = (): void => rmSync(folder, { recursive: true, force: true });
process.once('SIGINT', () => {
  tidy();
  process.exit(130);
});
try {
  await run(plan, folder);
} finally {
  tidy();
}
