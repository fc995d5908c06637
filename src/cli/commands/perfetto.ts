/** `dprof perfetto`: records → a trace for ui.perfetto.dev or chrome://tracing. */
import type { Alignment } from '../../prof/perfetto/profile-clock.js';
import { TRACE_TYPES, TraceBuilder } from '../../prof/perfetto/trace-builder.js';
import { counted } from '../../record/plural.js';
import { UsageError, UserError } from '../../record/errors.js';
import { aligned } from '../aligned.js';
import { optionLines, type Option, type Tool } from '../arguments.js';
import { ChromeTrace } from './perfetto/perfetto-chrome.js';
import { ProtobufTrace, type TraceText } from './perfetto/perfetto-protobuf.js';
import type { Command } from '../commands.js';
import { confirmEndings, confirmWhole, openSources, type Source } from '../input.js';
import { commonOptions, inputFiles, namingInput, readCommon, type CommonRequest } from '../run-analysis.js';
import { checkOutput, withOutput, type Write } from '../output.js';
import { progress } from '../progress.js';

const FORMATS = ['pftrace', 'chrome-json'] as const;
type Format = (typeof FORMATS)[number];

/** `--align`: how several profiles stand beside each other. */
const ALIGNMENTS = ['unix', 'start'] as const satisfies readonly Alignment[];
const [FORMAT, ...OTHER_OPTIONS] = commonOptions(FORMATS);

const OPTIONS: readonly Option[] = [
  FORMAT,
  { name: 'align', takes: 'A', help: 'profiles at their Unix times (unix), or all from 0 (start)' },
  ...OTHER_OPTIONS,
];

const PERFETTO: Tool = {
  name: 'dprof perfetto',
  usage: 'dprof perfetto -o OUT [OPTION...] [FILE...]',
  options: OPTIONS,
};

const perfettoHelp = (): string =>
  [
    `Usage: ${PERFETTO.usage}`,
    'A trace of what devices and host did, for https://ui.perfetto.dev or chrome://tracing.',
    '',
    'FILE: records of dparse (also .gz), or a profile, then with its ranges. Default: stdin.',
    '',
    'Options:',
    ...optionLines(OPTIONS),
    '',
    'Tracks:',
    ...aligned([
      [
        '  devices',
        'a process each, a track a stream or engine: kernels with op, layer, FLOPs, bytes, tc, copies, sets',
      ],
      ['  host', 'a process each, a track a thread: launches with an arrow to what they launched, ranges'],
      ['  counters', 'samples: a track for each metric, device and set of labels'],
    ]),
    '',
    'What overlaps goes to a further lane of its track: no slice is cut. Without a duration: a mark. Unknown: left out.',
    'Times are Unix time where the first profile tells it (one without stands at its start), else from 0 of each profile.',
    'chrome-json counts from midnight of the day before. A launch of several activities is one slice with several arrows.',
    '32,768 slices of the host wait for late ones: a launch that is gone by then starts no more arrows, and says so.',
    'Memory: at most 450 MB, and 48 bytes a launch.',
    '',
    'Examples:',
    '  dprof perfetto -o net.pftrace net.sqlite',
    '  dparse --ranges ranks/*.json.gz | dprof perfetto -o ranks.pftrace',
    '  dprof perfetto -f chrome-json trace.json.gz | gzip > net.json.gz',
    '',
  ].join('\n');

const WRITERS: Readonly<Record<Format, () => TraceText>> = {
  pftrace: () => new ProtobufTrace(),
  'chrome-json': () => new ChromeTrace(),
};

async function run(args: readonly string[]): Promise<void> {
  const { given, common } = readCommon(PERFETTO, args, FORMATS);
  if (common.help) return withOutput(undefined, [], async (write) => write(perfettoHelp()));
  const alignment = given.read('align', alignmentOf) ?? 'unix';
  const { files, output, quiet, format } = common;
  const onTerminal = (output === undefined || output === '-') && process.stdout.isTTY;
  if (format === 'pftrace' && onTerminal) {
    throw new UsageError('a trace is binary, and stdout is a terminal', '-o trace.pftrace, or a pipe');
  }
  const meter = progress('dprof', !quiet);
  const inputs = inputFiles(common);
  const existing = checkOutput(output, inputs);
  const source = await openSources(files, meter, TRACE_TYPES);
  try {
    let notes: readonly string[] = [];
    await withOutput(output, [...inputs, ...source.names], async (write) => {
      notes = await writeTrace(source, common, alignment, write);
      confirmWhole(source, existing, output);
    });
    meter.clear();
    if (!quiet) for (const note of notes) process.stderr.write(`dprof: ${note}\n`);
    confirmEndings(source, quiet);
  } catch (error) {
    throw namingInput(error, source.name);
  } finally {
    meter.clear();
    source.close();
  }
}

function alignmentOf(text: string): Alignment {
  const found = ALIGNMENTS.find((known) => known === text);
  if (found === undefined) throw new UsageError(`unknown alignment '${text}'`, `known: ${ALIGNMENTS.join(', ')}`);
  return found;
}

/** @returns what the user should know */
async function writeTrace(
  source: Source,
  { format }: CommonRequest<Format>,
  alignment: Alignment,
  write: Write,
): Promise<readonly string[]> {
  const text = WRITERS[format]();
  const events = new TraceBuilder((event) => {
    text.take(event);
  }, alignment);
  for await (const batch of source.batches) {
    for (const record of batch) events.take(record);
    // An input of which nothing can be shown leaves stdout empty.
    const ready = isEmpty(events) ? null : text.ready();
    if (ready !== null) await write(ready);
  }
  events.end();
  if (isEmpty(events)) throw nothing(events);
  await write(text.end());
  return notesOf(events);
}

const isEmpty = ({ counts: { slices, instants, counters } }: TraceBuilder): boolean =>
  slices + instants + counters === 0;

const nothing = ({ counts }: TraceBuilder): UserError =>
  counts.untimed === 0
    ? new UserError('nothing that has a time: no kernels, no ranges, no samples over time')
    : new UserError('no record tells when it started', {
        hint: 'a net.dict of PyProf has no times: run dparse on the profile itself',
      });

function notesOf({ counts, launches, samples, clock }: TraceBuilder): string[] {
  const { slices, arrows, counters, untimed, early, unended, crowded } = counts;
  const times = clock.unixStart === null ? "from 0 of each profile's start" : 'Unix time';
  const told: readonly (readonly [count: number, what: string, why: string])[] = [
    [clock.assumedStarts, 'profile', "without a Unix time: put at the first one's start"],
    [unended, 'record', 'without a duration: marks, not slices'],
    [untimed, 'record', 'without a time left out'],
    [early, 'record', 'before time stamps begin left out'],
    [launches.backwards, 'activity', 'said to start before its launch: no arrow'],
    [launches.late, 'activity', 'long after others of its launch, which is gone: no arrow'],
    [samples.unknown, 'sample', 'without a value left out'],
    [samples.beyond, 'sample', 'of too many counters left out'],
    [samples.allocations, 'single allocation', 'left out (dprof memory adds them up)'],
    [crowded, 'slice', 'in no order of time, for which there was no room, left out'],
  ];
  return [
    `${counted(slices, 'slice')}, ${counted(arrows, 'arrow')}, ${counted(counters, 'counter value')}; times: ${times}`,
    ...told.flatMap(([count, what, why]) => (count > 0 ? [`${counted(count, what)} ${why}`] : [])),
  ];
}

export const perfetto: Command = { tool: PERFETTO, helpText: perfettoHelp, run };
