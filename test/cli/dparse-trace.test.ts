import { expect } from 'chai';
import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { ProfileLine } from '../../src/record/record.js';
import { annotation, frame, kernel, launch, op, traceText, writeTrace } from '../support/kineto-trace.js';
import { freshPath } from '../support/fresh-path.js';
import { ended } from '../support/ended.js';
import { commandOf, expectFailure, runCli, type Ran } from '../support/run-cli.js';
import { itWithProcess } from '../support/sets.js';

const dparse = (...args: string[]): Promise<Ran> => runCli('dparse', args);

const records = ({ stdout }: Ran): ProfileLine[] =>
  stdout.trimEnd().split('\n').map((line) => JSON.parse(line) as ProfileLine); // prettier-ignore

const steps = (count: number): string[] =>
  Array.from({ length: count }, (_, n) => [
    op('aten::mm', n * 100, n * 100 + 40, { 'Input Dims': [[4, 8], [8, 2]], 'Input type': ['float', 'float'] }),
    launch(n, n * 100 + 5),
    kernel(`gemm_${n}`, n, n * 100 + 20),
  ]).flat(); // prettier-ignore

const TEXT = traceText(steps(5));

/** All but the profile line, which names the file. */
const rest = (ran: Ran): string => ran.stdout.slice(ran.stdout.indexOf('\n'));

const write = (content: string | Buffer, ending: string): string => {
  const path = freshPath(ending);
  writeFileSync(path, content);
  return path;
};

