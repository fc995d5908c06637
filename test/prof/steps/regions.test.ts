/** `dprof steps --by`: regions of the program over their passes. */
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { freshPath } from '../../support/fresh-path.js';
import { runCli } from '../../support/run-cli.js';
import { itEachShared, ROOT } from '../../support/shared.js';

const line = (type: string, fields: object): string => JSON.stringify({ type, profile: 0, ...fields });
const HEADER = line('profile', { v: 1, format: 'kineto', tool: null, file: 'a.json', rank: null, devices: [] });
const END = line('end', { counts: {}, diagnostics: {} });
/** Times in us. */
const range = (text: string, start: number, end: number, kind = 'annotation'): string =>
  line('range', { kind, start: start * 1e3, dur: (end - start) * 1e3, pid: 1, tid: 1, domain: null, text });
let id = 0;
const work = (type: string, launched: number, start: number, end: number, more: object = {}): string =>
  line(type, {
    ...{ id: ++id, start: start * 1e3, dur: (end - start) * 1e3, device: 0, stream: 7, pid: 1, tid: 1, name: 'k' },
    launch: { api: 'launch', start: launched * 1e3, dur: 5e3 },
    ...more,
  });

/** Three passes: gaps in the queue and before a late launch, a copy, exposed communication, and work in no pass. */
const RECORDS = [
  HEADER,
  range('fwd', 0, 100),
  work('kernel', 10, 20, 60),
  // A part of the first pass.
  range('fwd', 20, 50),
  work('kernel', 30, 80, 110),
  work('kernel', 150, 160, 170),
  range('fwd', 200, 300),
  work('kernel', 210, 220, 260),
  work('copy', 250, 265, 275, { kind: 'HtoD', bytes: 64 }),
  work('kernel', 290, 330, 350),
  range('fwd', 400, 500),
  work('kernel', 410, 420, 460, { name: 'ncclDevKernel_AllReduce', short: 'ncclDevKernel_AllReduce', stream: 9 }),
  work('kernel', 415, 440, 480),
  END,
].join('\n');

type Row = Readonly<Record<string, number | string | null>>;

const rowsOf = async (args: readonly string[], input?: string): Promise<Row[]> => {
  const { stdout, code, stderr } = await runCli('dprof', ['steps', '-f', 'jsonl', ...args], input === undefined ? {} : { input }); // prettier-ignore
  expect(code, stderr).to.equal(0);
  return stdout.trimEnd().split('\n').map((row) => JSON.parse(row) as Row); // prettier-ignore
};

