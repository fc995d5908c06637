/** Tests that fast runs leave out. */
import { IS_FAST } from './is-fast.js';

/** A test that starts a process. */
export const itWithProcess = IS_FAST ? it.skip : it;

/** Tests that start processes. */
export const describeWithProcess = IS_FAST ? describe.skip : describe;
