/**
 * How long the tools take for a big profile, and how much memory, compared with the time that the sqlite3 command line needs
 * to print the same three tables. All are measured in one run, in turn, so that the ratios hold on any machine.
 *
 *   npm run build && npm run bench                        1,000,000 kernels, three runs of each
 *   npm run bench -- --kernels 100000 --runs 5
 *   npm run bench -- --linearity                          also at half and at double the size
 *   npm run bench -- --only baseline                      without the tools
 *   npm run bench -- --dir /big/disk --keep               leaves profile and records there, and uses them next time
 *
 * A profile of 1,000,000 kernels has 3,000,000 ranges and takes about 0.5 GB, its records more, in the folder for temporary files (or
 * --dir). What a run has generated is removed again, unless --keep is given.
 */
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Contestant, Files, Result } from './contestants.js';
import { built, contest, CONTESTANTS } from './contestants.js';
import { generate } from './generate.js';
import { available } from './measure.js';
import { linearityTable, PYPROF2_AT_100000, pyprofTable, resultTable, verdicts } from './report.js';

interface Plan {
  readonly kernels: number;
  readonly runs: number;
  readonly folder: string;
  readonly who: readonly Contestant[];
  readonly linearity: boolean;
  readonly pyprof: boolean;
  /** Files to remove at the end, or none when they are to be kept. */
  readonly litter: Set<string> | null;
}

const say = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

const positive = (text: string, option: string): number => {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) throw new Error(`--${option} takes a whole number above 0, not ${text}`);
  return value;
};

/** Those that can run here, in their order; says which cannot. */
async function contestants(only: string | undefined): Promise<Contestant[]> {
  if (only !== undefined && !(CONTESTANTS as readonly string[]).includes(only)) {
    throw new Error(`--only takes ${CONTESTANTS.join(', ')}`);
  }
  const hasSqlite = await available('sqlite3');
  if (!hasSqlite) say('The sqlite3 command line is not installed: no baseline.');
  if (!built()) say('The tools are not built (npm run build): only the baseline.');
  // dprof reads what dparse wrote, so dparse runs with it.
  const wanted = CONTESTANTS.filter(
    (who) => only === undefined || who === only || (only === 'dprof' && who === 'dparse'),
  );
  return wanted.filter((who) => (who === 'baseline' ? hasSqlite : built()));
}

async function readPlan(): Promise<Plan> {
  const { values } = parseArgs({
    options: {
      kernels: { type: 'string', default: '1000000' },
      runs: { type: 'string', default: '3' },
      dir: { type: 'string' },
      only: { type: 'string' },
      linearity: { type: 'boolean', default: false },
      'skip-pyprof': { type: 'boolean', default: false },
      keep: { type: 'boolean', default: false },
    },
  });
  const litter = values.keep ? null : new Set<string>();
  const plan = {
    kernels: positive(values.kernels, 'kernels'),
    runs: positive(values.runs, 'runs'),
    who: await contestants(values.only),
    linearity: values.linearity,
    pyprof: !values['skip-pyprof'] && values.only === undefined,
    litter,
  };
  if (values.dir !== undefined) {
    mkdirSync(values.dir, { recursive: true });
    return { ...plan, folder: values.dir };
  }
  const folder = mkdtempSync(join(tmpdir(), 'dprof-bench-'));
  litter?.add(folder);
  return { ...plan, folder };
}

/** The profile of a size, generated unless it is there. A broken-off generation leaves no profile behind. */
function profile(plan: Plan, kernels: number): Files {
  const path = join(plan.folder, `generated-${kernels}.sqlite`);
  const files = { profile: path, records: `${path}.records`, scratch: `${path}.time` };
  for (const file of [files.records, files.scratch, `${path}.tmp`]) plan.litter?.add(file);
  if (existsSync(path)) return files;
  plan.litter?.add(path);
  const before = performance.now();
  generate(`${path}.tmp`, { kernels });
  renameSync(`${path}.tmp`, path);
  const megabytes = (statSync(path).size / 1e6).toFixed(0);
  process.stderr.write(
    `${kernels} kernels: ${megabytes} MB in ${((performance.now() - before) / 1000).toFixed(1)} s\n`,
  );
  return files;
}

async function at(plan: Plan, kernels: number): Promise<Result> {
  const files = profile(plan, kernels);
  const result = await contest(files, plan.who, plan.runs);
  if (plan.litter !== null) rmSync(files.records, { force: true });
  return result;
}

async function run(plan: Plan): Promise<void> {
  const { kernels } = plan;
  const result = await at(plan, kernels);
  say(`\n${kernels} kernels, ${kernels} API calls, ${3 * kernels} ranges with unique texts on 4 threads`);
  say(`median of ${plan.runs}, Node ${process.versions.node}\n\n${resultTable(result)}\n`);
  if (plan.who.length === CONTESTANTS.length && kernels === 1_000_000) say(`${verdicts(result)}\n`);
  if (plan.linearity) {
    const half = Math.floor(kernels / 2);
    const sizes: [number, Result][] = [
      [half, await at(plan, half)],
      [kernels, result],
      [2 * kernels, await at(plan, 2 * kernels)],
    ];
    say(`${linearityTable(sizes)}\n`);
  }
  if (plan.pyprof && plan.who.includes('dprof')) {
    const small = PYPROF2_AT_100000.kernels;
    say(pyprofTable(kernels === small ? result : await at(plan, small)));
    say('PyProf2 at 100,000 kernels, measured by its reference run; not on this machine.');
  }
}

const plan = await readPlan();
const tidy = (): void => {
  for (const path of plan.litter ?? []) rmSync(path, { recursive: true, force: true });
};
process.once('SIGINT', () => {
  tidy();
  process.exit(130);
});
try {
  if (plan.who.length > 0) await run(plan);
} finally {
  tidy();
}
