/** `dprof stacks`: device or host time by stack, for flame graphs. */
import { escapeControls, jsonOf } from '../../record/control-characters.js';
import { FRAME_KINDS, type FrameKind } from '../../prof/stacks/frames.js';
import {
  MOST_TEXT,
  OTHERS,
  shownStacks,
  SAMPLED_STACK_COLUMNS,
  STACK_COLUMNS,
  Stacks,
  type ProfileStacks,
  type StackUnit,
} from '../../prof/stacks/stack-sums.js';
import { HOST_FRAME_KINDS, HostStacks } from '../../prof/stacks/host-stacks.js';
import {
  CPU_FRAME_KINDS,
  CPU_STACK_KINDS,
  CpuStacks,
  unitOf,
  type CpuStackKind,
} from '../../prof/stacks/cpu-stacks.js';
import { UsageError, requireName, requireNamed } from '../../record/errors.js';
import { aligned, word } from '../../write/cell-text.js';
import { parseWhere } from '../../prof/query/kernel-query.js';
import type { Arguments } from '../arguments.js';
import { CHOICE_OPTIONS, TIME_NAMES } from '../choice-options.js';
import { tableChoice, tableOptions, unfit, WHERE_OPTION } from '../shared-options.js';
import type { Write } from '../output.js';
import { recordsCommand, withTableFormats } from '../records-command.js';
import { printTable, runAnalysis } from '../run-analysis.js';
import { version } from '../package-folder.js';

/** Source: speedscope's description of its file format (src/lib/file-format-spec.ts of jlfwong/speedscope). */
const SCHEMA = 'https://www.speedscope.app/file-format-schema.json';
/** A source line such as `torch/nn/modules/linear.py:116`. */
const SOURCE_LINE = /^(.+):(\d{1,9})$/;

function frame(name: string): object {
  const [, file, line] = SOURCE_LINE.exec(name) ?? [];
  return file === undefined ? { name } : { name, file, line: Number(line) };
}

/**
 * Writes stacks for speedscope piece by piece: the frames once, then for each profile its stacks as samples with weights in
 * ns, because the whole may exceed the longest possible string.
 */
export async function speedscope(
  profiles: readonly ProfileStacks[],
  name: string,
  write: Write,
  unit: StackUnit = 'ns',
): Promise<void> {
  const numbers = new Map<string, number>();
  const numberOf = (text: string): number => {
    let number = numbers.get(text);
    if (number === undefined) numbers.set(text, (number = numbers.size));
    return number;
  };
  await write(`{"$schema":${jsonOf(SCHEMA)},"exporter":${jsonOf(`dprof ${version()}`)}`);
  await write(`,"name":${jsonOf(name)},"activeProfileIndex":0,"profiles":[`);
  for (const [i, { name: title, stacks }] of profiles.entries()) {
    const head = {
      type: 'sampled',
      name: title,
      unit: unit === 'ns' ? 'nanoseconds' : 'none',
      startValue: 0,
      endValue: stacks.total,
    };
    await write(`${i === 0 ? '' : ','}${jsonOf(head).slice(0, -1)},"samples":[`);
    const weights: number[] = [];
    for (const { frames, ns } of stacks.sorted()) {
      await write(`${weights.length === 0 ? '' : ','}${JSON.stringify(frames.map(numberOf))}`);
      weights.push(ns);
    }
    await write(`],"weights":${JSON.stringify(weights)}}`);
  }
  await write('],"shared":{"frames":[');
  for (const [text, number] of numbers) await write(`${number === 0 ? '' : ','}${jsonOf(frame(text))}`);
  await write(']}}\n');
}

const DEFAULT_KINDS = 'stack,op,kernel';
const DEFAULT_HOST_KINDS = 'trace,op';
const namesOf = (kinds: readonly { readonly name: string }[]): string[] => kinds.map(({ name }) => name);
const KINDS = [...new Set([...namesOf(FRAME_KINDS), ...namesOf(HOST_FRAME_KINDS)])];

/** @throws UsageError for a kind that does not exist */
function kindsOf<Row>(option: string, text: string, known: readonly FrameKind<Row>[]): FrameKind<Row>[] {
  const names = text.split(',').flatMap((part) => (part.trim() === '' ? [] : [part.trim()]));
  if (names.length === 0) throw new UsageError(`${option} needs a value`);
  return names.map((name) => requireNamed('frames', name, known, (kind) => kind.name));
}

/**
 * Options that say nothing about the CPU. The call chains of a profile have no times.
 * @throws UsageError for one that was given
 */
function refuseStray(given: Arguments, cpu: CpuStackKind | undefined): void {
  const option = given.on('host') ? 'host' : cpu === undefined ? null : 'cpu';
  const names = ['device', 'stream', 'step', ...(option === 'cpu' ? TIME_NAMES : [])];
  const stray = option === null ? undefined : names.find((name) => given.text(name) !== undefined);
  if (stray === undefined) return;
  throw new UsageError(
    `--${stray} applies to ${option === 'cpu' && TIME_NAMES.includes(stray) ? 'events with a time' : 'devices'}, not to --${option ?? ''}`,
    option === 'cpu'
      ? 'the call chains have no times: they cover the whole profile'
      : 'use --range, or --from and --to, to select a time',
  );
}

/** A frame as one word without a semicolon. */
const collapsedFrame = (frame: string): string => word(frame.replaceAll(';', ','));

