/** `dprof memory`: memory in use over time, its peak, and what held it then. */
import { CATEGORY_RULES, type Owner } from '../../../prof/memory/allocations.js';
import { MemoryTimeline } from '../../../prof/memory/memory-timeline.js';
import { CURVE_POINTS, Memory, memoryDocument, type MemoryReport } from '../../../prof/memory/memory-report.js';
import { jsonLines, legible } from '../../../record/control-characters.js';
import { UsageError } from '../../../record/errors.js';
import { integer } from '../../arguments.js';
import { unfit } from '../../shared-options.js';
import { recordsCommand, withTableFormats, type RecordsRequest } from '../../records-command.js';
import { printTable, runAnalysis, profileHeading } from '../../run-analysis.js';
import type { Point } from '../../../prof/memory/bounded-curve.js';
import type { Peak, Series } from '../../../prof/memory/device-memory.js';
import { counted } from '../../../record/plural.js';
import { amountText, inUnit, MICROSECOND, UNKNOWN } from '../../../record/units.js';
import type { Column } from '../../../table/column.js';
import { readable } from '../../../table/readable.js';
import { alignedTable } from '../../../write/cell-text.js';

/** Characters of the longest bar of a curve. */
const BAR = 50;
/** PyTorch's name for the host. */
const HOST = 'CPU';

const number = <Row>(header: string, value: (row: Row) => number | null, unit?: 'ns' | 'bytes'): Column<Row> => ({
  ...{ key: header, header, type: 'int', width: 0, doc: '', value },
  ...(unit === undefined ? {} : { unit }),
});

const text = <Row>(header: string, value: (row: Row) => string): Column<Row> => ({
  ...{ key: header, header, type: 'str', width: 0, doc: '', value },
});

const TIME = readable(
  number('at_us', ({ at }: Point) => at, 'ns'),
  'at_us',
);
const SIZE = readable(
  number('MiB', ({ value }: Point) => value, 'bytes'),
  'MiB',
);

const SERIES_COLUMNS: readonly Column<Series>[] = [
  text('metric', ({ metric }) => metric),
  text('of', ({ of }) => (of === '' ? '-' : of)),
  number('samples', ({ curve }) => curve.samples),
  number('highest_bytes', ({ curve, whole }) => curve.peak?.value ?? whole),
  readable(
    number('at_us', ({ curve }) => curve.peak?.at ?? null, 'ns'),
    'at_us',
  ),
  number('last_bytes', ({ curve }) => curve.last?.value ?? null),
];

const deviceText = ({ device }: MemoryReport): string => (device === null ? UNKNOWN : String(device));
const placeText = (report: MemoryReport): string =>
  report.device === null && report.series.every(({ of }) => of === HOST) ? 'host' : `device ${deviceText(report)}`;
const nameOf = ({ metric, of }: Series): string => (of === '' ? metric : `${metric} ${of}`);

function peakLines({ peak, step }: MemoryReport): string[] {
  const when = peak.start === null ? 'of the whole profile' : `at ${inUnit(peak.start, MICROSECOND)} us`;
  const during = peak.start === null ? '' : `, step ${step ?? UNKNOWN}, op ${peak.op ?? UNKNOWN}`;
  const first = 'in addition to what was allocated at the first event, which the profile does not have';
  return [
    `peak ${peak.value} bytes (${amountText(peak.value, 'memory')}) of ${nameOf(peak.series)} ${when}${during}`,
    ...(peak.series.metric === 'memory_allocated_since_first' ? [first] : []),
  ];
}

/** Owners as columns; shares are of the peak. */
const ownerColumns = (peak: number): Column<Owner>[] => [
  number('bytes', ({ bytes }) => bytes),
  { ...number('%', ({ bytes }: Owner) => (peak > 0 ? (100 * bytes) / peak : null)), type: 'real', digits: 1 },
  number('allocations', ({ allocations }) => allocations),
  text('', ({ name }) => name),
];

function ownerLines(owners: readonly Owner[], peak: number, top: number): string[] {
  const lines = alignedTable(ownerColumns(peak), owners.slice(0, top));
  const others = owners.slice(top);
  const bytes = others.reduce((sum, owner) => sum + owner.bytes, 0);
  return others.length === 0 ? lines : [...lines, `and ${others.length} more with ${bytes} bytes`];
}

function ownersBlocks({ value, owners }: Peak, top: number): string[] {
  if (owners === null) return [];
  const { ops, categories } = owners;
  return [
    ...(ops.length > 0 ? ['', '## Ops at the peak', ...ownerLines(ops, value, top)] : []),
    '',
    '## Categories at the peak',
    ...ownerLines(categories, value, top),
  ];
}

