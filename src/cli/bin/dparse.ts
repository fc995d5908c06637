/** The program `dparse`. */
import { main } from './boundary.js';
import { run } from '../dparse.js';

await main('dparse', run);
