/** Records with fields of other types, which become unknown. Found by `npm run fuzz`. */
import { expect } from 'chai';
import { runCli } from '../support/run-cli.js';

const KERNEL = {
  type: 'kernel',
  profile: 0,
  id: 1,
  name: 'k',
  short: 'k',
  start: 10,
  dur: 5,
  device: 0,
  stream: 7,
  step: 3,
  engine: 'Tensor',
  counters: { pc: 4 },
};

/** The row of a kernel with other fields. */
async function rowOf(fields: Readonly<Record<string, unknown>>, columns: string): Promise<string> {
  const input = `${JSON.stringify({ ...KERNEL, ...fields })}\n`;
  const { code, stdout } = await runCli('dprof', ['-q', '--csv', '--no-header', '-c', columns], { input });
  expect(code).to.equal(0);
  return stdout.trim();
}

describe('records whose fields have other types', () => {
  const cases: readonly (readonly [string, Readonly<Record<string, unknown>>, string, string])[] = [
    ['an invalid collective', { collective: { op: ['all'], group: {} } }, 'sil,collective,group', '5,na,na'],
    ['counters that are not numbers', { counters: { pc: { a: 1 } } }, 'sil,counters', '5,na'],
    ['labels that are lists', { labels: { type: [1] } }, 'sil,engine', '5,Tensor'],
    ['a forward op without a name', { forward: { op: 7 } }, 'sil,fwd,counters', '5,na,pc=4'],
    ['picoseconds that are texts', { ps: ['x', 5] }, 'sil,engine', '5,Tensor'],
    ['an engine that is a number', { engine: 5 }, 'sil,engine,counters,step', '5,na,pc=4,3'],
    ['a duration beyond 2^53 ns', { dur: 1e300 }, 'sil,step', 'na,3'],
    [
      'fields named like those of every object',
      { ['__proto__x']: 1, constructor: 2, engine: null },
      'sil,engine',
      '5,na',
    ],
  ];
  for (const [title, fields, columns, row] of cases) {
    it(`keep the kernel: ${title}`, async () => {
      expect(await rowOf(fields, columns)).to.equal(row);
    });
  }

  for (const startUnixNs of ['abc', 1.5, '1e999', {}]) {
    it(`have no start in Unix time: ${JSON.stringify(startUnixNs)}`, async () => {
      const profile = { type: 'profile', v: 1, profile: 0, format: 'kineto', file: 'a', rank: null, startUnixNs };
      const memory = { type: 'sample', profile: 0, start: 1, metric: 'op_memory', value: 4, unit: 'bytes', device: 0 }; // prettier-ignore
      const input = [profile, KERNEL, memory].map((line) => `${JSON.stringify(line)}\n`).join('');
      for (const command of [['memory', '-f', 'timeline'], ['perfetto', '-f', 'chrome-json'], ['html']]) {
        const { stderr } = await runCli('dprof', command, { input });
        expect(stderr, command.join(' ')).to.not.include('please report');
      }
    });
  }

  it('have texts of the wrong type: notices and samples', async () => {
    const lines = [KERNEL, { type: 'notice', profile: 0, category: [], text: {} }, { type: 'sample', profile: 0, start: 1, metric: 'm', value: 1, text: 5, unit: 7, labels: { a: {} } }]; // prettier-ignore
    const input = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
    for (const command of [['perfetto', '-f', 'chrome-json'], ['summary'], ['html'], ['monitor']]) {
      const { stderr } = await runCli('dprof', command, { input });
      expect(stderr, command.join(' ')).to.not.include('please report');
    }
  });

  it('have no invalid sums', async () => {
    const input = [1e308, -1e308, 9e15]
      .map((start, i) => `${JSON.stringify({ ...KERNEL, id: i + 1, start, ps: ['x', {}] })}\n`)
      .join('');
    const { stdout } = await runCli('dprof', ['steps', '-f', 'csv'], { input });
    expect(stdout).to.not.match(/NaN|Infinity/);
  });

  it('are fewer than the end line counts, without a profile line', async () => {
    const end = { type: 'end', profile: 0, counts: { copy: 2, kernel: 3 }, diagnostics: {} };
    const input = [KERNEL, { ...KERNEL, id: 2 }, end].map((line) => `${JSON.stringify(line)}\n`).join('');
    const { code, stderr } = await runCli('dprof', ['-q', '--by', 'kernel'], { input });
    // Copies may be left out on purpose, as grep does.
    expect(stderr).to.match(/records that the end line counts but the input lacks \(filtered or lost\): 1\n$/);
    expect(code).to.equal(0);
  });

  it('stand behind the end line of their profile', async () => {
    const profile = { type: 'profile', v: 1, profile: 0, format: 'kineto', file: 'a', rank: null };
    const end = { type: 'end', profile: 0, counts: { kernel: 1 }, diagnostics: {} };
    const input = [profile, KERNEL, end, { ...KERNEL, id: 2 }].map((line) => `${JSON.stringify(line)}\n`).join('');
    const { stderr } = await runCli('dprof', ['-q', '--by', 'kernel'], { input });
    expect(stderr).to.match(/records beyond the counts of the end line .*: 1\n$/);
    // Another profile of that number begins with a profile line.
    const again = [profile, KERNEL, end, profile, KERNEL, end].map((line) => `${JSON.stringify(line)}\n`).join('');
    expect((await runCli('dprof', ['-q', '--by', 'kernel'], { input: again })).stderr).to.equal('');
  });

  it('are gone, all but the end line', async () => {
    const input = `${JSON.stringify({ type: 'end', profile: 0, counts: { kernel: 3 }, diagnostics: {} })}\n`;
    const { code, stderr } = await runCli('dprof', ['-q', '--by', 'kernel'], { input });
    expect(stderr).to.contain('no kernel: the end line counts 3 records');
    expect(code).to.equal(1);
  });

  it('are lines of a partial answer that lost its beginning', async () => {
    const lines = [
      { type: 'part-ranks', profile: 0, data: [] },
      { type: 'end', profile: 0, counts: { kernel: 3 }, diagnostics: {} },
    ];
    const input = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
    // It takes other lines of a partial answer.
    const { code, stderr } = await runCli('dprof', ['-q', '--by', 'kernel'], { input });
    expect(stderr).to.contain('a line outside any member');
    expect(code).to.equal(1);
  });

  it('are of the first profile where the number of theirs is none', async () => {
    const profile = { type: 'profile', v: 1, profile: 0, format: 'kineto', file: 'a', rank: null };
    const end = { type: 'end', profile: 0, counts: { kernel: 1 }, diagnostics: {} };
    const input = [profile, { ...KERNEL, profile: -1e308 }, end].map((line) => `${JSON.stringify(line)}\n`).join('');
    const { stdout, stderr } = await runCli('dprof', ['perfetto', '-q', '-f', 'chrome-json'], { input });
    expect(JSON.parse(stdout)).to.be.an('object').and.have.property('traceEvents');
    expect(stderr).to.match(/rows with a missing or invalid value \([^)]*\): 1\n$/);
  });

  it('are counted where a value has another type', async () => {
    const profile = { type: 'profile', v: 1, profile: 0, format: 'kineto', file: 'a', rank: null };
    const copy = { type: 'copy', profile: 0, start: 11, dur: 1, device: 0, kind: 'HtoD', bytes: 'x' };
    const end = { type: 'end', profile: 0, counts: { kernel: 3, copy: 1 }, diagnostics: { 'bad-row': 2 } };
    // One with a wrong duration, one with an unknown one, a whole one.
    const kernels = [{ dur: '12' }, { dur: null, id: 2 }, { id: 3 }].map((fields) => ({ ...KERNEL, ...fields }));
    const input = [profile, ...kernels, copy, end].map((line) => `${JSON.stringify(line)}\n`).join('');
    const wrong = /^dprof: a: figures are incomplete: rows with a missing or invalid value \([^)]*\): (\d+)\n$/;
    const { stderr } = await runCli('dprof', ['-q', '--csv'], { input });
    expect(wrong.exec(stderr)?.[1]).to.equal('3');
    // The summary reads copies too.
    const summary = await runCli('dprof', ['summary', '-q'], { input });
    expect(wrong.exec(summary.stderr)?.[1]).to.equal('4');
  });

  it('end a profile twice, and are counted at both ends', async () => {
    const profile = { type: 'profile', v: 1, profile: 0, format: 'kineto', file: 'a', rank: null };
    const end = { type: 'end', profile: 0, counts: { kernel: 3 }, diagnostics: {} };
    // The second of three kernels became an end without counts.
    const lines = [profile, KERNEL, { type: 'end' }, { ...KERNEL, id: 3 }, end];
    const input = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
    const { stdout, stderr } = await runCli('dprof', ['-q', '--by', 'kernel', '-c', 'count', '--csv', '--no-header'], { input }); // prettier-ignore
    expect(stdout).to.equal('k,2\n');
    expect(stderr).to.match(/records that the end line counts but the input lacks \(filtered or lost\): 1\n$/);
  });
});
