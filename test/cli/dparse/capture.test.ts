/** `dparse --capture`, and captures beside a trace. */
import { expect } from 'chai';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { captureTrace, decoderTrace, replayTrace } from '../../../samples/programs/graphs/decoder-trace.js';
import { freshPath } from '../../support/fresh-path.js';
import { itWithProcess } from '../../support/sets.js';
import { runCli } from '../../support/run-cli.js';

/** Writes files into a folder of their own. */
function folderOf(files: Readonly<Record<string, Buffer | string>>): string {
  const folder = freshPath('');
  for (const [name, content] of Object.entries(files)) {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  }
  return folder;
}

const REPLAYS = { 'decode.json': replayTrace('amd') };
const WITH = 'kernels, copies and memsets of graphs with the layer and op of their capture: ';

describe('dparse --capture', () => {
  it('takes a trace, packed or not, or a folder of them', async () => {
    const folder = folderOf({
      ...REPLAYS,
      'a.json': captureTrace('amd'),
      'b.json.gz': gzipSync(captureTrace('amd')),
      'captures/c.json': captureTrace('amd'),
      'captures/notes.json': '{}',
    });
    const texts = new Set<string>();
    for (const capture of ['a.json', 'b.json.gz', 'captures']) {
      const args = [join(folder, 'decode.json'), '--capture', join(folder, capture)];
      const { code, stdout, stderr } = await runCli('dparse', args);
      expect([code, stderr.includes(WITH)], stderr).to.deep.equal([0, true]);
      texts.add(stdout.replace(/"companion-file-not-read":1,/, ''));
    }
    expect(texts.size).to.equal(1);
  });

  it('is an option of dprof on a raw trace too', async () => {
    const folder = folderOf({ ...REPLAYS, 'a.json': captureTrace('amd') });
    const rowsOf = async (...more: string[]): Promise<string> => {
      const args = ['-q', '--csv', '--no-header', '-c', 'op,params', join(folder, 'decode.json'), ...more];
      const { code, stdout, stderr } = await runCli('dprof', args);
      expect([code, stderr]).to.deep.equal([0, '']);
      return stdout;
    };
    const args = ['-q', join(folder, 'decode.json'), '--capture', join(folder, 'a.json')];
    const { stdout: records } = await runCli('dparse', args);
    const piped = await runCli('dprof', ['-q', '--csv', '--no-header', '-c', 'op,params'], { input: records });
    const rows = await rowsOf('--capture', join(folder, 'a.json'));
    expect(rows).to.equal(piped.stdout);
    expect(rows).not.to.equal(await rowsOf());
  });

  it('is not needed where captures are beside the trace, which do not count as profiles', async () => {
    const folder = folderOf({
      ...REPLAYS,
      'capture_traces/bs_4.json.gz': gzipSync(captureTrace('amd')),
      'capture_traces/execution_details.json': '[{"file": "bs_4.json.gz", "batch_size": 4, "mode": "FULL"}]',
    });
    for (const input of [folder, join(folder, 'decode.json')]) {
      const { code, stdout, stderr } = await runCli('dparse', [input]);
      expect([code, stdout.split('{"type":"profile"').length - 1], stderr).to.deep.equal([0, 1]);
      expect(stderr).to.include(WITH);
    }
    const { stderr } = await runCli('dprof', ['summary', join(folder, 'decode.json')]);
    expect(stderr).to.equal('');
    const { stderr: own } = await runCli('dparse', [join(folder, 'capture_traces')]);
    expect(own).to.include('bs_4.json.gz: 0 kernels');
  });

  itWithProcess('passes over files beside the trace that cannot be read, and does not wait for a pipe', async () => {
    const folder = folderOf({
      ...REPLAYS,
      'capture_traces/a.json': captureTrace('amd'),
      'capture_traces/b.json': '',
      'capture_traces/c.json.gz': Buffer.from([0x1f, 0x8b, 8, 0, 1, 2, 3]),
      'capture_traces/d.json': '[1, 2',
    });
    execFileSync('mkfifo', [join(folder, 'capture_traces', 'e.json')]);
    const { code, stderr } = await runCli('dparse', [join(folder, 'decode.json')]);
    expect(code).to.equal(0);
    expect(stderr).to.include(WITH);
    expect(stderr).to.include('files next to the profile that cannot be read or do not match their name (ignored): 2');
    expect(stderr).to.include('truncated traces of captures (the part before the cut was read): 1');
  });

  it('has one line for what it cannot take', async () => {
    const whole = captureTrace('amd').toString();
    const folder = folderOf({
      ...REPLAYS,
      'cut.json': whole.slice(0, 200),
      'none.json': replayTrace('amd'),
      'other.json': '{"a": 1}',
      'empty/a.txt': '',
      'kernel_annotations_rank0_a.json': '{"4294967297": [{"name":',
      'decode.json.gz': gzipSync(captureTrace('amd')).subarray(0, 100),
    });
    const cases: readonly (readonly [string, RegExp])[] = [
      ['missing.json', /missing\.json: no such file/],
      ['cut.json', /cut\.json: (is cut off before any graph capture|.*no event)/],
      ['none.json', /none\.json: contains no graph capture/],
      ['other.json', /other\.json: is JSON without "traceEvents"/],
      ['kernel_annotations_rank0_a.json', /_a\.json: is not a CUDA graph annotation file/],
      ['empty', /empty: no trace \(\*\.json, \*\.json\.gz\) in it/],
    ];
    for (const [capture, line] of cases) {
      const args = [join(folder, 'decode.json'), '--capture', join(folder, capture)];
      const { code, stdout, stderr } = await runCli('dparse', args);
      expect([code, stdout], stderr).to.deep.equal([1, '']);
      expect(stderr.trim().split('\n')).to.have.length(1);
      expect(stderr).to.match(line);
    }
  });

  it('leaves out what cannot be read of a folder, and counts it', async () => {
    const folder = folderOf({
      ...REPLAYS,
      'capture_traces/a.json.gz': Buffer.from([0x1f, 0x8b, 8, 0xff, 0xff]),
      'capture_traces/b.json': '',
      'capture_traces/c.json/d.txt': '',
      'capture_traces/e.json': captureTrace('amd'),
      'capture_traces/execution_details.json': '[{"file":',
    });
    symlinkSync('nowhere', join(folder, 'capture_traces', 'f.json'));
    for (const args of [[], ['--capture', join(folder, 'capture_traces')]]) {
      const { code, stderr } = await runCli('dparse', [join(folder, 'decode.json'), ...args]);
      expect([code, stderr.includes(WITH)], stderr).to.deep.equal([0, true]);
      expect(stderr).to.include('(ignored): 2');
    }
  });

  it('says where it is not used, and where no capture has the kernels', async () => {
    const folder = folderOf({ 'a.json': decoderTrace('amd'), 'c.json': captureTrace('amd') });
    const lenet = 'samples/lenet.pt.trace.json.gz';
    const { code, stderr } = await runCli('dparse', [lenet, '--capture', join(folder, 'c.json')]);
    expect(code).to.equal(0);
    expect(stderr).to.include('files of --capture that were not used (no graph launch needs them): 1');
    const { stderr: none } = await runCli('dparse', [join(folder, 'a.json')]);
    expect(none).to.include('graph launches that match no known capture: 1');
  });

  it('is not overwritten by the output', async () => {
    const folder = folderOf({ ...REPLAYS, 'capture_traces/c.json': captureTrace('amd') });
    const inside = join(folder, 'capture_traces', 'c.json');
    const before = readFileSync(inside);
    for (const args of [[], ['--capture', inside]]) {
      const { code } = await runCli('dparse', [join(folder, 'decode.json'), ...args, '-o', inside]);
      expect(code).to.equal(1);
      expect(readFileSync(inside).equals(before)).to.equal(true);
    }
  });
});
