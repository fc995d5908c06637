/**
 * Writes the pages that are made from the code's tables.
 *
 *   npm run docs                             writes them
 *   npm run docs -- --check                  exit code 1 when one is not what would be written
 *   npm run docs -- --probes P2 NV           first counts again what the references' answers to the probes show
 *
 * Every page is a pure function of the code and of committed files: the same text everywhere.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { packageFolder, version } from '../src/cli/package-folder.js';
import { countsOf } from './differences/counts.js';
import { readProbes } from './differences/probe.js';
import { apiPage } from './pages/api.js';
import { columnsPage } from './pages/columns.js';
import { differencesPage } from './pages/differences.js';
import { withFolders } from './pages/folders.js';
import { formatsPage, withFormats } from './pages/formats.js';
import { COMMAND_MANUALS, dparseManual, dprofManual, redactManual } from './pages/manuals.js';
import { glossaryPage } from './pages/glossary.js';
import { neuronMetricsPage } from './pages/neuron-metrics.js';
import { opsPage } from './pages/ops.js';
import { skillPage } from './pages/skill.js';
import { schemaPages } from './pages/schemas.js';
import { tracelensPage } from './pages/tracelens.js';

const ROOT = packageFolder();

/** What each page is, by its path in the repository. The argument is the text of docs/differences/counts.json. */
export const PAGES: Readonly<Record<string, (counts: string) => string>> = {
  'docs/api.md': () => apiPage(ROOT),
  'docs/ops.md': () => opsPage(),
  'docs/columns.md': () => columnsPage(),
  'docs/formats.md': () => formatsPage(),
  'docs/glossary.md': () => glossaryPage(),
  'docs/differences-from-pyprof.md': (counts) => differencesPage(counts),
  'docs/skill/dprof/SKILL.md': () => skillPage(),
  'docs/differences-from-tracelens.md': () => tracelensPage(),
  'man/dparse.1': () => dparseManual(version()),
  'man/dparse-redact.1': () => redactManual(version()),
  'docs/neuron-metrics.md': () => neuronMetricsPage(),
  'man/dprof.1': () => dprofManual(version()),
  ...schemaPages(ROOT),
  'README.md': () => withFormats(readFileSync(join(ROOT, 'README.md'), 'utf8')),
  'CONTRIBUTING.md': () => withFolders(ROOT, readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8')),
  ...Object.fromEntries(
    Object.entries(COMMAND_MANUALS).map(([path, make]): [string, () => string] => [path, () => make(version())]),
  ),
};

export const COUNTS = 'docs/differences/counts.json';

/** @param args `--check`, or `--probes` and two files: see above */
export function writePages(args: readonly string[]): void {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: { check: { type: 'boolean', default: false }, probes: { type: 'boolean', default: false } },
    allowPositionals: true,
  });
  const at = (path: string): string => join(ROOT, path);
  if (values.probes) {
    const [pyprof2, nvidia] = positionals.map((path) => readFileSync(path, 'utf8'));
    if (pyprof2 === undefined || nvidia === undefined) throw new Error('--probes takes two files');
    writeFileSync(at(COUNTS), countsOf(readProbes(pyprof2, nvidia)));
  }
  const counts = readFileSync(at(COUNTS), 'utf8');
  for (const [path, make] of Object.entries(PAGES)) {
    const text = make(counts);
    if (!values.check) writeFileSync(at(path), text);
    else if (readFileSync(at(path), 'utf8') !== text) {
      process.stderr.write(`${path} is not up to date: npm run docs\n`);
      process.exitCode = 1;
    }
  }
}
