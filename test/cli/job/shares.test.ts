/** Shares of a job as other queues run them, and what a folder is refused for. */
import { expect } from 'chai';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { freshPath } from '../../support/fresh-path.js';
import { runCli, type Ran } from '../../support/run-cli.js';
import { ROOT } from '../../support/shared.js';

const SAMPLES = join(ROOT, 'samples/job');
const RANKS = [0, 1, 2, 3].map((rank) => join(SAMPLES, `rank_${rank}.pt.trace.json.gz`));

const job = (...args: readonly string[]): Promise<Ran> => runCli('dprof', ['job', ...args]);
const DONE = { code: 0, signal: null, stdout: '', stderr: '' };

const failure = (stderr: string, code = 1) => ({ code, signal: null, stdout: '', stderr: `dprof: ${stderr}\n` });

/** The bytes that `dprof partial` of all profiles makes at once. */
async function partOf(profiles: readonly string[]): Promise<Buffer> {
  const path = freshPath('.part');
  expect(await runCli('dprof', ['partial', '-o', path, ...profiles])).to.deep.equal(DONE);
  return readFileSync(path);
}

const namesIn = (folder: string): string[] => readdirSync(folder).sort();

/** A folder of profiles of its own. */
function profilesFolder(ranks: readonly number[]): string {
  const folder = freshPath('-profiles');
  mkdirSync(folder);
  for (const rank of ranks) copyFileSync(RANKS[rank] ?? '', join(folder, `rank_${rank}.pt.trace.json.gz`));
  return folder;
}

