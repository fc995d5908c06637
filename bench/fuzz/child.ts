/**
 * The process that reads damaged inputs: one outcome after the other goes to the process that started it, which knows by
 * the last one which run did not end. Arguments: the plan of inputs as JSON, first run, end of runs.
 */
import { inputsOf, type InputPlan } from './inputs.js';
import { isFinding, Reading } from './reading.js';

const [plan = '', from = '0', to = '0'] = process.argv.slice(2);
const inputs = inputsOf(JSON.parse(plan) as InputPlan);
const reading = new Reading();
try {
  for (let run = Number(from); run < Number(to); run++) {
    const outcome = await reading.read(run, inputs.at(run));
    await new Promise((resolve) => process.send?.(outcome, resolve));
    // What has grown once stays grown: the next run gets a process of its own. Without a listener there is no next.
    if (!process.connected || (isFinding(outcome) && outcome.what.startsWith('took '))) break;
  }
} finally {
  reading.dispose();
  if (process.connected) process.disconnect();
}
