/** This machine as a cluster of Slurm with two nodes of one core: all of its files in one folder, all of its daemons its own. */
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const PROGRAMS = ['sbatch', 'scontrol', 'squeue', 'scancel', 'slurmctld', 'slurmd', 'munged'];
/** Where daemons are installed, and not on the path of every user. */
const PATH = `${process.env['PATH'] ?? ''}:/usr/sbin:/sbin`;
const NODES = ['n1', 'n2'];

/** What is missing for a cluster; null for nothing. */
export function missingForCluster(): string | null {
  if (process.getuid?.() !== 0) return 'only root can run its daemons';
  const missing = PROGRAMS.find((name) => !PATH.split(':').some((folder) => existsSync(join(folder, name))));
  return missing === undefined ? null : `${missing} is not installed (apt-get install slurm-wlm munge)`;
}

/** A port that is free now. */
function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}

/** A requeued job waits until its credential has expired: two minutes as installed. */
const EXPIRE_SECONDS = 5;

async function configuration(folder: string, mostInArray: number): Promise<string> {
  const host = hostname().split('.', 1)[0] ?? '';
  const ports = [await freePort(), await freePort(), await freePort()];
  return [
    'ClusterName=test',
    `SlurmctldHost=${host}(127.0.0.1)`,
    `SlurmctldPort=${ports[0] ?? 0}`,
    'SlurmUser=root',
    'SlurmdUser=root',
    'AuthType=auth/munge',
    `AuthInfo=socket=${folder}/munge.socket,cred_expire=${EXPIRE_SECONDS}`,
    `StateSaveLocation=${folder}/state`,
    `SlurmdSpoolDir=${folder}/spool-%n`,
    `SlurmctldPidFile=${folder}/slurmctld.pid`,
    `SlurmdPidFile=${folder}/slurmd-%n.pid`,
    `SlurmctldLogFile=${folder}/slurmctld.log`,
    `SlurmdLogFile=${folder}/slurmd-%n.log`,
    'ProctrackType=proctrack/linuxproc',
    'TaskPlugin=task/none',
    'SelectType=select/cons_tres',
    'SelectTypeParameters=CR_CPU',
    'ReturnToService=2',
    'MpiDefault=none',
    'AccountingStorageType=accounting_storage/none',
    'JobAcctGatherType=jobacct_gather/none',
    'JobCompType=jobcomp/none',
    'SchedulerParameters=sched_min_interval=100000,batch_sched_delay=0',
    `MaxArraySize=${mostInArray}`,
    ...NODES.map(
      (name, i) => `NodeName=${name} NodeHostname=${host} NodeAddr=127.0.0.1 Port=${ports[i + 1] ?? 0} CPUs=1`,
    ),
    `PartitionName=all Nodes=${NODES.join(',')} Default=YES MaxTime=INFINITE State=UP`,
    '',
  ].join('\n');
}

export class Cluster {
  private constructor(
    private readonly folder: string,
    /** For the commands of Slurm. */
    readonly environment: Readonly<Record<string, string>>,
  ) {}

  /**
   * @param mostInArray indices of an array at most
   * @throws Error when its nodes are not ready after ten seconds
   */
  static async start(folder: string, mostInArray: number): Promise<Cluster> {
    for (const made of ['state', ...NODES.map((name) => `spool-${name}`)])
      mkdirSync(join(folder, made), { recursive: true });
    const config = join(folder, 'slurm.conf');
    writeFileSync(config, await configuration(folder, mostInArray));
    writeFileSync(join(folder, 'munge.key'), randomBytes(1024), { mode: 0o600 });
    const cluster = new Cluster(folder, { PATH, SLURM_CONF: config });
    const at = (name: string): string => join(folder, name);
    cluster.run('munged', [
      ...['--socket', at('munge.socket'), '--key-file', at('munge.key'), '--pid-file', at('munged.pid')],
      ...['--log-file', at('munged.log'), '--seed-file', at('munge.seed'), '--force'],
    ]);
    cluster.run('slurmctld', []);
    for (const name of NODES) cluster.run('slurmd', ['-N', name]);
    for (let i = 0; i < 100; i++) {
      if (cluster.run('sinfo', ['-h', '-o', '%T %D']).includes(`idle ${NODES.length}`)) return cluster;
      await delay(100);
    }
    await cluster.stop();
    throw new Error(`the nodes are not ready: see ${folder}`);
  }

  /** Runs a command to its end. @returns what it prints; nothing where it fails */
  run(program: string, args: readonly string[]): string {
    const ended = spawnSync(program, args, { encoding: 'utf8', env: { ...process.env, ...this.environment } });
    return ended.status === 0 ? ended.stdout : '';
  }

  /** Ends the daemons, and waits until they have ended. */
  async stop(): Promise<void> {
    this.run('scancel', ['--state=RUNNING']);
    for (const name of [...NODES.map((node) => `slurmd-${node}`), 'slurmctld', 'munged']) {
      const file = join(this.folder, `${name}.pid`);
      const pid = existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0;
      for (let i = 0; i < 50 && pid > 0 && signalled(pid); i++) await delay(100);
    }
  }
}

/** @returns whether there is such a process, and what ends it was sent; one that nobody waits for counts as ended */
function signalled(pid: number): boolean {
  try {
    if (/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))) return false;
    return process.kill(pid, 'SIGTERM');
  } catch {
    return false;
  }
}
