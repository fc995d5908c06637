/**
 * Sets of tests. A test that nothing marks is a unit test: it starts no process, opens no browser and reads no file from
 * outside the checkout. TEST_SETS names the sets that run; setup.mjs sees to it.
 *
 * | set      | its tests                                                       | run by                 |
 * |----------|-----------------------------------------------------------------|------------------------|
 * | unit     | all that are not marked                                         | `npm test`             |
 * | smoke    | one page in a browser                                           | `npm test`             |
 * | slow     | behaviour over thousands of made inputs, seconds each           | `npm run check`        |
 * | process  | start a process                                                 | `npm run check`        |
 * | profiles | read real profiles of ../shared                                 | `npm run check`        |
 * | browser  | pages in a browser, of real profiles too                        | `npm run check`        |
 * | long     | repeat for all pages, sizes or profiles what another set samples | `npm run check:long`   |
 */
type TestSet = 'smoke' | 'slow' | 'process' | 'profiles' | 'browser' | 'long';

const WANTED = process.env['TEST_SETS']?.split(',');

/** Whether tests of a set run. Outside of tests, as in benchmarks, nothing is left out. */
export const runs = (set: TestSet): boolean => WANTED === undefined || WANTED.includes(set);

/** Marks a test, or a suite for all of its tests. A test with several marks runs only where each of the sets does. */
export const mark = <T extends object>(set: TestSet, runnable: T): T => {
  const { testSets = [] } = runnable as { readonly testSets?: readonly TestSet[] };
  return Object.assign(runnable, { testSets: [...testSets, set] });
};

type Body = (this: Mocha.Context) => void | Promise<void>;

/** A test that starts a process. */
export const itWithProcess = (title: string, body: Body): Mocha.Test => mark('process', it(title, body));

/** Tests that start processes. */
export const describeWithProcess = (title: string, body: (this: Mocha.Suite) => void): Mocha.Suite =>
  mark('process', describe(title, body));

/** A test that takes seconds. */
export const itSlow = (title: string, body: Body): Mocha.Test => mark('slow', it(title, body));

/** A test of all that another test takes some of. */
export const itLong = (title: string, body: Body): Mocha.Test => mark('long', it(title, body));
