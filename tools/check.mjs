/**
 * `npm test`: everything that CI checks. What does not depend on each other runs at the same time.
 */
import { runShown, showFailures } from './processes.mjs';

const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
const run = (script) => runShown(`npm run ${script}`, npm, ['run', '--silent', script]);

/** @returns whether all of them passed; the first that fails keeps the rest from running */
async function oneAfterTheOther(...scripts) {
  for (const script of scripts) if (!(await run(script))) return false;
  return true;
}

const passed =
  (await run('build')) &&
  (
    await Promise.all([
      oneAfterTheOther('test:all'),
      oneAfterTheOther('lint'),
      oneAfterTheOther('typecheck', 'test:package'),
    ])
  ).every(Boolean);
showFailures();
process.exitCode = passed ? 0 : 1;