describe('regions', () => {
  it('have the sums of their passes', async () => {
    const [row, ...others] = await rowsOf(['--by', 'range'], RECORDS);
    expect(others).to.deep.equal([]);
    expect(row).to.include({ device: 0, region: 'fwd', passes: 3, kernels: 5, collectives: 1 });
    // The passes run from 20 to 110, 220 to 350 and 420 to 480 us.
    expect(row).to.include({ span: 280e3, busy: 200e3, idle: 80e3, computing: 170e3, copies: 10e3 });
    expect(row).to.include({ communication: 40e3, overlapped: 20e3, exposed: 20e3 });
    // 60 to 80 and 260 to 265 us after the launch of the next work, 275 to 330 us before it.
    expect(row).to.include({ idle_host: 55e3, idle_queue: 25e3 });
    // 60, 90 and 130 us; passes begin 200 us apart, and the last takes 100 us.
    expect(row).to.include({ span_p50: 90e3, span_p90: 122e3, iteration: 500e3, iteration_p50: 200e3 });
    expect(row?.['span_p99']).to.be.closeTo(129.2e3, 1e-6);
  });

  it('are cut at the edges of a time, and keep the work that was launched before it', async () => {
    // 90 to 110 us in the first pass, 220 to 340 us in the second, which begins at 200 us and ends at 300 us.
    const [row] = await rowsOf(['--by', 'range', '--from', '0.09', '--to', '0.34'], RECORDS);
    expect(row).to.include({ passes: 2, span: 140e3, busy: 80e3, iteration: 110e3 + 100e3, preparing: 0 + 20e3 });
    // The first range has ended, but its kernel runs until 110 us; how long the pass took inside is not known.
    const [later] = await rowsOf(['--by', 'range', '--from', '0.105', '--to', '0.34'], RECORDS);
    expect(later).to.include({ passes: 2, span: 125e3, busy: 65e3, iteration: null, iteration_p50: 100e3 });
    const [whole] = await rowsOf(['--by', 'range', '--from', '-1', '--to', '1'], RECORDS);
    expect(whole).to.deep.equal((await rowsOf(['--by', 'range'], RECORDS))[0]);
  });

  it('show on a narrow terminal how long they took, also sorted', async () => {
    const lines = async (...args: readonly string[]): Promise<string[]> =>
      (await runCli('dprof', ['steps', '-q', '--by', 'range', '-w', '80', ...args], { input: RECORDS })).stdout.split('\n'); // prettier-ignore
    const row = /^fwd +3 +90 us +280 us +200 us +80 us +20 us/;
    expect((await lines())[2]).to.match(row);
    expect((await lines('--sort', 'busy', '--top', '1'))[1]).to.match(row);
  });

  it('show the distribution of their passes', async () => {
    const { stdout, stderr } = await runCli('dprof', ['steps', '--by', 'range', '--histogram'], { input: RECORDS });
    // Twice the interquartile range of 35 us over the cube root of 3 is 48.5 us, rounded up to 50.
    expect(stdout).to.match(
      /## fwd, device 0: spans of 3 passes\nfrom us {2}to us {2}passes\n +50 +100 +2 +#{40}\n +100 +150 +1 +#{20}\n$/,
    );
    expect(stderr).to.equal('dprof: 1 activity in no region: not launched during a region\n');
  });

  it('have the work of threads that work for their thread', async () => {
    const ofThread = (tid: number, more: object): object => ({ tid, ...more });
    const input = [
      HEADER,
      range('step of mine', 0, 100),
      range('inner', 20, 90, 'layer'),
      work('kernel', 30, 40, 50, ofThread(2, { callerRanges: ['step of mine'] })),
      work('copy', 60, 70, 80, ofThread(2, { kind: 'HtoD', bytes: 64 })),
      // Another thread, about which nothing is known.
      work('copy', 60, 81, 82, ofThread(3, { kind: 'HtoD', bytes: 64 })),
      work('kernel', 85, 90, 95),
      END,
    ].join('\n');
    const rows = await rowsOf(['--by', 'range'], input);
    expect(rows.map(({ region, busy, idle }) => [region, busy, idle])).to.deep.equal([
      ['step of mine', 25e3, 29e3],
      ['inner', 5e3, 0],
    ]);
    expect((await rowsOf(['--by', 'layer'], input)).map(({ region }) => region)).to.deep.equal(['inner']);
    expect((await rowsOf(['--by', 'annotation'], input)).map(({ region }) => region)).to.deep.equal(['step of mine']);
  });

  it('of all steps have the sums of dprof steps, and the MFU of dprof summary', async () => {
    for (const name of ['lenet.pt.trace.json.gz', 'lenet.nsys.sqlite', 'decoder.pt.trace.json.gz']) {
      const file = join(ROOT, 'samples', name);
      const steps = (await rowsOf(['-q', file])).filter(({ step }) => typeof step === 'number');
      const [region] = await rowsOf(['-q', '--by', 'step', file]);
      // The others are places, and a rate.
      const others = ['profile', 'file', 'rank', 'device', 'tokens_per_s'];
      const shared = Object.keys(steps[0] ?? {}).filter((key) => key in (region ?? {}) && !others.includes(key));
      expect(shared).to.include.members(['busy', 'idle', 'exposed', 'kernels', 'iteration']);
      expect(region?.['passes'], name).to.equal(steps.length);
      for (const key of shared) {
        const values = steps.map((row) => row[key] ?? null) as (number | null)[];
        const sum = values.reduce((all, value) => (all === null || value === null ? null : all + value), 0);
        expect(region?.[key], `${name} ${key}`).to.equal(sum);
      }
      const { stdout } = await runCli('dprof', ['summary', '-q', '-f', 'csv', file]);
      const figure = (figureName: string): number => Number(new RegExp(`,${figureName},([^,]*),`).exec(stdout)?.[1]);
      // All kernels of the first were launched in steps, on one device.
      if (name === 'lenet.pt.trace.json.gz')
        expect(Number(region?.['mfu']) * Number(region?.['span'])).to.be.closeTo(
          100 * figure('mfu') * figure('span'),
          1,
        );
    }
  });

  // Counted in the raw files by SQL and by a script over the JSON, from launches, ranges and work alone.
  const COUNTED = {
    'data/nsys/nvfuser_h200.sqlite': [
      ['FusionKernelRuntime::runKernelWithInput', 6, 8, 3221628, 538985.5, 3134397, 87231, 0],
    ],
    'data/kineto/a100_rank3of8_training.json.gz': [
      ['## forward ##', 6, 2526, 148704000, 27615000, 134894000, 3494000, 41799000],
      ['## backward ##', 6, 5538, 261590000, 43877500, 200610000, 58673000, 23209000],
      ['## forward:all2all_global_emb ##', 6, 0, 57016000, 11976500, 57016000, 0, 57016000],
    ],
  } as const;
  itEachShared(
    Object.keys(COUNTED),
    [],
    (name) => `have the times counted in ${name}`,
    async (path, name) => {
      const rows = await rowsOf(['-q', '--by', 'annotation', path]);
      for (const counted of COUNTED[name as keyof typeof COUNTED]) {
        const row = rows.find(({ region }) => region === counted[0]) ?? {};
        const figures = ['region', 'passes', 'kernels', 'span', 'span_p50', 'busy', 'idle', 'exposed'];
        expect(figures.map((key) => row[key])).to.deep.equal(counted);
      }
    },
  );

  it('count the passes that lost work, whose times are unknown', async () => {
    // Of the two passes of fc2, the second one loses all of its kernels.
    const sample = freshPath('.sqlite');
    copyFileSync(join(ROOT, 'samples/lenet.nsys.sqlite'), sample);
    const database = new Database(sample);
    const { changes } = database
      .prepare(
        `DELETE FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE correlationId IN (
           SELECT correlationId FROM CUPTI_ACTIVITY_KIND_RUNTIME call JOIN NVTX_EVENTS pass USING (globalTid)
           WHERE pass.start = (SELECT max(start) FROM NVTX_EVENTS WHERE text = 'layer:fc2')
             AND call.start BETWEEN pass.start AND pass.end)`,
      )
      .run();
    database.close();
    expect(changes).to.be.above(0);
    const [fc2] = (await rowsOf(['-q', '--by', 'range', sample])).filter(({ region }) => region === 'fc2');
    expect(fc2).to.include({ passes: 2, lost: 1, span: null });
    const { stdout } = await runCli('dprof', ['steps', '-q', '--by', 'range', '--histogram', sample]);
    expect(stdout)
      .to.match(/^device +region +passes +lost +span_p50/m)
      .and.contain('fc2, device 0: spans of 1 of 2 passes\n');
    expect((await runCli('dprof', ['steps', '--by', 'range'], { input: RECORDS })).stdout).not.to.contain('lost');
  });

  it('that do not exist are reported with what to do', async () => {
    const none = await runCli('dprof', ['steps', '--by', 'layer'], { input: RECORDS });
    expect(none.stderr).to.match(/no work was launched in layers on the CPU \(with_modules=True/);
    const rocpd = RECORDS.replaceAll('kineto', 'rocpd').replaceAll('"annotation"', '"op"');
    const marks = await runCli('dprof', ['steps', '--by', 'annotation'], { input: rocpd });
    expect(marks.stderr).to.match(/no work was launched in annotations .*\(roctxRangePush.* --marker-trace/);
    const odd = await runCli('dprof', ['steps', '--by', 'layers'], { input: RECORDS });
    expect(odd.stderr).to.match(/unknown kind of region 'layers' \(did you mean layer\?/);
    const alone = await runCli('dprof', ['steps', '--histogram'], { input: RECORDS });
    expect(alone.stderr).to.equal(
      'dprof: --histogram needs --by (--by takes range, annotation, layer, step, phase, batch, request)\n',
    );
  });
});
