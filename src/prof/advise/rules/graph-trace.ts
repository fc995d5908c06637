/** Launched work that the profiler lost: the rest of the advice does not see it. */
import { many, time } from '../amount-text.js';
import type { Rule, RuleAnswer } from '../rule.js';

export const graphTrace: Rule = {
  name: 'graph-trace',
  doc: 'launches of kernels and graphs whose work is not in the profile: how to profile so that it is',
  watch: () => ({
    end: ({ missing }): RuleAnswer => ({
      found: missing.all
        .filter(({ of }) => of.launches > 0)
        .map(({ of, ...place }) => ({
          ...place,
          what: `the work of ${many(of.launches, 'launch')}${of.api === null ? '' : ` (${of.api})`} is not in the profile: in ${time(of.time)} the device may have worked, or not`,
          action:
            'profile fewer steps, since buffers of the profiler may have been full; graphs node by node (nsys profile --cuda-graph-trace=node), or without graphs',
          stake: of.time,
          gain: null,
          kernels: [],
          count: of.launches,
          evidence: { launches: of.launches, missingNs: of.time },
          see: 'dprof summary FILE',
        })),
    }),
  }),
};
