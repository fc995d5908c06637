/**
 * Makes dist/, which is what the package runs: the programs of the tools, in dist/page the two scripts and the style sheet of
 * the page that `dprof html` writes, and the types of the library, from the declarations in build/types/.
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
 * What a run loads late, by the modules that start it; every run loads `start`.
 */
const LOADED = {
  start: ['cli/bin/boundary.ts'],
  parse: ['cli/dparse/parse-command.ts', 'cli/dparse/one.ts', 'parse/profile.ts'],
  report: ['cli/records-command.ts', 'cli/run-analysis.ts', 'cli/report/run-report.ts'],
};

/**
 * The file of each module that the programs share, known when all are read: the name in {@link LOADED} by which it is
 * loaded, or `records` where parsing and a report or another command both need it, so that neither loads what only the
 * other needs. What is loaded by none of them, commands mostly, is in files of what is loaded together by itself.
 */
class SharedFiles {
  #fileOf = new Map();

  /** A plugin of the bundler. */
  get plugin() {
    const files = this;
    return {
      name: 'shared-files',
      buildEnd() {
        const [start, parse, report] = Object.values(LOADED).map((names) => reachedFrom(names.map(source), this));
        const put = (name, modules) => modules.forEach((module) => files.#fileOf.set(module, name));
        put('report', report);
        put('parse', parse);
        // Commands that read profiles themselves load all readers.
        const commands = this.getModuleInfo(source('cli/commands.ts')).dynamicallyImportedIds;
        const answers = commands
          .map((module) => reachedFrom([module], this))
          .filter((reached) => !reached.has(source('parse/registry.ts')));
        put(
          'records',
          [...parse].filter((module) => [report, ...answers].some((reached) => reached.has(module))),
        );
        put('start', start);
      },
    };
  }

  get groups() {
    return ['start', 'records', 'parse', 'report'].map((name) => ({
      name,
      test: (module) => this.#fileOf.get(module) === name,
    }));
  }
}

/** Modules that are loaded with these. */
function reachedFrom(paths, modules) {
  const reached = new Set();
  const left = [...paths];
  for (let module = left.pop(); module !== undefined; module = left.pop()) {
    const info = modules.getModuleInfo(module);
    if (info === null || reached.has(module)) continue;
    reached.add(module);
    left.push(...info.importedIds);
  }
  return reached;
}

/** yargs and what it needs: every start loads it, and Node takes as long to find its files as to run them. */
const WITH_YARGS = [
  ...['yargs', 'yargs-parser', 'cliui', 'y18n', 'escalade/sync', 'get-caller-file'],
  ...['strip-ansi', 'wrap-ansi', 'ansi-regex', 'ansi-styles'],
];

/** The width of a text in a terminal, which yargs asks for in its help: ours, as `Intl.Segmenter` takes longer to load. */
const TEXT_WIDTH = {
  name: 'text-width',
  resolveId: (id) => (id === 'string-width' ? '\0text-width' : null),
  load: (id) =>
    id === '\0text-width'
      ? `export { cells as default } from ${JSON.stringify(source('table/shortened-texts.ts'))};`
      : null,
};

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
    plugins: [TEXT_WIDTH, shared.plugin],
    // A module that one command loads late and others at once is loaded with those.
    checks: { ineffectiveDynamicImport: false },
    logLevel: 'warn',
  });
  await bundle.write({
    dir: dist,
    format: 'es',
    chunkFileNames: '[name]-[hash].js',
    // Names stay as they are in the sources, for stacks.
    minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
    comments: false,
    codeSplitting: { groups: shared.groups },
  });
  await bundle.close();
}

/** The second reading thread: a separate file, because it shares little code with the programs. */
async function bundleScanner() {
  const bundle = await rolldown({
    input: source('parse/json/trace-scanner.ts'),
    platform: 'node',
    transform: { target: 'node20' },
    logLevel: 'warn',
  });
  await bundle.write({ file: join(dist, 'trace-scanner.js'), format: 'es', minify: true, comments: false });
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
  const { output } = await bundle.write({
    dir: join(dist, 'page'),
    format: 'iife',
    minify: true,
    comments: false,
    entryFileNames: '[name].js',
  });
  await bundle.close();
  const formulas = Object.keys(output[0].modules).find((id) => /[\\/]ops[\\/](families|schema)[\\/]/.test(id));
  if (formulas !== undefined) throw new Error(`the page derives no work, but its script contains ${formulas}`);
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

/** Copies the library's types: the declarations of `index.ts`, and those that they import. */
function copyTypes() {
  const left = ['index.d.ts'];
  const copied = new Set();
  for (let path = left.pop(); path !== undefined; path = left.pop()) {
    if (copied.has(path)) continue;
    copied.add(path);
    const text = readFileSync(join(root, 'build/types', path), 'utf8');
    mkdirSync(join(dist, dirname(path)), { recursive: true });
    writeFileSync(join(dist, path), text);
    for (const [, imported] of text.matchAll(/(?:from |import\()['"](\.[^'"]+)\.js['"]/g))
      left.push(join(dirname(path), `${imported}.d.ts`));
  }
}

rmSync(dist, { recursive: true, force: true });
copyTypes();
bundleStyle();
writeLicences();
await Promise.all([
  bundlePrograms(),
  bundleScanner(),
  ...Object.entries(SCRIPTS).map(([name, path]) => bundleScript(name, path)),
]);
