/** All that the two programs write: each command in each of its formats, and texts such as the help. */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Tool } from '../../src/cli/arguments.js';
import { COMMANDS } from '../../src/cli/commands.js';
import { DPARSE } from '../../src/cli/dparse/options.js';
import { DPROF } from '../../src/cli/report/report-options.js';
import { neuronLines, sample } from '../../test/support/neuron.js';
import { ROOT } from '../../test/support/shared.js';

export interface WritingCommand {
  readonly name: string;
  /** Arguments of node. */
  readonly args: readonly string[];
  readonly stdin?: string;
  /** What `-o` takes; null where there is none. The folder of a job is not its output, which is on standard output. */
  readonly written: 'file' | 'folder' | 'job' | null;
}

const fromSamples = (name: string): string => join(ROOT, 'samples', name);

/** What the commands read. */
export interface CommandInputs {
  readonly database: string;
  readonly trace: string;
  readonly monitor: string;
  readonly records: string;
  /** Records with memory samples. */
  readonly memory: string;
  /** A partial answer. */
  readonly part: string;
}

/**
 * Samples, and what is made of them.
 * @param folder for what is made
 * @param bin the folder of the programs
 */
export function sampleInputs(folder: string, bin = join(ROOT, 'bin')): CommandInputs {
  const inputs = {
    database: fromSamples('lenet.nsys.sqlite'),
    trace: fromSamples('decoder.pt.trace.json.gz'),
    monitor: fromSamples('neuron-monitor.jsonl'),
    records: join(folder, 'net.jsonl'),
    memory: join(folder, 'memory.jsonl'),
    part: join(folder, 'net.part'),
  };
  const make = (...args: readonly string[]): unknown => spawnSync(process.execPath, args, { stdio: 'inherit' });
  make(join(bin, 'dparse.js'), '-q', '-o', inputs.records, inputs.trace);
  make(join(bin, 'dprof.js'), 'partial', '-q', '-o', inputs.part, fromSamples('job'));
  const allocated = (start: number, value: number): ReturnType<typeof sample> =>
    sample('memory_allocated', value, { component: 'PTA' }, { start, device: 0, unit: 'bytes' });
  const head = { v: 1, profile: 0, tool: null, file: 'net.db', rank: 1, startUnixNs: null, dur: null, devices: [] };
  const ofOp = sample('op_memory', 2 ** 20, { op: 'aten::mm' }, { start: 2000, dur: 500, device: 0, unit: 'bytes' });
  const held = [allocated(1000, 2 ** 20), allocated(2000, 2 ** 21)];
  const lines = neuronLines([{ type: 'profile', format: 'ascend-db', ...head }, ...held, ofOp]);
  writeFileSync(inputs.memory, lines);
  return inputs;
}

/** What commands of dprof read, where that is not the records. */
const READ: Readonly<Record<string, (inputs: CommandInputs) => readonly string[]>> = {
  terms: () => [],
  monitor: ({ monitor }) => [monitor],
  ranks: ({ part }) => [part],
  merge: ({ part }) => [part, part],
  memory: ({ memory }) => [memory],
  diff: ({ records }) => [records, records],
  sql: ({ records }) => ['select name, dur from kernel', records],
};

/** Commands of dprof that are not called with files and a format, and texts such as the list of columns. */
const OTHERS = ({ records, monitor }: CommandInputs): readonly (readonly string[])[] => [
  ['--by', 'op', records],
  ['--by', 'layer,op', '--tree', records],
  ['--explain', '1', records],
  ...['--columns', '--devices', '--version', '--help'].map((text) => [text]),
  ...['bash', 'zsh', 'fish'].map((shell) => ['completion', shell]),
  ...['--columns', '--metrics', '--stats'].map((text) => ['monitor', text, ...(text === '--stats' ? [monitor] : [])]),
  ['ranks', '--columns'],
  ['sql', '--schema'],
];

/** The formats of `-f`; none where there is one. */
const formatsOf = ({ options }: Tool): readonly string[] => {
  const option = options.find(({ short }) => short === 'f');
  return option?.values ?? option?.choices ?? [];
};

/**
 * @param folder for inputs
 * @param bin the folder of the programs
 */
export async function writingCommands(
  folder: string,
  inputs = sampleInputs(folder),
  bin = join(ROOT, 'bin'),
): Promise<WritingCommand[]> {
  const all = [...ofDparse(inputs, join(bin, 'dparse.js')), ...(await ofDprof(inputs, join(bin, 'dprof.js')))];
  return all.map((one) => ({ ...one, name: one.name.replaceAll(`${folder}/`, '') }));
}

function ofDparse({ database, trace, monitor }: CommandInputs, dparse: string): WritingCommand[] {
  const called = (args: readonly string[], written: WritingCommand['written'], stdin?: string): WritingCommand => ({
    name: nameOf('dparse', args),
    args: [dparse, ...(written === null ? [] : ['-q']), ...args],
    written,
    ...(stdin === undefined ? {} : { stdin }),
  });
  return [
    ...formatsOf(DPARSE).map((format) => called(['-f', format, database], format === 'parquet' ? 'folder' : 'file')),
    called([trace], 'file'),
    called(['-j', '2', database, fromSamples('transformer.nsys.sqlite')], 'file'),
    called(['-'], 'file', monitor),
    ...['--help', '--formats', '--version'].map((text) => called([text], null)),
  ];
}

async function ofDprof(inputs: CommandInputs, dprof: string): Promise<WritingCommand[]> {
  const called = (args: readonly string[], tool: Tool): WritingCommand => {
    const has = (name: string): boolean => tool.options.some((option) => option.name === name);
    const quiet = has('quiet') ? ['-q'] : [];
    const [first = '', ...others] = args;
    const words = Object.hasOwn(COMMANDS, first) ? [first, ...quiet, ...others] : [...quiet, ...args];
    const isText = args.some((word) => ['--help', '--columns', '--metrics', '--devices', '--version'].includes(word));
    return {
      name: nameOf('dprof', args),
      args: [dprof, ...words],
      written: first === 'job' && !isText ? 'job' : isText ? null : 'file',
    };
  };
  const made = formatsOf(DPROF).map((format) => called(['-f', format, inputs.records], DPROF));
  for (const [name, { load }] of Object.entries(COMMANDS)) {
    const { tool } = await load();
    const read = READ[name]?.(inputs) ?? [inputs.records];
    const formats = formatsOf(tool);
    if (name === 'job') made.push(called([name, '-j', '1', inputs.trace], tool));
    else if (name !== 'completion')
      for (const words of formats.length === 0 ? [[]] : formats.map((format) => ['-f', format]))
        made.push(called([name, ...words, ...read], tool));
    made.push(called([name, '--help'], tool));
  }
  for (const args of OTHERS(inputs)) {
    const tool = (await COMMANDS[args[0] ?? '']?.load())?.tool ?? DPROF;
    made.push(called(args, tool));
  }
  return made;
}

const nameOf = (tool: string, args: readonly string[]): string =>
  [tool, ...args.map((word) => word.replace(/^.*\/samples\//, ''))].join(' ');
