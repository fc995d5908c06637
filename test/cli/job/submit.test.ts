/** `dprof job --engine slurm` beside commands of Slurm that are scripts: what is submitted, and what is said when they fail. */
import { expect } from 'chai';
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freshPath } from '../../support/fresh-path.js';
import { runCli, type Ran } from '../../support/run-cli.js';
import { ROOT } from '../../support/shared.js';
import { describeWithProcess } from '../../support/sets.js';

const RANK = join(ROOT, 'samples/job/rank_0.pt.trace.json.gz');

/** Commands of Slurm by name, each the text of a shell script; all of them note how they were called. */
class FakeSlurm {
  readonly #folder = freshPath('-slurm');
  readonly #calls = join(this.#folder, 'calls');

  constructor(commands: Readonly<Record<string, string>>) {
    mkdirSync(this.#folder);
    this.set({ scontrol: "echo 'MaxArraySize = 1001'", scancel: ':', squeue: ':', ...commands });
  }

  set(commands: Readonly<Record<string, string>>): void {
    for (const [name, text] of Object.entries(commands)) {
      const script = `#!/bin/sh\nCALLS='${this.#calls}'\necho "${name} $*" >> "$CALLS"\n${text}\n`;
      writeFileSync(join(this.#folder, name), script, { mode: 0o755 });
    }
  }

  run(...args: readonly string[]): Promise<Ran> {
    return runCli('dprof', ['job', ...args], { env: { PATH: `${this.#folder}:${process.env['PATH'] ?? ''}` } });
  }

  callsOf(name: string): string[] {
    const calls = existsSync(this.#calls) ? readFileSync(this.#calls, 'utf8').split('\n') : [];
    return calls.filter((call) => call.startsWith(`${name} `));
  }
}

/** Prints ids from 1 on. */
const ACCEPTS = 'grep -c ^sbatch "$CALLS"';

function profilesFolder(count: number): string {
  const folder = freshPath('-profiles');
  mkdirSync(folder);
  for (let i = 0; i < count; i++) copyFileSync(RANK, join(folder, `rank_${i}.json.gz`));
  return folder;
}

describeWithProcess('dprof job --engine slurm', () => {
  const slurmOf = (out: string, ...args: readonly string[]) => ['--engine', 'slurm', '-o', out, ...args];

  it('submits each stage to begin when the one before has ended, and prints their ids', async () => {
    const [slurm, out] = [new FakeSlurm({ sbatch: ACCEPTS }), freshPath('-job')];
    const inputs = [
      '--per-task',
      '2',
      '--fan-in',
      '2',
      '--at-once',
      '2',
      '--sbatch',
      '--partition=cpu',
      profilesFolder(4),
    ];
    const { code, stdout, stderr } = await slurm.run(...slurmOf(out, ...inputs));
    expect(code).to.equal(0);
    const submitted = stdout
      .trim()
      .split('\n')
      .map((line) => line.split(' '));
    expect(submitted.map(([, id]) => id)).to.deep.equal(submitted.map((_, i) => `${i + 1}`));
    expect(submitted[0]?.[0]).to.equal('tasks');
    expect(submitted.at(-1)?.[0]).to.equal('report');
    const ids = submitted.map(([, id]) => id);
    expect(stderr).to.equal(
      `dprof: submitted; follow: squeue -j ${ids.join(',')}; stop: scancel ${ids.join(' ')}; result: ${join(out, 'report')}\n`,
    );
    const calls = slurm.callsOf('sbatch');
    expect(calls).to.have.length(ids.length);
    for (const [i, call] of calls.entries()) {
      expect(call).to.include('--partition=cpu');
      if (i === 0) expect(call).not.to.include('--dependency');
      else expect(call).to.include(`--dependency=afterany:${i}`);
    }
    // Four profiles, two a job.
    expect(readFileSync(join(out, 'slurm/1/shares.txt'), 'utf8')).to.equal('0-1\n2-3\n');
  });

  it('refuses to go on while jobs of it wait or run, and goes on when they have ended', async () => {
    const [slurm, out] = [new FakeSlurm({ sbatch: ACCEPTS }), freshPath('-job')];
    expect((await slurm.run(...slurmOf(out, profilesFolder(1)))).code).to.equal(0);
    slurm.set({ squeue: "echo '1 COMPLETED'; echo '3 PENDING'" });
    const active = await slurm.run('--resume', ...slurmOf(out));
    expect(active).to.include({ code: 1, stdout: '' });
    expect(active.stderr).to.match(
      /^dprof: [^\n]*: Slurm job 3 is still pending or running \(wait for it, or scancel 1 [^\n]*\)\n$/,
    );
    for (const ended of ["echo '1 FAILED'", "echo 'slurm_load_jobs error: Invalid job id specified' >&2; exit 1"]) {
      slurm.set({ squeue: ended });
      expect((await slurm.run('--resume', ...slurmOf(out))).code).to.equal(0);
    }
    slurm.set({ squeue: "echo 'slurm_load_jobs error: Unable to contact slurm controller' >&2; exit 1" });
    const silent = await slurm.run('--resume', ...slurmOf(out));
    expect(silent).to.include({ code: 1, stdout: '' });
    expect(silent.stderr).to.equal('dprof: squeue: slurm_load_jobs error: Unable to contact slurm controller\n');
  });

  it('leaves nothing submitted where a stage is refused', async () => {
    const refuses = `n=$(${ACCEPTS}); if [ "$n" = 3 ]; then echo 'sbatch: error: QOS limit' >&2; exit 1; fi; echo "$n;cluster"`;
    const slurm = new FakeSlurm({ sbatch: refuses });
    const { code, stdout, stderr } = await slurm.run(...slurmOf(freshPath('-job'), profilesFolder(1)));
    expect([code, stdout, stderr]).to.deep.equal([1, '', 'dprof: sbatch: sbatch: error: QOS limit\n']);
    expect(slurm.callsOf('scancel')).to.deep.equal(['scancel 1 2']);
  });

  it('says where Slurm is not', async () => {
    const out = freshPath('-job');
    const ran = await runCli('dprof', ['job', ...slurmOf(out, profilesFolder(1))], {
      env: { PATH: freshPath('-none') },
    });
    expect(ran).to.include({ code: 1, stdout: '' });
    expect(ran.stderr).to.equal(
      'dprof: scontrol: not found: Slurm is not installed on this machine (use --engine local)\n',
    );
  });

  it('waits for the end, and names what never ran', async function () {
    const [slurm, out] = [new FakeSlurm({ sbatch: ACCEPTS }), freshPath('-job')];
    // The last stage has its exit code in a file of the submission's folder.
    slurm.set({ squeue: `echo 1 > '${out}/slurm/1/exit'` });
    const failed = await slurm.run('--wait', ...slurmOf(out, profilesFolder(1)));
    expect(failed.code).to.equal(1);
    expect(failed.stderr).to.include('was not started');
  });
});
