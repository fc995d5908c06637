/** `dprof perfetto`: a trace for ui.perfetto.dev or chrome://tracing. */
import { lineOnly } from '../../../prof/limits.js';
import type { PathRange } from '../../../prof/critical-path/critical-path.js';
import type { TimeWindow } from '../../../prof/input/named-range.js';
import { RANGES_HINT, withoutTimes, withTimeless } from '../../../prof/analysis.js';
import { TRACE_TYPES, TraceBuilder } from '../../../prof/perfetto/trace-builder.js';
import { TraceWindow, type JobOfProfiles, JobTimes } from '../../../prof/perfetto/job-trace.js';
import { jobReport } from '../../../prof/ranks/job-report.js';
import { RANK_TYPES, RankCollector } from '../../../prof/ranks/part/rank-collector.js';
import { counted } from '../../../record/plural.js';
import { UsageError, UserError, requireName } from '../../../record/errors.js';
import type { ProfileLine } from '../../../record/record.js';
import { aligned } from '../../../write/cell-text.js';
import { ChromeTrace, ProtobufTrace } from './perfetto-chrome.js';
import { numberList, type Arguments } from '../../arguments.js';
import { PLACE_OPTIONS, RANK_OPTION, UNCUT_TIME_OPTIONS } from '../../choice-options.js';
import { TABLE_NAMES, unfit } from '../../shared-options.js';
import { PEAKS_OPTION, readPeaks } from '../../peaks-option.js';
import { refuseTerminal } from '../../output.js';
import { recordsCommand, type RecordsRequest } from '../../records-command.js';
import { PATH_OPTION, readInputs, readPaths, runAnalysis } from '../../run-analysis.js';

/** `--align`: the common clock of several profiles. */
const ALIGNMENTS = ['unix', 'start', 'job'] as const;

/** Parses `0-3,8`; null when the option is not given. */
const numbersOf = (given: Arguments, name: string): ReadonlySet<number> | null => {
  const text = given.text(name);
  return text === undefined ? null : numberList(`--${name}`, text);
};

/** Reads the inputs once to find the job; they are read again for the trace. */
async function readJob({ files, quiet, reading }: RecordsRequest): Promise<JobOfProfiles> {
  if (files.length === 0 || files.includes('-'))
    throw new UsageError('--align job and --step need to read the input twice', 'give a FILE instead of stdin');
  const collector = new RankCollector();
  // Clocks and matched operations do not need the FLOPs of kernels.
  const wanted = { types: RANK_TYPES, skipUnreadable: true } as const;
  await readInputs(files, quiet, wanted, (record) => collector.take(record), reading);
  const profiles = collector.partsByProfile;
  return { profiles, report: jobReport([...profiles.values()].flat()) };
}

const ALWAYS: TimeWindow = { from: -Infinity, to: Infinity };

const TRACKS = [
  [
    '  devices',
    'one process per device, one track per stream or engine: kernels with op, layer, FLOPs, bytes, tc, copies, memsets',
  ],
  ['  host', 'one process each, one track per thread: launches with arrows to their work, ranges'],
  ['  counters', 'samples: one track per metric, device and set of labels'],
];

const nothingChosen = (): UserError =>
  new UserError('the profile has no events for the selected ranks and steps', {
    hint: 'dprof ranks -t steps lists them',
  });

const nothing = ({ counts, samples }: TraceBuilder): UserError =>
  counts.untimed === 0
    ? withTimeless(
        new UserError('nothing to draw: no kernels, ranges or timed samples', { hint: RANGES_HINT }),
        samples.timeless,
      )
    : withoutTimes('no record has a start time');

function notesOf({ counts, launches, dependencies, members, samples, clock }: TraceBuilder): string[] {
  const { slices, counters, untimed, early, unended, crowded } = counts;
  const arrows = counts.arrows + (dependencies?.arrows ?? 0) + (members?.arrows ?? 0);
  const times = clock.unixStart === null ? "counted from each profile's start" : 'Unix time';
  const lost: readonly (readonly [count: number, what: string, why: string])[] = [
    [clock.assumedStarts, 'profile', 'without a Unix time: placed at the start of the first profile'],
    [unended, 'record', 'without a duration: shown as instants, not slices'],
    [untimed, 'record', 'left out: no time'],
    [early, 'record', 'left out: before time 0 of the trace'],
    [launches.backwards, 'activity', 'starting before its launch: no arrow'],
    [launches.late, 'activity', 'long after the others of its launch: no arrow'],
    [
      dependencies?.withoutArrow ?? 0,
      'dependency',
      'on an instruction that ran long before, ran later or is missing: no arrow',
    ],
    [samples.unknown, 'sample', 'left out: no value'],
    [samples.beyond, 'sample', 'left out: too many counters'],
    [samples.allocations, 'individual allocation', 'left out (dprof memory adds them up)'],
    [crowded, 'slice', 'left out: out of time order and beyond the buffer'],
  ];
  return [
    `${counted(slices, 'slice')}, ${counted(arrows, 'arrow')}, ${counted(counters, 'counter value')}; times: ${times}`,
    ...lost.flatMap(([count, noun, why]) => (count > 0 ? [`${counted(count, noun)} ${why}`] : [])),
  ];
}

