/** Text in UTF-16, wherever text is read: one line that names the file and the way out. */
import { expect } from 'chai';
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { freshPath } from '../support/fresh-path.js';
import * as kineto from '../support/kineto-trace.js';
import { runCli } from '../support/run-cli.js';
import { ROOT } from '../support/shared.js';

const utf16 = (text: string): Buffer => Buffer.from(`\ufeff${text}`, 'utf16le');
const SAMPLE = join(ROOT, 'samples', 'ascend_pt');
const FILES = readdirSync(SAMPLE, { recursive: true, encoding: 'utf8' }).filter((name) => /\.(?:csv|json)$/.test(name));
const TRACE = kineto.traceText([kineto.kernel('k', 1, 0)]);

/** The file is refused; `FILE` stands for its name. */
async function expectRefused(file: string, args: readonly string[]): Promise<void> {
  const { code, stderr } = await runCli('dparse', args);
  // kernel_details.csv is refused twice: as a profile, and beside the trace.
  expect([...new Set(stderr.replaceAll(file, 'FILE').trim().split('\n'))]).to.deep.equal([
    'dparse: FILE: is text in UTF-16 (convert it to UTF-8: iconv -f UTF-16 -t UTF-8 FILE)',
  ]);
  expect(code).to.equal(1);
}

/** A trace in a folder of its own, and a file in it in UTF-16. */
function besideTrace(name: string, text: string): readonly [trace: string, file: string] {
  const folder = freshPath('');
  const file = join(folder, name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, utf16(text));
  writeFileSync(join(folder, 'net.json'), TRACE);
  return [join(folder, 'net.json'), file];
}

describe('text in UTF-16', () => {
  it('is looked for in all kinds of files of an Ascend profile', () => {
    expect(FILES).to.have.length(7);
  });

  for (const name of FILES) {
    it(`${name} of an Ascend profile`, async () => {
      const folder = freshPath('_ascend_pt');
      cpSync(SAMPLE, folder, { recursive: true });
      const file = join(folder, name);
      writeFileSync(file, utf16(readFileSync(file, 'utf8')));
      await expectRefused(file, [folder]);
    });
  }

  for (const name of ['capture_traces/a.json', 'capture_traces/execution_details.json']) {
    it(`${name} beside a trace of replayed graphs`, async () => {
      const [trace, file] = besideTrace(name, TRACE);
      writeFileSync(trace, kineto.traceText(REPLAY));
      await expectRefused(file, [trace]);
    });
  }

  it('the report of --ncu', async () => {
    const [trace, file] = besideTrace('ncu.csv', '"ID","Kernel Name","n"\n"0","k","5"\n');
    await expectRefused(file, ['--ncu', file, trace]);
  });

  it('a profile whose format is given', async () => {
    const [, file] = besideTrace('a.json', TRACE);
    await expectRefused(file, ['--input-format', 'kineto', file]);
  });

  it('the file of a device', async () => {
    const [trace, file] = besideTrace('device.json', '{}');
    const { code, stderr } = await runCli('dprof', ['roofline', '--peaks', file, trace]);
    expect(stderr).to.include(`dprof: ${file}: is text in UTF-16 (convert it to UTF-8`);
    expect(code).to.equal(1);
  });
});

/** A launch of a graph, whose kernel has no capture of its own in the trace. */
const REPLAY = [
  kineto.runtime('cudaGraphLaunch', 1, 0, 5),
  kineto.kernel('k', 1, 10, { 'graph id': 7, 'graph node id': 30064771073 }),
];
