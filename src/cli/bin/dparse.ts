/** The program `dparse`. */
import { removeBy } from '../../parse/input/cleanup.js';
import { main } from './boundary.js';
import { startRemover } from './remover.js';
import { run } from '../dparse.js';

removeBy(startRemover);
await main('dparse', run);
