import { expect } from 'chai';
import { eventsOf, pageContentsOf, shownFirst } from '../support/pages.js';
import { openedRecordsOf } from '../support/profile-records.js';
import type { ChromeFile } from '../support/trace-events.js';
import { runCli } from '../support/run-cli.js';
import { itShared } from '../support/shared.js';

const LENET = 'samples/lenet.pt.trace.json.gz';
const run = (...args: string[]) => runCli('dprof', ['critical-path', ...args]);

describe('dprof critical-path', () => {
  it('prints steps, kinds of time and the path, in us', async () => {
    const { stdout, stderr, code } = await run('--step', '3', '--top', '2', LENET);
    expect({ stderr, code }).to.deep.equal({ stderr: '', code: 0 });
    expect(stdout).to.equal(`# profile 0: lenet.pt.trace.json.gz (kineto, rank 0), times in us
step     time  replayed  error%  mostly  share%
   3  481.323   481.323     0.0  launch    57.8

bound by     time  share%
copy        1.392     0.3
launch    278.379    57.8
host      200.086    41.6
sync        1.466     0.3

path              kind       time  share%  runs
cudaLaunchKernel  launch  228.548    47.5    45
ProfilerStep#N    host     32.141     6.7    19
# 72 more rows: --top N
`);
  });

  it('limits the parts of each path in JSON too, to those with the most time', async () => {
    const { stdout } = await run('--step', '3', '-f', 'jsonl', '--top', '2', LENET);
    const { path } = JSON.parse(stdout) as {
      readonly path: readonly { readonly name: string; readonly time: number }[];
    };
    expect(path.map(({ name, time }) => [name, time])).to.deep.equal([
      ['cudaLaunchKernel', 228_548],
      ['ProfilerStep#N', 32_141],
    ]);
  });

  it('writes one row per step and part of its path; the parts of a step add up to it', async () => {
    const { stdout } = await run('-f', 'csv', '-c', 'step,step_time,bound,name,time', LENET);
    const [head, ...rows] = stdout.trim().split('\n');
    expect(head).to.equal('step,step_time_ns,bound,name,time_ns');
    const sums = new Map<string, number>();
    for (const row of rows) {
      const [step, time] = [row.split(',').slice(0, 2).join(), row.split(',').at(-1)];
      sums.set(step, (sums.get(step) ?? 0) + Number(time));
    }
    expect([...sums]).to.deep.equal([
      ['3,481323', 481_323],
      ['4,466193', 466_193],
    ]);
  });

  it('writes one object per step as JSON', async () => {
    const { stdout } = await run('-f', 'jsonl', LENET);
    const steps = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(steps.map(({ step, time, replayed, error }) => [step, time, replayed, error])).to.deep.equal([
      [3, 481_323, 481_323, 0],
      [4, 466_193, 466_193, 0],
    ]);
    expect(Object.keys(steps[0] ?? {})).to.include.members(['bounds', 'missing', 'path', 'file', 'rank', 'from']);
  });

  it('explains a time instead of steps', async () => {
    const { stdout } = await run('--from', '0.1', '--to', '0.2', '-f', 'jsonl', LENET);
    const [step = '', window = ''] = stdout.split('\n');
    expect(JSON.parse(step)).to.deep.include({ step: null, from: 100_000 });
    expect(JSON.parse(window)).to.deep.equal({ window: { from: 100_000, to: 200_000, cut: 0 } });
    expect((await run('--from', '1', '--step', '3', LENET)).code).to.equal(2);
  });

  it('explains the time of a range like the same time in ms, with what caused it before', async () => {
    const csv = ['-f', 'csv', '-c', 'step_time,bound,name,time'];
    const range = await run(...csv, '--range', 'ProfilerStep#4', LENET);
    const { stdout } = await run('-f', 'jsonl', '--range', 'ProfilerStep#4', LENET);
    const { profiles } = (
      JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as { window: { profiles: { from: number; to: number }[] } }
    ).window;
    const [from, to] = [profiles[0]?.from ?? NaN, profiles[0]?.to ?? NaN];
    const times = await run(...csv, '--from', String(from / 1e6), '--to', String(to / 1e6), LENET);
    expect(range.stdout).to.equal(times.stdout);
    expect(range.stdout).to.not.contain('unknown');
  });

  it('explains the ranks of a job together, or the chosen rank alone', async () => {
    const job = ['samples/job/rank_0.pt.trace.json.gz', 'samples/job/rank_1.pt.trace.json.gz'];
    const together = await run('--step', '1', '--top', '1', ...job);
    expect(together.stdout).to.match(/^# 2 profiles of one job: ranks 0-1, times in us\nstep /);
    const alone = await run('--rank', '1', '--step', '1', '--top', '1', ...job);
    expect(alone.stdout).to.match(/^# profile 1: rank_1.pt.trace.json.gz \(kineto, rank 1\), times in us\nstep /);
    const [step = ''] = (await run('--step', '1', '-f', 'jsonl', ...job)).stdout.split('\n');
    expect(JSON.parse(step)).to.deep.include({ profile: null, rank: null, ranks: [0, 1], step: 1 });
  });

  it('says that there is no such step', async () => {
    const { stderr, code } = await run('--step', '77', LENET);
    expect(code).to.equal(1);
    expect(stderr).to.equal(`dprof: ${LENET}: none of the chosen steps is in the profile (there are steps 3, 4)\n`);
  });
});

describe('critical path in a timeline', () => {
  const JOB = [0, 1, 2, 3].map((rank) => `samples/job/rank_${rank}.pt.trace.json.gz`);

  /** Slices of the path in a trace: process, times in ns, and text. */
  async function drawn(...args: string[]) {
    const { stdout } = await runCli('dprof', ['perfetto', '-q', '-f', 'chrome-json', '--critical-path', ...args]);
    const { traceEvents } = JSON.parse(stdout) as ChromeFile;
    return traceEvents.flatMap(({ cat, ts = NaN, dur = NaN, name, args: about }) =>
      cat === 'critical path' ? [{ start: ts * 1000, dur: dur * 1000, name, step: about?.['step'] }] : [],
    );
  }

  it('has a track in Perfetto whose slices fill each step without a gap', async () => {
    const slices = await drawn(LENET);
    for (const [step, time] of [
      [3, 481_323],
      [4, 466_193],
    ]) {
      // prettier-ignore
      const own = slices.filter((slice) => slice.step === step);
      expect(own.reduce((sum, { dur }) => sum + dur, 0)).to.be.closeTo(Number(time), 1);
      for (const [index, { start }] of own.entries()) {
        const before = own[index - 1];
        if (before !== undefined) expect(start - before.start - before.dur).to.be.closeTo(0, 0.1);
      }
    }
    expect(slices.filter(({ name }) => name === 'launch: cudaLaunchKernel')).to.have.length.above(40);
  });

  it('leads from rank to rank: on the clock of the job, the slices of all ranks fill each step', async () => {
    const slices = (await drawn('--align', 'job', ...JOB)).sort((a, b) => a.start - b.start);
    const { stdout } = await run('-f', 'jsonl', ...JOB);
    const times = new Map(stdout.trim().split('\n').map((line) => JSON.parse(line) as { step: number; time: number }).map(({ step, time }) => [step, time])); // prettier-ignore
    expect([...times.keys()]).to.deep.equal([0, 1, 2, 3, 4]);
    for (const [step, time] of times) {
      const own = slices.filter((slice) => slice.step === step);
      // Each slice is rounded to ns.
      expect(own.reduce((sum, { dur }) => sum + dur, 0)).to.be.closeTo(time, own.length);
      const [first, last] = [own[0], own.at(-1)];
      expect((last?.start ?? NaN) + (last?.dur ?? NaN) - (first?.start ?? NaN)).to.be.closeTo(time, own.length);
    }
  });

  it('has a row on the page, with the parts in order among the other events', async () => {
    const given = await openedRecordsOf(LENET, { ranges: true });
    const path = [
      { profile: 0, start: 100_000, dur: 20_000, text: 'launch: cudaLaunchKernel', line: null, step: 3 },
      { profile: 0, start: 120_000, dur: 30_000, text: 'compute: mm', line: null, step: 3 },
    ];
    const timeline = shownFirst(pageContentsOf(given, { paths: new Map([[0, path]]) }));
    const drawnParts = eventsOf(timeline).filter(({ kind }) => kind === 'path');
    expect(drawnParts.map(({ name, lane, depth, start, dur }) => ({ name, lane, depth, start, dur }))).to.deep.equal(
      path.map(({ start, dur, text }) => ({ name: text, lane: 'critical path', depth: 0, start, dur })),
    );
    const groups = timeline.lanes.map(({ group }) => group);
    expect([...new Set(groups)].slice(1)).to.deep.equal(['critical path', 'process 4242']);
    expect(eventsOf(shownFirst(pageContentsOf(given))).some(({ kind }) => kind === 'path')).to.equal(false);
  });

  it('needs files, because it reads them twice', async () => {
    for (const command of ['perfetto', 'html']) {
      const { stderr, code } = await runCli('dprof', [command, '-o', 'x', '--critical-path'], { input: '' });
      expect({ stderr, code }).to.deep.equal({
        stderr: 'dprof: --critical-path needs to read the input twice (give a FILE instead of stdin)\n',
        code: 2,
      });
    }
  });

  it('says why a change has no effect, or none is predicted', async () => {
    const file = 'samples/lenet.pt.trace.json.gz';
    const { stderr, code } = await run('--what-if', 'op==nosuch: 0.5', '--what-if', 'launch: 0', file);
    expect({ stderr, code }).to.deep.equal({ stderr: "dprof: 'op==nosuch: 0.5' changes nothing: no kernel matches\n", code: 0 }); // prettier-ignore
  });

  // Counted apart from this project: from the start of a step in the JSON, or the end of the one before, to the last end.
  itShared('has the steps counted in a trace', ['data/kineto/a100_rank3of8_training.json.gz'], async ([path = '']) => {
    const { stdout } = await run('-q', '-f', 'jsonl', path);
    const times = stdout.trim().split('\n').map((line) => JSON.parse(line) as { step: number; time: number }).map(({ step, time }) => [step, time / 1e3]); // prettier-ignore
    expect(times).to.deep.equal([[1009, 75_656], [1010, 76_800], [1011, 76_234], [1012, 76_727], [1013, 78_473], [1014, 81_120]]); // prettier-ignore
    const changed = await run('-q', '--what-if', 'launch: 0', path);
    expect(changed.stdout).to.include('# No prediction for step 1010: the replay of all steps together differs by ');
  });
});
