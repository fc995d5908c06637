/** `dparse redact`: a copy of a profile that can be shared, as records or in the profile's own format. */
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { openProfile } from '../../parse/find.js';
import { requireThere } from '../../parse/files.js';
import { TemporaryFolder } from '../../parse/input/temporary-file.js';
import { unpackedStart } from '../../parse/input/unpack.js';
import { rejoined } from '../../parse/live.js';
import { KEPT, TextRules, type Kept } from '../../redact/texts.js';
import { redactRecord } from '../../redact/records.js';
import { reportLines, reportOf } from '../../redact/report.js';
import { endingsOf } from '../../prof/input/stream-status.js';
import type { RecordChoice } from '../../prof/input/record-choice.js';
import { requireName, shownPath, UsageError, UserError } from '../../record/errors.js';
import { encodeLine } from '../../record/jsonl.js';
import { RECORD_FIELDS } from '../../record/fields/record-fields.js';
import type { ProfileLine } from '../../record/record.js';
import { formOf, openParsed, openSources, type Opening, type Source, type Wanted } from '../../sources/sources.js';
import { HELP_OPTION, numberList, OUTPUT_OPTION, type Arguments, type Tool } from '../arguments.js';
import { PLACE_OPTIONS, readChoice, STEP_OPTION, UNCUT_TIME_OPTIONS } from '../choice-options.js';
import { say } from '../message.js';
import { checkOutput, refuseTerminal, withOutput, type Write } from '../output.js';
import { progress } from '../progress.js';
import { readReading } from '../records-command.js';
import { locate } from '../run-analysis.js';
import { READING_OPTIONS } from '../shared-options.js';

const FORMS = ['records', 'profile'] as const;

/** Minimum characters of a key. A shorter key could be found by trying all. */
const SHORTEST_KEY = 12;

const CHOICES = [...PLACE_OPTIONS, STEP_OPTION, ...UNCUT_TIME_OPTIONS];

export const REDACT: Tool = {
  name: 'dparse redact',
  usage: 'dparse redact [OPTION...] INPUT -o OUT',
  about: [
    'Writes a copy of a profile that can be shared: names of users, hosts, paths, processes, layers, ranges and other free texts become pseudonyms such as layer-4. Kernels, ops, shapes, times and ids stay, so that answers differ in texts only.',
  ],
  operands: ['INPUT: a profile in any format, records, or - for stdin.'],
  options: [
    OUTPUT_OPTION,
    { name: 'as', takes: 'FORM', help: 'PyTorch and Nsight Systems: also the profile itself', choices: FORMS },
    {
      name: 'keep',
      takes: 'LIST',
      help: 'keep layers, sources (paths, functions) or ranges',
      values: KEPT,
      list: true,
    },
    { name: 'hash', takes: 'KEY', help: 'pseudonyms from a secret KEY, equal in all files of a job' },
    { name: 'hash-kernels', help: 'replace names of kernels that no known library has' },
    { name: 'ranges', help: 'records: write CPU ranges too' },
    { name: 'report', takes: 'FILE', help: 'write what was replaced, kept and left out as JSON' },
    ...CHOICES,
    { name: 'kernels', takes: 'A-B', help: 'only kernels A to B, and what starts between them' },
    ...READING_OPTIONS,
    { name: 'quiet', short: 'q', help: 'no report and no progress on stderr' },
    HELP_OPTION,
  ],
  notes: [
    [
      'Options that select a part are for records. Names of kernels are kept, and may reveal a program; --hash-kernels replaces them. Read the report and the copy before you share it.',
    ],
    [
      'Memory: an entry for each distinct text; records add that of dparse, and an Nsight Systems copy and a profile from stdin are first written to TMPDIR.',
    ],
    ['To parse a file named redact, give ./redact.'],
  ],
  examples: [
    'dparse redact net.sqlite -o net.redacted.jsonl',
    'dparse redact --as profile rank0.pt.trace.json.gz -o shared.pt.trace.json.gz',
    'dparse redact --step 3 --keep layers net.sqlite -o step3.jsonl',
    "dparse redact --range 'forward#2' net.sqlite -o forward.jsonl",
    'for f in rank*.json.gz; do dparse redact --as profile --hash "$KEY" $f -o shared/$f; done',
  ],
};

function keptOf(text: string): ReadonlySet<Kept> {
  return new Set(text.split(',').map((name) => requireName('kind of text', name.trim(), KEPT)));
}

function keyOf(text: string): string {
  if (text.length < SHORTEST_KEY)
    throw new UsageError(`--hash takes a secret of at least ${SHORTEST_KEY} characters`, 'KEY=$(openssl rand -hex 16)');
  return text;
}

