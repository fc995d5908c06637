import { expect } from 'chai';
import { RANGES_HINT } from '../../src/prof/analysis.js';
import { parse } from 'csv-parse/sync';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArguments } from '../../src/cli/arguments.js';
import { DIFF, readDiffArguments } from '../../src/cli/commands/diff/diff-options.js';
import { UsageError } from '../../src/record/errors.js';
import type { KernelRecord, ProfileLine } from '../../src/record/record.js';
import { kernel } from '../support/kernels.js';
import { neuronLines, neuronProfile } from '../support/neuron.js';
import { runCli, type Ran } from '../support/run-cli.js';
import { itShared } from '../support/shared.js';

const nvidia = (name: string): ProfileLine =>
  neuronProfile({
    format: 'kineto',
    file: `/secret/place/${name}.json`,
    devices: [{ id: 0, vendor: 'nvidia', name: 'A100', arch: 'sm80', units: null, clockHz: null, memBytesPerS: null, memBytes: null }], // prettier-ignore
  });
/** 8 steps of two ops; the second op takes `more` of its time. */
const training = (more: number, others: readonly Partial<KernelRecord>[] = []): string =>
  neuronLines([
    nvidia('net'),
    ...Array.from({ length: 8 }, (_, step) => [
      kernel({ step, op: ['conv2d'], layer: ['net', 'a'], dur: 10_000 + 7 * step }),
      kernel({ step, op: ['linear'], layer: ['net', 'b'], dur: Math.round(more * (4000 + 3 * step)) }),
      ...others.map((fields) => kernel({ step, ...fields })),
    ]).flat(),
  ]);

/** Names that try to break out of every format. */
const HOSTILE = ['=cmd|\' /C calc\'!A0', '+1', '-2', '@SUM(A1)', '-', '</script><b>', '"a",b', 'a|b`c\\|d', ']]>&amp;', 'x\ny\u0007', '\ud800'] as const; // prettier-ignore

