/** The program `dprof`. */
import { setFlagsFromString } from 'node:v8';
import { removeBy } from '../../parse/input/cleanup.js';
import { main, startRemover } from './boundary.js';

/**
 * While caches fill, what is made for them survives, and V8 concludes to make more of its kind in the old generation.
 * In a profile that does not repeat, these are rows, which keep all they refer to alive there until a full collection.
 */
setFlagsFromString('--no-allocation-site-pretenuring');

removeBy(startRemover);
await main('dprof', async () => (await import('../commands.js')).runCalled);
