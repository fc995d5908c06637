import { expect } from 'chai';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { freshPath } from '../support/fresh-path.js';
import { group, lines, report, runtime } from '../support/monitor-report.js';
import { NsightDatabase } from '../support/nsight-database.js';
import { runCli, type Ran } from '../support/run-cli.js';

/** Every control character, mark of direction and separator of lines, but NUL, which ends a file's name. */
const CONTROLS = [
  ...Array.from({ length: 0x1f }, (_, i) => i + 1),
  ...Array.from({ length: 0x21 }, (_, i) => 0x7f + i),
  ...[0x61c, 0x200e, 0x200f, ...Array.from({ length: 7 }, (_, i) => 0x2028 + i), 0x2066, 0x2067, 0x2068, 0x2069],
]
  .map((code) => String.fromCharCode(code))
  .join('');
/** What no output may hold: line feeds are between lines, and before what the page's program indents a tab. */
// eslint-disable-next-line no-control-regex -- exactly these
const OBEYED = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/;
const STEERING = '\u001b]0;owned\u0007\u009b31m\u202e';

/** A profile whose name and strings are made of control characters. */
function profile(): string {
  const folder = freshPath('-folder');
  mkdirSync(folder);
  const database = new NsightDatabase();
  for (const step of [1, 2]) {
    const marker = `{'mod': 'torch', 'op': 'mm${STEERING}', 'args': [{'type': 'str', 'value': ${JSON.stringify(CONTROLS)}}]}`;
    database
      .range(`iteration ${step}`, 1000 * step - 50, 1000 * step + 80)
      .launch(10 * step, [`layer:${CONTROLS}`, `range ${CONTROLS}`, marker])
      .kernel({ start: 1000 * step + 20, end: 1000 * step + 40 }, 10 * step, {}, `gemm${CONTROLS}`)
      .memory(1000 * step, 0, step, 4096, { name: CONTROLS });
  }
  const name = process.platform === 'win32' ? 'net' : `net${CONTROLS.replaceAll('/', '')}`;
  return database.write({}, join(folder, `${name}.sqlite`));
}

const TABLES = ['space', 'columns', 'csv', 'json', 'table', 'markdown'].map((format) => ['-f', format]);
const ANSWERS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  dprof: [...TABLES.map((format) => ['-c', 'idx,layer,op,kernel,params,trace', ...format]), ['--explain', '1']],
  'dprof --by': TABLES.map((format) => ['--by', 'layer,op,kernel', ...format]),
  summary: ['text', 'json'].map((format) => ['summary', '-f', format]),
  advise: ['text', 'json'].map((format) => ['advise', '-f', format]),
  steps: [['steps']],
  stacks: ['collapsed', 'speedscope'].map((format) => ['stacks', '-f', format]),
  memory: [['memory'], ['memory', '-f', 'jsonl']],
  perfetto: [['perfetto', '-f', 'chrome-json']],
};

describe('control characters of a profile', () => {
  const expectNone = ({ stdout, stderr }: Ran): void => {
    expect(OBEYED.exec(stdout), stdout.slice(0, 500)).to.equal(null);
    expect(OBEYED.exec(stderr), stderr).to.equal(null);
  };
  let path = '';
  before(() => {
    path = profile();
  });

  it('are escaped in records, whose texts they are once read', async () => {
    const ran = await runCli('dparse', ['--ranges', path]);
    expectNone(ran);
    expect(ran.stderr.split('\n')).to.have.length(2);
    expect(ran.stderr).to.include('\\u001b').and.include('\\u009b').and.include('\\u202e');
    const records = ran.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { type: string; name?: string });
    expect(records.find(({ name }) => name?.startsWith('gemm'))?.name).to.equal(`gemm${CONTROLS}`);
  });

  for (const [answer, runs] of Object.entries(ANSWERS)) {
    for (const args of runs) {
      it(`${answer}: are escaped in ${args.join(' ')}`, async () => {
        const ran = await runCli('dprof', [...args, path]);
        expect(ran.code, ran.stderr).to.equal(0);
        expect(ran.stdout.length).to.be.above(20);
        expectNone(ran);
      });
    }
  }

  it('diff: are escaped', async () => {
    for (const format of ['text', 'json', 'csv', 'markdown', 'junit']) {
      const ran = await runCli('dprof', ['diff', '-f', format, path, path]);
      // A gate, which these few steps do not suffice for.
      expect(ran.code, ran.stderr).to.equal(format === 'junit' ? 3 : 0);
      expectNone(ran);
    }
  });

  it('html: are escaped in the title and the data', async () => {
    const ran = await runCli('dprof', ['html', path]);
    expect(ran.code, ran.stderr).to.equal(0);
    const [, title = '', data = ''] = /<title>(.*?)<\/title>.*id="data">(.*?)<\/script>/s.exec(ran.stdout) ?? [];
    expect(title).to.include('\\u009b').and.not.match(OBEYED);
    // As characters of the text: the page shows the escape.
    expect(data).to.include('gemm\\\\u0001').and.not.match(OBEYED);
  });

  it('are escaped in errors about a file of such a name', async () => {
    for (const [tool, args] of [
      ['dparse', []],
      ['dprof', []],
      ['dprof', ['summary']],
    ] as const) {
      const ran = await runCli(tool, [...args, `none${CONTROLS}`]);
      expect(ran.code).to.not.equal(0);
      expectNone(ran);
      expect(ran.stderr)
        .to.match(/^[^\n]+\n$/)
        .and.include('\\u009b');
    }
  });

  it('monitor: are escaped', async () => {
    const input = lines(
      report(
        [runtime(1, CONTROLS, { execution_stats: group({ execution_summary: { completed: 1 } }) })],
        {},
        {
          instance_info: { instance_id: CONTROLS, instance_type: CONTROLS, error: CONTROLS },
        },
      ),
    );
    for (const format of ['columns', 'csv', 'json', 'prometheus', 'emf']) {
      const ran = await runCli('dprof', ['monitor', '-f', format], { input });
      expect(ran.code, ran.stderr).to.equal(0);
      expectNone(ran);
    }
  });
});
