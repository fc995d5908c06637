/**
 * How long the tools take, and how much memory, each beside a program that does the least that must be done: in one run, in
 * turn, so that the ratios hold on any machine.
 *
 *   npm run build && npm run bench           all, three runs of each: a quarter of an hour
 *   npm run bench -- --quick                 a quarter of the size, one run: two minutes
 *   npm run bench -- --only Nsight --runs 1  those whose name has it
 *   npm run bench -- --linearity             also at twice and four times the size, and how the time grows
 *   npm run bench -- --dir /big/disk         with the inputs there
 *
 * Inputs are real profiles next to the checkout, or else samples, repeated; Nsight's are generated. They are removed again.
 */
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { built } from './built-tools.js';
import { available, measure, summary, temporaryFolder, type Command, type Usage } from './measure.js';
import { table } from './report.js';
import { FULL_SIZES, Inputs, type Sizes } from './speed/inputs.js';
import { growthRows, workRows, type Measured } from './speed/rows.js';
import { WORKS, type Work } from './speed/works.js';

const QUICK_SHARE = 0.25;
const LINEARITY = [1, 2, 4];

const say = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

const times = (sizes: Sizes, factor: number): Sizes =>
  Object.fromEntries(Object.entries(sizes).map(([of, size]) => [of, size * factor])) as Record<keyof Sizes, number>;

/** Null for nothing, and for a folder. */
const bytesOf = (input: string): number | null => {
  const file = input === '' ? null : statSync(input);
  return file?.isFile() === true ? file.size : null;
};

/** Each command once a turn, whatever stands beside it. */
async function measured(works: readonly Work[], inputs: Inputs, runs: number, scratch: string): Promise<Measured[]> {
  const commands = new Map<string, { readonly command: Command; readonly usages: Usage[] }>();
  const keyOf = (command: Command): string => JSON.stringify([command.program, ...command.args]);
  const all = [];
  for (const work of works) {
    const pathOf = async (name: Work['input']): Promise<string> => (name === null ? '' : inputs.pathOf(name));
    const input = await pathOf(work.input);
    const ours = work.ours.command(input);
    const beside = work.beside.command(await pathOf(work.besideInput ?? work.input));
    for (const command of [ours, beside]) commands.set(keyOf(command), { command, usages: [] });
    all.push({ work, ours: keyOf(ours), beside: keyOf(beside), bytes: bytesOf(input) });
  }
  for (let run = 1; run <= runs; run++) {
    for (const { command, usages } of commands.values()) {
      const usage = await measure(command, scratch);
      usages.push(usage);
      process.stderr.write(`run ${run}/${runs}  ${usage.seconds.toFixed(2)} s  ${command.args.join(' ').slice(-70)}\n`);
    }
  }
  const of = (key: string): Usage => summary(commands.get(key)?.usages ?? []);
  return all.map(({ work, ours, beside, bytes }) => ({ work, bytes, ours: of(ours), beside: of(beside) }));
}

async function at(sizes: Sizes, works: readonly Work[], runs: number, within: string): Promise<Measured[]> {
  const folder = mkdtempSync(join(within, 'size-'));
  try {
    return await measured(works, new Inputs(sizes, folder), runs, join(folder, 'time'));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true, default: [] },
    runs: { type: 'string' },
    linearity: { type: 'boolean', default: false },
    dir: { type: 'string' },
  },
});
if (!built()) throw new Error('the tools are not built: npm run build');
if (!(await available('sqlite3'))) throw new Error('the sqlite3 command line is not installed');
const runs = Number(values.runs ?? (values.quick ? 1 : 3));
if (!Number.isInteger(runs) || runs < 1) throw new Error(`--runs takes a whole number above 0, not ${values.runs}`);
const works = WORKS.filter(
  ({ name, ours }) => values.only.length === 0 || values.only.some((word) => `${name} ${ours.what}`.includes(word)),
);
if (works.length === 0) throw new Error(`--only takes a part of: ${WORKS.map(({ name }) => name).join(', ')}`);
const folder = temporaryFolder(values.dir);
const sizes = values.quick ? times(FULL_SIZES, QUICK_SHARE) : FULL_SIZES;
const results: Measured[][] = [];
for (const factor of values.linearity ? LINEARITY : [1]) {
  const result = await at(times(sizes, factor), works, runs, folder);
  results.push(result);
  const size = factor === 1 ? '' : `${factor} times the size, `;
  say(`\n${size}median of ${runs}, Node ${process.versions.node}\n\n${table(workRows(result))}`);
}
if (values.linearity)
  say(`\nTime over that of the smallest, by size; 1.00 is linear\n\n${table(growthRows(results, LINEARITY))}`);
