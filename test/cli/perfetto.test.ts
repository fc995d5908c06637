import { expect } from 'chai';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { kernel } from '../support/kernels.js';
import { instruction, neuronLines, neuronProfile } from '../support/neuron.js';
import { shownTrace } from '../support/perfetto-trace.js';
import { commandOf, runCli } from '../support/run-cli.js';
import { ROOT } from '../support/shared.js';
import { profile, type ChromeEvent, type ChromeFile } from '../support/trace-events.js';
import { itWithProcess } from '../support/sets.js';

const LENET = join(ROOT, 'samples/lenet.nsys.sqlite');
const END = { type: 'end', profile: 0, counts: {}, diagnostics: {} } as const;
const JOB = join(ROOT, 'samples/job');
const RECORDS = neuronLines([profile({ startUnixNs: '1700000000000000000' }), kernel(), END]);

describe('dprof perfetto', function () {
  let folder = '';
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'dprof-perfetto-'))));
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });
  const run = (input: string, ...args: string[]) => runCli('dprof', ['perfetto', ...args], { input, cwd: folder });

  it('writes a trace of a profile, ranges and all', async () => {
    const { stdout, stderr, code } = await run('', '-o', 'net.pftrace', LENET);
    expect({ stdout, code }).to.deep.equal({ stdout: '', code: 0 });
    // 126 kernels, 6 copies, 24 sets, 3 syncs, 2 graph launches, 429 ranges; each of the 161 activities has a launch.
    expect(stderr).to.equal('dprof: 751 slices, 161 arrows, 0 counter values; times: Unix time\n');
    const { events, arrows } = shownTrace(readFileSync(join(folder, 'net.pftrace')));
    expect([events.filter(({ isMark }) => !isMark).length, arrows.length]).to.deep.equal([751, 161]);
    expect(readdirSync(folder)).to.deep.equal(['net.pftrace']);
  });

  it('writes the same from records, byte by byte', async () => {
    const records = (await runCli('dparse', ['-q', '--ranges', LENET])).stdout;
    await run(records, '-q', '-o', 'piped.pftrace');
    await run('', '-q', '-o', 'direct.pftrace', LENET);
    const [piped, direct] = ['piped', 'direct'].map((name) => readFileSync(join(folder, `${name}.pftrace`)));
    expect(piped?.equals(direct ?? Buffer.alloc(0))).to.equal(true);
  });

  it('writes JSON for Chrome, to a pipe too', async () => {
    const { stdout, stderr, code } = await run(RECORDS, '-f', 'chrome-json');
    expect({ stderr, code }).to.deep.equal({ stderr: 'dprof: 2 slices, 1 arrow, 0 counter values; times: Unix time\n', code: 0 }); // prettier-ignore
    const { traceEvents } = JSON.parse(stdout) as ChromeFile;
    const [launch, device] = traceEvents.filter(({ ph }) => ph === 'X');
    // Handed on at the end: devices first. 22:13:20 UTC of 2023-11-14, counted from midnight of the day before.
    expect([launch, device].map((one) => [one?.name, one?.ts, one?.dur])).to.deep.equal([
      ['k', 166400000001, 0.01],
      ['cudaLaunchKernel', 166400000000.9, 0.05],
    ]);
    const [start, end] = ['s', 'f'].map((phase) => traceEvents.find(({ ph }) => ph === phase));
    expect(start).to.include({ id: 1, cat: 'launch', ts: 166400000000.9, pid: 10, tid: 100 });
    expect(end).to.include({
      id: 1,
      cat: 'launch',
      ts: 166400000001,
      bp: 'e',
      pid: device?.pid === 10 ? launch?.pid : 0,
    });
    expect(traceEvents.filter(({ ph }) => ph === 'M').map(({ args }) => args?.['name'])).to.include.members([
      'host 10',
      'thread 100',
      'device 0',
      'stream 7',
    ]);
  });

  it('states what is left out, and where times are from', async () => {
    const odd = [
      kernel({ dur: null, launch: null }),
      kernel({ start: 5, corr: 6 }),
      kernel({ start: NaN, launch: null }),
    ];
    const { stderr } = await run(neuronLines([profile(), ...odd, END]), '-o', 'odd.pftrace');
    expect(stderr.split('\n').slice(0, -1)).to.deep.equal([
      "dprof: 2 slices, 0 arrows, 0 counter values; times: counted from each profile's start",
      'dprof: 1 record without a duration: shown as instants, not slices',
      'dprof: 1 record left out: no time',
      'dprof: 1 activity starting before its launch: no arrow',
    ]);
    const apart = await run(RECORDS, '--align', 'start', '-o', 'apart.pftrace');
    expect(apart.stderr).to.include("times: counted from each profile's start");
  });

  it('writes chosen ranks and steps of a job, with all arrows that it counts, forward in time', async () => {
    const files = readdirSync(JOB).flatMap((name) => (name.endsWith('.gz') ? [join(JOB, name)] : []));
    const chosen = ['--align', 'job', '--rank', '0-1', '--step', '1'];
    const { stderr, code } = await run('', ...chosen, '-f', 'chrome-json', '-o', 'job.json', ...files);
    expect(code).to.equal(0);
    const { traceEvents } = JSON.parse(readFileSync(join(folder, 'job.json'), 'utf8')) as {
      traceEvents: readonly (ChromeEvent & { readonly ts: number })[];
    };
    // Both ends of an arrow say alike what it stands for.
    const names = (phase: string): Map<unknown, string> =>
      new Map(traceEvents.flatMap(({ ph, id, name, cat }) => (ph === phase ? [[id, `${cat} ${name}`] as const] : [])));
    const [starts, stops] = [names('s'), names('f')];
    for (const [id, name] of stops) expect(starts.get(id), String(id)).to.equal(name);
    expect([...new Set(stops.values())].sort()).to.deep.equal(['collective collective', 'launch launch']);
    // Operations are joined by 'collective', and nothing else is.
    const nameAt = new Map(traceEvents.flatMap(({ ph, pid, tid, ts, name }) => (ph === 'X' ? [[`${pid} ${tid} ${ts}`, name]] : []))); // prettier-ignore
    const joined = traceEvents.filter(({ ph, name, id }) => (ph === 's' || ph === 'f') && name === 'collective' && stops.has(id)); // prettier-ignore
    expect(joined).not.to.have.length(0);
    for (const { pid, tid, ts } of joined) expect(nameAt.get(`${pid} ${tid} ${ts}`)).to.match(/^nccl/);
    const ends = new Map(traceEvents.flatMap(({ ph, id, ts }) => (ph === 'f' ? [[id, ts] as const] : [])));
    expect(stderr).to.match(new RegExp(` slices, ${ends.size} arrows,`));
    for (const { ph, id, ts } of traceEvents) if (ph === 's' && ends.has(id)) expect(ends.get(id)).to.be.at.least(ts);
    for (const none of [
      ['--rank', '77'],
      ['--step', '99'],
    ]) {
      const answer = await run('', ...none, '-o', 'none.pftrace', ...files);
      expect(answer.stderr).to.match(/: the profile has no events for the selected ranks and steps \(.*\)\n$/);
      expect(answer.code).to.equal(1);
    }
  });

  it('names arrows for what they stand for', async () => {
    const at = (id: number, start: number, change: object = {}) =>
      instruction('COPY', 'Scalar', start, 5, { id, labels: { id: `9${id}` }, ...change });
    const waiting = [neuronProfile(), at(1, 10), at(2, 20, { after: [{ id: '91', kind: 'flow' }] }), END];
    const collective = { bytesIn: 64, bytesOut: 64, dtype: 'float32', group: 'pp', groupSize: 4, ranks: [0, 1, 2, 3] };
    /** Both end at 1100. */
    const end = (rank: number, op: string, start: number) => [
      profile({ profile: rank, rank, worldSize: 4, startUnixNs: '1700000000000000000' }),
      kernel({
        profile: rank,
        start,
        dur: 1100 - start,
        collective: { ...collective, op, peer: 1 - rank, ordinal: 1 },
      }),
      { ...END, profile: rank },
    ];
    writeFileSync(join(folder, 'waiting.jsonl'), neuronLines(waiting));
    writeFileSync(join(folder, 'message.jsonl'), neuronLines([...end(0, 'send', 1000), ...end(1, 'receive', 1020)]));
    const namesOf = async (...args: readonly string[]): Promise<string[]> => {
      const { stdout } = await run('', '-q', '-f', 'chrome-json', ...args);
      const { traceEvents } = JSON.parse(stdout) as ChromeFile;
      return traceEvents
        .flatMap(({ ph, name, cat }) => (ph === 's' || ph === 'f' ? [`${ph} ${name} ${cat}`] : []))
        .sort();
    };
    const both = (name: string) => ['f', 's'].map((phase) => `${phase} ${name} ${name}`);
    expect(await namesOf('--flows', 'waiting.jsonl')).to.deep.equal(both('dependency'));
    const launches = ['launch', 'launch'].flatMap(both);
    expect(await namesOf('--align', 'job', 'message.jsonl')).to.deep.equal([...launches, ...both('message')].sort());
  });

  it('answers what it cannot do in one line', async () => {
    writeFileSync(join(folder, 'records.jsonl'), RECORDS);
    const dict = "{'kShortName': 'k', 'kDuration': 5, 'device': 0}\n";
    const answers = [
      [dict, [], 1, /^dprof: stdin: no record has a start time \(.*net\.dict/],
      [neuronLines([profile()]), [], 1, /^dprof: stdin: nothing to draw: no kernels, ranges or timed samples/],
      ['', [], 1, /^dprof: stdin: is empty/],
      ['', ['-f', 'json'], 2, /^dprof: unknown format 'json' \(expected one of pftrace, chrome-json\)/],
      ['', ['--align', 'x'], 2, /^dprof: unknown alignment 'x'/],
      ['', ['-o', 'no/such/folder', 'records.jsonl'], 1, /^dprof: no\/such\/folder: cannot write: no such file/],
      ['', ['-o', 'records.jsonl', 'records.jsonl'], 1, /^dprof: records\.jsonl: is the input/],
    ] as const;
    for (const [input, args, expected, answer] of answers) {
      const { stdout, stderr, code } = await run(input, ...args);
      expect({ stdout, code }, stderr).to.deep.equal({ stdout: '', code: expected });
      expect(stderr)
        .to.match(answer)
        .and.match(/^[^\n]*\n$/);
    }
    expect(readdirSync(folder)).to.deep.equal(['records.jsonl']);
  });

  itWithProcess('writes nothing binary to a terminal', function () {
    const quoted = [process.execPath, ...commandOf('dprof'), 'perfetto', LENET].map((word) => `'${word}'`).join(' ');
    const { status, stdout, error } = spawnSync('script', ['-qec', quoted, '/dev/null'], { encoding: 'utf8' });
    if (error !== undefined) this.skip();
    expect(stdout.trim()).to.equal('dprof: refusing to write a binary trace to a terminal: use -o FILE');
    expect(status).to.equal(2);
  });

  it('has a help that fits a screen', async () => {
    const { stdout, code } = await run('', '--help');
    expect(code).to.equal(0);
    expect(stdout)
      .to.match(/^Usage: dprof perfetto -o OUT/)
      .and.include('chrome-json');
    expect(stdout.split('\n').length).to.be.below(60);
    expect(Math.max(...stdout.split('\n').map((line) => line.length))).to.be.at.most(80);
  });
});
