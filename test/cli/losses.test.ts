/** What readers lost of an input reaches whoever reads an answer: every command reports it, also with -q. */
import { expect } from 'chai';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { A100, profileOn } from '../support/devices.js';
import { freshPath } from '../support/fresh-path.js';
import { kernel } from '../support/kernels.js';
import { LOSSY_INPUTS } from '../support/lossy-inputs.js';
import { dataIn } from '../support/pages.js';
import { runCli } from '../support/run-cli.js';
import { itLong, itSlow } from '../support/sets.js';
import { ROOT } from '../support/shared.js';

/** Arguments of dprof, but for the input, which IN stands for; OUT is a file. */
const COMMANDS: readonly string[] = [
  'IN',
  '-f csv IN',
  '-f jsonl IN',
  '--by op IN',
  '--by op -f jsonl IN',
  '--by ranges IN',
  'summary IN',
  'summary -f jsonl IN',
  'summary -f markdown IN',
  'steps IN',
  'steps -f csv IN',
  'ranks IN',
  'ranks -f jsonl IN',
  'stacks IN',
  'stacks -f speedscope IN',
  'memory IN',
  'memory -f jsonl IN',
  'diff IN IN',
  'diff -f jsonl IN IN',
  'diff --fail-if total>+5% IN IN',
  'html -o OUT IN',
  'advise IN',
  'advise -f jsonl IN',
  'perfetto -f chrome-json IN',
  'perfetto -o OUT IN',
  'partial -o OUT IN',
];

/** JSON that has a place for doubts; that of other programs has none. */
const isOwnJson = (command: string): boolean => command.includes('-f jsonl');

