/** `dprof overlap`: which streams, categories or other kinds of work run at once, and how long. */
import { CHOICE_OPTIONS } from '../choice-options.js';
import { COLUMNS, requireColumn } from '../../prof/columns/columns.js';
import { MOST_KINDS, OTHERS } from '../../prof/overlap/overlap-sweep.js';
import { MEASURED_COLUMNS, Overlap, OVERLAP_COLUMNS, overlapDocument } from '../../prof/overlap/overlap.js';
import { Annotator } from '../../prof/report/report.js';
import { jsonLines } from '../../record/control-characters.js';
import { integer, type Arguments } from '../arguments.js';
import { DEVICE_MEMORY, recordsCommand, withTableFormats, type RecordsRequest } from '../records-command.js';
import { printAnswer, printTable, runAnalysis } from '../run-analysis.js';
import { overlapScreen } from '../screens/overlap.js';
import { columnNotes, tableChoice, tableOptions, unfit } from '../shared-options.js';

/** Number of kinds in a matrix of the text, by default. */
const MOST_IN_TEXT = 12;

async function runMeasured(given: Arguments, request: RecordsRequest): Promise<void> {
  const chosen = tableChoice(given, MEASURED_COLUMNS, request);
  const isText = request.format === 'text';
  const format = chosen?.format ?? (isText ? (request.width === null ? 'table' : 'fitted') : request.format);
  await runAnalysis(
    { ...request, format },
    {
      analysis: new Overlap(given.read('by', requireColumn) ?? requireColumn('tc'), true),
      annotator: new Annotator(null, false),
      print: ({ table }, write) =>
        printTable(chosen !== null && table !== undefined ? chosen.of(table) : table, format, write, request.width),
    },
  );
}

export const overlap = recordsCommand(
  {
    name: 'dprof overlap',
    usage: 'dprof overlap [OPTION...] [FILE...]',
    schemaOf: (given) => (given.on('measured') ? 'overlap-measured' : 'overlap'),
    about: ['How long two streams, categories or other kinds of work run at once, as a matrix for each device.'],
    operands: ['FILE: dparse records (also .gz), or a profile. Default: stdin.'],
    options: [
      {
        name: 'by',
        takes: 'KEY',
        help: 'dprof column by which work is divided into kinds: stream, category, op … (stream)',
        values: COLUMNS.map(({ key }) => key),
      },
      { name: 'measured', help: "what the GPU's counters show while only one kind runs (Nsight)" },
      ...CHOICE_OPTIONS,
      ...tableOptions([...new Set([...OVERLAP_COLUMNS, ...MEASURED_COLUMNS].map(({ key }) => key))]),
    ],
    unfit: {
      ...unfit(['where'], 'whether work runs alone depends on all work; -f csv -c kind,other,both lists every pair'),
      ...unfit(['peaks'], 'overlap has no rates; use dprof --by category --peaks DEV'),
    },
    notes: [
      columnNotes('Columns:', OVERLAP_COLUMNS),
      columnNotes('Columns of --measured:', MEASURED_COLUMNS),
      [
        'Waits do not count as work. Time in which work of one kind overlaps counts once for that kind. With any KEY but stream,',
        'copies by copy engines (memcpy), memsets, graphs and collective operations are separate kinds. A device has at most',
        `${MOST_KINDS} kinds; the rest is one kind, ${OTHERS}.`,
        'Output: for each kind of work, text has the time it ran (active) and the share of that time during which it ran',
        `alone or with each other kind, for the ${MOST_IN_TEXT} kinds with the most time. json has one object per device, with all kinds;`,
        'other formats have one row per pair of kinds. --top N keeps the first N kinds in text and json, and rows elsewhere.',
        '--measured prints another table: for each kind of work, the periods between samples of the GPU counters in which no other',
        'kind ran (nsys profile --gpu-metrics-devices=all), with the means of active SMs, active tensor cores and memory traffic.',
        'With --by tc, this shows whether kernels whose names suggest tensor cores kept them active.',
        `Memory: 150 MB, and ${DEVICE_MEMORY}.`,
      ],
    ],
    examples: [
      'dprof overlap net.pt.trace.json.gz',
      'dprof overlap --by category net.sqlite',
      'dprof overlap --by tc --measured net.sqlite',
      "dprof overlap --by category -f csv -c kind,other,both,share net.jsonl | grep '^communication,'",
    ],
  },
  withTableFormats('text', 'json'),
  async (given, request) => {
    const { format, width } = request;
    if (given.on('measured')) return runMeasured(given, request);
    const chosen = tableChoice(given, OVERLAP_COLUMNS, { ...request, documents: ['json'], hasTextTop: true });
    const top = given.read('top', (text) => integer('--top', text, 1));
    const by = given.read('by', requireColumn) ?? requireColumn('stream');
    await runAnalysis(request, {
      analysis: new Overlap(by),
      isDocument: format === 'json',
      annotator: new Annotator(null, false),
      print: ({ table, facts }, write) =>
        printAnswer(table, { format, width, chosen }, write, {
          text: () => facts.map((device) => overlapScreen(device, by.key, top ?? MOST_IN_TEXT, width)).join('\n'),
          json: () => jsonLines(facts.map((device) => overlapDocument(device, top))),
        }),
    });
  },
);
