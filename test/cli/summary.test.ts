import { expect } from 'chai';
import { RANGES_HINT } from '../../src/prof/analysis.js';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { COMMANDS } from '../../src/cli/commands.js';
import type { ProfileSummary } from '../../src/prof/summary/summary-data.js';
import type { ProfileLine } from '../../src/record/record.js';
import { kernel, mm } from '../support/kernels.js';
import { ended, type Ended } from '../support/ended.js';
import { commandOf, runCli } from '../support/run-cli.js';
import { ROOT } from '../support/shared.js';
import { itWithProcess } from '../support/sets.js';

const header = (profile: number, rank: number | null): ProfileLine => ({
  ...{ type: 'profile', v: 1, profile, format: 'kineto', tool: null, file: `rank${profile}.json`, rank },
  ...{ startUnixNs: null, dur: null },
  devices: [{ id: 0, vendor: 'nvidia', name: 'A|B_100', arch: 'sm80', units: 108, clockHz: null, memBytesPerS: null, memBytes: null }], // prettier-ignore
});

const launch = { api: 'cudaLaunchKernel', start: 0, dur: 10 };

const rank = (profile: number, slower = 0): ProfileLine[] => [
  header(profile, profile),
  kernel({ profile, id: 1, start: 1000, dur: 40_000, launch, step: 1, calls: [mm(64, 64, 64, 'float32')], op: ['mm'], name: 'ampere_sgemm_32x32_nn', short: 'ampere_sgemm_32x32_nn' }),
  { type: 'copy', profile, start: 41_000, dur: 4000, device: 0, stream: 7, pid: 1, tid: 1, corr: 2, launch, kind: 'HtoD', bytes: 4e6 },
  kernel({ profile, id: 2, start: 50_000, dur: 8000 + slower, launch: null, step: 1, name: 'ncclDevKernel_AllReduce', short: 'ncclDevKernel_AllReduce' }),
  kernel({ profile, id: 3, start: 60_000 + slower, dur: 1000, launch: { ...launch, start: 59_000 + slower }, step: 2, short: '</script>|`x`' }),
  { type: 'end', profile, counts: {}, diagnostics: { 'kernel-without-launch': 1 } },
]; // prettier-ignore

const END: ProfileLine = { type: 'end', profile: 0, counts: {}, diagnostics: {} };

const lines = (records: readonly unknown[]): string => records.map((record) => `${JSON.stringify(record)}\n`).join('');
const run = (input: string, ...args: string[]) => runCli('dprof', ['summary', ...args], { input });

const NEXT = /^next: (.*)$/gm;
const nextOf = (text: string): string[] => [...text.matchAll(NEXT)].map(([, command = '']) => command);

