/** One damaged input, read by dparse and by a command of dprof: a result that holds together, or an error for the user. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import type { ProfileLine } from '../../src/record/record.js';
import type { Ran } from '../../test/support/run-cli.js';
import { chooseCommand, INPUT, INTACT, wrongOutput } from './commands.js';
import type { Base, Damaged, Files, ReaderName } from './input.js';
import type { Random } from './random.js';
import { memoryPeak, resetPeak } from './memory-peak.js';
import { RecordCheck } from './record-check.js';
import { inProcess, runTool } from './tools.js';

export interface Outcome {
  readonly run: number;
  readonly reader: ReaderName;
  readonly base: string;
  readonly mutation: string;
  readonly repeat: string;
  readonly is: 'result' | 'rejection' | 'internal error' | 'wrong' | 'hang';
  /** The message of a rejection, or what went wrong; with the command in front. */
  readonly what: string;
  /** Of all processors, which other programs do not make longer; what waits instead is ended. */
  readonly milliseconds: number;
  /** Largest resident set while it was read, bytes. */
  readonly peak: number;
}
type Verdict = Pick<Outcome, 'is' | 'what'>;

export const LIMITS = { milliseconds: 10_000, bytes: 1e9, messageLength: 600 } as const;

/** Inputs that are records already. */
const IS_RECORDS: readonly ReaderName[] = [
  ...(['records', 'net.dict', 'parquet', 'parquet-unchecked', 'partial', 'packed-records'] as const),
];
/** Of these, those that have checksums, or counts at their end: no kernel is lost without a word, whatever the damage. */
const HAS_CHECKSUM: readonly ReaderName[] = [
  ...(['records', 'parquet', 'parquet-unchecked', 'partial', 'packed-records'] as const),
];
/** Files that state how many records there are: damage to them is not known, where they have no checksum. */
const STATES_COUNTS = /^type=(?:end|profile)\b/;

const RESULT: Verdict = { is: 'result', what: '' };

/** What is known of an intact input. */
interface Intact {
  readonly path: string;
  /** Kernels by the base name of the file that they are of; '' for records, which are not asked for it. */
  readonly kernels: ReadonlyMap<string, number>;
  /** What is said of it, and what with -q. */
  readonly said: string;
  readonly saidQuietly: string;
}

const sumOf = (counts: Iterable<number>): number => [...counts].reduce((sum, count) => sum + count, 0);

export class Reading {
  readonly #folder = mkdtempSync(join(tmpdir(), 'dprof-fuzz-'));
  readonly #intact = new Map<Base, Intact>();

  dispose(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async read(run: number, damaged: Damaged): Promise<Outcome> {
    const { base, mutation, repeat } = damaged;
    await this.#intactOf(base);
    const folder = join(this.#folder, 'damaged');
    rmSync(folder, { recursive: true, force: true });
    writeAll(folder, damaged.files);
    resetPeak();
    const start = process.cpuUsage();
    const verdict = await this.#verdict(damaged, join(folder, base.input));
    const { user, system } = process.cpuUsage(start);
    const milliseconds = (user + system) / 1000;
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
    const { path } = await this.#intactOf(base);
    const files: Readonly<Record<string, string>> = { [INPUT]: input, [INTACT]: path };
    const quiet = random.chance(0.2) ? ['-q'] : [];
    const ran = await runTool('dprof', [...command.args.map((word) => files[word] ?? word), ...quiet], random);
    const words = command.args.slice(0, 4).join(' ').slice(0, 60);
    const then = verdictOf(ran, `dprof ${words}`, () => wrongOutput(command, ran.stdout));
    return first === null || isFinding(then) ? then : first;
  }

  /** Whether kernels of an input with checksums are lost without a word; null for what has none. */
  async #count({ base, mutation, random, damaged }: Damaged, input: string): Promise<Verdict | null> {
    if (!HAS_CHECKSUM.includes(base.reader)) return null;
    const { kernels, said, saidQuietly } = await this.#intactOf(base);
    const isQuiet = random.chance(0.5);
    const ran = await runTool('dprof', [...countOf(base), ...(isQuiet ? ['-q'] : []), input], random);
    return verdictOf(ran, `dprof ${countOf(base).slice(0, 2).join(' ')}`, () => {
      const [found, intact] = [kernelsIn(base, ran.stdout), sumOf(kernels.values())];
      const isSaid = saidOf(ran, input) !== (isQuiet ? saidQuietly : said);
      // All lines again are another profile, as of `cat`.
      const isAgain = mutation.includes('lines repeated') && found % intact === 0 && found > 0;
      const isUnknown = base.reader === 'parquet-unchecked' && damaged.some((name) => STATES_COUNTS.test(name));
      return found === intact || isSaid || isAgain || isUnknown
        ? null
        : `${found} kernels, not ${intact}, without a word`;
    });
  }

  async #parse(damaged: Damaged, input: string): Promise<Verdict> {
    const { base, random, kernels } = damaged;
    const intact = await this.#intactOf(base);
    const options = [...optionsOf(base, input, random), ...(random.chance(0.5) ? ['--ranges'] : [])];
    const isQuiet = random.chance(0.4);
    if (isQuiet) options.push('-q');
    // Threads take longer to start than all else.
    if (random.chance(base.reader === 'folder' ? 0.02 : 0.005)) options.push('-j', '2');
    const isPiped = isQuiet && base.input !== '' && Object.keys(base.files).length === 1 && random.chance(0.1);
    const ran = isPiped
      ? await inProcess('dparse', [...options, '-'], readFileSync(input))
      : await runTool('dparse', [...options, input], random);
    const isSaid = saidOf(ran, input) !== (isQuiet ? intact.saidQuietly : intact.said);
    const check = new RecordCheck();
    const verdict = verdictOf(ran, 'dparse', () => {
      takeLines(check, ran.stdout);
      const all = sumOf(intact.kernels.values());
      const { lost, added } = kernels ?? { lost: Infinity, added: Infinity };
      const isBeyond = check.kernels < all - lost || check.kernels > all + added;
      return (
        check.verdict() ??
        (isBeyond ? `${check.kernels} kernels, not ${all} (-${lost} +${added})` : null) ??
        (isSaid ? null : fewerThan(check, intact, damaged.unnoticed))
      );
    });
    if (verdict.is !== 'rejection' || base.reader !== 'folder' || damaged.damaged.length === 0) return verdict;
    takeLines(check, ran.stdout);
    const what = fewerThan(check, intact, readWith(base, damaged.damaged));
    return what === null ? verdict : { is: 'wrong', what: `dparse: ${what}: ${verdict.what}` };
  }

