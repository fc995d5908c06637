/**
 * Writes parts of the documentation.
 *
 *   npm run docs             pages that are made from the code's tables, manual pages (generate.ts)
 *   npm run docs examples    the output of each console block of README, guides and pages of vendors (examples.ts)
 *   npm run docs pictures    the pictures of the README (pictures.ts)
 */
import { packageFolder } from '../src/cli/package-folder.js';
import { writeExamples } from './examples.js';
import { writePages } from './generate.js';

const ROOT = packageFolder();

const PARTS: Readonly<Record<string, (args: readonly string[]) => unknown>> = {
  pages: writePages,
  examples: () => {
    writeExamples(ROOT);
  },
  pictures: () => import('./pictures.js'),
};

const [first = '', ...rest] = process.argv.slice(2);
const isNamed = first !== '' && !first.startsWith('-');
const part = PARTS[isNamed ? first : 'pages'];
if (part === undefined) {
  process.stderr.write(`no part of the documentation is called ${first}: ${Object.keys(PARTS).join(', ')}\n`);
  process.exitCode = 2;
} else await part(isNamed ? rest : process.argv.slice(2));