function curveLines(series: Series): string[] {
  const { curve } = series;
  const highest = curve.peak?.value ?? 0;
  const bar = text('', ({ value }: Point) =>
    '#'.repeat(highest > 0 ? Math.max(0, Math.round((BAR * value) / highest)) : 0),
  );
  const title = `## Curve of ${nameOf(series)}, from ${counted(curve.samples, 'sample')}`;
  return ['', title, ...alignedTable([TIME, SIZE, bar], curve.points)];
}

/** @param top owners at most in each list */
export function memoryScreen(report: MemoryReport, top: number): string {
  const { profile, header, peak, series } = report;
  const timed = series.filter(({ curve }) => curve.samples > 0);
  // Where the peak is a value of the whole profile, what is over time is something else: buffers of a core.
  const [listed, curves] = peak.series.curve.samples > 0 ? [series, [peak.series]] : [timed, timed];
  const lines = [
    `${profileHeading(profile, header)}, ${placeText(report)}`,
    ...peakLines(report),
    ...ownersBlocks(peak, top),
    ...(listed.length > 0 && timed.length > 0 ? ['', '## Series', ...alignedTable(SERIES_COLUMNS, listed)] : []),
    ...curves.flatMap(curveLines),
  ];
  return `${lines.map(legible).join('\n')}\n`;
}

/** Points of a curve that fit a screen. */
const SCREEN_POINTS = 24;
const TOP = 20;
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
    about: ['Memory in use over time on each device and the host: its peak, when it was, and which ops held it then.'],
    operands: [
      'FILE: records of dparse (also .gz), or a profile. Default: stdin. Needs samples of memory: those of a PyTorch',
      'trace (profile_memory=True; NVIDIA, AMD, Ascend), of Nsight Systems (--cuda-memory-usage=true), or of AWS Neuron,',
      'which has SBUF and PSUM over time (in its JSON), and memory of the device by kind.',
    ],
    options: [
      { name: 'points', takes: 'N', help: `at most N points a curve (text ${SCREEN_POINTS}, else ${CURVE_POINTS})` },
      { name: 'top', takes: 'N', help: `at most N owners in text (${TOP})` },
      {
        name: 'device',
        takes: 'DEV',
        help: 'only this device, by its number, or host (timeline: 0)',
        formerly: { name: 'of' },
      },
    ],
    unfit: {
      ...unfit(['from', 'to', 'step'], 'what is held depends on all before: -f csv --points N has a row a time'),
      ...unfit(['where'], 'it has no kernels: dprof --where EXPR lists some'),
      ...unfit(['peaks'], 'it has no rates: dprof summary --peaks DEV'),
    },
    notes: [
      [
        'text: peak, owners at the peak, highest value of each series, curve of the series that has the peak.',
        'json: one object a line and device, all curves in it. Others: a row a point of each curve. Times ns, sizes bytes.',
        'timeline, timeline-raw: as export_memory_timeline of PyTorch writes .json and .raw.json, of one device. Piped to',
        'gzip: its .gz. No record names the tensor of an allocation: its categories are given by the rules below, and',
        'what none holds for is unknown (counted on stderr), as are PARAMETER and INPUT always.',
        'Curves of many samples keep the lowest and the highest value of each interval, the peak always.',
        'allocated before: the peak without the allocations in the profile. Unknown is na (json: null).',
        'since_first: traces of 2021 have sizes alone, neither totals nor what is released when.',
        'Memory: at most 300 MB, and 24 bytes an allocation that is held; timeline 80 bytes an allocation.',
      ],
      CATEGORY_RULES.map(([category, rule]) => `${category}: ${rule}.`),
    ],
    examples: [
      'dprof memory net.pt.trace.json.gz',
      'dparse ASCEND_PROFILER_OUTPUT | dprof memory -f csv --points 5000 > curve.csv',
      'dprof memory -f timeline --device 0 trace_view.json | gzip > timeline.json.gz',
      "dprof memory -f json net.jsonl | jq '[.rank, .peak.bytes, .peak.op]'",
    ],
  },
  withTableFormats('text', 'json', ...TIMELINES),
  async (given, request) => {
    const { format } = request;
    const device = given.read('device', (text) => (text === 'host' ? null : integer('--device', text, 0)));
    if (TIMELINES.includes(format)) {
      const stray = ['points', 'top'].find((name) => given.text(name) !== undefined);
      if (stray !== undefined) throw new UsageError(`--${stray} and -f ${format} exclude each other`);
      return timeline(request, device === undefined ? 0 : device);
    }
    const usual = format === 'text' ? SCREEN_POINTS : CURVE_POINTS;
    const points = given.read('points', (text) => integer('--points', text, 4)) ?? usual;
    const top = given.read('top', (text) => integer('--top', text, 1)) ?? TOP;
    await runAnalysis(request, {
      analysis: new Memory(points, device),
      print: ({ table, facts }, write) => {
        if (format === 'text') return write(facts.map((report) => memoryScreen(report, top)).join('\n'));
        return format === 'json' ? write(jsonLines(facts.map(memoryDocument))) : printTable(table, format, write);
      },
    });
  },
);
