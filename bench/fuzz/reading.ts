/** One damaged input, read by dparse and by a command of dprof: a result that holds together, or an error for the user. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { ProfileLine } from '../../src/record/record.js';
import { runCli, type Ran, type ToolName } from '../../test/support/run-cli.js';
import { chooseCommand, INPUT, INTACT, wrongOutput } from './commands.js';
import type { Base, Damaged, Files, ReaderName } from './input.js';
import { memoryPeak, resetPeak } from './memory-peak.js';
import { RecordCheck } from './record-check.js';

export interface Outcome {
  readonly run: number;
  readonly reader: ReaderName;
  readonly base: string;
  readonly mutation: string;
  readonly repeat: string;
  readonly is: 'result' | 'rejection' | 'internal error' | 'wrong' | 'hang';
  /** The message of a rejection, or what went wrong; with the command in front. */
  readonly what: string;
  readonly milliseconds: number;
  /** Largest resident set while it was read, bytes. */
  readonly peak: number;
}
type Verdict = Pick<Outcome, 'is' | 'what'>;

export const LIMITS = { milliseconds: 10_000, bytes: 1e9, messageLength: 600 } as const;

/** Inputs that are records already. */
const IS_RECORDS: readonly ReaderName[] = ['records', 'net.dict', 'parquet', 'partial'];
/** Of these, those that have checksums, or counts at their end: no kernel is lost without a word, whatever the damage. */
const HAS_CHECKSUM: readonly ReaderName[] = ['records', 'parquet', 'partial'];

const RESULT: Verdict = { is: 'result', what: '' };

export class Reading {
  readonly #folder = mkdtempSync(join(tmpdir(), 'dprof-fuzz-'));
  /** Kernels of intact inputs. */
  readonly #kernels = new Map<Base, number>();
  /** What is said of intact inputs with checksums. */
  readonly #said = new Map<Base, string>();
  /** Paths of intact inputs. */
  readonly #intact = new Map<Base, string>();

