/**
 * `npm run check`: what a change needs besides `npm test`, two at a time. Chromium is slow without a core of its own, so at
 * most one other check runs beside the tests in a browser. All of them run, also after one has failed.
 */
import { runShown, showFailures } from './processes.mjs';

const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
const script = (name) => runShown(`npm run ${name}`, npm, ['run', '--silent', name]);
const tests = (...args) =>
  runShown(`tests: ${args.join(' ')}`, process.execPath, ['tools/run-tests.mjs', ...args, '--serial']);

/** Checks of what was built. The longest come first, so that both queues end at about the same time. */
const CHECKS = [
  () => tests('profiles'),
  () => tests('browser'),
  () => tests('process'),
  () => tests('slow'),
  () => script('lint'),
  () => script('test:package'),
];

/** Runs the next check after each that ends. @returns whether all of them passed */
async function runChecks(waiting) {
  let passed = true;
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) passed = (await next()) && passed;
  return passed;
}

const isBuilt = (await script('build')) && (await script('compile'));
const waiting = [...CHECKS];
const passed = isBuilt && (await Promise.all([runChecks(waiting), runChecks(waiting)])).every(Boolean);
showFailures();
process.exitCode = passed ? 0 : 1;
