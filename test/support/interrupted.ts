/** A run that a signal ends at some point, and what it leaves. */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

export type EndingSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP';

export const SIGNALS: readonly EndingSignal[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

export interface Interrupted {
  /** Names in the temporary folder. */
  readonly left: readonly string[];
  /** Names beside the output, and the output's own when it is not whole. */
  readonly half: readonly string[];
  /** What is wrong with its end: it is to end by the signal, or before that with 0 and the whole output. */
  readonly wrongEnd: string | null;
  readonly milliseconds: number;
  /** From the signal to the end, ms; null where it ended before. */
  readonly latencyMs: number | null;
}

const OUTPUT = 'out';

/** Longest time of a run, ms; its end is wrong after that. */
const MOST_MS = 120_000;
/** Longest time in which what is left is removed, once the run has ended, ms. */
const MOST_REMOVAL_MS = 10_000;

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
): Promise<Interrupted & { readonly output: Buffer | null }> {
  const own = mkdtempSync(join(folder, 'run-'));
  const [temporary, place] = [join(own, 'temporary'), join(own, 'place')];
  for (const made of [temporary, place]) mkdirSync(made);
  try {
    const start = performance.now();
    const child = spawn(process.execPath, [...args, '-o', join(place, OUTPUT)], {
      stdio: 'ignore',
      env: { ...process.env, TMPDIR: temporary },
      timeout: MOST_MS,
      killSignal: 'SIGKILL',
    });
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
    const leftIn = (): string[] => readdirSync(temporary).filter((name) => name.startsWith('dparse-'));
    const besideOutput = (): string[] => readdirSync(place).filter((name) => name !== OUTPUT);
    while (leftIn().length + besideOutput().length > 0 && performance.now() < end + MOST_REMOVAL_MS) await sleep(10);
    const output = readdirSync(place).includes(OUTPUT) ? contentOf(join(place, OUTPUT)) : null;
    const isWhole = output !== null && (whole === null || output.equals(whole));
    const isRight = by === null ? code === 0 && isWhole : by === signal;
    return {
      left: leftIn(),
      half: [...besideOutput(), ...(output !== null && !isWhole ? [OUTPUT] : [])],
      wrongEnd: isRight ? null : `${by ?? code ?? ''} with ${output?.length ?? 'no'} bytes`,
      milliseconds,
      latencyMs: Number.isNaN(sent) || by === null ? null : end - sent,
      output,
    };
  } finally {
    rmSync(own, { recursive: true });
  }
}
