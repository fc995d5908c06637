/** A hint of an input without work of a device names only commands that answer for that input. */
import { expect } from 'chai';
import { readFileSync, writeFileSync } from 'node:fs';
import { freshPath } from '../support/fresh-path.js';
import { kernel } from '../support/kernels.js';
import { neuronLines, neuronProfile } from '../support/neuron.js';
import { runCli } from '../support/run-cli.js';
import { itShared } from '../support/shared.js';

const COMMANDS: readonly (readonly string[])[] = [
  ...[[], ['summary'], ['advise'], ['steps'], ['stacks'], ['stacks', '--host'], ['ranks']],
  ...[
    ['--by', 'range'],
    ['--by', 'hostop'],
  ],
];

/** The commands of `dprof` that a line of stderr names. */
const named = (stderr: string): string[][] =>
  [...stderr.matchAll(/dprof ((?:summary|--by)[^,)\n]*)/g)].map(([, words = '']) => words.trim().split(' '));

/** Runs every command, and what its hints name; returns how many these are. */
async function follow(path: string): Promise<number> {
  let followed = 0;
  for (const command of COMMANDS) {
    const { stderr } = await runCli('dprof', [...command, path]);
    for (const words of named(stderr)) {
      const { code, stdout } = await runCli('dprof', [...words, '-q', path]);
      expect({ code, rows: stdout.trim().split('\n').length > 1 }, `${command.join(' ')}: ${words.join(' ')}`).to.deep.equal({ code: 0, rows: true }); // prettier-ignore
      followed++;
    }
  }
  return followed;
}

const end = { type: 'end', profile: 0, counts: {}, diagnostics: {} } as const;
const range = {
  type: 'range',
  profile: 0,
  kind: 'annotation',
  text: 'train',
  start: 0,
  dur: 10,
  self: 10,
  pid: 1,
  tid: 1,
} as const;
const cpu = { type: 'sample', profile: 0, start: null, device: null, unit: 'ns' } as const;

function recordsOf(...lines: readonly object[]): string {
  return recordsFrom('nsight', ...lines);
}

function recordsFrom(format: string, ...lines: readonly object[]): string {
  const path = freshPath('.jsonl');
  writeFileSync(path, neuronLines([neuronProfile({ format }), ...lines, end] as Parameters<typeof neuronLines>[0]));
  return path;
}

const stderrOf = async (...args: string[]): Promise<string> => (await runCli('dprof', args)).stderr;

describe('hints of inputs without work of a device', () => {
  it('name the ranges of the host where there are ranges', async () => {
    const path = recordsOf(range);
    expect(await stderrOf('stacks', path)).to.match(/no kernels \(for CPU times: dprof summary, or dprof --by ranges /); // prettier-ignore
    expect(await follow(path)).to.be.greaterThan(3);
    expect(await follow(recordsOf({ ...range, kind: 'api' }))).to.be.greaterThan(1);
  });

  it('name the summary where there is the time of CPUs alone', async () => {
    const times = { metric: 'cpu_time', value: 8000, labels: { cpu: 0, pid: 256 } };
    const path = recordsOf({ ...cpu, metric: 'cpu_traced', value: 8000 }, { ...cpu, ...times });
    expect(await stderrOf('stacks', path)).to.equal(`dprof: ${path}: no kernels (for CPU times: dprof summary)\n`); // prettier-ignore
    expect(await follow(path)).to.be.greaterThan(3);
  });

  it('name no command where there is nothing, and ranges where records may have been written without', async () => {
    const path = recordsOf();
    expect(await stderrOf('stacks', path)).to.equal(`dprof: ${path}: no kernels (dparse --ranges adds CPU ranges to records)\n`); // prettier-ignore
    expect(await follow(path)).to.equal(0);
  });

  it('name no ranges where profiles of the kind have none', async () => {
    for (const format of ['ntff', 'neuron-json', 'ncu']) {
      const path = recordsFrom(format);
      for (const command of [['stacks'], ['stacks', '--host'], ['--by', 'range'], []]) {
        expect(await stderrOf(...command, path)).to.match(/: no [^(]*\n$/);
        const { stderr } = await runCli('dprof', command, { input: readFileSync(path) });
        expect(stderr).to.match(/^dprof: stdin: no [^(]*\n$/);
      }
    }
  });

  it('say that an input can have no times only of one that cannot', async () => {
    const untimed = neuronLines([kernel({ dur: null }), end]);
    const dict = "{'kShortName': 'k', 'kLongName': 'k', 'op': ['mm'], 'mod': ['torch'], 'seqId': [1]}\n";
    const errorOf = async (input: string): Promise<string> => (await runCli('dprof', ['steps'], { input })).stderr;
    const without = 'dprof: stdin: no record has both a start time and a duration';
    expect(await errorOf(`${JSON.stringify(neuronProfile({ format: 'kineto' }))}\n${untimed}`)).to.include(
      `${without}\n`,
    );
    expect(await errorOf(`${JSON.stringify(neuronProfile({ format: 'ncu' }))}\n${untimed}`)).to.include(
      `${without} (a PyProf net.dict`,
    );
    expect(await errorOf(dict)).to.include(`${without} (a PyProf net.dict`);
  });

  const HOST_ALONE = ['data/nsys/nvtx_only.sqlite', 'data/nsys/no_event_tables.sqlite', 'data/made/diag.sqlite'];
  itShared('of real profiles are answered by them', HOST_ALONE, async ([ranges = '', nothing = '', reason = '']) => {
    expect(await follow(ranges)).to.be.greaterThan(3);
    expect(await follow(nothing)).to.equal(0);
    expect(await stderrOf('stacks', nothing)).to.equal(`dprof: ${nothing}: no kernels\n`);
    await follow(reason);
  });
});
