import { expect } from 'chai';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { copy } from '../support/advice.js';
import { A100, profileOn } from '../support/devices.js';
import { kernel } from '../support/kernels.js';
import { neuronLines } from '../support/neuron.js';
import { runCli } from '../support/run-cli.js';
import { ROOT } from '../support/shared.js';
import { freshPath } from '../support/fresh-path.js';

const launch = { api: 'cudaLaunchKernel', start: 200, dur: 10 };
const EVIL = 'k</script>|`[x](http://evil)\u001b[31m\n1. fake';
const RECORDS = neuronLines([
  { ...profileOn(A100), file: 'net.json', format: 'kineto' },
  kernel({ start: 0, dur: 100 }),
  kernel({ id: 2, start: 400, dur: 100, name: `nccl ${EVIL}`, short: `nccl ${EVIL}`, launch }),
  { type: 'end', profile: 0, counts: { kernel: 2 }, diagnostics: {} },
]);
const run = (input: string, ...args: string[]) => runCli('dprof', ['advise', ...args], { input });

describe('dprof advise', () => {
  it('writes findings with what shows them', async () => {
    const { stdout, stderr, code } = await run(RECORDS);
    expect({ stderr, code }).to.deep.equal({ stderr: '', code: 0 });
    // Busy 0-100 and 400-500 of 500; idle 300, ended by a launch at 200.
    expect(stdout).to.match(
      /^# profile 0: net\.json \(kineto\)\n# GPU idle 60\.0 %: the CPU launches kernels too slowly; .*\n# gains do not add up/,
    );
    expect(stdout).to.match(
      /\n1\. launch-gaps, device 0, about 60\.0 % of the time\n {3}the CPU launches too slowly: the device ran out of work once and was idle for 300 ns /,
    );
    expect(stdout).to.match(/\n {3}gain: {4}at most 300 ns: sum of gaps/);
    expect(stdout).to.match(/\n {3}kernels: dprof --explain 0:2 FILE\n/);
    expect(stdout).to.match(/\n# \d+ rules found nothing: --all says why\n$/);
    expect(stdout).not.to.include('\n1. fake').and.not.to.include('\u001b');
  });

  it('begins with what holds a job up', async () => {
    const ranks = [0, 1, 2, 3].map((rank) => join(ROOT, `samples/job/rank_${rank}.pt.trace.json.gz`));
    const { stdout } = await runCli('dprof', ['advise', ...ranks]);
    expect(stdout).to.match(/^# job: rank 2 is 2\.058 ms a step .* slower than its peers, .*\n# profile 0: /);
  });

  it('writes one object a line, and the silent rules on request', async () => {
    const { stdout } = await run(RECORDS, '-f', 'jsonl', '--all', '--rule', 'launch-gaps,copies');
    const lines = stdout.trimEnd().split('\n').map((line) => JSON.parse(line) as object); // prettier-ignore
    expect(lines).to.have.length(2);
    expect(lines[0]).to.deep.include({ rule: 'launch-gaps', stake: 300, kernels: ['0:2'] });
    expect(lines[1]).to.deep.equal({ rule: 'copies', why: 'no copy between host and device has a known launch' });
  });

  it('says first what each profile did with its time, in parts that add up', async () => {
    const { stdout } = await run(RECORDS, '-f', 'jsonl', '--min-share', '99');
    const [verdict, ...others] = stdout.trimEnd().split('\n').map((line) => JSON.parse(line) as object); // prettier-ignore
    expect(others).to.deep.equal([]);
    expect(verdict).to.deep.include({ profile: 0, devices: 1, span: 500 });
    expect(verdict)
      .to.have.property('verdict')
      .that.matches(/^GPU idle 60\.0 %: /);
    expect(verdict)
      .to.have.property('parts')
      .that.deep.equals([
        { part: 'idle', cause: 'launch', time: 300, detail: null },
        { part: 'compute', cause: null, time: 100, detail: 'k' },
        { part: 'communication', cause: null, time: 100, detail: `nccl ${EVIL}` },
      ]);
  });

  it('has one line for all ranks with the same verdict, and names those that have another', async () => {
    // Busy 0-100 and 400-500 of 500 as above; rank r computes for r ns longer, and rank 4 is busy all the time.
    const ranks = Array.from({ length: 10 }, (_, rank) => [
      { ...profileOn(A100), profile: rank, rank, file: `r${rank}.json`, format: 'kineto' as const },
      kernel({ profile: rank, start: 0, dur: rank === 4 ? 400 : 100 + rank }),
      kernel({ profile: rank, id: 2, start: 400, dur: 100, launch }),
      { type: 'end' as const, profile: rank, counts: { kernel: 2 }, diagnostics: {} },
    ]);
    const head = (text: string): string[] => text.split('\n').filter((line) => line.startsWith('# '));
    const [count, most = '', other = '', ...rest] = head((await run(neuronLines(ranks.flat()), '--min-share', '99')).stdout); // prettier-ignore
    expect(count).to.equal('# 10 profiles');
    // Of idle times 300, 299, 298, 297, 295, 294, 293, 292 and 291 the median.
    expect(most).to.match(/^# ranks 0-3, 5-9, figures of rank 5: GPU idle 59\.0 %: /);
    expect(other).to.match(/^# rank 4: GPU computing 100\.0 %/);
    expect(rest.filter((line) => line.includes('GPU'))).to.deep.equal([]);
    const few = head((await run(neuronLines(ranks.slice(0, 2).flat()), '--min-share', '99')).stdout);
    expect(few.filter((line) => line.includes('GPU'))).to.have.length(2);
  });

  it('says once what is true of several devices, most time at stake first, with the name of the input', async () => {
    const records = [4, 0, 3].flatMap((device, i) => [
      kernel({ id: 10 * i + 1, device, start: 0, dur: 100 }),
      kernel({ id: 10 * i + 2, device, start: 400 + 100 * i, dur: 100, launch }),
    ]);
    const file = freshPath("a rank's.jsonl");
    writeFileSync(file, neuronLines([profileOn(A100), ...records.sort((a, b) => a.start - b.start)]));
    const { stdout } = await run('', '--rule', 'launch-gaps', file);
    expect(stdout).to.match(
      /\n1\. launch-gaps, devices 0 3 4, about 60\.0 % to 71\.4 % of the time\n {3}1\.200 us summed over 3 devices, most on device 3: the CPU launches too slowly: /,
    );
    expect(stdout).to.match(/ {3}see: {5}dprof queues '\/.*a rank'\\''s\.jsonl'\n/);
    expect(stdout).not.to.match(/\n2\. |FILE/);
  });

  it('lets no name out of its line of Markdown', async () => {
    const { stdout } = await run(RECORDS, '-f', 'markdown', '--rule', 'exposed-collectives');
    expect(stdout)
      .to.match(/^- profile 0: net\.json/)
      .and.include('&#60;/script&#62;&#124;&#96;&#91;x&#93;');
    const { stdout: whole } = await run(RECORDS, '-f', 'markdown');
    const { stdout: text } = await run(RECORDS);
    for (const one of [stdout, whole]) expect(one).not.to.match(/<\/script|http:\/\/|\n1\. fake/);
    expect(text).not.to.include('\u001b');
    expect(text).not.to.include('\n1. fake');
  });

  it('shows as many as asked for, and none below the share', async () => {
    const top = await run(RECORDS, '--top', '1');
    expect(top.stdout).to.match(/\n# 2 more findings: --top 3\n/);
    const none = await run(RECORDS, '--min-share', '99%');
    expect(none.stdout).to.match(/\n# no finding is worth 99\.0 % of a device's time or more\n/);
    expect(none.code).to.equal(0);
  });

  it('gives programs all findings unless --top is given', async () => {
    const devices = Array.from({ length: 12 }, (_, device) => [
      kernel({ id: 2 * device + 1, device, start: 0, dur: 100 }),
      kernel({ id: 2 * device + 2, device, start: 400, dur: 100, launch }),
    ]).flat();
    const records = neuronLines([profileOn(A100), ...devices.sort((a, b) => a.start - b.start)]);
    const linesOf = async (...args: string[]): Promise<number> =>
      (await run(records, '--rule', 'launch-gaps', ...args)).stdout.trimEnd().split('\n').length;
    expect([await linesOf('-f', 'jsonl'), await linesOf('-f', 'csv')]).to.deep.equal([12, 1 + 12]);
    expect([await linesOf('-f', 'jsonl', '--top', '3'), await linesOf('-f', 'csv', '--top', '3')]).to.deep.equal([
      3, 4,
    ]);
  });

  it('answers what cannot be meant', async () => {
    const answers = [
      [['--rule', 'fusoin'], /^dprof: unknown rule 'fusoin' \(did you mean fusion\?\)\n$/],
      [['--min-share', 'much'], /^dprof: --min-share takes a percentage from 0 to 100, not 'much'\n$/],
      [['--peaks', 'A1000'], /^dprof: /],
    ] as const;
    for (const [args, answer] of answers) {
      const { stdout, stderr, code } = await run(RECORDS, ...args);
      expect({ stdout, code }).to.deep.equal({ stdout: '', code: 2 });
      expect(stderr).to.match(answer);
    }
  });

  it('has something to say of little', async () => {
    const one = (...records: Parameters<typeof neuronLines>[0]) => run(neuronLines(records), '--all');
    // One kernel without a launch, of no device that the profile lists.
    const alone = await one({ ...profileOn(A100), devices: [] }, kernel({ launch: null }));
    expect(alone.code).to.equal(0);
    expect(alone.stdout).to.match(/\n1\. unattributed, device 0, about 100\.0 % of the time\n/);
    expect(alone.stdout).to.match(/\n# launch-gaps: no launches in the profile\n/);
    expect(alone.stdout).not.to.match(/NaN|undefined|Infinity/);
    // A kernel of no length, and copies alone.
    const none = await one(profileOn(A100), kernel({ dur: 0 }));
    expect([none.code, none.stdout]).to.deep.include(0);
    expect(none.stdout).to.match(/\n# no finding is worth 1\.0 % of a device's time or more\n/);
    const copied = copy({ kind: 'HtoD', start: 0, dur: 50, launch: { api: 'cudaMemcpy', start: 0, dur: 60 } });
    expect((await one(profileOn(A100), copied)).stdout).to.match(
      /\n1\. copies, device 0, about 100\.0 % of the time\n/,
    );
  });

  it('answers records without kernels and without times', async () => {
    const answers = [
      [
        neuronLines([profileOn(A100)]),
        /^dprof: stdin: no kernels and no other device activity \(for CPU times: .*\)\n$/,
      ],
      [
        "{'kShortName': 'k', 'kDuration': 5, 'device': 0}\n",
        /^dprof: stdin: no record has both a start time and a duration/,
      ],
      ['', /^dprof: stdin: is empty/],
    ] as const;
    for (const [input, answer] of answers) {
      const { stdout, stderr, code } = await run(input);
      expect({ stdout, code }).to.deep.equal({ stdout: '', code: 1 });
      expect(stderr).to.match(answer);
    }
  });

  it('lists its rules in its help', async () => {
    const { stdout, code } = await run('', '--help');
    expect(code).to.equal(0);
    expect(stdout)
      .to.match(/^Usage: dprof advise .*\n/)
      .and.match(/\n {2}fp32-product +FP32 matrix products/);
  });
});
