/** What messages, screens and advice name to the user answers for the file that they are about. */
import { expect } from 'chai';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freshPath } from '../support/fresh-path.js';
import { kernel } from '../support/kernels.js';
import { neuronLines, neuronProfile } from '../support/neuron.js';
import { runCli } from '../support/run-cli.js';
import { itSlow } from '../support/sets.js';
import { itShared, itSharedLong, ROOT } from '../support/shared.js';

const COMMANDS: readonly (readonly string[])[] = [
  ...[[], ['--explain', '1'], ['--by', 'op'], ['--by', 'range'], ['--by', 'hostop'], ['--by', 'api']],
  ...[
    ['summary', '--all'],
    ['summary', '--vendor-metrics'],
    ['steps'],
    ['ranks'],
    ['stacks'],
    ['stacks', '--host'],
    ['advise'],
  ],
  ...[['memory'], ['memory', '-f', 'timeline'], ['memory', '-f', 'timeline', '--device', '7']],
  ['perfetto', '-o', freshPath('.pftrace')],
  ['partial', '-o', freshPath('.part')],
];

/** Matches a command of `dprof` in a text: the name of a command, and options with at most one value each. */
const NAMED = /\bdprof ((?:[a-z]+\b ?)?(?:--?[a-z][a-z-]*(?: (?:'[^']*'|[^-'\s](?:\S*[^\s,);])?))? ?)*)/g;

/** Arguments of each command in a text, with the path in place of FILE. */
function namedIn(text: string, path: string): string[][] {
  const about = text.replaceAll(path, 'FILE');
  return [...about.matchAll(NAMED)].map(([, words = '']) => {
    const args = [...words.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, bare = '']) => quoted ?? bare);
    const output = args.indexOf('-o') + 1;
    if (output > 0) args[output] = freshPath('.out');
    return [...args.filter((word) => word !== 'FILE'), path];
  });
}

/** Options of one profiler, by formats whose files must not be answered with them. */
const FOREIGN: readonly (readonly [option: RegExp, formats: RegExp])[] = [
  [/nsys|emit_nvtx|NVTX|CUPTI/, /kineto|ascend|neuron|ntff|neff/],
  [
    /record_shapes=True(?!\))|profile_memory|with_stack|with_modules|ProfilerActivity/,
    /nsight|nvprof|neuron|ntff|neff/,
  ],
  [/neuron-explorer|NEFF|NTFF/, /kineto|ascend|nsight|nvprof/],
];

/** Runs every command, and what it names; returns the lines that name options of another profiler. */
async function follow(path: string, format: string): Promise<{ followed: number; foreign: string[] }> {
  const seen = new Set<string>();
  const foreign: string[] = [];
  for (const command of COMMANDS) {
    const { stdout, stderr } = await runCli('dprof', [...command, path]);
    const text = `${['summary', 'advise'].includes(command[0] ?? '') || command[0] === '--explain' ? stdout : ''}\n${stderr}`;
    for (const [option, formats] of FOREIGN)
      if (formats.test(format)) foreign.push(...text.split('\n').filter((line) => option.test(line)));
    for (const args of namedIn(text, path)) {
      const words = args.join(' ');
      if (seen.has(words)) continue;
      seen.add(words);
      const { code, stdout: answer, stderr: why } = await runCli('dprof', args);
      const output = args[args.indexOf('-o') + 1] ?? '';
      const isAnswered = args.includes('-o') ? existsSync(output) : answer.trim().split('\n').length > 1;
      expect({ code, isAnswered }, `${command.join(' ')} names ${words}: ${why}`).to.deep.equal({
        code: 0,
        isAnswered: true,
      });
    }
  }
  return { followed: seen.size, foreign };
}

/** Samples, with their formats, and how many commands are named of each at least. */
const SAMPLES: readonly (readonly [file: string, format: string, least: number])[] = [
  ['lenet.nsys.sqlite', 'nsight', 8],
  ['lenet.nvprof.sql', 'nvprof', 8],
  ['lenet.pt.trace.json.gz', 'kineto', 8],
  ['lenet-2021.pt.trace.json', 'kineto', 3],
  ['decoder.pt.trace.json.gz', 'kineto', 3],
  ['ascend_pt', 'ascend-text', 3],
  ['ascend_pt/ASCEND_PROFILER_OUTPUT/kernel_details.csv', 'ascend-text', 3],
  ['ascend_pytorch_profiler_0.db', 'ascend-db', 3],
  ['attention.ntff', 'ntff', 3],
  ['attention.neff', 'neff', 1],
  ['attention.neuron.json', 'neuron-json', 3],
  ['neuron-summary.json', 'neuron-summary', 1],
  ['neuron-monitor.jsonl', 'neuron-monitor', 1],
];

