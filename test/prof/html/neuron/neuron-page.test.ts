/** What a page has of AWS Neuron: the metrics of the command, engines, and a monitor's run as `dprof monitor` prints it. */
import { expect } from 'chai';
import { join } from 'node:path';
import type { PageProfile } from '../../../../src/prof/html/page-data.js';
import { pageContentsOfFile } from '../../../support/pages.js';
import { runCli } from '../../../support/run-cli.js';
import { itShared, ROOT } from '../../../support/shared.js';

const sample = (name: string): string => join(ROOT, 'samples', name);

async function onlyProfile(path: string): Promise<PageProfile> {
  const [profile] = (await pageContentsOfFile(path)).data.profiles;
  if (profile === undefined) throw new Error('no profile');
  return profile;
}

interface Said {
  readonly metrics: Readonly<Record<string, { readonly value: number | string | null; readonly unit: string | null }>>;
}

async function expectMetrics(path: string): Promise<PageProfile> {
  const profile = await onlyProfile(path);
  const { stdout } = await runCli('dprof', ['summary', '--vendor-metrics', '-f', 'jsonl', path]);
  const said = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Said);
  expect(profile.neuron?.metrics).to.have.length(said.length);
  for (const [at, { metrics }] of said.entries()) {
    const rows = profile.neuron?.metrics[at]?.rows ?? [];
    const shown = rows.map(({ name, value, unit }) => [name, value, unit] as const);
    expect(shown).to.deep.equal(Object.entries(metrics).map(([name, { value, unit }]) => [name, value, unit ?? '']));
  }
  return profile;
}

describe('AWS Neuron on a page', () => {
  for (const name of ['attention.neuron.json', 'neuron-summary.json', 'attention.ntff'])
    it(`has the metrics of dprof summary --vendor-metrics of ${name}`, async () => {
      await expectMetrics(sample(name));
    });

  itShared(
    'has engines, DMA, buffers and throttling over time in a real capture',
    ['data/neuron/trn2_fused_bf16_s1024/fused_exec_2_profile_full.json'],
    async ([path = '']) => {
      const { neuron } = await expectMetrics(path);
      expect(neuron?.engines?.rows.map(({ engine }) => engine)).to.include.members(['Tensor', 'Vector', 'Scalar']);
      for (const { shares } of neuron?.engines?.rows ?? [])
        for (const share of shares) expect(share).to.be.within(0, 1);
      const titles = neuron?.curves.map(({ title }) => title.replace(/ \(.*/, ''));
      expect(titles).to.deep.equal([
        ...['DMA throughput', 'pending DMA', 'SBUF in use', 'PSUM in use', 'rate under throttling'],
      ]);
    },
  );

  const MONITORS = [sample('neuron-monitor.jsonl')];
  const check = async (path: string): Promise<void> => {
    const { monitor } = await onlyProfile(path);
    const { stdout } = await runCli('dprof', ['monitor', '-q', '-f', 'jsonl', '-c', 'start,scope,core,tag,util,p50,p99,memused,eccmem', path]); // prettier-ignore
    const rows = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, string | number | null>);
    const points = (title: string, curve: string) =>
      monitor?.hosts[0]?.charts.find((chart) => chart.title === title)?.curves.find(({ name }) => name === curve)
        ?.points ?? [];
    let compared = 0;
    for (const { start, scope, core, tag, ...values } of rows) {
      const drawn = [
        ['core', 'util', 'Utilisation of cores', `core ${core}`],
        ['runtime', 'p50', 'Execution latency', `process ${tag} p50`],
        ['runtime', 'p99', 'Execution latency', `process ${tag} p99`],
        ['system', 'memused', 'Memory of the instance', 'memory'],
      ] as const;
      for (const [of, key, title, curve] of drawn) {
        if (of !== scope || values[key] === null) continue;
        compared++;
        expect(points(title, curve)).to.deep.include([start, values[key]]);
      }
    }
    expect(compared).to.be.above(0);
  };
  for (const path of MONITORS) it('has the values of dprof monitor over time', () => check(path));
  itShared('has them of a real run', ['data/neuron/neuron_monitor_trn1.jsonl'], ([path = '']) => check(path));

  it('has no such parts for other devices', async () => {
    const { neuron, monitor } = await onlyProfile(sample('lenet.nsys.sqlite'));
    expect([neuron, monitor]).to.deep.equal([null, null]);
  });
});
