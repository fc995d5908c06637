/**
 * Bundles what the package runs, from sources into dist/: the programs of the tools, and in dist/page the two scripts and
 * the style sheet of the page that `dprof html` writes.
 *
 * A program is one file, and files that it shares with the others. Node takes longer to find and open a hundred small files
 * than to run what most of them hold, and to compile what a run does not need: modules that are loaded together are in one
 * file.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const dist = join(root, 'dist');
const source = (path) => join(root, 'src', path);
const sourcesOf = (paths) => Object.fromEntries(Object.entries(paths).map(([name, path]) => [name, source(path)]));

/** All in one folder: a worker is found beside whatever file starts it. */
const PROGRAMS = {
  dparse: 'cli/bin/dparse.ts',
  dprof: 'cli/bin/dprof.ts',
  worker: 'cli/dparse/worker.ts',
  index: 'index.ts',
};

/**
 * Files that the programs share, in the order in which a run needs them: each has the modules that are given here, all
 * of a folder, and all that these import and no file before has. What is not in them, commands mostly, is in files of
 * what is loaded together by itself.
 */
const SHARED = {
  start: ['cli/bin/boundary.ts'],
  records: ['record/', 'containers/', 'table/', 'cli/records-command.ts', 'cli/run-analysis.ts', 'write/columns.ts'],
  parse: ['cli/dparse/parse-command.ts', 'cli/dparse/one.ts', 'parse/profile.ts'],
  report: ['cli/report/run-report.ts'],
};

/** Modules of these folders that few runs need: they load a library. */
const LATE = ['record/lines/parquet-check.ts'].map(source);

/** Which shared file each module is in, known when all are read. */
class SharedFiles {
  #fileOf = new Map();

  /** A plugin of the bundler. */
  get plugin() {
    const files = this;
    return {
      name: 'shared-files',
      buildEnd() {
        for (const [file, beginnings] of Object.entries(SHARED)) {
          for (const begin of beginnings) files.#take(file, source(begin), this);
        }
      },
    };
  }

  get groups() {
    return Object.keys(SHARED).map((name) => ({ name, test: (module) => this.#fileOf.get(module) === name }));
  }

  #take(file, begin, modules) {
    const left = [...modules.getModuleIds()].filter((module) => module.startsWith(begin));
    if (left.length === 0) throw new Error(`no module ${begin}`);
    for (const module of left) {
      if (this.#fileOf.has(module) || LATE.includes(module)) continue;
      this.#fileOf.set(module, file);
      left.push(...(modules.getModuleInfo(module)?.importedIds ?? []));
    }
  }
}

/** yargs and what it needs: every start loads it, and Node takes as long to find its files as to run them. */
const WITH_YARGS = [
  ...['yargs', 'yargs-parser', 'cliui', 'y18n', 'escalade/sync', 'get-caller-file'],
  ...['string-width', 'strip-ansi', 'wrap-ansi', 'ansi-regex', 'ansi-styles', 'emoji-regex', 'get-east-asian-width'],
];

/** The licences of what the programs contain. */
function writeLicences() {
  const texts = WITH_YARGS.map((id) => {
    const [name] = id.split('/');
    const folder = join(root, 'node_modules', name);
    const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
    return `${name}\n\n${readFileSync(join(folder, file), 'utf8').trim()}\n`;
  });
  writeFileSync(join(dist, 'LICENSES.txt'), texts.join('\n'));
}

async function bundlePrograms() {
  const shared = new SharedFiles();
  const bundle = await rolldown({
    input: sourcesOf(PROGRAMS),
    platform: 'node',
    transform: { target: 'node20' },
    // Dependencies stay packages of their own, with their own licences and native code, but for yargs.
    external: (id) => !id.startsWith('.') && !isAbsolute(id) && !WITH_YARGS.includes(id),
    plugins: [shared.plugin],
    // A module that one command loads late and others at once is loaded with those.
    checks: { ineffectiveDynamicImport: false },
    logLevel: 'warn',
  });
  await bundle.write({
    dir: dist,
    format: 'es',
    chunkFileNames: '[name]-[hash].js',
    comments: false,
    codeSplitting: { groups: shared.groups },
  });
  await bundle.close();
}

/** Scripts of the page, each complete in itself. */
const SCRIPTS = { report: 'page/main.ts', charts: 'page/charts/chart-library.ts' };

async function bundleScript(name, path) {
  const bundle = await rolldown({
    input: { [name]: source(path) },
    platform: 'browser',
    transform: { target: 'es2022' },
    logLevel: 'warn',
  });
  await bundle.write({
    dir: join(dist, 'page'),
    format: 'iife',
    minify: true,
    comments: false,
    entryFileNames: '[name].js',
  });
  await bundle.close();
}

/** The sheets that style.css imports, one after another, without comments. */
function bundleStyle() {
  const sheet = readFileSync(source('page/style.css'), 'utf8');
  const imported = [...sheet.matchAll(/^@import '(.+)';$/gm)].map(([, path]) =>
    readFileSync(source(join('page', path)), 'utf8'),
  );
  mkdirSync(join(dist, 'page'), { recursive: true });
  writeFileSync(join(dist, 'page/style.css'), imported.join('').replace(/\/\*[^]*?\*\/\n?/g, ''));
}

function removeStale() {
  for (const entry of readdirSync(dist, { withFileTypes: true })) {
    if (entry.isFile() && entry.name.endsWith('.js')) rmSync(join(dist, entry.name));
  }
}

removeStale();
bundleStyle();
writeLicences();
await Promise.all([bundlePrograms(), ...Object.entries(SCRIPTS).map(([name, path]) => bundleScript(name, path))]);
