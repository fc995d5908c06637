/** `dparse`: profiles → records. */
import { statSync } from 'node:fs';
import { findProfiles, type Profile } from '../parse/find.js';
import { readerNamed } from '../parse/registry.js';
import { EXIT, UserError } from '../record/errors.js';
import { main } from './boundary.js';
import { formatsText, helpText, readArguments, type Request } from './dparse-options.js';
import { parseOne, type Outcome } from './dparse-one.js';
import { parseLarge, parseMany } from './dparse-workers.js';
import { withOutput } from './output.js';
import { progress } from './progress.js';
import { version } from './version.js';

/** Bytes from which a profile is worth a thread of its own, which takes about 50 ms to start. */
const LARGE = 16 * 1024 * 1024;

async function run(args: readonly string[]): Promise<void> {
  const request = readArguments(args);
  if (request.show !== 'records') {
    const text = { help: helpText, formats: formatsText, version: () => `${version()}\n` }[request.show]();
    await withOutput(undefined, [], async (write) => write(text));
    return;
  }
  if (request.format !== undefined) readerNamed(request.format);
  const { profiles, failures } = await findProfiles(request.inputs, request.format);
  try {
    for (const failure of failures) complain(failure);
    if (profiles.length > 0) await parse(request, profiles);
  } finally {
    for (const profile of profiles) profile.source.dispose();
  }
}

/** One input that cannot be read does not lose the others; it is told, and the exit code says so. */
function complain(failure: UserError): void {
  process.stderr.write(`dparse: ${failure.line}\n`);
  process.exitCode = EXIT.failed;
}

async function parse(request: Request, profiles: readonly Profile[]): Promise<void> {
  const { format, ranges, quiet, jobs } = request;
  const meter = progress('dparse', !quiet);
  const failures: UserError[] = [];
  const note = (profile: Profile, outcome: Outcome): void => {
    meter.clear();
    if (outcome instanceof UserError) failures.push(outcome);
    else if (!quiet) process.stderr.write(`dparse: ${summary(profile.source.name, outcome)}\n`);
  };
  const options = { ranges, ...(format === undefined ? {} : { format }) };
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
      // With nothing read there is nothing to write: the last failure ends the run, and OUT does not appear.
      const last = failures.length === profiles.length ? failures.pop() : undefined;
      failures.forEach(complain);
      if (last !== undefined) throw last;
    },
  );
}

/** `net.sqlite: 160 kernels, 21 copies; kernels whose host call is not in the profile: 24`. */
function summary(name: string, outcome: Exclude<Outcome, UserError>): string {
  const { counts, oddities } = outcome;
  const found = [
    plural(counts['kernel'] ?? 0, 'kernel', 'kernels'),
    ...(counts['copy'] === undefined ? [] : [plural(counts['copy'], 'copy', 'copies')]),
    ...(counts['graph'] === undefined ? [] : [plural(counts['graph'], 'graph launch', 'graph launches')]),
  ].join(', ');
  return [`${name}: ${found}`, ...oddities].join('; ');
}

const plural = (n: number, one: string, many: string): string => `${n} ${n === 1 ? one : many}`;

await main('dparse', run);