  /** Reads the intact input once. */
  async #intactOf(base: Base): Promise<Intact> {
    const known = this.#intact.get(base);
    if (known !== undefined) return known;
    const folder = join(this.#folder, `intact${this.#intact.size}`);
    writeAll(folder, base.files);
    const path = join(folder, base.input);
    const isCounted = HAS_CHECKSUM.includes(base.reader);
    const args = isCounted ? [...countOf(base), path] : [...optionsOf(base, path), path];
    const [ran, quiet] = [
      await inProcess(isCounted ? 'dprof' : 'dparse', args),
      await inProcess(isCounted ? 'dprof' : 'dparse', [...args, '-q']),
    ];
    const check = new RecordCheck();
    if (isCounted) check.kernelsIn.set('', kernelsIn(base, ran.stdout));
    else if (!IS_RECORDS.includes(base.reader)) takeLines(check, ran.stdout);
    const intact = {
      ...{ path, kernels: check.kernelsIn },
      ...{ said: saidOf(ran, path), saidQuietly: saidOf(quiet, path) },
    };
    this.#intact.set(base, intact);
    return intact;
  }
}

/** Options of an input, and others where chance says so. */
function optionsOf(base: Base, input: string, random?: Random): string[] {
  const options = (base.options ?? []).map((word) =>
    base.files[word] === undefined ? word : join(base.input === '' ? input : dirname(input), word),
  );
  if (base.reader !== 'ntff' || random?.chance(0.2) !== true) return options;
  const program = Object.keys(base.files).find((name) => name.endsWith('.neff'));
  if (program !== undefined) options.push('--neff', join(dirname(input), program));
  if (random.chance(0.5)) options.push('--force');
  return options;
}

function takeLines(check: RecordCheck, text: string): void {
  for (const line of text.split('\n')) if (line !== '') check.take(JSON.parse(line) as ProfileLine);
}

/** A file by the name that its profile line has. */
const named = (file: string): string => basename(file);

/** Files that are read together with some: those of their folder. */
const readWith = ({ files }: Base, some: readonly string[]): string[] => {
  const folders = new Set(some.map((file) => file.split('/', 1)[0] ?? ''));
  const isTogether = (file: string): boolean => file.includes('/') && folders.has(file.split('/', 1)[0] ?? '');
  return [...some, ...Object.keys(files).filter(isTogether)];
};

/** What is wrong where more kernels are gone than those of some files; null where no more are. */
function fewerThan(check: RecordCheck, { kernels }: Intact, files: readonly string[]): string | null {
  const most = sumOf([...new Set(files.map(named))].map((file) => kernels.get(file) ?? 0));
  const least = sumOf(kernels.values()) - most;
  return check.kernels < least ? `${check.kernels} kernels, not ${least} and more, without a word` : null;
}

/** Prints a line a kernel, also where its duration is unknown; of partial answers, which have sums only, a line a name. */
const countOf = ({ input }: Base): readonly string[] =>
  /\.part\b/.test(input)
    ? ['--by', 'kernel', '-c', 'count', '--csv', '--no-header']
    : ['-c', 'idx', '--csv', '--no-header'];

/** How many kernels there are in what that printed. */
const kernelsIn = ({ input }: Base, rows: string): number =>
  /\.part\b/.test(input)
    ? [...rows.matchAll(/,(\d+)$/gm)].reduce((sum, [, count]) => sum + Number(count), 0)
    : rows.split('\n').length - 1;

/** What is said of an input, whatever its path; sums of what was read are no word about what was not. */
const saidOf = ({ stderr }: Ran, path: string): string => stderr.replaceAll(path, INPUT).replaceAll(/\d+/g, 'N');

export const isFinding = ({ is }: Verdict): boolean => is !== 'result' && is !== 'rejection';

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
  if (milliseconds > LIMITS.milliseconds) return `took ${milliseconds.toFixed(0)} ms of processors`;
  return peak > LIMITS.bytes ? `took ${(peak / 1e6).toFixed(0)} MB` : null;
}
