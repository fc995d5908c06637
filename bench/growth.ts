/**
 * How the time of each command grows with the number of one thing: devices, streams, threads, names, steps, open ranges
 * and so on. Each is made twice as many, one at a time, and all else stays.
 *
 *   npm run build && npm run bench growth                   20,000 and 40,000 of each
 *   npm run bench growth -- --n 5000                        fewer
 *   npm run bench growth -- --only devices --only nsight    some dimensions, some commands
 *
 * Steps and pages of profiles are fewer (`MOST`): there is a limit of steps, and a page of 20,000 profiles takes minutes.
 * Prints time(2n) / time(n) of the processors, both without the time of the start. Exits with 1 where that is over 2.6, and where a command
 * takes more than a minute. All files are removed again.
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ANSWER_NAMES, answerCommand } from './answer-commands.js';
import { built, fromRoot } from './built-tools.js';
import { measure, temporaryFolder, type Command } from './measure.js';
import { PROFILES } from './growth/profiles.js';
import { DIMENSIONS, OF_PROFILES, writeRecords } from './growth/records.js';
import { table } from './report.js';
import { MOST_STEPS } from '../src/prof/steps/host-steps.js';

const MOST_GROWTH = 2.6;
/** Seconds that a difference must have: less is noise. */
const NOISE = 0.3;
const LONGEST_S = 60;

const { values } = parseArgs({
  options: { n: { type: 'string', default: '20000' }, only: { type: 'string', multiple: true, default: [] } },
});
const n = Number(values.n);
if (!Number.isInteger(n) || n < 100) throw new Error(`--n takes a whole number from 100 on, not ${values.n}`);
if (!built()) throw new Error('the tools are not built: npm run build');

const dprof = (...args: string[]): Command => ({
  program: process.execPath,
  args: [fromRoot('bin/dprof.js'), ...args],
});
const dparse = (...args: string[]): Command => ({
  program: process.execPath,
  args: [fromRoot('bin/dparse.js'), ...args],
});

type CommandOf = (input: string, folder: string) => Command;

const ANSWERS: Readonly<Record<string, CommandOf>> = {
  ...Object.fromEntries(
    ANSWER_NAMES.map((name): [string, CommandOf] => [name, (records) => answerCommand(name, records, fromRoot('.'))]),
  ),
  'by all': (records) => dprof('-q', '--by', 'device,stream,pid,tid,step,layer,op,kernel', records),
  ranks: (records) => dprof('ranks', '-q', records),
  'ranks json': (records) => dprof('ranks', '-q', '-f', 'json', records),
  'summary json': (records) => dprof('summary', '-q', '-f', 'json', records),
  memory: (records) => dprof('memory', '-q', records),
  partial: (records, folder) => dprof('partial', '-q', '-o', join(folder, 'out.part'), records),
  sql: (records) => dprof('sql', '-q', 'SELECT count(*) FROM kernel', records),
};

/** Seconds of processors; or why there are none. */
async function secondsOf({ program, args }: Command): Promise<number | string> {
  const limited = { program: 'sh', args: ['-c', `ulimit -t ${LONGEST_S}; exec "$@"`, 'sh', program, ...args] };
  try {
    const { seconds, cpuSeconds } = await measure(limited, join(folder, 'time'));
    return cpuSeconds ?? seconds;
  } catch (error) {
    const { message } = error as Error;
    return / ended with (.*)/s.exec(message)?.[1]?.slice(0, 80) ?? message;
  }
}

/** How many there are at most of what a command takes fewer of, and where `n` is so. */
const MOST: readonly { readonly command: string; readonly dimensions: readonly string[]; readonly count: number }[] = [
  // A row of the host and one of the device.
  { command: 'steps', dimensions: ['devices', 'steps', ...OF_PROFILES], count: MOST_STEPS / 4 },
  { command: 'html', dimensions: [...OF_PROFILES], count: 2000 },
];

function countOf(name: string, dimension: string): number {
  const most = MOST.find(({ command, dimensions }) => command === name && dimensions.includes(dimension));
  return Math.min(n, most?.count ?? n);
}

const folder = temporaryFolder();

const isWanted = (...words: readonly string[]): boolean => {
  const [first = '', second = ''] = words;
  const ofCommands = values.only.filter((word) => Object.hasOwn(ANSWERS, word) || Object.hasOwn(PROFILES, word));
  const ofDimensions = values.only.filter((word) => !ofCommands.includes(word));
  return (
    (ofCommands.length === 0 || ofCommands.includes(first)) &&
    (ofDimensions.length === 0 || ofDimensions.includes(second))
  );
};

const rows: string[][] = [];
let bad = 0;

async function compare(name: string, dimension: string, commands: readonly Command[]): Promise<void> {
  const times: (number | string)[] = [];
  for (const command of commands) times.push(await secondsOf(command));
  const [start, small, large] = times;
  const cell = (time: number | string | undefined): string =>
    typeof time === 'number' ? time.toFixed(2) : (time ?? '');
  let [growth, verdict] = ['', 'FAILS'];
  if (typeof start === 'number' && typeof small === 'number' && typeof large === 'number') {
    const [first, second] = [Math.max(small - start, 0.01), large - start];
    growth = (second / first).toFixed(2);
    verdict = second > MOST_GROWTH * first && second > NOISE ? 'MORE THAN LINEAR' : '';
  }
  if (verdict !== '') bad++;
  const count = countOf(name, dimension);
  rows.push([`${name} / ${dimension}${count < n ? `, ${count}` : ''}`, cell(small), cell(large), growth, verdict]);
  process.stderr.write(`${rows.at(-1)?.join('  ') ?? ''}\n`);
}

/** Inputs with one, `count` and twice as many of a dimension; `known` are there already. */
function inputs(
  file: string,
  write: (count: number, path: string) => void,
  of = n,
  known = new Set<string>(),
): string[] {
  return [1, of, 2 * of].map((count) => {
    const path = join(folder, `${count}-${file}`);
    if (!known.has(path)) write(count, path);
    known.add(path);
    return path;
  });
}

for (const dimension of Object.keys(DIMENSIONS)) {
  const names = Object.keys(ANSWERS).filter((name) => isWanted(name, dimension));
  if (names.length === 0) continue;
  const known = new Set<string>();
  for (const name of names) {
    const commandOf = ANSWERS[name];
    if (commandOf === undefined) continue;
    const write = (count: number, path: string): void => writeRecords(dimension, count, path);
    const paths = inputs('net.jsonl', write, countOf(name, dimension), known);
    await compare(
      name,
      dimension,
      paths.map((path) => commandOf(path, folder)),
    );
  }
}
for (const [name, { file, dimensions, write }] of Object.entries(PROFILES)) {
  for (const dimension of dimensions.filter((one) => isWanted(name, one))) {
    const paths = inputs(file, (count, path) => write(dimension, count, path));
    await compare(
      `dparse ${name}`,
      dimension,
      paths.map((path) => dparse('-q', path)),
    );
    await compare(
      `dparse --ranges ${name}`,
      dimension,
      paths.map((path) => dparse('-q', '--ranges', path)),
    );
  }
}
process.stdout.write(`\n${n} and ${2 * n}, Node ${process.versions.node}\n\n`);
process.stdout.write(`${table([['command / what is doubled', `s of ${n}`, `s of ${2 * n}`, 'ratio', ''], ...rows])}\n`);
process.exitCode = bad === 0 ? 0 : 1;
