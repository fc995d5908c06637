/**
 * The package as users get it: packed, installed into an empty folder, both commands and the library run from there, and
 * a strict program is compiled against its types.
 * Dependencies come from the registry. The database library's install script runs and finds, as on machines that have
 * a prebuilt binary, the one of this checkout: compiling it took a third of all tests' time. With another version of the
 * library than this checkout's it downloads or compiles.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'dprof-package-')));
const home = join(folder, 'home');
const { name, bin, man, allowScripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

const npm = (args, cwd, environment = {}) => {
  const env = { ...process.env, ...environment };
  return execFileSync('npm', args, { cwd, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
};

/** Runs a command of the installed package; its standard output. */
function run(tool, args, input) {
  const ran = spawnSync(join(home, 'node_modules/.bin', tool), args, { cwd: home, input, encoding: 'utf8' });
  assert.equal(ran.status, 0, `${tool} ${args.join(' ')}: exit status ${ran.status}\n${ran.stderr}`);
  return ran.stdout;
}

function pack() {
  const [packed] = JSON.parse(
    npm(['pack', '--json', '--silent', '--ignore-scripts', '--pack-destination', folder], root),
  );
  const paths = packed.files.map(({ path }) => path);
  const stray = paths.filter(
    (path) => !/^(bin|dist|docs|man|python|samples)\/|^[A-Z]+(\.md)?$|^package\.json$/.test(path),
  );
  assert.deepEqual(stray, [], 'files that are no part of the package');
  const sources = paths.filter((path) => /\.m?ts$/.test(path) && !path.endsWith('.d.ts'));
  assert.deepEqual(sources, [], 'sources');
  for (const needed of [
    'README.md',
    'LICENSE',
    'CHANGELOG.md',
    'dist/index.js',
    'dist/index.d.ts',
    'docs/ops.md',
    'python/repro.py',
  ]) {
    assert.ok(paths.includes(needed), `${needed} is not in the package`);
  }
  const tarball = join(folder, packed.filename);
  assert.ok(statSync(tarball).size < 2_000_000, `${statSync(tarball).size} bytes`);
  return tarball;
}

/** A folder with the checkout's binary of the database library, packed and named as its install script looks for it. */
function prebuilt() {
  const library = join(root, 'node_modules/better-sqlite3');
  const { version } = JSON.parse(readFileSync(join(library, 'package.json'), 'utf8'));
  const made = join(folder, 'prebuilt');
  mkdirSync(made);
  const { platform, arch, versions } = process;
  const archive = join(made, `better-sqlite3-v${version}-node-v${versions.modules}-${platform}-${arch}.tar.gz`);
  execFileSync('tar', ['-czf', archive, '-C', library, 'build/Release/better_sqlite3.node']);
  return made;
}

function install(tarball) {
  mkdirSync(home);
  const wanted = { private: true, allowScripts: { 'better-sqlite3': allowScripts['better-sqlite3'] } };
  writeFileSync(join(home, 'package.json'), JSON.stringify(wanted));
  npm(['install', '--no-audit', '--no-fund', '--silent', tarball], home, {
    npm_config_better_sqlite3_local_prebuilds: prebuilt(),
  });
}

/** A sample has as many kernels in the records, in the end line, in the report, and for the library. */
function checkCommands() {
  const at = join(home, 'node_modules', name);
  for (const [tool, path] of Object.entries(bin))
    assert.match(run(tool, ['--help']), new RegExp(`^Usage: ${basename(path, '.js')} `));
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  assert.equal(npm(['exec', '--no', '--', name, '--version'], home).trim(), version, `npx ${name}`);
  for (const page of man) assert.match(readFileSync(join(at, page), 'utf8'), /^\.TH /m);
  const records = run('dparse', ['-q', join(at, 'samples/lenet.nsys.sqlite')]);
  const lines = records
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const kernels = lines.filter(({ type }) => type === 'kernel').length;
  assert.equal(lines.at(-1).counts.kernel, kernels);
  assert.ok(kernels > 100, `${kernels} kernels`);
  const report = run('dprof', ['-q', '--csv', '-c', 'op,flops'], records);
  assert.equal(report.trim().split('\n').length, kernels + 1);
  assert.match(report, /^conv2d,\d+$/m);
  assert.equal(run('dprof', ['-q', '--csv', '-c', 'op,flops', join(at, 'samples/lenet.nsys.sqlite')]), report);
  return kernels;
}

