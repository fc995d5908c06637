/** `dprof memory`: records → memory in use over time, its peak, and who held it then. */
import { counted } from '../../record/plural.js';
import { UserError } from '../../record/errors.js';
import { Memory, MEMORY_TYPES } from '../../prof/memory/memory.js';
import { integer, optionLines, type Option, type Tool } from '../arguments.js';
import type { Command } from '../commands.js';
import { memoryCsv, memoryJson, memoryText, type MemoryShown } from './memory/memory-text.js';
import { commonOptions, runAnalysis, readCommon } from '../run-analysis.js';
import { withOutput } from '../output.js';

const FORMATS = ['text', 'json', 'csv'] as const;
type Format = (typeof FORMATS)[number];
/** Points of a curve: what fits a screen, and what a plot can show. */
const POINTS: Readonly<Record<Format, number>> = { text: 24, json: 1000, csv: 1000 };
const TOP = 20;
const [FORMAT, ...OTHER_OPTIONS] = commonOptions(FORMATS);

const OPTIONS: readonly Option[] = [
  FORMAT,
  { name: 'points', takes: 'N', help: `at most N points a curve (text ${POINTS.text}, else ${POINTS.json})` },
  { name: 'top', takes: 'N', help: `at most N owners in text (${TOP})` },
  ...OTHER_OPTIONS,
];

const MEMORY: Tool = { name: 'dprof memory', usage: 'dprof memory [OPTION...] [FILE...]', options: OPTIONS };

const memoryHelp = (): string =>
  [
    `Usage: ${MEMORY.usage}`,
    'Memory in use over time on each device and the host: its peak, when it was, and which ops held it then.',
    '',
    'FILE: records of dparse (also .gz), or a profile. Default: stdin. Needs samples of memory: those of a',
    'PyTorch trace (profile_memory=True; NVIDIA, AMD, Ascend), or of AWS Neuron, which tells memory by kind but not',
    'over time.',
    '',
    'Options:',
    ...optionLines(OPTIONS),
    '',
    'text: peak, owners at the peak, highest value of each series, curve of the series that has the peak.',
    'json: one object a line and device, all curves in it. csv: a line a point of each curve. Times ns, sizes bytes.',
    'Curves of many samples keep the lowest and the highest value of each stretch of time, the peak always.',
    'allocated before: what the peak has beyond the allocations in the profile. Unknown is na (json: null).',
    'since_first: traces of 2021 tell sizes alone, neither totals nor what is released when.',
    'Memory: at most 250 MB, and 24 bytes an allocation that is held.',
    '',
    'Examples:',
    '  dprof memory net.pt.trace.json.gz',
    '  dparse ASCEND_PROFILER_OUTPUT | dprof memory -f csv --points 5000 > curve.csv',
    "  dprof memory -f json net.jsonl | jq '[.rank, .peak.bytes, .peak.op]'",
    '',
  ].join('\n');

async function run(args: readonly string[]): Promise<void> {
  const { given, common } = readCommon(MEMORY, args, FORMATS);
  if (common.help) return withOutput(undefined, [], async (write) => write(memoryHelp()));
  const points = given.read('points', (text) => integer('--points', text, 4)) ?? POINTS[common.format];
  const shown: MemoryShown = { top: given.read('top', (text) => integer('--top', text, 1)) ?? TOP };
  const memory = new Memory(points);
  await runAnalysis(common, {
    types: MEMORY_TYPES,
    take: (record) => {
      memory.take(record);
    },
    end: (write) => {
      const { reports } = memory;
      if (reports.length === 0) throw nothing(memory);
      if (common.format === 'json') return write(reports.map(memoryJson).join(''));
      if (common.format === 'csv') return write(memoryCsv(reports));
      return write(reports.map((report) => memoryText(report, shown)).join('\n'));
    },
    notes: () =>
      memory.ignored > 0 ? [`too many series of memory: ${counted(memory.ignored, 'sample')} left out`] : [],
  });
}

function nothing({ formats }: Memory): UserError {
  if (formats.has('neuron-monitor')) {
    return new UserError('reports of neuron-monitor are no profile', { hint: 'dprof monitor FILE' });
  }
  const isPyTorch = [...formats].some((format) => format === 'kineto' || format.startsWith('ascend'));
  return new UserError('no samples of memory', {
    hint: isPyTorch ? 'profile with profile_memory=True' : 'known: PyTorch with profile_memory=True, AWS Neuron',
  });
}

export const memory: Command = { tool: MEMORY, helpText: memoryHelp, run };
