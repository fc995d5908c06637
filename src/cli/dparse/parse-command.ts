/** `dparse`: profiles → records. */
import { existsSync } from 'node:fs';
import { requireThere } from '../../parse/files.js';
import { findProfiles, type FoundProfile } from '../../parse/find.js';
import { liveRecords, peek } from '../../parse/live.js';
import type { LiveFormat } from '../../parse/reader.js';
import { readerNamed } from '../../parse/registry.js';
import { expandInput } from '../../parse/source.js';
import { UserError } from '../../record/errors.js';
import { encodeLine } from '../../record/jsonl.js';
import type { ProfileLine } from '../../record/record.js';
import { helpOf } from '../arguments.js';
import { defaultJobs } from './default-jobs.js';
import { outcomeOf, parseOne, type ParsedProfile, type ParseOptions } from './one.js';
import { withOutputFolder } from './output-folder.js';
import { DPARSE, formatsText, readArguments, type DparseRequest } from './options.js';
import { ParseReport } from './parse-report.js';
import { isLarge } from './worker-pool.js';
import { parseLarge, parseMany } from './workers.js';
import { printText, withOutput, type Write } from '../output.js';
import { versionText } from '../package-folder.js';
import { progress, type Progress } from '../progress.js';

const TEXTS = { help: () => helpOf(DPARSE), formats: formatsText, version: versionText };

/** @param args the arguments after the tool's name */
export async function parseCommand(args: readonly string[]): Promise<void> {
  const request = readArguments(args);
  if (request.show !== 'records') {
    return printText(await TEXTS[request.show]());
  }
  const { format, program, ncu, capture } = request;
  if (format !== undefined) readerNamed(format);
  // Also where no input needs it.
  requireThere([program, ncu, capture]);
  const isPiped = request.inputs.length === 1 && request.inputs[0] === '-';
  const stdin = isPiped ? await peek(process.stdin, format) : null;
  // Monitors' reports, which come without an end, have no kernels.
  const live = request.outputFormat === 'records' ? (stdin?.live ?? null) : null;
  await (live === null || stdin === null ? parseAll(request, stdin?.bytes) : follow(request, live, stdin.bytes));
}

/** Records from a pipe, as they come. */
async function follow(request: DparseRequest, live: LiveFormat, bytes: AsyncIterable<Buffer>): Promise<void> {
  const report = new ParseReport(request.quiet);
  await withOutput(request.output, ['-'], async (write, flush) => {
    let last: ProfileLine | undefined;
    for await (const records of liveRecords(live, bytes, request.allFields)) {
      for (const record of records) await write(encodeLine(record));
      if (records.length > 0) await flush();
      last = records.at(-1);
    }
    report.add('-', outcomeOf(last, null, '-'));
  });
}

/** @param stdin stream to read instead of standard input, when its first bytes were inspected */
async function parseAll(request: DparseRequest, stdin: AsyncIterable<Buffer> | undefined): Promise<void> {
  const { inputs, output, format, ranges, program, ncu, force, allFields, derived, outputFormat, quiet } = request;
  const jobs = request.jobs ?? defaultJobs(await filesOf(inputs));
  const meter = progress('dparse', !quiet);
  const report = new ParseReport(quiet);
  const shared = {
    ranges,
    force,
    allFields,
    derived,
    ...(format === undefined ? {} : { format }),
    ...(program === undefined ? {} : { program }),
    ...(ncu === undefined ? {} : { ncu }),
  };
  const parse = async (written: ParseOptions['output'], write: Write): Promise<void> => {
    const options = { ...shared, output: written };
    const found = findProfiles(inputs, { format, stdin, capture: request.capture, onNote: report.note });
    const outcomes = jobs > 1 ? parseMany(found, options, jobs, write, meter) : parseEach(found, options, write, meter);
    for await (const { name, ordinal, outcome } of outcomes) {
      meter.clear();
      report.add(name, outcome, ordinal);
    }
    report.end();
  };
  if (outputFormat === 'parquet') return withOutputFolder(output, (folder) => parse({ folder }, () => undefined));
  await withOutput(output, output === undefined ? [] : await filesRead(request), (write) => parse(outputFormat, write));
}

/** One after the other. */
async function* parseEach(
  found: AsyncIterable<FoundProfile | UserError>,
  options: ParseOptions,
  write: Write,
  meter: Progress,
): AsyncGenerator<ParsedProfile> {
  for await (const profile of found) {
    if (profile instanceof UserError) {
      yield { name: '', outcome: profile };
      continue;
    }
    try {
      const parse = isLarge(profile) ? parseLarge : parseOne;
      yield {
        name: profile.source.name,
        ordinal: profile.ordinal,
        outcome: await parse(profile, options, write, meter),
      };
    } finally {
      profile.source.dispose();
    }
  }
}

/** What is read: files and folders, files that a glob stands for, the program, and the report of counters. */
async function filesRead({ inputs, program, ncu, capture }: DparseRequest): Promise<string[]> {
  const isThere = (input: string): boolean => input === '-' || existsSync(input);
  const ofGlobs = await filesOf(inputs.filter((input) => !isThere(input)));
  const others = [program, ncu, capture].filter((file) => file !== undefined);
  return [...inputs.filter(isThere), ...ofGlobs, ...others];
}

/** Files that inputs stand for; none where they cannot be found, which is said in its turn. */
async function filesOf(inputs: readonly string[]): Promise<string[]> {
  const found = inputs.map((input) => expandInput(input));
  return (await Promise.allSettled(found)).flatMap((one) =>
    one.status === 'fulfilled' ? [...one.value.paths, ...one.value.copies] : [],
  );
}
