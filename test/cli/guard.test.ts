/** No output replaces what a run reads, whatever name leads there. */
import { expect } from 'chai';
import { cpSync, existsSync, linkSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { freshPath } from '../support/fresh-path.js';
import { NsightDatabase } from '../support/nsight-database.js';
import { openedBy } from '../support/opened-files.js';
import { runCli, type ToolName } from '../support/run-cli.js';
import { ROOT } from '../support/shared.js';

const RECORDS = '{"type":"profile","v":1,"profile":0}\n{"type":"kernel","profile":0,"id":1,"name":"k","dur":5}\n';

function samples(): string {
  const folder = freshPath('-samples');
  cpSync(join(ROOT, 'samples'), folder, { recursive: true, filter: (path) => !path.endsWith('/programs') });
  return folder;
}

/** Runs a tool with each name of the file as OUT: refused, in one line that says so, with the file as it was. */
async function expectKept(tool: ToolName, args: readonly string[], file: string): Promise<void> {
  const [linked, hard] = [freshPath('-link'), freshPath('-hard')];
  symlinkSync(file, linked);
  linkSync(file, hard);
  const before = readFileSync(file);
  for (const output of [
    file,
    join(dirname(file), '..', '.', file.slice(dirname(dirname(file)).length)),
    linked,
    hard,
  ]) {
    const { code, stdout, stderr } = await runCli(tool, [...args, '-q', '-o', output]);
    const what = `${tool} ${args.join(' ')} -o ${output}`;
    expect({ code, stdout }, what).to.deep.equal({ code: 1, stdout: '' });
    expect(stderr, what).to.match(/^d(?:parse|prof): [^\n]*: is [^\n]*\(choose another name for -o\)\n$/);
    expect(readFileSync(file).equals(before), what).to.equal(true);
  }
}

describe('-o', () => {
  const inputs = [
    'ascend_pt/ASCEND_PROFILER_OUTPUT/trace_view.json',
    'ascend_pt/ASCEND_PROFILER_OUTPUT/kernel_details.csv',
    'ascend_pytorch_profiler_0.db',
    'attention.neff',
    'attention.neuron.json',
    'attention.ntff',
    'lenet-2021.pt.trace.json',
    'lenet.nsys.sqlite',
    'lenet.pt.trace.json.gz',
    'neuron-monitor.jsonl',
    'neuron-summary.json',
  ];
  for (const input of inputs) {
    it(`is none of the files that reading ${input} opens`, async () => {
      const folder = samples();
      const path = join(folder, input);
      for (const tool of ['dparse', 'dprof'] as const) {
        const all = await openedBy(() => runCli(tool, ['-q', '-o', freshPath('.out'), path]));
        const opened = [...all].filter((file) => file.startsWith(folder));
        expect(opened).to.include(path);
        for (const file of opened) await expectKept(tool, [path], file);
      }
    });
  }

  it('is not a file that a reader finds by other means', async () => {
    const folder = samples();
    const output = join(folder, 'ascend_pt/ASCEND_PROFILER_OUTPUT');
    const trace = join(output, 'trace_view.json');
    cpSync(join(folder, 'ascend_pytorch_profiler_0.db'), join(output, 'ascend_pytorch_profiler_0.db'));
    cpSync(join(folder, 'attention.neff'), join(folder, 'program.bin'));
    const database = new NsightDatabase().write();
    writeFileSync(`${database}-wal`, '');
    const cases: [input: string, file: string][] = [
      [trace, join(output, 'ascend_pytorch_profiler_0.db')],
      [trace, join(folder, 'ascend_pt/profiler_info_0.json')],
      [join(folder, 'attention.ntff'), join(folder, 'program.bin')],
      [database, `${database}-wal`],
    ];
    for (const [input, file] of cases) await expectKept('dparse', [input], file);
  });

  it('is no program that is given', async () => {
    const folder = samples();
    const program = freshPath('.neff');
    cpSync(join(folder, 'attention.neff'), program);
    await expectKept('dparse', ['--neff', program, join(folder, 'attention.ntff')], program);
  });

  it('is not a file of an input folder, nor of a glob', async () => {
    const folder = freshPath('-inputs');
    mkdirSync(join(folder, 'sub'), { recursive: true });
    const packed = join(folder, 'sub/net.sqlite.gz');
    writeFileSync(packed, gzipSync(readFileSync(new NsightDatabase().write())));
    const notes = join(folder, 'notes.txt');
    writeFileSync(notes, 'hello');
    for (const file of [packed, notes]) {
      await expectKept('dparse', [folder], file);
      await expectKept('dprof', [folder], file);
      await expectKept('dparse', [join(folder, '**')], file);
    }
    const ran = await runCli('dparse', ['-q', '-o', join(folder, 'new.jsonl'), folder]);
    expect(ran).to.include({ code: 0, stderr: '' });
  });

  it('is no input of any command over records, nor a file of rates', async () => {
    const [records, other, device] = [freshPath('.dict'), freshPath('.dict'), freshPath('.json')];
    for (const path of [records, other]) writeFileSync(path, RECORDS);
    writeFileSync(device, '{"bytesPerS": 1e12}');
    for (const command of ['summary', 'steps', 'stacks', 'memory', 'html', 'advise', 'perfetto']) {
      await expectKept('dprof', [command, records, other], other);
    }
    for (const file of [records, other]) await expectKept('dprof', ['diff', records, other], file);
    const reports = join(samples(), 'neuron-monitor.jsonl');
    for (const last of [[], ['--last']]) await expectKept('dprof', ['monitor', ...last, reports], reports);
    for (const command of [[], ['summary'], ['html'], ['advise'], ['perfetto']]) {
      await expectKept('dprof', [...command, '--peaks', device, records], device);
    }
    await expectKept('dprof', ['diff', '--peaks', device, records, other], device);
  });

  it('is the file that a link leads to, also from a folder that is a link itself', async () => {
    const folder = freshPath('-links');
    mkdirSync(join(folder, 'deep/inner'), { recursive: true });
    symlinkSync('deep/inner', join(folder, 'inner'));
    const [target, other, made] = [
      join(folder, 'deep/out.jsonl'),
      join(folder, 'out.jsonl'),
      join(folder, 'deep/made'),
    ];
    for (const file of [target, other]) writeFileSync(file, 'kept');
    symlinkSync('../out.jsonl', join(folder, 'inner/out'));
    symlinkSync('../made', join(folder, 'inner/new'));
    const input = join(ROOT, 'samples/lenet.nsys.sqlite');
    for (const link of ['out', 'new']) await runCli('dparse', ['-q', '-o', join(folder, 'inner', link), input]);
    expect(readFileSync(other, 'utf8')).to.equal('kept');
    for (const file of [target, made]) expect(statSync(file).size, file).to.be.greaterThan(1000);
    expect(existsSync(join(folder, 'made'))).to.equal(false);
  });

  it('may be another file beside an input', async () => {
    const folder = samples();
    const output = join(folder, 'net.jsonl');
    for (let run = 0; run < 2; run++) {
      const ran = await runCli('dparse', ['-q', '-o', output, join(folder, 'lenet.nsys.sqlite')]);
      expect(ran).to.include({ code: 0, stderr: '' });
      expect(statSync(output).size).to.be.greaterThan(1000);
    }
  });
});
