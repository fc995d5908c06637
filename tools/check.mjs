/**
 * `npm run check`: what a change needs besides `npm test`, in two lanes at once. Chromium draws and answers slowly where it
 * gets no core, so that the lane of the browser has one other beside it at most.
 */
import { runShown, showFailures } from './processes.mjs';

const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
const script = (name) => runShown(`npm run ${name}`, npm, ['run', '--silent', name]);
const tests = (...args) =>
  runShown(`tests: ${args.join(' ')}`, process.execPath, ['tools/run-tests.mjs', ...args, '--serial']);

/** Runs one after another; the first that fails keeps the rest from running. @returns whether all of them passed */
async function lane(...steps) {
  for (const step of steps) if (!(await step())) return false;
  return true;
}

const passed =
  (await lane(
    () => script('build'),
    () => script('compile'),
  )) &&
  (
    await Promise.all([
      lane(
        () => tests('browser'),
        () => script('lint'),
        () => script('test:package'),
      ),
      lane(() => tests('profiles', 'process', 'slow')),
    ])
  ).every(Boolean);
showFailures();
process.exitCode = passed ? 0 : 1;