export const perfetto = recordsCommand(
  {
    name: 'dprof perfetto',
    usage: 'dprof perfetto -o OUT [OPTION...] [FILE...]',
    about: ['A trace of device and CPU activity, for https://ui.perfetto.dev or chrome://tracing.'],
    operands: ['FILE: dparse records (also .gz), or a profile, whose ranges are read too. Default: stdin.'],
    options: [
      PEAKS_OPTION,
      {
        name: 'align',
        takes: 'A',
        help: 'profiles at their Unix times (unix), all from 0 (start), or by matched collectives (job)',
        values: ALIGNMENTS,
      },
      PATH_OPTION,
      { name: 'flows', help: 'arrows from each instruction to those that waited for it' },
      { ...RANK_OPTION, formerly: { name: 'ranks' } },
      { name: 'step', takes: 'LIST', help: 'only these steps, e.g. 3 or 10-19', formerly: { name: 'steps' } },
      ...PLACE_OPTIONS.filter((option) => option !== RANK_OPTION),
      ...UNCUT_TIME_OPTIONS,
    ],
    unfit: {
      ...unfit(
        ['where'],
        'a trace shows everything that ran; select with --step, --device, --stream, --range, --from and --to',
      ),
      ...unfit(TABLE_NAMES, 'a trace is not a table; use dprof -c COLS --sort COLS --top N'),
    },
    notes: [
      ['Tracks:', ...aligned(TRACKS)],
      [
        'Overlapping slices go to separate lanes of a track; no slice is cut. Events without a duration become instant events. Unknown values are left out.',
        "Times are in Unix time if the first profile has it (a profile without it is placed at its start), otherwise from each profile's start.",
        'chrome-json counts from midnight of the day before. A launch of several activities is one slice with several arrows.',
        '32,768 CPU slices are buffered and sorted by start. Launches that have left the buffer get no arrows; a note counts them.',
        '--align job: ranks on the clock of dprof ranks, with an arrow from each rank that waits in a collective to',
        'the one that joins last, and from each send to its receive. It and --step read their FILEs twice.',
        'With --flows, 32,768 device slices are buffered too, and instructions show what they waited for, with semaphores.',
        'Memory: at most 450 MB, and 48 bytes per launch.',
      ],
    ],
    examples: [
      'dprof perfetto -o net.pftrace net.sqlite',
      'dparse --ranges ranks/*.json.gz | dprof perfetto -o ranks.pftrace',
      'dprof perfetto --align job --rank 0-7 --step 3-4 -o job.pftrace ranks/*.json.gz',
      'dprof perfetto --critical-path --align job -o job.pftrace ranks/*.json.gz',
      'dprof perfetto -f chrome-json trace.json.gz | gzip > net.json.gz',
    ],
  },
  ['pftrace', 'chrome-json'],
  async (given, request) => {
    const { format } = request;
    const align = given.read('align', (text) => requireName('alignment', text, ALIGNMENTS)) ?? 'unix';
    const chosen = { ranks: numbersOf(given, 'rank'), steps: numbersOf(given, 'step') };
    const isBinary = format === 'pftrace';
    if (isBinary) refuseTerminal(request.output, 'a binary trace');
    const job = align === 'job' || chosen.steps !== null ? await readJob(request) : null;
    const paths = await readPaths(given, request);
    const window = new TraceWindow(chosen, job);
    const trace = isBinary ? new ProtobufTrace() : new ChromeTrace();
    const events = new TraceBuilder(
      (event) => trace.take(event),
      align === 'start' ? 'start' : 'unix',
      readPeaks(given),
      given.on('flows'),
      align === 'job' && job !== null ? (nextFlow) => window.arrows(job, nextFlow) : null,
    );
    const times = align === 'job' && job !== null ? new JobTimes(job.report, job.profiles) : null;
    /** The path of a profile in the selected time. */
    const pathOf = (profile: number): PathRange[] => {
      const { from, to } = request.choice?.windowOf(profile) ?? ALWAYS;
      return (paths.get(profile) ?? [])
        .filter(({ start, dur }) => window.isInSteps(profile, start) && start < to && start + dur > from)
        .map((range) => (times === null ? range : { ...range, ...times.spanOf(profile, range.start, range.dur) }));
    };
    const { counts } = events;
    const isEmpty = (): boolean => counts.slices + counts.instants + counts.counters === 0;
    await runAnalysis(request, {
      analysis: {
        types: TRACE_TYPES,
        inFull: true,
        // Both passes must read the same profiles.
        ...(job === null ? {} : { skipUnreadable: true as const }),
        take: (record: ProfileLine) => {
          const shown = window.shown(record);
          if (shown) events.take(times === null ? record : times.retimed(record));
          else events.skip(record);
          if (shown && record.type === 'profile') events.path(pathOf(record.profile));
        },
        finish: () => {
          events.end();
          if (isEmpty()) throw window.isPart ? nothingChosen() : nothing(events);
          return { facts: null, notes: notesOf(events).map(lineOnly) };
        },
      },
      // Null before the first event, so that an input without events leaves stdout empty.
      ready: () => (isEmpty() ? null : trace.ready()),
      isDocument: true,
      print: (_answer, write) => write(trace.end()),
    });
  },
);
