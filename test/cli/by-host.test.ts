import { expect } from 'chai';
import { HOST_COLUMNS } from '../../src/prof/by/host/host-table-columns.js';
import { runCli } from '../support/run-cli.js';

const SAMPLES = ['samples/lenet.nsys.sqlite', 'samples/lenet.pt.trace.json.gz', 'samples/ascend_pytorch_profiler_0.db'];

describe('dprof --by range, hostop, api', () => {
  for (const sample of SAMPLES) {
    it(`gives the same of a profile and of its records: ${sample}`, async () => {
      const records = await runCli('dparse', ['-q', '--ranges', sample]);
      for (const by of ['range', 'hostop', 'api']) {
        const args = ['-q', '--by', by, '-f', 'jsonl', '-c', HOST_COLUMNS.map(({ key }) => key).join()];
        const direct = await runCli('dprof', [...args, sample]);
        const piped = await runCli('dprof', args, { input: records.stdout });
        expect(piped.stdout, by).to.equal(direct.stdout);
        expect(direct.stdout, by).to.match(by === 'api' ? /^\{"api":"[^"]+","count":[1-9]/ : /^(?:\{"|$)/);
      }
    });
  }

  it('sorts, cuts, chooses columns', async () => {
    const args = ['--by', 'api', '-c', 'count,api', '--sort', 'count', '--top', '2', '--csv', SAMPLES[0] ?? ''];
    const { stdout } = await runCli('dprof', ['-q', ...args]);
    expect(stdout).to.equal('Count,Api\n126,cudaLaunchKernel\n24,cudaMemsetAsync\n');
  });

  it('lists its columns', async () => {
    const { stdout } = await runCli('dprof', ['--by', 'range', '--columns']);
    expect(stdout.trimEnd().split('\n')).to.have.length(HOST_COLUMNS.length);
  });

  it('says what is missing, and what does not go with it', async () => {
    const empty = await runCli('dprof', ['--by', 'hostop', 'samples/attention.ntff']);
    expect(empty.stderr).to.equal('dprof: samples/attention.ntff: no CPU ops\n');
    for (const [option, value] of [['--where', 'sil>1'], ['--depth', '2'], ['--tree']]) {
      const args = [option ?? '', ...(value === undefined ? [] : [value]), '--by', 'api'];
      const { code, stderr } = await runCli('dprof', args);
      expect({ code, stderr }).to.deep.equal({
        code: 2,
        stderr: `dprof: ${option} works only on kernels, and --by api lists CPU events\n`,
      });
    }
    for (const by of ['hostop,dir', 'range,api', 'layer,range']) {
      const { code, stderr } = await runCli('dprof', ['--by', by, SAMPLES[0] ?? '']);
      const name = by.split(',').find((key) => key === 'hostop' || key === 'range');
      expect({ code, stderr }).to.deep.equal({
        code: 2,
        stderr: `dprof: --by ${name} cannot be combined with other keys (it lists CPU events, but combined keys group kernels)\n`,
      });
    }
    const near = await runCli('dprof', ['--by', 'hostops', SAMPLES[0] ?? '']);
    expect(near).to.include({ code: 2, stderr: "dprof: unknown column 'hostops' (did you mean hostop?)\n" });
    const typo = await runCli('dprof', ['--by', 'api', '-c', 'cuont']);
    expect(typo.stderr).to.equal("dprof: unknown column 'cuont' (did you mean count?)\n");
  });
});
