/** Metrics of a whole profile have no time: an answer over time that has nothing else counts them. */
import { expect } from 'chai';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freshPath } from '../support/fresh-path.js';
import { runCli } from '../support/run-cli.js';

/** JSON of Neuron's tool with two metrics of the program, one of a core, one of an annotation. */
const METRICS = JSON.stringify({
  summary: [{ total_time: 0.001, mm_arithmetic_intensity: 2.5 }],
  model_info: [{ nc_idx: 0, pe_clock_freq: 2.4 }],
  annotation: [{ name: 'x', subgraph: 'sg00', odd_metric: 3 }],
});

describe('samples without a time', () => {
  const folder = freshPath('-timeless');
  const file = join(folder, 'metrics.json');
  before(() => {
    mkdirSync(folder);
    writeFileSync(file, METRICS);
  });

  const said = async (...args: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await runCli('dprof', [...args, file]);
    expect([code, stdout]).to.deep.equal([1, '']);
    return stderr;
  };

  it('are counted where there is nothing else', async () => {
    expect(await said('summary')).to.equal(
      `dprof: ${file}: no device activity and no CPU ranges; 4 samples without a time ` +
        '(dprof summary --vendor-metrics FILE shows metrics)\n',
    );
    expect(await said('perfetto')).to.match(/ranges or timed samples; 4 samples without a time/);
  });

  it('are what the hint says', async () => {
    const { code, stdout } = await runCli('dprof', ['summary', '--vendor-metrics', file]);
    expect(code).to.equal(0);
    expect(stdout).to.match(/^mm_arithmetic_intensity +2\.5 /m);
  });
});
