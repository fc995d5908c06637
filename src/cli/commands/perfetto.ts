/** `dprof perfetto`: a trace for ui.perfetto.dev or chrome://tracing. */
import { NO_TIMES_HINT, type Analysis, type Answer } from '../../prof/analysis.js';
import type { Alignment } from '../../prof/perfetto/profile-clock.js';
import { TRACE_TYPES, TraceBuilder } from '../../prof/perfetto/trace-builder.js';
import { counted } from '../../record/plural.js';
import { UsageError, UserError } from '../../record/errors.js';
import { requireName } from '../../record/names.js';
import type { ProfileLine } from '../../record/record.js';
import { aligned } from '../../write/aligned.js';
import { optionLines, type Option, type Tool } from '../arguments.js';
import { ChromeTrace } from './perfetto/perfetto-chrome.js';
import { ProtobufTrace, type TraceText } from './perfetto/perfetto-protobuf.js';
import type { Command } from '../command.js';
import { commonOptions, readCommon, runAnalysis } from '../run-analysis.js';
import { withOutput } from '../output.js';

const FORMATS = ['pftrace', 'chrome-json'];

/** `--align`: the common clock of several profiles. */
const ALIGNMENTS = ['unix', 'start'] as const satisfies readonly Alignment[];
const [FORMAT, ...OTHER_OPTIONS] = commonOptions(FORMATS);

const OPTIONS: readonly Option[] = [
  FORMAT,
  { name: 'align', takes: 'A', help: 'profiles at their Unix times (unix), or all from 0 (start)', values: ALIGNMENTS },
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
    'Times are Unix time where the first profile has it (one without stands at its start), else from 0 of each profile.',
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

async function run(args: readonly string[]): Promise<void> {
  const { given, common } = readCommon(PERFETTO, args, FORMATS);
  if (common.help) return withOutput(undefined, [], async (write) => write(perfettoHelp()));
  const alignment = given.read('align', (text) => requireName('alignment', text, ALIGNMENTS)) ?? 'unix';
  const { output, format } = common;
  const onTerminal = (output === undefined || output === '-') && process.stdout.isTTY;
  if (format === 'pftrace' && onTerminal) {
    throw new UsageError('refusing to write a binary trace to a terminal: use -o FILE');
  }
  const analysis = new Trace(format === 'pftrace' ? new ProtobufTrace() : new ChromeTrace(), alignment);
  await runAnalysis(common, {
    analysis,
    ready: () => analysis.ready(),
    print: ({ facts: rest }, write) => write(rest()),
  });
}

/** A trace as text or bytes, written while records are read; the answer makes what is left at the end. */
class Trace implements Analysis<() => string | Uint8Array> {
  readonly types = TRACE_TYPES;
  readonly #events: TraceBuilder;

  constructor(
    private readonly text: TraceText,
    alignment: Alignment,
  ) {
    this.#events = new TraceBuilder((event) => {
      text.take(event);
    }, alignment);
  }

  take(record: ProfileLine): void {
    this.#events.take(record);
  }

  /** Output so far; none before there is an event, so that an input without any leaves stdout empty. */
  ready(): string | Uint8Array | null {
    return this.#isEmpty ? null : this.text.ready();
  }

  /** @throws UserError without any event */
  finish(): Answer<() => string | Uint8Array> {
    this.#events.end();
    if (this.#isEmpty) throw nothing(this.#events);
    return { table: null, facts: () => this.text.end(), notes: notesOf(this.#events) };
  }

  get #isEmpty(): boolean {
    const { slices, instants, counters } = this.#events.counts;
    return slices + instants + counters === 0;
  }
}

const nothing = ({ counts }: TraceBuilder): UserError =>
  counts.untimed === 0
    ? new UserError('nothing that has a time: no kernels, no ranges, no samples over time')
    : new UserError('no record has a start', { hint: NO_TIMES_HINT });

function notesOf({ counts, launches, samples, clock }: TraceBuilder): string[] {
  const { slices, arrows, counters, untimed, early, unended, crowded } = counts;
  const times = clock.unixStart === null ? "from 0 of each profile's start" : 'Unix time';
  const lost: readonly (readonly [count: number, what: string, why: string])[] = [
    [clock.assumedStarts, 'profile', "without a Unix time: put at the first one's start"],
    [unended, 'record', 'without a duration: marks, not slices'],
    [untimed, 'record', 'without a time left out'],
    [early, 'record', 'before time stamps begin left out'],
    [launches.backwards, 'activity', 'said to start before its launch: no arrow'],
    [launches.late, 'activity', 'long after others of its launch, which is no longer held: no arrow'],
    [samples.unknown, 'sample', 'without a value left out'],
    [samples.beyond, 'sample', 'of too many counters left out'],
    [samples.allocations, 'single allocation', 'left out (dprof memory adds them up)'],
    [crowded, 'slice', 'in no order of time, for which there was no room, left out'],
  ];
  return [
    `${counted(slices, 'slice')}, ${counted(arrows, 'arrow')}, ${counted(counters, 'counter value')}; times: ${times}`,
    ...lost.flatMap(([count, what, why]) => (count > 0 ? [`${counted(count, what)} ${why}`] : [])),
  ];
}

export const perfetto: Command = { tool: PERFETTO, helpText: perfettoHelp, run };
