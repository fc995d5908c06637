/** A run that a signal ends at some point, and what it leaves. */
import { spawn } from 'node:child_process';
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

export type EndingSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP';

export const SIGNALS: readonly EndingSignal[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

export interface Interrupted {
  /** Names in the temporary folder, and numbers of processes that go on. */
  readonly left: readonly string[];
  /** Names beside the output, and the output's own when it is not whole; for the folder of a job what is left of its work. */
  readonly half: readonly string[];
  /** What is wrong with its end: it is to end by the signal, or before that with 0 and the whole output. */
  readonly wrongEnd: string | null;
  readonly milliseconds: number;
  /** From the signal to the end, ms; null where it ended before. */
  readonly latencyMs: number | null;
}

export interface Run {
  /** File of standard input; none without it. */
  readonly stdin?: string;
  /** Whether the output is the folder of a job, which stays: the job can go on in it. */
  readonly isJob?: boolean;
}

const OUTPUT = 'out';

/** Longest time of a run, ms; its end is wrong after that. */
const MOST_MS = 120_000;
/** Longest time in which what is left is removed, once the run has ended, ms. */
const MOST_REMOVAL_MS = 10_000;

/** Names of what processes of a job have not completed, and of what holds its folder. */
const unfinishedIn = (job: string): string[] => {
  const work = existsSync(join(job, 'work')) ? readdirSync(join(job, 'work')) : [];
  return [...(existsSync(join(job, 'lock')) ? ['lock'] : []), ...work.map((name) => join('work', name))];
};

/** Processes with this folder for temporary files, by number (Linux). */
function processesOf(temporary: string): string[] {
  const numbers = existsSync('/proc/self/environ') ? readdirSync('/proc').filter((name) => /^\d+$/.test(name)) : [];
  return numbers.filter((number) => {
    try {
      return readFileSync(`/proc/${number}/environ`, 'utf8').split('\0').includes(`TMPDIR=${temporary}`);
    } catch {
      return false;
    }
  });
}

/** The bytes of a file, or of all files of a folder with their names. */
function contentOf(path: string): Buffer {
  if (!statSync(path).isDirectory()) return readFileSync(path);
  const names = readdirSync(path, { recursive: true, encoding: 'utf8' }).sort();
  const files = names.filter((name) => statSync(join(path, name)).isFile());
  return Buffer.concat(files.flatMap((name) => [Buffer.from(name), readFileSync(join(path, name))]));
}

/**
 * @param args of node, without `-o OUT`, which is added
 * @param signal null for a run to the end
 * @param whole what the output is to be; null when it is not known yet
 * @param folder for temporary files, and for the output
 */
export async function interruptedRun(
  args: readonly string[],
  signal: EndingSignal | null,
  afterMs: number,
  whole: Buffer | null,
  folder: string,
  { stdin, isJob = false }: Run = {},
): Promise<Interrupted & { readonly output: Buffer | null }> {
  const own = mkdtempSync(join(folder, 'run-'));
  const [temporary, place] = [join(own, 'temporary'), join(own, 'place')];
  for (const made of [temporary, place]) mkdirSync(made);
  try {
    const input = stdin === undefined ? null : openSync(stdin, 'r');
    const start = performance.now();
    const child = spawn(process.execPath, [...args, '-o', join(place, OUTPUT)], {
      stdio: [input ?? 'ignore', 'ignore', 'ignore'],
      env: { ...process.env, TMPDIR: temporary },
      timeout: MOST_MS,
      killSignal: 'SIGKILL',
    });
    if (input !== null) closeSync(input);
    const ended = new Promise<[number | null, NodeJS.Signals | null]>((resolve) =>
      child.on('exit', (code, by) => {
        resolve([code, by]);
      }),
    );
    let sent = NaN;
    const send = (): void => {
      if (signal !== null && child.kill(signal)) sent = performance.now();
    };
    const timer = signal === null ? undefined : setTimeout(send, afterMs);
    const [code, by] = await ended;
    clearTimeout(timer);
    const end = performance.now();
    const milliseconds = end - start;
    // What loads the tool from its sources has files of its own there.
    const leftIn = (): string[] => [
      ...readdirSync(temporary).filter((name) => name.startsWith('dparse-')),
      ...processesOf(temporary).map((number) => `process ${number}`),
    ];
    const besideOutput = (): string[] => [
      ...readdirSync(place).filter((name) => name !== OUTPUT),
      ...(isJob ? unfinishedIn(join(place, OUTPUT)) : []),
    ];
    while (leftIn().length + besideOutput().length > 0 && performance.now() < end + MOST_REMOVAL_MS) await sleep(10);
    const made = isJob ? join(OUTPUT, 'report', 'summary.txt') : OUTPUT;
    const output = existsSync(join(place, made)) ? contentOf(join(place, made)) : null;
    const isWhole = isJob || (output !== null && (whole === null || output.equals(whole)));
    const isRight = by === null ? code === 0 && isWhole : by === signal;
    return {
      left: leftIn(),
      half: [...besideOutput(), ...(output !== null && !isWhole ? [made] : [])],
      wrongEnd: isRight ? null : `${by ?? code ?? ''} with ${output?.length ?? 'no'} bytes`,
      milliseconds,
      latencyMs: Number.isNaN(sent) || by === null ? null : end - sent,
      output,
    };
  } finally {
    rmSync(own, { recursive: true });
  }
}
