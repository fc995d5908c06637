/** What commands say of four made ranks, when the third is late: see `neuron-ranks.ts` for the times. */
import { expect } from 'chai';
import { join } from 'node:path';
import { freshFolder } from '../../support/fresh-path.js';
import { writeRanks } from '../../support/neuron-ranks.js';
import { pageContentsOfFile, piecesOf } from '../../support/pages.js';
import { runCli } from '../../support/run-cli.js';
import type { ChromeEvent, ChromeFile } from '../../support/trace-events.js';

describe('collective operations of ranks of AWS Neuron', () => {
  const folder = join(freshFolder(), 'ranks');
  let paths: readonly string[] = [];

  before(() => {
    paths = writeRanks(folder);
  });

  it('are matched: three ranks wait for the one that joins last', async () => {
    const { stdout } = await runCli('dprof', ['ranks', '-q', '-f', 'csv', '-c', 'rank,device,waited,last', folder]);
    // In each of 4 rounds 6 us and 1 us; the second core of a rank is no rank, and has no operations.
    const others = '28000,0';
    expect(stdout.trim().split('\n').slice(1)).to.deep.equal([
      ...[`0,0,${others}`, '0,1,na,na', `1,2,${others}`, '1,3,na,na'],
      ...['2,4,0,100', '2,5,na,na', `3,6,${others}`, '3,7,na,na'],
    ]);
  });

  it('have their waits and their transfer apart', async () => {
    const columns = 'kind,operations,wait,transfer';
    const { stdout } = await runCli('dprof', ['ranks', '-q', '-t', 'collectives', '-f', 'csv', '-c', columns, folder]);
    // Mean wait of four ranks: 3 · 6 / 4 us and 3 · 1 / 4 us.
    const rows = stdout.trim().split('\n').slice(1);
    expect(rows).to.deep.equal(['all-reduce,4,4500,4000', 'all-gather,4,750,4000']);
  });

  it('make the metrics of collectives where the tool does not state them', async () => {
    const metrics = async (path = ''): Promise<unknown[]> => {
      const { stdout } = await runCli('dprof', [
        'summary',
        '-q',
        '--vendor-metrics',
        '-m',
        'cc_*',
        '-f',
        'jsonl',
        path,
      ]);
      const found = (JSON.parse(stdout) as { metrics: Record<string, { value: unknown }> }).metrics;
      return Object.values(found).map(({ value }) => value);
    };
    // Of rank 0: 4 · (6 + 4 + 1 + 4) us in 164 us; of its CC-cores 16 transfers of 4 us, two at a time, and waits of 28 us.
    expect(await metrics(paths[0])).to.deep.equal([
      8,
      60_000,
      60_000,
      (100 * 60) / 164,
      24,
      92_000,
      32_000,
      (100 * 32) / 164,
    ]);
    expect(await metrics(paths[2])).to.deep.equal([
      8,
      32_000,
      32_000,
      (100 * 32) / 162,
      16,
      64_000,
      32_000,
      (100 * 32) / 162,
    ]);
  });

  it('are on a row of their stream, in a trace', async () => {
    const { stdout } = await runCli('dprof', ['perfetto', '-q', '-f', 'chrome-json', '-o', '-', paths[2] ?? '']);
    const { traceEvents } = JSON.parse(stdout) as ChromeFile;
    const named = traceEvents.filter(
      ({ name, args }) => name === 'thread_name' && args?.['name'] === 'CC stream 0 collectives',
    );
    const [{ pid, tid }] = named as [ChromeEvent];
    const slices = traceEvents.filter((event) => event.ph === 'X' && event.pid === pid && event.tid === tid);
    expect(named).to.have.length(1);
    expect(slices.map(({ name }) => name)).to.deep.equal(
      Array.from({ length: 4 }, () => ['AllReduce', 'AllGather']).flat(),
    );
  });

  it('are on a row of their stream, in the timeline of a page', async () => {
    const contents = await pageContentsOfFile(folder);
    const wholes = piecesOf(contents).map(([whole]) => whole?.lanes.map(({ group, name }) => [group, name]));
    const lanesOf = (core: number) => [
      [`device ${core}: Trainium2`, 'Tensor'],
      [`device ${core}: Trainium2`, 'CC stream 0'],
      [`device ${core + 1}: Trainium2`, 'Tensor'],
    ];
    expect(wholes).to.deep.equal([0, 2, 4, 6].map(lanesOf));
    const [first] = contents.data.profiles;
    // 4 · (6 + 4) us and 4 · (1 + 4) us.
    const rows = first?.collectives.shown.map(({ name, count, time, bytes }) => [name, count, time, bytes]);
    expect(rows).to.deep.equal([
      ['all-reduce', 4, 40_000, 262_144],
      ['all-gather', 4, 20_000, 262_144],
    ]);
  });
});