describe('what readers lost', () => {
  /** For each input half of the commands, by turns, each second one with `-q`; all, either way, where there is time. */
  for (const [turn, test] of [itSlow, itLong, itLong, itLong].entries())
    for (const [i, { what, reported, isWhole, make }] of LOSSY_INPUTS.entries())
      test(`is said by every command: ${what} (${turn + 1} of 4)`, async () => {
        const input = await make();
        const silent: string[] = [];
        for (const [j, command] of COMMANDS.entries()) {
          if ((i + j + turn) % 2 === 1) continue;
          const quiet = (Math.floor((i + j) / 2) + Math.floor(turn / 2)) % 2 === 0 ? ['-q'] : [];
          const args = command.split(' ').map((word) => (word === 'IN' ? input : word === 'OUT' ? freshPath('.out') : word)); // prettier-ignore
          const { code, stdout, stderr } = await runCli('dprof', [...args, ...quiet]);
          const isFailed = code === 1 || command.includes('--fail-if');
          const isDoubted = !isOwnJson(command) || stdout === '' || (isWhole && !/figures are incomplete/.test(stderr)) || /"doubts":(\[\{|\{"base":\[\{)/.test(stdout); // prettier-ignore
          if (!reported.test(stderr) || (isWhole && !isFailed) || !isDoubted) silent.push(`${args.join(' ')} ${quiet.join('')}: ${code} ${stderr}`); // prettier-ignore
        }
        expect(silent).to.deep.equal([]);
      });

  /** Nsight Systems: 42 of 126 kernels have a string as their end. */
  const ends = (): Promise<string> | string => LOSSY_INPUTS[0]?.make() ?? '';
  const LINE =
    /figures are incomplete: rows with a missing or invalid value \([^)]*\): 42; device work without a start or an end [^\n]*: 42/;

  it('is said in one line, in text, Markdown and JSON, and on the page', async () => {
    const [input, page] = [await ends(), freshPath('.html')];
    const text = await runCli('dprof', ['summary', input]);
    expect(text.stdout).to.match(new RegExp(`\\n\\n# [^\\n]+: ${LINE.source}\\n$`));
    expect(text.stderr.match(new RegExp(LINE, 'g'))).to.have.length(1);
    const markdown = await runCli('dprof', ['summary', '-f', 'markdown', input]);
    expect(markdown.stdout).to.match(/\n\n> [^\n]*figures are incomplete[^\n]*42\n$/);
    const json = await runCli('dprof', ['-q', '--by', 'op', '-f', 'jsonl', input]);
    const { doubts } = JSON.parse(json.stdout.trimEnd().split('\n').at(-1) ?? '') as { doubts: readonly unknown[] };
    const doubt = { diagnostic: 'bad-row', level: 'loss', text: 'rows with a missing or invalid value (value unknown, or row skipped)', count: 42, profiles: 1, file: input }; // prettier-ignore
    expect(doubts).to.have.length(2);
    expect(doubts[0]).to.deep.equal(doubt);
    const ranks = await runCli('dprof', ['ranks', '-q', '-f', 'jsonl', input]);
    expect(JSON.parse(ranks.stdout)).to.deep.include({ doubts });
    await runCli('dprof', ['html', '-o', page, input]);
    expect(dataIn(readFileSync(page, 'utf8')).doubts).to.deep.equal(doubts);
  });

  it('that may be wrong are said below an answer, or on stderr where it has only rows', async () => {
    const records = [profileOn(A100), kernel({ dur: 5 }), { type: 'end', profile: 0, counts: {}, diagnostics: { 'zero-duration': 2 } }]; // prettier-ignore
    const input = records.map((record) => JSON.stringify(record)).join('\n');
    const DOUBT = /figures may be wrong: kernels with a duration of 0: 2\n/;
    for (const [args, isBelow] of [
      [['steps'], true],
      [['steps', '-f', 'markdown'], true],
      [['steps', '-f', 'csv'], false],
      [['--by', 'op'], false],
    ] as const) {
      const { stdout, stderr } = await runCli('dprof', [...args], { input });
      expect([DOUBT.test(stdout), DOUBT.test(stderr)], args.join(' ')).to.deep.equal([isBelow, !isBelow]);
    }
    // The rows of this command are the doubts.
    const check = await runCli('dprof', ['check', '-f', 'csv'], { input });
    expect(check.stdout).to.match(/zero-duration/);
    expect(check.stderr).to.not.match(DOUBT);
    const quiet = await runCli('dprof', ['-q', 'steps', '-f', 'csv'], { input });
    expect(quiet.stderr).to.not.match(DOUBT);
  });

  it('of collectives that are not kernels is said by answers about kernels, unless kernels are selected', async () => {
    const input = freshPath('.dict');
    const end = { type: 'end', profile: 0, counts: { kernel: 1, collective: 3 }, diagnostics: {} };
    writeFileSync(input, [profileOn(A100), kernel({ dur: 5 }), end].map((record) => `${JSON.stringify(record)}\n`).join('')); // prettier-ignore
    const NOTE = /3 collectives not counted here: the profiler records them apart from kernels/;
    expect((await runCli('dprof', ['--by', 'kernel', input])).stderr).to.match(NOTE);
    expect((await runCli('dprof', ['--by', 'kernel', '--where', 'sil>0', input])).stderr).to.not.match(NOTE);
    expect((await runCli('dprof', ['diff', input, input])).stdout).to.match(/6 collectives not counted here/);
    const { stdout } = await runCli('dprof', ['--by', 'kernel', '-f', 'json', input]);
    const { cannot } = JSON.parse(stdout) as { readonly cannot: readonly unknown[] };
    expect(cannot).to.deep.include({
      what: 'time of 3 collectives',
      why: 'the profiler records them apart from kernels',
      wayOut: 'dprof steps and dprof ranks have it',
      input: null,
    });
  });

  it('is in partial answers, and what is merged of them', async () => {
    const [part, merged] = [freshPath('.part'), freshPath('.part')];
    await runCli('dprof', ['partial', '-q', '-o', part, await ends()]);
    for (const args of [
      ['merge', '-q', '-o', merged, part],
      ['summary', '-q', part],
      ['ranks', '-q', part],
      ['--by', 'op', part],
    ])
      // prettier-ignore
      expect((await runCli('dprof', args)).stderr, args.join(' ')).to.match(LINE);
    expect((await runCli('dprof', ['steps', '-q', merged])).stderr).to.match(LINE);
  });

  it('is said by dprof monitor, of its own lines and of records made of them', async () => {
    const reports = readFileSync(join(ROOT, 'samples/neuron-monitor.jsonl'), 'utf8').split(/(?<=\n)/);
    const [path, records] = [freshPath('.jsonl'), freshPath('.jsonl')];
    writeFileSync(path, [...reports.slice(0, 2), '{"period":\n', ...reports.slice(2)].join(''));
    expect((await runCli('dprof', ['monitor', '-q', path])).stderr).to.match(/skipped 2 lines that are not reports \(first: line 3\)/); // prettier-ignore
    const parsed = await runCli('dparse', ['-q', path]);
    expect(parsed.stderr).to.match(/figures are incomplete: damaged events, rows and reports \([^)]*\): 2\n$/);
    writeFileSync(records, parsed.stdout);
    expect((await runCli('dprof', ['monitor', '-q', records])).stderr).to.match(/damaged events, rows and reports \([^)]*\): 2\n$/); // prettier-ignore
  });

  it('is said of many profiles in one line, which names the first', async () => {
    const input = await ends();
    const { stderr } = await runCli('dprof', ['--by', 'op', input, input]);
    expect(stderr).to.include(`2 profiles, ${input} first: figures are incomplete: rows with a missing or invalid value (value unknown, or row skipped): 84`); // prettier-ignore
  });

  it('leaves conditions of dprof diff open where it is more than a hundredth', async () => {
    const { code, stderr } = await runCli('dprof', ['diff', '--fail-if', 'total>+5%', await ends(), await ends()]);
    expect(stderr).to.match(/42 records could not be read/);
    expect(code).to.equal(3);
  });

  it('is nothing where lines were chosen on purpose: without their profile and end', async () => {
    const { stdout } = await runCli('dparse', ['-q', await ends()]);
    const kernels = stdout.split('\n').filter((line) => line.startsWith('{"type":"kernel"'));
    const path = freshPath('.jsonl');
    writeFileSync(path, `${kernels.slice(0, 10).join('\n')}\n`);
    const { code, stderr } = await runCli('dprof', ['--by', 'op', '-q', path]);
    expect({ code, stderr }).to.deep.equal({ code: 0, stderr: '' });
  });
});