describe('dprof job by shares', function () {
  let expected: Buffer;
  before(async () => {
    expected = await partOf(RANKS);
  });

  it('gives the bytes of one run, in any order of the shares', async () => {
    const out = freshPath('-job');
    for (const share of ['2/3', '1/3', '0/3']) {
      expect(await job('--task', share, '--fan-in', '2', '-o', out, SAMPLES)).to.deep.equal(DONE);
    }
    expect(await job('--merge', '--level', '1', '--task', '0/2', '-o', out)).to.deep.equal(DONE);
    const ran = await job('--merge', '-o', out);
    expect(ran).to.include({ code: 0, stderr: '' });
    expect(ran.stdout)
      .to.equal(readFileSync(join(out, 'report/ranks.txt'), 'utf8'))
      .and.match(/^Job +4 ranks of 4/);
    expect(readFileSync(join(out, 'job.part')).equals(expected)).to.equal(true);
    expect(namesIn(out)).to.deep.equal(['job.part', 'merge', 'parts', 'report', 'tasks.jsonl']);
    expect(namesIn(join(out, 'parts'))).to.have.length(4);
    expect(namesIn(join(out, 'merge'))).to.deep.equal(['job.key']);
    expect(namesIn(join(out, 'report'))).to.include.members(['ranks.json', 'summary.txt', 'ops.csv']);
    // No path of the machine that wrote it.
    const { command, inputs } = JSON.parse(readFileSync(join(out, 'report/ranks.json'), 'utf8')) as {
      readonly command: readonly string[];
      readonly inputs: readonly object[];
    };
    expect(command).to.deep.equal(['ranks', '-f', 'json', 'job.part']);
    expect(inputs).to.have.length(4);
  });

  it('merges what is there, names what is missing, and takes it in later', async () => {
    const out = freshPath('-job');
    expect(await job('--tasks', '0-1,3', '-o', out, SAMPLES)).to.deep.equal(DONE);
    const early = await job('--merge', '-o', out);
    expect(early.code).to.equal(1);
    expect(early.stderr).to.equal(
      `dprof: ${RANKS[2] ?? ''}: was not started\ndprof: of 4 profiles 1 failed: ${join(out, 'failed.txt')}\n`,
    );
    expect(readFileSync(join(out, 'failed.txt'), 'utf8')).to.equal(`${RANKS[2] ?? ''}: was not started\n`);
    for (const report of ['ranks.txt', 'summary.txt'])
      expect(readFileSync(join(out, 'report', report), 'utf8')).to.match(
        /\n\nMissing, or cut off\n {2}[^\n]*: was not started\n$/,
      );
    expect(await job('--tasks', '2', '-o', out)).to.deep.equal(DONE);
    expect(await job('--merge', '-o', out)).to.include({ code: 0, stderr: '' });
    expect(readFileSync(join(out, 'job.part')).equals(expected)).to.equal(true);
    expect(existsSync(join(out, 'failed.txt'))).to.equal(false);
    expect(readFileSync(join(out, 'report/ranks.txt'), 'utf8')).not.to.include('Missing');
  });

  it('does a task once: what has its part is left as it is', async () => {
    const out = freshPath('-job');
    expect(await job('--task', '0/4', '-o', out, SAMPLES)).to.deep.equal(DONE);
    const [name = ''] = namesIn(join(out, 'parts'));
    utimesSync(join(out, 'parts', name), 1, 1);
    const before = readFileSync(join(out, 'parts', name));
    expect(await job('--task', '0/2', '-o', out, SAMPLES)).to.deep.equal(DONE);
    expect(readFileSync(join(out, 'parts', name)).equals(before)).to.equal(true);
  });

  it('keeps all but a profile that cannot be read, whatever is in its path, and says which with its log', async () => {
    const profiles = profilesFolder([0, 1]);
    const odd = join(profiles, 'it\'s "2"\n%j');
    mkdirSync(odd);
    copyFileSync(RANKS[2] ?? '', join(odd, 'rank_2.json.gz'));
    const broken = join(odd, 'rank_0.pt.trace.json.gz');
    writeFileSync(broken, Buffer.from([0x1f, 0x8b, 8, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]));
    writeFileSync(join(profiles, 'notes.txt'), 'no profile\n');
    const out = freshPath('-job');
    const ran = await job('--task', '0/1', '--log', 'logs/a.log', '-o', out, profiles);
    expect(ran.code).to.equal(1);
    expect(ran.stderr.match(/^dprof: task \d: .*$/gm)).to.have.length(4);
    const end = await job('--merge', '-q', '-o', out);
    expect(end).to.deep.equal({ ...DONE, code: 1 });
    expect(readFileSync(join(out, 'failed.txt'), 'utf8')).to.match(
      /^[^\n]*it's "2"\\u000a%j\/rank_0\.pt\.trace\.json\.gz: .*damaged.* \(log: logs\/a\.log\)\n$/,
    );
    const others = [0, 1].map((rank) => join(profiles, `rank_${rank}.pt.trace.json.gz`));
    const part = await partOf([...others, join(odd, 'rank_2.json.gz')]);
    expect(readFileSync(join(out, 'job.part')).equals(part)).to.equal(true);
    expect(existsSync(join(out, 'work'))).to.equal(false);
  });

  it('uses a profile that is cut off up to the cut, and says so', async () => {
    const profiles = profilesFolder([1]);
    const cut = join(profiles, 'rank_0.pt.trace.json.gz');
    writeFileSync(cut, readFileSync(RANKS[0] ?? '').subarray(0, 15_000));
    const out = freshPath('-job');
    expect(await job('--task', '0/1', '-o', out, profiles)).to.include({ code: 1 });
    // Said again whenever it is asked for.
    expect(await job('--task', '0/1', '-o', out)).to.deep.equal({ ...DONE, code: 1 });
    const end = await job('--merge', '-o', out);
    expect(end.code).to.equal(1);
    expect(end.stderr).to.match(/rank_0.*cut off.*\n.*of 2 profiles 1 cut off and used up to the cut: /);
    expect(end.stdout).to.match(/^Job +2 ranks of 4/);
  });

  it('takes lists of paths, from a file or standard input, with files that are gone', async () => {
    const list = freshPath('.txt');
    writeFileSync(list, `${RANKS.slice(0, 2).join('\n')}\n\n${RANKS[0] ?? ''}\r\n/gone/rank_7.json\n`);
    for (const [operand, input] of [
      [list, ''],
      ['-', readFileSync(list, 'utf8')],
    ] as const) {
      const out = freshPath('-job');
      const ran = await runCli('dprof', ['job', '--task', '0/1', '-o', out, operand], { input });
      expect(ran).to.deep.equal(failure('/gone/rank_7.json: no such file'));
      expect(namesIn(join(out, 'parts')).filter((name) => name.endsWith('.part'))).to.have.length(2);
    }
  });
});

