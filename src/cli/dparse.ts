/** `dparse`: profiles → records. */
import { say } from './message.js';
import { statSync } from 'node:fs';
import { findProfiles, type FoundProfile } from '../parse/find.js';
import { readerNamed } from '../parse/registry.js';
import type { LiveFormat } from '../parse/reader.js';
import { CUT_PROFILE, WAS_READ } from '../prof/input/stream-status.js';
import { counted } from '../record/plural.js';
import { EXIT, UserError } from '../record/errors.js';
import { helpOf } from './arguments.js';
import { parseLive, peek } from './dparse/live.js';
import { DPARSE, formatsText, readArguments, type DparseRequest } from './dparse/options.js';
import { parseOne, type Outcome } from './dparse/one.js';
import { parseLarge, parseMany } from './dparse/workers.js';
import { printText, withOutput } from './output.js';
import { progress } from './progress.js';
import { version } from './package-folder.js';

/** Bytes from which a profile is worth a thread of its own, which takes about 50 ms to start. */
const LARGE = 16 * 1024 * 1024;

const TEXTS = { help: () => helpOf(DPARSE), formats: formatsText, version: () => `${version()}\n` };

/** @param args the arguments after the tool's name */
export async function run(args: readonly string[]): Promise<void> {
  const request = readArguments(args);
  if (request.show !== 'records') {
    return printText(TEXTS[request.show]());
  }
  if (request.format !== undefined) readerNamed(request.format);
  const isPiped = request.inputs.length === 1 && request.inputs[0] === '-';
  const stdin = isPiped ? await peek(process.stdin, request.format) : null;
  const live = stdin?.live ?? null;
  await (live === null || stdin === null ? parseAll(request, stdin?.bytes) : follow(request, live, stdin.bytes));
}

/** Records from a pipe, as they come. */
async function follow(request: DparseRequest, live: LiveFormat, bytes: AsyncIterable<Buffer>): Promise<void> {
  await withOutput(request.output, [], async (write, flush) => {
    const outcome = await parseLive(live, bytes, request.allFields, write, flush);
    if (!request.quiet) say('dparse', summary('-', outcome));
    if (outcome.isCut) complain(cutOff('-'));
  });
}

/** @param stdin stream to read instead of standard input, when its first bytes were inspected */
async function parseAll(request: DparseRequest, stdin: AsyncIterable<Buffer> | undefined): Promise<void> {
  const { profiles, failures } = await findProfiles(request.inputs, request.format, stdin);
  try {
    for (const failure of failures) complain(failure);
    if (profiles.length > 0) await parse(request, profiles);
  } finally {
    for (const profile of profiles) profile.source.dispose();
  }
}

const cutOff = (where: string): UserError => new UserError(`${CUT_PROFILE}; ${WAS_READ}`, { where });

/** Reports an input that cannot be read, or not to its end, and sets exit status 1; the others are read all the same. */
function complain(failure: UserError): void {
  say('dparse', failure.line);
  process.exitCode = EXIT.failed;
}

async function parse(request: DparseRequest, profiles: readonly FoundProfile[]): Promise<void> {
  const { format, ranges, program, force, allFields, quiet, jobs } = request;
  const meter = progress('dparse', !quiet);
  const failures: UserError[] = [];
  const ranks = new Map<number, number[]>();
  const note = (profile: FoundProfile, outcome: Outcome): void => {
    meter.clear();
    if (outcome instanceof UserError) {
      failures.push(outcome);
      return;
    }
    if (!quiet) say('dparse', summary(profile.source.name, outcome));
    if (outcome.isCut) complain(cutOff(profile.source.name));
    if (outcome.rank !== null) ranks.set(outcome.rank, [...(ranks.get(outcome.rank) ?? []), profile.ordinal]);
  };
  const options = {
    ranges,
    force,
    allFields,
    ...(format === undefined ? {} : { format }),
    ...(program === undefined ? {} : { program }),
  };
  await withOutput(
    request.output,
    // By the names the user gave: what was compressed is read elsewhere.
    [...request.inputs, ...profiles.map(({ source }) => source.name)],
    async (write) => {
      if (jobs > 1 && profiles.length > 1) await parseMany(profiles, options, jobs, write, note);
      else {
        for (const profile of profiles) {
          const parse = statSync(profile.source.path).size < LARGE ? parseOne : parseLarge;
          note(profile, await parse(profile, options, write, meter));
        }
      }
      const repeated = repeatedRanks(ranks);
      if (repeated !== null && !quiet) say('dparse', repeated);
      // With nothing read there is nothing to write: the last failure ends the run, and OUT does not appear.
      const last = failures.length === profiles.length ? failures.pop() : undefined;
      failures.forEach(complain);
      if (last !== undefined) throw last;
    },
  );
}

/** Says which ranks several profiles are of; null when none is. */
function repeatedRanks(ranks: ReadonlyMap<number, readonly number[]>): string | null {
  const repeated = [...ranks].filter(([, ordinals]) => ordinals.length > 1).sort(([a], [b]) => a - b);
  if (repeated.length === 0) return null;
  const texts = repeated.map(([rank, ordinals]) => `rank ${rank} is that of ${ordinals.join(', ')}`);
  return `several profiles of one rank, distinguished by "profile": ${texts.join('; ')}`;
}

/** `net.sqlite: 160 kernels, 21 copies; kernels whose host call is not in the profile: 24`. */
function summary(name: string, outcome: Exclude<Outcome, UserError>): string {
  const { counts, oddities } = outcome;
  const found = countedIn(counts, ACTIVITIES);
  // Reports, summaries and programs have no activities: their other records are counted instead.
  const others = found.length > 0 ? [] : countedIn(counts, STATEMENTS);
  const isEmpty = (counts['kernel'] ?? 0) === 0 && others.length === 0;
  return [`${name}: ${[...(isEmpty ? ['0 kernels'] : []), ...found, ...others].join(', ')}`, ...oddities].join('; ');
}

type Words = readonly (readonly [type: string, one: string])[];

const ACTIVITIES: Words = [
  ['kernel', 'kernel'],
  ['copy', 'copy'],
  ['graph', 'graph launch'],
];
const STATEMENTS: Words = [
  ['tensor', 'tensor'],
  ['layer', 'layer'],
  ['sample', 'sample'],
  ['notice', 'notice'],
];

const countedIn = (counts: Readonly<Record<string, number>>, words: Words): string[] =>
  words.flatMap(([type, one]) => {
    const n = counts[type] ?? 0;
    return n === 0 ? [] : [counted(n, one)];
  });
