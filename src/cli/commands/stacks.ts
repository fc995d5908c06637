/** `dprof stacks`: records → device time by stack, for flame graphs. */
import { FRAME_KINDS, frameKind, type FrameKind } from '../../prof/stacks/frames.js';
import { MOST_TEXT, OTHERS } from '../../prof/stacks/merged.js';
import { Stacks } from '../../prof/stacks/stacks.js';
import type { RecordTypes } from '../../prof/input/records.js';
import { counted } from '../../record/plural.js';
import { nearest, UsageError, UserError } from '../../record/errors.js';
import { clean, word } from '../../write/cell-text.js';
import { aligned } from '../aligned.js';
import { optionLines, type Option, type Tool } from '../arguments.js';
import type { Command } from '../commands.js';
import { speedscope } from './stacks/stacks-speedscope.js';
import { commonOptions, runAnalysis, readCommon } from '../run-analysis.js';
import { withOutput, type Write } from '../output.js';

const FORMATS = ['collapsed', 'speedscope'] as const;
const DEFAULT_KINDS = 'stack,op,kernel';
const [FORMAT, ...OTHER_OPTIONS] = commonOptions(FORMATS);

const OPTIONS: readonly Option[] = [
  FORMAT,
  { name: 'by', takes: 'KINDS', help: `frames of a stack, outermost first (${DEFAULT_KINDS})` },
  { name: 'root', takes: 'KINDS', help: 'frames to put before them, as rank,step' },
  { name: 'collectives', help: 'count collective operations too, which overlap with kernels' },
  ...OTHER_OPTIONS,
];

const STACKS: Tool = { name: 'dprof stacks', usage: 'dprof stacks [OPTION...] [FILE...]', options: OPTIONS };

const stacksHelp = (): string =>
  [
    `Usage: ${STACKS.usage}`,
    'Device time by call stack, equal stacks added up: lines of FlameGraph, or a profile for speedscope.',
    '',
    'FILE: records of dparse (also .gz), a net.dict of PyProf, or a profile. Default: stdin.',
    '',
    'Options:',
    ...optionLines(OPTIONS),
    '',
    'KINDS of frames, comma-separated:',
    ...aligned(FRAME_KINDS.map(({ name, doc }) => [`  ${name}`, doc])),
    '',
    'collapsed: frame;frame;frame N, a line a stack, N the time of its kernels in ns. In a frame, blanks become _,',
    'semicolons commas. A kernel without a stack stands under [unknown]: all N together are the time of all kernels.',
    `Memory: at most 400 MB. Stacks beyond ${MOST_TEXT / 1024 / 1024} MB of text are added up in ${OTHERS}.`,
    '',
    'Examples:',
    '  dprof stacks trace.json.gz | flamegraph.pl --countname ns > net.svg',
    '  dprof stacks --by layer,op net.sqlite | sort -t" " -k2 -n | tail',
    '  dprof stacks --root rank,step -f speedscope -o net.speedscope.json records.jsonl',
    '',
  ].join('\n');

async function run(args: readonly string[]): Promise<void> {
  const { given, common } = readCommon(STACKS, args, FORMATS);
  if (common.help) return withOutput(undefined, [], async (write) => write(stacksHelp()));
  const root = given.read('root', (text) => kindsOf('--root', text)) ?? [];
  const kinds = [...root, ...kindsOf('--by', given.text('by') ?? DEFAULT_KINDS)];
  const isCollapsed = common.format === 'collapsed';
  const collectives = given.on('collectives');
  const stacks = new Stacks({ kinds, safe: isCollapsed ? collapsedFrame : clean, apart: !isCollapsed, collectives });
  const types: RecordTypes = new Set(['profile', 'kernel', 'end', ...(collectives ? (['collective'] as const) : [])]);
  await runAnalysis(common, {
    types,
    take: (record) => {
      stacks.take(record);
    },
    end: async (write, name) => {
      if (stacks.kernels === 0) throw nothing(stacks);
      await (isCollapsed ? collapsed(stacks, write) : speedscope(stacks.profiles, name, write));
    },
    notes: () => notesOf(stacks),
  });
}

/** @throws UsageError for a kind that does not exist */
function kindsOf(option: string, text: string): FrameKind[] {
  const names = text.split(',').map((name) => name.trim()).filter((name) => name !== ''); // prettier-ignore
  if (names.length === 0) throw new UsageError(`${option} needs a value`);
  return names.map((name) => {
    const kind = frameKind(name);
    if (kind !== null) return kind;
    const known = FRAME_KINDS.map((one) => one.name);
    const near = nearest(name, known);
    throw new UsageError(`no frames '${name}'`, near === null ? `known: ${known.join(', ')}` : `did you mean ${near}?`);
  });
}

/** One word without a semicolon. */
const collapsedFrame = (frame: string): string => word(frame.replaceAll(';', ','));

async function collapsed({ profiles }: Stacks, write: Write): Promise<void> {
  for (const { stacks } of profiles) {
    for (const { frames, ns } of stacks.sorted()) await write(`${frames.join(';')} ${ns}\n`);
  }
}

const nothing = ({ untimed }: Stacks): UserError =>
  new UserError(untimed === 0 ? 'no kernels' : `no kernels with a duration, ${untimed} without`);

function notesOf({ untimed, profiles }: Stacks): string[] {
  const others = profiles.reduce((sum, { stacks }) => sum + stacks.others, 0);
  return [
    ...(untimed > 0 ? [`${counted(untimed, 'kernel')} without a duration left out`] : []),
    ...(others > 0
      ? [`too many stacks: ${counted(others, 'kernel')} under ${OTHERS} (--by layer,op makes fewer)`]
      : []),
  ];
}

export const stacks: Command = { tool: STACKS, helpText: stacksHelp, run };
