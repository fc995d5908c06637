/**
 * Time and memory of dparse on large profiles of formats that hold events as rows, and how they grow:
 *
 *   npm run build && npm run bench large                       250, 500 and 1000 MB of each kind
 *   npm run bench large -- --mb 60 --only rocpd                60, 120 and 240 MB of one
 *   npm run bench large -- --mb 60 --times 1                   60 MB alone
 *
 * The profiles are real ones of ../shared, repeated. Beside each, a program decodes the whole input and discards the
 * result. Prints CPU seconds (user and system), their growth for each MB against the size before, and their ratio to those
 * of the other program. Exits with 1 where a size takes more than 1.3 times the CPU time for each
 * MB of the size before, or more than 800 MB of memory. All files are removed again.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { sharedFile } from '../test/support/shared.js';
import { built, fromRoot } from './built-tools.js';
import { inputsOf, KINDS, sizeOf, type Kind } from './large/inputs.js';
import { measure, temporaryFolder, type Usage } from './measure.js';
import { ratio, table } from './report.js';

const MB = 1e6;
const MOST_GROWTH = 1.3;
const MOST_MEMORY = 800;

const { values: options } = parseArgs({
  options: {
    mb: { type: 'string', default: '250' },
    times: { type: 'string', default: '1,2,4' },
    only: { type: 'string', multiple: true, default: [] },
  },
});
const sizes = options.times.split(',').map((times) => Number(times) * Number(options.mb));
if (!sizes.every((size) => size > 0)) throw new Error('--mb and --times take numbers above 0');
const unknown = options.only.find((name) => KINDS[name] === undefined);
if (unknown !== undefined) throw new Error(`--only takes ${Object.keys(KINDS).join(', ')}, not ${unknown}`);
if (!built()) throw new Error('the tools are not built: npm run build');

/** What one program needs: CPU seconds, and its peak in MB. */
interface Need {
  readonly cpu: number | undefined;
  readonly peak: number | undefined;
}

const folder = temporaryFolder();
const rows: string[][] = [];
let bad = 0;

const digits = (value: number | undefined, places = 1): string => value?.toFixed(places) ?? 'na';

async function needOf(command: Parameters<typeof measure>[0]): Promise<Need> {
  const { cpuSeconds, peakBytes }: Usage = await measure(command, join(folder, 'time'));
  return { cpu: cpuSeconds ?? undefined, peak: peakBytes === null ? undefined : peakBytes / MB };
}

/** Measures a size. @returns CPU seconds for each MB */
async function measureSize(
  name: string,
  kind: Kind,
  path: string,
  before: number | undefined,
): Promise<number | undefined> {
  const megabytes = sizeOf(path) / MB;
  const args = [fromRoot('bin/dparse.js'), '-q', ...kind.options, path];
  const need = await needOf({ program: process.execPath, args });
  const other = await needOf(kind.decode(path));
  const rate = need.cpu === undefined ? undefined : need.cpu / megabytes;
  const growth = rate === undefined || before === undefined ? undefined : rate / before;
  const verdicts = [
    ...((growth ?? 0) > MOST_GROWTH ? ['MORE THAN LINEAR'] : []),
    ...((need.peak ?? 0) > MOST_MEMORY ? [`MORE THAN ${MOST_MEMORY} MB`] : []),
  ];
  bad += verdicts.length;
  const row = [
    ...[[name, ...kind.options].join(' '), digits(megabytes, 0), digits(need.cpu), digits(need.peak, 0)],
    ...[digits(growth, 2), digits(other.cpu), digits(other.peak, 0), ratio(need.cpu, other.cpu), verdicts.join(', ')],
  ];
  rows.push(row);
  process.stderr.write(`${row.join('  ')}\n`);
  return rate;
}

for (const [name, kind] of Object.entries(KINDS)) {
  if (options.only.length > 0 && !options.only.includes(name)) continue;
  const input = sharedFile(kind.input);
  if (input === null) process.stderr.write(`${name}: no ${kind.input} in ../shared\n`);
  else {
    const write = inputsOf(kind, input, folder);
    let before: number | undefined;
    for (const size of sizes) before = await measureSize(name, kind, write(size * MB), before);
    rmSync(join(folder, kind.name), { recursive: true, force: true });
  }
}
const head = ['kind', 'MB', 'CPU s', 'peak MB', 'CPU/MB', 'decode CPU s', 'its peak MB', 'CPU ratio', ''];
process.stdout.write(`\nNode ${process.versions.node}\n\n${table([head, ...rows])}\n`);
process.exitCode = bad === 0 ? 0 : 1;
