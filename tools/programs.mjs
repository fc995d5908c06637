/**
 * The programs as the package has them: a file each, and files that they share. Node takes longer to find and open a
 * hundred small files than to run what most of them hold, and to compile what a run does not need: modules that are
 * loaded together are in one file.
 */
import { dirname, isAbsolute, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const source = join(dirname(dirname(fileURLToPath(import.meta.url))), 'src');

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
  start: ['cli/dparse.ts', 'cli/dprof.ts', 'cli/bin/boundary.ts'],
  records: [
    'record/',
    'containers/',
    'table/',
    'cli/records-command.ts',
    'cli/run-analysis.ts',
    'write/write-table.ts',
  ],
  parse: ['cli/dparse/parse-command.ts', 'cli/dparse/one.ts', 'parse/profile.ts'],
  report: ['cli/report/report-command.ts', 'cli/report/run-report.ts'],
};

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
          for (const begin of beginnings) files.#take(file, join(source, begin), this);
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
      if (this.#fileOf.has(module)) continue;
      this.#fileOf.set(module, file);
      left.push(...(modules.getModuleInfo(module)?.importedIds ?? []));
    }
  }
}

/** @param folder that they are written to */
export async function bundlePrograms(folder) {
  const shared = new SharedFiles();
  const bundle = await rolldown({
    input: Object.fromEntries(Object.entries(PROGRAMS).map(([name, path]) => [name, join(source, path)])),
    platform: 'node',
    transform: { target: 'node20' },
    // Dependencies stay packages of their own, with their own licences and native code.
    external: (id) => !id.startsWith('.') && !isAbsolute(id),
    plugins: [shared.plugin],
    // A module that one command loads late and others at once is loaded with those.
    checks: { ineffectiveDynamicImport: false },
    logLevel: 'warn',
  });
  await bundle.write({
    dir: folder,
    format: 'es',
    chunkFileNames: '[name]-[hash].js',
    comments: false,
    codeSplitting: { groups: shared.groups },
  });
  await bundle.close();
}
