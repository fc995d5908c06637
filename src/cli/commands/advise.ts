/** `dprof advise`: what is worth changing, with the figures that show it. */
import { isDecimal } from '../../record/units.js';
import { FINDING_COLUMNS } from '../../prof/advise/finding.js';
import { Adviser, MIN_SHARE, type AdviserOptions } from '../../prof/advise/adviser.js';
import { RULES, rulesNamed } from '../../prof/advise/rules.js';
import { Annotator } from '../../prof/report/report.js';
import { UsageError } from '../../record/errors.js';
import { aligned } from '../../write/cell-text.js';
import { integer, type Arguments } from '../arguments.js';
import { DEVICE_MEMORY, recordsCommand, withTableFormats } from '../records-command.js';
import { PEAKS_OPTION, readPeaks } from '../peaks-option.js';
import { CHOICE_OPTIONS } from '../choice-options.js';
import { columnNotes, columnsOption, tableChoice, unfit } from '../shared-options.js';
import { printAnswer, runAnalysis } from '../run-analysis.js';
import { adviceMarkdown, adviceScreen } from '../screens/advice.js';
import { jsonLines } from '../../record/control-characters.js';

const RULE_NAMES = RULES.map(({ name }) => name);

/** Default maximum number of findings in text and markdown. */
const TOP = 10;

const readOptions = (given: Arguments): Required<Omit<AdviserOptions, 'onIdle'>> => ({
  rules: given.read('rule', (text) => rulesNamed(text.split(','))) ?? RULES,
  minShare: given.read('min-share', percentage) ?? MIN_SHARE,
  top: given.read('top', (text) => integer('--top', text, 1)) ?? Infinity,
});

/** Parses `2`, `0.5` or `5%` into a fraction of 1. */
function percentage(text: string): number {
  const number = text.replace(/%$/, '');
  const value = isDecimal(number) ? Number(number) : NaN;
  if (!(value >= 0 && value <= 100))
    throw new UsageError(`--min-share takes a percentage from 0 to 100, not '${text}'`);
  return value / 100;
}

export const advise = recordsCommand(
  {
    name: 'dprof advise',
    usage: 'dprof advise [OPTION...] [FILE...]',
    about: ['What to change: findings of rules, each with its figures, its kernels and the possible gain.'],
    operands: ['FILE: dparse records (also .gz; of several profiles for ranks), or a profile. Default: stdin.'],
    options: [
      columnsOption(FINDING_COLUMNS.map(({ key }) => key)),
      {
        name: 'top',
        takes: 'N',
        help: `at most N findings (default: ${TOP} in text and markdown, all in other formats)`,
      },
      { name: 'rule', takes: 'NAMES', help: 'only these rules, comma-separated', values: RULE_NAMES, list: true },
      {
        name: 'min-share',
        takes: 'P',
        help: `hide findings below P % of device time, by gain or else by time at stake (${MIN_SHARE * 100})`,
      },
      { name: 'all', help: 'also the rules without a finding, and why they have none' },
      PEAKS_OPTION,
      ...CHOICE_OPTIONS,
    ],
    unfit: {
      ...unfit(['where'], 'gains cover all work; use --rule NAMES to select findings'),
      ...unfit(['sort'], 'findings are sorted by possible gain'),
    },
    notes: [
      ['Rules:', ...aligned(RULES.map(({ name, doc }) => [`  ${name}`, doc]))],
      columnNotes('Columns:', FINDING_COLUMNS),
      [
        '"at most": gain if the device reached its peak or never waited; "about": memory traffic saved, at peak bandwidth.',
        'Findings about the program come first, then those about the profile. Each list begins with rule job, then is sorted by',
        'possible gain; an unknown gain counts as half of the time at stake. A cause comes before its effect.',
        'A finding may cover several devices or ranks. Gains do not add up.',
        'Each profile begins with a verdict (json: and the parts of device time), except with --rule.',
        'json: one object per line, times in ns; with --all also {rule, why} for rules without a finding.',
        `Ranges (dparse --ranges) show when data was loaded. Memory: at most 300 MB, a few MB per rank, ${DEVICE_MEMORY}.`,
      ],
    ],
    examples: [
      'dprof advise trace.json.gz',
      'dparse ranks/*.json.gz | dprof advise --rule job,exposed-collectives',
      'dprof advise -f markdown -o advice.md net.nsys-rep.sqlite',
      "dprof advise -f json net.jsonl | jq -r '.answer[] | select(.rule) | [.rule, .gain.ns] | @tsv'",
    ],
  },
  withTableFormats('text', 'json', 'markdown'),
  async (given, request) => {
    const options = readOptions(given);
    const documents = ['json', 'markdown'];
    const chosen = tableChoice(given, FINDING_COLUMNS, { ...request, documents, hasTextTop: true });
    const all = given.on('all');
    await runAnalysis(request, {
      analysis: new Adviser(options),
      annotator: new Annotator(readPeaks(given)),
      print: ({ table, facts: adviser }, write) => {
        const top = Number.isFinite(options.top) ? options.top : TOP;
        const advice = { ...{ adviser, ...options, top, all }, files: request.files, width: request.width };
        return printAnswer(table, { ...request, chosen }, write, {
          text: () => adviceScreen(advice),
          json: () => jsonLines(adviser.lines(all)),
          markdown: () => adviceMarkdown(advice),
        });
      },
    });
  },
);