interface Range {
  readonly first: number;
  readonly last: number;
}

function kernelsOf(text: string): Range {
  const numbers = [...numberList('--kernels', text)];
  const [first = 0, last = first] = [numbers[0], numbers.at(-1)];
  if (numbers.length !== last - first + 1) throw new UsageError(`--kernels takes A-B, not '${text}'`);
  return { first, last };
}

export async function redactCommand(given: Arguments): Promise<void> {
  const inputs = given.operands;
  if (inputs.length === 0) throw new UsageError('no INPUT', `usage: ${REDACT.usage}; see dparse redact --help`);
  const form = given.read('as', (text) => requireName('form', text, FORMS)) ?? 'records';
  const rules = new TextRules({
    key: given.read('hash', keyOf) ?? null,
    keep: given.read('keep', keptOf) ?? new Set(),
    hashKernels: given.on('hash-kernels'),
  });
  const [output, report] = [given.text('output'), given.text('report')];
  if (report !== undefined) await checkOutput(report, inputs);
  if (report !== undefined && report === output) throw new UsageError('--report and -o name the same file');
  await (form === 'profile' ? writeProfile(given, rules) : writeRecords(given, rules));
  const written = reportOf(rules);
  if (report !== undefined)
    await withOutput(report, inputs, async (write) => write(`${JSON.stringify(written, null, 2)}\n`));
  if (given.on('quiet')) return;
  for (const line of reportLines(written)) say('dparse', line);
}

/** All types of records, for readers. */
const ALL_TYPES: ReadonlySet<ProfileLine['type']> = new Set(
  Object.keys(RECORD_FIELDS) as (keyof typeof RECORD_FIELDS)[],
);

async function writeRecords(given: Arguments, rules: TextRules): Promise<void> {
  const { operands: inputs } = given;
  const output = given.text('output');
  const isQuiet = given.on('quiet');
  const choice = readChoice(given, REDACT);
  const kernels = given.read('kernels', kernelsOf);
  await checkOutput(output, inputs);
  const reading = readReading(given);
  await locate(choice, { files: inputs, quiet: isQuiet, reading });
  const meter = progress('dparse', !isQuiet);
  const types = new Set([...ALL_TYPES].filter((type) => type !== 'range' || given.on('ranges')));
  const opening = { stdin: process.stdin, onBytes: (done: number, total: number | null) => meter.at(done, total), ...reading }; // prettier-ignore
  const source = await openInputs(inputs, opening, { types });
  try {
    await withOutput(output, inputs, async (write) => {
      const part = new RecordPart(choice, kernels);
      for await (const batch of source.batches)
        for (const record of batch) {
          const kept = part.selected(record);
          if (kept !== null) await write(encodeLine(redactRecord(kept, rules)));
        }
      choice?.refuseNothing();
      part.refuseNothing();
    });
  } finally {
    meter.clear();
    source.close();
  }
  if (choice !== undefined && !isQuiet) for (const { line } of choice.notes) say('dparse', line);
  sayEndings(source, isQuiet);
}

/** First bytes of stdin, which show whether it contains records. */
const HEAD = 4096;

/**
 * Opens inputs. A profile on stdin is first written to TMPDIR, as `dparse -` does.
 * @throws UsageError for such a profile among other inputs
 */