  dispose(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async read(run: number, damaged: Damaged): Promise<Outcome> {
    const { base, mutation, repeat } = damaged;
    await this.#intactKernels(base);
    const folder = join(this.#folder, 'damaged');
    rmSync(folder, { recursive: true, force: true });
    writeAll(folder, damaged.files);
    resetPeak();
    const start = performance.now();
    const verdict = await this.#verdict(damaged, join(folder, base.input));
    const milliseconds = performance.now() - start;
    const peak = memoryPeak();
    const wrong = changed(folder, damaged.files) ?? beyondLimits(milliseconds, peak);
    const { is, what } = wrong === null ? verdict : ({ is: 'wrong', what: wrong } as const);
    return { run, reader: base.reader, base: base.name, mutation, repeat, is, what, milliseconds, peak };
  }

  /** What dparse makes of it; what a command of dprof does where that is wrong, or the input records already. */
  async #verdict(damaged: Damaged, input: string): Promise<Verdict> {
    const { base, random } = damaged;
    const first = IS_RECORDS.includes(base.reader)
      ? await this.#count(damaged, input)
      : await this.#parse(damaged, input);
    if (first !== null && isFinding(first)) return first;
    const command = chooseCommand(random);
    const files: Readonly<Record<string, string>> = { [INPUT]: input, [INTACT]: this.#intact.get(base) ?? '' };
    const quiet = random.chance(0.2) ? ['-q'] : [];
    const ran = await runTool('dprof', [...command.args.map((word) => files[word] ?? word), ...quiet]);
    const words = command.args.slice(0, 4).join(' ').slice(0, 60);
    const then = verdictOf(ran, `dprof ${words}`, () => wrongOutput(command, ran.stdout));
    return first === null || isFinding(then) ? then : first;
  }

  /** Whether kernels of an input with checksums are lost without a word; null for what has none. */
  async #count({ base }: Damaged, input: string): Promise<Verdict | null> {
    if (!HAS_CHECKSUM.includes(base.reader)) return null;
    const ran = await runTool('dprof', [...COUNT, input]);
    return verdictOf(ran, 'dprof --by kernel', () => {
      const [kernels, intact] = [kernelsIn(ran.stdout), this.#kernels.get(base) ?? 0];
      const isSaid = saidOf(ran, input) !== this.#said.get(base);
      return kernels === intact || isSaid ? null : `${kernels} kernels, not ${intact}, without a word`;
    });
  }

  async #parse({ base, kernels, random }: Damaged, input: string): Promise<Verdict> {
    const options = random.chance(0.5) ? ['--ranges'] : [];
    if (random.chance(0.2)) options.push('-q');
    if (random.chance(0.01)) options.push('-j', '2');
    for (const word of base.options ?? []) {
      options.push(base.files[word] === undefined ? word : join(base.input === '' ? input : dirname(input), word));
    }
    if (base.reader === 'ntff' && random.chance(0.2)) {
      const program = Object.keys(base.files).find((name) => name.endsWith('.neff'));
      if (program !== undefined) options.push('--neff', join(dirname(input), program));
      if (random.chance(0.5)) options.push('--force');
    }
    const ran = await runTool('dparse', [...options, input]);
    const check = new RecordCheck();
    return verdictOf(ran, 'dparse', () => {
      for (const line of ran.stdout.split('\n')) if (line !== '') check.take(JSON.parse(line) as ProfileLine);
      const intact = this.#kernels.get(base) ?? 0;
      const { lost, added } = kernels ?? { lost: Infinity, added: Infinity };
      const isBeyond = check.kernels < intact - lost || check.kernels > intact + added;
      return check.verdict() ?? (isBeyond ? `${check.kernels} kernels, not ${intact} (-${lost} +${added})` : null);
    });
  }

  /** Reads the intact input once. */
  async #intactKernels(base: Base): Promise<void> {
    if (this.#kernels.has(base)) return;
    const folder = join(this.#folder, `intact${this.#kernels.size}`);
    writeAll(folder, base.files);
    const path = join(folder, base.input);
    this.#intact.set(base, path);
    if (HAS_CHECKSUM.includes(base.reader)) {
      const ran = await runTool('dprof', [...COUNT, path]);
      this.#kernels.set(base, kernelsIn(ran.stdout));
      this.#said.set(base, saidOf(ran, path));
      return;
    }
    const { stdout } = IS_RECORDS.includes(base.reader) ? { stdout: '' } : await runTool('dparse', [path]);
    this.#kernels.set(base, stdout.match(/^\{"type":"kernel"/gm)?.length ?? 0);
  }
}

/** Prints how many kernels there are, by name. */
const COUNT = ['--by', 'kernel', '-c', 'count', '--csv', '--no-header'] as const;

/** What is said of an input, whatever its path; sums of what was read are no word about what was not. */
const saidOf = ({ stderr }: Ran, path: string): string => stderr.replaceAll(path, INPUT).replaceAll(/\d+/g, 'N');

const kernelsIn = (rows: string): number =>
  [...rows.matchAll(/,(\d+)$/gm)].reduce((sum, [, count]) => sum + Number(count), 0);

export const isFinding = ({ is }: Verdict): boolean => is !== 'result' && is !== 'rejection';

const runTool = (tool: ToolName, args: readonly string[]): Promise<Ran> =>
  runCli(tool, args, { env: { DPROF_DEBUG: '1' } });

/** @param wrong what is wrong with the output of a run that has succeeded */
function verdictOf({ code, stderr }: Ran, command: string, wrong: () => string | null): Verdict {
  const lines = stderr.split('\n').slice(0, -1);
  if (lines.some((line) => /^ {4}at /.test(line)))
    return { is: 'internal error', what: `${command}: ${stackOf(lines)}` };
  const last = lines.at(-1) ?? '';
  const odd =
    lines.find((line) => !/^(?:dparse|dprof): ./.test(line)) ??
    (code !== 0 && last.length > LIMITS.messageLength ? last : undefined);
  if (odd !== undefined) return { is: 'wrong', what: `${command}: message of ${odd.length}: ${odd.slice(0, 200)}` };
  // 3: a gate that cannot judge.
  if ((code === 1 || code === 3) && lines.length > 0) return { is: 'rejection', what: `${command}: ${last}` };
  if (code !== 0) return { is: 'wrong', what: `${command}: exit code ${code}: ${last}` };
  const what = wrong();
  return what === null ? RESULT : { is: 'wrong', what: `${command}: ${what}` };
}

/** The message of an internal error, and where it came from. */
function stackOf(lines: readonly string[]): string {
  const at = lines.findIndex((line) => /^ {4}at /.test(line));
  const frames = lines.slice(at, at + 6).map((line) => line.trim().replace(/^.*\/(?=src\/)/, 'at '));
  return [(lines[at - 1] ?? '').slice(0, 200), ...frames].join('\n    ');
}

function writeAll(folder: string, files: Files): void {
  for (const [name, bytes] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), bytes);
  }
}

/** A file that is not as it was written, or that was not there; null when there is none. */
function changed(folder: string, files: Files): string | null {
  const there = (readdirSync(folder, { recursive: true }) as string[]).filter((name) =>
    statSync(join(folder, name)).isFile(),
  );
  const added = there.find((name) => files[name] === undefined);
  if (added !== undefined) return `a file beside the input: ${added}`;
  const other = Object.entries(files).find(
    ([name, bytes]) => !there.includes(name) || !readFileSync(join(folder, name)).equals(bytes),
  );
  return other === undefined ? null : `changed the input ${other[0]}`;
}

function beyondLimits(milliseconds: number, peak: number): string | null {
  if (milliseconds > LIMITS.milliseconds) return `took ${milliseconds.toFixed(0)} ms`;
  return peak > LIMITS.bytes ? `took ${(peak / 1e6).toFixed(0)} MB` : null;
}
