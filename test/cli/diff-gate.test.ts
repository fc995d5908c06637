import { expect } from 'chai';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { KernelRecord } from '../../src/record/record.js';
import { kernel } from '../support/kernels.js';
import { neuronLines, neuronProfile } from '../support/neuron.js';
import { runCli, type Ran } from '../support/run-cli.js';

const OPS = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
/** Steps of seven ops, 1,000 ns each; `change` is made to the kernels of one of them. */
function training(steps: number, change: (step: number) => Partial<KernelRecord> = () => ({})): string {
  const kernels = Array.from({ length: steps }, (_, step) =>
    OPS.map((op) => kernel({ step, op: [op], dur: 1000 + step, ...(op === 'g' ? change(step) : {}) })),
  );
  return neuronLines([neuronProfile(), ...kernels.flat()]);
}

const FORMATS = ['text', 'json', 'markdown', 'junit'] as const;
const counts = (junit: string): string => /<testsuites ([^>]*)>/.exec(junit)?.[1] ?? '';

describe('dprof diff as a gate', () => {
  let folder = '';
  const put = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const run = (...args: readonly string[]): Promise<Ran> => runCli('dprof', ['diff', '--by', 'op', ...args]);
  let base = '';
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'dprof-gate-'));
    base = put('base.dict', training(8));
  });
  after(() => {
    rmSync(folder, { recursive: true });
  });

  describe('fails with 3 what cannot be judged, and says so in every format', () => {
    const inputs: readonly (readonly [what: string, text: string | null, reason: RegExp])[] = [
      ['is missing', null, /no such file/],
      ['ends within a line', training(8).slice(0, -1500), /is cut off/],
      ['ends between two lines', training(8).split('\n').slice(0, -10).join('\n') + '\n', /a profile has no end/],
      ['has no kernels', neuronLines([neuronProfile()]), /no kernels/],
      [
        'lacks the work of more than a hundredth of its launches',
        training(8).replace('"diagnostics":{}', '"diagnostics":{"launch-without-work":1}'),
        /the work of 1 launch is not in the profile/,
      ],
    ];
    for (const [what, text, reason] of inputs) {
      it(`where NEW ${what}`, async () => {
        const next = text === null ? join(folder, 'none.dict') : put('next.dict', text);
        for (const format of FORMATS) {
          const output = put('report', 'an old pass');
          const { code, stderr } = await run('-f', format, '-o', output, '--fail-if', 'total>+5%', base, next);
          expect(code, format).to.equal(3);
          expect(stderr, format).to.match(/\ndprof: --fail-if cannot be judged: total>\+5% \(NEW: [^\n]+\)\n$/);
          const report = readFileSync(output, 'utf8');
          expect(report, format).to.match(reason).and.not.include('an old pass');
          // The input, and the condition.
          if (format === 'junit') expect(counts(report)).to.equal('tests="2" failures="0" errors="2" skipped="0"');
        }
      });
    }

    it('where a partial answer lacks the work that its records lack', async () => {
      const lacking = training(8).replace('"diagnostics":{}', '"diagnostics":{"launch-without-work":1}');
      const parts: string[] = [];
      for (const [name, text] of [
        ['whole', training(8)],
        ['lacking', lacking],
      ] as const) {
        // prettier-ignore
        const [part, merged] = [join(folder, `${name}.part`), join(folder, `${name}-merged.part`)];
        const made = ['partial', '-q', '--by', 'op,kernel', put(`${name}.dict`, text), '-o', part];
        expect(await runCli('dprof', made)).to.include({ code: 0 });
        expect(await runCli('dprof', ['merge', '-q', part, '-o', merged])).to.include({ code: 0 });
        parts.push(merged);
      }
      const [whole = '', next = ''] = parts;
      const said = async (...inputs: string[]): Promise<string[]> => {
        const { code, stderr } = await run('-q', '--fail-if', 'total>+5%', ...inputs);
        expect(code).to.equal(3);
        return stderr.split('\n').filter((line) => line.includes('cannot be judged'));
      };
      const expected = [
        'dprof: --fail-if cannot be judged: total>+5% (NEW: the work of 1 launch is not in the profile)',
      ];
      expect(await said(base, join(folder, 'lacking.dict'))).to.deep.equal(expected);
      expect(await said(whole, next)).to.deep.equal(expected);
    });

    it('where a condition matches nothing', async () => {
      for (const format of FORMATS) {
        const { code, stdout } = await run('-q', '-f', format, '--fail-if', 'op:aa>+5%', base, base);
        expect({ format, code }).to.deep.equal({ format, code: 3 });
        expect(stdout).to.include('no kernel of either input matches');
      }
    });

    it('where more than a hundredth of the kernels have no duration: not faster, but unknown', async () => {
      // g has none in 6 of 8 steps: its time is a quarter, that of a step a tenth less.
      const next = put(
        'untimed.dict',
        training(8, (step) => (step < 6 ? { dur: null } : {})),
      );
      const { code, stdout } = await run('-f', 'junit', '--fail-if', 'total>+5%', '--fail-if', 'op:a>+5%', base, next);
      expect(code).to.equal(3);
      expect(counts(stdout)).to.equal('tests="2" failures="0" errors="1" skipped="0"');
      const rows = (await run(base, next)).stdout.split('\n');
      expect(rows.filter((line) => line.startsWith('untimed ')).map((line) => line.split(/ +/).at(-1))).to.have.members(['total', 'g']); // prettier-ignore
      expect(rows).to.include('# NEW: 6 kernels left out: no duration');
    });
  });

  it('ends with 1 where one condition is met and another cannot be judged', async () => {
    const next = put(
      'slow.dict',
      training(8, () => ({ dur: 2000 })),
    );
    const { code, stderr } = await run('-q', '--fail-if', 'op:g>+5%', '--fail-if', 'op:none>+5%', base, next);
    expect(code).to.equal(1);
    expect(stderr).to.match(/^dprof: --fail-if cannot be judged: op:none[^\n]+\ndprof: --fail-if is met: op:g>\+5% /);
  });

  it('does not call a row the same where no change could be shown in so few steps', async () => {
    // 2 / C(10, 5) · 7 = 0.056 > 0.05; 2 / C(12, 6) · 7 = 0.015.
    const slow = (steps: number): string =>
      put(
        `slow${steps}`,
        training(steps, (step) => ({ dur: 1300 + step })),
      );
    const five = [put('five', training(5)), slow(5)] as const;
    const verdictOf = ({ stdout }: Ran): string | undefined => /^(\S+) .* g$/m.exec(stdout)?.[1];
    expect(verdictOf(await run(...five))).to.equal('too-few-samples');
    expect(verdictOf(await run(put('six', training(6)), slow(6)))).to.equal('slower');
    // The totals are one test, and 4 % slower.
    expect(await run('-q', '--fail-if', 'total=slower', ...five)).to.include({ code: 1 });
    expect(await run('-q', '--fail-if', 'op:g=faster', ...five)).to.include({ code: 0 });
    expect(await run('-q', '--fail-if', 'any=faster', ...five)).to.include({ code: 3 });
  });

  it('has verdicts as conditions', async () => {
    const next = put(
      'slow.dict',
      training(8, () => ({ dur: 2000 })),
    );
    for (const [condition, code] of [
      ['any=slower', 1],
      ['any=gone', 0],
      ['op:g=slower', 1],
      ['op:a=slower', 0],
    ] as const) {
      // prettier-ignore
      expect((await run('-q', '--fail-if', condition, base, next)).code, condition).to.equal(code);
    }
  });

  it('as JUnit alone fails for what the document calls a failure', async () => {
    const slow = put(
      'slow.dict',
      training(8, () => ({ dur: 2000 })),
    );
    const cases = [[base, 0, 0, 0], [slow, 1, 2, 0], [join(folder, 'none'), 3, 0, 1]] as const; // prettier-ignore
    for (const [next, code, failures, errors] of cases) {
      const ran = await run('-q', '-f', 'junit', base, next);
      expect(ran.code).to.equal(code);
      expect(counts(ran.stdout)).to.include(`failures="${failures}" errors="${errors}"`);
    }
  });

  it('says which part an input lacks, and not that it has no kernels', async () => {
    const lacks = 'no work in step 9';
    const ran = await run('-q', '--step', '9', base, base);
    expect(ran).to.include({ code: 1, stderr: `dprof: ${base}: ${lacks} (there are steps 0, 1, 2, 3, 4, 5, 6, 7)\n` });
    const gate = await run('-q', '--step', '9', '--fail-if', 'total>1%', base, base);
    expect(gate.code).to.equal(3);
    expect(gate.stderr).to.match(/--fail-if cannot be judged: total>1% \(BASE: no work in step 9\)\n$/);
  });

  it('fails where a member of a folder cannot be read', async () => {
    const members = join(folder, 'members');
    mkdirSync(members);
    writeFileSync(join(members, 'trace.json'), '{"traceEvents":[{"ph":"X","cat":"kernel","name":"k","ts":1,"dur":5,"args":{"device":0,"stream":7}}],"schemaVersion":1}'); // prettier-ignore
    writeFileSync(join(members, 'rank1.pt.trace.json'), '');
    expect((await run('-q', '--fail-if', 'total>+500%', members, members)).code).to.equal(3);
    expect((await run('-q', members, members)).code).to.equal(1);
  });
});