describe('dprof job', () => {
  it('refuses a folder that is not its own, in one line', async () => {
    const [profiles, other, out] = [profilesFolder([0]), freshPath('-other'), freshPath('-job')];
    mkdirSync(other);
    writeFileSync(join(other, 'notes'), '');
    expect(await job(profiles, '-o', profiles)).to.deep.equal(
      failure(`${profiles}: is an input (choose another folder for -o)`),
    );
    expect(await job(profiles, '-o', other)).to.deep.equal(
      failure(`${other}: contains other files: notes (choose an empty folder for -o)`),
    );
    expect(await job(profiles, '-o', join(other, 'notes'))).to.deep.equal(
      failure(`${other}/notes: is not a folder (choose another folder for -o)`),
    );
    expect(await job('--resume', '-o', out)).to.deep.equal(
      failure(`${out}: contains no job (start one with dprof job INPUT... -o OUT)`),
    );
    expect(await job(`${other}/*.sqlite`, '-o', out)).to.deep.equal(failure(`${other}/*.sqlite: no file matches`));
    expect(await job(other, '-o', out)).to.deep.equal(
      failure(`${other}: no profile in 1 file (dparse --formats lists the supported formats)`),
    );
    expect(existsSync(out)).to.equal(false);
    expect(namesIn(other)).to.deep.equal(['notes']);
  });

  it('refuses a job of other profiles or options, and one that runs', async () => {
    const [profiles, out] = [profilesFolder([0, 1]), freshPath('-job')];
    expect(await job('--task', '0/2', '-o', out, profiles)).to.deep.equal(DONE);
    const choose = '(choose another folder for -o)';
    expect(await job(profiles, '-o', out)).to.deep.equal(
      failure(`${out}: already contains a job (continue it with --resume, or choose another folder for -o)`),
    );
    expect(await job('--task', '1/2', '-o', out, SAMPLES)).to.deep.equal(
      failure(`${out}: belongs to another job: its inputs are ${profiles} ${choose}`),
    );
    expect(await job('--resume', '--by', 'op', '-o', out, profiles)).to.deep.equal(
      failure(`${out}: belongs to another job: --by is not given there, op here ${choose}`),
    );
    expect(await job('--resume', '--by', 'op', '-o', out)).to.deep.equal(
      failure(`${out}: belongs to another job: --by is not given there, op here ${choose}`),
    );
    expect((await job('--resume', '-o', out, SAMPLES)).stderr).to.include(
      'its plan has 2 profiles, this command has 4: ',
    );
    writeFileSync(join(out, 'lock'), `${JSON.stringify({ host: 'elsewhere', pid: 7 })}\n`);
    expect(await job('--resume', '-o', out)).to.deep.equal(
      failure(`${out}: process 7 on elsewhere is running a job here (wait for it, or choose another folder for -o)`),
    );
    const changed = join(profiles, 'rank_1.pt.trace.json.gz');
    utimesSync(changed, 1, 1);
    utimesSync(join(out, 'lock'), 1, 1);
    expect(await job('--resume', '-o', out)).to.deep.equal(
      failure(`${changed}: changed after the job was planned ${choose}`),
    );
    expect(await job('--task', '1/2', '-o', out)).to.deep.equal(
      failure(`${changed}: changed after the job was planned ${choose}`),
    );
    expect(namesIn(out)).to.deep.equal(['parts', 'tasks.jsonl', 'work'].filter((name) => existsSync(join(out, name))));
  });

  it('says of a folder that cannot be written what the system says', async function () {
    if (process.getuid?.() === 0) return this.skip();
    const closed = freshPath('-closed');
    mkdirSync(closed);
    chmodSync(closed, 0o500);
    expect((await job(SAMPLES, '-o', join(closed, 'job'))).stderr).to.include('permission denied');
  });

  it('refuses options that belong to nothing', async () => {
    const wrong: readonly (readonly [RegExp, ...args: readonly string[]])[] = [
      [/^dprof: -o OUT is required/, SAMPLES],
      [/^dprof: no INPUT/, '-o', 'x'],
      [/--task takes I\/N with I from 0 to N - 1, not '2\/2'/, '--task', '2/2', '-o', 'x'],
      [/--merge with --task needs --level L/, '--merge', '--task', '0/2', '-o', 'x'],
      [/--sbatch, --at-once and --wait work only with --engine slurm/, '--sbatch', '--mem=1G', SAMPLES, '-o', 'x'],
      [/-j works only with --engine local/, '--engine', 'slurm', '-j', '2', SAMPLES, '-o', 'x'],
      [/--sbatch has a quote/, '--engine', 'slurm', '--sbatch', "'", SAMPLES, '-o', 'x'],
      [/--sbatch needs a value/, '-o', 'x', SAMPLES, '--sbatch'],
      [/unknown engine 'pbs'/, '--engine', 'pbs', SAMPLES, '-o', 'x'],
      [/unknown device/i, '--peaks', 'h10000', SAMPLES, '-o', 'x'],
    ];
    for (const [answer, ...args] of wrong) {
      const ran = await job(...args);
      expect(ran, args.join(' ')).to.include({ code: 2, stdout: '' });
      expect(ran.stderr)
        .to.match(answer)
        .and.match(/^[^\n]*\n$/);
    }
  });
});
