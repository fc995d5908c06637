/** Hosts of neuron-monitor's reports side by side: of one stream or of a file each, on one axis of time. */
import { expect } from 'chai';
import fc from 'fast-check';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PageData } from '../../src/prof/html/page-data.js';
import { hostComparison, hostsOf, type NamedHost } from '../../src/page/panels/neuron/monitor-hosts.js';
import { describeInBrowser } from '../support/browser.js';
import { freshFolder, freshPath } from '../support/fresh-path.js';
import { cores, lines, report, runtime } from '../support/monitor-report.js';
import { bundledProgram } from '../support/page-program.js';
import { contentsIn, dataIn } from '../support/pages.js';
import { runCli } from '../support/run-cli.js';
import { writePages } from './written-pages.js';

const UTILISATION = 'Mean utilisation of the cores in use';

/** A report of a second: utilisation of two cores. @param at Unix seconds; null for none */
const reportOf = (host: string, at: number | null, ...utilisations: readonly [number, number]) =>
  report(
    [
      runtime(7, 'train', {
        neuroncore_counters: cores(
          Object.fromEntries(utilisations.map((neuroncore_utilization, core) => [core, { neuroncore_utilization }])),
        ),
      }),
    ],
    {},
    { instance_info: { instance_id: host, error: '' }, ...(at === null ? {} : { timestamp: at }) },
  );

const T = 1_700_000_000;
const A = [reportOf('i-a', T + 1, 10, 30), reportOf('i-a', T + 2, 20, 40)];
const B = [reportOf('i-b', T + 4.5, 50, 50), reportOf('i-b', T + 5.5, 60, 80)];

async function pageOf(...streams: readonly string[]): Promise<string> {
  const files = streams.map((text) => {
    const path = freshPath('-monitor.jsonl');
    writeFileSync(path, text);
    return path;
  });
  const { stdout, stderr, code } = await runCli('dprof', ['html', '-q', ...files]);
  expect([stderr, code]).to.deep.equal(['', 0]);
  return stdout;
}

/** Points of the utilisation of each host, s. */
function utilisation(data: PageData): Record<string, readonly (readonly [number, number])[]> {
  const { charts } = hostComparison(hostsOf(data));
  const curves = charts.find(({ title }) => title === UTILISATION)?.curves ?? [];
  return Object.fromEntries(curves.map(({ name, points }) => [name, points.map(([at, value]) => [at / 1e9, value])]));
}

describe('hosts of neuron-monitor', () => {
  const S = 1e9;

  it('are on the clock of their reports, each with its mean', async () => {
    const data = dataIn(await pageOf(lines(...B), lines(...A)));
    expect(utilisation(data)).to.deep.equal({
      'i-b': [[3.5, 50], [4.5, 70]],
      'i-a': [[0, 20], [1, 30]],
    }); // prettier-ignore
    const { axis, span } = hostComparison(hostsOf(data));
    expect(axis).to.equal('time from the first report of any host');
    expect(span).to.deep.equal([0, 4.5 * S]);
  });

  it('begin together where a report has no time of day, which is said', async () => {
    const withoutTime = [reportOf('i-b', null, 50, 50), reportOf('i-b', null, 60, 80)];
    const data = dataIn(await pageOf(lines(...A), lines(...withoutTime)));
    expect(utilisation(data)).to.deep.equal({
      'i-a': [[0, 20], [1, 30]],
      'i-b': [[0, 50], [1, 70]],
    }); // prettier-ignore
    expect(hostComparison(hostsOf(data)).axis).to.match(/not all have a time of day/);
  });

  it('are apart in one stream: no curve has values of two', async () => {
    const b = [reportOf('i-b', T + 1.25, 50, 50), reportOf('i-b', T + 2.25, 60, 80)];
    const data = dataIn(await pageOf(lines(...A.flatMap((one, i) => [one, ...b.slice(i, i + 1)]))));
    expect(Object.keys(utilisation(data))).to.deep.equal(['i-a', 'i-b']);
    const charts = data.profiles[0]?.monitor?.hosts.map(({ name, reports, charts }) => {
      const curves = charts.find(({ title }) => title === 'Utilisation of cores')?.curves ?? [];
      return [name, reports, curves.map((curve) => [curve.name, curve.points.map(([, value]) => value)])];
    });
    expect(charts).to.deep.equal([
      ['i-a', 2, [['core 0', [10, 20]], ['core 1', [30, 40]]]],
      ['i-b', 2, [['core 0', [50, 60]], ['core 1', [50, 80]]]],
    ]); // prettier-ignore
  });

  it('have names that differ, whatever they and their files are called', async () => {
    const { profiles } = dataIn(await pageOf(lines(...A)));
    const [first] = profiles;
    const [host] = first?.monitor?.hosts ?? [];
    if (first === undefined || host === undefined) throw new Error('no host');
    const { overview, monitor } = first;
    const { header } = overview;
    if (header === null || monitor === null) throw new Error('no header');
    const some = fc.record({ file: fc.constantFrom('a', 'b'), name: fc.option(fc.constantFrom('i-1', 'i-2')) });
    fc.assert(
      fc.property(fc.array(some, { maxLength: 6 }), (all) => {
        const made = all.map(({ file, name }) => ({
          ...first,
          overview: { ...overview, header: { ...header, file } },
          monitor: { ...monitor, hosts: [{ ...host, name }] },
        }));
        expect(new Set(hostsOf({ profiles: made }).map(({ name }) => name)).size).to.equal(all.length);
      }),
    );
  });

  it('keep the distances of their starts, in any order', () => {
    const host = (name: string, start: string): NamedHost => ({
      ...{ name, profile: Number(name), start },
      host: {
        ...{ name, reports: 1, facts: {}, charts: [] },
        lines: [{ title: 'x', unit: 'count', curves: [{ name: '', points: [[5, 1]] }], leftOut: 0 }],
      },
    });
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 1e12 }), { minLength: 2, maxLength: 8 }), (starts) => {
        const hosts = starts.map((start, i) => host(String(i), String(1_700_000_000_000_000_000n + BigInt(start))));
        const [chart] = hostComparison(hosts).charts;
        const first = Math.min(...starts);
        expect(chart?.curves.map(({ points }) => points[0]?.[0])).to.deep.equal(starts.map((start) => 5 + start - first));
      }),
    ); // prettier-ignore
  });
});

describeInBrowser('page of several hosts', (open) => {
  const folder = freshFolder();
  before(async () => {
    writePages(folder, bundledProgram(), { hosts: contentsIn(await pageOf(lines(...A), lines(...B))) });
  });

  it('has a line for each host, and the charts of one that is chosen', async () => {
    const { page, complaints } = await open(join(folder, 'hosts.html'));
    const panel = page.locator('[data-panel="monitor"]');
    const compared = panel.locator('section').filter({ has: page.getByRole('heading', { name: UTILISATION }) });
    expect(await compared.locator('.legend li').last().textContent()).to.match(/^i-b: last 70\.0 %, highest 70\.0 %/);
    expect(await panel.getByText('2 hosts compared').count()).to.equal(1);
    const one = panel.getByText('core 0: ');
    expect(await one.first().textContent()).to.contain('last 20.0 %');
    await panel.getByLabel('Host', { exact: true }).selectOption('i-b');
    expect(await one.first().textContent()).to.contain('last 60.0 %');
    expect(complaints).to.deep.equal([]);
  });
});