describe('dparse: PyTorch traces', () => {
  it('gives the same bytes from a file, from stdin, and from gzip of either', async () => {
    const path = writeTrace(TEXT);
    const packed = gzipSync(TEXT);
    const whole = await dparse(path);
    expect(whole.code, whole.stderr).to.equal(0);
    expect(records(whole).map(({ type }) => type)).to.deep.equal(['profile', ...Array<string>(5).fill('kernel'), 'end']); // prettier-ignore
    const others = [
      await dparse(write(packed, '.pt.trace.json.gz')),
      await dparse(write(packed, '.json')),
      await runCli('dparse', ['-'], { input: TEXT }),
      await runCli('dparse', ['-'], { input: packed }),
      await dparse('--input-format', 'kineto', path),
    ];
    for (const ran of others) {
      expect(ran.code, ran.stderr).to.equal(0);
      expect(rest(ran)).to.equal(rest(whole));
    }
  });

  it('the file name stands in the profile line, and states the rank where the trace does not', async () => {
    const path = write(gzipSync(TEXT), '.rank_2.pt.trace.json.gz');
    const [header] = records(await dparse(path));
    expect(header).to.deep.include({ file: basename(path), rank: 2, format: 'kineto' });
  });

  it('finds the traces of a folder, as torch.profiler names them', async () => {
    const folder = freshPath('-traces');
    mkdirSync(folder);
    writeFileSync(join(folder, 'host_1.1700000000000.pt.trace.json'), TEXT);
    writeFileSync(join(folder, 'host_2.1700000000001.pt.trace.json.gz'), gzipSync(TEXT));
    writeFileSync(join(folder, 'config.json'), '{"a": 1}');
    const ran = await dparse(folder);
    expect(ran.code, ran.stderr).to.equal(0);
    expect(records(ran).filter(({ type }) => type === 'profile')).to.have.length(2);
  });

  it('--ranges writes ops, annotations and frames', async () => {
    const events = [
      annotation('my loop', 0, 90),
      frame('a.py(1): f', 1, 80),
      op('aten::mm', 2, 70),
      kernel('k', 1, 50),
    ];
    const found = records(await dparse('--ranges', writeTrace(traceText(events))));
    const texts = found.flatMap((record) => (record.type === 'range' ? [record.text] : []));
    expect(texts).to.deep.equal(['my loop', 'a.py(1): f', 'aten::mm']);
  });

  it('a gzip that was cut gives what stands before, and says so', async () => {
    const events = Array.from({ length: 400 }, (_, n) => kernel(`k${n}`, n, n * 50, { 'est. achieved occupancy %': (n * 7919) % 101 })); // prettier-ignore
    const packed = gzipSync(traceText(events));
    const ran = await dparse(write(packed.subarray(0, Math.floor(packed.length / 2)), '.json.gz'));
    expect(ran.code, ran.stderr).to.equal(1);
    expect(ran.stderr).to.match(/\.json\.gz: the profile is cut off; the part before was read\n$/);
    const found = records(ran).filter((record) => record.type === 'kernel');
    expect(found.length).to.be.within(1, 399);
    expect(found.map(({ name }) => name)).to.deep.equal(found.map((_, n) => `k${n}`));
    expect(records(ran).at(-1)).to.have.nested.property('diagnostics.truncated-input', 1);
  });

  it('environment and command line of the program reach no output', async () => {
    const secret =
      '"metadata": {"env": {"SECRET": "hunter2"}, "deviceProperties": [{"id": 0, "name": "hunter2"}]}, ' +
      '"SECRET": "hunter2", "argv": ["--password", "hunter2"]';
    const text = traceText(steps(2), secret).replace('"traceName"', '"host": {"PASSWORD": "hunter2"}, "traceName"');
    const behind = kernel('k', 9, 900, { env: { SECRET: 'hunter2' }, password: 'hunter2' });
    for (const trace of [text, text.replace('traceEvents": [', `traceEvents": [${behind},`), text.slice(0, -20)]) {
      const ran = await dparse('--ranges', writeTrace(trace));
      expect(ran.code, ran.stderr).to.equal(trace.endsWith('}') ? 0 : 1);
      expect(ran.stdout).to.not.match(/hunter2|SECRET|PASSWORD/i);
      expect(ran.stderr).to.not.match(/hunter2|SECRET|PASSWORD/i);
    }
  });

  it('says what was odd', async () => {
    const odd = kernel('k', 77, 900, { correlation: 77 }).replace('"grid"', '"est. achieved occupancy %": N/A, "grid"');
    const { stderr } = await dparse(writeTrace(traceText([...steps(1), odd, '5'])));
    expect(stderr)
      .to.match(/damaged events, rows and reports \([^)]*\): 1/)
      .and.match(/values and commas that JSON does not allow \(accepted\): 1/)
      .and.match(/kernels whose launch call is not in the profile: 1/);
  });

  it('without device work succeeds with a message', async () => {
    const ran = await dparse(writeTrace(traceText([op('aten::mm', 0, 9)])));
    expect(ran.code).to.equal(0);
    expect(records(ran).map(({ type }) => type)).to.deep.equal(['profile', 'end']);
    expect(ran.stderr).to.match(/profiles without any device work: 1/);
  });
});