/** Small real profiles, among them such without a host, without ops, without shapes, and with work that is missing. */
const REAL: readonly (readonly [file: string, format: string])[] = [
  ['nsys/cuda_graph_rtx3060.sqlite', 'nsight'],
  ['made/dropped.sqlite', 'nsight'],
  ['kineto/mi210_gpu_only.json.gz', 'kineto'],
  ['kineto/mi300_hipgraph_decode.json.gz', 'kineto'],
  ['kineto/critical_path/event_sync.json.gz', 'kineto'],
  ['made/pt192021_dropped.json', 'kineto'],
];

/** Those whose kinds the samples have too. */
const MORE_REAL: typeof REAL = [
  ['nvprof/lm_v100.net.sql', 'nvprof'],
  ['ascend/text_qwen_st_level2_rank2', 'ascend-text'],
  ['neuron/trn2_fused_fp32_s512/fused_exec_2.ntff', 'ntff'],
];

const END = { type: 'end', profile: 0, counts: {}, diagnostics: {} } as const;
const stderrOf = async (...args: string[]): Promise<string> => (await runCli('dprof', args)).stderr;

describe('hints', () => {
  it('about partial answers name what takes them, and of a net.dict what needs no times', async () => {
    const part = freshPath('.part');
    await runCli('dprof', ['partial', '-q', '-o', part, join(ROOT, 'samples/job')]);
    const named = namedIn((await runCli('dprof', ['summary', '--all', part])).stdout, part);
    // Of each of the four ranks its collectives and its steps, of all together the ranks.
    expect(named.map(([command]) => command)).to.deep.equal([...Array<string>(8).fill('steps'), 'ranks']);
    for (const args of named) expect((await runCli('dprof', args)).code).to.equal(0);
    const dict =
      "{'kShortName': 'ncclAllReduce', 'kLongName': 'ncclAllReduce', 'op': ['ncclAllReduce'], 'seqId': [1]}\n";
    const { stdout } = await runCli('dprof', ['summary', '--all'], { input: dict });
    expect(stdout).to.not.match(/next: dprof steps/);
  });

  it('about collections of garbage list them, of records too', async () => {
    const path = freshPath('.jsonl');
    const range = { type: 'range', profile: 0, kind: 'annotation', text: 'GC', pid: 1, tid: 1, domain: null } as const;
    const launched = (id: number, start: number) =>
      kernel({ id, start, dur: 10, launch: { api: null, start, dur: 1 } });
    const collection = { ...range, start: 20, dur: 900, self: 900 };
    writeFileSync(
      path,
      neuronLines([neuronProfile({ format: 'ascend-db' }), launched(1, 0), collection, launched(2, 1000), END]),
    );
    const { stdout } = await runCli('dprof', ['advise', '--rule', 'garbage-collection', path]);
    const [words = []] = namedIn(stdout, path);
    expect((await runCli('dprof', words)).stdout).to.match(/ GC /);
  });

  it('name columns only where a kernel could have something in them', async () => {
    const path = join(ROOT, 'samples/attention.neff');
    expect(await stderrOf('--explain', '7', path)).to.equal(`dprof: ${path}: no kernels\n`);
    const plain = neuronLines([neuronProfile(), kernel()]);
    const { stderr } = await runCli('dprof', ['-c', 'idx,counter:cycles'], { input: plain });
    expect(stderr).to.include('no kernel has the counter cycles\n');
  });

  it('say how counters that have numbers are named', async () => {
    const numbered = neuronLines([neuronProfile(), kernel({ counters: { 'metric#20971523': 0.5 } })]);
    const { stdout, stderr } = await runCli('dprof', ['-c', 'idx,counters'], { input: numbered });
    expect(stdout).to.equal('Idx Counters\n1 metric#20971523=0.5\n');
    expect(stderr).to.match(/^dprof: metric#N, event#N are CUPTI numbers; .*\(nvprof -i FILE --print-gpu-trace --csv/m);
  });

  for (const [file, format, least] of SAMPLES)
    itSlow(`about ${file} are answered, and are of its profiler`, async () => {
      const { followed, foreign } = await follow(join(ROOT, 'samples', file), format);
      expect(foreign).to.deep.equal([]);
      expect(followed).to.be.at.least(least);
    });

  for (const [profiles, test] of [
    [REAL, itShared],
    [MORE_REAL, itSharedLong],
  ] as const)
    // prettier-ignore
    for (const [file, format] of profiles)
      test(`about the real ${file} are answered, and are of its profiler`, [`data/${file}`], async ([path = '']) => {
        expect((await follow(path, format)).foreign).to.deep.equal([]);
      });
});