async function collapsed(profiles: readonly ProfileStacks[], write: Write): Promise<void> {
  for (const { stacks } of profiles) {
    for (const { frames, ns } of stacks.sorted()) await write(`${frames.join(';')} ${ns}\n`);
  }
}

export const stacks = recordsCommand(
  {
    name: 'dprof stacks',
    usage: 'dprof stacks [OPTION...] [FILE...]',
    about: ['Device time by call stack, summed over equal stacks: FlameGraph lines, or a profile for speedscope.'],
    operands: ['FILE: dparse records (also .gz), a PyProf net.dict, or a profile. Default: stdin.'],
    options: [
      {
        name: 'by',
        takes: 'KINDS',
        help: `kinds of frames in a stack, outermost first (${DEFAULT_KINDS})`,
        values: KINDS,
        list: true,
      },
      { name: 'root', takes: 'KINDS', help: 'frames to prepend, such as rank,step', values: KINDS, list: true },
      {
        name: 'cpu',
        takes: 'KIND',
        values: CPU_STACK_KINDS,
        help: 'call chains of the CPU instead: samples, or calls of system libraries (Nsight)',
        conflicts: ['host', 'collectives'],
      },
      { name: 'host', help: `CPU time of ops instead, without nested ops (--by ${DEFAULT_HOST_KINDS})` },
      {
        name: 'collectives',
        help: 'count collective operations too (they overlap with kernels)',
        conflicts: ['host'],
      },
      { ...WHERE_OPTION, conflicts: ['host', 'collectives', 'cpu'] },
      ...CHOICE_OPTIONS,
      ...tableOptions([...STACK_COLUMNS, ...SAMPLED_STACK_COLUMNS.slice(-1)].map(({ key }) => key)),
    ],
    unfit: unfit(['peaks'], 'stacks have no rates; use dprof --by layer,op --peaks DEV'),
    notes: [
      ['KINDS of frames, comma-separated:', ...aligned(FRAME_KINDS.map(({ name, doc }) => [`  ${name}`, doc]))],
      [
        `With --host: ${namesOf(HOST_FRAME_KINDS).join(', ')}; trace with all frames as the profile writes them.`,
        `With --cpu: ${namesOf(CPU_FRAME_KINDS).join(', ')} (--by trace). A sample counts 1, a call its time in ns.`,
      ],
      [
        'collapsed: frame;frame;frame N, one line per stack; N is the time of its kernels in ns. In a frame, spaces become _',
        'and semicolons become commas. Kernels without a stack are under [unknown], so all N add up to all kernel time.',
        `Memory: at most 400 MB. Stacks beyond ${MOST_TEXT / 1024 / 1024} MB of text are summed in ${OTHERS}.`,
      ],
    ],
    examples: [
      'dprof stacks trace.json.gz | flamegraph.pl --countname ns > net.svg',
      'dprof stacks --host --by trace trace_view.json > host.folded',
      'dprof stacks --cpu samples --root thread net.sqlite | flamegraph.pl > cpu.svg',
      'dprof stacks --by layer,op net.sqlite | sort -t" " -k2 -n | tail',
      'dprof stacks --root rank,step -f speedscope -o net.speedscope.json net.jsonl',
    ],
  },
  withTableFormats('collapsed', 'speedscope'),
  async (given, request) => {
    const kinds = <Row>(known: readonly FrameKind<Row>[], usual: string): FrameKind<Row>[] => [
      ...(given.read('root', (text) => kindsOf('--root', text, known)) ?? []),
      ...kindsOf('--by', given.text('by') ?? usual, known),
    ];
    const documents = ['collapsed', 'speedscope'];
    const cpu = given.read('cpu', (text) => requireName('kind of call chain', text, CPU_STACK_KINDS));
    const unit = cpu === undefined ? 'ns' : unitOf(cpu);
    const chosen = tableChoice(given, unit === 'ns' ? STACK_COLUMNS : SAMPLED_STACK_COLUMNS, { ...request, documents });
    // Collapsed stacks are for programs. On a terminal, a table is printed.
    const isForPeople = request.width !== null && given.text('format') === undefined;
    const format = chosen?.format ?? (isForPeople ? 'fitted' : request.format);
    const where = given.read('where', parseWhere);
    refuseStray(given, cpu);
    const isCollapsed = format === 'collapsed';
    const options = { safe: isCollapsed ? collapsedFrame : escapeControls, apart: !isCollapsed };
    await runAnalysis(
      { ...request, format },
      {
        analysis: given.on('host')
          ? new HostStacks({ ...options, kinds: kinds(HOST_FRAME_KINDS, DEFAULT_HOST_KINDS) })
          : cpu !== undefined
            ? new CpuStacks(cpu, { ...options, kinds: kinds(CPU_FRAME_KINDS, 'trace') })
            : new Stacks({
                ...options,
                kinds: kinds(FRAME_KINDS, DEFAULT_KINDS),
                collectives: given.on('collectives'),
                where,
              }),
        isDocument: format === 'speedscope',
        print: ({ table, facts }, write, { input }) => {
          if (chosen !== null && table !== undefined) return printTable(chosen.of(table), format, write, request.width);
          if (isCollapsed) return collapsed(facts, write);
          if (isForPeople) return printTable(shownStacks(facts, unit), format, write, request.width);
          return format === 'speedscope'
            ? speedscope(facts, input, write, unit)
            : printTable(table, format, write, request.width);
        },
      },
    );
  },
);
