/**
 * `npm run test:fast` (TEST_SPEED=fast) leaves out tests that start a process, open a browser or read shared files.
 * Apart from the tests of `speed.ts`, since benchmarks find shared files too, where mocha does not run.
 */
export const IS_FAST = process.env['TEST_SPEED'] === 'fast';
