/**
 * The package as users get it: packed, installed into an empty folder, both commands and the library run from there.
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
import { dirname, join } from 'node:path';
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
  const stray = paths.filter((path) => !/^(bin|dist|docs|man|samples)\/|^[A-Z]+(\.md)?$|^package\.json$/.test(path));
  assert.deepEqual(stray, [], 'files that are no part of the package');
  const sources = paths.filter((path) => /\.m?ts$/.test(path) && !path.endsWith('.d.ts'));
  assert.deepEqual(sources, [], 'sources');
  for (const needed of ['README.md', 'LICENSE', 'CHANGELOG.md', 'dist/index.js', 'dist/index.d.ts', 'docs/ops.md']) {
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
  for (const tool of Object.keys(bin)) assert.match(run(tool, ['--help']), new RegExp(`^Usage: ${tool} `));
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
    return [...text.matchAll(/^import .*"\.\/(.+)";$/gm)].map(([, imported]) => imported);
  };
  for (const tool of Object.keys(bin)) {
    const files = ownImports(`${tool}.js`);
    assert.equal(files.length, 1, `${tool} starts with ${files.join(', ')}`);
    assert.deepEqual(files.flatMap(ownImports), []);
  }
}

function checkLibrary(kernels) {
  const program = `import { readProfile } from '${name}';
    let kernels = 0;
    for (const { type } of readProfile('node_modules/${name}/samples/lenet.nsys.sqlite', { profile: 0 })) {
      if (type === 'kernel') kernels++;
    }
    console.log(kernels);`;
  writeFileSync(join(home, 'count.mjs'), program);
  assert.equal(execFileSync(process.execPath, ['count.mjs'], { cwd: home, encoding: 'utf8' }).trim(), String(kernels));
}

try {
  install(pack());
  assert.ok(existsSync(join(home, 'node_modules', name)));
  checkStart();
  const kernels = checkCommands();
  checkLibrary(kernels);
  console.log(`package: OK (${kernels} kernels from the installed commands)`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
