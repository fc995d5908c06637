/**
 * Runs every command of this checkout on every given profile and keeps what each printed, so that two states of the
 * code can be compared with `diff -r`:
 *
 *   node bench/outputs.mjs OUT PROFILE...
 *
 * OUT/PROFILE/COMMAND holds the exit status, standard error and standard output of one run; an output above 1 MB is
 * kept as its SHA-256. Needs a build (`npm run build`).
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const BIN = fileURLToPath(new URL('../bin/', import.meta.url));
const LARGEST_KEPT = 1_000_000;

/** Arguments of `dprof` on the records of a profile, by the name under which the output is kept. */
const COMMANDS = {
  space: [],
  wide: ['-w', '150'],
  csv: ['--csv', '-c', 'ALL'],
  json: ['-f', 'json', '-c', 'ALL'],
  table: ['-f', 'table', '--top', '20', '--sort', 'sil'],
  where: ['-q', '--csv', '--where', 'sil>5000 && flops>0', '-c', 'idx,op,sil,flops'],
  explain: ['--explain', '1'],
  'by-op': ['--by', 'op'],
  'by-op-csv': ['--by', 'op', '--csv'],
  'by-op-json': ['--by', 'op', '-f', 'json'],
  'by-op-table': ['--by', 'op', '-f', 'table'],
  'by-tree': ['--by', 'layer,op', '--tree', '-w', '120'],
  summary: ['summary'],
  'summary-json': ['summary', '-f', 'json'],
  'summary-markdown': ['summary', '-f', 'markdown'],
  metrics: ['summary', '--vendor-metrics'],
  'metrics-csv': ['summary', '--vendor-metrics', '-f', 'csv'],
  'metrics-json': ['summary', '--vendor-metrics', '-f', 'json'],
  advise: ['advise', '--all'],
  'advise-json': ['advise', '--all', '-f', 'json'],
  'advise-markdown': ['advise', '--all', '-f', 'markdown'],
  steps: ['steps'],
  'steps-csv': ['steps', '-f', 'csv'],
  'steps-json': ['steps', '-f', 'json'],
  stacks: ['stacks'],
  'stacks-speedscope': ['stacks', '-f', 'speedscope'],
  memory: ['memory'],
  'memory-csv': ['memory', '-f', 'csv'],
  'memory-json': ['memory', '-f', 'json'],
  diff: ['diff', 'SELF'],
  'diff-csv': ['diff', '-f', 'csv', 'SELF'],
  'diff-json': ['diff', '-f', 'json', 'SELF'],
  'diff-markdown': ['diff', '-f', 'markdown', 'SELF'],
  'diff-junit': ['diff', '-f', 'junit', 'SELF'],
  html: ['html', '-o', 'OUTPUT'],
  perfetto: ['perfetto', '-o', 'OUTPUT'],
  chrome: ['perfetto', '-f', 'chrome-json', '-o', 'OUTPUT'],
  monitor: ['monitor'],
  'monitor-csv': ['monitor', '-f', 'csv'],
  'monitor-prometheus': ['monitor', '-f', 'prometheus'],
};

/** Commands that take no profile. */
const TEXTS = {
  help: ['--help'],
  columns: ['--columns'],
  devices: ['--devices'],
  aggregates: ['--aggregates'],
  terms: ['terms'],
  ...Object.fromEntries(
    ['summary', 'advise', 'steps', 'stacks', 'memory', 'diff', 'html', 'perfetto', 'monitor', 'terms'].map((name) => [
      `help-${name}`,
      [name, '--help'],
    ]),
  ),
};

const run = (tool, args, cwd) =>
  new Promise((resolve) => {
    const options = { cwd, encoding: 'buffer', maxBuffer: 4 * 1024 ** 3 };
    const child = execFile(process.execPath, [join(BIN, `${tool}.js`), ...args], options, (error, stdout, stderr) =>
      resolve({ status: error === null ? 0 : error.code, stdout, stderr }),
    );
    child.stdin.end();
  });

const kept = (bytes) =>
  bytes.length > LARGEST_KEPT
    ? `${bytes.length} bytes, SHA-256 ${createHash('sha256').update(bytes).digest('hex')}\n`
    : bytes;

function keep(path, { status, stdout, stderr }) {
  writeFileSync(path, Buffer.concat([Buffer.from(`exit status ${status}\n${stderr}---\n`), Buffer.from(kept(stdout))]));
}

/** Every column of the report, from the tool itself. */
async function allColumns() {
  const { stdout } = await run('dprof', ['--columns'], process.cwd());
  return [...stdout.toString().matchAll(/^(\w+) /gm)].map(([, key]) => key).join(',');
}

async function runProfile(out, profile, columns) {
  const { readFileSync, existsSync } = await import('node:fs');
  const folder = join(out, relative(process.cwd(), profile).replaceAll('..', '').replaceAll(sep, '_'));
  const scratch = mkdtempSync(join(tmpdir(), 'outputs-'));
  mkdirSync(folder, { recursive: true });
  const records = join(scratch, 'records.dict');
  const parsed = await run('dparse', ['--ranges', profile], process.cwd());
  writeFileSync(records, parsed.stdout);
  keep(join(folder, 'dparse'), parsed);
  for (const [name, args] of Object.entries(COMMANDS)) {
    const output = join(scratch, 'output');
    const words = { ALL: columns, SELF: 'records.dict', OUTPUT: 'output' };
    const done = await run('dprof', [...args.map((word) => words[word] ?? word), 'records.dict'], scratch);
    if (existsSync(output)) {
      done.stdout = readFileSync(output);
      rmSync(output);
    }
    keep(join(folder, name), done);
  }
  rmSync(scratch, { recursive: true });
}

const [out, ...profiles] = process.argv.slice(2);
if (out === undefined) throw new Error('node bench/outputs.mjs OUT PROFILE...');
mkdirSync(join(out, 'texts'), { recursive: true });
for (const [name, args] of Object.entries(TEXTS))
  keep(join(out, 'texts', name), await run('dprof', args, process.cwd()));
keep(join(out, 'texts', 'help-dparse'), await run('dparse', ['--help'], process.cwd()));
const columns = await allColumns();
const waiting = [...profiles];
await Promise.all(
  cpus().map(async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await runProfile(out, next, columns);
  }),
);
