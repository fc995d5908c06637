/** The program `dparse`. */
import { removeBy } from '../../parse/input/cleanup.js';
import { main, startRemover } from './boundary.js';
import { run } from '../dparse.js';

removeBy(startRemover);
await main('dparse', run);
