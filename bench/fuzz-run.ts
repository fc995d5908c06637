/** One run: a real file, damaged, read to its end. A result that holds together, or an error for the user, is right. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readProfile, type ProfileOptions } from '../src/parse/profile.js';
import { UserError } from '../src/record/errors.js';
import { encodeLine } from '../src/record/jsonl.js';
import type { ProfileLine } from '../src/record/record.js';
import { archiveOf, damageNeff } from './fuzz-neff.js';
import { damageNtff } from './fuzz-ntff.js';
import { Random } from './fuzz-random.js';

type FuzzKind = 'ntff' | 'neff';

/** A file to damage, and for a trace the program that ran in it. */
export interface FuzzBase {
  readonly kind: FuzzKind;
  readonly name: string;
  readonly bytes: Buffer;
  readonly program: Buffer | null;
}

export interface FuzzOutcome {
  readonly run: number;
  readonly kind: FuzzKind;
  readonly base: string;
  readonly is: 'result' | 'rejection' | 'crash';
  /** Kind of rejection, or what went wrong. */
  readonly what: string;
  readonly records: number;
  readonly milliseconds: number;
  /** By how much the largest resident set grew, bytes. */
  readonly grown: number;
  /** Largest resident set of the process so far, bytes. */
  readonly peak: number;
}

const LIMITS = { milliseconds: 2000, grownBytes: 256e6 } as const;

/** Lines written as text, so that what cannot be written is found: all of a small result, the first of a large one. */
const MOST_ENCODED = 2000;

export class Fuzzer {
  readonly #folder = mkdtempSync(join(tmpdir(), 'dprof-fuzz-'));
  readonly #archives = new Map<Buffer, Buffer>();

  constructor(
    readonly bases: readonly FuzzBase[],
    readonly seed: number,
  ) {}

  dispose(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** What is read in a run: the damaged file, and sometimes a damaged program with it. */
  input(run: number): {
    readonly base: FuzzBase;
    readonly bytes: Buffer;
    readonly program: Buffer | null;
    readonly format: string | undefined;
  } {
    const random = new Random(this.seed, run);
    const base = this.bases[random.below(this.bases.length)];
    if (base === undefined) throw new Error('nothing to damage');
    const bytes = Buffer.from(base.bytes);
    // Damage may make of a file something else: then the reader is named, half of the time.
    const format = random.chance(0.5) ? base.kind : undefined;
    if (base.kind === 'neff') return { base, bytes: this.#neff(bytes, base.bytes, random), program: null, format };
    const program = base.program !== null && random.chance(0.1) ? base.program : null;
    if (program === null) return { base, bytes: damageNtff(bytes, random), program, format };
    return {
      base,
      bytes: random.chance(0.5) ? damageNtff(bytes, random) : bytes,
      program: this.#neff(Buffer.from(program), program, random),
      format,
    };
  }

  run(run: number): FuzzOutcome {
    const { base, bytes, program, format } = this.input(run);
    const path = join(this.#folder, base.kind === 'ntff' ? 'damaged.ntff' : 'damaged.neff');
    const programPath = join(this.#folder, 'program.damaged');
    writeFileSync(path, bytes);
    if (program !== null) writeFileSync(programPath, program);
    const options: ProfileOptions = {
      profile: 0,
      ...(format === undefined ? undefined : { format }),
      ...(program === null ? undefined : { program: programPath, force: run % 2 === 0 }),
    };
    const before = process.resourceUsage().maxRSS;
    const start = performance.now();
    const read = readAll(path, options);
    const milliseconds = performance.now() - start;
    const peak = process.resourceUsage().maxRSS * 1024;
    const grown = peak - before * 1024;
    const { kind, name } = base;
    const outcome: FuzzOutcome = { run, kind, base: name, ...read, milliseconds, grown, peak };
    if (milliseconds > LIMITS.milliseconds)
      return { ...outcome, is: 'crash', what: `took ${milliseconds.toFixed(0)} ms` };
    if (grown > LIMITS.grownBytes) return { ...outcome, is: 'crash', what: `took ${(grown / 1e6).toFixed(0)} MB` };
    return outcome;
  }

  #neff(bytes: Buffer, original: Buffer, random: Random): Buffer {
    const archive = this.#archives.get(original) ?? archiveOf(original);
    this.#archives.set(original, archive);
    return damageNeff(bytes, Buffer.from(archive), random);
  }
}

/** Numbers and names of one run, taken out of a message. */
const kindOfMessage = (text: string): string =>
  text
    .replace(/uuid [0-9a-f]{32}, .*$/, 'uuid …')
    .replace(/\d[\d.e+]*/g, 'N')
    .replace(/--format \w+/, '--format F');

function readAll(path: string, options: ProfileOptions): Pick<FuzzOutcome, 'is' | 'what' | 'records'> {
  const check = new Check();
  try {
    for (const record of readProfile(path, options)) check.take(record);
    const wrong = check.verdict();
    return { is: wrong === null ? 'result' : 'crash', what: wrong ?? '', records: check.records };
  } catch (error) {
    const { records } = check;
    if (error instanceof UserError) return { is: 'rejection', what: kindOfMessage(error.what), records };
    return { is: 'crash', what: error instanceof Error ? (error.stack ?? error.message) : String(error), records };
  }
}

/** Whether records hold together: one profile line first, starts in order, numbers that can be written, the end's counts. */
class Check {
  records = 0;
  readonly #counts: Record<string, number> = {};
  #last = 0;
  #wrong: string | null = null;
  #counted: string | null = null;

  take(record: ProfileLine): void {
    if ((this.records++ === 0) !== (record.type === 'profile')) this.#wrong ??= 'profile line not first';
    if (this.#counted !== null) this.#wrong ??= 'records behind the end line';
    if (this.records < MOST_ENCODED) JSON.parse(encodeLine(record));
    if (record.type === 'end') this.#counted = JSON.stringify(record.counts);
    else if (record.type !== 'profile') this.#counts[record.type] = (this.#counts[record.type] ?? 0) + 1;
    const start = 'start' in record ? record.start : null;
    if (start === null) return;
    if (!Number.isSafeInteger(start) || start < this.#last) this.#wrong ??= `start ${start} after ${this.#last}`;
    this.#last = start;
    const dur = 'dur' in record ? record.dur : null;
    if (dur !== null && !(Number.isSafeInteger(dur) && dur >= 0)) this.#wrong ??= `duration ${dur}`;
  }

  verdict(): string | null {
    if (this.#counted === null) return 'no end line';
    const counted = JSON.stringify(
      Object.fromEntries(Object.entries(this.#counts).sort(([a], [b]) => (a < b ? -1 : 1))),
    );
    return this.#wrong ?? (counted === this.#counted ? null : `end line says ${this.#counted}, there were ${counted}`);
  }
}
