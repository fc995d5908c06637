/** The device waits before each step. */
import type { RuleAnswer, Rule } from '../rule.js';
import { grouped, many, percent, time } from '../wording.js';
import { atLongest } from '../longest.js';

/** What helps where the device waits for data. */
export const LOAD_AHEAD =
  'load batches ahead: more workers, prefetch_factor, persistent_workers=True, pin_memory=True and copies with non_blocking=True';

/** Idle before fewer of the steps is no habit of the program. */
const MOSTLY = 0.5;

export const inputPipeline: Rule = {
  name: 'input-pipeline',
  doc: 'idle before each step: from the last work of one to the first of the next, nothing being launched',
  watch: () => ({
    end: ({ idle, devices }): RuleAnswer => {
      if (!devices.all.some(({ of }) => of.launched > 0)) return { found: [], why: 'no launches in the profile' };
      if (idle.all.length === 0) return { found: [], why: idle.why };
      const withSteps = idle.all.filter(({ of }) => of.steps > 0);
      if (withSteps.length === 0) return { found: [], why: 'no two steps in the profile' };
      const waiting = withSteps.filter(({ of }) => of.idleSteps / of.steps >= MOSTLY);
      return {
        found: waiting.map(({ of, ...place }) => {
          const { time: ns, longest, at, loading } = of.step;
          const loader = loading > 0 ? `, ${percent(loading / ns)} of it while data is loaded` : '';
          return {
            ...place,
            what: `idle ${time(ns)} before ${grouped(of.idleSteps)} of ${many(of.steps, 'step')} after the first, ${time(ns / of.idleSteps)} on average, with nothing launched${loader}`,
            action:
              loading > 0
                ? LOAD_AHEAD
                : 'look at what the host does between steps: loading data, logging, reading results back, the profiler itself',
            stake: ns,
            gain: { ns, how: 'sum of the idle time between two steps that a late launch ended', isBound: true },
            kernels: of.firsts.ids,
            ...atLongest(at),
            count: of.idleSteps,
            evidence: { steps: of.steps, idleSteps: of.idleSteps, idleNs: ns, longestNs: longest, loadingNs: loading },
            see: 'dprof steps FILE',
          };
        }),
      };
    },
  }),
};