/** A program imports one file of its own, and that none: the version is printed before anything else is loaded. */
function checkStart() {
  const ownImports = (file) => {
    const text = readFileSync(join(home, 'node_modules', name, 'dist', file), 'utf8');
    return [...text.matchAll(/\bimport\b(?:[^"';()]*\bfrom)?\s*"\.\/([^"]+)"/g)].map(([, imported]) => imported);
  };
  for (const path of new Set(Object.values(bin))) {
    const files = ownImports(basename(path));
    assert.equal(files.length, 1, `${path} starts with ${files.join(', ')}`);
    assert.deepEqual(files.flatMap(ownImports), []);
  }
}

function checkLibrary(kernels) {
  const program = `import { kernels, open } from '${name}';
    const path = 'node_modules/${name}/samples/lenet.nsys.sqlite';
    let [recorded, annotated] = [0, 0];
    for await (const { type } of await open(path)) if (type === 'kernel') recorded++;
    for await (const { flops } of kernels(path)) annotated++;
    console.log(recorded, annotated);`;
  writeFileSync(join(home, 'count.mjs'), program);
  const counts = execFileSync(process.execPath, ['count.mjs'], { cwd: home, encoding: 'utf8' }).trim();
  assert.equal(counts, `${kernels} ${kernels}`);
}

/** A program that uses what inputs are read with, as a strict project writes it. */
const TYPED = `import * as dprof from '${name}';
  import { advise, diff, kernels, memory, open, ranks, steps, summary, type ProfileLine, type UserError } from '${name}';

  async function* copies(path: string): AsyncGenerator<ProfileLine> {
    for await (const record of await open(path, { ranges: true })) if (record.type === 'copy') yield record;
  }
  export async function answers(path: string, bytes: AsyncIterable<Uint8Array>): Promise<readonly (number | null)[]> {
    const lines: string[] = [];
    const onError = ({ line }: UserError): unknown => lines.push(line);
    const [first] = await summary(path, { onError, top: 3 });
    const [held] = await memory([path, path]);
    const late = (await ranks(await open(bytes))).stragglers.map((straggler): number => straggler.late);
    const gains = (await advise(path)).flatMap((line) => ('what' in line ? [line.gain?.ns ?? null] : []));
    const judged = (await diff(path, path)).map((line) => (line.row === 'condition' ? Number(line.met) : null));
    const idle = (await steps(copies(path))).map((row) => (typeof row.idle === 'number' ? row.idle : null));
    const flops: (number | null)[] = [];
    for await (const row of kernels(path)) flops.push(row.flops);
    return [first?.devices[0]?.busy ?? null, held?.peak.bytes ?? null, ...late, ...gains, ...judged, ...idle, ...flops];
  }
  export const all: object = dprof;`;

/** Types that resolve as projects resolve them, with nothing installed but the package, and are all checked. */
const RESOLUTIONS = [
  { module: 'node16', moduleResolution: 'node16' },
  { module: 'nodenext', moduleResolution: 'nodenext' },
  { module: 'esnext', moduleResolution: 'bundler' },
];

/** The declarations compile where neither Node's types nor those of any other package are there. */
function checkTypes() {
  writeFileSync(join(home, 'typed.mts'), TYPED);
  for (const resolution of RESOLUTIONS) {
    const checks = { strict: true, skipLibCheck: false, noEmit: true, exactOptionalPropertyTypes: true };
    const compilerOptions = { ...resolution, ...checks, target: 'es2022', lib: ['es2022'], types: [] };
    writeFileSync(join(home, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['typed.mts'] }));
    const tsc = join(root, 'node_modules/typescript/bin/tsc');
    const { status, stdout } = spawnSync(process.execPath, [tsc, '-p', home], { cwd: home, encoding: 'utf8' });
    assert.equal(status, 0, `${resolution.moduleResolution}:\n${stdout}`);
  }
}

try {
  install(pack());
  assert.ok(existsSync(join(home, 'node_modules', name)));
  checkStart();
  const kernels = checkCommands();
  checkLibrary(kernels);
  checkTypes();
  console.log(`package: OK (${kernels} kernels from the installed commands)`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
