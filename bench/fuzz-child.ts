/**
 * The process that reads damaged files: one outcome after the other goes to the process that started it, which knows by
 * the last one which run did not end. Arguments: folder of captures ('' for the default), seed, first run, end of runs.
 */
import { allBases } from './fuzz-bases.js';
import { Fuzzer } from './fuzz-run.js';

const [folder = '', seed = '1', from = '0', to = '0'] = process.argv.slice(2);
const fuzzer = new Fuzzer(folder === '' ? allBases() : allBases(folder), Number(seed));
try {
  for (let run = Number(from); run < Number(to); run++) {
    const outcome = fuzzer.run(run);
    await new Promise((resolve) => process.send?.(outcome, resolve));
  }
} finally {
  fuzzer.dispose();
  process.disconnect();
}
