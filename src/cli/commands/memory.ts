/** `dprof memory`: memory in use over time, its peak, and the ops that held it at the peak. */
import { CATEGORY_RULES } from '../../prof/memory/allocations.js';
import { MemoryTimeline } from '../../prof/memory/memory-timeline.js';
import { CURVE_COLUMNS, CURVE_POINTS, Memory, memoryDocument } from '../../prof/memory/memory-report.js';
import { jsonLines } from '../../record/control-characters.js';
import { UsageError } from '../../record/errors.js';
import { integer } from '../arguments.js';
import { RANK_OPTION, TIME_NAMES } from '../choice-options.js';
import { columnNotes, columnsOption, sortOption, tableChoice, unfit } from '../shared-options.js';
import { recordsCommand, withTableFormats, type RecordsRequest } from '../records-command.js';
import { printAnswer, runAnalysis } from '../run-analysis.js';
import { memoryScreen } from '../screens/memory.js';

/** Number of curve points that fit on a screen. */
const SCREEN_POINTS = 24;
const TOP = 20;
const CURVE_KEYS = CURVE_COLUMNS.map(({ key }) => key);
const TIMELINES: readonly string[] = ['timeline', 'timeline-raw'];

/** @param device null for the host */
const timeline = (request: RecordsRequest, device: number | null): Promise<void> =>
  runAnalysis(request, {
    analysis: new MemoryTimeline(device),
    isDocument: true,
    print: async ({ facts }, write) => {
      for (const piece of request.format === 'timeline' ? facts.coalesced() : facts.raw()) await write(piece);
      await write('\n');
    },
  });

export const memory = recordsCommand(
  {
    name: 'dprof memory',
    usage: 'dprof memory [OPTION...] [FILE...]',
    about: ['Memory in use over time on each device and the host: the peak, its time, and the ops that held it then.'],
    operands: [
      'FILE: dparse records (also .gz), or a profile. Default: stdin. Needs memory samples: from a PyTorch',
      'trace (profile_memory=True; NVIDIA, AMD, Ascend), Nsight Systems (--cuda-memory-usage=true), or AWS Neuron',
      '(device memory by kind; its JSON also has SBUF and PSUM over time).',
    ],
    options: [
      { name: 'points', takes: 'N', help: `at most N points per curve (text ${SCREEN_POINTS}, else ${CURVE_POINTS})` },
      columnsOption(CURVE_KEYS),
      sortOption(CURVE_KEYS),
      { name: 'top', takes: 'N', help: `at most N owners (text: ${TOP}), or N rows of a table` },
      {
        name: 'device',
        takes: 'DEV',
        help: 'only this device, by its number, or host (timeline: 0)',
        formerly: { name: 'of' },
      },
      RANK_OPTION,
    ],
    unfit: {
      ...unfit(
        [...TIME_NAMES, 'step', 'stream'],
        'memory in use depends on all earlier events; -f csv --points N writes one row per time',
      ),
      ...unfit(['where'], 'memory has no kernels; use dprof --where EXPR'),
      ...unfit(['peaks'], 'memory has no rates; use dprof summary --peaks DEV'),
    },
    notes: [
      columnNotes('Columns:', CURVE_COLUMNS),
      [
        'text: the peak, its owners, the highest value of each series, and the curve of the series with the peak.',
        "A PyTorch memory snapshot (torch.cuda.memory._dump_snapshot) also has the allocator's segments, and what was",
        'never released. Its owners are stacks, innermost frame first.',
        'json: one object per line and device, with all curves. Other formats: one row per point of each curve. Times are in ns, sizes in bytes.',
        "timeline, timeline-raw: the .json and .raw.json of PyTorch's export_memory_timeline, for one device. Piped to",
        'gzip, its .gz. Records do not name the tensor of an allocation, so the rules below set its category; an allocation that no',
        'rule fits is unknown (counted on stderr). PARAMETER and INPUT are never known.',
        'Curves with many samples keep the lowest and highest value of each interval, and always the peak.',
        'allocated before: the peak minus the allocations in the profile, where that is not 0. Unknown is na (json: null).',
        'since_first: traces from 2021 have only sizes, no totals and no releases.',
        'Memory: at most 300 MB, and 24 bytes per live allocation; timeline: 80 bytes per allocation.',
      ],
      CATEGORY_RULES.map(([category, rule]) => `${category}: ${rule}.`),
    ],
    examples: [
      'dprof memory net.pt.trace.json.gz',
      'dprof memory memory.pickle',
      'dparse ASCEND_PROFILER_OUTPUT | dprof memory -f csv --points 5000 > curve.csv',
      'dprof memory -f timeline --device 0 trace_view.json | gzip > timeline.json.gz',
      "dprof memory -f json net.jsonl | jq '.answer[] | [.rank, .peak.bytes, .peak.op]'",
    ],
  },
  withTableFormats('text', 'json', ...TIMELINES),
  async (given, request) => {
    const { format } = request;
    const device = given.read('device', (text) => (text === 'host' ? null : integer('--device', text, 0)));
    if (TIMELINES.includes(format)) {
      const stray = ['points', 'top', 'cols', 'sort'].find((name) => given.text(name) !== undefined);
      if (stray !== undefined)
        throw new UsageError(`${stray === 'cols' ? '-c' : `--${stray}`} cannot be combined with -f ${format}`);
      return timeline(request, device === undefined ? 0 : device);
    }
    const documents = ['json', ...TIMELINES];
    const chosen = tableChoice(given, CURVE_COLUMNS, { ...request, documents, hasTextTop: true });
    const usual = format === 'text' ? SCREEN_POINTS : CURVE_POINTS;
    const points = given.read('points', (text) => integer('--points', text, 4)) ?? usual;
    const top = given.read('top', (text) => integer('--top', text, 1));
    await runAnalysis(request, {
      analysis: new Memory(points, device),
      print: ({ table, facts }, write) =>
        printAnswer(table, { ...request, chosen }, write, {
          text: () => facts.map((report) => memoryScreen(report, top ?? TOP, request.width)).join('\n'),
          json: () => jsonLines(facts.map((report) => memoryDocument(report, top))),
        }),
    });
  },
);