describe('dprof diff', () => {
  let folder = '';
  const put = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const run = (args: readonly string[], input?: string): Promise<Ran> =>
    runCli('dprof', ['diff', ...args], input === undefined ? {} : { input });
  let base = '';
  let slow = '';
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'dprof-diff-'));
    base = put('base.dict', training(1));
    slow = put('slow.dict', training(1.1));
  });
  after(() => {
    rmSync(folder, { recursive: true });
  });

  it('says that both inputs are identical, by path or bytes', async () => {
    const copied = put('copied.dict', training(1));
    for (const other of [base, copied]) {
      const lines = (await run([base, other])).stdout.split('\n');
      expect(lines[2], other).to.equal('# BASE and NEW are identical files');
    }
    // Of the same size, but with another last digit.
    const [short, longer] = [put('2.dict', training(2)), put('3.dict', training(3))];
    for (const [a, b] of [[base, slow], [short, longer]] as const) expect((await run([a, b])).stdout).to.not.include('identical'); // prettier-ignore
  });

  it('writes a table: the totals, then what changed most', async () => {
    const { stdout, stderr, code } = await run([base, slow]);
    expect({ stderr, code }).to.deep.equal({ stderr: '', code: 0 });
    const lines = stdout.split('\n');
    expect(lines.slice(0, 3)).to.deep.equal([
      '# BASE base.dict (kineto): A100, 8 steps, 16 kernels',
      '# NEW slow.dict (kineto): A100, 8 steps, 16 kernels',
      '# mean times per step; 2 rows tested: Mann-Whitney U over steps for changes of more than 1 %, false-discovery rate 0.05 (Benjamini-Hochberg)',
    ]);
    const cells = lines.slice(3, -1).map((line) => line.split(/ +/));
    expect(cells[0]).to.deep.equal(
      'verdict change_% change_us call_change_% calls_change_% base_us new_us base_share_% new_share_% base_count new_count q op layer'.split(
        ' ',
      ),
    );
    // linear: 4010.5 ns a step, a tenth more; of 14035 ns. p = 2/C(16, 8) = 2/12870, of two tests.
    expect(cells[2]?.slice(0, 7)).to.deep.equal(['slower', '+10.00', '+0.401', '+10.00', '0.00', '4.011', '4.412']);
    expect(cells[2]?.slice(7)).to.deep.equal(['28.57', '30.56', '8', '8', '0.00031', 'linear', 'net:b']);
    expect(cells[3]?.slice(0, 3)).to.deep.equal(['same', '0.00', '0.000']);
    expect(cells[1]?.slice(-1)).to.deep.equal(['total']);
    expect(stdout).not.to.include('secret');
  });

  it('says that runs without steps differ in their kernels, and judges them by the time of a call', async () => {
    const calls = (count: number, dur: number): string =>
      neuronLines([nvidia('net'), ...Array.from({ length: count }, () => kernel({ op: ['conv2d'], dur }))]);
    const [long, short] = [put('long.dict', calls(20, 1000)), put('short.dict', calls(16, 1100))];
    const { stdout, code } = await run(['--fail-if', 'total > +15%', long, short]);
    expect(stdout.split('\n')).to.include(
      '# 20 kernels a run in BASE, 16 in NEW (-20.00 %), and no steps: the captures may differ in length, ' +
        'so verdicts and --fail-if use the time of a call; change_% compares whole captures',
    );
    // A call takes 10 % longer, and 20 of them would take 22 us; the whole capture takes 12 % less.
    expect(code).to.equal(0);
    expect((await run(['--fail-if', 'total > +5%', long, short])).code).to.equal(1);
    expect((await run([long, put('same.dict', calls(20, 1100))])).stdout).not.to.include('may differ in length');
  });

  it('ends with 1 when a condition holds, naming it, after all output is written', async () => {
    const conditions = ['--fail-if', 'total>+5%', '--fail-if=op:linear>+9%', '--fail-if', 'layer~b>+0.3us'];
    const output = join(folder, 'diff.csv');
    const ran = await run(['-q', '-f', 'csv', '-o', output, ...conditions, base, slow]);
    expect(ran).to.include({ code: 1, stdout: '' });
    expect(ran.stderr).to.match(
      /^dprof: --fail-if is met: op:linear>\+9% \(\+10\.00 %, \+0\.401 us\); layer~b>\+0\.3us \(\+10\.00 %, \+0\.401 us\)\n$/,
    );
    expect(readFileSync(output, 'utf8').split('\n')).to.have.length(1 + 1 + 2 + 1);
    expect((await run(['--fail-if', 'total>+5%', base, slow])).code).to.equal(0);
    const typing = await run(['--fail-if', 'op:lnear>+5%', base, slow]);
    expect(typing.code).to.equal(3);
    expect(typing.stdout).to.include(
      "# --fail-if 'op:lnear>+5%': cannot be judged: no kernel of either input matches\n",
    );
    expect(typing.stderr).to.equal(
      'dprof: --fail-if cannot be judged: op:lnear>+5% (no kernel of either input matches)\n',
    );
  });

  it('refuses what cannot be meant, with 2', async () => {
    const answers: readonly (readonly [readonly string[], RegExp])[] = [
      [[base], /^dprof: diff takes two inputs, BASE and NEW, not 1 input \(usage: dprof diff /],
      [[base, slow, slow], /^dprof: diff takes two inputs, BASE and NEW, not 3 inputs/],
      [['-', '-'], /^dprof: stdin \(-\) can be read only once/],
      [['--fail-if', 'total', base, slow], /^dprof: --fail-if 'total': expected > or </],
      [[base, slow, '--fail-if'], /^dprof: --fail-if needs a value\n$/],
      [['--q', '2', base, slow], /^dprof: --fdr takes a rate between 0 and 1, not '2'\n$/],
      [['--min-effect', 'much', base, slow], /^dprof: --min-effect takes a percentage such as 1%, not 'much'\n$/],
      [['--min-samples', '0', base, slow], /^dprof: --min-samples takes a number of at least 1/],
      [['--by', 'opp', base, slow], /^dprof: unknown column 'opp' \(did you mean op\?\)\n$/],
      [
        ['-f', 'xml', base, slow],
        /^dprof: unknown format 'xml' \(expected one of text, junit, columns, csv, space, json, jsonl, table, fitted, markdown, parquet, xlsx\)\n$/,
      ],
    ];
    for (const [args, answer] of answers) {
      let line = '';
      try {
        readDiffArguments(parseArguments(DIFF, args));
      } catch (error) {
        if (error instanceof UsageError) line = `dprof: ${error.line}\n`;
      }
      expect(line, args.join(' ')).to.match(answer);
    }
    const { stdout, stderr, code } = await run(['--fail-if', 'total>5', base, slow]);
    expect({ stdout, code }).to.deep.equal({ stdout: '', code: 2 });
    expect(stderr).to.match(/^dprof: --fail-if 'total>5': '5' is not a number with %[^\n]*\n$/);
  });

  it('names the input that has no kernels or cannot be read', async () => {
    const empty = put('empty.dict', neuronLines([nvidia('net')]));
    const first = await run([empty, slow]);
    expect(first).to.include({ code: 1, stdout: '', stderr: `dprof: ${empty}: no kernels (${RANGES_HINT})\n` });
    const second = await run([base, put('odd.dict', neuronLines([kernel({ dur: null })]))]);
    expect(second.stderr).to.match(/odd\.dict: no kernel has a duration \(kernels: 1\)\n$/);
    expect((await run([base, join(folder, 'none.dict')])).code).to.equal(1);
    const onto = await run(['-o', base, base, slow]);
    expect(onto).to.include({ code: 1, stdout: '' });
    expect(onto.stderr).to.match(/base\.dict: is the input/);
  });

  it('compares different vendors all the same, and says so; one of the inputs may be stdin', async () => {
    const neuron = neuronLines([neuronProfile(), kernel({ op: ['matmul'], device: 4 })]);
    const { stdout, code } = await run(['--by', 'op', base, '-'], neuron);
    expect(code).to.equal(0);
    expect(stdout).to.include('# NEW stdin (ntff): Trainium2, no known steps, 1 instruction\n');
    expect(stdout).to.include('\n# different vendors: nvidia against aws\n');
    expect(stdout).to.include('\n# different devices: A100 against Trainium2\n');
    expect(stdout).to.include('\n# NEW has no steps: whole runs are compared\n');
    expect(stdout).to.match(/# too few samples for a test: 1 run of BASE and 1 of NEW, at least 5 each are needed\n/);
    expect(stdout)
      .to.match(/\ngone +-100\.00 /)
      .and.match(/\nnew +na +\+0\.010 /);
  });

  it('says how many steps it would take', async () => {
    // 2 / C(10, 5) · 20 = 0.16 > 0.05; 2 / C(12, 6) · 20 = 0.043.
    const five = neuronLines(
      Array.from({ length: 5 }, (_, step) =>
        Array.from({ length: 20 }, (__, op) => kernel({ step, op: [`op${op}`], dur: 100 + step })),
      ).flat(),
    );
    const file = put('five.dict', five);
    expect((await run([file, file])).stdout).to.include(
      '# 5 and 5 steps are too few to show a change in one of 20 rows; 6 each are enough\n',
    );
  });

  describe('with names that try to break out', () => {
    let hostile = '';
    before(() => {
      hostile = put('hostile.dict', training(1, HOSTILE.map((name) => ({ op: [name], dur: 5 })))); // prettier-ignore
    });

    it('CSV has no formula', async () => {
      const { stdout, stderr } = await run(['-f', 'csv', '--by', 'op', base, hostile]);
      expect(stderr).to.equal('');
      const rows = parse(stdout);
      const ops = rows.map(([, op = '']) => op);
      expect(ops).to.include.members(["'=cmd|' /C calc'!A0", "'+1", "'-2", "'@SUM(A1)", '-', '"a",b']);
      expect(ops.filter((op) => /^[=+@]|^-./.test(op))).to.deep.equal([]);
      // Numbers stay numbers.
      expect(rows.find(([, op]) => op === 'total')?.[4]).to.equal(String(HOSTILE.length * 5));
    });

    it('Markdown keeps its cells', async () => {
      const { stdout } = await run(['-f', 'markdown', '--by', 'op', base, hostile]);
      const table = stdout.split('\n').filter((line) => line.startsWith('|'));
      expect(table).to.have.length(2 + 1 + 2 + HOSTILE.length);
      for (const line of table) expect(line.split('|'), line).to.have.length(1 + 13 + 1);
      expect(stdout).to.include('| `</script><b>` | **new** |');
      expect(stdout).to.include('| <code>a&#124;b&#96;c&#92;&#124;d</code> | **new** |');
    });

    it('XML is well-formed', async () => {
      const { stdout } = await run(['-f', 'junit', '--by', 'op', base, hostile]);
      const rest = stdout
        .replace(/^<\?xml version="1\.0" encoding="UTF-8"\?>\n/, '')
        .replace(/<\/?[a-z-]+(?: [a-z]+="[^<"&]*(?:&(?:amp|lt|gt|quot|apos);[^<"&]*)*")*\/?>/g, '')
        .replace(/&(?:amp|lt|gt|quot|apos);/g, '');
      expect(rest).not.to.match(/[<&]/);
      const codes = Array.from(stdout, (character) => character.codePointAt(0) ?? 0);
      expect(codes.filter((one) => (one < 32 && one !== 10) || (one >= 0xd800 && one < 0xe000) || one === 0xfffe)).to.deep.equal([]); // prettier-ignore
      expect(stdout).to.include(`tests="${1 + 2 + HOSTILE.length}" failures="0"`);
      expect(stdout).to.include('name="op=&lt;/script&gt;&lt;b&gt;"');
    });

    it('JSON and text have a line a row', async () => {
      const { stdout } = await run(['-f', 'jsonl', '--by', 'op', base, hostile]);
      const lines = stdout.trimEnd().split('\n').map((line) => JSON.parse(line) as Record<string, unknown>); // prettier-ignore
      expect(lines).to.have.length(1 + 1 + 2 + HOSTILE.length);
      expect(lines.map((line) => (line['keys'] as { op: string } | undefined)?.op)).to.include('x\ny\u0007');
      const text = (await run(['--by', 'op', base, hostile])).stdout.split('\n');
      expect(text).to.have.length(3 + 1 + 1 + 2 + HOSTILE.length + 1);
    });
  });

  it('JUnit has a case a condition, or a row; JSON has the conditions', async () => {
    const conditions = ['--fail-if', 'total>+2%', '--fail-if', 'op:conv2d>+2%', '--fail-if', 'op:none>+2%'];
    const junit = await run(['-f', 'junit', ...conditions, base, slow]);
    expect(junit.code).to.equal(1);
    expect(junit.stdout).to.include('<testsuites tests="3" failures="1" errors="1" skipped="0">');
    expect(junit.stdout).to.include('name="total&gt;+2%"><failure message="slower, change_% +2.86,');
    const rows = await run(['-f', 'junit', base, slow]);
    expect(rows.code).to.equal(1);
    expect(rows.stdout).to.include('<testsuites tests="3" failures="2" errors="0" skipped="0">');
    expect(rows.stdout).to.include('name="op=linear layer=net:b"><failure message="slower');
    const json = (await run(['-f', 'jsonl', ...conditions, base, slow])).stdout.trimEnd().split('\n');
    const judged = json.map((line) => JSON.parse(line) as Record<string, unknown>).filter(({ row }) => row === 'condition'); // prettier-ignore
    expect(judged.map(({ condition, met }) => [condition, met])).to.deep.equal([
      ['total>+2%', true],
      ['op:conv2d>+2%', false],
      ['op:none>+2%', null],
    ]);
  });

  it('--top keeps the first rows and says how many it leaves out', async () => {
    expect((await run(['--top', '1', base, slow])).stdout).to.match(/linear +net:b\n# 1 more row\n$/);
  });

  it('has a help that says what it does', async () => {
    const { stdout, code } = await run(['--help']);
    expect(code).to.equal(0);
    expect(stdout).to.match(/^Usage: dprof diff \[OPTION\.\.\.\] BASE NEW\n/);
    for (const line of stdout.split('\n')) expect(line.length, line).to.be.at.most(120);
  });

  const V100 = 'data/kineto/v100_resnet50_2021.json.gz';
  itShared('finds nothing between a real trace and itself', [V100], async ([trace = '']) => {
    const { stdout, code } = await run(['-f', 'jsonl', '--fail-if', 'total>0%', trace, trace]);
    expect(code).to.equal(0);
    const [, total, ...rows] = stdout.trimEnd().split('\n').map((line) => JSON.parse(line) as Record<string, unknown>); // prettier-ignore
    expect(total).to.include({ verdict: 'same', change_ns: 0, base_count: 8772, base_steps: 6 });
    expect(new Set(rows.map(({ verdict }) => verdict ?? 'same'))).to.deep.equal(new Set(['same']));
  });

  const PAIR = ['data/kineto/h100_bert_small.json.gz', 'data/kineto/mi300_bert_small.json.gz'];
  itShared('compares real traces of two vendors', PAIR, async ([h100 = '', mi300 = '']) => {
    const { stdout } = await run(['--by', 'op', h100, mi300]);
    expect(stdout).to.include('# different vendors: nvidia against amd\n');
    expect(stdout).to.match(/# too few samples for a test: 1 step of BASE and 1 of NEW/);
    expect(stdout).not.to.match(/^(?:slower|faster|same) /m);
  });
});