describe('dparse: traces that cannot be read', () => {
  const cases: [what: string, make: () => string, answer: RegExp][] = [
    ['a file without a byte', () => write('', '.pt.trace.json'), /empty/],
    ['a gzip without a byte in it', () => write(gzipSync(''), '.json.gz'), /is text|empty/],
    ['half a header of gzip', () => write(gzipSync(TEXT).subarray(0, 5), '.json.gz'), /gzip is damaged/],
    [
      'a gzip that was cut before the events begin',
      () => write(cutMetadata(), '.json.gz'),
      /gzip is cut off before the first event of the trace \(copy it again\)/,
    ],
    [
      // A zero behind a member is padding to zlib, and what follows it.
      'a gzip of two members, the second of which begins with a zero',
      () => write(Buffer.concat([gzipSync(TEXT), Buffer.from([0]), gzipSync(TEXT).subarray(1)]), '.json.gz'),
      /gzip is damaged: bytes after its end/,
    ],
    ['a gzip with a wrong byte', () => write(damaged(), '.json.gz'), /gzip is damaged/],
    [
      'JSON that is not a trace',
      () => write('{"model": "x", "layers": [1, 2]}', '.json'),
      /JSON without "traceEvents"/,
    ],
    [
      'traceEvents that are not a list',
      () => write('{"traceEvents": {"ph": "X"}}', '.json'),
      /JSON without "traceEvents"/,
    ],
    [
      'a trace of another program',
      () => writeTrace(traceText([op('RunTask', 0, 9).replace('cpu_op', 'devtools.timeline')])),
      /is a trace without PyTorch events/,
    ],
    [
      'a trace of another program, without categories',
      () => writeTrace(traceText([op('RunTask', 0, 9).replace('"cat": "cpu_op", ', '')])),
      /is a trace without PyTorch events/,
    ],
    ['a page of a server', () => write('<html>traceEvents</html>', '.json'), /is a web page/],
  ];
  for (const [what, make, answer] of cases) {
    it(`${what}: exit 1 and one line`, async () => {
      const path = make();
      expectFailure(await dparse(path), path, answer);
    });
  }

  it('asked to be read as something else: one line that says what it is', async () => {
    const path = writeTrace(TEXT);
    const ran = await dparse('--input-format', 'nsight', path);
    expectFailure(ran, path, /is PyTorch trace.*which --input-format nsight does not read.*leave --input-format out/);
  });

  it('asked to be read as a trace without being one: one line', async () => {
    const path = write('{"a": 1}', '.json');
    expectFailure(await dparse('--input-format', 'kineto', path), path, /JSON without "traceEvents"/);
    const text = write('hello', '.json');
    expectFailure(await dparse('--input-format', 'kineto', text), text, /is not JSON/);
  });

  it('names of processes and events of other programs do not matter beside work on a device', async () => {
    const others = [
      '{"name": "MatMul", "pid": 7, "tid": 2, "ts": "5.25", "dur": 3.5, "args": {"Task Type": "AI_CORE"}, "ph": "X"}',
      '{"name": "process_name", "pid": 7, "tid": 0, "args": {"name": "Ascend Hardware"}, "ph": "M"}',
      op('RunTask', 0, 9).replace('cpu_op', 'devtools.timeline'),
    ];
    const ran = await dparse(writeTrace(traceText([...steps(1), ...others])));
    expect(ran.code, ran.stderr).to.equal(0);
    expect(records(ran).filter(({ type }) => type === 'kernel')).to.have.length(1);
  });

  it('an empty stdin: one line', async () => {
    expectFailure(await runCli('dparse', ['--input-format', 'kineto', '-'], { input: '' }), '-', /empty/);
  });
});

/** Metadata that does not repeat, cut in the middle. */
function cutMetadata(): Buffer {
  const packages = Array.from({ length: 9000 }, (_, n) => `package==${(n * 7919) % 9001}.${(n * 104729) % 8999}`);
  const packed = gzipSync(JSON.stringify({ packages, traceEvents: [] }));
  return packed.subarray(0, Math.floor(packed.length / 2));
}

/** A byte in the middle of what gzip packed is another one. */
function damaged(): Buffer {
  const packed = Buffer.from(gzipSync(TEXT));
  packed.fill(0xff, Math.floor(packed.length / 2), Math.floor(packed.length / 2) + 8);
  return packed;
}

describe('dparse: a trace into a closed pipe', () => {
  itWithProcess('ends quietly, with exit 0', async () => {
    const path = writeTrace(traceText(steps(6000)));
    const script = '{ "$@"; echo "exit $?" >&2; } | head -1';
    const child = spawn('sh', ['-c', script, 'sh', process.execPath, ...commandOf('dparse'), '-q', path]);
    const { code, stdout, stderr } = await ended(child);
    expect(code).to.equal(0);
    expect(stderr).to.equal('exit 0\n');
    expect(stdout).to.match(/^\{"type":"profile"[^\n]*\n$/);
  });
});