async function openInputs(inputs: readonly string[], opening: Opening, wanted: Wanted): Promise<Source> {
  if (!inputs.includes('-')) return openSources(inputs, opening, wanted);
  const pieces = (process.stdin as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
  let head = Buffer.alloc(0);
  for (let piece; head.length < HEAD && (piece = await pieces.next()).done !== true;)
    head = Buffer.concat([head, piece.value]);
  const stdin = rejoined(head, pieces);
  if (formOf(await unpackedStart(head).catch(() => head)) === 'records')
    return openSources(inputs, { ...opening, stdin: Readable.from(stdin, { objectMode: false }) }, wanted);
  if (inputs.length > 1)
    throw new UsageError('a profile from stdin cannot be combined with other inputs', 'run it once for each');
  return openParsed('-', opening, wanted, stdin);
}

function sayEndings(source: Source, isQuiet: boolean): void {
  const { notes, losses, errors } = endingsOf(source);
  for (const { line } of [...(isQuiet ? [] : notes), ...losses]) say('dparse', line);
  const last = errors.pop();
  for (const { line } of errors) say('dparse', line);
  if (last !== undefined) throw last;
}

/** The selected records, with end lines that count them. */
class RecordPart {
  readonly #counts = new Map<number, Record<string, number>>();
  #isWithin = false;
  #found = 0;

  constructor(
    private readonly choice: RecordChoice | undefined,
    private readonly kernels: Range | undefined,
  ) {}

  /** The record, if it is selected; an end line with the counts of selected records. */
  selected(record: ProfileLine): ProfileLine | null {
    if (this.choice === undefined && this.kernels === undefined) return record;
    if (this.choice?.keeps(record) === false || !this.#isBetween(record)) return null;
    const counts = this.#counts.get(record.profile) ?? {};
    this.#counts.set(record.profile, counts);
    if (record.type === 'end') return { ...record, counts };
    if (record.type !== 'profile') counts[record.type] = (counts[record.type] ?? 0) + 1;
    return record;
  }

  /** @throws UserError when no kernel has one of the numbers */
  refuseNothing(): void {
    if (this.kernels !== undefined && this.#found === 0)
      throw new UserError(`no kernels ${this.kernels.first} to ${this.kernels.last}`, { hint: 'kernels count from 1' });
  }

  /** Whether a record is one of the chosen kernels, or comes between them. Ranges and samples have no place among them. */
  #isBetween(record: ProfileLine): boolean {
    if (this.kernels === undefined) return true;
    switch (record.type) {
      case 'profile':
        this.#isWithin = false;
        return true;
      case 'end':
      case 'notice':
      case 'tensor':
        return true;
      case 'kernel': {
        const { first, last } = this.kernels;
        const isChosen = record.id >= first && record.id <= last;
        this.#isWithin = isChosen && record.id < last;
        if (isChosen) this.#found++;
        return isChosen;
      }
      case 'range':
      case 'sample':
      case 'layer':
        return false;
      default:
        return this.#isWithin;
    }
  }
}

/** Formats whose own form can be written, by the id of their reader. Each returns whether the profile is cut off. */
const WRITERS: Readonly<
  Record<string, (source: Opened, rules: TextRules, write: Write, isPacked: boolean) => Promise<boolean>>
> = {
  kineto: async ({ path, name }, rules, write, isPacked) => {
    const { redactTrace } = await import('../../redact/kineto.js');
    // Members of gzip one after another are one file.
    const pieces = redactTrace(path, name, rules);
    let next = pieces.next();
    for (; next.done !== true; next = pieces.next()) await write(isPacked ? gzipSync(next.value) : next.value);
    return next.value;
  },
  nsight: async ({ path, name }, rules, write) => {
    const { redactNsight } = await import('../../redact/nsight.js');
    const folder = new TemporaryFolder(name);
    try {
      const copy = join(folder.path, 'copy');
      redactNsight(path, copy, rules);
      for await (const piece of createReadStream(copy, { highWaterMark: 1024 * 1024 }))
        await write(piece as Uint8Array);
      return false;
    } finally {
      folder.dispose();
    }
  },
};

interface Opened {
  readonly path: string;
  readonly name: string;
}

async function writeProfile(given: Arguments, rules: TextRules): Promise<void> {
  const { operands: inputs } = given;
  const [input = '', ...others] = inputs;
  if (others.length > 0) throw new UsageError('--as profile takes one INPUT', 'run it once for each');
  const selecting = [...CHOICES.map(({ name }) => name), 'kernels', 'ranges'].find((name) => given.text(name) !== undefined || given.on(name)); // prettier-ignore
  if (selecting !== undefined)
    throw new UsageError(
      `--${selecting} cannot be combined with --as profile`,
      'only records can be a part of a profile: --as records',
    );
  if (input !== '-') requireThere([input]);
  const output = given.text('output');
  await checkOutput(output, inputs);
  const { source, reader } = await openProfile(input, input === '-' ? { stdin: process.stdin } : {});
  try {
    const writer = Object.hasOwn(WRITERS, reader.id) ? WRITERS[reader.id] : undefined;
    if (writer === undefined)
      throw new UserError(`is of a format that --as profile does not write (${reader.id})`, { where: shownPath(input), hint: '--as records' }); // prettier-ignore
    const isPacked = reader.id === 'kineto' && /\.gz$/.test(output ?? '');
    if (isPacked || reader.id === 'nsight') refuseTerminal(output, 'a profile');
    let isCut = source.isCut === true;
    await withOutput(output, inputs, async (write) => {
      if (await writer(source, rules, write, isPacked)) isCut = true;
    });
    if (isCut || source.isCut === true) throw new UserError('is cut off; the copy ends there', { where: shownPath(input), hint: 'copy it again' }); // prettier-ignore
  } finally {
    source.dispose();
  }
}
