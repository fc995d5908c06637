/** `--convention`: how work is counted where conventions differ. */
import { expect } from 'chai';
import { runCli } from '../support/run-cli.js';

const SAMPLE = 'samples/lenet.nsys.sqlite';

describe('dprof --convention', () => {
  it('pyprof leaves out the bias of a convolution, which the default reads', async () => {
    // x [64,6,14,14], W [16,6,5,5], b [16], y [64,16,10,10]: 4·(75,264 + 2,400 + 102,400), and 4·16
    const bytes = async (...options: string[]): Promise<string> =>
      (await runCli('dprof', ['-q', '-c', 'bytes', '--where', 'idx==5', '--no-header', ...options, SAMPLE])).stdout;
    expect((await bytes()).trim()).to.equal(String(720_256 + 64));
    expect((await bytes('--convention', 'pyprof')).trim()).to.equal('720256');
    const sum = await runCli('dprof', ['-q', '-f', 'csv', '--by', 'idx', '-c', 'bytes', '--where', 'idx==5', '--convention', 'pyprof', SAMPLE]); // prettier-ignore
    expect(sum.stdout).to.include('720256');
  });

  it('is named by --explain', async () => {
    const { stdout } = await runCli('dprof', ['--explain', '5', '--convention', 'pyprof', SAMPLE]);
    expect(stdout).to.match(/^convention pyprof: /m);
    expect(stdout).to.match(/^formula .*\(b not counted\)$/m);
    expect((await runCli('dprof', ['--explain', '5', SAMPLE])).stdout).not.to.match(/^convention/m);
  });

  it('takes a name that it knows', async () => {
    const { code, stderr } = await runCli('dprof', ['--convention', 'nvidia', SAMPLE]);
    expect([code, stderr.split('\n')[0]]).to.deep.equal([
      2,
      "dprof: unknown convention 'nvidia' (--convention takes pyprof)",
    ]);
  });
});
