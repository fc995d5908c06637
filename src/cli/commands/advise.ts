/** `dprof advise`: records → what is worth doing, with what shows it. */
import { Adviser, ADVICE_TYPES, MIN_SHARE } from '../../prof/advise/adviser.js';
import type { Rule } from '../../prof/advise/rule.js';
import { RULES } from '../../prof/advise/rules.js';
import type { Peaks } from '../../prof/roofline/peaks.js';
import { Annotator } from '../../prof/report.js';
import { counted } from '../../record/plural.js';
import { nearest, UsageError, UserError } from '../../record/errors.js';
import { aligned } from '../aligned.js';
import { integer, optionLines, type Arguments, type Option, type Tool } from '../arguments.js';
import { ADVICE_FORMATS, WRITERS } from './advise/advise-formats.js';
import type { Command } from '../commands.js';
import { chooseDevice } from '../report/report-options.js';
import { commonOptions, runAnalysis, readCommon } from '../run-analysis.js';
import { withOutput } from '../output.js';

const TOP = 10;
const [FORMAT, ...OTHER_OPTIONS] = commonOptions(ADVICE_FORMATS);

const OPTIONS: readonly Option[] = [
  FORMAT,
  { name: 'top', takes: 'N', help: `at most N findings (${TOP})` },
  { name: 'rule', takes: 'NAMES', help: 'only these rules, comma-separated' },
  {
    name: 'min-share',
    takes: 'P',
    help: `only what may gain P % of a device's time, or is about it where that is unknown (${MIN_SHARE * 100})`,
  },
  { name: 'all', help: 'also which rules found nothing, or could not look and why' },
  { name: 'device', takes: 'DEV', help: 'peak rates of DEV: a name of dprof --devices or a JSON file' },
  ...OTHER_OPTIONS,
];

const ADVISE: Tool = { name: 'dprof advise', usage: 'dprof advise [OPTION...] [FILE...]', options: OPTIONS };

const adviseHelp = (): string =>
  [
    `Usage: ${ADVISE.usage}`,
    'What is worth doing: rules with the figures that they rest on, the kernels they are about, and what may be gained.',
    '',
    'FILE: records of dparse (also .gz; of several profiles for ranks), or a profile. Default: stdin.',
    '',
    'Options:',
    ...optionLines(OPTIONS),
    '',
    'Rules:',
    ...aligned(RULES.map(({ name, doc }) => [`  ${name}`, doc])),
    '',
    '"at most": what is saved if the device reached its peak, or never waited; "about": what memory takes at its peak.',
    'Gains of several findings do not add up. Most gain first, then findings without, by the time they are about.',
    'json: an object a line, times in ns; with --all also {rule, why} of rules that say nothing.',
    'Ranges (dparse --ranges) tell when data was loaded. Memory: at most 250 MB.',
    '',
    'Examples:',
    '  dprof advise trace.json.gz',
    '  dparse ranks/*.json.gz | dprof advise --rule stragglers,exposed-collectives',
    '  dprof advise -f markdown -o advice.md net.nsys-rep.sqlite',
    "  dprof advise -f json net.jsonl | jq -r '[.rule, .gain.ns] | @tsv'",
    '',
  ].join('\n');

async function run(args: readonly string[]): Promise<void> {
  const { given, common } = readCommon(ADVISE, args, ADVICE_FORMATS);
  if (common.help) return withOutput(undefined, [], async (write) => write(adviseHelp()));
  const request = readRequest(given);
  const adviser = new Adviser(request);
  const annotator = new Annotator(request.device);
  await runAnalysis(common, {
    types: ADVICE_TYPES,
    take: (record) => {
      adviser.take(record, annotator.take(record));
    },
    end: (write) => {
      adviser.rest(annotator.rest());
      if (adviser.kernels + adviser.activities === 0) throw new UserError('no kernels, and no other work of a device');
      if (adviser.activities === 0) throw withoutTimes();
      return write(WRITERS[common.format]({ adviser, ...request }));
    },
    notes: () => notesOf(adviser),
  });
}

const withoutTimes = (): UserError =>
  new UserError('no record tells when it started and how long it took', {
    hint: 'a net.dict of PyProf has no times: run dparse on the profile itself',
  });

function notesOf({ untimed, disordered }: Adviser): string[] {
  return [
    ...(untimed > 0 ? [`${counted(untimed, 'record')} without a time left out of idle and busy times`] : []),
    ...(disordered > 0
      ? [`${counted(disordered, 'record')} not in order of start: idle and busy times are wrong`]
      : []),
  ];
}

interface Request {
  readonly rules: readonly Rule[];
  readonly minShare: number;
  readonly top: number;
  readonly all: boolean;
  readonly device: Peaks | null;
}

function readRequest(given: Arguments): Request {
  return {
    rules: given.read('rule', rulesNamed) ?? RULES,
    minShare: given.read('min-share', percentage) ?? MIN_SHARE,
    top: given.read('top', (text) => integer('--top', text, 1)) ?? TOP,
    all: given.on('all'),
    device: given.read('device', chooseDevice) ?? null,
  };
}

function rulesNamed(text: string): Rule[] {
  const names = text.split(',').map((name) => name.trim());
  const unknown = names.find((name) => !RULES.some((rule) => rule.name === name));
  if (unknown === undefined) return RULES.filter(({ name }) => names.includes(name));
  const near = nearest(unknown, RULES.map(({ name }) => name)); // prettier-ignore
  const hint = near === null ? `known: ${RULES.map(({ name }) => name).join(', ')}` : `did you mean ${near}?`;
  throw new UsageError(`unknown rule '${unknown}'`, hint);
}

/** A fraction of 1 from `2`, `0.5` or `5%`. */
function percentage(text: string): number {
  const value = /^(?:\d+\.?\d*|\.\d+)%?$/.test(text) ? Number(text.replace('%', '')) : NaN;
  if (!(value >= 0 && value <= 100)) throw new UsageError(`--min-share takes percent from 0 to 100, not '${text}'`);
  return value / 100;
}

export const advise: Command = { tool: ADVISE, helpText: adviseHelp, run };
