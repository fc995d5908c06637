/** The program `dparse`. */
import { removeBy } from '../../parse/input/cleanup.js';
import { main, startRemover } from './boundary.js';

removeBy(startRemover);
await main('dparse', async () => (await import('../dparse/parse-command.js')).parseCommand);
