/** `npm run test:fast` (TEST_SPEED=fast) leaves out tests that start a process, open a browser or read shared files. */
export const IS_FAST = process.env['TEST_SPEED'] === 'fast';

/** A test that starts a process. */
export const itWithProcess = IS_FAST ? it.skip : it;

/** Tests that start processes. */
export const describeWithProcess = IS_FAST ? describe.skip : describe;