describe('dprof summary', () => {
  it('fits a screen: where the time of a device went, and its kernels; what is odd on demand', async () => {
    const { stdout, stderr, code } = await run(lines(rank(0)));
    expect({ stderr, code }).to.deep.equal({ stderr: '', code: 0 });
    const text = stdout.split('\n');
    expect(text.length).to.be.at.most(40);
    expect(text.filter((line) => line.length > 80)).to.deep.equal([]);
    // 1 to 41, to 45, 50 to 58, 60 to 61 us
    expect(text.slice(0, 11)).to.deep.equal([
      '# profile 0: rank0.json (kineto, rank 0)',
      '## Device 0 (A|B_100): span 60.000 us, first to last work',
      'busy               53.000 us  88.3 %',
      '  compute          41.000 us  68.3 %  2 kernels, sum 41.000 us',
      '  communication     8.000 us  13.3 %  1 operation, sum 8.000 us',
      '    exposed         8.000 us  13.3 %  no compute runs',
      '  copies, memsets   4.000 us   6.7 %  1 copy, 0 memsets; exposed 4.000 us',
      'idle                7.000 us  11.7 %  2 gaps, longest 5.000 us',
      '  host              2.000 us   3.3 %  waiting for launches',
      '  unknown           5.000 us   8.3 %  launch not recorded',
      'launch known       45.000 us  75.0 %  3 of 4 activities over 60.000 us (100.0 %)',
    ]);
    expect(stdout).to.match(/^## Kernels: 3 with 3 names, 49\.000 us\n +time +share +count +mean +kernel\n40\.000 us {2}81\.6 %/m); // prettier-ignore
    expect(stdout).to.match(/^HtoD {2}4\.000 us {2}1 {2}4 MB {2}1 TB\/s$/m);
    expect(stdout).to.match(/^## Without op: 2 kernels, 18\.4 % of kernel time$/m);
    expect(text.slice(-3)).to.deep.equal(['next: dprof advise FILE', 'all:  dprof summary --all FILE', '']);
    expect((await run(lines(rank(0)), '--all')).stdout).to.match(/^kernel-without-launch 1$/m);
  });

  itWithProcess('names commands that run', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'dprof summary-'));
    try {
      const path = join(folder, "it's records.dict");
      writeFileSync(path, lines(rank(0)));
      const commands = nextOf((await runCli('dprof', ['summary', '--all', path])).stdout);
      expect(commands.length).to.be.at.least(6);
      const known = new Set(commands);
      const runs = [...known].map(async (command) => {
        const [, tool = ''] = /^dprof ([a-z]+) /.exec(command) ?? [];
        if (tool !== '' && !Object.hasOwn(COMMANDS, tool)) throw new Error(`no command: ${command}`);
        const ran = await inShell(command);
        expect(ran, command).to.include({ code: 0 });
        expect(ran.stdout, command).not.to.equal('');
      });
      await Promise.all(runs);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('says what each figure is a share of, and which rest on less than half of the time', async () => {
    const { stdout } = await run(lines(rank(0, 100_000)), '--peaks', 'A100 40GB');
    // 40 of 149 us are known: 2 · 64³ FLOPs, 26.9 ns of a span of 160 us at 19.5 TFLOP/s.
    expect(stdout).to.include('## Arithmetic, shares of kernel time, 149.000 us\n');
    expect(stdout).to.match(/^ {2}of eligible +0\.0 %: 0\.0 % of the 26\.8 % of kernel time that is eligible$/m);
    expect(stdout).to.match(/^work +≥ 524\.3 kFLOP, ≥ 49\.15 kB \(26\.8 % of kernel time known\)$/m);
    expect(stdout).to.match(/^of peak +unknown \(26\.8 % of kernel time known\)$/m);
    expect(stdout).to.match(/^MFU +≥ 0\.02 % of the span at peak \(26\.8 % of kernel time known\)$/m);
    // 40 of 49 us.
    expect((await run(lines(rank(0)), '--peaks', 'A100 40GB')).stdout).to.match(
      /^MFU +0\.04 % of the span at peak \(81\.6 % of kernel time known\)$/m,
    );
  });

  it('writes an object a profile, whose parts add up', async () => {
    const { stdout } = await run(lines([...rank(0), ...rank(1)]), '-f', 'jsonl');
    const overviews = stdout.trimEnd().split('\n').map((line) => JSON.parse(line) as ProfileSummary); // prettier-ignore
    expect(overviews.map(({ profile, header: of }) => [profile, of?.rank])).to.deep.equal([[0, 0], [1, 1]]); // prettier-ignore
    const [{ devices, kernels }] = overviews as [ProfileSummary];
    expect(devices[0]).to.include({ start: 1000, end: 61_000, span: 60_000, busy: 53_000, idle: 7000 });
    expect(kernels?.byTime.map(({ name }) => name)).to.deep.equal(['ampere_sgemm_32x32_nn', 'ncclDevKernel_AllReduce', '</script>|`x`']); // prettier-ignore
  });

  it('writes Markdown that no name can leave', async () => {
    const { stdout } = await run(lines(rank(0)), '-f', 'markdown');
    expect(stdout).to.match(/^# `profile 0: rank0\.json \(kineto, rank 0\)`\n\n## Device 0 \(A&#124;B&#95;100\): span 60\.000 us, first to last work\n\n\| {2}\| time \| share \| {2}\|\n\| --- \| ---: \| ---: \| --- \|\n\| `busy` \|/); // prettier-ignore
    expect(stdout).not.to.include('</script>').and.not.to.include('|`x`');
    expect(stdout).to.include('next: `dprof steps FILE`');
  });

  it('puts ranks beside each other', async () => {
    const { stdout } = await run(lines([...rank(0), ...rank(1, 3000)]));
    const table = stdout.split('## Profiles compared, times in us\n')[1]?.split('\n').map((line) => line.trim().split(/ {2,}/)); // prettier-ignore
    // Span and busy of the second: 3 us more, all of them exposed.
    expect(table?.slice(1, 3)).to.deep.equal([
      ['0', '0', '0', '60.000', '53.000', '88.3 %', '41.000', '8.000', '8.000', '13.3 %', '7.000', '29.000'],
      ['1', '1', '0', '63.000', '56.000', '88.9 %', '41.000', '11.000', '11.000', '17.5 %', '7.000', '30.500'],
    ]);
  });

  it('lists as many kernels as are asked for', async () => {
    const { stdout } = await run(lines(rank(0)), '--top', '1');
    expect(stdout).to.match(/kernel\n40\.000 us .*\n## /);
  });

  it('answers what it cannot read in one line', async () => {
    const sample = { type: 'sample', profile: 0, start: 1, device: 0, metric: 'memory', value: 1, unit: 'bytes' };
    const [empty, samples, timeless, one] = await Promise.all([
      run(''),
      run(lines([header(0, null), sample, END])),
      run(lines([header(0, null), kernel({ dur: null }), END])),
      run(lines([kernel({ launch: null })])),
    ]);
    expect(empty).to.include({ code: 1, stdout: '' });
    expect(empty.stderr).to.match(/^dprof: stdin: is empty \(.*\)\n$/);
    expect(samples).to.include({
      code: 1,
      stderr: `dprof: stdin: no device activity and no CPU ranges (${RANGES_HINT})\n`,
    });
    expect(timeless).to.include({ code: 1, stdout: '' });
    expect(timeless.stderr).to.match(/^dprof: stdin: no record has a duration \(.*\)\n$/);
    expect(one).to.include({ code: 0, stderr: '' });
    expect(one.stdout).to.match(/^## Device 0: span 0\.010 us, first to last work\nbusy +0\.010 us {2}100\.0 %$/m);
  });

  it('shows kernels of a net.dict without starts, and says so', async () => {
    const { stdout, code } = await run(lines([{ ...kernel(), start: undefined, device: undefined }]));
    expect(code).to.equal(0);
    expect(stdout).to.match(/^## Devices: na, no record has a start time\n## Kernels: 1 with 1 name, 0\.010 us$/m);
  });

  itWithProcess('says nothing when its reader has seen enough', async () => {
    const many = Array.from({ length: 300 }, (_, i) => rank(i)).flat();
    const ran = await inShell('dprof summary FILE | head -n 1', lines(many));
    expect(ran).to.include({ code: 0, stdout: '# profile 0: rank0.json (kineto, rank 0)\n', stderr: '' });
  });

  it('helps', async () => {
    const { stdout } = await run('', '--help');
    expect(stdout)
      .to.match(/^Usage: dprof summary/)
      .and.match(/^Memory: at most/m);
    expect(stdout.split('\n').every((line) => line.length <= 120)).to.equal(true);
  });
});

/** A line as a shell runs it, with our `dprof`. */
async function inShell(command: string, input?: string): Promise<Ended> {
  const folder = mkdtempSync(join(tmpdir(), 'dprof-shell-'));
  try {
    const file = join(folder, 'records.dict');
    if (input !== undefined) writeFileSync(file, input);
    const tool = `dprof() { '${process.execPath}' ${commandOf('dprof').map((arg) => `'${arg}'`).join(' ')} "$@"; }; `;
    const child = spawn('bash', ['-c', `${tool}${command.replace(/\bFILE\b/, `'${file}'`)}`], { cwd: ROOT });
    return await ended(child);
  } finally {
    rmSync(folder, { recursive: true });
  }
} // prettier-ignore
