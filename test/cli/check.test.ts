import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { DIAGNOSTICS, type DiagnosticName } from '../../src/record/diagnostics.js';
import { A100, profileOn } from '../support/devices.js';
import { freshPath } from '../support/fresh-path.js';
import { kernel } from '../support/kernels.js';
import { neuronLines } from '../support/neuron.js';
import { dataIn } from '../support/pages.js';
import { runCli } from '../support/run-cli.js';

const recordsWith = (diagnostics: Record<string, number>): string =>
  neuronLines([
    { ...profileOn(A100), file: 'net.json', format: 'ncu' },
    kernel({ layer: ['l'], trace: ['a.py:1'], op: ['mm'], mod: ['torch'] }),
    { type: 'end', profile: 0, counts: { kernel: 1 }, diagnostics },
  ]);
const run = (diagnostics: Record<string, number>, ...args: string[]) =>
  runCli('dprof', ['check', ...args], { input: recordsWith(diagnostics) });

/** Answers that contain what `dprof check` raises of the counters of readers. */
const ANSWERS: readonly string[][] = [
  ['summary'],
  ['advise'],
  ['steps'],
  ['ranks'],
  ['critical-path'],
  ['overlap'],
  ['queues'],
  ['--by', 'op', '-f', 'fitted'],
];

describe('doubts of a profile', () => {
  const profile = { ...profileOn(A100), file: 'net.json', format: 'ncu' };
  const input = (diagnostics: Record<string, number>): string =>
    neuronLines([
      profile,
      kernel({ start: 2000, launch: { api: 'cudaLaunchKernel', start: 1000, dur: 10 } }),
      { type: 'end', profile: 0, counts: { kernel: 1 }, diagnostics },
    ]);
  const COUNTED: readonly Record<string, number>[] = [
    {},
    { 'row-repeated': 2, 'open-range': 5 },
    { 'bad-row': 1, 'clocks-differ': 1, 'no-device-activity': 1, 'profiler-message': 4 },
    { 'call-failed': 2, 'graph-launch-without-work': 1, 'launch-without-work': 3 },
    { 'launch-without-work': 3, 'profiler-saw-no-device': 1, 'work-not-recorded': 1 },
  ];

  for (const diagnostics of COUNTED)
    it(`are in every answer those of the check: ${Object.keys(diagnostics).join(', ')}`, async () => {
      const text = input(diagnostics);
      const reasons = (await runCli('dprof', ['check', '-f', 'csv', '-c', 'level,check,what'], { input: text })).stdout.trimEnd().split('\n'); // prettier-ignore
      const counted = reasons.map((row) => row.split(',')).filter(([level = '', name = '']) => level !== 'limit' && name in diagnostics); // prettier-ignore
      const textsOf = (wanted: string): string[] =>
        counted.flatMap(([level, name = '']) =>
          level === wanted ? [`${DIAGNOSTICS[name as DiagnosticName][1]}: ${diagnostics[name]}`] : [],
        );
      const lineOf = (level: string, meaning: string): string[] =>
        textsOf(level).length === 0 ? [] : [`# net.json: ${meaning}: ${textsOf(level).join('; ')}`];
      const expected = [...lineOf('loss', 'figures are incomplete'), ...lineOf('doubt', 'figures may be wrong')];
      for (const answer of ANSWERS) {
        const { stdout, code } = await runCli('dprof', answer, { input: text });
        expect(code, answer.join(' ')).to.equal(0);
        const said = stdout.split('\n').filter((line) => line.startsWith('# net.json: figures '));
        expect(said, answer.join(' ')).to.deep.equal(expected);
      }
      const json = (await runCli('dprof', ['summary', '-f', 'jsonl'], { input: text })).stdout.trimEnd().split('\n').at(-1) ?? ''; // prettier-ignore
      const { doubts = [] } = JSON.parse(json) as { doubts?: readonly { level: string; diagnostic: string }[] };
      expect(doubts.map(({ level, diagnostic }) => [level, diagnostic])).to.have.deep.members(counted.map(([level, name]) => [level, name])); // prettier-ignore
      const page = freshPath('.html');
      await runCli('dprof', ['html', '-o', page], { input: text });
      const { doubts: ofPage, profiles } = dataIn(readFileSync(page, 'utf8'));
      expect(ofPage).to.deep.equal(doubts);
      expect(profiles[0]?.check.reasons.flatMap(({ level, check }) => (check in diagnostics && level !== 'limit' ? [[level, check]] : []))).to.deep.equal(counted.map(([level, name]) => [level, name])); // prettier-ignore
    });
});

describe('dprof check', () => {
  it('writes a verdict and its reasons', async () => {
    const { stdout, code } = await run({ 'row-repeated': 2 });
    expect(code).to.equal(0);
    expect(stdout).to.include('# profile 0: net.json (ncu)\ndoubtful: 1 doubt');
    expect(stdout).to.include('\ndoubt: duplicate rows of device work (one kept): 2 [row-repeated]\n');
    expect(stdout).to.include('\n  affects: counts, sums and shares of every answer\n');
    expect(stdout).to.include('\n  remedy:  export the profile once, into a new file\n');
    const { stdout: lost } = await run({ 'bad-row': 1, 'truncated-input': 1 });
    expect(lost).to.include('\nincomplete: 2 losses\n');
  });

  it('writes one object per profile as JSON, and one row per reason as a table', async () => {
    const { stdout } = await run({ 'row-repeated': 2 }, '-f', 'jsonl');
    const [line = ''] = stdout.split('\n');
    expect(JSON.parse(line)).to.deep.include({ profile: 0, file: 'net.json', rank: null, verdict: 'doubtful' });
    const { stdout: csv } = await run({ 'row-repeated': 2 }, '-f', 'csv', '-c', 'level,check,count', '--top', '1');
    expect(csv).to.equal('level,check,count\ndoubt,row-repeated,2\n');
  });

  it('fails a gate from the given verdict on', async () => {
    const codes = await Promise.all(
      [
        [{}, 'doubtful'],
        [{ 'row-repeated': 1 }, 'doubtful'],
        [{ 'row-repeated': 1 }, 'incomplete'],
        [{ 'bad-row': 1 }, 'incomplete'],
      ].map(async ([diagnostics, verdict]) => {
        const { code } = await run(diagnostics as Record<string, number>, '--fail-if', verdict as string);
        return code;
      }),
    );
    expect(codes).to.deep.equal([0, 1, 0, 1]);
    const { stderr } = await run({ 'bad-row': 1 }, '--fail-if', 'incomplete');
    expect(stderr).to.match(/--fail-if incomplete: 1 profile of 1 failed\n$/);
    expect((await run({}, '--fail-if', 'bad')).code).to.equal(2);
  });
});
