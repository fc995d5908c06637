/** The program `dprof`. */
import { setFlagsFromString } from 'node:v8';
import { removeBy } from '../../parse/input/cleanup.js';
import { main, startRemover } from './boundary.js';

/**
 * While caches fill, their objects survive, and V8 decides to allocate more objects of the same kind in the old
 * generation. In a profile without repetition, these are rows, which keep everything that they refer to alive until a
 * full collection.
 */
setFlagsFromString('--no-allocation-site-pretenuring');

removeBy(startRemover);
await main('dprof', async () => (await import('../commands.js')).runCalled);
